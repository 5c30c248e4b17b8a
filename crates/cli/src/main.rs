//! The `collie` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    collie_sandbox::supervise_if_asked();
    collie_git::help_git_if_asked();
    collie_hardening::harden(&[]);
    collie_cli::main()
}

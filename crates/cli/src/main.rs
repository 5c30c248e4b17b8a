//! The `collie` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    collie_cli::main()
}

//! The supervisor as a program of its own, for tests; `collie` and the desktop app are it themselves when they are asked.

fn main() {
    collie_sandbox::supervise_if_asked();
    eprintln!("the supervisor of a sandbox is started by collie, not by hand");
    std::process::exit(2);
}

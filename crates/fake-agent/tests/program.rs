//! The program itself. That there is a test of it also makes cargo build it with all the others.

use std::process::Command;

#[test]
fn it_names_itself_and_refuses_other_arguments() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_collie-fake-agent"));
        command.args(arguments).output().expect("it starts")
    };
    let named = run(&["--version"]);
    let version = format!("collie-fake-agent {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8_lossy(&named.stdout), version);
    let refused = run(&["--help"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no arguments"));
}

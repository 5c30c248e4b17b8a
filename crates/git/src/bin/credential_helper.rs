//! Git's credential helper as a program of its own, for tests; `collie` and the desktop app are it themselves when they are asked. Started
//! otherwise it stands in for a git that signs in: it asks the helper that it was told of, about the protocol and the host in its arguments.

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    collie_git::help_git_if_asked();
    let Ok(helper) = std::env::var("GIT_CONFIG_VALUE_0") else {
        eprintln!("this stands in for git in tests, and is started by them");
        return ExitCode::from(2);
    };
    let args: Vec<String> = std::env::args().skip(1).collect();
    for (name, value) in std::env::vars() {
        eprintln!("{name}={value}");
    }
    eprintln!("arguments: {args:?}");
    if let [_, _, folder] = args.as_slice() {
        wait_for_the_test(folder.as_ref(), &helper);
    }
    match ask(&helper, &args) {
        Some(code) => ExitCode::from(code),
        None => ExitCode::FAILURE,
    }
}

/// Tells a test the helper, and goes on once the test has done what it wants to do.
fn wait_for_the_test(folder: &std::path::Path, helper: &str) {
    let (told, tell) = (folder.join("helper"), folder.join("telling"));
    if std::fs::write(&tell, helper).is_ok() && std::fs::rename(tell, told).is_ok() {
        while !folder.join("done").exists() && folder.exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

/// Starts the helper as git does; its answer goes to the own output.
fn ask(helper: &str, args: &[String]) -> Option<u8> {
    let mut helper = helper_command(helper.strip_prefix('!')?)?;
    let mut child = helper.stdin(Stdio::piped()).spawn().ok()?;
    let question = format!("protocol={}\nhost={}\n", args.first()?, args.get(1)?);
    child.stdin.take()?.write_all(question.as_bytes()).ok()?;
    let status = child.wait().ok()?;
    u8::try_from(status.code()?).ok()
}

#[cfg(unix)]
fn helper_command(helper: &str) -> Option<Command> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{helper} get"));
    Some(command)
}

/// There may be no shell: `'PROGRAM' FLAG NAME` is taken apart.
#[cfg(windows)]
fn helper_command(helper: &str) -> Option<Command> {
    let (program, args) = helper.strip_prefix('\'')?.split_once('\'')?;
    let mut command = Command::new(program);
    command.args(args.split_whitespace()).arg("get");
    Some(command)
}

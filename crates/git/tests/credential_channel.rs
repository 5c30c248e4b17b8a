//! How a call of git is told its credential (§9.4), on every system: a stand-in for git asks the helper that it is given.

#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]

use collie_git::output_signed_in;
use std::path::Path;
use std::process::Output;
use tokio::process::Command;

const STAND_IN: &str = env!("CARGO_BIN_EXE_collie-git-credential-helper");
const URL: &str = "https://github.example/a/b.git";
const ANSWER: &str = "username=x-access-token\npassword=t0ken\n";

async fn sign_in(args: &[&str]) -> Output {
    let mut command = Command::new(STAND_IN);
    command.args(args);
    let token = "t0ken".into();
    output_signed_in(command, URL, token, Path::new(STAND_IN))
        .await
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap().replace('\r', "")
}

#[tokio::test]
async fn the_helper_of_a_call_gets_the_credential_of_its_host_alone() {
    for (host, expect) in [("github.example", ANSWER), ("evil.example", "quit=1\n")] {
        let output = sign_in(&["https", host]).await;
        assert_eq!(text(&output.stdout), expect, "{output:?}");
        assert!(output.status.success(), "{output:?}");
    }
}

#[tokio::test]
async fn no_variable_and_no_argument_of_a_call_has_the_credential() {
    let output = sign_in(&["https", "github.example"]).await;
    assert_eq!(text(&output.stdout), ANSWER);
    let seen = text(&output.stderr);
    assert!(seen.contains("GIT_CONFIG_KEY_0=credential.https://github.example.helper"));
    assert!(!seen.contains("t0ken"), "{seen}");
}

/// Attack: another program of the same user has read the name of the pipe, and is first to ask.
#[cfg(windows)]
#[tokio::test]
async fn a_program_that_is_not_of_the_call_gets_nothing_from_its_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("helper");
    let thief = async {
        while !told.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        let helper = std::fs::read_to_string(&told).unwrap();
        let mut helper = helper.split_whitespace().rev();
        let pipe = helper.next().unwrap().to_owned();
        let stolen = tokio::task::spawn_blocking(move || steal(&pipe)).await;
        std::fs::write(folder.path().join("done"), "").unwrap();
        stolen.unwrap()
    };
    let args = ["https", "github.example", folder.path().to_str().unwrap()];
    let (output, stolen) = tokio::join!(sign_in(&args), thief);
    assert_eq!(stolen, "");
    // The control: the call itself is answered after that.
    assert_eq!(text(&output.stdout), ANSWER, "{output:?}");
}

#[cfg(windows)]
fn steal(pipe: &str) -> String {
    use std::io::{Read as _, Write as _};
    let path = Path::new(r"\\.\pipe\").join(pipe);
    let mut options = std::fs::OpenOptions::new();
    let mut pipe = options.read(true).write(true).open(path).unwrap();
    // The pipe may be closed before it has read this.
    let _ = pipe.write_all(b"protocol=https\nhost=github.example\n\n");
    let mut stolen = Vec::new();
    let _ = pipe.read_to_end(&mut stolen);
    String::from_utf8_lossy(&stolen).into_owned()
}

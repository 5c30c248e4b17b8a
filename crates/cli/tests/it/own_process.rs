//! What other programs of this machine see of Collie's own process (§9.4, §9.5).

use crate::support::*;
use collie_testkit::program::write_program;
use nix::unistd::{Gid, Uid, chown};
use serde_json::{Value, json};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// An account that owns nothing, for tests that run as root: root may look at everything.
const NOBODY: u32 = 65_534;
/// A variable that may be seen.
const VISIBLE: (&str, &str) = ("SOME_SETTING", "may-be-seen");

/// A folder with a stand-in for git that writes down what other programs can see of each call, then is git.
fn recording_git(folder: &Path) -> PathBuf {
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|program| program.is_file())
        .unwrap();
    let bin = folder.join("bin");
    std::fs::create_dir(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\ncat /proc/$$/environ /proc/$$/cmdline > '{}/'$$\nexec '{}' \"$@\"\n",
        folder.display(),
        real.display()
    );
    write_program(&bin.join("git"), script);
    bin
}

/// What was written down, call by call.
fn recorded_calls(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    files
        .filter(|file| file.is_file())
        .map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned())
        .collect()
}

fn proc_file(pid: u32, name: &str) -> std::io::Result<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/{name}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn no_environment_and_no_argument_of_a_watch_or_of_its_git_has_a_secret() {
    let (forge, gate) = (ForgeServer::start(), CheckGate::new());
    forge.import_files(
        "acme/one",
        &[(".forge.toml", &gate.forge_toml()), ("a.txt", "a\n")],
        &[("a.txt", "b\n")],
    );
    let home = TestHome::new(&forge);
    let records = tempfile::tempdir().unwrap();
    let bin = recording_git(records.path());
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let secrets = ["forge-demo", "sk-of-the-model", "of-an-agent"];
    let mut watch = home.collie(&["watch", "acme/one#1", "--until-settled", "--json"]);
    watch
        .env("PATH", path)
        .env("LLM_API_KEY", secrets[1])
        .env("CLAUDE_CODE_OAUTH_TOKEN", secrets[2])
        .env(VISIBLE.0, VISIBLE.1)
        .stderr(Stdio::null());
    let mut watch = RunningCommand::start(&mut watch);
    watch.read_until("the checks", |line| {
        line["blocker"]["code"] == "checks_running"
    });

    let cmdline = proc_file(watch.id(), "cmdline").unwrap();
    assert!(cmdline.contains("acme/one#1"), "{cmdline}");
    let mut seen = vec![cmdline];
    match proc_file(watch.id(), "environ") {
        // Root sees it: then it has to be clean.
        Ok(environ) => {
            assert!(environ.contains(VISIBLE.1), "{environ}");
            seen.push(environ);
        }
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied),
    }
    gate.open();
    assert_eq!(watch.wait_for_exit().code(), Some(0), "{:#?}", watch.seen);

    let calls = recorded_calls(records.path());
    let remote = calls
        .iter()
        .filter(|call| call.contains("\0fetch\0"))
        .count();
    assert!(remote > 0, "no call of git to the forge was seen");
    assert!(
        calls.iter().all(|call| call.contains("LC_ALL=C")),
        "{calls:#?}"
    );
    seen.extend(calls);
    let basic = "eC1hY2Nlc3MtdG9rZW46Zm9yZ2UtZGVtbw";
    for text in &seen {
        for secret in secrets.iter().chain(&[basic]) {
            assert!(!text.contains(secret), "{secret} is seen: {text}");
        }
    }
}

#[test]
fn no_environment_and_no_argument_of_the_demos_git_has_a_credential() {
    let records = tempfile::tempdir().unwrap();
    let bin = recording_git(records.path());
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut demo = collie_command();
    demo.args(["demo", "--json", "--scenario", "fix-loop"])
        .env("PATH", path);
    let ended = run_to_end(&mut demo);
    assert_eq!(ended.status, 0, "{ended:?}");
    let calls = recorded_calls(records.path());
    let remote = calls
        .iter()
        .filter(|call| call.contains("credential.http://127.0.0.1:"));
    assert!(remote.count() > 0, "no call of git to the forge was seen");
    for call in &calls {
        assert!(
            !call.contains("Authorization") && !call.contains("password="),
            "{call}"
        );
    }
}

/// Who the tests are, or nobody where they are root.
fn ordinary_user() -> u32 {
    let own = Uid::effective();
    if own.is_root() { NOBODY } else { own.as_raw() }
}

/// What a program of the same user gets of a process.
fn read_as_ordinary_user(pid: u32, name: &str) -> CommandResult {
    let mut cat = Command::new("cat");
    cat.arg(format!("/proc/{pid}/{name}")).env("LC_ALL", "C");
    run_to_end(as_ordinary_user(&mut cat))
}

fn as_ordinary_user(command: &mut Command) -> &mut Command {
    let user = ordinary_user();
    if Uid::effective().is_root() {
        command.uid(user).gid(user);
    }
    command
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn other_programs_of_the_same_user_cannot_look_into_it() {
    let folder = tempfile::tempdir().unwrap();
    if Uid::effective().is_root() {
        let nobody = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
        chown(folder.path(), Some(nobody.0), Some(nobody.1)).unwrap();
    }
    let mut serve = collie_command();
    serve
        .args(["forge", "serve", "--json", "--root"])
        .arg(folder.path().join("forge"))
        .env("HOME", folder.path())
        .env("GITHUB_TOKEN", "forge-demo")
        .current_dir(folder.path());
    let mut server = RunningCommand::start(as_ordinary_user(&mut serve));
    server.read_until("the address", |_| true);
    // The control: the same look at a process that hides nothing.
    let mut sleep = Command::new("sleep");
    sleep.arg("300").env(VISIBLE.0, VISIBLE.1);
    let sleep = Running(as_ordinary_user(&mut sleep).spawn().unwrap());
    let open = wait_until_blocking("what a process that hides nothing shows", || {
        let environ = read_as_ordinary_user(sleep.0.id(), "environ");
        environ.stdout.contains(VISIBLE.1).then_some(environ)
    });
    assert_eq!(open.status, 0);
    for name in ["environ", "maps", "mem", "auxv"] {
        let read = read_as_ordinary_user(server.id(), name);
        assert!(
            read.stderr.contains("Permission denied"),
            "{name}: {read:?}"
        );
        assert_eq!(read.stdout, "", "{name}");
    }
    let limits = proc_file(server.id(), "limits").unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let words: Vec<&str> = core.unwrap().split_whitespace().collect();
    assert_eq!(words[4..6], ["0", "0"], "{limits}");
}

#[test]
fn doctor_says_that_the_process_is_closed() {
    let forge = ForgeServer::start();
    let home = TestHome::new(&forge);
    let lines = home.run(&["doctor", "--json"]).json();
    let line = lines.iter().find(|line| line["name"] == "process");
    assert_eq!(
        line.map_or(&Value::Null, |line| &line["status"]),
        &json!("ok"),
        "{lines:#?}"
    );
    // It was handed the token all the same.
    let token = lines.iter().find(|line| line["name"] == "token").unwrap();
    assert!(
        token["text"].as_str().unwrap().contains("GITHUB_TOKEN"),
        "{token}"
    );
}

#[test]
fn secrets_that_are_too_long_to_hand_over_hinder_no_start_and_are_told() {
    let forge = ForgeServer::start();
    let home = TestHome::new(&forge);
    // More than a pipe takes while nobody reads it.
    let mut doctor = home.collie(&["doctor", "--json"]);
    doctor.env("LLM_API_KEY", "x".repeat(100_000));
    let mut doctor = RunningCommand::start(&mut doctor);
    let line = doctor.read_until("the process", |line| line["name"] == "process");
    assert_eq!(line["status"], "note", "{line}");
    let text = line["text"].as_str().unwrap();
    assert!(text.contains("LLM_API_KEY"), "{text}");
    doctor.wait_for_exit();
}

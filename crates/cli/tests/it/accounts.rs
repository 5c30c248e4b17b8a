//! `account`: tokens of personas' accounts go in by standard input, lie encrypted, and never come out (§18.2).

use crate::support::*;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A data folder with its key beside it, as a server has it.
struct AccountHome {
    home: TestHome,
    keys: tempfile::TempDir,
}

impl AccountHome {
    fn new(forge: &ForgeServer) -> Self {
        Self {
            home: TestHome::new(forge),
            keys: tempfile::tempdir().unwrap(),
        }
    }

    fn key_file(&self) -> PathBuf {
        self.keys.path().join("account.key")
    }

    fn account(&self, args: &[&str]) -> Command {
        let mut command = self.home.collie(&[&["account"], args].concat());
        command.env("COLLIE_ACCOUNT_KEY_FILE", self.key_file());
        command
    }

    fn run(&self, args: &[&str]) -> CommandResult {
        run_to_end(&mut self.account(args))
    }

    fn add(&self, args: &[&str], token: &str) -> CommandResult {
        let mut command = self.account(&[&["add"], args].concat());
        run_with_input(&mut command, &format!("{token}\n"))
    }

    fn list(&self) -> Vec<Value> {
        let listed = self.run(&["list", "--json"]);
        assert_eq!(listed.status, 0, "{listed:?}");
        listed.json()
    }
}

fn run_with_input(command: &mut Command, input: &str) -> CommandResult {
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // One that refuses before it reads has closed its end.
    let _sent = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    CommandResult {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn files_with(folder: &Path, secret: &str) -> (usize, Vec<PathBuf>) {
    let (mut looked_at, mut found) = (0, Vec::new());
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            looked_at += 1;
            let bytes = std::fs::read(&path).unwrap();
            if bytes
                .windows(secret.len())
                .any(|part| part == secret.as_bytes())
            {
                found.push(path);
            }
        }
    }
    (looked_at, found)
}

#[test]
fn a_token_is_added_listed_put_under_another_key_and_removed_and_never_shown() {
    let forge = ForgeServer::start();
    forge.import_files("demo/one", &[("app.js", "1;\n")], &[("app.js", "2;\n")]);
    let accounts = AccountHome::new(&forge);
    assert_eq!(accounts.list(), Vec::<Value>::new());

    let added = accounts.add(&["BEN", "--repo", "demo/one", "--json"], "forge-ben");
    assert_eq!(added.status, 0, "{added:?}");
    let line = &added.json()[0];
    assert_eq!(
        (&line["type"], &line["login"]),
        (&"account_added".into(), &"ben".into())
    );
    assert_eq!(line["unseen"], serde_json::json!([]));
    let listed = accounts.list();
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0]["login"], "ben");
    assert_eq!(listed[0]["usable"], true);
    let (looked_at, found) = files_with(&accounts.home.path(), "forge-ben");
    assert!(looked_at > 1, "only {looked_at} files");
    assert_eq!(found, Vec::<PathBuf>::new());

    // Under another key; with the one of before it is of no use, and that is said.
    let before = std::fs::read(accounts.key_file()).unwrap();
    let rotated = accounts.run(&["rotate-key", "--json"]);
    assert_eq!(
        (rotated.status, &rotated.json()[0]["count"]),
        (0, &1.into()),
        "{rotated:?}"
    );
    let after = std::fs::read(accounts.key_file()).unwrap();
    assert_ne!(after, before);
    assert_eq!(accounts.list()[0]["usable"], true);
    std::fs::write(accounts.key_file(), before).unwrap();
    assert_eq!(accounts.list()[0]["usable"], false);
    let refused = accounts.run(&["rotate-key", "--json"]);
    assert_ne!(refused.status, 0, "{refused:?}");
    assert_eq!(refused.json()[0]["code"], "account_sealed");
    std::fs::write(accounts.key_file(), after).unwrap();
    assert_eq!(accounts.list()[0]["usable"], true);

    let shown = accounts.run(&["list"]);
    assert!(shown.stdout.contains("ben"), "{shown:?}");
    for said in [&added, &rotated, &shown] {
        let said = format!("{}{}", said.stdout, said.stderr);
        assert!(!said.contains("forge-ben"), "{said}");
    }
    let removed = accounts.run(&["remove", "ben", "--json"]);
    assert_eq!(
        (removed.status, &removed.json()[0]["login"]),
        (0, &"ben".into())
    );
    assert_eq!(accounts.list(), Vec::<Value>::new());
    let again = accounts.run(&["remove", "ben", "--json"]);
    assert_ne!(again.status, 0, "{again:?}");
    assert_eq!(again.json()[0]["code"], "account_unknown");
}

#[test]
fn a_token_of_the_wrong_account_or_of_none_is_refused_and_nothing_is_kept() {
    let forge = ForgeServer::start();
    let accounts = AccountHome::new(&forge);
    for (login, token, code) in [
        ("ben", "forge-ana", "account_mismatch"),
        ("ben", "forge-nobody", "account_unusable"),
        ("ben", "", "token_shape"),
        ("ben", "two words", "token_shape"),
        // It merges, so that it speaks for nobody else.
        (COLLIE_LOGIN, "forge-demo", "account_is_main"),
    ] {
        let refused = accounts.add(&[login, "--json"], token);
        assert_ne!(refused.status, 0, "{refused:?}");
        assert_eq!(refused.json()[0]["code"], code, "{refused:?}");
        assert!(
            token.is_empty() || !refused.stderr.contains(token),
            "{refused:?}"
        );
    }
    assert_eq!(accounts.list(), Vec::<Value>::new());
    assert!(!accounts.key_file().exists());
}

#[test]
fn a_repository_that_the_token_must_see_and_does_not_is_said() {
    let forge = ForgeServer::start();
    let accounts = AccountHome::new(&forge);
    let added = accounts.add(&["ben", "--repo", "demo/none", "--json"], "forge-ben");
    assert_eq!(added.status, 1, "{added:?}");
    assert_eq!(added.json()[0]["unseen"], serde_json::json!(["demo/none"]));
    assert_eq!(accounts.list().len(), 1, "it is kept all the same");
}

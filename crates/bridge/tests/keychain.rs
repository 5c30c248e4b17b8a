//! A model's key in a real keychain: it is there after a restart, for its account alone, and in no file.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A key that no answer and no file may hold.
const KEY: &str = "key-Zebrafink-of-a-person";

/// Opens a keychain with a password, then goes on.
const WITH_KEYCHAIN: &str = r#"printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0" "$@""#;

/// A bridge on a message bus of its own, with a keychain that lies in a folder.
struct KeychainBridge {
    session: Child,
    url: String,
}

impl KeychainBridge {
    fn start(home: &Path) -> Self {
        let runtime = home.join("runtime");
        let dist = home.join("dist");
        for folder in [&runtime, &dist] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(dist.join("index.html"), "<!doctype html>").unwrap();
        std::fs::set_permissions(&runtime, PermissionsExt::from_mode(0o700)).unwrap();
        let mut session = Command::new("dbus-run-session")
            .args(["--", "sh", "-c", WITH_KEYCHAIN])
            .arg(env!("CARGO_BIN_EXE_collie-bridge"))
            .arg("--dist")
            .arg(&dist)
            .arg("--account")
            .arg(format!("ana={}", home.join("ana").display()))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", home)
            .env("XDG_RUNTIME_DIR", &runtime)
            .env("COLLIE_HOME", home.join("data"))
            .env("GITHUB_API_URL", "http://127.0.0.1:1/api/v3")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("dbus-run-session can be started: npm test installs it");
        let mut line = String::new();
        let output = session.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        let url = line["url"].as_str().unwrap().to_owned();
        Self { session, url }
    }

    /// Carries a command out for an account.
    async fn run(&self, account: &str, name: &str, more: Value) -> Value {
        let mut args = json!({"table": "llm", "changes": {"llm.provider": "anthropic"}});
        let all = args.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        let url = self.url.replacen("/?", "/rpc?", 1);
        let asked = reqwest::Client::new()
            .post(format!("{url}&account={account}"))
            .json(&json!({"command": name, "args": args}));
        let answer = asked.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{name}");
        answer.json().await.unwrap()
    }

    async fn source(&self, account: &str) -> Value {
        let key = self.run(account, "model_key", json!({})).await;
        assert!(!key.to_string().contains(KEY), "{key}");
        assert_eq!(key["problem"], Value::Null);
        key["source"].clone()
    }
}

impl Drop for KeychainBridge {
    fn drop(&mut self) {
        let group = format!("-{}", self.session.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.session.wait();
    }
}

#[tokio::test]
async fn a_key_outlives_the_process_in_the_keychain_of_its_account_and_in_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let bridge = KeychainBridge::start(dir.path());
    assert_eq!(bridge.source("default").await, "missing");
    let set = json!({"secret": KEY});
    bridge.run("default", "set_model_key", set).await;
    assert_eq!(bridge.source("default").await, "keychain");
    assert_eq!(bridge.source("ana").await, "missing", "it is not hers");
    drop(bridge);
    let again = KeychainBridge::start(dir.path());
    assert_eq!(again.source("default").await, "keychain");
    let found = Command::new("grep")
        .args(["-rlF", KEY])
        .arg(dir.path())
        .output()
        .unwrap();
    // It looked at every file, and found nothing.
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    again.run("default", "remove_model_key", json!({})).await;
    assert_eq!(again.source("default").await, "missing");
}

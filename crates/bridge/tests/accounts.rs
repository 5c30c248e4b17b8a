//! The bridge serves several accounts, each by its name, and lets in whoever knows its secret.

#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A bridge with the account of its data folder and one more, called `ana`, which reads French.
struct TestBridge {
    dir: TempDir,
    process: Child,
    /// Such as `http://127.0.0.1:4000/`.
    url: String,
    secret: String,
}

impl TestBridge {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("dist")).unwrap();
        std::fs::write(dir.path().join("dist/index.html"), "<!doctype html>").unwrap();
        let folder = dir.path().join("ana");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), "language = \"fr\"\n").unwrap();
        let mut process = command(dir.path())
            .arg("--account")
            .arg(format!("ana={}", folder.display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        let (url, secret) = line["url"]
            .as_str()
            .unwrap()
            .split_once("?secret=")
            .unwrap();
        Self {
            dir,
            process,
            url: url.to_owned(),
            secret: secret.to_owned(),
        }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The address of a route for an account, with the secret.
    fn route(&self, route: &str, query: &str) -> String {
        let account = query.replacen('?', "&", 1);
        format!("{}{route}?secret={}{account}", self.url, self.secret)
    }

    async fn ask(&self, query: &str, command: Value) -> (u16, Value) {
        let url = self.route("rpc", query);
        let answer = reqwest::Client::new().post(url).json(&command).send();
        let answer = answer.await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or(Value::Null))
    }

    async fn session(&self, query: &str) -> Value {
        let (status, session) = self.ask(query, json!({"command": "session"})).await;
        assert_eq!(status, 200, "{session:#}");
        session
    }

    /// Opens the stream of an account's updates.
    async fn events(&self, query: &str) -> reqwest::Response {
        let stream = reqwest::get(self.route("events", query)).await.unwrap();
        assert_eq!(stream.status(), 200);
        stream
    }
}

impl Drop for TestBridge {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The bridge, with nothing of this machine's surroundings.
fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_collie-bridge"));
    command
        .env_remove("GITHUB_TOKEN")
        .env("GITHUB_API_URL", "http://127.0.0.1:1/api/v3")
        .env("COLLIE_HOME", dir.join("home"))
        .arg("--dist")
        .arg(dir.join("dist"));
    command
}

#[tokio::test]
async fn a_request_goes_to_the_account_that_it_names() {
    let bridge = TestBridge::start();
    let own = bridge.session("").await;
    assert_eq!(own["language"], "en");
    assert_eq!(own["data_folder"], json!(bridge.folder("home")));
    assert_eq!(
        bridge.session("?account=default").await["data_folder"],
        own["data_folder"]
    );
    let ana = bridge.session("?account=ana").await;
    assert_eq!(ana["language"], "fr");
    assert_eq!(ana["data_folder"], json!(bridge.folder("ana")));
    for unknown in ["?account=kim", "?account=", "?account=..%2Fana"] {
        let (status, _) = bridge.ask(unknown, json!({"command": "session"})).await;
        assert_eq!(status, 404, "{unknown}");
    }
}

/// Method, path, headers.
type RefusedRequest<'a> = (&'a str, &'a str, Vec<(&'a str, &'a str)>);

#[tokio::test]
async fn each_account_has_settings_and_a_stream_of_its_own() {
    let bridge = TestBridge::start();
    let mut own = bridge.events("").await;
    let mut ana = bridge.events("?account=ana").await;
    let save = |language: &str| json!({"command": "save_settings", "args": {"changes": {"language": language}}});
    for (query, language, stream) in [("", "fr", &mut own), ("?account=ana", "en", &mut ana)] {
        let (status, saved) = bridge.ask(query, save(language)).await;
        assert_eq!(status, 200, "{saved:#}");
        assert_eq!(bridge.session(query).await["language"], language);
        wait_for_settings_reported(stream).await;
    }
    assert_eq!(bridge.session("").await["language"], "fr");
}

/// Reads a stream until it tells that the settings changed.
async fn wait_for_settings_reported(stream: &mut reqwest::Response) {
    let mut seen = String::new();
    while !seen.contains("settings") && !seen.contains("\"topics\":[[]]") {
        let chunk = stream.chunk().await.unwrap().unwrap();
        seen.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

#[test]
fn an_account_that_makes_no_sense_ends_the_start() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("dist")).unwrap();
    std::fs::write(dir.path().join("dist/index.html"), "<!doctype html>").unwrap();
    for (accounts, message) in [
        (&["ana"] as &[&str], "NAME=DIR"),
        (&["a/b=x"], "no name of an account"),
        (&["ana=x", "ana=y"], "there is an account `ana` already"),
        (&["default=x"], "there is an account `default` already"),
    ] {
        let mut command = command(dir.path());
        for account in accounts {
            command.arg("--account").arg(account);
        }
        let ended = command.output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(!ended.status.success() && said.contains(message), "{said}");
    }
}

/// The status of a request as it goes over the wire: no client adds or mends anything.
fn status_of(address: &str, method: &str, target: &str, headers: &[(&str, &str)]) -> u16 {
    let body = if method == "POST" {
        r#"{"command": "session"}"#
    } else {
        ""
    };
    let mut text = format!(
        "{method} {target} HTTP/1.1\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text += &format!("connection: close\r\n\r\n{body}");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    String::from_utf8_lossy(&start)[9..].parse().unwrap()
}

#[test]
fn no_foreign_request_gets_in() {
    let bridge = TestBridge::start();
    let address = bridge
        .url
        .trim_start_matches("http://")
        .trim_end_matches('/');
    let port = address.rsplit(':').next().unwrap();
    let json = ("content-type", "application/json");
    let host = ("host", address);
    let (rpc, events) = (
        format!("/rpc?secret={}", bridge.secret),
        format!("/events?secret={}", bridge.secret),
    );
    let own = format!("http://{address}");
    for headers in [
        vec![host, json],
        vec![host, json, ("origin", own.as_str())],
        vec![host, json, ("sec-fetch-site", "same-origin")],
    ] {
        assert_eq!(
            status_of(address, "POST", &rpc, &headers),
            200,
            "{headers:?}"
        );
    }
    assert_eq!(status_of(address, "GET", &events, &[host]), 200);
    assert_eq!(status_of(address, "GET", "/", &[host]), 200);

    let foreign = format!("evil.example:{port}");
    let wrong = format!("/rpc?secret={}", "0".repeat(bridge.secret.len()));
    let shorter = &rpc[..rpc.len() - 1];
    let other_port = "127.0.0.1:1";
    let refused: [RefusedRequest<'_>; 19] = [
        ("POST", &rpc, vec![json]),
        ("POST", &rpc, vec![("host", &foreign), json]),
        ("POST", &rpc, vec![("host", "evil.example"), json]),
        ("POST", &rpc, vec![("host", other_port), json]),
        ("POST", &rpc, vec![host, ("host", "evil.example"), json]),
        ("POST", &rpc, vec![host, json, ("origin", "null")]),
        (
            "POST",
            &rpc,
            vec![host, json, ("origin", "http://evil.example")],
        ),
        (
            "POST",
            &rpc,
            vec![host, json, ("origin", &own), ("origin", "null")],
        ),
        (
            "POST",
            &rpc,
            vec![host, json, ("sec-fetch-site", "cross-site")],
        ),
        ("POST", &rpc, vec![host]),
        ("POST", &rpc, vec![host, ("content-type", "text/plain")]),
        (
            "POST",
            &rpc,
            vec![host, ("content-type", "application/x-www-form-urlencoded")],
        ),
        ("POST", "/rpc", vec![host, json]),
        ("POST", "/rpc?secret=", vec![host, json]),
        ("POST", &wrong, vec![host, json]),
        ("POST", shorter, vec![host, json]),
        ("GET", "/events", vec![host]),
        ("GET", &events, vec![("host", &foreign)]),
        ("GET", "/", vec![("host", &foreign)]),
    ];
    for (method, target, headers) in refused {
        let status = status_of(address, method, target, &headers);
        assert!(
            (400..500).contains(&status),
            "{status}: {method} {target} {headers:?}"
        );
    }
}

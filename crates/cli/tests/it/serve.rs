//! `collie serve` with real processes: who gets in, what each sees and may do, what is refused, and how it ends.

use crate::support::*;
use hmac::{Hmac, KeyInit as _, Mac as _};
use nix::sys::signal::Signal;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use sha2::Sha256;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// Who may write in `acme/one` and `acme/secret`.
pub const WRITER: &str = "ana";
/// What GitHub signs with.
pub const SECRET: &str = "only GitHub and the server know it";
/// Who may read `acme/one`, as everybody may, and does not see `acme/secret`.
pub const READER: &str = "mallory";

/// A server on a data folder with a forge behind it, and loops whose checks wait.
pub struct TestServer {
    pub forge: ForgeServer,
    pub home: TestHome,
    pub process: RunningCommand,
    pub url: String,
    pub http: reqwest::Client,
    pub gate: CheckGate,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl TestServer {
    pub fn start() -> Self {
        let (forge, gate) = (ForgeServer::start(), CheckGate::new());
        for repo in ["acme/one", "acme/secret"] {
            let checks = gate.forge_toml();
            let base = [(".forge.toml", checks.as_str()), ("a.txt", "a\n")];
            forge.import_files(repo, &base, &[("a.txt", "b\n")]);
            let settings = json!({
                "private": repo == "acme/secret",
                "roles": {WRITER: "member", COLLIE_LOGIN: "member"},
            });
            let path = format!("/_forge/repos/{repo}");
            forge.call(COLLIE_LOGIN, "PATCH", &path, Some(settings));
        }
        let home = TestHome::new(&forge);
        Self::with_home(forge, gate, home)
    }

    /// One that hears of what happens by webhooks alone, and starts pull requests of `acme/one` by itself.
    pub fn with_webhooks() -> Self {
        let server = Self::start();
        let Self {
            forge,
            gate,
            home,
            mut process,
            ..
        } = server;
        process.kill();
        let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
        let polls = |line: &&str| line.contains("poll_interval");
        let mut kept: Vec<&str> = config.lines().filter(|line| !polls(line)).collect();
        kept.extend([
            "[[repositories]]",
            "name = \"acme/one\"",
            "auto_pr_review_enabled = true",
        ]);
        home.configure(&kept.join("\n"));
        Self::with_home(forge, gate, home)
    }

    pub fn with_home(forge: ForgeServer, gate: CheckGate, home: TestHome) -> Self {
        let (process, url) = serve(&home);
        Self {
            forge,
            home,
            process,
            url,
            http: reqwest::Client::new(),
            gate,
        }
    }

    pub fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        RUNTIME.block_on(async {
            let response = request.send().await.unwrap();
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let text = response.text().await.unwrap();
            let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
            Answer {
                status,
                headers,
                body,
            }
        })
    }

    pub fn get(&self, login: &str, path: &str) -> Answer {
        let request = self.http.get(format!("{}{path}", self.url));
        self.send(request.bearer_auth(format!("forge-{login}")))
    }

    pub fn event(&self, login: &str, pull: &str, event: Value) -> Answer {
        let request = self.http.post(format!("{}/pr/{pull}/event", self.url));
        self.send(request.bearer_auth(format!("forge-{login}")).json(&event))
    }

    /// A command of the page, with a cookie.
    pub fn page(&self, cookie: &str, command: Value) -> Answer {
        self.send(self.page_request(cookie).json(&command))
    }

    pub fn page_request(&self, cookie: &str) -> reqwest::RequestBuilder {
        (self.http.post(format!("{}/rpc", self.url)))
            .header("cookie", cookie)
            .header("x-collie-request", "1")
            .header("sec-fetch-site", "same-origin")
            .header("origin", &self.url)
    }

    /// Signs somebody in; gives their cookie.
    pub fn sign_in(&self, login: &str) -> String {
        let token = format!("forge-{login}");
        let args = json!({"token": token, "api_url": null});
        let answer = self.page("", json!({"command": "sign_in", "args": args}));
        assert_eq!(answer.status, 200, "{answer:?}");
        let cookie = answer.headers["set-cookie"].to_str().unwrap();
        for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert!(!cookie.contains("forge-"), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }

    pub fn start_loop(&self, repo: &str) {
        let event = json!({"id": format!("start {repo}"), "type": "start"});
        let answer = self.event(WRITER, &format!("{repo}/1"), event);
        assert_eq!(answer.status, 202, "{answer:?}");
    }

    pub fn delivery(&self, event: &str, id: &str, body: &str) -> reqwest::RequestBuilder {
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        let digits: String = (mac.finalize().into_bytes().iter())
            .map(|byte| format!("{byte:02x}"))
            .collect();
        (self.http.post(format!("{}/webhooks/github", self.url)))
            .header("content-type", "application/json")
            .header("x-github-event", event)
            .header("x-github-delivery", id)
            .header("x-hub-signature-256", format!("sha256={digits}"))
            .body(body.to_owned())
    }

    /// Delivers something of pull request 1 of `acme/one`; what became of it.
    pub fn deliver(&self, action: &str, id: &str) -> Value {
        self.deliver_for("acme/one", action, id)
    }

    /// The same of another repository.
    pub fn deliver_for(&self, repo: &str, action: &str, id: &str) -> Value {
        let payload = self.payload_for(repo, action);
        let answer = self.send(self.delivery("pull_request", id, &payload));
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.body["outcome"].clone()
    }

    pub fn payload(&self, action: &str) -> String {
        self.payload_for("acme/one", action)
    }

    fn payload_for(&self, repo: &str, action: &str) -> String {
        let path = format!("/repos/{repo}");
        let repository = self.forge.call(COLLIE_LOGIN, "GET", &path, None);
        let repository = json!({"full_name": repo, "node_id": repository["node_id"]});
        json!({"action": action, "repository": repository, "pull_request": {"number": 1}})
            .to_string()
    }

    pub fn state(&self, pull: &str) -> Value {
        self.get(WRITER, &format!("/pr/{pull}/status")).body["state"].clone()
    }

    /// Ends the server as a system does, and starts it again.
    pub fn restart(&mut self) {
        self.process.signal(Signal::SIGTERM);
        assert_eq!(self.process.wait_for_exit().code(), Some(0));
        (self.process, self.url) = serve(&self.home);
    }

    /// What the server says to a request that is written by hand.
    pub fn raw(&self, request: &str) -> String {
        let address = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said);
        said
    }
}

fn serve(home: &TestHome) -> (RunningCommand, String) {
    started(home.collie(&["serve", "--listen", "127.0.0.1:0", "--json"]))
}

pub fn started(mut command: std::process::Command) -> (RunningCommand, String) {
    command.env("COLLIE_WEBHOOK_SECRET", SECRET);
    let mut process = RunningCommand::start(command.stderr(std::process::Stdio::null()));
    let line = process.read_until("the address", |_| true);
    let url = line["url"].as_str().unwrap().to_owned();
    (process, url)
}

#[track_caller]
pub fn check_problem(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    assert_eq!(answer.body["code"], code, "{answer:?}");
    assert_eq!(answer.body["status"], status);
    let detail = answer.body["detail"].as_str().unwrap();
    assert!(!detail.is_empty() && !detail.contains("forge-"), "{detail}");
}

#[test]
fn each_person_sees_and_does_what_github_lets_them() {
    let server = TestServer::start();
    server.start_loop("acme/one");
    server.start_loop("acme/secret");
    let own = server.get(WRITER, "/pr/acme/secret/1/status");
    assert_eq!(
        (own.status, &own.body["key"]),
        (200, &json!("acme/secret#1"))
    );
    check_problem(
        &server.get(READER, "/pr/acme/secret/1/status"),
        404,
        "not_visible",
    );
    assert_eq!(server.get(READER, "/pr/acme/one/1/status").status, 200);
    let no_loop = server.get(READER, "/pr/acme/one/9/status");
    check_problem(&no_loop, 404, "no_loop");
    for kind in ["cancel", "retry", "resume", "start", "CLOSE"] {
        let event = json!({"id": kind, "type": kind});
        let refused = server.event(READER, "acme/one/1", event);
        check_problem(&refused, 403, "no_write_access");
    }
    // The page goes by the same.
    let (reader, writer) = (server.sign_in(READER), server.sign_in(WRITER));
    let keys = |cookie: &str| {
        let loops = server.page(cookie, json!({"command": "loops"}));
        let loops = loops.body.as_array().unwrap().clone();
        let mut keys: Vec<String> = (loops.iter())
            .map(|one| one["key"].as_str().unwrap().to_owned())
            .collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&reader), ["acme/one#1"]);
    let may_write = |cookie: &str| {
        let seen = server.page(cookie, json!({"command": "repositories"})).body;
        let rows = seen.as_array().unwrap().clone();
        rows.iter()
            .map(|row| (row["name"].clone(), row["may_write"].clone()))
            .collect::<Vec<_>>()
    };
    assert!(may_write(&reader).iter().all(|(_, may)| may == false));
    assert!(may_write(&writer).contains(&(json!("acme/one"), json!(true))));
    assert_eq!(keys(&writer), ["acme/one#1", "acme/secret#1"]);
    let command = |name: &str, key: &str| json!({"command": name, "args": {"key": key}});
    let hidden = server.page(&reader, command("timeline", "acme/secret#1"));
    check_problem(&hidden, 404, "not_visible");
    let refused = server.page(&reader, command("cancel", "acme/one#1"));
    check_problem(&refused, 403, "no_write_access");
    for name in ["settings", "doctor", "spending", "allow_me", "try_again"] {
        let refused = server.page(&writer, json!({"command": name}));
        check_problem(&refused, 403, "operator_only");
    }
    let merge = json!({"command": "merge", "args": {"key": "acme/one#1", "head_sha": "a".repeat(40), "method": "squash"}});
    check_problem(&server.page(&writer, merge), 403, "merge_elsewhere");
    // What was done is recorded as the person's; of two like facts the log shows one here.
    let done = server.page(&writer, command("cancel", "acme/one#1"));
    assert_eq!(done.status, 200, "{done:?}");
    let retried = wait_until_blocking("the retry", || {
        let answer = server.page(&writer, command("retry", "acme/one#1"));
        (answer.status == 200).then_some(answer)
    });
    assert_eq!(retried.body, Value::Null);
    let runs: Vec<Value> = server.home.audit();
    let by_writer = |fact: &&Value| fact["asked_by"] == WRITER && fact["login"] == COLLIE_LOGIN;
    assert_eq!(runs.iter().filter(by_writer).count(), 2, "{runs:#?}");
    server.gate.open();
}

#[test]
fn an_event_is_carried_out_once_whoever_repeats_it() {
    let mut server = TestServer::start();
    server.start_loop("acme/one");
    let cancel = json!({"id": "c1", "type": "cancel"});
    let first = server.event(WRITER, "acme/one/1", cancel.clone());
    assert_eq!(first.status, 202, "{first:?}");
    wait_until_blocking("the cancel", || {
        server.get(WRITER, "/pr/acme/one/1/status").body["state"] == "cancelled"
    });
    // Another cancel cannot be: the same one was done.
    let again = server.event(WRITER, "acme/one/1", cancel.clone());
    assert_eq!(
        (again.status, &again.body["state"]),
        (202, &json!("cancelled"))
    );
    let other = json!({"id": "c2", "type": "cancel"});
    check_problem(&server.event(WRITER, "acme/one/1", other), 409, "over");
    // Nor does a restart forget it.
    server.restart();
    assert_eq!(server.event(WRITER, "acme/one/1", cancel).status, 202);
    let wrong = [
        json!({"type": "cancel"}),
        json!({"id": "", "type": "cancel"}),
        json!({"id": "x".repeat(201), "type": "cancel"}),
        json!({"id": "1", "type": "merge"}),
        json!([]),
    ];
    for wrong in wrong {
        let refused = server.event(WRITER, "acme/one/1", wrong);
        check_problem(&refused, 400, "request_malformed");
    }
    for path in ["acme/one/0", "acme/one/x", "acme/one/-1", "a%2Fb/one/1"] {
        let refused = server.event(WRITER, path, json!({"id": "1", "type": "cancel"}));
        check_problem(&refused, 400, "bad_name");
    }
    let large = json!({"id": "1", "type": "cancel", "more": "x".repeat(70_000)});
    check_problem(
        &server.event(WRITER, "acme/one/1", large),
        413,
        "request_too_large",
    );
    server.gate.open();
}

#[test]
fn no_page_of_another_site_and_no_other_name_gets_in() {
    let server = TestServer::start();
    let cookie = server.sign_in(WRITER);
    let session = json!({"command": "session"});
    assert_eq!(
        server.page(&cookie, session.clone()).body["phase"],
        "running"
    );
    let with = |name: &'static str, value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        let request = server.page_request(&cookie);
        server.send(request.headers(headers).json(&session))
    };
    check_problem(
        &with("origin", "https://evil.example"),
        403,
        "foreign_origin",
    );
    check_problem(&with("sec-fetch-site", "cross-site"), 403, "foreign_origin");
    check_problem(&with("sec-fetch-site", "same-site"), 403, "foreign_origin");
    check_problem(&with("host", "evil.example"), 421, "foreign_host");
    // A form of another site sends the cookie where a browser lets it, and no header of ours.
    let form = server.http.post(format!("{}/rpc", server.url));
    let form = form.header("cookie", &cookie).json(&session);
    check_problem(&server.send(form), 403, "foreign_origin");
    let text = server.page_request(&cookie);
    let text = text
        .header("content-type", "text/plain")
        .body(session.to_string());
    check_problem(&server.send(text), 400, "request_malformed");
    let host = server.url.trim_start_matches("http://");
    let twice = server.raw(&format!(
        "GET /openapi.json HTTP/1.1\r\nHost: {host}\r\nHost: evil\r\nConnection: close\r\n\r\n"
    ));
    assert!(
        twice.starts_with("HTTP/1.1 421") || twice.starts_with("HTTP/1.1 400"),
        "{twice}"
    );
    let page = server.send(server.http.get(format!("{}/healthz", server.url)));
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(page.headers.get("access-control-allow-origin").is_none());
}

#[test]
fn nobody_gets_in_without_a_token_that_github_knows_and_a_session_ends() {
    let server = TestServer::start();
    let anonymous = server
        .http
        .get(format!("{}/pr/acme/one/1/status", server.url));
    check_problem(&server.send(anonymous), 401, "signed_out");
    check_problem(
        &server.get("nobody-of-this-name", "/events"),
        401,
        "bad_token",
    );
    let seen = server.page("", json!({"command": "session"}));
    assert_eq!((seen.status, &seen.body["phase"]), (200, &json!("sign_in")));
    assert_eq!(seen.body["account"], Value::Null);
    assert_eq!(seen.body["data_folder"], "");
    let cookie = server.sign_in(WRITER);
    let session = server.page(&cookie, json!({"command": "session"})).body;
    assert_eq!(session["account"]["login"], WRITER);
    assert_eq!(
        (&session["can_merge"], &session["data_folder"]),
        (&json!(false), &json!(""))
    );
    // The page offers what is theirs, and learns it before it asks for anything.
    let none = json!({"operate": false, "own_machine": false});
    assert_eq!((&seen.body["rights"], &session["rights"]), (&none, &none));
    let forged = format!("collie={}", "0".repeat(64));
    check_problem(
        &server.page(&forged, json!({"command": "loops"})),
        401,
        "signed_out",
    );
    let two = format!("{cookie}; {forged}");
    check_problem(
        &server.page(&two, json!({"command": "loops"})),
        401,
        "signed_out",
    );
    assert_eq!(
        server.page(&cookie, json!({"command": "sign_out"})).status,
        200
    );
    check_problem(
        &server.page(&cookie, json!({"command": "loops"})),
        401,
        "signed_out",
    );
    // Guessing is slow.
    let refused = (0..40).map(|n| server.get(&format!("guess-{n}"), "/events").status);
    assert!(refused.into_iter().any(|status| status == 429));
}

#[test]
fn a_stream_goes_on_after_a_break_where_it_was() {
    let server = TestServer::start();
    server.start_loop("acme/one");
    let stream = |login: &'static str, after: Option<String>| {
        let mut request = server.http.get(format!("{}/events", server.url));
        request = request.bearer_auth(format!("forge-{login}"));
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        RUNTIME.block_on(request.send()).unwrap()
    };
    // Gives the events until one fits.
    let read_until = |response: &mut reqwest::Response, fits: &dyn Fn(&str) -> bool| {
        let mut text = String::new();
        RUNTIME.block_on(async {
            while !fits(&text) {
                let chunk = tokio::time::timeout(WAIT_TIMEOUT, response.chunk());
                let chunk = chunk.await.unwrap_or_else(|_| panic!("{text}"));
                let chunk = chunk.unwrap().expect("the stream goes on");
                text.push_str(std::str::from_utf8(&chunk).unwrap());
            }
        });
        text
    };
    let last_id = |text: &str| {
        let mut ids = text
            .lines()
            .rev()
            .filter_map(|line| line.strip_prefix("id: "));
        ids.next().unwrap().to_owned()
    };
    let mut writer = stream(WRITER, None);
    let hello = read_until(&mut writer, &|text| text.contains("event: hello"));
    let position = last_id(&hello);
    drop(writer);
    // It happens while nobody listens.
    let cancel = json!({"id": "c", "type": "cancel"});
    assert_eq!(server.event(WRITER, "acme/one/1", cancel).status, 202);
    wait_until_blocking("the cancel", || {
        server.get(WRITER, "/pr/acme/one/1/status").body["state"] == "cancelled"
    });
    let mut writer = stream(WRITER, Some(position));
    let missed = read_until(&mut writer, &|text| text.contains("\"cancelled\""));
    assert!(!missed.contains("event: resync"), "{missed}");
    let mut old = stream(WRITER, Some("0000000000000001-1".into()));
    read_until(&mut old, &|text| text.contains("event: resync"));
    // Who does not see a repository hears nothing of it.
    let mut reader = stream(READER, None);
    let hello = read_until(&mut reader, &|text| text.contains("event: hello"));
    server.start_loop("acme/secret");
    let retry = json!({"id": "r", "type": "retry"});
    assert_eq!(server.event(WRITER, "acme/one/1", retry).status, 202);
    let heard = read_until(&mut reader, &|text| text.contains("acme/one#1"));
    assert!(
        !hello.contains("secret") && !heard.contains("secret"),
        "{heard}"
    );
    server.gate.open();
}

#[test]
fn a_second_server_on_the_same_folder_is_refused_and_the_first_goes_on() {
    let server = TestServer::start();
    let second = server.home.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.status, 1, "{second:?}");
    assert!(
        second.stderr.contains("Another Collie (process"),
        "{second:?}"
    );
    assert_eq!(server.get(WRITER, "/readyz").status, 200);
    for wrong in [
        &["--listen", "0.0.0.0:0"][..],
        &["--listen", "0.0.0.0:0", "--behind-proxy"],
        &["--listen", "0.0.0.0:0", "--public-url", "https://a.example"],
        &[
            "--listen",
            "127.0.0.1:0",
            "--behind-proxy",
            "--public-url",
            "http://a.example",
        ],
    ] {
        let args = [&["serve", "--json"], wrong].concat();
        let refused = server.home.run(&args);
        assert_eq!(
            refused.json()[0]["code"],
            "listen_unprotected",
            "{refused:?}"
        );
    }
}

#[test]
fn sigterm_ends_streams_and_half_sent_requests_and_loses_nothing() {
    let mut server = TestServer::start();
    server.start_loop("acme/one");
    let run = server.get(WRITER, "/pr/acme/one/1/status").body["run_id"].clone();
    let address = server.url.trim_start_matches("http://").to_owned();
    let request = server.http.get(format!("{}/events", server.url));
    let request = request.bearer_auth(format!("forge-{WRITER}"));
    let stream = RUNTIME.block_on(request.send()).unwrap();
    let mut slow = TcpStream::connect(&address).unwrap();
    slow.write_all(b"POST /rpc HTTP/1.1\r\nHost: ").unwrap();
    server.process.signal(Signal::SIGTERM);
    assert_eq!(server.process.wait_for_exit().code(), Some(0));
    RUNTIME
        .block_on(async { stream.bytes().await.map(drop) })
        .unwrap_or_default();
    assert!(TcpStream::connect(&address).is_err());
    assert_eq!(server.home.status("acme/one#1")["run_id"], run);
    (server.process, server.url) = serve(&server.home);
    let status = server.get(WRITER, "/pr/acme/one/1/status").body;
    assert_eq!((&status["run_id"], &status["error"]), (&run, &Value::Null));
    server.gate.open();
    let _ = &server.forge;
}

#[test]
fn monitors_are_told_numbers_and_no_names() {
    let server = TestServer::start();
    server.start_loop("acme/secret");
    let nowhere = server.get(WRITER, "/pr/acme/secret/1/nothing");
    check_problem(&nowhere, 404, "no_route");
    let metrics = server.send(server.http.get(format!("{}/metrics", server.url)));
    let text = metrics.body.as_str().unwrap();
    for line in [
        "collie_loops{state=\"pr_created\"}",
        "collie_ready 1",
        "# EOF",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    for name in ["acme", "secret", WRITER, "forge-"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
    server.gate.open();
}

#[test]
fn each_metric_of_the_grafana_board_is_one_that_the_server_tells() {
    let server = TestServer::start();
    server.start_loop("acme/one");
    assert_eq!(server.deliver("assigned", "d-1"), "woken");
    let metrics = server.send(server.http.get(format!("{}/metrics", server.url)));
    let text = metrics.body.as_str().unwrap().to_owned();
    let is_told = |name: &str| {
        text.lines().any(|line| {
            line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} "))
        })
    };
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let board = std::fs::read_to_string(root.join("../../packaging/server/grafana-collie.json"));
    let board: Value = serde_json::from_str(&board.unwrap()).unwrap();
    let panels = board["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut names = std::collections::BTreeSet::new();
    for target in targets {
        let query = target["expr"].as_str().unwrap().to_owned();
        let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        names.extend(
            words
                .filter(|word| word.starts_with("collie_"))
                .map(str::to_owned),
        );
    }
    assert!(names.len() >= 10, "{names:?}");
    for name in &names {
        assert!(is_told(name), "{name} is not among:\n{text}");
    }
    // Nor is anything told that no one looks at.
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let name = line.split(' ').next().unwrap();
        assert!(
            names.iter().any(|shown| shown.starts_with(name)),
            "{name} is on no panel"
        );
    }
    server.gate.open();
}

#[test]
fn a_delivery_has_the_loop_look_and_starts_what_is_started_by_itself() {
    let server = TestServer::with_webhooks();
    let set_state = |state: &str| {
        let body = json!({"state": state});
        server
            .forge
            .call(WRITER, "PATCH", "/repos/acme/one/pulls/1", Some(body));
    };
    // At its start the server has read the list, and so knows the pull request.
    wait_until_blocking("the first start", || {
        server.state("acme/one/1") == "pr_awaiting_checks"
    });
    set_state("closed");
    assert_eq!(server.deliver("closed", "d-1"), "woken");
    wait_until_blocking("the close", || server.state("acme/one/1") == "closed");
    set_state("open");
    // The same delivery again says nothing new.
    assert_eq!(server.deliver("closed", "d-1"), "repeated");
    assert_eq!(server.deliver("reopened", "d-2"), "woken");
    wait_until_blocking("the start of what was reopened", || {
        server.state("acme/one/1") == "pr_awaiting_checks"
    });
    server.gate.open();
}

#[test]
fn a_delivery_that_is_not_githubs_does_nothing() {
    let mut server = TestServer::start();
    let send = |server: &TestServer, change: &dyn Fn(&mut HeaderMap)| {
        let body = server.payload("closed");
        let mut request = server
            .delivery("pull_request", "d-1", &body)
            .build()
            .unwrap();
        change(request.headers_mut());
        let http = server.http.clone();
        server.send(reqwest::RequestBuilder::from_parts(http, request))
    };
    let without = |name: &'static str| move |headers: &mut HeaderMap| drop(headers.remove(name));
    let with = |name: &'static str, value: &'static str| {
        move |headers: &mut HeaderMap| drop(headers.insert(name, HeaderValue::from_static(value)))
    };
    let unsigned = send(&server, &without("x-hub-signature-256"));
    check_problem(&unsigned, 401, "bad_signature");
    let forged = send(&server, &with("x-hub-signature-256", "sha256=00"));
    check_problem(&forged, 401, "bad_signature");
    check_problem(
        &send(&server, &without("x-github-delivery")),
        400,
        "request_malformed",
    );
    let form = with("content-type", "application/x-www-form-urlencoded");
    check_problem(&send(&server, &form), 400, "request_malformed");
    // A signature is of one body.
    let signed = server.delivery("pull_request", "d-1", &server.payload("closed"));
    let replayed = signed.body(server.payload("opened"));
    check_problem(&server.send(replayed), 401, "bad_signature");
    let malformed = server.delivery("pull_request", "d-1", "{}");
    check_problem(&server.send(malformed), 400, "request_malformed");
    let unknown = server.send(server.delivery("an_event_of_tomorrow", "d-1", "{}"));
    assert_eq!(
        (unknown.status, &unknown.body["outcome"]),
        (202, &json!("ignored"))
    );
    let host = server.url.trim_start_matches("http://").to_owned();
    let head = format!(
        "POST /webhooks/github HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nX-Hub-Signature-256: sha256=00\r\n"
    );
    let large = server.raw(&format!("{head}Content-Length: 26214401\r\n\r\n"));
    assert!(large.starts_with("HTTP/1.1 413"), "{large}");
    // None of it counts as taken, and what was taken still does after a restart.
    assert_eq!(server.deliver("closed", "d-1"), "woken");
    server.restart();
    assert_eq!(server.deliver("closed", "d-1"), "repeated");
    server.gate.open();
}

#[cfg(target_os = "linux")]
#[test]
fn a_burst_of_deliveries_is_taken_whole_and_in_bounded_memory() {
    let long = std::env::var_os("COLLIE_TEST_LONG").is_some();
    let count = if long { 10_000 } else { 500 };
    let server = TestServer::start();
    server.start_loop("acme/one");
    let peak = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.process.id()));
        let status = status.unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmHWM:"))
            .unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let before = peak();
    // As large as a real one is.
    let mut body: Value = serde_json::from_str(&server.payload("synchronize")).unwrap();
    body["more"] = "x".repeat(30_000).into();
    let body = body.to_string();
    let burst = |round: usize| {
        let sends = (0..count).map(|number| {
            let sent = server
                .delivery("pull_request", &format!("b-{number}"), &body)
                .send();
            async move {
                let answer: Value = sent.await.unwrap().json().await.unwrap();
                answer["outcome"].clone()
            }
        });
        let sends: Vec<_> = sends.collect();
        let outcomes = RUNTIME.block_on(async {
            let mut outcomes = Vec::new();
            let mut sends = sends.into_iter();
            loop {
                let some: Vec<_> = sends
                    .by_ref()
                    .take(100)
                    .map(|send| tokio::spawn(send))
                    .collect();
                if some.is_empty() {
                    return outcomes;
                }
                for one in some {
                    outcomes.push(one.await.unwrap());
                }
            }
        });
        let expected = if round == 0 { "woken" } else { "repeated" };
        assert!(
            outcomes.iter().all(|outcome| outcome == expected),
            "{outcomes:?}"
        );
        assert_eq!(outcomes.len(), count);
    };
    burst(0);
    burst(1);
    let grown = peak() - before;
    assert!(grown < 128 * 1024, "{grown} kB more at the peak");
    server.gate.open();
}

#[test]
fn a_later_account_of_an_allowed_name_decides_nothing() {
    let server = TestServer::start();
    let TestServer {
        forge,
        gate,
        home,
        mut process,
        ..
    } = server;
    let settings = json!({"command": "settings"});
    process.kill();
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    let both = format!("allowed_users = [\"{COLLIE_LOGIN}\", \"{WRITER}\"]");
    let one = format!("allowed_users = [\"{COLLIE_LOGIN}\"]");
    home.configure(&config.replace(&one, &both));
    let mut server = TestServer::with_home(forge, gate, home);
    let answer = server.page(&server.sign_in(WRITER), settings.clone());
    assert_eq!(answer.status, 200, "{answer:?}");
    let session = server.page(&server.sign_in(WRITER), json!({"command": "session"}));
    let operates = json!({"operate": true, "own_machine": false});
    assert_eq!(session.body["rights"], operates);
    server.process.kill();
    let file = server.home.path().join("accounts.json");
    let mut pins: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let mut hosts = pins["hosts"].as_object_mut().unwrap().values_mut();
    // The name stood for somebody else before.
    hosts.next().unwrap()[WRITER] = json!(1);
    std::fs::write(&file, pins.to_string()).unwrap();
    let TestServer {
        forge, gate, home, ..
    } = server;
    let server = TestServer::with_home(forge, gate, home);
    let refused = server.page(&server.sign_in(WRITER), settings);
    check_problem(&refused, 403, "operator_only");
}

#[test]
fn the_page_is_served_with_all_that_it_names() {
    let server = TestServer::start();
    let page = server.send(server.http.get(&server.url));
    assert_eq!(
        page.status, 200,
        "is ui/dist built (npm run ui:build)? {page:?}"
    );
    assert_eq!(page.headers["content-type"], "text/html");
    let text = page.body.as_str().unwrap();
    let parts = text
        .split('"')
        .filter(|part| part.contains("assets/") || part.ends_with(".js"));
    let parts: Vec<&str> = parts.collect();
    assert!(!parts.is_empty(), "{text}");
    for part in parts {
        let address = format!("{}/{}", server.url, part.trim_start_matches(['.', '/']));
        let file = server.send(server.http.get(&address));
        assert_eq!(file.status, 200, "{address}");
    }
}

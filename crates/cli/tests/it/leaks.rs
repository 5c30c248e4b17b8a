//! A persona's token is where it has to be, in the request to GitHub, and nowhere else: not in logs at their most talkative, the journal,
//! errors, the API's answers, the data folder and its backup, nor in a core file.

use crate::serve::{Answer, TestServer};
use crate::support::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use collie_fake_llm::{FakeLlm, Reply, RunningFakeLlm};
use nix::sys::signal::Signal;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An account of nobody else's, so that its token is like no other text.
const LOGIN: &str = "q7x-planted-9zk";
const TOKEN: &str = "forge-q7x-planted-9zk";
/// Who may change accounts on the server.
const OPERATOR: &str = COLLIE_LOGIN;

/// The forms in which the token could lie somewhere.
fn needles() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = vec![
        ("as it is", TOKEN.as_bytes().to_vec()),
        ("reversed", TOKEN.bytes().rev().collect()),
        (
            "as UTF-16",
            TOKEN.bytes().flat_map(|byte| [byte, 0]).collect(),
        ),
        (
            "in hex",
            TOKEN
                .bytes()
                .flat_map(|byte| format!("{byte:02x}").into_bytes())
                .collect(),
        ),
    ];
    // In the middle of something that is written in Base64, as a login is: three ways to begin.
    for before in 0..3 {
        let bytes = [vec![b' '; before], TOKEN.as_bytes().to_vec()].concat();
        let whole = STANDARD.encode(&bytes[..bytes.len() / 3 * 3]);
        let shared = [0, 2, 3][before];
        all.push(("in Base64", whole.as_bytes()[shared..].to_vec()));
    }
    all
}

/// The forms of the token that are in some bytes.
fn found_in(bytes: &[u8]) -> Vec<&'static str> {
    let is_in = |needle: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
    let needles = needles().into_iter();
    needles
        .filter(|(_, needle)| is_in(needle))
        .map(|(name, _)| name)
        .collect()
}

/// Every file below a folder that has the token in some form; and how many were looked at.
fn files_with_token(folder: &Path) -> (usize, Vec<(PathBuf, Vec<&'static str>)>) {
    let (mut looked_at, mut found) = (0, Vec::new());
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                looked_at += 1;
                let forms = found_in(&bytes);
                if !forms.is_empty() {
                    found.push((path, forms));
                }
            }
        }
    }
    (looked_at, found)
}

/// Stands between Collie and the forge, and keeps all that Collie sends.
struct Wire {
    address: String,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl Wire {
    fn before(forge: &ForgeServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let target = forge.api_url();
        let target = target.trim_start_matches("http://");
        let target = target.split('/').next().unwrap().to_owned();
        let sent = Arc::<Mutex<Vec<u8>>>::default();
        let (own, kept) = (address.clone(), sent.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Ok(forge) = TcpStream::connect(&target) else {
                    return;
                };
                let (own, target, kept) = (own.clone(), target.clone(), kept.clone());
                let (from, to) = (stream.try_clone().unwrap(), forge.try_clone().unwrap());
                std::thread::spawn(move || {
                    pass(from, to, |bytes| {
                        kept.lock().unwrap().extend_from_slice(bytes);
                        // The forge answers to its own name alone.
                        replaced(bytes, own.as_bytes(), target.as_bytes())
                    });
                });
                std::thread::spawn(move || pass(forge, stream, <[u8]>::to_vec));
            }
        });
        Self { address, sent }
    }

    fn sent(&self) -> Vec<u8> {
        self.sent.lock().unwrap().clone()
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, edit: impl Fn(&[u8]) -> Vec<u8>) {
    let mut piece = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        if to.write_all(&edit(&piece[..length])).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(from.len()).position(|part| part == from) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// A model that finds one fault on line 2, which a persona says there.
fn model() -> RunningFakeLlm {
    RUNTIME.block_on(FakeLlm::serve(|asked| {
        let is_second_look = asked
            .schema
            .as_ref()
            .is_some_and(|schema| schema.pointer("/properties/verdicts").is_some());
        if is_second_look {
            let verdicts = json!({"verdicts": [{"finding": "F1", "reason": "I looked.", "score": "100"}]});
            return Reply::text(verdicts.to_string());
        }
        let review = json!({
            "conclusion": "request_changes",
            "findings": [{
                "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js", "line": 2,
                "evidence": "  const sum = list.lenght;", "trigger": "any list",
                "consequence": "the total is undefined", "title": "The length is misspelt",
                "description": "`lenght` is undefined, so the total is always undefined.",
                "suggestion": null, "replacement": null, "confidence": 0.95,
            }],
            "earlier": [], "escalations": [], "fullReport": "One fault.",
        });
        Reply::text(review.to_string())
    }))
}

/// The command in a folder of its own where the system lets it leave a core file of any size, as far as the command lets it.
fn with_core_files(command: &Command, folder: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell
        .env_clear()
        .args(["-c", "ulimit -c unlimited; exec \"$0\" \"$@\""])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(folder)
        .stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    shell
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

/// Whether the kernel leaves a core file in the folder of a process that has the token in its memory and hides nothing.
fn leaves_core_files() -> bool {
    let pattern = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    let folder = tempfile::tempdir().unwrap();
    let mut sleep = Command::new("sleep");
    let path = std::env::var_os("PATH").unwrap();
    sleep.arg("600").env("PATH", path).env("PLANTED", TOKEN);
    let mut sleep = with_core_files(&sleep, folder.path()).spawn().unwrap();
    let id = nix::unistd::Pid::from_raw(sleep.id().try_into().unwrap());
    // The shell becomes the program first.
    wait_until_blocking("the program", || {
        let name = std::fs::read_to_string(format!("/proc/{id}/comm"));
        name.is_ok_and(|name| name.trim() == "sleep")
    });
    nix::sys::signal::kill(id, Signal::SIGABRT).unwrap();
    sleep.wait().unwrap();
    let (looked_at, found) = files_with_token(folder.path());
    if looked_at == 0 {
        eprintln!(
            "SKIPPED: this system leaves no core file in a folder (core_pattern `{}`): none of Collie's was looked for",
            pattern.trim()
        );
        return false;
    }
    assert!(
        found.iter().any(|(_, forms)| forms.contains(&"as it is")),
        "the control's core file has no token"
    );
    true
}

#[test]
fn the_search_finds_what_is_planted() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a").join("b");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("clean"), "forge-q7x-planted-9z").unwrap();
    assert_eq!(files_with_token(home.path()), (1, Vec::new()));
    let login = |name: &str| STANDARD.encode(format!("{name}:{TOKEN}"));
    for (number, text) in [
        TOKEN.to_owned(),
        login("x"),
        login("xy"),
        login("xyz"),
        format!("\0{TOKEN}\0"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.join(number.to_string());
        std::fs::write(&file, format!("before{text}after")).unwrap();
        let (_, found) = files_with_token(home.path());
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].0, file);
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn a_personas_token_is_in_the_request_to_github_and_nowhere_else() {
    let forge = ForgeServer::start();
    let account = json!({"login": LOGIN});
    forge.call(COLLIE_LOGIN, "POST", "/_forge/accounts", Some(account));
    let base = [("app.js", "export {};\n")];
    let head = [(
        "app.js",
        "export function total(list) {\n  const sum = list.lenght;\n  return sum;\n}\n",
    )];
    forge.import_files("acme/one", &base, &head);
    let roles = json!({"roles": {"ana": "member", COLLIE_LOGIN: "member", LOGIN: "member"}});
    forge.call(COLLIE_LOGIN, "PATCH", "/_forge/repos/acme/one", Some(roles));
    let (wire, model) = (Wire::before(&forge), model());
    let home = TestHome::new(&forge).with_config_lines(&format!(
        "[llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\n\
         [reviewers.quinn]\naccount = \"{LOGIN}\"\nmay_request_changes = true\n",
        model.url()
    ));
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    let api = forge.api_url();
    let through = api.replace(
        api.trim_start_matches("http://").split('/').next().unwrap(),
        &wire.address,
    );
    home.configure(&config.replace(&api, &through));
    let beside = tempfile::tempdir().unwrap();
    let (keys, cores) = (beside.path().join("keys"), beside.path().join("cores"));
    std::fs::create_dir(&keys).unwrap();
    std::fs::create_dir(&cores).unwrap();
    let said = beside.path().join("stderr");
    let mut command = home.collie(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    command
        .env("COLLIE_ACCOUNT_KEY_FILE", keys.join("account.key"))
        .env("COLLIE_LOG", "trace");
    let mut command = with_core_files(&command, &cores);
    command.stderr(std::fs::File::create(&said).unwrap());
    let mut process = RunningCommand::start(&mut command);
    let url = process.read_until("the address", |_| true)["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let server = TestServer {
        forge,
        home,
        process,
        url,
        http: reqwest::Client::new(),
        gate: CheckGate::new(),
    };

    // Everything that a server answers, with its headers.
    let mut answers: Vec<(String, Answer)> = Vec::new();
    let put = |login: &str, body: String| {
        let request = server.http.put(format!("{}/accounts/{login}", server.url));
        let request = request
            .header("content-type", "application/json")
            .body(body);
        server.send(request.bearer_auth(format!("forge-{OPERATOR}")))
    };
    let good = json!({"token": TOKEN}).to_string();
    let added = put(LOGIN, good.clone());
    assert_eq!(added.status, 200, "{added:?}");
    answers.push(("it is kept".into(), added));
    // What is refused says nothing of it either.
    for (login, body) in [
        ("ben", good.clone()),
        (LOGIN, json!(TOKEN).to_string()),
        (LOGIN, json!({"token": [TOKEN]}).to_string()),
        (LOGIN, json!({"token": TOKEN, "more": TOKEN}).to_string()),
        (LOGIN, format!("{{\"token\": \"{TOKEN}\"")),
        (
            LOGIN,
            json!({"token": format!("{TOKEN} {TOKEN}")}).to_string(),
        ),
        (LOGIN, json!({"token": format!("{TOKEN}x")}).to_string()),
    ] {
        let refused = put(login, body.clone());
        assert!((400..500).contains(&refused.status), "{body}: {refused:?}");
        answers.push((body, refused));
    }
    let sign_in = server
        .page_request("")
        .json(&json!({"command": "sign_in", "args": TOKEN}));
    answers.push(("a wrong call".into(), server.send(sign_in)));

    // It posts as itself, once.
    server.start_loop("acme/one");
    wait_until_blocking("a word of the persona's account", || {
        let reviews = server.forge.list("/repos/acme/one/pulls/1/reviews");
        let own = reviews
            .iter()
            .any(|review| review["user"]["login"] == LOGIN);
        own.then_some(())
            .ok_or_else(|| server.get("ana", "/pr/acme/one/1/status").body)
    });
    // The control: that is where the same search finds it.
    assert!(
        found_in(&wire.sent()).contains(&"as it is"),
        "the forge was not asked with it"
    );
    // Then it is refused, which is told in words.
    let revoked = json!({"login": LOGIN, "revoked": true});
    server
        .forge
        .call(COLLIE_LOGIN, "POST", "/_forge/tokens", Some(revoked));
    let refused = put(LOGIN, good);
    assert_eq!(refused.status, 422, "{refused:?}");
    answers.push(("a revoked token".into(), refused));
    let cancel = json!({"id": "c", "type": "cancel"});
    answers.push(("cancel".into(), server.event("ana", "acme/one/1", cancel)));
    let again = wait_until_blocking("another run", || {
        let retry = json!({"id": "r", "type": "retry"});
        let answer = server.event("ana", "acme/one/1", retry);
        (answer.status == 202).then_some(answer)
    });
    answers.push(("retry".into(), again));
    for path in [
        "/accounts",
        "/pr/acme/one/1/status",
        "/openapi.json",
        "/metrics",
        "/healthz",
        "/readyz",
        "/none",
        "/",
    ] {
        answers.push((path.into(), server.get(OPERATOR, path)));
    }
    let cookie = server.sign_in(OPERATOR);
    for name in [
        "session",
        "loops",
        "activities",
        "settings",
        "spending",
        "doctor",
        "repositories",
        "open_pulls",
    ] {
        answers.push((name.into(), server.page(&cookie, json!({"command": name}))));
    }
    let timeline = json!({"command": "timeline", "args": {"key": "acme/one#1"}});
    answers.push(("timeline".into(), server.page(&cookie, timeline)));
    assert!(
        answers
            .iter()
            .any(|(what, answer)| what == "/accounts" && answer.body[0]["login"] == LOGIN)
    );
    for (what, answer) in &answers {
        let told = format!("{:?} {}", answer.headers, answer.body);
        assert_eq!(
            found_in(told.as_bytes()),
            Vec::<&str>::new(),
            "{what}: {told}"
        );
    }
    let stream = RUNTIME.block_on(async {
        let request = server
            .http
            .get(format!("{}/events?last_event_id=0", server.url));
        let mut stream = request.bearer_auth("forge-ana").send().await.unwrap();
        let mut told = Vec::new();
        while let Ok(Ok(Some(piece))) =
            tokio::time::timeout(Duration::from_secs(1), stream.chunk()).await
        {
            told.extend_from_slice(&piece);
        }
        told
    });
    assert!(!stream.is_empty());
    assert_eq!(found_in(&stream), Vec::<&str>::new());

    // The commands on the same folder, and a copy of it.
    let copy = beside.path().join("copy");
    for args in [
        &["account", "list", "--json"][..],
        &["status", "--json"],
        &["log", "acme/one#1", "--json"],
        &["doctor"],
        &["backup", copy.to_str().unwrap()],
    ] {
        let mut command = server.home.collie(args);
        command.env("COLLIE_ACCOUNT_KEY_FILE", keys.join("account.key"));
        let ended = run_to_end(&mut command);
        let told = format!("{}{}", ended.stdout, ended.stderr);
        assert!(!told.is_empty(), "{args:?}");
        assert_eq!(
            found_in(told.as_bytes()),
            Vec::<&str>::new(),
            "{args:?}: {told}"
        );
    }

    // A crash, while the log before it lies in the journal and its write-ahead log.
    let data = server.home.path();
    assert!(
        data.join("collie.db-wal").exists(),
        "there is no write-ahead log to look at"
    );
    let can_leave = leaves_core_files();
    server.process.signal(Signal::SIGABRT);
    let mut server = server;
    let ended = server.process.wait_for_exit();
    assert_eq!(ended.signal(), Some(Signal::SIGABRT as i32), "{ended:?}");
    if can_leave {
        assert!(is_empty(&cores), "a core file was left");
    }
    let (looked_at, found) = files_with_token(&data);
    assert!(looked_at > 10, "only {looked_at} files");
    assert_eq!(found, Vec::new());
    let logs = std::fs::read_dir(data.join("logs")).unwrap();
    let logged: u64 = logs
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(
        logged > 100_000,
        "{logged} bytes at trace level are not all"
    );
    let (looked_at, found) = files_with_token(beside.path());
    assert!(looked_at > 3, "only {looked_at} files");
    assert_eq!(found, Vec::new());
}

//! `collie serve` and what goes wrong around it: each fault has a stated outcome.

use crate::serve::*;
use crate::support::*;
use collie_testkit::wait::{WAIT, Wait};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// A server whose files cannot grow any more once it is told so, as on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_has_a_delivery_refused_and_nothing_is_half_written() {
    use std::os::unix::process::ExitStatusExt as _;
    let server = TestServer::start();
    server.start_loop("acme/one");
    let run = server.get(WRITER, "/pr/acme/one/1/status").body["run_id"].clone();
    let TestServer {
        forge,
        gate,
        home,
        mut process,
        ..
    } = server;
    process.signal(Signal::SIGTERM);
    assert_eq!(process.wait_for_exit().code(), Some(0));
    // A write beyond the limit fails; without this it would end the process.
    let mut command = std::process::Command::new("sh");
    command.env_clear().stdin(std::process::Stdio::null());
    let plain = home.collie(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    command.arg(plain.get_program()).args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => &mut command,
        };
    }
    let (process, url) = started(command);
    let mut server = TestServer {
        forge,
        home,
        process,
        url,
        http: reqwest::Client::new(),
        gate,
    };
    let limit = |size: &str| {
        let (pid, size) = (server.process.id().to_string(), format!("--fsize={size}"));
        let mut prlimit = std::process::Command::new("prlimit");
        assert!(
            prlimit
                .args(["--pid", &pid, &size])
                .status()
                .unwrap()
                .success()
        );
    };
    assert_eq!(server.deliver("assigned", "before"), "woken");
    limit("1:unlimited");
    let delivery = server.delivery("pull_request", "full", &server.payload("assigned"));
    // A write of the loop may have failed first and ended the server: to GitHub that is a failed delivery as well.
    if let Ok(response) = RUNTIME.block_on(delivery.send()) {
        assert_eq!(response.status(), 503, "{response:?}");
        let body: Value = RUNTIME.block_on(response.json()).unwrap();
        let code = body["code"].as_str().unwrap();
        assert!(
            ["store", "disk_full", "server_stopping"].contains(&code),
            "{body}"
        );
    }
    // Without a journal nothing goes on: the engine ends, and the server with it, so that whoever watches it starts it again.
    let cancel = json!({"id": "c", "type": "cancel"});
    let request = server
        .http
        .post(format!("{}/pr/acme/one/1/event", server.url));
    let request = request.bearer_auth(format!("forge-{WRITER}")).json(&cancel);
    drop(RUNTIME.block_on(request.send()));
    let ended = server.process.wait_for_exit();
    assert_eq!((ended.code(), ended.signal()), (Some(1), None));
    // With room again it goes on where it was.
    let command = server
        .home
        .collie(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    (server.process, server.url) = started(command);
    let status = server.get(WRITER, "/pr/acme/one/1/status").body;
    assert_eq!((&status["run_id"], &status["error"]), (&run, &Value::Null));
    assert_eq!(server.deliver("assigned", "full"), "woken");
    assert_eq!(server.deliver("assigned", "full"), "repeated");
    assert_eq!(server.deliver("assigned", "before"), "repeated");
    let replayed = server.home.run(&[
        "backup",
        server.home.path().with_extension("copy").to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(
        replayed.status, 0,
        "every page and line is whole: {replayed:?}"
    );
    assert_eq!(replayed.json()[0]["audit_faults"], 0, "{replayed:?}");
    server.gate.open();
}

#[test]
fn who_sends_slowly_holds_nobody_up_and_is_cut_off() {
    let server = TestServer::start();
    let host = server.url.trim_start_matches("http://").to_owned();
    let head = |size: usize| {
        format!(
            "POST /webhooks/github HTTP/1.1\r\nHost: {host}\r\nX-GitHub-Event: ping\r\nX-GitHub-Delivery: slow\r\n\
             Content-Type: application/json\r\nX-Hub-Signature-256: sha256=00\r\nContent-Length: {size}\r\n\r\n{{"
        )
    };
    // As many as there are rooms for bodies of that size, and more.
    let begun = std::time::Instant::now();
    let slow: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(&host).unwrap();
            stream.write_all(head(25 * 1024 * 1024).as_bytes()).unwrap();
            stream
        })
        .collect();
    let ping = server.send(server.delivery("ping", "quick", "{}"));
    assert_eq!(ping.status, 202, "{ping:?}");
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
    let mut first = slow.into_iter().next().unwrap();
    let mut said = String::new();
    let _ = first.read_to_string(&mut said);
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
    assert!(said.contains("request_timed_out"), "{said}");
    // A whole one of the largest size is taken.
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(25 * 1024 * 1024 - 8));
    let answer = server.send(server.delivery("ping", "large", &large));
    assert_eq!(
        (answer.status, &answer.body["outcome"]),
        (202, &json!("ignored"))
    );
    let larger = format!("{large} ");
    let refused = server.send(server.delivery("ping", "larger", &larger));
    check_problem(&refused, 413, "request_too_large");
}

#[test]
fn sigterm_in_the_middle_of_a_fix_pauses_it_and_the_next_start_finishes_it() {
    let forge = ForgeServer::start();
    forge.import_scenario(collie_app::demo::Scenario::FixLoop, "acme/one");
    let settings = json!({"roles": {WRITER: "member", COLLIE_LOGIN: "member"}});
    forge.call(
        COLLIE_LOGIN,
        "PATCH",
        "/_forge/repos/acme/one",
        Some(settings),
    );
    let home = TestHome::new(&forge);
    let mut server = TestServer::with_home(forge, CheckGate::new(), home);
    server.start_loop("acme/one");
    wait_until_blocking("the fix", || server.state("acme/one/1") == "pr_fixing");
    let begun = std::time::Instant::now();
    let run = server.get(WRITER, "/pr/acme/one/1/status").body["run_id"].clone();
    server.restart();
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    let unhurried = Wait {
        interval: std::time::Duration::from_millis(200),
        ..WAIT
    };
    let ready = unhurried.until_blocking("the end", || {
        let status = server.get(WRITER, "/pr/acme/one/1/status").body;
        (status["state"] == "pr_ready_to_merge").then_some(status)
    });
    assert_eq!(ready["run_id"], run);
    let commits = server.forge.list("/repos/acme/one/pulls/1/commits");
    let mut messages: Vec<&str> = (commits.iter())
        .map(|commit| commit["commit"]["message"].as_str().unwrap())
        .collect();
    messages.sort_unstable();
    messages.dedup();
    assert_eq!(
        messages.len(),
        commits.len(),
        "each fix is pushed once: {messages:?}"
    );
    assert!(commits.len() > 1, "{commits:#?}");
    let reports = server.forge.list("/repos/acme/one/issues/1/comments");
    let mut bodies: Vec<&str> = reports
        .iter()
        .map(|report| report["body"].as_str().unwrap())
        .collect();
    bodies.sort_unstable();
    bodies.dedup();
    assert_eq!(
        bodies.len(),
        reports.len(),
        "nothing is said twice: {reports:#?}"
    );
}

#[test]
fn a_token_that_github_does_not_accept_is_told_at_the_start_with_what_to_do() {
    let forge = ForgeServer::start();
    let home = TestHome::new(&forge).signed_in_as("forge-nobody-of-this-name");
    let refused = home.run(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    assert_eq!(refused.status, 1, "{refused:?}");
    let told = &refused.json()[0];
    assert_eq!(told["code"], "bad_token", "{told}");
    assert!(!told["hints"].as_array().unwrap().is_empty(), "{told}");
}

#[test]
fn the_webhooks_secret_comes_from_a_file_or_is_missed_with_its_place() {
    let server = TestServer::start();
    let TestServer {
        forge,
        gate,
        home,
        mut process,
        ..
    } = server;
    process.kill();
    let secret = home.path().join("secret");
    let serve_with = |file: &std::path::Path| {
        let mut command = home.collie(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        command.env("COLLIE_WEBHOOK_SECRET_FILE", file);
        command
    };
    for text in [None, Some(" \n")] {
        if let Some(text) = text {
            std::fs::write(&secret, text).unwrap();
        }
        let refused = run_to_end(&mut serve_with(&secret));
        let told = &refused.json()[0];
        assert_eq!(told["code"], "webhook_secret_unreadable", "{refused:?}");
        let message = told["message"].as_str().unwrap();
        assert!(message.contains(secret.to_str().unwrap()), "{message}");
    }
    std::fs::write(&secret, format!("{SECRET}\n")).unwrap();
    let mut command = serve_with(&secret);
    let mut process = RunningCommand::start(command.stderr(std::process::Stdio::null()));
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
        gate,
    };
    let answer = server.send(server.delivery("ping", "p", "{}"));
    assert_eq!(answer.status, 202, "{answer:?}");
}

#[test]
fn a_backup_made_while_the_server_works_is_restored_to_the_same_loops() {
    let mut server = TestServer::start();
    server.start_loop("acme/one");
    let run = server.get(WRITER, "/pr/acme/one/1/status").body["run_id"].clone();
    assert_eq!(server.deliver("assigned", "d-1"), "woken");
    let folder = tempfile::tempdir().unwrap();
    let (copy, restored) = (folder.path().join("copy"), folder.path().join("restored"));
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let backup = server.home.run(&["backup", &text(&copy), "--json"]);
    assert_eq!(backup.status, 0, "{backup:?}");
    assert_eq!(backup.json()[0]["audit_faults"], 0, "{backup:?}");
    assert!(
        backup.json()[0]["audit_lines"].as_u64().unwrap() > 0,
        "{backup:?}"
    );
    assert!(!copy.join("git").exists() && !copy.join("logs").exists());
    let again = server.home.run(&["backup", &text(&copy), "--json"]);
    assert_eq!(again.json()[0]["code"], "backup_target_used", "{again:?}");
    // The server goes on.
    assert_eq!(server.get(WRITER, "/readyz").status, 200);
    let into = |from: &std::path::Path, to: &std::path::Path| {
        let mut command = server.home.collie(&["restore", &text(from), "--json"]);
        run_to_end(command.env("COLLIE_HOME", to))
    };
    // Neither what is in use nor what is no backup is taken.
    let used = into(&copy, &server.home.path());
    assert_eq!(used.status, 1, "{used:?}");
    let live = into(&server.home.path(), &restored);
    assert_eq!(live.json()[0]["code"], "backup_unusable", "{live:?}");
    let broken = folder.path().join("broken");
    std::fs::create_dir(&broken).unwrap();
    let mut bytes = std::fs::read(copy.join("collie.db")).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    std::fs::write(broken.join("collie.db"), bytes).unwrap();
    let refused = into(&broken, &restored);
    assert_eq!(refused.json()[0]["code"], "backup_unusable", "{refused:?}");
    assert!(!restored.exists(), "nothing is left of what was refused");
    let done = into(&copy, &restored);
    assert_eq!(done.status, 0, "{done:?}");
    server.process.signal(Signal::SIGTERM);
    assert_eq!(server.process.wait_for_exit().code(), Some(0));
    let mut command = server
        .home
        .collie(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.env("COLLIE_HOME", &restored);
    (server.process, server.url) = started(command);
    let status = server.get(WRITER, "/pr/acme/one/1/status").body;
    assert_eq!((&status["run_id"], &status["error"]), (&run, &Value::Null));
    assert_eq!(server.deliver("assigned", "d-1"), "repeated");
    server.gate.open();
}

//! `collie runner`: sessions of a server on other machines, which die in the middle of them, and the loop that ends ready all the same
//! (§18.1).

use crate::serve::TestServer;
use crate::support::*;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A fault that no rule knows.
pub const FAULT: &str =
    "export function total(list) {\n  const sum = list.lenght;\n  return sum;\n}\n";
/// The same without it.
pub const MENDED: &str =
    "export function total(list) {\n  const sum = list.length;\n  return sum;\n}\n";
/// Everything goes to runners, or fails.
pub const RUNNERS: &str = "[[stages]]\nreviewers = [\"quinn\"]\n[runners]\nreviews = true\nfixes = true\nwait = \"60s\"\n\
                           lease = \"10s\"\notherwise = \"fail\"\n";

/// A server whose sessions go to runners, with a pull request that has a fault; and the token of a runner.
pub fn team(config: &str) -> (TestServer, String) {
    let (forge, gate) = (ForgeServer::start(), CheckGate::new());
    let base = [("app.js", "export {};\n"), ("README.md", "A project.\n")];
    forge.import_files("acme/one", &base, &[("app.js", FAULT)]);
    let settings = json!({"roles": {"ana": "member", "kim": "member", COLLIE_LOGIN: "member"}});
    forge.call(
        COLLIE_LOGIN,
        "PATCH",
        "/_forge/repos/acme/one",
        Some(settings),
    );
    let home = TestHome::new(&forge).with_config_lines(config);
    let made = home.run(&["runner-token", "one", "--json"]);
    assert_eq!(made.status, 0, "{made:?}");
    let token = made.json()[0]["token"].as_str().unwrap().to_owned();
    let kept = std::fs::read_to_string(home.path().join("runners.json")).unwrap();
    assert!(!kept.contains(&token), "only its hash is kept");
    (TestServer::with_home(forge, gate, home), token)
}

/// Another machine, with a model and an agent of its own.
struct Machine {
    home: TestHome,
    scripts: tempfile::TempDir,
}

impl Machine {
    /// One whose agent does one after the other of these, and the last for all that follow.
    fn new(model: &RunningFakeLlm, script: &Value) -> Self {
        let scripts = tempfile::tempdir().unwrap();
        let path = scripts.path().join("script.json");
        std::fs::write(&path, script.to_string()).unwrap();
        let program = collie_fake_agent::program();
        let command = [
            "env".to_owned(),
            format!("FAKE_AGENT_SCRIPT={}", path.display()),
            program.display().to_string(),
        ];
        let config = format!(
            "[llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\n[fixer]\nruns_on = \"scripted\"\n\
             [agents.scripted]\ncommand = {}\nreadable = [\"{}\"]\nstate = [\".fake-agent\"]\n",
            model.url(),
            json!(command),
            scripts.path().display(),
        );
        Self {
            home: TestHome::with_config(&config),
            scripts,
        }
    }

    fn start(&self, url: &str, token: &str) -> RunningCommand {
        let file = self.scripts.path().join("token");
        std::fs::write(&file, token).unwrap();
        let args = ["runner", "--server", url, "--token-file"];
        let mut command = self.home.collie(&args);
        command.arg(&file).arg("--json").env_remove("GITHUB_TOKEN");
        let mut running = RunningCommand::start(command.stderr(Stdio::null()));
        running.read_until("the start", |line| line["type"] == "waiting");
        running
    }

    /// What sessions have left.
    fn leftovers(&self) -> usize {
        let folder = self.home.path().join("runner/sessions");
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    }
}

fn began(runner: &mut RunningCommand, work: &str) {
    runner.read_until(work, |line| line["type"] == "began" && line["work"] == work);
}

fn handed_in(runner: &mut RunningCommand) {
    let line = runner.read_until("the end of a session", |line| line["type"] != "began");
    assert_eq!(line["type"], "handed_in", "{:?}", runner.seen);
}

fn review(findings: Value, earlier: Value) -> String {
    let conclusion = match findings.as_array().unwrap().as_slice() {
        [] => "approve",
        _ => "request_changes",
    };
    json!({
        "conclusion": conclusion, "findings": findings, "earlier": earlier, "escalations": [], "fullReport": "I looked.",
    })
    .to_string()
}

/// A model that hangs at first, then finds the fault as long as it is there.
fn model_that_hangs_first() -> RunningFakeLlm {
    let asked_so_far = AtomicUsize::new(0);
    let answer = move |asked: &ReceivedRequest| {
        if asked_so_far.fetch_add(1, Ordering::SeqCst) == 0 {
            return Reply::hang_after("");
        }
        let is_second_look = asked.schema.as_ref();
        if is_second_look.is_some_and(|it| it.pointer("/properties/verdicts").is_some()) {
            let verdict = json!({"finding": "F1", "reason": "I looked.", "score": "100"});
            return Reply::text(json!({"verdicts": [verdict]}).to_string());
        }
        if asked.prompt().contains("**K1**") {
            let fixed = json!([{"finding": "K1", "verdict": "fixed", "reason": "I looked."}]);
            return Reply::text(review(json!([]), fixed));
        }
        let finding = json!({
            "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js", "line": 2,
            "evidence": "  const sum = list.lenght;", "trigger": "any list", "consequence": "the total is undefined",
            "title": "The length is misspelt", "description": "`lenght` is undefined.", "suggestion": "Write `length`.",
            "replacement": null, "confidence": 0.95,
        });
        Reply::text(review(json!([finding]), json!([]))).with_usage(1_000, 0, 100)
    };
    RUNTIME.block_on(FakeLlm::serve(answer))
}

/// Kills a runner in the middle of a session, as `kill -9` does; the server's loop still waits for it.
fn kill_at_work(server: &TestServer, runner: &mut RunningCommand, state: &str) {
    assert_eq!(server.state("acme/one/1"), state, "it is at work");
    let is_end = |line: &String| !line.contains("\"began\"") && !line.contains("\"waiting\"");
    let since = runner
        .seen
        .iter()
        .rposition(|line| line.contains("\"began\""));
    assert!(!runner.seen[since.unwrap()..].iter().any(is_end));
    assert!(runner.kill(), "it was there to be killed");
}

#[test]
fn runners_that_are_killed_in_a_review_and_a_fix_cost_a_loop_nothing_but_time() {
    let model = model_that_hangs_first();
    let mends = json!({"edits": {"app.js": MENDED}});
    let (server, token) = team(RUNNERS);
    let first = Machine::new(&model, &json!([{"behaviors": "silence"}]));
    let second = Machine::new(&model, &json!([mends]));
    let mut doomed = first.start(&server.url, &token);
    server.start_loop("acme/one");
    began(&mut doomed, "review");
    wait_until_blocking("the model to be asked", || match model.request_count() {
        0 => Err("not yet"),
        _ => Ok(()),
    });
    let mut other = second.start(&server.url, &token);
    kill_at_work(&server, &mut doomed, "pr_reviewing");
    assert_eq!(first.leftovers(), 1, "it was in the middle of it");

    // The other one takes the review, and stops when it is through: the fix is for who comes back.
    began(&mut other, "review");
    handed_in(&mut other);
    other.signal(Signal::SIGTERM);
    assert_eq!(other.wait_for_exit().code(), Some(0));
    let mut doomed = first.start(&server.url, &token);
    assert_eq!(first.leftovers(), 0, "it has cleaned up behind itself");
    began(&mut doomed, "fix");
    let turn = first.scripts.path().join("script.turn");
    let is_asked = || turn.exists() || agent_was_asked(first.home.path().as_path());
    wait_until_blocking("the agent to be asked", || match is_asked() {
        true => Ok(()),
        false => Err("not yet"),
    });
    let mut other = second.start(&server.url, &token);
    kill_at_work(&server, &mut doomed, "pr_fixing");

    began(&mut other, "fix");
    handed_in(&mut other);
    began(&mut other, "review");
    handed_in(&mut other);
    wait_until_blocking("ready", || {
        let state = server.state("acme/one/1");
        if state == "pr_ready_to_merge" {
            Ok(())
        } else {
            Err(state)
        }
    });
    let commits = server.forge.list("/repos/acme/one/pulls/1/commits");
    assert_eq!(commits.len(), 2, "one push: {commits:?}");
    let audit = server.home.audit();
    let applied = audit
        .iter()
        .filter(|line| line["action"] == "pr_fixer_changes_applied");
    assert_eq!(applied.count(), 1);
    assert_eq!(second.leftovers(), 0);
    // Nothing of the session is left on the server either.
    let offers = server.home.path().join("offers");
    assert_eq!(std::fs::read_dir(offers).map_or(0, Iterator::count), 0);
}

/// What the page shows of who is at work.
fn at_work(server: &TestServer, cookie: &str) -> String {
    let answer = server.page(cookie, json!({"command": "activities"}));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body.to_string()
}

/// Whether some session's agent has counted a prompt.
fn agent_was_asked(home: &Path) -> bool {
    let mut folders = vec![home.join("runner/sessions")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.file_name() == "turn" {
                return true;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    false
}

#[test]
fn a_runner_that_is_told_to_stop_gives_its_session_back_at_once() {
    let model = model_that_hangs_first();
    let long = RUNNERS.replace("lease = \"10s\"", "lease = \"10m\"");
    let (server, token) = team(&long);
    let machine = Machine::new(&model, &json!([{}]));
    let cookie = server.sign_in("ana");
    server.start_loop("acme/one");
    wait_until_blocking("the wait for a runner to be shown", || {
        let shown = at_work(&server, &cookie);
        match shown.contains("Waiting for a runner") {
            true => Ok(()),
            false => Err(shown),
        }
    });
    let mut stopped = machine.start(&server.url, &token);
    began(&mut stopped, "review");
    wait_until_blocking("the model to be asked", || match model.request_count() {
        0 => Err("not yet"),
        _ => Ok(()),
    });
    assert!(at_work(&server, &cookie).contains("Working on the runner one"));
    stopped.signal(Signal::SIGTERM);
    stopped.read_until("the end", |line| line["type"] == "given_back");
    assert_eq!(stopped.wait_for_exit().code(), Some(0));
    // Its lease would have lasted for ten minutes.
    let mut again = machine.start(&server.url, &token);
    began(&mut again, "review");
    handed_in(&mut again);
}

#[test]
fn without_a_runner_it_is_done_here_or_fails_with_the_reason() {
    let model = model_that_hangs_first();
    let here = RUNNERS
        .replace("\"60s\"", "\"1s\"")
        .replace("\"fail\"", "\"here\"");
    let llm = format!(
        "[llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\n",
        model.url()
    );
    let (server, _) = team(&(here + &llm));
    server.start_loop("acme/one");
    wait_until_blocking("the server's own model to be asked", || {
        match model.request_count() {
            0 => Err("not yet"),
            _ => Ok(()),
        }
    });
    drop(server);

    let fail = RUNNERS.replace("\"60s\"", "\"1s\"");
    let (server, _) = team(&format!("session_retries = 0\n{fail}"));
    server.start_loop("acme/one");
    let failed = wait_until_blocking("a failure", || {
        let status = server.get("ana", "/pr/acme/one/1/status").body;
        match status["state"] == "failed" {
            true => Ok(status),
            false => Err(status["state"].clone()),
        }
    });
    assert!(
        failed["error"].to_string().contains("No runner took"),
        "{failed}"
    );
}

#[test]
fn a_token_that_is_revoked_ends_its_runner_and_a_wrong_address_is_said_at_once() {
    let (server, token) = team(RUNNERS);
    let machine = Machine::new(&model_that_hangs_first(), &json!([{}]));
    let mut running = machine.start(&server.url, &token);
    let second = machine.home.collie(&["runner", "--server", &server.url]);
    let mut second = second;
    let busy = run_to_end(second.env("COLLIE_RUNNER_TOKEN", &token));
    assert_eq!(busy.status, 1, "{busy:?}");
    assert!(busy.stderr.contains("Another runner works"), "{busy:?}");
    let listed = server.home.run(&["runner-token"]);
    assert_eq!(listed.stdout, "one\n");
    let twice = server.home.run(&["runner-token", "one"]);
    assert_eq!(twice.status, 1, "{twice:?}");
    let revoked = server.home.run(&["runner-token", "one", "--revoke"]);
    assert_eq!(revoked.status, 0, "{revoked:?}");
    assert_eq!(running.wait_for_exit().code(), Some(1));
    let again = server.home.run(&["runner-token", "one", "--revoke"]);
    assert_eq!(again.status, 1, "{again:?}");
    let started_with = |args: &[&str], token: Option<&str>| {
        let mut command = machine.home.collie(args);
        command.envs(token.map(|token| ("COLLIE_RUNNER_TOKEN", token)));
        run_to_end(&mut command)
    };
    let far = "http://collie.example.org";
    let plain = started_with(&["runner", "--server", far], Some(&token));
    assert_eq!(plain.status, 1, "{plain:?}");
    assert!(plain.stderr.contains("needs https"), "{plain:?}");
    for args in [
        &["runner", "--server", &server.url][..],
        &[
            "runner",
            "--server",
            &server.url,
            "--token-file",
            "/nonexistent",
        ],
    ] {
        let refused = started_with(args, None);
        assert_eq!(refused.status, 1, "{refused:?}");
        assert!(refused.stderr.contains("has no secret"), "{refused:?}");
    }
}

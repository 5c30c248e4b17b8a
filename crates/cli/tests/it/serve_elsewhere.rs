//! `collie serve --engine restate` on a real engine (§18.5): the same page and API over loops that live elsewhere.

use crate::kill::{assert_said_once, commits, posted_tokens};
use crate::serve::{TestServer, WRITER, check_problem, started};
use crate::support::*;
use crate::worker::{EngineServer, free_ports, start_worker, start_worker_with};
use collie_app::demo::Scenario;
use collie_fake_llm::{FakeLlm, Reply};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An engine, a worker, and a server that shows what they do. The worker's data folder is a machine of its own.
pub(crate) struct Fleet {
    pub(crate) engine: EngineServer,
    pub(crate) server: TestServer,
    pub(crate) worker_home: TestHome,
    pub(crate) worker: RunningCommand,
    worker_port: u16,
}

impl Fleet {
    /// One whose worker is configured so in place of how tests are; none where there is no engine.
    fn start(configure: impl Fn(String) -> String) -> Option<Self> {
        Self::set_up(configure, (&[], None), &[])
    }

    /// The same with variables of the environment for both processes.
    pub(crate) fn start_with(
        configure: impl Fn(String) -> String,
        variables: &[(String, String)],
    ) -> Option<Self> {
        Self::set_up(configure, (variables, None), &[])
    }

    /// The same, whose server's views lie in a database.
    pub(crate) fn with_views(
        database: Option<&str>,
        configure: impl Fn(String) -> String,
    ) -> Option<Self> {
        Self::set_up(configure, (&[], database), &[])
    }

    fn set_up(
        configure: impl Fn(String) -> String,
        (variables, database): (&[(String, String)], Option<&str>),
        worker_flags: &[&str],
    ) -> Option<Self> {
        let engine = EngineServer::start()?;
        let (forge, gate) = (ForgeServer::start(), CheckGate::new());
        let checks = gate.forge_toml();
        let base = [(".forge.toml", checks.as_str()), ("a.txt", "a\n")];
        forge.import_files("acme/one", &base, &[("a.txt", "b\n")]);
        let roles = json!({"roles": {WRITER: "member", COLLIE_LOGIN: "member"}});
        forge.call(COLLIE_LOGIN, "PATCH", "/_forge/repos/acme/one", Some(roles));
        let worker_home = TestHome::new(&forge).with_variables(variables);
        let config = std::fs::read_to_string(worker_home.path().join("config.toml")).unwrap();
        worker_home.configure(&configure(config));
        let [worker_port] = free_ports();
        let worker = start_worker_with(&worker_home, &engine, worker_port, worker_flags);
        engine.register(&format!("http://127.0.0.1:{worker_port}"));
        let home = TestHome::new(&forge).with_variables(variables);
        let (process, url) = serve_views(&home, &engine, database);
        let server = TestServer {
            forge,
            home,
            process,
            url,
            http: reqwest::Client::new(),
            gate,
        };
        let fleet = Self {
            engine,
            server,
            worker_home,
            worker,
            worker_port,
        };
        fleet.wait_until_ready_to_serve();
        Some(fleet)
    }

    pub(crate) fn wait_until_ready_to_serve(&self) {
        wait_until_blocking("the server to be ready", || {
            let answer = self.server.get(WRITER, "/readyz");
            (answer.status == 200).then_some(()).ok_or(answer.body)
        });
    }

    /// Imports a scenario in which the writer may write.
    pub(crate) fn import(&self, scenario: Scenario, repo: &str) {
        let forge = &self.server.forge;
        forge.import_scenario(scenario, repo);
        let path = format!("/_forge/repos/{repo}");
        let roles = json!({"roles": {WRITER: "member", COLLIE_LOGIN: "member"}});
        forge.call(COLLIE_LOGIN, "PATCH", &path, Some(roles));
    }

    /// Has the server start pull requests of a repository by itself from now on.
    pub(crate) fn start_by_itself(&mut self, repo: &str) {
        let home = &self.server.home;
        let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
        let watched = format!(
            "{config}\n[[repositories]]\nname = \"{repo}\"\nauto_pr_review_enabled = true\n"
        );
        assert!(self.server.process.kill());
        self.server.home.configure(&watched);
        (self.server.process, self.server.url) = serve(&self.server.home, &self.engine);
        self.wait_until_ready_to_serve();
    }

    pub(crate) fn status(&self, repo: &str) -> Value {
        let path = format!("/pr/{repo}/1/status");
        self.server.get(WRITER, &path).body
    }

    pub(crate) fn wait_for_state(&self, repo: &str, state: &str) -> Value {
        wait_until_blocking(&format!("{repo} to be {state}"), || {
            let now = self.status(repo);
            match now["state"] == state {
                true => Ok(now),
                false => Err(now),
            }
        })
    }

    fn key(&self, repo: &str) -> String {
        let host = self.server.forge.api_url();
        let host = host.split("//").nth(1).unwrap().split('/').next().unwrap();
        let listed = self.engine.loops(host);
        let is = |entry: &&Value| entry["pull"] == format!("{repo}#1");
        let found = listed.iter().find(is).map(|entry| entry["key"].clone());
        found.unwrap().as_str().unwrap().to_owned()
    }

    /// A command of the page by Collie's own account, whom the settings allow; what came of it.
    fn page(&self, command: &str, args: Value) -> Value {
        let cookie = self.server.sign_in(COLLIE_LOGIN);
        let command = match args {
            Value::Null => json!({"command": command}),
            args => json!({"command": command, "args": args}),
        };
        let answer = self.server.page(&cookie, command);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    pub(crate) fn event(&self, repo: &str, id: &str, kind: &str) -> crate::serve::Answer {
        let event = json!({"id": id, "type": kind});
        self.server.event(WRITER, &format!("{repo}/1"), event)
    }

    /// Waits until a loop is ready, as the engine keeps it, and has nothing left to do.
    pub(crate) fn wait_until_ready(&self, repo: &str) -> Value {
        self.engine.wait_until_ready(&self.key(repo))
    }

    /// The names of what happened to a loop, as the command tells it of the server's data folder.
    fn log(home: &TestHome, repo: &str) -> Vec<String> {
        let told = home.run(&["log", &format!("{repo}#1"), "--json"]);
        assert_eq!(told.status, 0, "{told:?}");
        let lines = told.json();
        let entries = lines.iter().filter(|line| line["event"].is_string());
        entries
            .map(|line| line["event"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn serve(home: &TestHome, engine: &EngineServer) -> (RunningCommand, String) {
    serve_views(home, engine, None)
}

/// The command of a server whose views lie in its folder, or in a database.
pub(crate) fn serve_command(
    home: &TestHome,
    engine: &EngineServer,
    database: Option<&str>,
) -> std::process::Command {
    let ingress = engine.ingress_url();
    let flags = ["serve", "--engine", "restate", "--ingress", &ingress];
    let more = ["--listen", "127.0.0.1:0", "--json"];
    let mut command = home.collie(&[&flags[..], &more].concat());
    match database {
        Some(url) => command.env("DATABASE_URL", url),
        None => command.env_remove("DATABASE_URL"),
    };
    command
}

pub(crate) fn serve_views(
    home: &TestHome,
    engine: &EngineServer,
    database: Option<&str>,
) -> (RunningCommand, String) {
    started(serve_command(home, engine, database))
}

pub(crate) fn unchanged(config: String) -> String {
    config
}

#[test]
fn a_team_starts_watches_cancels_and_retries_loops_that_live_elsewhere() {
    let Some(fleet) = Fleet::start(unchanged) else {
        return;
    };
    let repo = "demo/clean";
    fleet.import(Scenario::Clean, repo);
    let request = fleet
        .server
        .http
        .get(format!("{}/events", fleet.server.url));
    let request = request.bearer_auth(format!("forge-{WRITER}"));
    let mut stream = RUNTIME.block_on(request.send()).unwrap();
    let begun = fleet.event(repo, "s", "start");
    assert_eq!(begun.status, 202, "{begun:?}");
    let mut told = String::new();
    RUNTIME.block_on(async {
        while !told.contains("pr_ready_to_merge") {
            let chunk = tokio::time::timeout(WAIT_TIMEOUT, stream.chunk());
            let chunk = chunk.await.unwrap_or_else(|_| panic!("{told}"));
            let chunk = chunk.unwrap().expect("the stream goes on");
            told.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    });
    fleet.wait_for_state(repo, "pr_ready_to_merge");
    // The journal here names who asked, as the engine's does, and is what the commands read.
    let state = fleet.engine.state(&fleet.key(repo));
    assert_eq!(state["run"]["started_by"], WRITER);
    let log = Fleet::log(&fleet.server.home, repo);
    assert_eq!(log[0], "created");
    assert!(
        log.iter().any(|event| event == "review_finished"),
        "{log:?}"
    );
    assert_said_once(repo, &posted_tokens(&fleet.server.forge, repo));
    // One that waits for its checks is cancelled, and begins anew.
    assert_eq!(fleet.event("acme/one", "s", "start").status, 202);
    let cancelled = fleet.event("acme/one", "c", "cancel");
    assert_eq!(cancelled.body["state"], "cancelled", "{cancelled:?}");
    check_problem(&fleet.event("acme/one", "c2", "cancel"), 409, "over");
    let again = fleet.event("acme/one", "r", "retry");
    assert_eq!(again.status, 202, "{again:?}");
    assert_ne!(again.body["state"], "cancelled", "{again:?}");
    let metrics = fleet.server.get(WRITER, "/metrics").body;
    let metrics = metrics.as_str().unwrap();
    for line in [
        "collie_loops{state=\"pr_ready_to_merge\"} 1",
        "collie_ready 1",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}

/// A model whose reviews end once the switch says so, and the lines of a configuration that has it review.
fn held_model() -> (Arc<AtomicBool>, collie_fake_llm::RunningFakeLlm, String) {
    let may_end = Arc::new(AtomicBool::new(false));
    let answer = json!({
        "conclusion": "approve", "findings": [], "earlier": [], "escalations": [], "fullReport": "Nothing.",
    });
    let switch = may_end.clone();
    let reply = move |_: &_| {
        tokio::task::block_in_place(|| {
            while !switch.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        Reply::json(&answer).with_usage(1_000, 0, 100)
    };
    let model = RUNTIME.block_on(FakeLlm::serve(reply));
    let lines = format!(
        "[[stages]]\nreviewers = [\"quinn\"]\n[llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\n",
        model.url()
    );
    (may_end, model, lines)
}

#[test]
fn who_waits_for_a_slot_of_the_fleet_sees_the_place_and_who_works_the_worker() {
    let (may_end, _model, lines) = held_model();
    let reviewed = |config: String| config + &lines;
    let flags = ["--fleet-slots", "1", "--name", "rack-1"];
    let Some(fleet) = Fleet::set_up(reviewed, (&[], None), &flags) else {
        return;
    };
    let engine_of_page = || fleet.page("session", Value::Null)["engine"].clone();
    let idle =
        json!({"slots": null, "working": 0, "queued": 0, "process": null, "elsewhere": true});
    assert_eq!(engine_of_page(), idle);
    let repos = ["demo/first", "demo/second", "demo/third"];
    let shown = |repo: &str, what: &str, found: &dyn Fn(&Value) -> bool| {
        wait_until_blocking(&format!("{repo} to show {what}"), || {
            // One person may ask twenty times a second.
            std::thread::sleep(Duration::from_millis(100));
            let now = fleet.status(repo);
            found(&now).then_some(()).ok_or(now)
        });
    };
    let starts = |repo: &str| {
        fleet.import(Scenario::Clean, repo);
        assert_eq!(fleet.event(repo, "s", "start").status, 202);
    };
    starts(repos[0]);
    shown(repos[0], "its worker", &|now| {
        now["workers"] == json!(["rack-1"]) && now["queue_position"].is_null()
    });
    for (place, repo) in (1..).zip(&repos[1..]) {
        starts(repo);
        shown(repo, "its place", &|now| {
            now["queue_position"] == place && now["workers"] == json!([])
        });
    }
    let busy = json!({"slots": 1, "working": 1, "queued": 2, "process": null, "elsewhere": true});
    assert_eq!(engine_of_page(), busy);
    // The place moves though nothing happens to the loop itself.
    let cancelled = fleet.event(repos[1], "c", "cancel");
    assert_eq!(cancelled.body["state"], "cancelled", "{cancelled:?}");
    shown(repos[2], "the next place", &|now| {
        now["queue_position"] == 1
    });
    may_end.store(true, Ordering::SeqCst);
    for repo in [repos[0], repos[2]] {
        fleet.wait_for_state(repo, "pr_ready_to_merge");
        shown(repo, "that it is at rest", &|now| {
            now["workers"] == json!([]) && now["queue_position"].is_null()
        });
    }
    wait_until_blocking("no slot to be taken", || {
        let now = engine_of_page();
        let free =
            json!({"slots": 1, "working": 0, "queued": 0, "process": null, "elsewhere": true});
        (now == free).then_some(()).ok_or(now)
    });
}

#[test]
fn what_people_ask_on_the_page_reaches_the_loop() {
    let asks = |config: String| config.replace("\"push\"", "\"ask\"");
    let Some(fleet) = Fleet::start(asks) else {
        return;
    };
    let repo = "demo/fix-loop";
    let key = format!("{repo}#1");
    fleet.import(Scenario::FixLoop, repo);
    assert_eq!(fleet.event(repo, "s", "start").status, 202);
    let engine_key = fleet.key(repo);
    let state = || fleet.engine.state(&engine_key);
    let waits = |what: &str, found: &dyn Fn(&Value) -> bool| {
        wait_until_blocking(what, || {
            let state = state();
            match found(&state) {
                true => Ok(state),
                false => Err(state["run"].clone()),
            }
        })
    };
    let fix = waits("a push that waits for a person", &|state| {
        state["run"]["fixing"]["pending"]["commit"].is_string()
    });
    let commit = fix["run"]["fixing"]["pending"]["commit"].clone();
    let note = json!({"key": key, "fingerprint": null, "text": "keep it short"});
    fleet.page("note", note);
    let noted = state().to_string();
    assert!(noted.contains("keep it short"), "{noted}");
    let decision = json!({"decision": "allow_pull", "number": 1});
    fleet.page("decide_trust", json!({"key": key, "decision": decision}));
    waits("what was decided", &|state| {
        state["trust"]["pulls"] == json!([1])
    });
    // A pull request of the same repository that begins later knows it as well.
    fleet.page("set_paused", json!({"paused": true}));
    let session = fleet.page("session", Value::Null);
    assert_eq!(session["pause"]["by"], COLLIE_LOGIN, "{session}");
    waits("the pause", &|state| state["pause"]["by"] == COLLIE_LOGIN);
    fleet.page("set_paused", json!({"paused": false}));
    waits("the end of the pause", &|state| state["pause"].is_null());
    fleet.page("approve_push", json!({"key": key, "commit": commit}));
    wait_until_blocking("the push", || {
        let pushed = commits(&fleet.server.forge, repo);
        pushed.iter().any(|(id, _)| *id == commit)
    });
    fleet.page("set_autonomy", json!({"repo": repo, "level": "observe"}));
    waits("the level", &|state| {
        state["chosen_autonomy"] == json!({"level": "observe", "configured": "observe"})
    });
}

#[test]
fn a_server_that_was_killed_shows_the_same_on_its_folder_and_on_an_empty_one() {
    let Some(mut fleet) = Fleet::start(unchanged) else {
        return;
    };
    let repo = "demo/clean";
    fleet.import(Scenario::Clean, repo);
    assert_eq!(fleet.event(repo, "s", "start").status, 202);
    assert_eq!(fleet.event("acme/one", "s", "start").status, 202);
    fleet.wait_for_state(repo, "pr_ready_to_merge");
    fleet.wait_for_state("acme/one", "pr_awaiting_checks");
    let log = Fleet::log(&fleet.server.home, repo);
    let before = fleet.status(repo);
    // On its own folder, though something happened meanwhile.
    assert!(fleet.server.process.kill());
    let cancel = json!({"key": fleet.key("acme/one")});
    assert_eq!(fleet.engine.command("cancel", &cancel), 200);
    (fleet.server.process, fleet.server.url) = serve(&fleet.server.home, &fleet.engine);
    fleet.wait_until_ready_to_serve();
    fleet.wait_for_state("acme/one", "cancelled");
    // Both loops are still read: more may have happened than before, and nothing else.
    let begins = |home: &TestHome, repo: &str, before: &[String]| {
        let now = Fleet::log(home, repo);
        assert!(now.starts_with(before), "{repo}: {now:?} {before:?}");
    };
    begins(&fleet.server.home, repo, &log);
    // On an empty one, from what the engine keeps.
    assert!(fleet.server.process.kill());
    let log = Fleet::log(&fleet.server.home, repo);
    let cancelled = Fleet::log(&fleet.server.home, "acme/one");
    assert_eq!(cancelled[0], "created");
    fleet.server.home = TestHome::new(&fleet.server.forge);
    (fleet.server.process, fleet.server.url) = serve(&fleet.server.home, &fleet.engine);
    fleet.wait_until_ready_to_serve();
    let after = fleet.status(repo);
    for field in [
        "state",
        "key",
        "title",
        "iteration",
        "can_retry",
        "can_cancel",
    ] {
        assert_eq!(after[field], before[field], "{field}");
    }
    begins(&fleet.server.home, repo, &log);
    begins(&fleet.server.home, "acme/one", &cancelled);
    // What the journal has can be replayed: what was decided is what is shown.
    let replay = ["replay", &format!("{repo}#1"), "--json"];
    let replayed = fleet.server.home.run(&replay);
    assert_eq!(replayed.status, 0, "{replayed:?}");
}

#[test]
fn while_the_engine_is_down_the_server_says_so_and_goes_on_by_itself() {
    let Some(mut fleet) = Fleet::start(unchanged) else {
        return;
    };
    assert_eq!(fleet.event("acme/one", "s", "start").status, 202);
    fleet.wait_for_state("acme/one", "pr_awaiting_checks");
    fleet.engine.kill();
    wait_until_blocking("the server to notice", || {
        fleet.server.get(WRITER, "/readyz").status == 503
    });
    check_problem(
        &fleet.server.get(WRITER, "/readyz"),
        503,
        "loops_unreachable",
    );
    let session = fleet.page("session", Value::Null);
    assert_eq!(session["problem"]["code"], "loops_unreachable", "{session}");
    let told = session["problem"].to_string();
    assert!(
        told.contains("Restate") && !told.contains("127.0.0.1"),
        "{told}"
    );
    // What was told last is still shown; what cannot be asked is refused, and can be asked again.
    assert_eq!(fleet.status("acme/one")["state"], "pr_awaiting_checks");
    check_problem(
        &fleet.event("acme/one", "c", "cancel"),
        503,
        "loops_unreachable",
    );
    fleet.engine.restart();
    fleet.wait_until_ready_to_serve();
    let cancelled = fleet.event("acme/one", "c", "cancel");
    assert_eq!(cancelled.body["state"], "cancelled", "{cancelled:?}");
    let session = fleet.page("session", Value::Null);
    assert!(session["problem"].is_null(), "{session}");
    // The same where no worker answers.
    assert!(fleet.worker.kill());
    wait_until_blocking("the server to notice", || {
        fleet.server.get(WRITER, "/readyz").status == 503
    });
    fleet.worker = start_worker(&fleet.worker_home, &fleet.engine, fleet.worker_port);
    fleet.wait_until_ready_to_serve();
}

#[test]
fn what_github_reports_is_read_at_once() {
    let rarely = |config: String| config.replace("\"300ms\"", "\"10m\"");
    let Some(fleet) = Fleet::start(rarely) else {
        return;
    };
    assert_eq!(fleet.event("acme/one", "s", "start").status, 202);
    fleet.wait_for_state("acme/one", "pr_awaiting_checks");
    let key = fleet.key("acme/one");
    let read_at = || fleet.engine.state(&key)["run"]["polling"]["last_snapshot"]["at"].clone();
    let before = read_at();
    assert!(before.is_number(), "{before}");
    std::thread::sleep(Duration::from_secs(6));
    assert_eq!(read_at(), before, "it is read again in ten minutes");
    let reported = Instant::now();
    assert_eq!(fleet.server.deliver("edited", "d1"), "woken");
    wait_until_blocking("the reading", || read_at() != before);
    println!("read {:?} after the delivery", reported.elapsed());
    assert!(reported.elapsed() < Duration::from_secs(8));
}

/// Two engines for the same loops would say and push everything twice.
#[test]
fn a_folder_that_shows_loops_of_elsewhere_runs_none_and_one_with_loops_shows_no_others() {
    let Some(fleet) = Fleet::start(unchanged) else {
        return;
    };
    let repo = "acme/one";
    assert_eq!(fleet.event(repo, "s", "start").status, 202);
    let Fleet {
        engine, mut server, ..
    } = fleet;
    assert!(server.process.kill());
    for args in [
        vec!["serve", "--listen", "127.0.0.1:0", "--json"],
        vec!["watch", "acme/one#1", "--json"],
    ] {
        let refused = server.home.run(&args);
        assert_eq!(refused.status, 1, "{refused:?}");
        assert_eq!(refused.json()[0]["code"], "loops_elsewhere", "{refused:?}");
    }
    let own = TestHome::new(&server.forge);
    let mut watching = own.start(&["watch", "acme/one#1", "--json"]);
    watching.wait_for_first_line();
    watching.kill();
    let ingress = engine.ingress_url();
    let flags = ["serve", "--engine", "restate", "--ingress", &ingress];
    let refused = own.run(&[&flags[..], &["--listen", "127.0.0.1:0", "--json"]].concat());
    assert_eq!(refused.status, 1, "{refused:?}");
    assert_eq!(refused.json()[0]["code"], "loops_of_its_own", "{refused:?}");
}

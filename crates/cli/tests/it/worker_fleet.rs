//! What loops on the durable engine share (§18.5): head branches, slots, the pause of everything, and what people ask of them.

use crate::kill::{assert_said_once, commits, posted_tokens};
use crate::support::*;
use crate::worker::{EngineServer, free_ports, start_worker, start_worker_with};
use collie_app::demo::Scenario;
use collie_fake_llm::{FakeLlm, Reply};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An engine with one worker, started with these flags.
fn fleet(forge: &ForgeServer, flags: &[&str]) -> Option<(EngineServer, TestHome, RunningCommand)> {
    let engine = EngineServer::start()?;
    let home = TestHome::new(forge);
    let [port] = free_ports();
    let worker = start_worker_with(&home, &engine, port, flags);
    engine.register(&format!("http://127.0.0.1:{port}"));
    Some((engine, home, worker))
}

/// What sessions of a loop wait for.
fn waits_for(view: &Value) -> BTreeSet<String> {
    let waiting = view["waiting"].as_object().into_iter().flatten();
    waiting
        .map(|(_, what)| what.as_str().unwrap().to_owned())
        .collect()
}

/// Sessions of a loop that some worker may have.
fn sessions(view: &Value) -> usize {
    let asked = view["state"]["outbox"]["effects"].as_object();
    let asked = asked.into_iter().flatten();
    let sessions = asked.filter(|(_, effect)| effect["not_before"].is_number());
    sessions
        .filter(|(id, _)| view["waiting"].get(id).is_none())
        .count()
}

#[test]
fn of_many_loops_as_many_work_at_once_as_the_fleet_has_slots_and_all_become_ready() {
    let forge = ForgeServer::start();
    let Some((engine, _home, _worker)) = fleet(&forge, &["--fleet-slots", "1"]) else {
        return;
    };
    let repos: Vec<String> = (0..3).map(|nth| format!("demo/fix-loop-{nth}")).collect();
    for repo in &repos {
        forge.import_scenario(Scenario::FixLoop, repo);
    }
    let started = repos
        .iter()
        .map(|repo| engine.start_loop(&format!("{repo}#1")));
    let keys: Vec<String> = started.collect();
    let mut waited = BTreeSet::new();
    wait_until_blocking("all loops to be ready", || {
        let views: Vec<Value> = keys.iter().map(|key| engine.view(key)).collect();
        waited.extend(views.iter().flat_map(waits_for));
        // Each is looked at by itself: one may have ended, and another begun, in between.
        let working = views.iter().filter(|view| sessions(view) > 0).count();
        assert!(working <= 2, "{views:#?}");
        let states = views.iter().map(|view| &view["state"]["run"]["state"]);
        states
            .clone()
            .all(|state| state == "pr_ready_to_merge")
            .then_some(())
            .ok_or_else(|| format!("{:?}", states.collect::<Vec<_>>()))
    });
    assert!(waited.contains("slot"), "nobody had to wait: {waited:?}");
    for repo in &repos {
        assert_said_once(repo, &posted_tokens(&forge, repo));
        assert_eq!(commits(&forge, repo).len(), 2, "{repo}");
    }
}

/// Read one by one, a thousand loops would use up GitHub's hour in five minutes.
#[test]
fn loops_that_are_due_at_the_same_time_are_read_with_one_query() {
    let forge = ForgeServer::start();
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let home = TestHome::new(&forge);
    // Those that are due within 200 ms are read together.
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    home.configure(&config.replace(
        "ready_poll_interval = \"1s\"",
        "ready_poll_interval = \"4s\"",
    ));
    let [port] = free_ports();
    let mut worker = start_worker(&home, &engine, port);
    engine.register(&format!("http://127.0.0.1:{port}"));
    let repos: Vec<String> = (0..6).map(|nth| format!("demo/clean-{nth}")).collect();
    let begun = repos.iter().map(|repo| {
        forge.import_scenario(Scenario::Clean, repo);
        engine.start_loop(&format!("{repo}#1"))
    });
    let keys: Vec<String> = begun.collect();
    for key in &keys {
        engine.wait_until_ready(key);
    }
    // While nobody works all of them become due.
    worker.signal(Signal::SIGKILL);
    worker.wait_for_exit();
    std::thread::sleep(std::time::Duration::from_secs(5));
    let _worker = start_worker(&home, &engine, port);
    let read_at = |key: &String| engine.state(key)["run"]["polling"]["last_snapshot"].clone();
    let before: Vec<Value> = keys.iter().map(read_at).collect();
    wait_until_blocking("every loop to be read again", || {
        let now = keys.iter().map(read_at);
        let is_read = now.zip(&before).all(|(now, before)| now != *before);
        is_read.then_some(())
    });
    forge.call(COLLIE_LOGIN, "DELETE", "/_forge/requests", None);
    let mut seen = BTreeSet::new();
    for _ in 0..60 {
        std::thread::sleep(std::time::Duration::from_millis(250));
        seen.extend(
            keys.iter()
                .map(|key| (key.clone(), read_at(key).to_string())),
        );
    }
    let counts = forge.call(COLLIE_LOGIN, "GET", "/_forge/requests", None);
    let queries = counts["routes"]["POST /graphql"].as_u64().unwrap();
    // What was seen first of each was read before.
    let readings = seen.len() - keys.len();
    assert!(readings >= 12, "{readings} readings: {seen:?}");
    // A look at all of them is one query; some are read whole beside it, though nothing has changed. One by one each is a query, or more.
    assert!(
        queries * 5 <= readings as u64 * 4,
        "{queries} queries for {readings} readings: {counts}"
    );
}

#[test]
fn what_is_paused_says_so_writes_nothing_and_goes_on_together() {
    let forge = ForgeServer::start();
    let Some((engine, _home, _worker)) = fleet(&forge, &[]) else {
        return;
    };
    let repos = ["demo/clean-0", "demo/clean-1"];
    for repo in repos {
        forge.import_scenario(Scenario::Clean, repo);
    }
    let before = engine.start_loop(&format!("{}#1", repos[0]));
    let host = before.split('/').next().unwrap().to_owned();
    let pause = |paused: bool| json!({"host": host, "paused": paused});
    assert_eq!(engine.command("pause", &pause(true)), 200);
    let begun_in_it = engine.start_loop(&format!("{}#1", repos[1]));
    for key in [&before, &begun_in_it] {
        wait_until_blocking("a loop to be paused", || {
            let state = engine.state(key);
            let pause = &state["pause"];
            (pause["by"] == COLLIE_LOGIN)
                .then_some(())
                .ok_or_else(|| state["run"]["state"].to_string())
        });
    }
    let pulls: Vec<Value> = engine
        .loops(&host)
        .iter()
        .map(|entry| entry["pull"].clone())
        .collect();
    assert_eq!(pulls.len(), 2, "{pulls:?}");
    for repo in repos {
        assert!(pulls.contains(&json!(format!("{repo}#1"))), "{pulls:?}");
    }
    let said = |repo: &str| posted_tokens(&forge, repo).len();
    let quiet = repos.map(said);
    std::thread::sleep(std::time::Duration::from_secs(4));
    assert_eq!(repos.map(said), quiet);
    assert_ne!(
        engine.state(&begun_in_it)["run"]["state"],
        "pr_ready_to_merge"
    );
    assert_eq!(engine.command("pause", &pause(false)), 200);
    for (key, repo) in [(&before, repos[0]), (&begun_in_it, repos[1])] {
        engine.wait_until_ready(key);
        assert_said_once(repo, &posted_tokens(&forge, repo));
    }
}

#[test]
fn a_run_is_cancelled_and_tried_again_and_what_cannot_be_is_refused() {
    let forge = ForgeServer::start();
    let Some((engine, _home, _worker)) = fleet(&forge, &[]) else {
        return;
    };
    forge.import_scenario(Scenario::Clean, "demo/clean");
    let key = engine.start_loop("demo/clean#1");
    let asked = json!({"key": key});
    assert_eq!(engine.command("retry", &asked), 409, "it has not ended");
    assert_eq!(engine.command("cancel", &asked), 200);
    assert_eq!(engine.state(&key)["run"]["state"], "cancelled");
    assert_eq!(engine.command("cancel", &asked), 409, "it has ended");
    assert_eq!(engine.command("resume", &asked), 409, "nobody was needed");
    assert_eq!(engine.command("retry", &asked), 200);
    engine.wait_until_ready(&key);
    let nobody = json!({"key": key.replace("/1", "/99")});
    assert_eq!(engine.command("cancel", &nobody), 404);
    assert_said_once("demo/clean", &posted_tokens(&forge, "demo/clean"));
}

#[test]
fn of_two_loops_on_one_branch_one_fixes_and_the_other_waits_for_it() {
    let forge = ForgeServer::start();
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let repo = "demo/fix-loop";
    forge.import_scenario(Scenario::FixLoop, repo);
    let pull = forge.call(COLLIE_LOGIN, "GET", &format!("/repos/{repo}/pulls/1"), None);
    let main = json!({"ref": "refs/heads/release", "sha": pull["base"]["sha"]});
    forge.call(
        COLLIE_LOGIN,
        "POST",
        &format!("/repos/{repo}/git/refs"),
        Some(main),
    );
    let second = json!({"title": "The same for the release", "head": pull["head"]["ref"], "base": "release"});
    let second = forge.call(
        COLLIE_LOGIN,
        "POST",
        &format!("/repos/{repo}/pulls"),
        Some(second),
    );
    let homes = [TestHome::new(&forge), TestHome::new(&forge)];
    let ports: [u16; 2] = free_ports();
    let _workers = [0, 1].map(|nth| start_worker(&homes[nth], &engine, ports[nth]));
    // All work goes to the second: what a worker keeps to itself does not keep two loops apart.
    for port in ports {
        engine.register(&format!("http://127.0.0.1:{port}"));
    }
    let numbers = [1, second["number"].as_u64().unwrap()];
    let keys = numbers.map(|number| engine.start_loop(&format!("{repo}#{number}")));
    let mut waited = BTreeSet::new();
    wait_until_blocking("both loops to be ready", || {
        let views = keys.each_ref().map(|key| engine.view(key));
        waited.extend(views.iter().flat_map(waits_for));
        let states = views.each_ref().map(|view| &view["state"]["run"]["state"]);
        (states == ["pr_ready_to_merge"; 2])
            .then_some(())
            .ok_or_else(|| format!("{states:?}"))
    });
    assert!(waited.contains("branch"), "neither had to wait: {waited:?}");
    let mut changes: Vec<String> = commits(&forge, repo)
        .into_iter()
        .map(|(_, change)| change)
        .collect();
    let all = changes.len();
    changes.sort();
    changes.dedup();
    assert_eq!(
        changes.len(),
        all,
        "something was fixed twice: {changes:#?}"
    );
}

/// What one worker has spent today is not there for another, which has a data folder of its own.
#[test]
fn what_all_workers_may_spend_in_a_day_is_spent_once() {
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let answer = json!({
        "conclusion": "approve", "findings": [], "earlier": [], "escalations": [], "fullReport": "Nothing.",
    });
    let reply = move |_: &_| Reply::json(&answer).with_usage(1_000, 0, 100);
    let model = RUNTIME.block_on(FakeLlm::serve(reply));
    let config = format!(
        "[[stages]]\nreviewers = [\"quinn\"]\n[llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\n\
         [budget]\nper_day_tokens = 1000\n",
        model.url()
    );
    let [port] = free_ports();
    let start = |repo: &str| {
        forge.import_scenario(Scenario::Clean, repo);
        let home = TestHome::new(&forge).with_config_lines(&config);
        let worker = start_worker(&home, &engine, port);
        engine.register(&format!("http://127.0.0.1:{port}"));
        (engine.start_loop(&format!("{repo}#1")), worker, home)
    };
    let (first, worker, home) = start("demo/first");
    engine.wait_until_ready(&first);
    let asked = model.request_count();
    assert!(asked > 0, "the model was not asked");
    wait_until_blocking("the book to say what was spent", || {
        let book = engine.spent(first.split('/').next().unwrap());
        let tokens = book["total"]["unpriced_tokens"].as_u64();
        let mut sessions = book["sessions"].as_object().into_iter().flatten();
        let is_closed = sessions.all(|(_, session)| session["is_open"] == false);
        (tokens == Some(1_100) && is_closed)
            .then_some(())
            .ok_or(book.to_string())
    });
    drop((worker, home));
    let (second, _worker, _home) = start("demo/second");
    wait_until_blocking("the budget to hold the loop", || {
        let blocker = engine.state(&second)["run"]["blocker"].clone();
        (blocker["exceeded"]["scope"] == "day")
            .then_some(())
            .ok_or(blocker)
    });
    assert_eq!(model.request_count(), asked, "it was asked");
}

//! How `watch --until-settled` ends, and what the lines of `--json` hold.

use crate::support::*;
use collie_app::demo::Scenario;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Watches until settled: the exit status and the state that the last line of each loop tells.
fn watch_until_settled(home: &TestHome, pulls: &[&str]) -> (i32, BTreeMap<String, String>) {
    let args = [&["watch", "--until-settled", "--json"], pulls].concat();
    let ended = home.run(&args);
    let mut last: BTreeMap<String, Value> = BTreeMap::new();
    for line in ended.json() {
        last.insert(
            line["key"]
                .as_str()
                .unwrap_or_else(|| panic!("{line}"))
                .to_owned(),
            line,
        );
    }
    let states = last.into_iter().map(|(key, line)| {
        assert_eq!(line["type"], "settled", "{key}");
        (key, line["state"].as_str().unwrap().to_owned())
    });
    (ended.status, states.collect())
}

fn expected_states(all: &[(&str, &str)]) -> BTreeMap<String, String> {
    all.iter()
        .map(|(key, state)| ((*key).to_owned(), (*state).to_owned()))
        .collect()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("{value}"))
        .keys()
        .map(String::as_str)
        .collect()
}

fn field_names(list: &'static str) -> BTreeSet<&'static str> {
    list.split_whitespace().collect()
}

#[test]
fn the_exit_status_is_that_of_the_loop_and_of_several_the_worst() {
    let (forge, gate) = (ForgeServer::start(), CheckGate::new());
    forge.import_files("acme/ready", &[("a.txt", "a\n")], &[("a.txt", "b\n")]);
    forge.import_files("acme/closed", &[("a.txt", "a\n")], &[("a.txt", "b\n")]);
    forge.import_files(
        "acme/slow",
        &[(".forge.toml", &gate.forge_toml()), ("a.txt", "a\n")],
        &[("a.txt", "b\n")],
    );
    forge.import_scenario(Scenario::CiRed, "demo/ci-red");
    let close = json!({ "state": "closed" });
    forge.call("kim", "PATCH", "/repos/acme/closed/pulls/1", Some(close));
    let (ready, closed) = (
        ("acme/ready#1", "pr_ready_to_merge"),
        ("acme/closed#1", "closed"),
    );

    let home = TestHome::new(&forge);
    assert_eq!(
        watch_until_settled(&home, &["acme/ready#1"]),
        (0, expected_states(&[ready]))
    );
    assert_eq!(
        watch_until_settled(&home, &["acme/closed#1"]),
        (5, expected_states(&[closed]))
    );
    assert_eq!(
        watch_until_settled(&home, &["acme/closed#1", "acme/ready#1"]),
        (5, expected_states(&[closed, ready]))
    );
    let person = ("demo/ci-red#1", "needs_human");
    let three = watch_until_settled(&home, &["acme/closed#1", "demo/ci-red#1", "acme/ready#1"]);
    assert_eq!(three, (3, expected_states(&[closed, person, ready])));
    let error = home.status("demo/ci-red#1")["error"].clone();
    assert!(
        error["code"].is_string() && error["message"] != "" && error["hints"][0].is_string(),
        "{error}"
    );

    let hurried = TestHome::new(&forge).with_config_lines("ci_check_timeout = \"1s\"");
    let failed = ("acme/slow#1", "failed");
    let three = watch_until_settled(&hurried, &["acme/slow#1", "acme/closed#1", "acme/ready#1"]);
    assert_eq!(three, (4, expected_states(&[closed, ready, failed])));
    assert_eq!(hurried.status("acme/slow#1")["error"]["code"], "ci_timeout");
}

#[test]
fn a_quota_that_runs_out_while_loops_are_started_is_waited_for() {
    let forge = ForgeServer::start();
    forge.import_acme_one();
    for query in ["query OpenPulls", "query Resolve"] {
        let fault =
            json!({"kind": "primary_rate_limit", "reset_in": 2, "route": query, "count": 1});
        forge.call(COLLIE_LOGIN, "POST", "/_forge/faults", Some(fault));
        let home = TestHome::new(&forge);
        let ended = home.run(&["watch", "acme/one", "--until-settled", "--json"]);
        assert_eq!(ended.status, 0, "{query}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("asks Collie to wait until"),
            "{query}: {}",
            ended.stderr
        );
        let faults = forge.call(COLLIE_LOGIN, "GET", "/_forge/faults", None);
        assert!(faults[0]["hit"] == 1, "{faults}");
        forge.call(COLLIE_LOGIN, "DELETE", "/_forge/faults", None);
    }
}

#[test]
fn ctrl_c_pauses_and_the_next_start_goes_on() {
    let (forge, gate) = (ForgeServer::start(), CheckGate::new());
    forge.import_files(
        "acme/one",
        &[(".forge.toml", &gate.forge_toml()), ("a.txt", "a\n")],
        &[("a.txt", "b\n")],
    );
    let home = TestHome::new(&forge);
    let waiting = || {
        wait_until_blocking("the checks", || {
            let ended = home.run(&["status", "acme/one#1", "--json"]);
            ended.status == 0 && ended.json()[0]["blocker"]["code"] == "checks_running"
        })
    };
    for (language, words) in [
        ("en", "Paused. Start again to resume."),
        ("fr", "En pause."),
    ] {
        let mut running =
            home.start(&["watch", "acme/one#1", "--until-settled", "--lang", language]);
        // What the journal says may be of the run before: that one speaks says that it listens.
        running.wait_for_first_line();
        waiting();
        running.signal(Signal::SIGINT);
        assert_eq!(running.wait_for_exit().code(), Some(1));
        let last = running.seen.last().unwrap();
        assert!(last.starts_with(words), "{:#?}", running.seen);
    }
    let mut running = home.start(&["watch", "acme/one#1", "--until-settled", "--json"]);
    running.read_until("a line", |_| true);
    running.signal(Signal::SIGTERM);
    assert_eq!(running.wait_for_exit().code(), Some(1));
    assert!(
        running
            .seen
            .iter()
            .all(|line| line.contains("\"type\":\"loop\"")),
        "{:#?}",
        running.seen
    );

    let run = home.status("acme/one#1")["run_id"].clone();
    gate.open();
    let ended = home.run(&["watch", "acme/one#1", "--until-settled", "--json"]);
    let lines = ended.json();
    assert_eq!((ended.status, &lines.last().unwrap()["run_id"]), (0, &run));
}

#[test]
fn the_lines_of_status_watch_and_log_hold_what_is_promised() {
    let forge = ForgeServer::start();
    forge.import_scenario(Scenario::FixLoop, "demo/fix-loop");
    let home = TestHome::new(&forge);
    let ended = home.run(&["watch", "demo/fix-loop#1", "--until-settled", "--json"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let fields = field_names(
        "autonomy held held_push head_ref size people key host run_id correlation_id title author url state attention iteration max_iterations head_sha base_ref started_at \
         updated_at elapsed_ms queue_position branch_holder workers blocker next_poll_at throttle duplicated_posts ci bots current_stage stages consensus coverage proof findings rounds \
         usage usage_all_runs can_cancel can_retry can_resume can_merge merge_type error",
    );
    for line in ended.json() {
        let mut expected = fields.clone();
        expected.insert("type");
        assert_eq!(keys(&line), expected);
        if !line["blocker"].is_null() {
            assert_eq!(
                keys(&line["blocker"]),
                field_names("code args text needs_person")
            );
            assert_ne!(line["blocker"]["text"], "");
        }
    }
    let status = home.status("demo/fix-loop#1");
    assert_eq!(keys(&status), fields);
    assert_eq!(
        keys(&status["ci"]),
        field_names("status passed failed running checks")
    );
    assert_eq!(
        keys(&status["ci"]["checks"][0]),
        field_names("name status conclusion outcome url")
    );
    assert_eq!(keys(&status["stages"][0]), field_names("reviewers"));
    let reviewer = &status["stages"][0]["reviewers"][0];
    assert_eq!(
        keys(reviewer),
        field_names("name kind status verdict head_sha findings escalations at linters")
    );
    assert_eq!(
        keys(&status["rounds"][0]),
        field_names("iteration p0 p1 p2 p3 fixed rejected commit")
    );
    assert_eq!(
        keys(&status["usage"]),
        field_names("input_tokens output_tokens cost_usd")
    );
    let finding = keys(&status["findings"][0]);
    assert!(
        finding.is_superset(&field_names("fingerprint kind status introduced_by_fix")),
        "{finding:?}"
    );
    for time in ["started_at", "updated_at", "next_poll_at"] {
        status[time]
            .as_str()
            .unwrap()
            .parse::<jiff::Timestamp>()
            .unwrap();
    }

    let log = home.run(&["log", "demo/fix-loop#1", "--json"]);
    let lines = log.json();
    assert_eq!((log.status, &lines[0]["from"]), (0, &Value::Null));
    for line in &lines {
        assert_eq!(keys(line), field_names("seq at event from to effects note"));
        line["at"]
            .as_str()
            .unwrap()
            .parse::<jiff::Timestamp>()
            .unwrap();
    }
    for pair in lines.windows(2) {
        assert_eq!(pair[0]["to"], pair[1]["from"], "{pair:#?}");
    }
}

#[test]
fn what_github_shows_twice_raises_an_alarm_in_status() {
    let forge = ForgeServer::start();
    forge.import_scenario(Scenario::Clean, "demo/clean");
    let home = TestHome::new(&forge);
    let watch = ["watch", "demo/clean#1", "--until-settled", "--json"];
    assert_eq!(home.run(&watch).status, 0);
    let status = || home.run(&["status", "--lang", "en"]).stdout;
    assert_eq!(home.status("demo/clean#1")["duplicated_posts"], 0);
    assert!(!status().contains("more than once"));
    // As a second copy of Collie would have posted it.
    let comments = "/repos/demo/clean/issues/1/comments";
    let own = forge.list(comments);
    let own = own.iter().find(|one| one["user"]["login"] == COLLIE_LOGIN);
    let again = json!({"body": own.unwrap()["body"]});
    forge.call(COLLIE_LOGIN, "POST", comments, Some(again));
    let mut running = home.start(&["watch", "demo/clean#1", "--json"]);
    running.read_until("the alarm", |line| line["duplicated_posts"] == 1);
    drop(running);
    assert!(status().contains("more than once"), "{}", status());
}

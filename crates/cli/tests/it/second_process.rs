//! A second process on the same data folder: it follows, looks and asks, and goes on when the first one ends.

use crate::support::*;
use nix::sys::signal::Signal;
use serde_json::Value;

/// A forge with pull requests whose check lasts until the gate is opened, and a data folder.
struct TestSetup {
    forge: ForgeServer,
    home: TestHome,
    gate: CheckGate,
}

fn setup(repos: &[&str]) -> TestSetup {
    let (forge, gate) = (ForgeServer::start(), CheckGate::new());
    for repo in repos {
        forge.import_files(
            repo,
            &[(".forge.toml", &gate.forge_toml()), ("a.txt", "a\n")],
            &[("a.txt", "b\n")],
        );
    }
    let home = TestHome::new(&forge);
    TestSetup { forge, home, gate }
}

fn waits_for_checks(line: &Value) -> bool {
    line["blocker"]["code"] == "checks_running"
}

fn request_outcome(ended: &CommandResult) -> (i32, String) {
    let line = &ended.json()[0];
    let outcome = line["fate"].as_str().or(line["code"].as_str()).unwrap();
    (ended.status, outcome.to_owned())
}

fn expected_outcome(status: i32, word: &str) -> (i32, String) {
    (status, word.to_owned())
}

#[test]
fn a_second_watch_follows_the_engine_and_takes_over_when_that_ends() {
    let TestSetup {
        forge: _forge,
        home,
        gate,
    } = setup(&["acme/one", "acme/two"]);
    let mut first = home.start(&["watch", "acme/one#1", "--until-settled", "--json"]);
    first.read_until("the checks", waits_for_checks);

    let mut second = home.start(&["watch", "acme/two#1", "--until-settled", "--json"]);
    second.read_until("the checks", waits_for_checks);
    let mut words = home.start(&["watch", "acme/one#1"]);
    let greeting = wait_until_blocking("a greeting", || {
        words.next_line(std::time::Instant::now() + WAIT_TIMEOUT)
    });
    let pid = format!("(process {})", first.id());
    assert!(
        greeting.contains("follow") && greeting.contains(&pid),
        "{greeting}"
    );
    words.kill();

    let run = home.status("acme/two#1")["run_id"].clone();
    first.signal(Signal::SIGINT);
    assert_eq!(first.wait_for_exit().code(), Some(1));
    wait_until_blocking("the second to take over", || {
        let said = home.run(&["status"]).stdout;
        said.contains(&format!("(process {})", second.id()))
    });
    gate.open();
    assert_eq!(second.wait_for_exit().code(), Some(0), "{:#?}", second.seen);
    let last: Value = serde_json::from_str(second.seen.last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["run_id"]), (&"settled".into(), &run));
}

#[test]
fn the_running_engine_answers_what_other_processes_ask() {
    let TestSetup {
        forge: _forge,
        home,
        gate,
    } = setup(&["acme/one", "acme/two"]);
    let mut engine = home.start(&["watch", "acme/one#1", "--until-settled", "--json"]);
    engine.read_until("the checks", waits_for_checks);
    assert_eq!(
        home.status("acme/one#1")["blocker"]["code"],
        "checks_running"
    );
    let said = home.run(&["status"]).stdout;
    assert!(
        said.contains(&format!("The engine is running (process {})", engine.id())),
        "{said}"
    );
    let log = home.run(&["log", "ACME/One#1", "--json"]);
    assert_eq!(
        (log.status, log.json()[0]["event"].as_str()),
        (0, Some("created"))
    );

    let ask = |what: &str, pull: &str| request_outcome(&home.run(&[what, pull, "--json"]));
    assert_eq!(ask("start", "acme/two#1"), expected_outcome(0, "done"));
    assert_eq!(
        ask("retry", "acme/two#1"),
        expected_outcome(1, "engine_refused"),
        "it still runs"
    );
    assert_eq!(ask("cancel", "acme/two#1"), expected_outcome(0, "done"));
    wait_until_blocking("the cancel", || {
        home.status("acme/two#1")["state"] == "cancelled"
    });
    let before = home.status("acme/two#1")["run_id"].clone();
    assert_eq!(
        ask("cancel", "acme/two#1"),
        expected_outcome(1, "engine_refused")
    );
    assert_eq!(
        ask("resume", "acme/two#1"),
        expected_outcome(1, "engine_refused")
    );
    assert_eq!(
        ask("start", "acme/nothing#1"),
        expected_outcome(1, "engine_refused")
    );
    assert_eq!(ask("retry", "acme/two#1"), expected_outcome(0, "done"));
    wait_until_blocking("a new run", || {
        home.status("acme/two#1")["run_id"] != before
    });
    assert_eq!(ask("cancel", "acme/one#1"), expected_outcome(0, "done"));
    assert_eq!(engine.wait_for_exit().code(), Some(5));
    gate.open();
}

#[test]
fn without_an_engine_requests_are_queued_and_the_next_watch_takes_them() {
    let TestSetup {
        forge: _forge,
        home,
        gate,
    } = setup(&["acme/one", "acme/two"]);
    let said = home.run(&["start", "acme/two#1"]);
    assert_eq!(
        (said.status, said.stdout.as_str()),
        (
            0,
            "The engine is not running: queued until the next `collie watch`.\n"
        )
    );
    let said = home.run(&["--lang", "fr", "start", "acme/two#1"]);
    assert!(said.stdout.contains("mise en file"), "{said:?}");
    let said = home.run(&["cancel", "acme/two#1", "--json"]);
    assert_eq!(request_outcome(&said), expected_outcome(0, "queued"));
    assert_eq!(
        home.run(&["status", "acme/two#1"]).status,
        1,
        "nothing is made before an engine runs"
    );

    let mut engine = home.start(&["watch", "acme/one#1", "--until-settled", "--json"]);
    engine.read_until("the checks", waits_for_checks);
    wait_until_blocking("the queued requests", || {
        let status = home.run(&["status", "acme/two#1", "--json"]);
        status.status == 0 && status.json()[0]["state"] == "cancelled"
    });
    gate.open();
    assert_eq!(engine.wait_for_exit().code(), Some(0));
}

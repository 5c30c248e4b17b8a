//! A process that stands still past a deadline, as on a laptop that sleeps: it looks before it counts the deadline as passed (§2).

use crate::support::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(4);
const STANDSTILL: Duration = Duration::from_secs(8);

/// Watches a pull request whose check waits for `gate`, stops the process until the check is overdue, and lets it go on. What it said last.
fn stop_past_the_deadline(passes_meanwhile: bool) -> Value {
    let (forge, gate) = (ForgeServer::start(), CheckGate::new());
    forge.import_files(
        "acme/app",
        &[(".forge.toml", &gate.forge_toml()), ("a.txt", "a\n")],
        &[("a.txt", "b\n")],
    );
    let timeout = format!("ci_check_timeout = \"{}s\"", DEADLINE.as_secs());
    let home = TestHome::new(&forge).with_config_lines(&timeout);
    let mut running = home.start(&["watch", "acme/app#1", "--until-settled", "--json"]);
    running.read_until("the check", |line| {
        line["blocker"]["code"] == "checks_running"
    });
    running.signal(Signal::SIGSTOP);
    if passes_meanwhile {
        gate.open();
    }
    std::thread::sleep(STANDSTILL);
    running.signal(Signal::SIGCONT);
    running.wait_for_exit();
    let last = running.seen.last().expect("it says how it ended");
    serde_json::from_str(last).unwrap()
}

#[test]
fn what_passed_while_it_stood_still_is_not_overdue() {
    let last = stop_past_the_deadline(true);
    assert_eq!(last["state"], "pr_ready_to_merge", "{last}");
}

/// A control: the deadline was reached.
#[test]
fn what_still_runs_afterwards_is_overdue() {
    let last = stop_past_the_deadline(false);
    assert_eq!(last["state"], "failed", "{last}");
}

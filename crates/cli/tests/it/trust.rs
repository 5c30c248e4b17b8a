//! `trust` and `allow`: with an engine in another process and without one.

use crate::support::*;
use collie_testkit::repository::{FAULTY_FILE, PASSING_CHECK};

const VERIFY: &str = "[verify]\ncommands = [\"true\", \"echo \\u202Eyes\"]\n";
const COMMANDS: [&str; 2] = ["true", "echo \u{202e}yes"];

fn faulty(forge: &ForgeServer, repo: &str) {
    forge.import_files(
        repo,
        &[
            (".forge.toml", PASSING_CHECK),
            (".collie.toml", VERIFY),
            ("app.js", "export {};\n"),
        ],
        &[("app.js", FAULTY_FILE)],
    );
}

#[test]
fn commands_are_shown_trusted_while_no_engine_runs_and_then_the_fix_goes_on() {
    let forge = ForgeServer::start();
    faulty(&forge, "demo/one");
    let home = TestHome::new(&forge);
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 3, "{watched:?}");
    let blocker = &home.status("demo/one#1")["blocker"];
    assert_eq!(blocker["code"], "verify_untrusted");
    assert_eq!(blocker["args"]["commands"], serde_json::json!(COMMANDS));

    // Shown alone: nothing is decided, and nothing in a command steers the terminal.
    let shown = home.run(&["trust", "demo/one"]);
    assert_eq!(shown.status, 0, "{shown:?}");
    for expect in [".collie.toml", "main", "  true\n", "sandbox", "not trusted"] {
        assert!(shown.stdout.contains(expect), "{expect}: {}", shown.stdout);
    }
    assert!(!shown.stdout.contains('\u{202e}'), "{}", shown.stdout);
    let told = home.run(&["trust", "demo/one", "--json"]).json();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["verify"], "untrusted");
    assert_eq!(told[0]["commands"], serde_json::json!(COMMANDS));
    assert_eq!(told[0]["head_sha"].as_str().unwrap().len(), 40);

    let trusted = home.run(&["trust", "demo/one", "--yes", "--json"]).json();
    assert_eq!(trusted[1]["fate"], "queued", "{trusted:?}");
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 0, "{watched:?}");
    let told = home.run(&["trust", "demo/one", "--json"]).json();
    assert_eq!(told[0]["verify"], "trusted");
    let decided = home.audit();
    let decided: Vec<_> = decided
        .iter()
        .filter(|line| line.get("decision").is_some())
        .collect();
    assert_eq!(decided.len(), 1, "{decided:?}");
    assert_eq!(decided[0]["action"], "permission_check_passed");
    assert_eq!(decided[0]["repo"], "demo/one");
}

#[test]
fn a_running_engine_takes_decisions_at_once() {
    let forge = ForgeServer::start();
    faulty(&forge, "demo/one");
    let home = TestHome::new(&forge);
    let mut engine = home.start(&["watch", "demo/one#1", "--json"]);
    engine.read_until("the question", |line| {
        line["blocker"]["code"] == "verify_untrusted"
    });
    let skipped = home.run(&["trust", "demo/one", "--skip", "--json"]).json();
    assert_eq!(skipped[1]["fate"], "done", "{skipped:?}");
    engine.read_until("ready", |line| line["state"] == "pr_ready_to_merge");
    let told = home.run(&["trust", "demo/one", "--json"]).json();
    assert_eq!(told[0]["verify"], "skipped");
    let revoked = home
        .run(&["trust", "demo/one", "--revoke", "--json"])
        .json();
    assert_eq!(revoked[1]["fate"], "done", "{revoked:?}");
    let told = home.run(&["trust", "demo/one", "--json"]).json();
    assert_eq!(told[0]["verify"], "untrusted");

    let allow = |args: &[&str]| {
        let all: Vec<&str> = [&["allow"], args, &["--json"]].concat();
        home.run(&all).json().remove(0)
    };
    for (args, decision) in [
        (&["demo/one#1"] as &[&str], "allow_pull"),
        (&["demo/one#1", "--revoke"], "revoke_pull"),
        (&["demo/one", "--author", "kim"], "allow_author"),
        (
            &["demo/one", "--author", "kim", "--revoke"],
            "revoke_author",
        ),
    ] {
        let told = allow(args);
        assert_eq!(told["fate"], "done", "{told}");
        assert_eq!(told["request"]["decision"]["decision"], decision, "{told}");
    }
    assert!(allow(&["demo/one", "--author", "kim"])["request"]["decision"]["id"].is_u64());
    assert_eq!(
        allow(&["demo/one", "--author", "no/body"])["code"],
        "not_found"
    );
    engine.kill();
}

#[test]
fn what_the_target_does_not_go_with_is_a_usage_error() {
    let forge = ForgeServer::start();
    let home = TestHome::new(&forge);
    for args in [
        &["allow", "demo/one"] as &[&str],
        &["allow", "demo/one#1", "--author", "kim"],
        &["trust", "demo/one#1"],
        &["trust", "demo/one", "--yes", "--skip"],
    ] {
        let refused = home.run(args);
        assert_eq!(refused.status, 2, "{args:?}: {refused:?}");
    }
    let missing = home.run(&["trust", "demo/none", "--json"]);
    assert_eq!(missing.status, 1, "{missing:?}");
}

//! `dismiss`, `note` and `resume --rounds`: what a person says to a loop that stopped for them.

use crate::support::*;
use collie_testkit::repository::{PASSING_CHECK, PullContent};

#[test]
fn a_finding_that_stopped_a_run_is_dismissed_and_the_next_run_becomes_ready_and_names_who_and_why()
{
    let forge = ForgeServer::start();
    forge.import_files(
        "demo/one",
        &[(".forge.toml", PASSING_CHECK), ("app.js", "export {};\n")],
        &[("app.js", &PullContent::Unfixable.text())],
    );
    let home = TestHome::new(&forge);
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 3, "{watched:?}");
    let stopped = home.status("demo/one#1");
    assert_eq!(stopped["error"]["code"], "upheld");
    let finding = &stopped["findings"][0];
    assert_eq!(finding["can_dismiss"], true);
    let start = &finding["fingerprint"].as_str().unwrap()[..8];
    let told = home.run(&["status", "demo/one#1"]);
    assert!(told.stdout.contains(start), "{}", told.stdout);

    let none = home.run(&["dismiss", "demo/one#1", "zz", "--reason", "x", "--json"]);
    assert_eq!(
        (none.status, &none.json()[0]["code"]),
        (1, &"no_finding".into())
    );
    let reason = "A key of the example, revoked long ago";
    let said = home.run(&["dismiss", "demo/one#1", start, "--reason", reason, "--json"]);
    assert_eq!(said.json()[0]["fate"], "queued", "{said:?}");
    let noted = home.run(&["note", "demo/one#1", "Keep the file", "--json"]);
    assert_eq!(noted.json()[0]["fate"], "queued", "{noted:?}");
    // Without a number it is a plain resume; the request is left in the journal.
    let unknown = home.run(&["resume", "demo/none#1", "--json"]);
    assert_eq!(unknown.json()[0]["request"]["rounds"], 0, "{unknown:?}");
    let resumed = home.run(&["resume", "demo/one#1", "--rounds", "2", "--json"]);
    assert_eq!(resumed.json()[0]["fate"], "queued", "{resumed:?}");
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 0, "{watched:?}");

    let ready = home.status("demo/one#1");
    assert_eq!(ready["state"], "pr_ready_to_merge");
    assert_eq!(ready["max_iterations"], 7);
    assert_eq!(ready["findings"][0]["status"], "dismissed");
    assert_eq!(ready["proof"]["dismissed"][0]["reason"], reason);
    let comments = forge.list("/repos/demo/one/issues/1/comments");
    let proven = |body: &str| body.contains("dismissed by a person") && body.contains(reason);
    let bodies = comments
        .iter()
        .filter_map(|comment| comment["body"].as_str());
    assert!(bodies.clone().any(proven), "{comments:?}");
    let audit = home.audit();
    let actions = audit.iter().filter_map(|line| line["action"].as_str());
    let acts: Vec<&str> = actions
        .filter(|action| matches!(*action, "finding_dismissed" | "fixer_noted"))
        .collect();
    assert_eq!(acts, ["finding_dismissed", "fixer_noted"]);
}

#[test]
fn everything_is_paused_and_goes_on_without_a_window() {
    let forge = ForgeServer::start();
    forge.import_files(
        "demo/one",
        &[("app.js", "export {};\n")],
        &[("app.js", "export const a = 1;\n")],
    );
    let home = TestHome::new(&forge);
    let paused = home.run(&["pause", "--json"]);
    assert_eq!(paused.json()[0]["fate"], "queued", "{paused:?}");
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 3, "{watched:?}");
    let waiting = home.status("demo/one#1");
    assert_eq!(waiting["blocker"]["code"], "paused");
    assert_eq!(waiting["blocker"]["needs_person"], true);
    let told = home.run(&["status"]);
    assert!(told.stdout.contains("`collie unpause`"), "{}", told.stdout);
    assert!(forge.list("/repos/demo/one/issues/1/comments").is_empty());
    let unpaused = home.run(&["unpause", "--json"]);
    assert_eq!(
        unpaused.json()[0]["request"],
        serde_json::json!({"ask": "set_paused", "paused": false})
    );
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 0, "{watched:?}");
    assert!(!forge.list("/repos/demo/one/issues/1/comments").is_empty());
}

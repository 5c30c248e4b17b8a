//! `collie replay`: a journal folds to itself, and says where it does not.

use crate::support::*;
use collie_app::demo::Scenario;
use serde_json::Value;
use std::path::Path;

/// A data folder in which the loop of a scenario ran to its end, and the forge beside it.
fn ran(scenario: Scenario, repo: &str) -> (ForgeServer, TestHome) {
    let forge = ForgeServer::start();
    forge.import_scenario(scenario, repo);
    let home = TestHome::new(&forge);
    let watched = home.run(&["watch", &format!("{repo}#1"), "--until-settled", "--json"]);
    assert_eq!(watched.status, 0, "{watched:?}");
    (forge, home)
}

/// Changes the journal, as no Collie does.
fn change_journal(home: &Path, sql: &str) {
    let changed = std::process::Command::new("python3")
        .args([
            "-c",
            "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as db: db.executescript(sys.argv[2])",
        ])
        .arg(home.join("collie.db"))
        .arg(sql)
        .status()
        .unwrap();
    assert!(changed.success());
}

/// The journal of a fix loop from open to ready, as the Collie of the twelfth migration wrote it. Its readings, states and effects come to the
/// same with every later one: what would have it otherwise changes what old records mean.
#[test]
fn a_journal_of_the_twelfth_migration_is_still_replayed_as_it_was() {
    let kept =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/store/fixtures/v12/fix-loop");
    let home = tempfile::tempdir().unwrap();
    std::fs::copy(kept.join("collie.db"), home.path().join("collie.db")).unwrap();
    let ask = |command: &str| {
        let mut asked = collie_command();
        asked.env("COLLIE_HOME", home.path());
        run_to_end(asked.args([command, "tess/sample#1", "--json"]))
    };
    let replayed = ask("replay");
    assert_eq!(replayed.status, 0, "{replayed:?}");
    let lines = replayed.json();
    let (last, events) = lines.split_last().unwrap();
    assert_eq!(
        (&last["same"], &last["replayed"]),
        (&true.into(), &21.into())
    );
    let log = json_lines(&std::fs::read_to_string(kept.join("log.jsonl")).unwrap());
    let facts = |line: &Value, state: &str| {
        ["seq", "at", "event", "effects", state].map(|key| line[key].clone())
    };
    let replayed: Vec<_> = events.iter().map(|event| facts(event, "state")).collect();
    let told: Vec<_> = log.iter().map(|line| facts(line, "to")).collect();
    assert_eq!(replayed, told);
    assert_eq!(ask("log").json().len(), log.len());

    let changed = r#"UPDATE journal SET notes_json = '[{"note":"rights_granted"}]' WHERE seq = 3"#;
    change_journal(home.path(), changed);
    assert_eq!(ask("replay").status, 1, "a changed record is noticed");
}

#[test]
fn a_loop_is_replayed_as_it_was_and_a_changed_record_is_named() {
    let repo = "demo/fix-loop";
    let pull = format!("{repo}#1");
    let (_forge, home) = ran(Scenario::FixLoop, repo);
    let log = home.run(&["log", &pull, "--json"]).json();
    let replayed = home.run(&["replay", &pull, "--json"]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    let lines = replayed.json();
    let (last, events) = lines.split_last().unwrap();
    assert_eq!(last["type"], "replayed");
    assert_eq!(
        (&last["same"], &last["not_recorded"]),
        (&true.into(), &0.into())
    );
    // Every entry, what was read included, comes to what the log tells.
    assert_eq!(events.len(), log.len());
    for (event, line) in events.iter().zip(&log) {
        assert_eq!(event["type"], "event");
        for key in ["seq", "at", "event", "effects"] {
            assert_eq!(event[key], line[key], "{key} of {line}");
        }
        assert_eq!(event["state"], line["to"], "{line}");
        assert_eq!(event["same"], true);
    }
    assert!(events.iter().any(|event| event["event"] == "observed"));

    let said = home.run(&["replay", &pull]);
    assert_eq!(said.status, 0);
    assert!(said.stdout.contains("same as recorded"), "{}", said.stdout);
    let french = home.run(&["replay", &pull, "--lang", "fr"]);
    assert!(
        french.stdout.contains("comme enregistré"),
        "{}",
        french.stdout
    );

    // Up to an entry, with the state that it came to.
    let pushed = log.iter().find(|line| line["event"] == "pushed").unwrap();
    let to = pushed["seq"].to_string();
    let up_to = home.run(&["replay", &pull, "--to", &to, "--json"]).json();
    let last = up_to.last().unwrap();
    assert_eq!(last["state"]["run"]["state"], pushed["to"]);
    assert_eq!(up_to[up_to.len() - 2]["seq"], pushed["seq"]);

    // A second run is replayed by itself; a third there is not.
    let wrong = home.run(&["replay", &pull, "--run", "2", "--json"]);
    assert_eq!(wrong.status, 1, "{wrong:?}");
    assert!(wrong.stdout.contains("no_run"), "{wrong:?}");
    let first = home.run(&["replay", &pull, "--run", "1", "--json"]).json();
    assert_eq!(first, lines);

    // By its identity.
    let checkpoint: Value = serde_json::from_slice(
        &std::fs::read(home.path().join(format!("state/{repo}/pr_1.json"))).unwrap(),
    )
    .unwrap();
    let id = &checkpoint["state"]["id"];
    let id = format!(
        "{}/{}#1",
        id["host"].as_str().unwrap(),
        id["repo_id"].as_str().unwrap()
    );
    assert_eq!(home.run(&["replay", "--loop", &id, "--json"]).json(), lines);
    assert_eq!(home.run(&["replay", "--loop", "nowhere"]).status, 1);
    assert_eq!(home.run(&["replay"]).status, 2);

    // A remark that the rules do not make.
    let seq = pushed["seq"].as_u64().unwrap();
    change_journal(
        &home.path(),
        &format!(
            r#"UPDATE journal SET notes_json = '[{{"note":"rights_granted"}}]' WHERE seq = {seq}"#
        ),
    );
    let differs = home.run(&["replay", &pull, "--json"]);
    assert_eq!(differs.status, 1, "{differs:?}");
    let lines = differs.json();
    let last = lines.last().unwrap();
    assert_eq!((&last["same"], &last["seq"]), (&false.into(), &seq.into()));
    assert_eq!(last["changes"][0]["path"], "/notes");
    assert_eq!(last["changes"][0]["recorded"]["note"], "rights_granted");
    assert_eq!(lines[lines.len() - 2]["seq"], seq);
    let said = home.run(&["replay", &pull]);
    assert!(
        said.stdout
            .contains(&format!("Entry {seq} comes to something else")),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout
            .contains("/notes  {\"note\":\"rights_granted\"} → nothing"),
        "{}",
        said.stdout
    );
}

#[test]
fn what_an_older_version_left_is_said_not_to_be_kept() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let database = crates.join("store/tests/store/fixtures/v1/ended/collie.db");
    let home = tempfile::tempdir().unwrap();
    std::fs::copy(database, home.path().join("collie.db")).unwrap();
    let replay = |arguments: &[&str]| {
        run_to_end(
            collie_command()
                .env("COLLIE_HOME", home.path())
                .args(["replay", "demo/clean#1"])
                .args(arguments),
        )
    };
    let said = replay(&[]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stdout.contains("entries can be replayed"), "{said:?}");
    let lines = replay(&["--json"]).json();
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["same"], &last["replayed"]),
        (&Value::Null, &0.into())
    );
    assert_eq!(last["not_recorded"], lines.len() - 1);
}

//! The journals of two demos that a Collie of version 1 ran, one to its end and one until it was killed, shown as that Collie
//! showed them itself. Words may have changed since; nothing else.

use crate::support::*;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// What depends on the moment, is words, or was not told yet.
const LEFT_OUT: [&str; 19] = [
    "autonomy",
    "held",
    "held_push",
    "elapsed_ms",
    "text",
    "hints",
    "message",
    "outcome",
    "coverage",
    "throttle",
    "duplicated_posts",
    "branch_holder",
    "workers",
    "unread",
    "head_ref",
    "size",
    "people",
    "can_dismiss",
    "has_page",
];

/// Names that were changed on purpose, as they were and are.
const RENAMED: [(&str, &str); 3] = [
    ("say", "post"),
    ("resolve", "resolve_thread"),
    ("standing", "attention"),
];

fn comparable(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, value)| !LEFT_OUT.contains(&key.as_str()) && !is_new(key, value))
            .map(|(key, value)| (renamed(key), comparable(value)))
            .collect(),
        Value::Array(values) => values.iter().map(comparable).collect(),
        Value::String(text) => renamed(text).into(),
        other => other.clone(),
    }
}

/// What verdicts did not say then: how many findings there were, of whom it is, and what became of linters; nor did findings say in words why they were not fixed.
fn is_new(key: &str, value: &Value) -> bool {
    (key == "findings" && value.is_number())
        || key == "rejection_text"
        || (key == "kind" && value.is_null())
        || (key == "linters" && value.as_array().is_some_and(Vec::is_empty))
}

fn renamed(name: &str) -> String {
    let new = RENAMED.iter().find(|(old, _)| *old == name);
    new.map_or(name, |(_, new)| new).to_owned()
}

fn same(shown: &[Value], file: &Path) {
    let expected = json_lines(&std::fs::read_to_string(file).unwrap());
    assert_eq!(shown.len(), expected.len(), "{}", file.display());
    for (shown, expected) in shown.iter().zip(&expected) {
        assert_eq!(
            comparable(shown),
            comparable(expected),
            "{}",
            file.display()
        );
    }
}

/// A data folder with one of the kept journals.
fn home_with_journal(name: &str) -> TempDir {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let database = crates.join("store/tests/store/fixtures/v1").join(name);
    let home = tempfile::tempdir().unwrap();
    std::fs::copy(database.join("collie.db"), home.path().join("collie.db")).unwrap();
    home
}

fn read_home(home: &Path, arguments: &[&str]) -> CommandResult {
    let ended = run_to_end(collie_command().env("COLLIE_HOME", home).args(arguments));
    assert_eq!(ended.status, 0, "{ended:?}");
    ended
}

#[test]
fn what_a_collie_of_version_1_left_is_shown_as_it_showed_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let expected = crates.join("cli/tests/it/fixtures/v1");
    for name in ["ended", "in-flight"] {
        let home = home_with_journal(name);
        let ask = |arguments: &[&str]| read_home(home.path(), arguments).json();
        same(
            &ask(&["status", "--json"]),
            &expected.join(name).join("status.jsonl"),
        );
        for scenario in [
            "clean",
            "fix-loop",
            "ci-red",
            "stuck",
            "human",
            "moved-head",
        ] {
            let log = ask(&["log", &format!("demo/{scenario}#1"), "--json"]);
            same(
                &log,
                &expected.join(name).join(format!("log-{scenario}.jsonl")),
            );
        }
    }
}

#[test]
fn a_history_is_read_in_words_of_the_readers_language() {
    let home = home_with_journal("ended");
    let arguments = ["log", "demo/stuck#1", "--lang"];
    let told = |more: &[&str]| read_home(home.path(), &[&arguments[..], more].concat()).stdout;
    let (english, french) = (told(&["en", "--events"]), told(&["fr", "--events"]));
    assert!(english.contains("Next: push"), "{english}");
    assert!(french.contains("Une correction a été faite"), "{french}");
    // Codes of events, effects and notes are for programs.
    for line in english.lines().chain(french.lines()) {
        let code = line.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
        let codes: Vec<&str> = code.filter(|word| word.contains('_')).collect();
        assert!(codes.is_empty(), "{codes:?}: {line}");
    }
}

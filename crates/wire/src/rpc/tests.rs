use super::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn generated_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/generated/wire.ts")
}

#[test]
fn the_generated_typescript_is_fresh() {
    let written = std::fs::read_to_string(generated_path()).unwrap();
    assert!(
        written == typescript(),
        "ui/src/generated/wire.ts is stale: run `cargo run -p collie-wire --example generate`"
    );
}

#[test]
fn every_command_has_its_answer() {
    let text = typescript();
    let (_, command) = text.split_once("export type Command = ").unwrap();
    let (command, _) = command.split_once("};\n").unwrap();
    let (_, answers) = text.split_once("export interface Answers {").unwrap();
    let mut commands: Vec<&str> = command
        .split("\"command\": \"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    let mut answered_commands: Vec<&str> = answers
        .lines()
        .filter_map(|line| line.trim().split_once(": ").map(|(name, _)| name))
        .collect();
    commands.sort_unstable();
    answered_commands.sort_unstable();
    assert!(commands.len() > 20, "{command}");
    assert_eq!(commands, answered_commands);
}

#[test]
fn a_reading_is_cached_under_its_topic() {
    let check = |command: Command| {
        let topic = serde_json::to_value(command.topic().expect("a reading")).unwrap();
        let written = serde_json::to_value(&command).unwrap();
        let mut key = vec![written["command"].clone()];
        // The loop or repository first, then whatever else is asked.
        if let Value::Object(args) = &written["args"] {
            let (subject, rest): (Vec<_>, Vec<_>) = args
                .iter()
                .partition(|(name, _)| ["key", "repo"].contains(&name.as_str()));
            key.extend(
                subject
                    .into_iter()
                    .chain(rest)
                    .map(|(_, value)| value.clone()),
            );
        }
        let topic = topic.as_array().unwrap();
        assert_eq!(topic, &key[..topic.len()], "{command:?}");
    };
    let text = || "acme/api".to_owned();
    check(Command::Session);
    check(Command::Loops);
    check(Command::Repositories);
    check(Command::Listing { repo: text() });
    check(Command::OpenPulls);
    check(Command::Timeline { key: text() });
    check(Command::EarlierRuns { key: text() });
    check(Command::Excerpts {
        key: text(),
        fingerprint: "f".into(),
    });
    check(Command::Changes { key: text() });
    let sha = collie_core::ids::Sha::parse(&"a".repeat(40)).unwrap();
    check(Command::CommitDiff { key: text(), sha });
    check(Command::MergeOffer { key: text() });
    check(Command::Settings);
    check(Command::AvailableRepositories);
    let repo = || "acme/api".to_owned();
    check(Command::ReviewMemory { repo: repo() });
    check(Command::Spending);
    check(Command::Insights {
        range: collie_core::insights::InsightsRange::All,
        only: None,
    });
    check(Command::Doctor);
    let (table, changes) = ("llm".to_owned(), std::collections::BTreeMap::new());
    check(Command::ModelKey {
        table: table.clone(),
        changes: changes.clone(),
    });
    check(Command::ListModels { table, changes });
}

#[test]
fn a_command_without_arguments_needs_none() {
    let command: Command = serde_json::from_value(json!({ "command": "start_demo" })).unwrap();
    assert_eq!(command, Command::StartDemo);
    let wrong = serde_json::from_value::<Command>(json!({ "command": "merge_all" }));
    assert!(wrong.is_err());
}

#[test]
fn only_what_changed_is_sent() {
    let previous = crate::tests::full_view();
    assert!(changed_fields(None, &previous).len() > 30);
    let mut current = previous.clone();
    current.elapsed_ms += 1_000;
    assert!(changed_fields(Some(&previous), &current).is_empty());
    current.iteration += 1;
    let changed = changed_fields(Some(&previous), &current);
    // In no order of their own: what else is built decides whether maps are sorted.
    let names: BTreeSet<&str> = changed.keys().map(String::as_str).collect();
    assert_eq!(names, ["elapsed_ms", "iteration"].into());
}

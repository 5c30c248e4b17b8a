//! What the journal and checkpoints hold, tried with JSON that Collie never wrote.

use crate::checkpoint;
use crate::persisted::{read_event, read_state, to_json};
use collie_core::ids::Time;
use collie_core::loop_state::STATE_VERSION;
use collie_core::step::step;
use collie_engine::ports::StoreError;
use collie_fuzz::{Target, parts};

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "0",
    "-1",
    "18446744073709551615",
    "-9223372036854775808",
    "1e308",
    "\"\"",
    "\\u0000",
    "\\ud800",
    "\"event\":",
    "\"outcome\":",
    "\"effect\":",
    "\"answered\"",
    "\"state\":",
    "\"version\":",
    "\"run\":",
    "\"outbox\":",
    "\"effects\":",
    "\"memory\":",
    "\"journal_seq\":",
    "é",
    "\u{202e}",
];

fn target(name: &'static str, iterations: u32) -> Target {
    Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name,
        words: WORDS,
        iterations,
    }
}

/// What could be read is written as it was meant, and a step from it ends and can be kept.
#[test]
fn journal() {
    target("journal", 1_000).run(|bytes| {
        let [version, state, event] = parts::<3>(bytes);
        let version = version.trim().parse().unwrap_or(STATE_VERSION);
        let state = match read_state("a state", version, &state) {
            Ok(state) => state,
            Err(StoreError::NewerVersion { found, .. }) => {
                assert!(found > STATE_VERSION);
                return;
            }
            Err(_) => return,
        };
        assert!((1..=STATE_VERSION).contains(&version));
        let json = to_json(&state).expect("a state can be written");
        let again = read_state("a state", STATE_VERSION, &json).expect("what was written is read");
        assert_eq!(again, state);
        let Ok(event) = read_event("an event", &event) else {
            return;
        };
        let json = to_json(&event).expect("an event can be written");
        assert_eq!(read_event("an event", &json).expect("it is read"), event);
        let next = step(&state, &event, Time(2_000_000));
        let json = to_json(&next.state).expect("a state can be written");
        let again = read_state("a state", STATE_VERSION, &json).expect("what was written is read");
        assert_eq!(again, next.state);
    });
}

/// A file is a checkpoint, whole, or an error: never a part of one.
#[test]
fn checkpoints() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pr_1.json");
    target("checkpoints", 400).run(|bytes| {
        std::fs::write(&path, bytes).expect("a file");
        if let Ok(found) = checkpoint::read(&path, "a checkpoint") {
            let found = found.expect("there is a file");
            checkpoint::write(&path, &found).expect("it can be written");
            let again = checkpoint::read(&path, "a checkpoint");
            assert_eq!(again.expect("what was written is read"), Some(found));
        }
    });
}

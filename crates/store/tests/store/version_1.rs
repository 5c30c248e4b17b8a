//! What a Collie of version 1 left behind, taken from a real one: the journals of two demos, one that ended and one that was
//! killed in the middle, and one of every event, effect and remark. Nothing of it may be lost.

use crate::support::*;
use collie_engine::ports::{Journal, JournalReader};
use collie_store::Store;
use serde_json::Value;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use std::path::PathBuf;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/store/fixtures/v1")
        .join(name)
}

fn forms(name: &str) -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(fixture(name)).unwrap()).unwrap()
}

/// A data folder with what the fixture's Collie left.
fn left_behind(name: &str) -> TempHome {
    let home = temp_home();
    home.folder.create().unwrap();
    std::fs::copy(fixture(name).join("collie.db"), home.folder.database()).unwrap();
    home
}

async fn connect(home: &TempHome) -> SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(home.folder.database());
    options.connect().await.unwrap()
}

/// Every number and text of a JSON value, sorted, the tags of enums left out: what a change of form must not change.
fn leaves(value: &Value) -> Vec<String> {
    const TAGS: [&str; 5] = ["event", "effect", "note", "outcome", "version"];
    let mut found = Vec::new();
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                // A tag is a text; `effect` may be the id of one.
                let tag = TAGS.contains(&key.as_str())
                    && value.as_str().is_some_and(|text| !text.contains('-'));
                if !tag {
                    found.extend(leaves(value));
                }
            }
        }
        Value::Array(values) => found.extend(values.iter().flat_map(leaves)),
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => found.push(number.to_string()),
        Value::String(text) => found.push(text.clone()),
    }
    found.sort();
    found
}

fn json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}

#[tokio::test]
async fn every_event_that_was_received_is_there() {
    let home = left_behind("in-flight");
    let forms = forms("events.json");
    let mut connection = connect(&home).await;
    sqlx::raw_sql("DELETE FROM inbox")
        .execute(&mut connection)
        .await
        .unwrap();
    for form in &forms {
        sqlx::query("INSERT INTO inbox (loop, event, event_json, received_at) VALUES (1, ?, ?, 1)")
            .bind(form["event"].as_str().unwrap())
            .bind(form.to_string())
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection.close().await.unwrap();
    let store = home.engine().await;
    let read = store.unapplied().await.unwrap();
    assert_eq!(read.len(), forms.len());
    for ((_, _, event), form) in read.iter().zip(&forms) {
        // What was a sentence is an error now, whose code says just that.
        let mut kept = leaves(&json(event));
        kept.retain(|leaf| leaf != "recorded");
        assert_eq!(kept, leaves(form), "{form}");
    }
}

#[tokio::test]
async fn every_effect_that_was_asked_for_is_still_wanted() {
    let home = left_behind("in-flight");
    let forms = forms("effects.json");
    let mut connection = connect(&home).await;
    sqlx::raw_sql("DELETE FROM outbox")
        .execute(&mut connection)
        .await
        .unwrap();
    for (n, form) in forms.iter().enumerate() {
        sqlx::query(
            "INSERT INTO outbox (effect_id, loop, effect_json, created_at) VALUES (?, 1, ?, 1)",
        )
        .bind(format!("run-1-{n:06}"))
        .bind(form.to_string())
        .execute(&mut connection)
        .await
        .unwrap();
    }
    connection.close().await.unwrap();
    let store = home.engine().await;
    let read = store.outbox().await.unwrap();
    assert_eq!(read.len(), forms.len());
    for (entry, form) in read.iter().zip(&forms) {
        assert_eq!(leaves(&json(&entry.effect)), leaves(form), "{form}");
    }
}

#[tokio::test]
async fn every_remark_of_the_timeline_is_there() {
    let home = left_behind("in-flight");
    let forms = forms("notes.json");
    let mut connection = connect(&home).await;
    sqlx::query("UPDATE journal SET notes_json = ? WHERE loop = 1")
        .bind(Value::from(forms.clone()).to_string())
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let store = home.engine().await;
    let id = store.loops().await.unwrap()[0].id.clone();
    let timeline = store.timeline(&id).await.unwrap();
    assert!(!timeline.is_empty());
    for entry in timeline {
        assert_eq!(leaves(&json(&entry.notes)), leaves(&forms.clone().into()));
    }
}

/// The states as the database holds them, by loop.
async fn written(home: &TempHome) -> Vec<Value> {
    let mut connection = connect(home).await;
    let rows: Vec<(String,)> =
        sqlx::query_as("SELECT state_json FROM loops ORDER BY host, repo_id, number")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    connection.close().await.unwrap();
    rows.iter()
        .map(|(text,)| serde_json::from_str(text).unwrap())
        .collect()
}

async fn read(store: &Store) -> Vec<Value> {
    let mut loops = store.loops().await.unwrap();
    loops.sort_by(|a, b| a.id.cmp(&b.id));
    loops.iter().map(json).collect()
}

#[tokio::test]
async fn every_loop_is_read_whole() {
    for name in ["ended", "in-flight"] {
        let home = left_behind(name);
        let mut before = written(&home).await;
        assert_eq!(before.len(), 6);
        for state in &mut before {
            // The configuration is read anew, from the default branch: which base it was read from says nothing any more.
            for base in ["/policy_base", "/run/configuration/base"] {
                if let Some(base) = state.pointer_mut(base) {
                    *base = Value::Null;
                }
            }
        }
        let store = home.engine().await;
        for (after, before) in read(&store).await.iter().zip(&before) {
            assert_eq!(leaves(after), leaves(before));
        }
    }
}

#[tokio::test]
async fn the_checkpoints_bring_every_loop_back() {
    for name in ["ended", "in-flight"] {
        let home = left_behind(name);
        let before = written(&home).await;
        copy_all(&fixture(name).join("state"), &home.folder.checkpoints());
        std::fs::write(home.folder.database(), b"").unwrap();
        collie_store::rebuild(&home.folder).await.unwrap();
        let store = home.engine().await;
        let after = read(&store).await;
        assert_eq!(after.len(), before.len());
        for (after, before) in after.iter().zip(&before) {
            // A checkpoint does not follow each reading; identity and findings are what is looked for.
            assert_eq!(after["id"], before["id"]);
            let count = |state: &Value| leaves(state).len();
            assert!(count(after).abs_diff(count(before)) <= 2, "{name}");
        }
    }
}

fn copy_all(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

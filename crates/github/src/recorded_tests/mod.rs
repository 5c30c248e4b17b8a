//! Answers that the real GitHub gave, read by the adapter's own types.
//!
//! octokit's fixtures and examples of webhook payloads come with npm and are read in every run. Those of `gh` and PyGithub are
//! read where `scripts/recorded-github.mjs` names folders with them.

mod gh_checks;
mod kinds;
mod translate;

use kinds::KINDS;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What was read of each kind, and what could not be.
#[derive(Debug, Default)]
struct Tally {
    read: BTreeMap<&'static str, usize>,
    failed: Vec<String>,
}

impl Tally {
    /// Reads a document: each object in it that is of a kind the adapter reads, however deep it lies.
    fn read(&mut self, source: &str, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.read(source, item)),
            Value::Object(fields) => {
                for kind in KINDS.iter().filter(|kind| (kind.is)(value)) {
                    match (kind.read)(value) {
                        Ok(()) => *self.read.entry(kind.name).or_default() += 1,
                        Err(why) => {
                            let shown: String = value.to_string().chars().take(300).collect();
                            self.failed
                                .push(format!("{source}: {}: {why}: {shown}", kind.name));
                        }
                    }
                }
                fields.values().for_each(|field| self.read(source, field));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// All were read, and so many of each kind that the test did not pass on none.
    fn assert_read(&self, at_least: &[(&str, usize)]) {
        println!("{:?}", self.read);
        let count = self.failed.len();
        let shown = self.failed.iter().take(10).cloned().collect::<Vec<_>>();
        assert!(count == 0, "{count} not read:\n{}", shown.join("\n"));
        for (kind, wanted) in at_least {
            let found = self.read.get(kind).copied().unwrap_or_default();
            assert!(found >= *wanted, "{found} of {kind}, not {wanted}");
        }
    }
}

/// Every file below a folder whose name ends so.
fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(files_below(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn npm_package(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../node_modules")
        .join(name);
    assert!(folder.is_dir(), "{name} is missing: run `npm install`");
    folder
}

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a file");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn payloads_of_webhooks_are_read() {
    let mut tally = Tally::default();
    let package = npm_package("@octokit/webhooks-examples");
    let files = files_below(&package, "index.json");
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        let folder = file.parent().and_then(Path::file_name);
        let folder = folder.unwrap_or_default().to_string_lossy().into_owned();
        for event in read_json(&file).as_array().expect("a list of events") {
            let name = event["name"].as_str().unwrap_or_default();
            tally.read(&format!("{folder} {name}"), &event["examples"]);
        }
    }
    tally.assert_read(&[
        ("user", 1_000),
        ("bot", 6),
        ("organization", 200),
        ("pull request", 70),
        ("review", 10),
        ("review comment", 20),
        ("issue comment", 90),
        ("check run", 18),
        ("check suite", 30),
        ("workflow run", 10),
        ("status", 10),
        ("issue", 50),
        ("repository", 500),
    ]);
}

/// The same as if every author's account were gone: GitHub has null then.
fn without_users(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_users).collect(),
        Value::Object(fields) => {
            let of = |(name, field): (&String, &Value)| match name.as_str() {
                "user" | "creator" => (name.clone(), Value::Null),
                _ => (name.clone(), without_users(field)),
            };
            Value::Object(fields.iter().map(of).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[test]
fn what_accounts_wrote_that_are_gone_is_read() {
    let mut tally = Tally::default();
    let package = npm_package("@octokit/webhooks-examples");
    for file in files_below(&package, "index.json") {
        tally.read("without users", &without_users(&read_json(&file)));
    }
    tally.assert_read(&[
        ("pull request", 70),
        ("review", 10),
        ("review comment", 20),
        ("issue comment", 90),
        ("status", 10),
    ]);
}

#[test]
fn octokits_fixtures_are_read() {
    let mut tally = Tally::default();
    let files = files_below(&npm_package("@octokit/fixtures"), "raw-fixture.json");
    assert!(files.len() >= 20, "{files:?}");
    for file in files {
        let name = file.to_string_lossy().into_owned();
        for exchange in read_json(&file).as_array().expect("a list of exchanges") {
            tally.read(&name, &exchange["response"]);
        }
    }
    tally.assert_read(&[
        ("user", 50),
        ("organization", 20),
        ("issue", 10),
        ("status", 5),
        ("repository", 10),
        ("label", 5),
    ]);
}

/// What PyGithub recorded: an exchange is ten lines, of which the answer's body follows its headers.
fn recorded_bodies(text: &str) -> Vec<Value> {
    let lines: Vec<&str> = text.lines().collect();
    let is_answer = |at: &usize| {
        let status = lines[at - 1].parse::<u16>();
        lines[*at].starts_with("[(") && status.is_ok_and(|status| status < 300)
    };
    let bodies = (1..lines.len()).filter(is_answer).map(|at| at + 1);
    let texts = bodies.filter_map(|at| lines.get(at));
    texts
        .filter_map(|text| serde_json::from_str(text).ok())
        .collect()
}

#[test]
fn what_pygithub_recorded_is_read() {
    let Ok(folder) = std::env::var("COLLIE_PYGITHUB_REPLAY") else {
        return;
    };
    let mut tally = Tally::default();
    let mut answers = 0;
    for file in files_below(Path::new(&folder), ".txt") {
        let bytes = std::fs::read(&file).expect("a file");
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for body in recorded_bodies(&String::from_utf8_lossy(&bytes)) {
            answers += 1;
            tally.read(&name, &body);
        }
    }
    println!("{answers} answers");
    assert!(answers > 1_000, "{answers}");
    tally.assert_read(&[
        ("user", 4_000),
        ("bot", 50),
        ("organization", 500),
        ("pull request", 80),
        ("review", 10),
        ("review comment", 10),
        ("issue comment", 200),
        ("check run", 50),
        ("check suite", 10),
        ("annotation", 5),
        ("status", 5),
        ("issue", 100),
        ("repository", 500),
        ("label", 100),
    ]);
}

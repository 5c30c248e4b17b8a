//! What the fake agent is to do: words for its ways, and a script for its work.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The variable that holds its ways, separated by commas. A prompt may add some: `fake-agent:silence,orphan`.
const WAYS: &str = "FAKE_AGENT";
/// The variable that names the script, a JSON file: one [`Script`], or a list of them, one a prompt, the last for all
/// that follow. How many prompts there were is kept beside it, so that it counts across processes.
const SCRIPT: &str = "FAKE_AGENT_SCRIPT";
/// How the ways in a prompt begin.
const IN_PROMPT: &str = "fake-agent:";

/// Every way it knows.
const KNOWN: &[&str] = &[
    // What it can do: resume a session, load one with its history, offer modes; and that it has lost all sessions.
    "resume",
    "load",
    "modes",
    "lost-session",
    // At the start.
    "mute",
    "crash-at-start",
    "old-protocol",
    "login",
    "wrong-shape",
    "noise",
    // At the prompt.
    "silence",
    "endless",
    "no-work",
    "out-of-scope",
    "delete-test",
    "crash",
    "invalid-json",
    "big",
    "unknown-update",
    "overloaded",
    "refusal",
    "orphan",
    "daemon",
    "bare-orphan",
    "echo-env",
    // At the end.
    "ignore-cancel",
    "linger",
];

/// The ways it has now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways(BTreeSet<String>);

impl Ways {
    pub(crate) fn of_environment() -> Result<Self, String> {
        let mut ways = Self::default();
        ways.add(&std::env::var(WAYS).unwrap_or_default())?;
        Ok(ways)
    }

    /// Adds words that are separated by commas.
    pub(crate) fn add(&mut self, words: &str) -> Result<(), String> {
        for word in words
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            if !KNOWN.contains(&word) {
                return Err(format!(
                    "the fake agent knows no way `{word}`; it knows {}",
                    KNOWN.join(", ")
                ));
            }
            self.0.insert(word.to_owned());
        }
        Ok(())
    }

    /// Adds those that a prompt names.
    pub(crate) fn add_from(&mut self, prompt: &str) -> Result<(), String> {
        for (at, _) in prompt.match_indices(IN_PROMPT) {
            let words = prompt[at + IN_PROMPT.len()..].split_whitespace().next();
            self.add(words.unwrap_or_default())?;
        }
        Ok(())
    }

    pub(crate) fn has(&self, way: &str) -> bool {
        debug_assert!(KNOWN.contains(&way), "{way}");
        self.0.contains(way)
    }
}

/// What it does for one prompt.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Script {
    /// Ways for this prompt only, separated by commas.
    pub(crate) ways: String,
    /// What it asks before it works.
    pub(crate) asks: Vec<Ask>,
    /// New content by path, below the working folder; null deletes.
    pub(crate) edits: BTreeMap<String, Option<String>>,
    /// What it says at the end. Without one, a prompt with findings to fix is answered with all of them fixed.
    pub(crate) answer: Option<String>,
}

/// A request for permission.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ask {
    /// As ACP names it: `edit`, `execute`, …
    pub(crate) kind: String,
    /// The file.
    #[serde(default)]
    pub(crate) path: Option<String>,
    /// Kinds of the options it offers.
    #[serde(default = "all_options")]
    pub(crate) options: Vec<String>,
}

fn all_options() -> Vec<String> {
    ["allow_always", "allow_once", "reject_once", "reject_always"]
        .map(str::to_owned)
        .to_vec()
}

#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    One(Script),
    Many(Vec<Script>),
}

/// The script for the next prompt.
pub(crate) fn next() -> Result<Script, String> {
    let Some(path) = std::env::var_os(SCRIPT) else {
        return Ok(Script::default());
    };
    let path = Path::new(&path);
    let wrong = |what: &dyn std::fmt::Display| {
        format!("the fake agent's script {}: {what}", path.display())
    };
    let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
    let scripts = match serde_json::from_str(&text).map_err(|e| wrong(&e))? {
        File::One(script) => vec![script],
        File::Many(scripts) => scripts,
    };
    let counter = path.with_extension("turn");
    let turn = std::fs::read_to_string(&counter)
        .ok()
        .and_then(|text| text.parse::<usize>().ok())
        .unwrap_or(0);
    std::fs::write(&counter, (turn + 1).to_string()).map_err(|e| wrong(&e))?;
    let last = scripts
        .len()
        .checked_sub(1)
        .ok_or_else(|| wrong(&"it holds nothing"))?;
    Ok(scripts[turn.min(last)].clone())
}

/// The answer that says that all findings of a prompt are fixed, in the shape that Collie asks for: those labelled `**F1**` that are not
/// optional.
pub(crate) fn all_fixed(prompt: &str) -> Option<String> {
    let label = |line: &str| {
        let (label, about) = line.strip_prefix("**F")?.split_once("** (")?;
        let number: u32 = label.parse().ok()?;
        (!about.contains("optional")).then(|| format!("F{number}"))
    };
    let fixed: Vec<_> = prompt
        .lines()
        .filter_map(label)
        .map(|id| serde_json::json!({ "findingId": id, "description": "as asked" }))
        .collect();
    if fixed.is_empty() {
        return None;
    }
    Some(serde_json::json!({ "fixedIssues": fixed, "rejectedIssues": [] }).to_string())
}

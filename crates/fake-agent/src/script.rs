//! What the fake agent is to do: words for its ways, and a script for its work.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The variable that holds its ways, separated by commas. A prompt may add some: `fake-agent:silence,orphan`.
const BEHAVIORS_VARIABLE: &str = "FAKE_AGENT";
/// The variable that names the script, a JSON file: one [`Script`], or a list of them, one a prompt, the last for all
/// that follow. How many prompts there were is kept beside it, so that it counts across processes.
const SCRIPT_VARIABLE: &str = "FAKE_AGENT_SCRIPT";
/// What it keeps of its home folder.
const STATE_FOLDER: &str = ".fake-agent";
/// How the ways in a prompt begin.
const PROMPT_PREFIX: &str = "fake-agent:";

/// Every way it knows.
const KNOWN_BEHAVIORS: &[&str] = &[
    // What it can do: resume a session, load one with its history, offer modes; and that it has lost all sessions.
    "resume",
    "load",
    "modes",
    "lost-session",
    // What can be chosen: options, models as before there were options, and more options than anybody reads.
    "options",
    "models",
    "many-options",
    // It takes MCP servers over HTTP.
    "mcp-http",
    // At the start.
    "mute",
    "crash-at-start",
    "old-protocol",
    "login",
    "wrong-shape",
    "noise",
    "long-session-id",
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
    "malformed-updates",
    "overloaded",
    "refusal",
    "orphan",
    "daemon",
    "bare-orphan",
    "echo-env",
    "tell-spent",
    // At the end.
    "ignore-cancel",
    "linger",
];

/// The ways it has now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behaviors(BTreeSet<String>);

impl Behaviors {
    pub(crate) fn from_environment() -> Result<Self, String> {
        let mut behaviors = Self::default();
        behaviors.add(&std::env::var(BEHAVIORS_VARIABLE).unwrap_or_default())?;
        Ok(behaviors)
    }

    /// Adds words that are separated by commas.
    pub(crate) fn add(&mut self, names: &str) -> Result<(), String> {
        for name in names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            if !KNOWN_BEHAVIORS.contains(&name) {
                return Err(format!(
                    "the fake agent knows no way `{name}`; it knows {}",
                    KNOWN_BEHAVIORS.join(", ")
                ));
            }
            self.0.insert(name.to_owned());
        }
        Ok(())
    }

    /// Adds those that a prompt names.
    pub(crate) fn add_from_prompt(&mut self, prompt: &str) -> Result<(), String> {
        for (at, _) in prompt.match_indices(PROMPT_PREFIX) {
            let names = prompt[at + PROMPT_PREFIX.len()..].split_whitespace().next();
            self.add(names.unwrap_or_default())?;
        }
        Ok(())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        debug_assert!(KNOWN_BEHAVIORS.contains(&name), "{name}");
        self.0.contains(name)
    }
}

/// What it does for one prompt.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Script {
    /// Ways for this prompt only, separated by commas.
    pub(crate) behaviors: String,
    /// What it asks before it works.
    pub(crate) permission_requests: Vec<PermissionAsk>,
    /// New content by path, below the working folder; null deletes.
    pub(crate) edits: BTreeMap<String, Option<String>>,
    /// What it says at the end. Without one, a prompt with findings to fix is answered with all of them fixed.
    pub(crate) answer: Option<String>,
}

/// A request for permission.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PermissionAsk {
    /// As ACP names it: `edit`, `execute`, …
    pub(crate) kind: String,
    /// What it calls it; else the kind tells.
    #[serde(default)]
    pub(crate) title: Option<String>,
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
enum ScriptFile {
    One(Script),
    Many(Vec<Script>),
}

/// Where prompts are counted: beside the script, or in [`STATE_FOLDER`] where the script can only be read.
fn writable_counter(script: &Path) -> std::io::Result<PathBuf> {
    let can_write = |path: &Path| {
        let mut options = std::fs::OpenOptions::new();
        options.append(true).create(true).open(path).map(drop)
    };
    let beside = script.with_extension("turn");
    if can_write(&beside).is_ok() {
        return Ok(beside);
    }
    let home = std::env::var_os("HOME").unwrap_or_default();
    let at_home = Path::new(&home).join(STATE_FOLDER).join("turn");
    can_write(&at_home).map(|()| at_home)
}

/// The script for the next prompt.
pub(crate) fn next_script() -> Result<Script, String> {
    let Some(path) = std::env::var_os(SCRIPT_VARIABLE) else {
        return Ok(Script::default());
    };
    let path = Path::new(&path);
    let describe_error = |what: &dyn std::fmt::Display| {
        format!("the fake agent's script {}: {what}", path.display())
    };
    let text = std::fs::read_to_string(path).map_err(|e| describe_error(&e))?;
    let scripts = match serde_json::from_str(&text).map_err(|e| describe_error(&e))? {
        ScriptFile::One(script) => vec![script],
        ScriptFile::Many(scripts) => scripts,
    };
    let counter = writable_counter(path).map_err(|e| describe_error(&e))?;
    let prompt_index = std::fs::read_to_string(&counter)
        .ok()
        .and_then(|text| text.parse::<usize>().ok())
        .unwrap_or(0);
    std::fs::write(&counter, (prompt_index + 1).to_string()).map_err(|e| describe_error(&e))?;
    let last = scripts
        .len()
        .checked_sub(1)
        .ok_or_else(|| describe_error(&"it holds nothing"))?;
    Ok(scripts[prompt_index.min(last)].clone())
}

/// The answer that says that all findings of a prompt are fixed, in the shape that Collie asks for: those labelled `**F1**` that are not
/// optional.
pub(crate) fn all_fixed_answer(prompt: &str) -> Option<String> {
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

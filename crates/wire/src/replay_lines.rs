//! The lines that `replay --json` prints: one JSON object each.

use collie_core::blocker::BlockerCode;
use collie_core::lifecycle::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A line of `replay --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum ReplayLine {
    /// An entry of the journal, and what the rules of today make of it.
    Event(Box<ReplayedEvent>),
    /// The last line.
    Replayed(ReplayResult),
}

/// An entry of the journal, and what the rules of today make of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayedEvent {
    /// Its number in the journal.
    pub seq: u64,
    /// The run, counted from 1.
    pub run: u32,
    /// When it was applied, RFC 3339.
    pub at: String,
    /// What happened, as `log --json` names it.
    pub event: String,
    /// The state after it; none where it could not be replayed.
    pub state: Option<State>,
    /// What is waited for then.
    pub blocker: Option<BlockerCode>,
    /// What was asked for, by name.
    pub effects: Vec<String>,
    /// How many effects are over by it: answered, or no longer wanted.
    pub dropped: usize,
    /// Remarks, as `log --json` writes them.
    pub notes: Vec<String>,
    /// Whether it came to what was recorded; none where it could not be replayed.
    pub same: Option<bool>,
}

/// What a replay came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayResult {
    /// Entries that were replayed.
    pub replayed: usize,
    /// Entries that could not be: what they were decided from is not kept.
    pub not_recorded: usize,
    /// Whether all came to what was recorded; none where none was replayed.
    pub same: Option<bool>,
    /// The first entry that did not.
    pub seq: Option<u64>,
    /// What it differs in.
    pub changes: Vec<ReplayChange>,
    /// The whole state after the last entry; only with `--to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
}

/// One thing in which the rules of today come to something else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayChange {
    /// Where, as a JSON pointer: below `/state`, `/effects` or `/notes`.
    pub path: String,
    /// What was recorded; none where there was nothing.
    pub recorded: Option<Value>,
    /// What it is today; none where there is nothing.
    pub replayed: Option<Value>,
}

//! What a reviewer's or fixer's session came to beside its result. Nothing is decided on it: it is told to people.

use crate::change_map::FileUse;
use crate::linter_run::LinterRun;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A session of an agent that it may be able to go on with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AgentSession {
    /// The agent's name in the configuration.
    pub agent: String,
    /// The agent's own id of the session.
    pub session: String,
    /// What it has cost so far, in millionths of a dollar, as the agent told.
    #[serde(default)]
    pub cost_micros: u64,
}

/// How somebody worked: a remark in the timeline, and what a report has to own up to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionSummary {
    /// The model as `provider/name`, or the agent as it calls itself.
    pub runs_on: String,
    /// Models that took over from the one before, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub take_overs: Vec<TakeOver>,
    /// It went on with an earlier session of this pull request (§6.1).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumed: bool,
    /// It was shown only what changed since its last look, with what was open (§4.4).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delta: bool,
    /// Tools that an agent used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tools: ToolCounts,
    /// Wishes of an agent that were not granted (§9.2).
    #[serde(default, skip_serializing_if = "is_default")]
    pub refused: u32,
    /// Hosts that an agent wanted to reach and may not, with their ports (§9.5).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub refused_hosts: BTreeSet<String>,
    /// What the user set for an agent, and the agent did not take.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub untaken: BTreeSet<UntakenSetting>,
    /// Findings that restraint took out: no evidence, said already, not sure, twice, too many (§4.4).
    #[serde(default, skip_serializing_if = "is_default")]
    pub dropped: u32,
    /// Findings that were not raised again, since people here dismissed the like of them twice.
    #[serde(default, skip_serializing_if = "is_default")]
    pub silenced: u32,
    /// Findings that the second look refuted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refuted: u32,
    /// Findings that should have been checked again, and could not be.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unchecked: u32,
    /// Findings that another reviewer made too, so that they needed no second look.
    #[serde(default, skip_serializing_if = "is_default")]
    pub agreed: u32,
    /// What it was not shown; none when it was shown everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// What became of the repository's linters (§4.7).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linters: Vec<LinterRun>,
    /// Which files use what the change touches, as far as was looked.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub uses: BTreeSet<FileUse>,
}

impl SessionSummary {
    /// Adds what came after it. Whether it went on with an earlier session, the first turn tells.
    pub fn add(&mut self, next: SessionSummary) {
        if !next.runs_on.is_empty() {
            self.runs_on = next.runs_on;
        }
        for taken in next.take_overs {
            self.add_take_over(taken);
        }
        self.tools.reads += next.tools.reads;
        self.tools.edits += next.tools.edits;
        self.tools.commands += next.tools.commands;
        self.tools.others += next.tools.others;
        self.refused += next.refused;
        self.refused_hosts.extend(next.refused_hosts);
        self.untaken.extend(next.untaken);
        self.dropped += next.dropped;
        self.silenced += next.silenced;
        self.refuted += next.refuted;
        self.unchecked += next.unchecked;
        self.agreed += next.agreed;
        self.linters.extend(next.linters);
        self.uses.extend(next.uses);
        if next.left_out.is_some() {
            self.left_out = next.left_out;
        }
    }
}

impl SessionSummary {
    /// Remembers who took over; it is the same at each question while the other one is left alone.
    pub fn add_take_over(&mut self, taken: TakeOver) {
        if !self.take_overs.contains(&taken) {
            self.take_overs.push(taken);
        }
    }
}

/// Something that the user set for an agent, and that the agent did not take: it went on without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UntakenSetting {
    /// What it is.
    pub setting: AgentSetting,
    /// Its name in the configuration.
    pub name: String,
    /// Why the agent does not have it.
    pub reason: UntakenReason,
}

/// What can be set for an agent.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AgentSetting {
    /// The model that it asks.
    Model,
    /// How much that thinks.
    Effort,
    /// A server of tools.
    McpServer,
}

/// Why an agent does not have what was set for it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum UntakenReason {
    /// It offers no such.
    NotOffered,
    /// It offers more than is looked at, and this was not among it.
    TooMany,
    /// It was told, and refused.
    Refused,
    /// It does not speak the way of this server.
    Transport,
    /// The server's program is not there.
    ProgramNotFound,
}

/// A model that answered in place of another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TakeOver {
    /// Which, as `provider/name`.
    pub model: String,
    /// Why the other did not.
    pub reason: TakeOverReason,
}

/// Why a model could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TakeOverReason {
    /// It was out of order, or could not be reached.
    Down,
    /// It takes no more questions for now, or its account is empty.
    OutOfQuota,
    /// It refuses the key, or there is none.
    KeyRefused,
}

/// Hosts that the sandbox refused, each with its port, by what wanted to reach them (§9.5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RefusedHosts {
    /// A coding agent.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub agent: BTreeSet<String>,
    /// What prepared the verification, and succeeded all the same (§6.3 e).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub prepare: BTreeSet<String>,
}

impl RefusedHosts {
    /// None was refused.
    pub fn is_empty(&self) -> bool {
        self.agent.is_empty() && self.prepare.is_empty()
    }
}

/// How often an agent used tools, by what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolCounts {
    /// Reads files or searches in them.
    pub reads: u32,
    /// Writes, deletes or moves files.
    pub edits: u32,
    /// Runs commands.
    pub commands: u32,
    /// Anything else.
    pub others: u32,
}

/// What a reviewer was not shown, since it did not fit into its prompt (§4.4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LeftOut {
    /// How many parts: hunks, documents, issues, threads, …
    pub parts: u32,
    /// The tokens that they would have taken.
    pub tokens: u64,
    /// Files of which it saw no changed line, or not all of them; sorted.
    pub files: Vec<String>,
}

/// Both of two sessions, one after the other; either may have none.
pub fn combine_sessions(
    before: Option<SessionSummary>,
    next: Option<SessionSummary>,
) -> Option<SessionSummary> {
    match (before, next) {
        (Some(mut all), Some(next)) => {
            all.add(next);
            Some(all)
        }
        (before, next) => before.or(next),
    }
}

impl LeftOut {
    /// This, and what a later look was not shown either.
    pub fn and(mut self, more: Option<&LeftOut>) -> Self {
        if let Some(more) = more {
            self.parts += more.parts;
            self.tokens += more.tokens;
            self.files.extend(more.files.iter().cloned());
            self.files.sort();
            self.files.dedup();
        }
        self
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_add_up_and_the_first_reports_whether_it_was_resumed() {
        let account = |resumed, n: u32, left_out: Option<u32>| SessionSummary {
            runs_on: format!("agent {n}"),
            take_overs: Vec::new(),
            resumed,
            delta: false,
            tools: ToolCounts {
                reads: n,
                edits: 10 * n,
                commands: 100 * n,
                others: 1000 * n,
            },
            refused: n,
            refused_hosts: BTreeSet::new(),
            untaken: BTreeSet::new(),
            dropped: 2 * n,
            silenced: 6 * n,
            refuted: 3 * n,
            unchecked: 5 * n,
            agreed: 4 * n,
            left_out: left_out.map(|parts| LeftOut {
                parts,
                ..LeftOut::default()
            }),
            linters: Vec::new(),
            uses: BTreeSet::new(),
        };
        let both = combine_sessions(
            Some(account(false, 1, Some(5))),
            Some(account(true, 2, None)),
        );
        let expect = SessionSummary {
            runs_on: "agent 2".into(),
            ..account(false, 3, Some(5))
        };
        assert_eq!(both, Some(expect));
        let one = Some(account(true, 1, None));
        assert_eq!(combine_sessions(None, one.clone()), one);
        assert_eq!(combine_sessions(one.clone(), None), one);
        assert_eq!(combine_sessions(None, None), None);
    }
}

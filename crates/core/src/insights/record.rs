//! What the journal keeps of a run for figures.

use crate::blocker::{Stop, StopCode};
use crate::finding::{FindingKind, SourceType};
use crate::ids::{Login, RepoName, RunId, Sha, Time};
use crate::lifecycle::State;
use crate::loop_state::LoopState;
use crate::post::Proof;
use crate::tracked_finding::FindingStatus;
use crate::usage::Usage;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One run, ended or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// The repository, by its present name.
    pub repo: RepoName,
    /// The pull request.
    pub number: u64,
    /// The run.
    pub run: RunId,
    /// When it began.
    pub started_at: Time,
    /// When it first was ready.
    pub ready_at: Option<Time>,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// Where it stands, or how it ended.
    pub state: State,
    /// The rest; none of a run that was over before this was kept.
    pub record: Option<RunRecord>,
    /// Another run went on with its findings, and has them in its own record.
    pub is_continued: bool,
}

/// What was spent on a day, on what, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpendRow {
    /// By the clock of the machine.
    pub day: Date,
    /// The repository, by its present name; none where that was not recorded.
    pub repo: Option<RepoName>,
    /// The model as `provider/name`, or the agent; none where that was not recorded.
    pub model: Option<String>,
    /// How much.
    pub usage: Usage,
}

/// What is kept of a run beside its times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// The pull request's title.
    pub title: String,
    /// Its author.
    pub author: Option<Login>,
    /// Why it stopped, where Collie did.
    pub stop: Option<StopCode>,
    /// Pushes by Collie.
    pub pushes: u32,
    /// Tokens and money.
    pub usage: Usage,
    /// What was found.
    pub findings: Vec<FindingCount>,
}

/// What a run came to, as its page showed it last: kept for whoever looks at it once another one has begun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOutcome {
    /// The head.
    pub head: Option<Sha>,
    /// Why it stopped, where Collie did.
    pub stop: Option<Stop>,
    /// What was seen at the head that was ready last.
    pub proof: Option<Box<Proof>>,
}

/// A run of one pull request with what is kept of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRun {
    /// Its times, and what figures are made of.
    pub row: RunRow,
    /// What it came to; none of a run that another one had followed before this was kept.
    pub outcome: Option<RunOutcome>,
}

impl RunOutcome {
    /// Of the present run.
    pub fn of(state: &LoopState) -> Self {
        let run = &state.run;
        Self {
            head: run.head.sha.clone(),
            stop: run.stop.clone(),
            proof: run.head.proof.clone(),
        }
    }
}

/// Findings of one source, in one round, of which the same became.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FindingCount {
    /// The round that first reported them, from 1.
    pub round: u32,
    /// What sort of source.
    pub source: SourceType,
    /// Its name.
    pub name: String,
    /// What became of them.
    pub status: FindingStatus,
    /// How many.
    pub count: u32,
}

/// What became of a finding, as far as figures go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingOutcome {
    /// Fixed, and seen to be.
    Fixed,
    /// Dismissed by a person.
    Dismissed,
    /// Taken back, or not fixed and upheld.
    Declined,
    /// Open.
    Open,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Merged.
    Merged,
    /// Closed.
    Closed,
    /// Cancelled.
    Cancelled,
    /// Collie stopped.
    Stopped(StopCode),
    /// Collie stopped, and why is not known any more.
    Unrecorded,
}

impl RunEnd {
    /// The code, as it is written in JSON, CSV and Fluent keys.
    pub fn code(self) -> &'static str {
        match self {
            RunEnd::Merged => "merged",
            RunEnd::Closed => "closed",
            RunEnd::Cancelled => "cancelled",
            RunEnd::Stopped(code) => code.into(),
            RunEnd::Unrecorded => "unrecorded",
        }
    }
}

impl RunRow {
    /// How long it took from its start until it first was ready.
    pub fn time_to_ready(&self) -> Option<u64> {
        self.ready_at.map(|ready| ready.since(self.started_at))
    }

    /// What was found; nothing where another run went on with it.
    pub fn findings(&self) -> &[FindingCount] {
        match &self.record {
            Some(record) if !self.is_continued => &record.findings,
            _ => &[],
        }
    }

    /// How it ended; of a run that has not, `Unrecorded`.
    pub fn end(&self) -> RunEnd {
        match self.state {
            State::Merged => RunEnd::Merged,
            State::Closed => RunEnd::Closed,
            State::Cancelled => RunEnd::Cancelled,
            _ => {
                let stop = self.record.as_ref().and_then(|record| record.stop);
                stop.map_or(RunEnd::Unrecorded, RunEnd::Stopped)
            }
        }
    }
}

impl FindingCount {
    /// Whether a tool made them, so that a person may dismiss them.
    pub fn is_by_tool(&self) -> bool {
        self.source.is_tool()
    }

    /// What became of them.
    pub fn outcome(&self) -> FindingOutcome {
        match self.status {
            FindingStatus::Fixed => FindingOutcome::Fixed,
            FindingStatus::Dismissed => FindingOutcome::Dismissed,
            FindingStatus::Rejected | FindingStatus::Withdrawn => FindingOutcome::Declined,
            FindingStatus::Open
            | FindingStatus::Claimed
            | FindingStatus::Unsure
            | FindingStatus::Stuck => FindingOutcome::Open,
        }
    }

    /// How many of them have this status: all or none.
    pub fn count_of(&self, status: FindingStatus) -> u32 {
        if self.status == status { self.count } else { 0 }
    }
}

impl RunRecord {
    /// Of the present run. What nobody is sure of, and praise, is no finding here.
    pub fn of(state: &LoopState) -> Self {
        let run = &state.run;
        let mut counts: BTreeMap<(u32, SourceType, &str, FindingStatus), u32> = BTreeMap::new();
        for tracked in run.review.findings.values() {
            let source = &tracked.finding.source;
            let counts_here = tracked.status != FindingStatus::Unsure
                && tracked.finding.kind != FindingKind::Praise;
            if counts_here {
                let name = source.name.as_str();
                let key = (tracked.first_round, source.kind, name, tracked.status);
                *counts.entry(key).or_default() += 1;
            }
        }
        let findings = counts
            .into_iter()
            .map(|((round, source, name, status), count)| FindingCount {
                round,
                source,
                name: name.to_owned(),
                status,
                count,
            });
        Self {
            title: state.pull.title.to_line().into_owned(),
            author: state.pull.author.clone(),
            stop: run.stop.as_ref().map(StopCode::from),
            pushes: run.fixing.iteration,
            usage: run.usage,
            findings: findings.collect(),
        }
    }
}

//! Check runs and commit statuses.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::name::{AccountId, Sha};

/// How far a check run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Waits for a free place.
    Queued,
    /// Runs.
    InProgress,
    /// Has a conclusion.
    Completed,
}

impl CheckStatus {
    /// GitHub's REST name (GraphQL's is its upper case).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

/// How a check run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Exit status 0.
    Success,
    /// Any other exit status.
    Failure,
    /// Neither good nor bad.
    Neutral,
    /// Superseded or stopped.
    Cancelled,
    /// Did not run.
    Skipped,
    /// Killed at its timeout.
    TimedOut,
    /// Waits for a person.
    ActionRequired,
}

impl Conclusion {
    /// GitHub's REST name (GraphQL's is its upper case).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Neutral => "neutral",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
            Self::TimedOut => "timed_out",
            Self::ActionRequired => "action_required",
        }
    }
}

/// How bad an annotation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationLevel {
    /// For information.
    Notice,
    /// A warning.
    Warning,
    /// A failure.
    Failure,
}

impl AnnotationLevel {
    /// GitHub's REST name (GraphQL's is its upper case).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Failure => "failure",
        }
    }
}

/// A remark of a check run on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// File.
    pub path: String,
    /// Line, from 1.
    pub line: u64,
    /// How bad.
    pub level: AnnotationLevel,
    /// Text.
    pub message: String,
}

/// One run of one check on one commit. Its log is a file of its own (`Forge::check_log`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckRun {
    /// Database id; also the id of its Actions job.
    pub id: u64,
    /// The suite: one for each commit and app; of GitHub Actions one for each workflow that an event has started.
    pub suite_id: u64,
    /// Name.
    pub name: String,
    /// The commit.
    pub head_sha: Sha,
    /// Pull request that it was started for.
    pub number: u64,
    /// The bot account of the app that owns it.
    pub app: AccountId,
    /// The command.
    pub command: String,
    /// Seconds after which it is killed.
    pub timeout_secs: u64,
    /// How far it is.
    pub status: CheckStatus,
    /// How it ended.
    pub conclusion: Option<Conclusion>,
    /// Created at.
    pub created_at: Timestamp,
    /// Started at.
    pub started_at: Option<Timestamp>,
    /// Ended at.
    pub completed_at: Option<Timestamp>,
    /// Headline of the output.
    pub title: Option<String>,
    /// Summary of the output.
    pub summary: Option<String>,
    /// Remarks found in the output.
    pub annotations: Vec<Annotation>,
    /// The workflow that it is a job of; none for checks of other apps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Workflow>,
}

/// A workflow of GitHub Actions, as one event has started it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Workflow {
    /// Its file below `.github/workflows`.
    pub file: String,
    /// What it calls itself.
    pub name: String,
    /// What started it: `push`, `pull_request`, …
    pub event: String,
}

/// The state of a commit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusState {
    /// Could not run.
    Error,
    /// Failed.
    Failure,
    /// Still running.
    Pending,
    /// Passed.
    Success,
}

impl StatusState {
    /// GitHub's REST name (GraphQL's is its upper case).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Failure => "failure",
            Self::Pending => "pending",
            Self::Success => "success",
        }
    }
}

/// A commit status, as an outside CI posts it. The newest of each context counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommitStatus {
    /// Database id.
    pub id: u64,
    /// The commit.
    pub sha: Sha,
    /// Its name.
    pub context: String,
    /// State.
    pub state: StatusState,
    /// One line about it.
    pub description: Option<String>,
    /// Where to read more.
    pub target_url: Option<String>,
    /// Who posted it.
    pub creator: AccountId,
    /// Posted at.
    pub created_at: Timestamp,
    /// Changed at.
    pub updated_at: Timestamp,
}

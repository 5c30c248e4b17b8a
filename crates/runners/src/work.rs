//! What a runner is given of a session, as it goes over the wire.

use collie_agents::prompting::LinkedIssue;
use collie_core::coverage::UnseenFile;
use collie_core::finding::Finding;
use collie_core::fix::FixPayload;
use collie_core::ids::{Login, LoopId, RepoName, Sha, Time};
use collie_core::policy::{Policy, ReviewerSpec};
use collie_core::review_memory::MemoryEntry;
use collie_core::snapshot::Snapshot;
use collie_core::text::UntrustedText;
use collie_core::tracked_finding::TrackedFinding;
use collie_engine::ports::GateRefusal;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A patch may not be larger, in bytes.
pub const MAX_PATCH_BYTES: usize = 8 << 20;

/// What a runner asks for work with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimRequest {
    /// What it is called, for people; one that is gone and comes back has the same name.
    pub name: String,
    /// How long it waits for work, in milliseconds; the server may answer sooner.
    #[serde(default)]
    pub wait_ms: u64,
}

/// A session that a runner holds from now on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClaimedSession {
    /// Which.
    pub session: String,
    /// Good for this session alone, until the lease ends.
    pub token: String,
    /// The lease ends so many milliseconds after the last heartbeat.
    pub lease_ms: u64,
    /// What is to be done.
    pub work: OfferedWork,
}

/// That a runner is still at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// The session.
    pub session: String,
}

/// How long a lease goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseAnswer {
    /// So many milliseconds from now.
    pub lease_ms: u64,
}

/// What is to be done, with all there is to know of the pull request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OfferedWork {
    /// The pull request's identity.
    pub loop_id: LoopId,
    /// Its repository.
    pub repo: RepoName,
    /// The head to work on.
    pub head: Sha,
    /// The commit that the base branch is at.
    pub base: Sha,
    /// The pull request as GitHub showed it.
    pub snapshot: Snapshot,
    /// The issues that it names.
    pub issues: Vec<LinkedIssue>,
    /// What people made of earlier findings.
    pub memory: Vec<MemoryEntry>,
    /// The work itself.
    pub work: Work,
}

impl OfferedWork {
    /// Takes time that has passed from what the work may take.
    pub fn take_time(&mut self, passed: Duration) {
        if let Work::Review(review) = &mut self.work {
            review.time_left_ms = time_left_after(review.time_left_ms, passed);
        }
    }
}

/// What is left of so many milliseconds.
pub(crate) fn time_left_after(left_ms: u64, passed: Duration) -> u64 {
    let passed = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX);
    left_ms.saturating_sub(passed)
}

/// A review or a fix.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Work {
    /// A review.
    Review(Box<ReviewWork>),
    /// A fix.
    Fix(Box<FixWork>),
}

/// A file of the repository's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedFile {
    /// Its path.
    pub path: String,
    /// Its bytes in base64.
    pub base64: String,
}

/// What a reviewer is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReviewWork {
    /// Who is asked.
    pub reviewer: ReviewerSpec,
    /// The author may write to the repository.
    pub author_may_write: bool,
    /// What this reviewer saw before.
    pub since: Option<Sha>,
    /// Findings that stand, rejections with reasons.
    pub known_findings: Vec<TrackedFinding>,
    /// Files that this reviewer was not shown wholly before.
    pub unseen: Vec<UnseenFile>,
    /// Findings of bots to be held against the code.
    pub doubted: Vec<Finding>,
    /// The repository's own rules at the base.
    pub rules: Vec<SharedFile>,
    /// The repository's own personas at the base.
    pub personas: Vec<SharedFile>,
    /// What the loop goes by.
    pub policy: Policy,
    /// When.
    pub now: Time,
    /// How much of its time the session had left when it was claimed, in milliseconds.
    #[serde(default = "default_time_left")]
    pub time_left_ms: u64,
}

/// What servers that do not say it give a review.
fn default_time_left() -> u64 {
    15 * 60_000
}

/// A commit that was said to fix an issue, and did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedBefore {
    /// The issue's id.
    pub finding_id: String,
    /// What the commit changed.
    pub patch: String,
    /// Why the issue stands all the same.
    pub standing_reason: Option<String>,
}

/// What a fixer is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FixWork {
    /// What is asked (A4).
    pub payload: FixPayload,
    /// The repository's own rules at the base.
    pub rules: Vec<SharedFile>,
    /// What was tried before.
    pub attempts: Vec<TriedBefore>,
    /// What the gates refused last time.
    pub refusal: Option<GateRefusal>,
    /// What was tried in this session so far, as a patch in base64: the fixer goes on from there.
    pub tried: String,
    /// Title of the pull request.
    pub title: UntrustedText,
    /// Who opened it.
    pub author: Option<Login>,
    /// The commands that the result must pass on the server; the runner runs none of them.
    pub verify_commands: Vec<String>,
}

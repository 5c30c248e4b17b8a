//! Reviewers and the fixer.

use super::{CleanWorktree, DiffFile, GateRefusal, SessionMeter};
use super::{PrepareStep, VerifyPlan};
use async_trait::async_trait;
use collie_core::coverage::UnseenFile;
use collie_core::event::{SecondLookScore, SessionFailure};
use collie_core::finding::{Finding, Replacement};
use collie_core::fix::{FixPayload, FixResult};
use collie_core::ids::{Fingerprint, Login, LoopId, Sha, ThreadId, Time};
use collie_core::policy::{Policy, ReviewerSpec};
use collie_core::review::ReviewerResult;
use collie_core::session::SessionSummary;
use collie_core::text::UntrustedText;
use collie_core::tracked_finding::TrackedFinding;
use std::collections::{BTreeMap, BTreeSet};
use tokio_util::sync::CancellationToken;

/// What a reviewer gets.
#[derive(Clone, Debug)]
pub struct ReviewRequest {
    /// Where what it costs is counted, and what it was refused.
    pub meter: SessionMeter,
    /// Who is asked.
    pub reviewer: ReviewerSpec,
    /// The checkout.
    pub worktree: CleanWorktree,
    /// The author may write to the repository, or is the signed-in account: only then the user's setting may do without a sandbox (§9.5).
    pub author_may_write: bool,
    /// The base commit.
    pub base: Sha,
    /// The difference.
    pub diff: Vec<DiffFile>,
    /// What this reviewer saw before.
    pub since: Option<Sha>,
    /// Findings that stand, rejections with reasons.
    pub known_findings: Vec<TrackedFinding>,
    /// Files that this reviewer was not shown wholly before: shown whole now, if at all.
    pub unseen: Vec<UnseenFile>,
    /// Findings of bots to be held against the code; where there are some, nothing else is looked for.
    pub doubted: Vec<Finding>,
    /// The repository's own rules at the base: path and text.
    pub rules: Vec<(String, Vec<u8>)>,
    /// The repository's own personas at the base: path and text.
    pub personas: Vec<(String, Vec<u8>)>,
    /// What gets the repository's own packages into the checkout; only commands that may run.
    pub prepare: Vec<PrepareStep>,
    /// What the loop goes by.
    pub policy: Policy,
    /// When.
    pub now: Time,
    /// How much of its time the session has left; what it has not said by then is lost.
    pub time_left_ms: u64,
}

/// What a reviewer gives.
#[derive(Clone, Debug)]
pub struct ReviewResponse {
    /// The result (A2).
    pub result: ReviewerResult,
    /// Hash of the prompts that it was made with; none when there were none.
    pub prompt_hash: Option<String>,
    /// Earlier findings of its own that it takes back.
    pub withdrawn: BTreeSet<Fingerprint>,
    /// What can be put in place of the lines that a finding is about, by its id.
    pub replacements: BTreeMap<String, Replacement>,
    /// Earlier findings of its own that it could not be asked about, since a reading failed.
    pub not_rechecked: BTreeSet<Fingerprint>,
    /// Why earlier findings of its own still stand, in its words, by their ids in the result.
    pub upheld: BTreeMap<String, String>,
    /// Open threads of somebody trusted that say a finding already, by its id: it counts, and is not posted on its line (§4.4).
    pub covered: BTreeMap<String, ThreadId>,
    /// How the session went; none where there was none.
    pub session: Option<SessionSummary>,
    /// Changed files that it was not shown wholly, those of earlier looks among them; each path once (§4.4).
    pub unseen: Vec<UnseenFile>,
    /// How far the doubted findings stand, by their ids.
    pub second_looks: BTreeMap<String, SecondLookScore>,
}

impl From<ReviewerResult> for ReviewResponse {
    /// A result that needed no session.
    fn from(result: ReviewerResult) -> Self {
        Self {
            result,
            prompt_hash: None,
            withdrawn: BTreeSet::new(),
            not_rechecked: BTreeSet::new(),
            replacements: BTreeMap::new(),
            upheld: BTreeMap::new(),
            covered: BTreeMap::new(),
            session: None,
            unseen: Vec::new(),
            second_looks: BTreeMap::new(),
        }
    }
}

/// Reviews. One implementation looks at the reviewer's kind and asks the right one.
#[async_trait]
pub trait Reviewers: Send + Sync {
    /// Looks once. Ends soon after `cancel`.
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure>;
}

/// A commit that was said to fix an issue, and did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierAttempt {
    /// The id in the payload.
    pub finding_id: String,
    /// What the commit changed, as a patch.
    pub patch: String,
    /// Why the issue stands all the same, in its reviewer's words, where it said so.
    pub standing_reason: Option<String>,
}

/// What the fixer gets.
#[derive(Clone, Debug)]
pub struct FixRequest {
    /// Where what it costs is counted, and what it was refused.
    pub meter: SessionMeter,
    /// Where it works.
    pub worktree: CleanWorktree,
    /// It resolves a merge: what is checked out is the merge with its conflicts, not the head.
    pub resolves_merge: bool,
    /// The difference: only these files may change.
    pub diff: Vec<DiffFile>,
    /// What is asked (A4).
    pub payload: FixPayload,
    /// The repository's own rules at the base: path and text.
    pub rules: Vec<(String, Vec<u8>)>,
    /// What was tried before on issues that stand after all (§5.2), oldest first.
    pub attempts: Vec<EarlierAttempt>,
    /// What the gates refused last time.
    pub refusal: Option<GateRefusal>,
    /// The base commit.
    pub base: Sha,
    /// Title of the pull request.
    pub title: UntrustedText,
    /// Who opened it.
    pub author: Option<Login>,
    /// What the result must pass.
    pub verify: VerifyPlan,
}

/// What the fixer gives.
#[derive(Clone, Debug)]
pub struct FixResponse {
    /// Its account (A5), without commits.
    pub result: FixResult,
    /// How the session went; none where there was none.
    pub session: Option<SessionSummary>,
    /// Each fix stands for itself: asked for some of the issues after a refusal, the fixer undoes what it did and fixes just those.
    pub independent: bool,
}

/// Fixes. What it says it did is never believed: the worktree is.
#[async_trait]
pub trait Fixer: Send + Sync {
    /// Works once in the worktree. Ends soon after `cancel`.
    async fn fix(
        &self,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure>;

    /// Removes what it keeps of its sessions on a pull request whose run is over for good (§6.2); by default it keeps nothing.
    async fn forget_sessions(&self, _: &LoopId) -> std::io::Result<()> {
        Ok(())
    }
}

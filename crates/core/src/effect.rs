//! What a loop asks for. Each is safe to repeat.

use crate::coverage::UnseenFile;
use crate::finding::Finding;
use crate::fix::FixPayload;
use crate::ids::{ActionToken, Sha, ThreadId, Time};
use crate::policy::ReviewerSpec;
use crate::post::Post;
use crate::review_memory::MemoryEntry;
use crate::token_right::RepositoryWrite;
use crate::tracked_finding::TrackedFinding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a loop asks for. Each is safe to repeat.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case", tag = "effect")]
#[strum(serialize_all = "snake_case")]
pub enum Effect {
    /// Read the repository's configuration.
    LoadConfig(LoadConfigEffect),
    /// Ask what of what Collie writes the token may not; nothing is written for it.
    CheckRights(CheckRightsEffect),
    /// Let one reviewer look. Takes a slot.
    Review(ReviewEffect),
    /// Let the fixer work, pass the gates, commit. Takes a slot.
    Fix(FixEffect),
    /// Pass a fix through the gates again, now that its verify commands may run or be left out. Takes a slot.
    Verify(VerifyEffect),
    /// Merge the base into the head branch, pass the gates, commit. Takes a slot.
    MergeBase(MergeBaseEffect),
    /// Push the commit. Done when it is the remote head or an ancestor of it.
    Push(PushEffect),
    /// Ask git what the head branch is at.
    ReadRemoteHead(ReadRemoteHeadEffect),
    /// Say something on GitHub.
    #[serde(alias = "say")]
    Post(PostEffect),
    /// Resolve a thread.
    #[serde(alias = "resolve")]
    ResolveThread(ResolveThreadEffect),
    /// Have failed checks run once more.
    RerunChecks(RerunChecksEffect),
    /// Write down what people made of a finding, for later reviews of the repository.
    Remember(RememberEffect),
    /// Remove the worktree.
    CleanUp,
}

impl Effect {
    /// Its name, as the journal and `log --json` write it.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Its name, with what it is about where there are several of one kind: `review:rules`, `post:proof`.
    pub fn label(&self) -> String {
        let name = self.name();
        match self {
            Effect::Review(asked) => format!("{name}:{}", asked.reviewer.name),
            Effect::Post(asked) => format!("{name}:{}", asked.post.content.name()),
            Effect::LoadConfig(_)
            | Effect::CheckRights(_)
            | Effect::Fix(_)
            | Effect::Verify(_)
            | Effect::MergeBase(_)
            | Effect::Push(_)
            | Effect::ReadRemoteHead(_)
            | Effect::ResolveThread(_)
            | Effect::RerunChecks(_)
            | Effect::Remember(_)
            | Effect::CleanUp => name.into(),
        }
    }

    /// Whether it says something under this token.
    pub fn says(&self, token: &ActionToken) -> bool {
        matches!(self, Effect::Post(asked) if asked.post.token == *token)
    }

    /// Whether it only reads, and says nothing about the loop's end.
    pub fn only_reads(&self) -> bool {
        match self {
            Effect::LoadConfig(_) | Effect::CheckRights(_) | Effect::ReadRemoteHead(_) => true,
            Effect::Review(_)
            | Effect::Fix(_)
            | Effect::Verify(_)
            | Effect::MergeBase(_)
            | Effect::Push(_)
            | Effect::Post(_)
            | Effect::ResolveThread(_)
            | Effect::RerunChecks(_)
            | Effect::Remember(_)
            | Effect::CleanUp => false,
        }
    }

    /// The review that it asks for, if it asks for one.
    pub fn as_review(&self) -> Option<&ReviewEffect> {
        match self {
            Effect::Review(asked) => Some(asked),
            Effect::LoadConfig(_)
            | Effect::CheckRights(_)
            | Effect::Fix(_)
            | Effect::Verify(_)
            | Effect::MergeBase(_)
            | Effect::Push(_)
            | Effect::ReadRemoteHead(_)
            | Effect::Post(_)
            | Effect::ResolveThread(_)
            | Effect::RerunChecks(_)
            | Effect::Remember(_)
            | Effect::CleanUp => None,
        }
    }

    /// Whether it needs one of the slots (§2).
    pub fn takes_slot(&self) -> bool {
        self.not_before().is_some()
    }

    /// When work may begin; none for what needs no slot.
    pub fn not_before(&self) -> Option<Time> {
        match self {
            Effect::Review(asked) => Some(asked.not_before),
            Effect::Fix(asked) => Some(asked.not_before),
            Effect::Verify(asked) => Some(asked.not_before),
            Effect::MergeBase(asked) => Some(asked.not_before),
            Effect::LoadConfig(_)
            | Effect::CheckRights(_)
            | Effect::Push(_)
            | Effect::ReadRemoteHead(_)
            | Effect::Post(_)
            | Effect::ResolveThread(_)
            | Effect::RerunChecks(_)
            | Effect::Remember(_)
            | Effect::CleanUp => None,
        }
    }
}

/// Read the repository's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LoadConfigEffect {
    /// The commit that its default branch is at.
    #[serde(alias = "base")]
    pub commit: Sha,
}

/// Ask what of what Collie writes the token may not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CheckRightsEffect {
    /// What Collie may have to write.
    pub needed: BTreeSet<RepositoryWrite>,
}

/// Let one reviewer look.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReviewEffect {
    /// The stage, from 0.
    pub stage: u32,
    /// Who.
    pub reviewer: ReviewerSpec,
    /// The head.
    pub head: Sha,
    /// The base commit.
    pub base: Sha,
    /// The head that this reviewer saw before, from iteration 2 on.
    pub since: Option<Sha>,
    /// Findings that stand, and rejections with their reasons.
    #[serde(alias = "known")]
    pub known_findings: Vec<TrackedFinding>,
    /// Files that this reviewer was not shown wholly before: they are shown whole, if at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<UnseenFile>,
    /// Findings of bots, by their identity, to be held against the code. Where there are some, nothing else is looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubted: Vec<Finding>,
    /// Not before then (retries).
    pub not_before: Time,
}

impl ReviewEffect {
    /// Whether it is a second look at what bots found.
    pub fn is_second_look(&self) -> bool {
        !self.doubted.is_empty()
    }
}

/// Let the fixer work, pass the gates, commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixEffect {
    /// What is asked.
    pub payload: FixPayload,
    /// The head.
    pub head: Sha,
    /// The base commit.
    pub base: Sha,
    /// Not before then (retries).
    pub not_before: Time,
    /// Failed sessions so far.
    pub failures: u32,
    /// What a person said against the fix before it: the fixer's next instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<RejectedPush>,
}

/// A fix that a person did not let be pushed (§13.7).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RejectedPush {
    /// The commit.
    pub commit: Sha,
    /// What the person said; may be empty.
    pub note: String,
}

/// Pass a fix through the gates again, its verify commands among them, and commit it anew.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VerifyEffect {
    /// The commit of the fix.
    pub commit: Sha,
    /// The head it was made on.
    pub from: Sha,
    /// The base commit.
    pub base: Sha,
    /// Not before then (retries).
    pub not_before: Time,
    /// Failed attempts so far.
    pub failures: u32,
}

/// Merge the base into the head branch, by a merge commit (§3.7).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MergeBaseEffect {
    /// The head.
    pub head: Sha,
    /// The base commit.
    pub base: Sha,
    /// The base branch.
    pub base_ref: String,
    /// Whether the fixer resolves conflicts; else it is given up where there are any.
    pub by_agent: bool,
    /// Not before then (retries).
    pub not_before: Time,
    /// Failed sessions so far.
    pub failures: u32,
}

/// Push the commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PushEffect {
    /// The commit.
    pub commit: Sha,
    /// The head it was made on.
    pub from: Sha,
    /// It was rebased already; that is done once (§6.4).
    pub rebased: bool,
}

/// Ask git what the head branch is at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReadRemoteHeadEffect {
    /// The head that GitHub shows.
    pub shown: Sha,
}

/// Say something on GitHub.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PostEffect {
    /// What.
    pub post: Box<Post>,
}

/// Resolve a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ResolveThreadEffect {
    /// Which.
    pub thread: ThreadId,
}

/// Have failed checks run once more.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RerunChecksEffect {
    /// Which.
    pub checks: Vec<CheckRun>,
}

/// One run of a check.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CheckRun {
    /// GitHub's number of it.
    pub id: u64,
    /// Whether it is a job of GitHub Actions, which are run again by another call than those of other apps.
    pub is_job: bool,
}

/// Write down what people made of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RememberEffect {
    /// What is written; the same one twice is one.
    pub entry: Box<MemoryEntry>,
}

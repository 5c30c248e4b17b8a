//! Pull requests.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::name::{AccountId, RepoName, Sha};

/// Where a pull request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullState {
    /// Open, draft or not.
    Open,
    /// Closed without a merge.
    Closed,
    /// Merged.
    Merged,
}

/// How a pull request is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeMethod {
    /// A merge commit.
    Merge,
    /// One commit with everything in it.
    Squash,
    /// Each commit anew on the base.
    Rebase,
}

/// A standing order to merge once everything passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoMerge {
    /// Who switched it on.
    pub enabled_by: AccountId,
    /// When.
    pub enabled_at: Timestamp,
    /// How it will merge.
    pub method: MergeMethod,
    /// Headline of the merge commit, if given.
    pub commit_title: Option<String>,
    /// Body of the merge commit, if given.
    pub commit_message: Option<String>,
}

/// A place in the merge queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeQueuePosition {
    /// Database id.
    pub id: u64,
    /// Who queued it.
    pub enqueued_by: AccountId,
    /// When.
    pub enqueued_at: Timestamp,
    /// What would be merged: the base with every entry ahead and this one. None where that conflicts.
    #[serde(default)]
    pub head_commit: Option<Sha>,
}

/// What git says about a pull request at its current base and head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullGitFacts {
    /// The merge base; diffs start here.
    pub merge_base: Sha,
    /// Whether it merges without a conflict; `None` while that is being computed.
    pub mergeable: Option<bool>,
    /// Commits on the base that the head lacks.
    pub behind_by: u64,
    /// Commits of the pull request.
    pub commits: u64,
    /// Lines added.
    pub additions: u64,
    /// Lines deleted.
    pub deletions: u64,
    /// Files changed.
    pub changed_files: u64,
}

/// The fork that a pull request comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadFork {
    /// Its name.
    pub repo: RepoName,
    /// Whose it is.
    pub owner: AccountId,
    /// Whether those who may write to the base may push to its branch.
    pub maintainer_can_modify: bool,
    /// Whether it is gone, whatever bears its name now.
    pub deleted: bool,
}

/// One head that a pull request has had, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadUpdate {
    /// The head commit.
    pub sha: Sha,
    /// When it became the head.
    pub at: Timestamp,
    /// Who pushed it.
    pub by: AccountId,
    /// Whether the head before it is not an ancestor.
    pub forced: bool,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PullRequest {
    /// Database id.
    pub id: u64,
    /// Database id of the issue that every pull request also is.
    pub issue_id: u64,
    /// Number within the repository; the key of its table.
    pub number: u64,
    /// Title.
    pub title: String,
    /// Description.
    pub body: Option<String>,
    /// Who opened it.
    pub author: AccountId,
    /// Open, closed or merged.
    pub state: PullState,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether only those with a role may comment.
    pub locked: bool,
    /// The branch it goes into.
    pub base_ref: String,
    /// Where that branch is, as long as the pull request is open.
    pub base_sha: Sha,
    /// The branch it comes from.
    pub head_ref: String,
    /// The fork that this branch is in; none where it is in the repository itself.
    #[serde(default)]
    pub head_fork: Option<HeadFork>,
    /// The head commit.
    pub head_sha: Sha,
    /// Opened at.
    pub created_at: Timestamp,
    /// Last change of any kind.
    pub updated_at: Timestamp,
    /// Closed or merged at.
    pub closed_at: Option<Timestamp>,
    /// Who closed or merged it.
    pub closed_by: Option<AccountId>,
    /// Merged at.
    pub merged_at: Option<Timestamp>,
    /// Who merged it.
    pub merged_by: Option<AccountId>,
    /// The commit that merged it.
    pub merge_commit_sha: Option<Sha>,
    /// Names of its labels (lower-case keys into `RepoMeta::labels`).
    pub labels: BTreeSet<String>,
    /// Assignees.
    pub assignees: Vec<AccountId>,
    /// Reviews asked for and not yet given.
    pub requested_reviewers: Vec<AccountId>,
    /// Set when it is to merge by itself.
    pub auto_merge: Option<AutoMerge>,
    /// Set while a merge queue holds it.
    pub merge_queue_entry: Option<MergeQueuePosition>,
    /// What git says at this base and head.
    pub git: PullGitFacts,
    /// Every head so far, oldest first; the last is `head_sha`.
    pub heads: Vec<HeadUpdate>,
}

//! What happened to an issue or pull request, as its timeline tells it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::name::{AccountId, Sha};

/// Something that somebody did; comments, reviews and commits are told from their own tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEvent {
    /// Database id.
    pub id: u64,
    /// The issue or pull request.
    pub number: u64,
    /// Who did it.
    pub actor: AccountId,
    /// When.
    pub created_at: Timestamp,
    /// What it was.
    pub kind: EventKind,
}

/// What was done, by GitHub's names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// Closed, also by a merge.
    Closed,
    /// Opened again.
    Reopened,
    /// Merged.
    Merged {
        /// The commit that did it.
        commit: Sha,
    },
    /// The head was moved to where its old commit is no ancestor.
    HeadRefForcePushed {
        /// The new head.
        commit: Sha,
    },
    /// A label was put on.
    Labeled {
        /// Its name.
        name: String,
        /// Its colour, six hex digits.
        color: String,
    },
    /// A label was taken off.
    Unlabeled {
        /// Its name.
        name: String,
        /// Its colour, six hex digits.
        color: String,
    },
    /// Somebody was assigned.
    Assigned {
        /// Who.
        assignee: AccountId,
    },
    /// Somebody is assigned no more.
    Unassigned {
        /// Who.
        assignee: AccountId,
    },
    /// A review was asked for.
    ReviewRequested {
        /// Of whom.
        reviewer: AccountId,
    },
    /// A review is asked for no more.
    ReviewRequestRemoved {
        /// Of whom.
        reviewer: AccountId,
    },
    /// The title was changed.
    Renamed {
        /// The title before.
        from: String,
        /// The title since.
        to: String,
    },
    /// Only those with a role may comment since.
    Locked,
    /// Everybody may comment since.
    Unlocked,
    /// Was put into a merge queue.
    AddedToMergeQueue,
    /// Was taken out of a merge queue, also by its merge.
    RemovedFromMergeQueue {
        /// Why, by the word that GitHub's timeline has for it: `failed_checks`, `manual`, …
        reason: String,
        /// Who had queued it.
        enqueuer: AccountId,
        /// The queue's commit; none where it could not be made.
        commit: Option<Sha>,
    },
    /// Is a draft no more.
    ReadyForReview,
    /// Became a draft.
    ConvertToDraft,
}

impl EventKind {
    /// GitHub's REST name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Merged { .. } => "merged",
            Self::HeadRefForcePushed { .. } => "head_ref_force_pushed",
            Self::Labeled { .. } => "labeled",
            Self::Unlabeled { .. } => "unlabeled",
            Self::Assigned { .. } => "assigned",
            Self::Unassigned { .. } => "unassigned",
            Self::ReviewRequested { .. } => "review_requested",
            Self::ReviewRequestRemoved { .. } => "review_request_removed",
            Self::Renamed { .. } => "renamed",
            Self::Locked => "locked",
            Self::Unlocked => "unlocked",
            Self::AddedToMergeQueue => "added_to_merge_queue",
            Self::RemovedFromMergeQueue { .. } => "removed_from_merge_queue",
            Self::ReadyForReview => "ready_for_review",
            Self::ConvertToDraft => "convert_to_draft",
        }
    }
}

//! Comments, reviews and threads.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::name::{AccountId, Sha};

/// A comment on the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IssueComment {
    /// Database id.
    pub id: u64,
    /// The pull request.
    pub number: u64,
    /// Who wrote it.
    pub author: AccountId,
    /// Text.
    pub body: String,
    /// Written at.
    pub created_at: Timestamp,
    /// Edited at, or `created_at`.
    pub updated_at: Timestamp,
    /// Why it is hidden (`OUTDATED`, `SPAM`, …), if it is.
    #[serde(default)]
    pub minimized: Option<String>,
}

/// The state of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewState {
    /// Not submitted yet; only its author sees it.
    Pending,
    /// Submitted as a comment.
    Commented,
    /// Submitted as an approval.
    Approved,
    /// Submitted as a request for changes.
    ChangesRequested,
    /// Was an approval or a request for changes, dismissed since.
    Dismissed,
}

impl ReviewState {
    /// GitHub's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Commented => "COMMENTED",
            Self::Approved => "APPROVED",
            Self::ChangesRequested => "CHANGES_REQUESTED",
            Self::Dismissed => "DISMISSED",
        }
    }
}

/// A review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Database id.
    pub id: u64,
    /// The pull request.
    pub number: u64,
    /// Who reviews.
    pub author: AccountId,
    /// State.
    pub state: ReviewState,
    /// Text; may be empty.
    pub body: String,
    /// The head that was reviewed.
    pub commit_sha: Sha,
    /// Started at.
    pub created_at: Timestamp,
    /// Last edit.
    pub updated_at: Timestamp,
    /// Submitted at; `None` while pending.
    pub submitted_at: Option<Timestamp>,
    /// The message of a dismissal.
    #[serde(default)]
    pub dismissal: Option<String>,
}

/// Which side of a split diff a line is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Side {
    /// The old file.
    Left,
    /// The new file.
    Right,
}

impl Side {
    /// GitHub's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Left => "LEFT",
            Self::Right => "RIGHT",
        }
    }
}

/// A thread of inline comments; its comments are the `ReviewComment`s with its id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewThread {
    /// Database id.
    pub id: u64,
    /// The pull request.
    pub number: u64,
    /// File at the head it was written on.
    pub path: String,
    /// Whether it is about the whole file: then all lines are `None`.
    pub file_level: bool,
    /// Last line in the current diff; `None` once outdated.
    pub line: Option<u64>,
    /// First line of several, in the current diff.
    pub start_line: Option<u64>,
    /// Last line where it was written.
    pub original_line: Option<u64>,
    /// First line of several, where it was written.
    pub original_start_line: Option<u64>,
    /// Side of the last line.
    pub side: Side,
    /// Side of the first line of several.
    pub start_side: Option<Side>,
    /// The head it was written on.
    pub original_commit_sha: Sha,
    /// The merge base it was written on.
    pub original_base_sha: Sha,
    /// Whether the lines it was about are gone.
    pub outdated: bool,
    /// Who resolved it, if it is resolved.
    pub resolved_by: Option<AccountId>,
}

/// One inline comment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewComment {
    /// Database id.
    pub id: u64,
    /// The pull request.
    pub number: u64,
    /// Its thread.
    pub thread_id: u64,
    /// Its review; hidden from others while that is pending.
    pub review_id: u64,
    /// Who wrote it.
    pub author: AccountId,
    /// Text.
    pub body: String,
    /// Written at.
    pub created_at: Timestamp,
    /// Edited at, or `created_at`.
    pub updated_at: Timestamp,
    /// The first comment of the thread, when this is a reply.
    pub in_reply_to: Option<u64>,
    /// The hunk it was written on, up to its line.
    pub diff_hunk: String,
    /// Line within the file's diff where it was written (GitHub's legacy `original_position`).
    pub original_position: Option<u64>,
    /// The head it was written on.
    pub original_commit_sha: Sha,
    /// Why it is hidden, if it is.
    #[serde(default)]
    pub minimized: Option<String>,
}

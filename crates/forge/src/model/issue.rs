//! Issues that are no pull requests.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::name::AccountId;

/// Where an issue stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueState {
    /// Open.
    Open,
    /// Closed as done.
    Completed,
    /// Closed without being done.
    NotPlanned,
}

/// An issue. It shares its numbers, comments and labels with pull requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// Database id.
    pub id: u64,
    /// Number within the repository; the key of its table.
    pub number: u64,
    /// Title.
    pub title: String,
    /// Description.
    pub body: Option<String>,
    /// Who opened it.
    pub author: AccountId,
    /// Open or closed.
    pub state: IssueState,
    /// Whether only those with a role may comment.
    pub locked: bool,
    /// Names of its labels (lower-case keys into `RepoMeta::labels`).
    pub labels: BTreeSet<String>,
    /// Assignees.
    #[serde(default)]
    pub assignees: Vec<AccountId>,
    /// Opened at.
    pub created_at: Timestamp,
    /// Last change of any kind.
    pub updated_at: Timestamp,
    /// Closed at.
    pub closed_at: Option<Timestamp>,
    /// Who closed it.
    pub closed_by: Option<AccountId>,
}

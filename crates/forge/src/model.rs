//! The state of one forge: accounts, repositories, pull requests and all that hangs on them.
//!
//! Plain data with no behaviour beyond small derived answers. Everything here is persisted as
//! JSON (see `store`), so a field may be added with `#[serde(default)]` but never renamed.

use std::collections::BTreeMap;

mod check;
mod conversation;
mod event;
mod hook;
mod issue;
mod name;
mod pull;
mod reaction;
mod repository;

pub use check::{
    Annotation, AnnotationLevel, CheckRun, CheckStatus, CommitStatus, Conclusion, StatusState,
    Workflow,
};
pub use conversation::{IssueComment, Review, ReviewComment, ReviewState, ReviewThread, Side};
pub use event::{EventKind, TimelineEvent};
pub use hook::{Hook, HookContent};
pub use issue::{Issue, IssueState};
pub use name::{Account, AccountId, AccountKind, RepoName, Sha, TokenLimits};
pub use pull::{
    AutoMerge, HeadFork, HeadUpdate, MergeMethod, MergeQueuePosition, PullGitFacts, PullRequest,
    PullState,
};
pub use reaction::{Reaction, ReactionContent, ReactionSubject};
pub use repository::{Label, Protection, RepoMeta, Role};

use crate::table::{Row, Table, TrackedValue};

macro_rules! rows {
    ($($row:ty => $key:ident, $table:literal;)*) => {
        $(impl Row for $row {
            const TABLE: &'static str = $table;

            fn key(&self) -> u64 {
                self.$key
            }

        })*
    };
}

rows! {
    PullRequest => number, "pull";
    Issue => number, "issue";
    IssueComment => id, "issue_comment";
    Review => id, "review";
    ReviewThread => id, "thread";
    ReviewComment => id, "review_comment";
    CheckRun => id, "check_run";
    CommitStatus => id, "status";
    Reaction => id, "reaction";
    TimelineEvent => id, "event";
}

/// All of one repository. Change it through `Forge::change` only.
#[derive(Debug)]
pub struct RepoState {
    /// The repository itself.
    pub meta: TrackedValue<RepoMeta>,
    /// Pull requests by number.
    pub pulls: Table<PullRequest>,
    /// Issues by number.
    pub issues: Table<Issue>,
    /// Conversation comments by id.
    pub issue_comments: Table<IssueComment>,
    /// Reviews by id.
    pub reviews: Table<Review>,
    /// Threads by id.
    pub threads: Table<ReviewThread>,
    /// Inline comments by id.
    pub review_comments: Table<ReviewComment>,
    /// Check runs by id.
    pub check_runs: Table<CheckRun>,
    /// Commit statuses by id.
    pub statuses: Table<CommitStatus>,
    /// Reactions by id.
    pub reactions: Table<Reaction>,
    /// What was done, by id, oldest first.
    pub events: Table<TimelineEvent>,
}

impl RepoState {
    /// An empty repository.
    pub fn new(meta: RepoMeta) -> Self {
        Self {
            meta: TrackedValue::new(meta),
            pulls: Table::default(),
            issues: Table::default(),
            issue_comments: Table::default(),
            reviews: Table::default(),
            threads: Table::default(),
            review_comments: Table::default(),
            check_runs: Table::default(),
            statuses: Table::default(),
            reactions: Table::default(),
            events: Table::default(),
        }
    }

    /// The comments of a thread, oldest first, that the viewer may see.
    pub fn thread_comments(&self, thread: u64, viewer: AccountId) -> Vec<&ReviewComment> {
        self.review_comments
            .iter()
            .filter(|c| c.thread_id == thread && self.is_comment_visible(c, viewer))
            .collect()
    }

    /// Whether a comment's review is submitted, or pending and the viewer's own.
    pub fn is_comment_visible(&self, comment: &ReviewComment, viewer: AccountId) -> bool {
        comment.author == viewer
            || self
                .reviews
                .get(comment.review_id)
                .is_none_or(|r| r.state != ReviewState::Pending)
    }

    /// The newest status of each context on a commit, ordered by context.
    pub fn latest_statuses(&self, sha: &Sha) -> Vec<&CommitStatus> {
        let mut newest = BTreeMap::new();
        for status in self.statuses.iter().filter(|s| s.sha == *sha) {
            newest.insert(status.context.as_str(), status);
        }
        newest.into_values().collect()
    }

    /// The check runs on a commit, the newest of each name only.
    pub fn latest_check_runs(&self, sha: &Sha) -> Vec<&CheckRun> {
        let mut newest: BTreeMap<(&str, AccountId, Option<&Workflow>), &CheckRun> = BTreeMap::new();
        for run in self.check_runs.iter().filter(|r| r.head_sha == *sha) {
            newest.insert((run.name.as_str(), run.app, run.workflow.as_ref()), run);
        }
        let mut runs: Vec<_> = newest.into_values().collect();
        runs.sort_by_key(|r| r.id);
        runs
    }
}

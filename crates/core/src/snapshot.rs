//! One consistent reading of a pull request (§3.1): the only thing a loop decides from.

use crate::ids::{AccountId, Login, RepoName, Sha, ThreadId, Time};
use crate::own_accounts::{AppProblem, OwnAccount};
use crate::review::Association;
use crate::text::UntrustedText;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// An account as it appears as author. A deleted account has no actor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Actor {
    /// The number that identifies it.
    pub id: AccountId,
    /// The name, without GitHub's REST suffix `[bot]`.
    pub login: Login,
    /// Whether GitHub says it is an app.
    pub is_bot: bool,
}

/// Whether the pull request is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullState {
    /// Open, or a draft.
    Open,
    /// Closed without a merge.
    Closed,
    /// Merged.
    Merged,
}

/// Whether it can be merged into its base. GitHub computes this lazily.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mergeable {
    /// Without conflict.
    Yes,
    /// It conflicts with its base.
    Conflicting,
    /// Not computed yet.
    Unknown,
}

/// How a check run stands, as GitHub names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Not begun.
    Queued,
    /// Running.
    InProgress,
    /// Done; a conclusion goes with it.
    Completed,
    /// Waits for a deployment rule.
    Waiting,
    /// Asked for, not yet created.
    Requested,
    /// Waits, as for concurrency.
    Pending,
}

/// How a check ended, as GitHub names it. Commit statuses map onto it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CheckConclusion {
    /// Passed.
    Success,
    /// Failed.
    Failure,
    /// Passes.
    Neutral,
    /// Cancelled.
    Cancelled,
    /// Passes.
    Skipped,
    /// Ran out of its own time.
    TimedOut,
    /// A person has to act before it runs.
    ActionRequired,
    /// GitHub gave up on it.
    Stale,
    /// It could not start.
    StartupFailure,
}

/// A line that a check complains about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Annotation {
    /// The file.
    pub path: String,
    /// 1-based.
    pub line: u32,
    /// What it says.
    pub message: String,
}

/// One check run or commit status of the head.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Check {
    /// GitHub's number of the run; 0 for a commit status.
    pub id: u64,
    /// Name of the run, or context of the status.
    pub name: String,
    /// How it stands.
    pub status: CheckStatus,
    /// How it ended; only with [`CheckStatus::Completed`].
    pub conclusion: Option<CheckConclusion>,
    /// Where a person reads more.
    pub url: Option<String>,
    /// When it ended.
    pub completed_at: Option<Time>,
    /// The account that reported it: the app's bot, or the creator of the status.
    pub reporter: Option<Actor>,
    /// Title and summary of its output, when it has any.
    pub summary: Option<String>,
    /// Lines it complains about; read for failed checks.
    pub annotations: Vec<Annotation>,
    /// At most the last 500 lines of its log; read for failed checks.
    pub log_tail: Option<String>,
    /// GitHub's number of the app that reported it; none for statuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_id: Option<u64>,
    /// The workflow that it is a job of; none for checks of other apps and for statuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<CheckWorkflow>,
}

/// What tells one check of a head from another (§3.3): `gh pr checks` groups them by the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CheckKey {
    /// Name of the run, or context of the status.
    pub name: String,
    /// The account that reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reporter: Option<AccountId>,
    /// The workflow's path, for a job of GitHub Actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// What started that workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
}

/// What starts a workflow for a merge queue, by GitHub's name of the event.
pub const MERGE_GROUP: &str = "merge_group";

impl CheckKey {
    /// The same check on the merge queue's commit: never the same as one of the head, which may pass while this one fails.
    #[must_use]
    pub fn of_merge_queue(self) -> Self {
        let event = Some(MERGE_GROUP.into());
        Self { event, ..self }
    }

    /// Whether it runs for the merge queue alone: nothing that is seen of a head says how it goes there.
    pub fn is_of_merge_queue(&self) -> bool {
        self.event.as_deref() == Some(MERGE_GROUP)
    }

    /// Whether both are one check but for what started it: the base runs on pushes what a pull request runs on its own event.
    pub fn is_same_but_event(&self, other: &CheckKey) -> bool {
        let CheckKey {
            name,
            reporter,
            workflow,
            event: _,
        } = self;
        (name, reporter, workflow) == (&other.name, &other.reporter, &other.workflow)
    }
}

impl Check {
    /// Which check this is an attempt at.
    pub fn key(&self) -> CheckKey {
        let workflow = self.workflow.as_ref();
        CheckKey {
            name: self.name.clone(),
            reporter: self.reporter.as_ref().map(|reporter| reporter.id),
            workflow: workflow.map(|workflow| workflow.path.clone()),
            event: workflow.map(|workflow| workflow.event.clone()),
        }
    }

    /// Whether both are attempts at one check.
    pub fn is_same_check(&self, other: &Check) -> bool {
        self.key() == other.key()
    }
}

/// The workflow of GitHub Actions that a check is a job of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CheckWorkflow {
    /// Path of its page, which ends in the name of its file. Unlike its number, which GraphQL leaves out once it has outgrown an `Int`, it is
    /// always there.
    pub path: String,
    /// What it calls itself. Two files may bear one name.
    pub name: String,
    /// What started it: `push`, `pull_request`, …
    pub event: String,
}

/// A check that the branch rules require.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "RequiredCheckForm")]
pub struct RequiredCheck {
    /// Name of the run, or context of the status.
    pub name: String,
    /// GitHub's number of the app that alone can meet it; none when anybody can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_id: Option<u64>,
}

/// Journals of older versions hold the name alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum RequiredCheckForm {
    Name(String),
    Full { name: String, app_id: Option<u64> },
}

impl From<RequiredCheckForm> for RequiredCheck {
    fn from(form: RequiredCheckForm) -> Self {
        match form {
            RequiredCheckForm::Name(name) => Self { name, app_id: None },
            RequiredCheckForm::Full { name, app_id } => Self { name, app_id },
        }
    }
}

impl RequiredCheck {
    /// Whether a check is the one that is required.
    pub fn is_met_by(&self, check: &Check) -> bool {
        self.name == check.name && self.app_id.is_none_or(|app| check.app_id == Some(app))
    }
}

/// How a check stands on the commit that the base branch is at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BaseCheck {
    /// Which.
    pub check: CheckKey,
    /// How it stands.
    pub status: CheckStatus,
    /// How it ended; only with [`CheckStatus::Completed`].
    pub conclusion: Option<CheckConclusion>,
}

/// Why GitHub took a pull request out, as its timeline says. The field is a free string; the words of its webhook are published.
/// <https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request>, action `dequeued`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum RemovalReason {
    /// A required check failed on the queue's commit.
    FailedChecks,
    /// The checks of the queue's commit were not done in time.
    ChecksTimedOut,
    /// It conflicts with the base, or with what was queued before it.
    MergeConflict,
    /// Somebody took it out.
    Manual,
    /// The queue was emptied.
    QueueCleared,
    /// The queue took its commit back.
    RolledBack,
    /// The rules of the base branch are not met.
    BranchProtections,
    /// GitHub could not make the commit that would be merged.
    MergeNotBuilt,
    /// None of the known words.
    Unknown {
        /// GitHub's word; empty where it gives none.
        word: String,
    },
}

/// What the queue's commit was built on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GroupBase {
    /// The commit.
    pub commit: Sha,
    /// The base branch has it: the queue's commit adds this pull request alone. Else others were before it, and are not merged.
    pub on_base_branch: bool,
    /// Its checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<BaseCheck>,
}

/// That GitHub took a pull request out of the merge queue, and it has not been queued again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QueueRemoval {
    /// When, by GitHub's clock.
    pub at: Time,
    /// Why.
    pub reason: RemovalReason,
    /// The head that was queued, where the queue's commit tells it: only a merge commit has it as a parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Sha>,
    /// The queue's commit: the base with what was before it and this pull request. Its checks are those that counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Sha>,
    /// Its failed checks, with what they say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_checks: Vec<Check>,
    /// What that commit was built on; none where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built_on: Option<GroupBase>,
}

/// What a review says. Unpublished ones are seen by their author only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerdict {
    /// A remark.
    Commented,
    /// Approved.
    Approved,
    /// Asked for changes.
    ChangesRequested,
    /// Was dismissed.
    Dismissed,
    /// Not submitted yet.
    Pending,
}

/// One review.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Review {
    /// GitHub's number.
    pub id: u64,
    /// Who wrote it.
    pub author: Option<Actor>,
    /// What GitHub calls its author, for A3. It says nothing about what they may do: see [`Snapshot::may_write`].
    pub association: Association,
    /// What it says.
    pub verdict: ReviewVerdict,
    /// The head it was written on.
    pub commit: Option<Sha>,
    /// Its text; may be empty.
    pub body: String,
    /// When it was submitted; none while pending.
    pub submitted_at: Option<Time>,
    /// RFC 3339 as GitHub wrote it; part of the event key (§7.1).
    pub updated_at: String,
}

/// One comment: of the conversation, or of a review thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Comment {
    /// GitHub's number.
    pub id: u64,
    /// Who wrote it.
    pub author: Option<Actor>,
    /// Its text.
    pub body: String,
    /// When it was written.
    pub created_at: Time,
    /// RFC 3339 as GitHub wrote it; part of the event key (§7.1).
    pub updated_at: String,
    /// For a review comment: the head it was written on.
    pub commit: Option<Sha>,
}

/// One review thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Thread {
    /// GitHub's opaque id.
    pub id: ThreadId,
    /// The file.
    pub path: String,
    /// 1-based line at this head; none when outdated or on the whole file.
    pub line: Option<u32>,
    /// Marked resolved.
    pub resolved: bool,
    /// Who marked it so; none where it is open, or where the account is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<Actor>,
    /// Its line has changed since.
    pub outdated: bool,
    /// In order; the first one opened it.
    pub comments: Vec<Comment>,
}

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// New.
    Added,
    /// Changed.
    Modified,
    /// Gone.
    Deleted,
    /// Moved.
    Renamed,
    /// Copied.
    Copied,
    /// Mode or type only.
    Changed,
}

/// One file of the pull request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Its path at the head.
    pub path: String,
    /// How it changed.
    pub change: FileChange,
    /// Lines that it gained, as GitHub counts.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub additions: u32,
    /// Lines that it lost.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub deletions: u32,
}

/// Why a push to the head branch could do harm, or cannot be made (§6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushObstacle {
    /// The head branch is the repository's default branch.
    DefaultBranch,
    /// The head branch is protected.
    Protected,
    /// Another open pull request has the head branch as its base.
    BaseOfAnother,
    /// A fork that maintainers may not modify, or that is gone.
    ForkReadOnly,
}

/// One consistent reading of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Snapshot {
    /// When the head was last confirmed.
    pub read_at: Time,
    /// The repository's present name.
    pub repo: RepoName,
    /// The number.
    pub number: u64,
    /// The title.
    pub title: UntrustedText,
    /// The description.
    pub body: String,
    /// Where a person reads it.
    pub url: String,
    /// Who opened it.
    pub author: Option<Actor>,
    /// The account that Collie acts as.
    pub viewer: Actor,
    /// Open, closed or merged.
    pub state: PullState,
    /// Not ready for review, says its author.
    pub draft: bool,
    /// The conversation is locked.
    pub locked: bool,
    /// The head commit.
    pub head: Sha,
    /// The head branch.
    pub head_ref: String,
    /// The repository of the head branch; none when it is gone.
    pub head_repo: Option<RepoName>,
    /// The base branch.
    pub base_ref: String,
    /// The commit that the base branch is at.
    pub base: Sha,
    /// Whether it merges cleanly.
    pub mergeable: Mergeable,
    /// GitHub would refuse a merge (`mergeStateStatus: BLOCKED`) of an account that may merge. It does not say why.
    #[serde(default)]
    pub merge_blocked: bool,
    /// The base must be merged in first: the branch rules require an up-to-date branch, and it is behind.
    pub behind: bool,
    /// The branch rules ask for an approving review that is not there.
    pub review_required: bool,
    /// Who switched auto-merge on.
    pub auto_merge: Option<Login>,
    /// It is in a merge queue.
    pub in_merge_queue: bool,
    /// It was taken out of the merge queue, not by a merge, and has not been queued since. Never with [`Snapshot::in_merge_queue`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_removal: Option<QueueRemoval>,
    /// Its labels.
    pub labels: BTreeSet<String>,
    /// Checks that the branch rules require.
    pub required_checks: BTreeSet<RequiredCheck>,
    /// Names of checks that an earlier head of this pull request had.
    pub known_checks: BTreeSet<String>,
    /// Checks of the commit that the base branch is at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base_checks: Vec<BaseCheck>,
    /// Other pull requests of the repository had checks; asked only where this one has none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub others_have_checks: bool,
    /// All checks of the head.
    pub checks: Vec<Check>,
    /// All reviews.
    pub reviews: Vec<Review>,
    /// All review threads.
    pub threads: Vec<Thread>,
    /// The conversation.
    pub comments: Vec<Comment>,
    /// All changed files.
    pub files: Vec<ChangedFile>,
    /// Why Collie may not push to the head branch.
    pub push_obstacles: BTreeSet<PushObstacle>,
    /// The posting account has an unsubmitted review here; GitHub refuses a second.
    pub pending_review: bool,
    /// The commit that the repository's default branch is at: what `.collie*` is read from (§12). None in readings of older versions.
    #[serde(default)]
    pub default_head: Option<Sha>,
    /// Those who wrote here, and the author, who may write to the repository as GitHub's permission says (§9.1).
    #[serde(default)]
    pub writers: BTreeSet<AccountId>,
    /// Those whose permission the token may not read: they count as having none.
    #[serde(default)]
    pub permission_unread: BTreeSet<AccountId>,
    /// The accounts that logins of the configuration stand for: those that bore them when they were first seen (§9.1).
    #[serde(default)]
    pub pinned_accounts: BTreeMap<Login, AccountId>,
    /// The account that Collie acts as may not start runs, as the user's settings say now (§9.1).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub start_denied: bool,
    /// Bots that were seen reviewing this repository of late, in whichever pull request (§3.4).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reviewing_bots: BTreeSet<AccountId>,
    /// Accounts of personas and of authors' agents whose tokens Collie keeps, or kept (§18.2).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub own_accounts: BTreeSet<OwnAccount>,
}

impl Snapshot {
    /// Whether an account may write to the repository; one whose permission could not be read may not.
    pub fn may_write(&self, account: AccountId) -> bool {
        self.writers.contains(&account)
    }

    /// Whether the author may write to the repository: a head branch in the repository itself shows it (§9.1).
    pub fn author_may_write(&self) -> bool {
        let own_branch = self.head_repo.as_ref();
        own_branch.is_some_and(|head| head.eq_ignore_case(&self.repo))
            || self
                .author
                .as_ref()
                .is_some_and(|author| self.may_write(author.id))
    }

    /// Whether it is the work of somebody who may write to the repository, or of the signed-in account.
    pub fn is_by_collaborator(&self) -> bool {
        let author = self.author.as_ref().map(|author| author.id);
        self.author_may_write() || author == Some(self.viewer.id)
    }

    /// Whether what an account says may be Collie's own: a token at its end tells (§7.1).
    pub fn may_be_own(&self, account: AccountId) -> bool {
        account == self.viewer.id || self.own_accounts.iter().any(|own| own.id == account)
    }

    /// Whether an account is one of Collie's alone: nothing that it says is feedback (§18.2). The account that Collie acts as is mostly a
    /// person's too.
    pub fn is_for_collie_alone(&self, account: AccountId) -> bool {
        let mut own = self.own_accounts.iter();
        account != self.viewer.id && own.any(|own| own.active && own.id == account)
    }

    /// The account of a login whose token Collie keeps.
    pub fn own_account(&self, login: &Login) -> Option<AccountId> {
        let mut own = self.own_accounts.iter();
        own.find(|own| own.active && own.login == *login)
            .map(|own| own.id)
    }

    /// Whether an account is the one that a login of the configuration stands for.
    pub fn is_pinned(&self, actor: &Actor) -> bool {
        self.pinned_accounts.get(&actor.login) == Some(&actor.id)
    }

    /// Every person who wrote here, the pull request's author included; several times who wrote more.
    pub fn people(&self) -> impl Iterator<Item = &Actor> {
        let author = self.author.iter().filter(|actor| !actor.is_bot);
        self.speakers().chain(author)
    }

    /// Every person who commented or reviewed; several times who said more.
    fn speakers(&self) -> impl Iterator<Item = &Actor> {
        let comments = self.threads.iter().flat_map(|thread| &thread.comments);
        let comments = comments.chain(&self.comments);
        let authors = comments.map(|comment| &comment.author);
        let authors = authors.chain(self.reviews.iter().map(|review| &review.author));
        authors.flatten().filter(|actor| !actor.is_bot)
    }

    /// People who commented or reviewed and of whom GitHub does not say what they may do, each once: they count as without write access.
    pub fn people_of_unread_permission(&self) -> BTreeSet<Login> {
        let unread = |actor: &&Actor| self.permission_unread.contains(&actor.id);
        let people = self.speakers().filter(unread);
        people.map(|actor| actor.login.clone()).collect()
    }
}

/// Why a reading failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ObserveFailure {
    /// No connection, a 5xx, a cut answer.
    Unreachable {
        /// What was tried and what came back.
        message: String,
    },
    /// 401: the token is not accepted.
    Unauthorized,
    /// The GitHub App that Collie acts as gets no token.
    App {
        /// Why.
        problem: AppProblem,
    },
    /// 403 that is no rate limit.
    Forbidden {
        /// GitHub's words.
        message: String,
    },
    /// The server does not know a field without which nothing can be said.
    ServerTooOld {
        /// The field, as `Type.field`.
        field: String,
        /// The server's version; empty where it does not tell.
        version: String,
    },
    /// 404: gone, renamed away, or access lost.
    NotFound,
    /// A primary or secondary rate limit.
    RateLimited {
        /// When to try again.
        until: Time,
    },
    /// The circuit breaker is open.
    BreakerOpen {
        /// When it tries again.
        until: Time,
    },
    /// The head moved while it was read; read again soon.
    Moved,
}

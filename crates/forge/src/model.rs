//! The state of one forge: accounts, repositories, pull requests and all that hangs on them.
//!
//! Plain data with no behaviour beyond small derived answers. Everything here is persisted as
//! JSON (see `store`), so a field may be added with `#[serde(default)]` but never renamed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::ForgeError;
use crate::table::{Row, Slot, Table};

/// The database id of an account, the same in every repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(pub u64);

/// A full commit id: 40 lower-case hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sha(String);

impl Sha {
    /// Takes 40 hex digits; anything else is `None`.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit()))
            .then(|| Self(text.to_ascii_lowercase()))
    }

    /// The 40 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `owner/name`, compared without regard to letter case, as GitHub does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoName {
    owner: String,
    name: String,
}

impl RepoName {
    /// Checks both parts: letters, digits, `-`, `_` and `.`, not starting with a dot.
    pub fn new(owner: &str, name: &str) -> Result<Self, ForgeError> {
        let fine = |part: &str| {
            !part.is_empty()
                && part.len() <= 100
                && !part.starts_with('.')
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        if fine(owner) && fine(name) && !name.to_ascii_lowercase().ends_with(".git") {
            Ok(Self {
                owner: owner.to_owned(),
                name: name.to_owned(),
            })
        } else {
            Err(ForgeError::BadRepoName(format!("{owner}/{name}")))
        }
    }

    /// The login that owns the repository.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The name without its owner.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key under which the repository is found: lower case.
    pub fn key(&self) -> String {
        self.to_string().to_ascii_lowercase()
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl FromStr for RepoName {
    type Err = ForgeError;

    fn from_str(text: &str) -> Result<Self, ForgeError> {
        match text.split_once('/') {
            Some((owner, name)) => Self::new(owner, name),
            None => Err(ForgeError::BadRepoName(text.to_owned())),
        }
    }
}

impl TryFrom<String> for RepoName {
    type Error = ForgeError;

    fn try_from(text: String) -> Result<Self, ForgeError> {
        text.parse()
    }
}

impl From<RepoName> for String {
    fn from(name: RepoName) -> Self {
        name.to_string()
    }
}

/// What kind of actor an account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountKind {
    /// A person.
    User,
    /// A GitHub App's bot.
    Bot,
}

/// A person or a bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Stable id.
    pub id: AccountId,
    /// The login as GitHub's REST shows it (`coderabbitai[bot]` for an app's bot).
    pub login: String,
    /// Person or bot.
    pub kind: AccountKind,
    /// The display name.
    pub name: Option<String>,
}

/// What an account may do in one repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// No role: may read a public repository and comment.
    None,
    /// May push, resolve and merge.
    Collaborator,
    /// A member of the owning organisation; may do what a collaborator may.
    Member,
    /// Owns the repository.
    Owner,
}

impl Role {
    /// GitHub's `author_association` for the role.
    pub fn association(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Collaborator => "COLLABORATOR",
            Self::Member => "MEMBER",
            Self::Owner => "OWNER",
        }
    }

    /// GitHub's legacy permission name: `admin`, `write` or `read`.
    pub fn permission(self) -> &'static str {
        match self {
            Self::None => "read",
            Self::Collaborator | Self::Member => "write",
            Self::Owner => "admin",
        }
    }

    /// Whether the role may push, resolve threads and merge.
    pub fn may_write(self) -> bool {
        self > Self::None
    }
}

/// The rules of a protected branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Protection {
    /// Names of checks or status contexts that must pass before a merge.
    pub required_checks: Vec<String>,
    /// Whether the branch must be up to date with its base before a merge.
    pub strict: bool,
    /// Number of approving reviews that a merge needs; 0 for none.
    pub required_reviews: u32,
    /// Whether every conversation must be resolved before a merge.
    pub require_conversation_resolution: bool,
    /// Whether the rules hold for owners too.
    pub enforce_admins: bool,
}

/// A label of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Database id.
    pub id: u64,
    /// Name, as first written.
    pub name: String,
    /// Six hex digits.
    pub color: String,
    /// What it is for.
    pub description: Option<String>,
}

/// What belongs to the repository itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepoMeta {
    /// Database id.
    pub id: u64,
    /// `owner/name`.
    pub name: RepoName,
    /// The account that owns it.
    pub owner: AccountId,
    /// Whether only those with a role (and bots) can see it.
    pub private: bool,
    /// The branch that HEAD points at.
    pub default_branch: String,
    /// One line about it.
    pub description: Option<String>,
    /// When it was imported.
    pub created_at: Timestamp,
    /// Last push.
    pub pushed_at: Timestamp,
    /// Last change of the metadata.
    pub updated_at: Timestamp,
    /// Roles; whoever is missing has none.
    pub roles: BTreeMap<AccountId, Role>,
    /// Protected branches by name.
    pub protection: BTreeMap<String, Protection>,
    /// Branches that merge through a queue.
    #[serde(default)]
    pub merge_queue: BTreeSet<String>,
    /// Whether merge commits are allowed.
    pub allow_merge_commit: bool,
    /// Whether squash merges are allowed.
    pub allow_squash_merge: bool,
    /// Whether rebase merges are allowed.
    pub allow_rebase_merge: bool,
    /// Whether pull requests may be set to merge by themselves.
    pub allow_auto_merge: bool,
    /// Labels by lower-case name.
    #[serde(default)]
    pub labels: BTreeMap<String, Label>,
    /// Number of the next pull request.
    pub next_number: u64,
    /// The script of the bots that play in this repository; its form belongs to `bots`.
    #[serde(default)]
    pub bots: serde_json::Value,
}

impl RepoMeta {
    /// The role of an account here.
    pub fn role(&self, account: AccountId) -> Role {
        self.roles.get(&account).copied().unwrap_or(Role::None)
    }

    /// Whether the account can see the repository at all. Bots count as installed apps.
    pub fn visible_to(&self, account: &Account) -> bool {
        !self.private || account.kind == AccountKind::Bot || self.role(account.id).may_write()
    }
}

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
pub struct QueueEntry {
    /// Database id.
    pub id: u64,
    /// Who queued it.
    pub enqueued_by: AccountId,
    /// When.
    pub enqueued_at: Timestamp,
}

/// What git says about a pull request at its current base and head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullGit {
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

/// One head that a pull request has had, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadMove {
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
    pub merge_queue_entry: Option<QueueEntry>,
    /// What git says at this base and head.
    pub git: PullGit,
    /// Every head so far, oldest first; the last is `head_sha`.
    pub heads: Vec<HeadMove>,
}

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
    /// The suite: one for each commit and app.
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
    IssueComment => id, "issue_comment";
    Review => id, "review";
    ReviewThread => id, "thread";
    ReviewComment => id, "review_comment";
    CheckRun => id, "check_run";
    CommitStatus => id, "status";
}

/// All of one repository. Change it through `Forge::change` only.
#[derive(Debug)]
pub struct RepoState {
    /// The repository itself.
    pub meta: Slot<RepoMeta>,
    /// Pull requests by number.
    pub pulls: Table<PullRequest>,
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
}

impl RepoState {
    /// An empty repository.
    pub fn new(meta: RepoMeta) -> Self {
        Self {
            meta: Slot::new(meta),
            pulls: Table::default(),
            issue_comments: Table::default(),
            reviews: Table::default(),
            threads: Table::default(),
            review_comments: Table::default(),
            check_runs: Table::default(),
            statuses: Table::default(),
        }
    }

    /// The comments of a thread, oldest first, that the viewer may see.
    pub fn thread_comments(&self, thread: u64, viewer: AccountId) -> Vec<&ReviewComment> {
        self.review_comments
            .iter()
            .filter(|c| c.thread_id == thread && self.comment_visible(c, viewer))
            .collect()
    }

    /// Whether a comment's review is submitted, or pending and the viewer's own.
    pub fn comment_visible(&self, comment: &ReviewComment, viewer: AccountId) -> bool {
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
        let mut newest: BTreeMap<(&str, AccountId), &CheckRun> = BTreeMap::new();
        for run in self.check_runs.iter().filter(|r| r.head_sha == *sha) {
            newest.insert((run.name.as_str(), run.app), run);
        }
        let mut runs: Vec<_> = newest.into_values().collect();
        runs.sort_by_key(|r| r.id);
        runs
    }
}

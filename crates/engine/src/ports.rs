//! What the engine needs of the outside world. Others implement it; nothing here can merge (§11).

use async_trait::async_trait;
use collie_core::ids::{
    ActionToken, EffectId, Fingerprint, Login, LoopId, PullName, RepoName, RunId, Sha, ThreadId,
    Time,
};
use collie_core::lifecycle::State;
use collie_core::model::{Effect, Event, LoopState, Note, SessionFailure, TrackedFinding, Usage};
use collie_core::policy::{Policy, ReviewerSpec};
use collie_core::post::Post;
use collie_core::session::SessionSummary;
use collie_core::shapes::{FixPayload, FixResult, Replacement, ReviewerResult};
use collie_core::snapshot::{Actor, ObserveFailure, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Where a pull request is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRef {
    /// Its identity.
    pub id: LoopId,
    /// The repository's name, as last seen.
    pub repo: RepoName,
}

/// What is known of a pull request before a loop is made of it.
#[derive(Clone, Debug)]
pub struct ResolvedPull {
    /// Where it is.
    pub pull: PullRef,
    /// Its title.
    pub title: String,
    /// Who opened it.
    pub author: Option<Actor>,
    /// Where a person reads it.
    pub url: String,
    /// Its head branch.
    pub head_ref: String,
    /// Its base branch.
    pub base_ref: String,
}

/// A call to GitHub that did not succeed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GitHubError {
    /// No such repository or pull request, or the token may not see it.
    #[error("{what} was not found on {host}: check the name, and that the token may see it")]
    NotFound {
        /// `owner/repo` or `owner/repo#n`.
        what: String,
        /// The host.
        host: String,
    },
    /// 401.
    #[error(
        "{host} does not accept the token: sign in again, with `gh auth login` or a new GITHUB_TOKEN"
    )]
    Unauthorized {
        /// The host.
        host: String,
    },
    /// Refused for good: 403 that is no rate limit, 404 of a comment, 410, 422.
    #[error("{host} refused {what}: {message}")]
    Refused {
        /// The host.
        host: String,
        /// What was tried.
        what: String,
        /// GitHub's words.
        message: String,
    },
    /// A rate limit, or the breaker.
    #[error("{host} asks to wait before the next call")]
    RetryLater {
        /// The host.
        host: String,
        /// Until then.
        until: Time,
    },
    /// It is not known whether the call took effect: a cut connection, a timeout, a 5xx.
    #[error("{what} on {host} got no clear answer: {message}")]
    OutcomeUnknown {
        /// The host.
        host: String,
        /// What was tried.
        what: String,
        /// What came back.
        message: String,
    },
}

/// The rendered form of a post: what goes over the wire, stored before it is sent (§8.2).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "as")]
pub enum RenderedPost {
    /// A comment in the conversation.
    Comment {
        /// Complete, with marker and token.
        body: String,
    },
    /// A reply in a review thread.
    Reply {
        /// Number of the thread's first comment.
        in_reply_to: u64,
        /// Complete, with marker and token.
        body: String,
    },
    /// One review of type COMMENT.
    Review {
        /// The head the lines are of.
        commit: Sha,
        /// Complete, with marker and token.
        body: String,
        /// The inline comments, each complete.
        comments: Vec<RenderedInlineComment>,
    },
}

/// One inline comment.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RenderedInlineComment {
    /// The file.
    pub path: String,
    /// The first line, on the right side, of a comment on several; none for a comment on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// 1-based line on the right side; of several the last.
    pub line: u32,
    /// Complete, with marker and token.
    pub body: String,
}

/// GitHub, without any way to merge.
#[async_trait]
pub trait GitHub: Send + Sync {
    /// The account that Collie acts as.
    async fn viewer(&self) -> Result<Actor, GitHubError>;

    /// Finds a pull request by the name that a person typed.
    async fn resolve_pull(&self, pull: &PullName) -> Result<ResolvedPull, GitHubError>;

    /// Numbers of the open pull requests of a repository that are no drafts, oldest first.
    async fn open_pulls(&self, repo: &RepoName) -> Result<Vec<u64>, GitHubError>;

    /// Reads many pull requests; one answer each, in order. Failed checks come with annotations and log tail.
    async fn observe(&self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>>;

    /// Posts; the answer is GitHub's number of the comment or review.
    async fn post(&self, pull: &PullRef, rendered: &RenderedPost) -> Result<u64, GitHubError>;

    /// Looks for a token at the end of a body of the posting account, in comments, reviews and threads, read afresh and whole.
    async fn find_post(
        &self,
        pull: &PullRef,
        token: &ActionToken,
    ) -> Result<Option<u64>, GitHubError>;

    /// Marks a thread resolved; safe to repeat.
    async fn resolve_thread(&self, pull: &PullRef, thread: &ThreadId) -> Result<(), GitHubError>;

    /// Where git fetches a repository from and pushes it to: no credentials in it.
    fn git_url(&self, repo: &RepoName) -> String;
}

/// Something that git could not do.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GitError {
    /// A command failed.
    #[error("`git {command}` failed in {location}: {message}")]
    Failed {
        /// Its words, without credentials.
        command: String,
        /// `clone`, `worktree`, …: no path of this machine.
        location: String,
        /// The end of its error output.
        message: String,
    },
    /// The remote did not answer; try again.
    #[error("the git remote did not answer: {message}")]
    Unreachable {
        /// The end of its error output.
        message: String,
    },
    /// The branch is not at the commit that was asked for, also after fetching again (§6.2).
    #[error("the branch `{branch}` is not at the head that GitHub shows")]
    HeadMismatch {
        /// The branch.
        branch: String,
        /// What it is at.
        found: Option<Sha>,
    },
    /// The remote refuses the push by policy.
    #[error("the push was refused: {message}")]
    PushRefused {
        /// Its words.
        message: String,
    },
    /// The remote moved and the rebase conflicts.
    #[error("the branch moved and the fix does not apply on top of it")]
    Diverged,
    /// Cancelled meanwhile.
    #[error("cancelled")]
    Cancelled,
    /// A file could not be written.
    #[error("{what}: {message}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's words.
        message: String,
    },
    /// git is not there or too old.
    #[error("git 2.38 or later is needed: {message}")]
    GitUnavailable {
        /// What was found.
        message: String,
    },
}

/// Lines of a file, from 1, both ends in it.
pub type LineRange = (u32, u32);

/// One file of the difference between merge base and head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffFile {
    /// Its path at the head.
    pub path: String,
    /// Its path at the base, where another.
    pub old_path: Option<String>,
    /// It is gone at the head.
    pub deleted: bool,
    /// It is new.
    pub added: bool,
    /// Binary, a submodule or a symbolic link: no lines.
    pub opaque: bool,
    /// Lines of the head that the pull request adds or changes.
    pub changed: Vec<LineRange>,
    /// Lines of the head that the diff shows, context of 3 included: GitHub takes comments on these.
    pub shown: Vec<LineRange>,
}

/// A worktree that is clean and at a known head. Only [`Git::prepare`] makes one for the engine (invariant 6).
#[derive(Clone, Debug)]
pub struct CleanWorktree {
    /// The folder.
    pub path: PathBuf,
    /// The head it is at.
    pub head: Sha,
    /// The merge base of head and base.
    pub merge_base: Sha,
    /// The pull request.
    pub pull: PullRef,
    /// The head branch.
    pub branch: String,
}

/// Why a gate refuses what the fixer did: its next instruction (§6.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateRefusal {
    /// A file outside the pull request's diff.
    Scope {
        /// The paths.
        paths: Vec<String>,
    },
    /// What checks the pull request was weakened: only a person does that.
    Tamper {
        /// Where, and what.
        locations: Vec<TamperLocation>,
    },
    /// A file that parsed before does not any more.
    Syntax {
        /// `path:line`.
        locations: Vec<String>,
    },
    /// A command of `[verify]` failed.
    Verify {
        /// The command.
        command: String,
        /// The end of its output.
        output: String,
    },
}

impl fmt::Display for GateRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateRefusal::Scope { paths } => {
                let paths = paths.join(", ");
                write!(f, "the fix changed files outside the pull request: {paths}")
            }
            GateRefusal::Tamper { locations: places } => {
                f.write_str(
                    "the fix weakens what checks the pull request, which only a person may do: ",
                )?;
                let places: Vec<String> = places.iter().map(TamperLocation::to_string).collect();
                f.write_str(&places.join("; "))
            }
            GateRefusal::Syntax { locations: places } => {
                write!(f, "the fix broke the syntax at {}", places.join(", "))
            }
            GateRefusal::Verify { command, output } => {
                write!(f, "`{command}` failed after the fix:\n{output}")
            }
        }
    }
}

/// One thing that checks the pull request and was weakened (§6.3 b).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TamperLocation {
    /// The file.
    pub path: String,
    /// 1-based line in what the fixer left; none where the thing is not there any more, or is the whole file.
    pub line: Option<u32>,
    /// What was done.
    pub kind: Tamper,
}

impl fmt::Display for TamperLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Tamper::DeletedTest => "a test is gone",
            Tamper::SkippedTest => "a test is skipped",
            Tamper::LoosenedAssertion => "a test asserts less",
            Tamper::Suppressed => "a warning or coverage is suppressed",
            Tamper::LinterSetting => "a setting of a linter, type checker or test runner changed",
            Tamper::CoverageSetting => "a coverage setting changed",
            Tamper::Workflow => "a workflow changed",
        })?;
        match self.line {
            Some(line) => write!(f, " ({}:{line})", self.path),
            None => write!(f, " ({})", self.path),
        }
    }
}

/// A way to weaken what checks a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tamper {
    /// A test file is gone, or there are fewer tests or cases in it than before.
    DeletedTest,
    /// A test does not run any more, or keeps others from running.
    SkippedTest,
    /// A test that stays asserts less than before.
    LoosenedAssertion,
    /// A linter, type checker or coverage tool is told to look away.
    Suppressed,
    /// A setting of a linter, type checker or test runner changed.
    LinterSetting,
    /// A coverage setting changed.
    CoverageSetting,
    /// A workflow of CI changed.
    Workflow,
}

/// What keeps a pull request's own settings for agents and tools from being obeyed (§9.3). From [`Git::shield`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shield {
    /// Paths, sorted, whose content at the head is not what the worktree now shows.
    pub swapped: Vec<String>,
    /// Files that were put into the worktree, relative to it.
    pub placed: Vec<PathBuf>,
}

/// A change that passed all gates. The only thing that can be committed.
#[derive(Clone, Debug)]
pub struct VettedChange {
    /// Where it is.
    pub worktree: CleanWorktree,
    /// The files it changes.
    pub paths: Vec<String>,
    /// The tree that was vetted: what is committed, whatever the verify commands left behind.
    pub tree: Sha,
}

/// Whether the file still parses: asked of the rules by the syntax gate.
pub trait SyntaxChecker: Send + Sync {
    /// First broken line, when the file parsed before and does not now. `before` is none for a new file.
    fn first_broken_line(&self, path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<u32>;
}

/// Clones and worktrees.
#[async_trait]
pub trait Git: Send + Sync {
    /// Fetches, cleans, checks the branch out at `head` (§6.2), in a checkout for this pull request and purpose alone.
    async fn prepare(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        base: &Sha,
        purpose: WorktreePurpose<'_>,
    ) -> Result<CleanWorktree, GitError>;

    /// The files that differ between merge base and head, with their lines.
    async fn diff(&self, worktree: &CleanWorktree) -> Result<Vec<DiffFile>, GitError>;

    /// Lines of the head that differ from `since`, by path. Empty when `since` is not in the clone any more.
    async fn changed_lines_since(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<BTreeMap<String, Vec<LineRange>>, GitError>;

    /// A file as of a commit; none when it is not there or is larger than `max` bytes.
    async fn file_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        path: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, GitError>;

    /// Every path of a commit that is UTF-8, sorted. As many as there are: the caller bounds what it does with them.
    async fn paths_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
    ) -> Result<Vec<String>, GitError>;

    /// Puts the settings for agents and tools in the worktree back to those of `base`, in every folder (§9.3). The worktree
    /// is a prepared one, or one that was unshielded; safe to repeat.
    async fn shield(&self, worktree: &CleanWorktree, base: &Sha) -> Result<Shield, GitError>;

    /// Brings those of the head back, whatever was done to them meanwhile, so that [`Git::vet`] finds no difference in
    /// them; safe to repeat.
    async fn unshield(&self, worktree: &CleanWorktree, shield: Shield) -> Result<(), GitError>;

    /// Paths of a folder as of a commit, recursively; fetches the commit first when it is not in the clone.
    async fn files_at(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        folder: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError>;

    /// Passes what the fixer did through the gates for scope, tampering and syntax, and the verify commands (§6.3). `Ok(None)`: nothing was changed.
    async fn vet(
        &self,
        worktree: &CleanWorktree,
        syntax: &dyn SyntaxChecker,
        verify: &[String],
        cancel: &CancellationToken,
    ) -> Result<Result<Option<VettedChange>, GateRefusal>, GitError>;

    /// Commits it, as one commit on top of the head (§6.4).
    async fn commit(&self, change: &VettedChange, message: &CommitMessage)
    -> Result<Sha, GitError>;

    /// Whether some hunk of `commit` brings a file's lines back to what they were before an earlier one of `own` (§5.3).
    async fn oscillates(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        own: &BTreeSet<Sha>,
    ) -> Result<bool, GitError>;

    /// Pushes a commit with a fixed refspec, never forced; done when it is the remote head or an ancestor of it.
    async fn push(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        from: &Sha,
    ) -> Result<PushOutcome, GitError>;

    /// Lays the change of `commit` (made on `from`) on top of `onto`, uncommitted, in the fixing worktree, to be vetted again.
    /// [`GitError::Diverged`] when it does not apply.
    async fn rebase(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        onto: &Sha,
        base: &Sha,
    ) -> Result<CleanWorktree, GitError>;

    /// What the remote branch is at.
    async fn remote_head(&self, remote: &GitRemote) -> Result<Option<Sha>, GitError>;

    /// Removes the worktrees of a pull request; safe to repeat.
    async fn clean_up(&self, pull: &PullRef) -> Result<(), GitError>;
}

/// How a push went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// That very commit is on the remote.
    Done,
    /// The remote moved on top of our base; nothing was pushed. [`Git::rebase`] is next.
    Moved {
        /// The remote head.
        head: Sha,
    },
}

/// The head branch and where it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitRemote {
    /// URL of the repository of the pull request (the base repository).
    pub url: String,
    /// URL of the repository that holds the head branch; the same unless it is a fork.
    pub head_url: String,
    /// The head branch.
    pub branch: String,
}

/// What a worktree is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorktreePurpose<'a> {
    /// The reviewer of this name reads. Each has a checkout of its own: what one shields another does not bring back.
    Review(&'a str),
    /// The fixer writes.
    Fix,
}

/// A commit message in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage {
    /// One line, begins with `fix: `.
    pub subject: String,
    /// Further lines; may be empty.
    pub body: String,
    /// `Collie-Run`, `Collie-Finding`, …
    pub trailers: Vec<(String, String)>,
}

/// Counts what a session spends while it does: whatever becomes of it, that is known (§15). Clones count together.
#[derive(Clone, Debug, Default)]
pub struct UsageMeter(Arc<Mutex<Usage>>);

impl UsageMeter {
    /// Counts more.
    pub fn add(&self, more: Usage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += more;
    }

    /// All of it so far.
    pub fn total(&self) -> Usage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a reviewer gets.
#[derive(Clone, Debug)]
pub struct ReviewRequest {
    /// Where what it costs is counted.
    pub meter: UsageMeter,
    /// Who is asked.
    pub reviewer: ReviewerSpec,
    /// The checkout.
    pub worktree: CleanWorktree,
    /// The base commit.
    pub base: Sha,
    /// The difference.
    pub diff: Vec<DiffFile>,
    /// What this reviewer saw before.
    pub since: Option<Sha>,
    /// Findings that stand, rejections with reasons.
    pub known_findings: Vec<TrackedFinding>,
    /// The repository's own rules at the base: path and text.
    pub rules: Vec<(String, Vec<u8>)>,
    /// The repository's own personas at the base: path and text.
    pub personas: Vec<(String, Vec<u8>)>,
    /// What the loop goes by.
    pub policy: Policy,
    /// When.
    pub now: Time,
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
    /// How the session went; none where there was none.
    pub session: Option<SessionSummary>,
}

impl From<ReviewerResult> for ReviewResponse {
    /// A result that needed no session.
    fn from(result: ReviewerResult) -> Self {
        Self {
            result,
            prompt_hash: None,
            withdrawn: BTreeSet::new(),
            replacements: BTreeMap::new(),
            session: None,
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

/// What the fixer gets.
#[derive(Clone, Debug)]
pub struct FixRequest {
    /// Where what it costs is counted.
    pub meter: UsageMeter,
    /// Where it works.
    pub worktree: CleanWorktree,
    /// The difference: only these files may change.
    pub diff: Vec<DiffFile>,
    /// What is asked (A4).
    pub payload: FixPayload,
    /// The repository's own rules at the base: path and text.
    pub rules: Vec<(String, Vec<u8>)>,
    /// What the gates refused last time.
    pub refusal: Option<GateRefusal>,
    /// The base commit.
    pub base: Sha,
    /// Title of the pull request.
    pub title: String,
    /// Who opened it.
    pub author: Option<Login>,
    /// Commands that the result must pass.
    pub verify: Vec<String>,
}

/// What the fixer gives.
#[derive(Clone, Debug)]
pub struct FixResponse {
    /// Its account (A5), without commits.
    pub result: FixResult,
    /// How the session went; none where there was none.
    pub session: Option<SessionSummary>,
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
}

/// Puts words to what is posted: language, markers, redaction and cap (§8).
pub trait Renderer: Send + Sync {
    /// The complete body or bodies.
    fn render(&self, post: &Post) -> RenderedPost;
}

/// Merges the user's configuration with the repository's, as of its base (§12).
pub trait PolicySource: Send + Sync {
    /// `files` are `.collie.toml` when it is there. The error is for people: file, line, key, what was expected.
    fn policy(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> Result<Policy, String>;

    /// Commands that a fix must pass, from the same file.
    fn verify_commands(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> Vec<String>;

    /// Whether this login may start loops (§9.1).
    fn may_start(&self, login: &Login) -> bool;
}

/// Time and randomness.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Time;

    /// Returns at that time, or at once when it is past.
    async fn sleep_until(&self, time: Time);

    /// Random thousandths, 0 to 999.
    fn jitter(&self) -> u16;

    /// A new run id.
    fn run_id(&self) -> RunId;
}

/// What one event, or several in a row, came to; written in one transaction.
#[derive(Clone, Debug)]
pub struct AppliedStep {
    /// Sequence numbers of the inbox entries, in order.
    pub inbox: Vec<u64>,
    /// The state before them.
    pub from: Option<State>,
    /// The state after them.
    pub state: LoopState,
    /// New in the outbox.
    pub effects: Vec<(EffectId, Effect)>,
    /// Out of the outbox.
    pub dropped: Vec<EffectId>,
    /// Remarks.
    pub notes: Vec<Note>,
    /// When.
    pub at: Time,
}

/// How far an outbox entry has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEntry {
    /// The loop.
    pub loop_id: LoopId,
    /// Its id.
    pub id: EffectId,
    /// What is asked.
    pub effect: Effect,
    /// The rendered body, once sending has begun.
    pub sending: Option<RenderedPost>,
    /// It may have arrived already: its token is looked for before it is sent (§8.2). Set with `sending`,
    /// and without a body for every post of a loop that came back from its checkpoint (§10.3).
    pub in_doubt: bool,
}

/// A wish from another process or the user (§10.2).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "ask")]
pub enum LoopRequest {
    /// Make a loop.
    Start {
        /// For which.
        pull: PullName,
    },
    /// Cancel.
    Cancel {
        /// Which.
        pull: PullName,
    },
    /// A fresh run.
    Retry {
        /// Which.
        pull: PullName,
    },
    /// Go on after `needs_human`.
    Resume {
        /// Which.
        pull: PullName,
    },
}

impl LoopRequest {
    /// The pull request it is about.
    pub fn pull(&self) -> &PullName {
        match self {
            LoopRequest::Start { pull }
            | LoopRequest::Cancel { pull }
            | LoopRequest::Retry { pull }
            | LoopRequest::Resume { pull } => pull,
        }
    }
}

/// A journal that could not be read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full.
    #[error(
        "the disk that holds the data folder is full: free some space, then start again; nothing was lost"
    )]
    DiskFull,
    /// A newer Collie wrote it.
    #[error(
        "{what} was written by a newer Collie (version {found}, this one knows {known}): update Collie, or use another COLLIE_HOME"
    )]
    NewerVersion {
        /// `the journal` or a checkpoint's name.
        what: String,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// It cannot be read.
    #[error(
        "{what} is damaged ({message}): it was kept aside; `collie doctor --rebuild` restores what the checkpoints know"
    )]
    Damaged {
        /// What.
        what: String,
        /// How it shows.
        message: String,
    },
    /// Anything else.
    #[error("{what}: {message}")]
    Failed {
        /// What was tried.
        what: String,
        /// What came of it.
        message: String,
    },
}

/// The journal: the single source of truth (§10.1).
#[async_trait]
pub trait Journal: Send + Sync {
    /// Every loop's present state.
    async fn loops(&self) -> Result<Vec<LoopState>, StoreError>;

    /// Makes a loop; nothing when there is one with this identity.
    async fn create(&self, state: &LoopState, by: &Login, at: Time) -> Result<bool, StoreError>;

    /// Stores events before anything acts on them; durable on return. Their inbox numbers, in order.
    async fn receive(&self, events: &[(LoopId, Event)], at: Time) -> Result<Vec<u64>, StoreError>;

    /// Events that were received and not applied, in order.
    async fn unapplied(&self) -> Result<Vec<(u64, LoopId, Event)>, StoreError>;

    /// Writes what events came to, all in one transaction, then the checkpoints.
    async fn apply(&self, applied: &[AppliedStep]) -> Result<(), StoreError>;

    /// The outbox, in order.
    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError>;

    /// Notes that a body is about to be sent; durable on return.
    async fn mark_sending(
        &self,
        effect: &EffectId,
        rendered: &RenderedPost,
    ) -> Result<(), StoreError>;

    /// Requests of other processes that were not taken yet, oldest first.
    async fn requests(&self) -> Result<Vec<(u64, LoopRequest, Login)>, StoreError>;

    /// Leaves a request for the engine.
    async fn add_request(
        &self,
        request: &LoopRequest,
        by: &Login,
        at: Time,
    ) -> Result<u64, StoreError>;

    /// Marks a request as done, with the answer for people when it was refused.
    async fn finish_request(&self, request: u64, refusal: Option<&str>) -> Result<(), StoreError>;

    /// Appends to the audit log (§9.6).
    async fn audit(&self, entry: &AuditEntry) -> Result<(), StoreError>;
}

/// One line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Time,
    /// What: a name of §9.6.
    pub action: AuditAction,
    /// The run's correlation id; none before there is a run.
    pub correlation_id: Option<RunId>,
    /// `owner/repo#n`.
    pub pull: PullName,
    /// Further fields, such as `event_key` and `action_token`.
    pub details: BTreeMap<String, String>,
}

/// Actions of the audit log (§9.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// A run began.
    PrReviewLoopStarted,
    /// A run ended well: ready and merged, or closed.
    PrReviewLoopCompleted,
    /// A run ended as `needs_human` or `failed`, or was cancelled.
    PrReviewLoopFailed,
    /// An iteration ended.
    PrReviewLoopIteration,
    /// The fixer began.
    PrFixerStarted,
    /// Its commit is on the remote.
    PrFixerChangesApplied,
    /// It ended without a result.
    PrFixerFailed,
    /// A verified bot's feedback was taken in.
    ExternalBotCommentTrusted,
    /// A comment claims to be a bot's and is not.
    ExternalBotCommentRejected,
    /// The login may start loops.
    PermissionCheckPassed,
    /// It may not.
    PermissionCheckDenied,
    /// A post was confirmed.
    CommentPosted,
    /// A person confirmed a merge in the dialog (§11); written before GitHub is asked.
    MergeRequested,
    /// GitHub shows it merged.
    MergeCompleted,
    /// It was refused, or its outcome is unknown.
    MergeFailed,
}

/// Where a worktree's file lies; refuses anything that leads out of it.
pub fn path_in_worktree(worktree: &Path, relative: &str) -> Option<PathBuf> {
    let path = Path::new(relative);
    let plain = path
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(name) if name != ".git"));
    (plain && !relative.is_empty() && !relative.contains('\0')).then(|| worktree.join(path))
}

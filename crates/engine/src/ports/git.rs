//! Clones, worktrees, commits and pushes.

use super::VerifyPlan;
use super::{GateRefusal, PullRef, SessionMeter, SyntaxChecker};
use async_trait::async_trait;
use collie_core::base_merge::LostLine;
use collie_core::code_context::{WordHits, WordSearch};
use collie_core::coverage::UnseenReason;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, Sha};
use collie_core::own_accounts::AccountTrouble;
use collie_core::user_error::{TextArg, UserError};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Sizes are told in these.
const MEBIBYTE: u64 = 1 << 20;

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
    /// An account of its own cannot be used (§18.2); nothing was pushed.
    #[error(
        "nothing can be pushed as @{} ({}): add its token again with `collie account add`",
        trouble.login,
        trouble.problem.name()
    )]
    Account {
        /// Which account, and why.
        trouble: AccountTrouble,
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
    /// The worktree was removed meanwhile, or is none of this data folder.
    #[error("the worktree is not there any more: prepare it again")]
    WorktreeGone,
    /// A URL or a branch name that is not handed to git.
    #[error(
        "`{value}` is no remote or branch that git is asked for: expected https://HOST/… without credentials, or a name that git allows"
    )]
    InvalidRemote {
        /// It, with control characters escaped.
        value: String,
    },
    /// The disk is full.
    #[error("the disk that holds the data folder is full: free some space, then try again")]
    DiskFull,
    /// What the head has in it would fill the disk; nothing of it was written.
    #[error("the checkout is too large: {limit}")]
    CheckoutTooLarge {
        /// The limit that it passes.
        limit: DiskLimit,
    },
    /// A file could not be written, or a program not be started.
    #[error("{what}: {message}")]
    Io {
        /// What was tried, for the log.
        what: String,
        /// The system's words; may be empty.
        message: String,
    },
    /// A verify command was not run, since there is no sandbox for it.
    #[error("a verify command was not run: {error}")]
    NoSandbox {
        /// What is missing, or in the way.
        error: Box<UserError>,
    },
    /// A verify command was ended for what it wrote to the disk.
    #[error("a verify command was ended: {error}")]
    SandboxStopped {
        /// The limit, and what can be done.
        error: Box<UserError>,
    },
    /// The command that prepares a verification failed.
    #[error("`{command}` failed: {message}")]
    PrepareFailed {
        /// The command.
        command: String,
        /// The end of its output.
        message: String,
        /// `host:port` of those that it wanted to reach and may not.
        refused_hosts: Vec<String>,
    },
    /// A verify command failed, as it seems since it has no network.
    #[error("`{command}` wants the network: {message}")]
    VerifyNeedsNetwork {
        /// The command.
        command: String,
        /// The line of its output that says so.
        message: String,
    },
    /// git is not there or too old.
    #[error("git 2.38 or later is needed: {message}")]
    GitUnavailable {
        /// What was found.
        message: String,
    },
}

impl GitError {
    /// The words of git, of the remote or of the system; empty where there are none.
    pub fn words(&self) -> &str {
        match self {
            GitError::Failed { message, .. }
            | GitError::Unreachable { message }
            | GitError::PushRefused { message }
            | GitError::PrepareFailed { message, .. }
            | GitError::VerifyNeedsNetwork { message, .. }
            | GitError::Io { message, .. }
            | GitError::GitUnavailable { message } => message,
            GitError::HeadMismatch { branch, .. } => branch,
            GitError::InvalidRemote { value } => value,
            GitError::Diverged
            | GitError::Cancelled
            | GitError::Account { .. }
            | GitError::WorktreeGone
            | GitError::NoSandbox { .. }
            | GitError::SandboxStopped { .. }
            | GitError::CheckoutTooLarge { .. }
            | GitError::DiskFull => "",
        }
    }
}

impl From<GitError> for UserError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Failed {
                command,
                location,
                message,
            } => UserError::new(ErrorCode::GitFailed)
                .with("command", command)
                .with("location", location)
                .with_aside("message", message)
                .hint(ErrorHint::Doctor),
            GitError::Unreachable { message } => UserError::new(ErrorCode::GitUnreachable)
                .with_aside("message", message)
                .hint(ErrorHint::Network),
            GitError::Account { trouble } => UserError::new(ErrorCode::AccountUnusable)
                .with("login", trouble.login.as_str())
                .with("problem", trouble.problem.name())
                .hint(ErrorHint::AddAccount),
            GitError::HeadMismatch { .. } => UserError::new(ErrorCode::HeadMismatch),
            GitError::PushRefused { message } => {
                UserError::new(ErrorCode::PushRefused).with("message", message)
            }
            GitError::Diverged => UserError::new(ErrorCode::Diverged),
            GitError::Cancelled => UserError::new(ErrorCode::Cancelled),
            GitError::WorktreeGone => UserError::new(ErrorCode::WorktreeGone),
            GitError::InvalidRemote { value } => {
                UserError::new(ErrorCode::InvalidRemote).with("value", value)
            }
            GitError::DiskFull => UserError::new(ErrorCode::DiskFull).hint(ErrorHint::FreeSpace),
            GitError::CheckoutTooLarge { limit } => match limit {
                DiskLimit::CheckoutBytes(bytes) => UserError::new(ErrorCode::CheckoutTooLarge)
                    .with_arg("mb", TextArg::Number(bytes.div_ceil(MEBIBYTE))),
                DiskLimit::CheckoutFiles(files) => UserError::new(ErrorCode::CheckoutTooManyFiles)
                    .with_arg("count", TextArg::Number(files)),
            }
            .hint(ErrorHint::DiskLimits),
            GitError::Io { message, .. } => UserError::new(ErrorCode::CloneFailed)
                .with_aside("message", message)
                .hint(ErrorHint::DataFolder),
            GitError::NoSandbox { error } | GitError::SandboxStopped { error } => *error,
            GitError::PrepareFailed {
                command,
                message,
                refused_hosts,
            } => prepare_error(command, message, refused_hosts),
            GitError::VerifyNeedsNetwork { command, message } => {
                UserError::new(ErrorCode::VerifyNeedsNetwork)
                    .with("command", command)
                    .with("message", message)
                    .hint(ErrorHint::Prepare)
            }
            GitError::GitUnavailable { message } => UserError::new(ErrorCode::NoGit)
                .with("message", message)
                .hint(ErrorHint::Git),
        }
    }
}

fn prepare_error(command: String, message: String, refused_hosts: Vec<String>) -> UserError {
    let of = |code| {
        UserError::new(code)
            .with("command", command)
            .with_aside("message", message)
    };
    if refused_hosts.is_empty() {
        return of(ErrorCode::PrepareFailed).hint(ErrorHint::Prepare);
    }
    of(ErrorCode::PrepareHostsRefused)
        .with_arg("hosts", TextArg::Names(refused_hosts))
        .hint(ErrorHint::PrepareHosts)
}

/// A limit on what a pull request may write to the disk, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskLimit {
    /// The files of a checkout together, in bytes.
    CheckoutBytes(u64),
    /// Files and folders of a checkout.
    CheckoutFiles(u64),
}

impl fmt::Display for DiskLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiskLimit::CheckoutBytes(bytes) => write!(f, "more than {bytes} bytes"),
            DiskLimit::CheckoutFiles(files) => write!(f, "more than {files} files and folders"),
        }
    }
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
    /// Why nobody is shown its lines, whatever room there is; none where they are shown.
    pub unshown: Option<UnseenReason>,
    /// Lines of the head that the pull request adds or changes.
    pub changed: Vec<LineRange>,
    /// Lines of the head that the diff shows, context of 3 included: GitHub takes comments on these.
    pub shown: Vec<LineRange>,
}

/// A worktree that is clean and at a known head: proof that it may be read, run in and fixed in (invariant 5).
///
/// Nothing but the git adapter makes one, by [`CleanWorktree::at_verified_head`]: the fields are private, and
/// `architecture/proofs.rs` of `collie-cli` holds who names the constructor. [`Git::prepare`] gives it to the engine.
///
/// ```compile_fail
/// fn at_another_head(
///     worktree: collie_engine::ports::CleanWorktree,
///     head: collie_core::ids::Sha,
/// ) -> collie_engine::ports::CleanWorktree {
///     collie_engine::ports::CleanWorktree { head, ..worktree }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct CleanWorktree {
    path: PathBuf,
    git_dir: PathBuf,
    head: Sha,
    merge_base: Sha,
    pull: PullRef,
    remote: GitRemote,
}

impl CleanWorktree {
    /// Takes a worktree at `path`, of the clone at `git_dir`, for clean that was just brought to `wanted`, when git itself says that it is at it.
    ///
    /// # Errors
    /// [`GitError::HeadMismatch`] when it `found` another head there.
    pub fn at_verified_head(
        (path, git_dir): (PathBuf, PathBuf),
        (wanted, found): (&Sha, Sha),
        merge_base: Sha,
        pull: &PullRef,
        remote: &GitRemote,
    ) -> Result<Self, GitError> {
        if found != *wanted {
            let (branch, found) = (remote.branch.clone(), Some(found));
            return Err(GitError::HeadMismatch { branch, found });
        }
        Ok(Self {
            path,
            git_dir,
            head: found,
            merge_base,
            pull: pull.clone(),
            remote: remote.clone(),
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the repository that it belongs to: objects and references.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The head it is at.
    pub fn head(&self) -> &Sha {
        &self.head
    }

    /// The merge base of head and base.
    pub fn merge_base(&self) -> &Sha {
        &self.merge_base
    }

    /// The pull request.
    pub fn pull(&self) -> &PullRef {
        &self.pull
    }

    /// The head branch.
    pub fn branch(&self) -> &str {
        &self.remote.branch
    }

    /// Where it was fetched from.
    pub fn remote(&self) -> &GitRemote {
        &self.remote
    }
}

/// Settings of the head that those of the base stand in for (§9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShieldedConfig {
    /// Of coding agents and of what runs beside them.
    Agents,
    /// Of linters.
    Linters,
}

/// What keeps a pull request's own settings for agents and tools from being obeyed (§9.3): proof that they were put back to
/// those of the base.
///
/// Nothing but the git adapter makes one, by [`Shield::raised_in`]; see [`CleanWorktree`]. From [`Git::shield`].
///
/// ```compile_fail
/// fn nothing_swapped(shield: collie_engine::ports::Shield) -> collie_engine::ports::Shield {
///     collie_engine::ports::Shield { swapped: Vec::new(), ..shield }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shield {
    config: ShieldedConfig,
    worktree: PathBuf,
    swapped: Vec<String>,
    placed: Vec<PathBuf>,
}

impl Shield {
    /// Records what was swapped and placed in this very worktree.
    pub fn raised_in(
        worktree: &CleanWorktree,
        config: ShieldedConfig,
        mut swapped: Vec<String>,
        placed: Vec<PathBuf>,
    ) -> Self {
        swapped.sort();
        Self {
            config,
            worktree: worktree.path.clone(),
            swapped,
            placed,
        }
    }

    /// Whether it stands in this worktree.
    pub fn is_raised_in(&self, worktree: &CleanWorktree) -> bool {
        self.worktree == worktree.path
    }

    /// Which settings it is about.
    pub fn config(&self) -> ShieldedConfig {
        self.config
    }

    /// Paths, sorted, whose content at the head is not what the worktree now shows.
    pub fn swapped(&self) -> &[String] {
        &self.swapped
    }

    /// Files that were put into the worktree, relative to it.
    pub fn placed(&self) -> &[PathBuf] {
        &self.placed
    }
}

/// A change that passed all gates: proof without which nothing can be committed (invariant 5).
///
/// Nothing but the git adapter makes one, by [`VettedChange::passed_all_gates`]: the fields are private, and
/// `architecture/proofs.rs` of `collie-cli` holds who names the constructor.
///
/// ```compile_fail
/// fn another_tree(
///     change: collie_engine::ports::VettedChange,
///     tree: collie_core::ids::Sha,
/// ) -> collie_engine::ports::VettedChange {
///     collie_engine::ports::VettedChange { tree, ..change }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct VettedChange {
    worktree: CleanWorktree,
    paths: Vec<String>,
    tree: Sha,
    merged: Option<Sha>,
}

impl VettedChange {
    /// Vouches for `tree`, made of what was changed in the worktree, once no gate has refused it. `merged` is the commit that it merges
    /// into the head; none for a fix.
    pub fn passed_all_gates(
        worktree: &CleanWorktree,
        tree: Sha,
        paths: Vec<String>,
        merged: Option<Sha>,
    ) -> Self {
        Self {
            worktree: worktree.clone(),
            paths,
            tree,
            merged,
        }
    }

    /// The second parent of its commit; none for a fix.
    pub fn merged(&self) -> Option<&Sha> {
        self.merged.as_ref()
    }

    /// Where it is.
    pub fn worktree(&self) -> &CleanWorktree {
        &self.worktree
    }

    /// The files it changes.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// The tree that was vetted: what is committed, whatever the verify commands left behind.
    pub fn tree(&self) -> &Sha {
        &self.tree
    }
}

/// A worktree in which git merged the base into the head. Nothing is committed; conflicts are marked in the files.
#[derive(Clone, Debug)]
pub struct MergedWorktree {
    /// The worktree; what is checked out in it is `tree`, not its head.
    pub worktree: CleanWorktree,
    /// The base commit.
    pub base: Sha,
    /// What git made of both sides, marked conflicts included.
    pub tree: Sha,
    /// Files that conflict; none where git merged all of them.
    pub conflicts: Vec<MergeConflict>,
}

/// A file that both sides changed in the same place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeConflict {
    /// The path.
    pub path: String,
    /// The texts that conflict. None where only a person can settle it: a side deleted or renamed the file, it is no text, or it is a
    /// setting that agents obey.
    pub texts: Option<ConflictTexts>,
}

/// The blobs of a conflict, by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictTexts {
    /// As both sides had it; none where each added it.
    pub common: Option<String>,
    /// As the head has it.
    pub head: String,
    /// As the base has it.
    pub base: String,
}

/// A merge that passed all gates, and what it leaves out.
#[derive(Clone, Debug)]
pub struct VettedMerge {
    /// What to commit; its commit has both sides as parents.
    pub change: VettedChange,
    /// Lines that a side added and that the result lacks.
    pub lost: Vec<LostLine>,
}

/// Verify commands that a change has to pass, run in a session.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRun<'a> {
    /// Those that may run.
    pub plan: &'a VerifyPlan,
    /// Where hosts are named that what prepares them was refused.
    pub meter: &'a SessionMeter,
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

    /// The files that differ between merge base and head, with their lines. What is text is told by content, what is generated by
    /// `base`, the commit that the base branch is at: nothing that the head says of its own files counts (§4.4).
    async fn diff(&self, worktree: &CleanWorktree, base: &Sha) -> Result<Vec<DiffFile>, GitError>;

    /// Lines of the head that differ from `since`, by path: none of them where lines were only taken out, where the file is gone or has no
    /// lines. `None` when `since` is not in the clone any more.
    async fn changed_lines_since(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<Option<BTreeMap<String, Vec<LineRange>>>, GitError>;

    /// Paths that the pull request changed when it was at `commit`: what differs between it and where it parted from `base`, a renamed file
    /// under both of its names. `None` when `commit` is not in the clone any more.
    async fn changed_paths_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        base: &Sha,
    ) -> Result<Option<BTreeSet<String>>, GitError>;

    /// What a commit changed, as a patch of at most `max` bytes, cut where it is longer; what is no UTF-8 is shown lossily. `None` when
    /// the commit is not in the clone any more.
    async fn patch_of(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        max: usize,
    ) -> Result<Option<String>, GitError>;

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

    /// Lines of a commit's text files that hold one of these words whole; bounded in number, bytes and time. No setting or attribute of the
    /// commit has a say in what is text.
    async fn search_words(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        search: &WordSearch,
    ) -> Result<WordHits, GitError>;

    /// The messages of the commits between merge base and head, oldest first: of many the newest `max`, and of a long one the beginning.
    async fn commit_messages(
        &self,
        worktree: &CleanWorktree,
        max: usize,
    ) -> Result<Vec<String>, GitError>;

    /// Puts such settings in the worktree back to those of `base`, in every folder (§9.3). The worktree is a prepared one, or one that was
    /// unshielded; safe to repeat.
    async fn shield(
        &self,
        worktree: &CleanWorktree,
        base: &Sha,
        config: ShieldedConfig,
    ) -> Result<Shield, GitError>;

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
        verify: VerifyRun<'_>,
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

    /// Pushes a commit with a fixed refspec, never forced; done when it is the remote head or an ancestor of it. Where an account of its own
    /// is named, as that one, and never as another instead (§18.2).
    async fn push(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        (commit, from): (&Sha, &Sha),
        by: Option<&Login>,
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

    /// Has git merge `base` into `head` in the fixing worktree, by itself: no hook runs, and no attribute or merge driver of either side has
    /// a say. Nothing is committed. None where the head has the base already.
    async fn merge_base_in(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        base: &Sha,
    ) -> Result<Option<MergedWorktree>, GitError>;

    /// Puts the files of a merge commit that was made before into the worktree, to be vetted again.
    async fn lay_merge(&self, merged: &MergedWorktree, commit: &Sha) -> Result<(), GitError>;

    /// Passes a merge through the gates: no conflict is left, no file outside of what the two sides changed, nothing that weakens what both
    /// sides have, no secret that neither had; syntax and verify as for a fix (§6.3). Lists what it leaves out.
    async fn vet_merge(
        &self,
        merged: &MergedWorktree,
        syntax: &dyn SyntaxChecker,
        verify: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<Result<VettedMerge, GateRefusal>, GitError>;

    /// What the remote branch is at; none when it is gone.
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
    /// The number of the pull request where the repository of its head branch is deleted: `refs/pull/N/head` of the base repository
    /// still has its head, and nothing can be pushed.
    pub deleted_fork: Option<u64>,
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
    /// The account of its own that commits (§18.2), with the host that it is of; none: as the user's git is configured, or as set.
    pub by: Option<(String, Login)>,
}

/// Where a worktree's file lies; refuses anything that leads out of it.
pub fn path_in_worktree(worktree: &Path, relative: &str) -> Option<PathBuf> {
    let path = Path::new(relative);
    let plain = path
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(name) if name != ".git"));
    (plain && !relative.is_empty() && !relative.contains('\0')).then(|| worktree.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::ids::{LoopId, RepoName};

    #[test]
    fn a_worktree_at_another_head_is_no_clean_worktree() {
        let sha = |digit: &str| Sha::parse(&digit.repeat(40)).unwrap();
        let id = LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number: 1,
        };
        let repo: RepoName = RepoName::parse("acme/web").unwrap();
        let remote = GitRemote {
            url: "u".into(),
            head_url: "u".into(),
            branch: "topic".into(),
            deleted_fork: None,
        };
        let at = |found: &str| {
            let heads = (&sha("a"), sha(found));
            let pull = PullRef {
                id: id.clone(),
                repo: repo.clone(),
            };
            CleanWorktree::at_verified_head(
                ("w".into(), "c".into()),
                heads,
                sha("c"),
                &pull,
                &remote,
            )
        };
        assert_eq!(*at("a").unwrap().head(), sha("a"));
        let refused = at("b").unwrap_err();
        assert!(
            matches!(&refused, GitError::HeadMismatch { found: Some(found), .. } if *found == sha("b")),
            "{refused}"
        );
    }
}

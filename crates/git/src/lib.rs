//! Clones, worktrees, gates, commit and push (§6.2–6.4), through the `git` binary.
//!
//! One bare clone per repository, one worktree per pull request, fixer or reviewer, all below one folder that one engine
//! process owns. What runs here never obeys the repository: hooks, filters, diff drivers, `fsmonitor`, submodules and
//! the user's git configuration are off, and the clone's own configuration is written anew before each use (§9.3).
//! Credentials travel in the environment of the git process only (§9.4).

mod commit;
mod commit_message;
mod diff;
mod excerpt;
mod fetch;
mod gates;
mod git_command;
mod layout;
mod object_reader;
mod oscillation;
mod patch;
mod plumbing_output;
mod port;
mod prepare;
mod process;
mod push;
mod shield;
mod tamper;
mod verify;

pub use excerpt::{CloneReader, ExcerptLine, ExcerptSelection, LineChange};

use collie_engine::ports::GitError;
use git_command::GitRunner;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Gives the token of the moment; none where nobody is signed in.
pub type Credentials = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Who commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitIdentity {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
}

/// How git is used.
#[derive(Clone, Debug)]
pub struct GitOptions {
    /// The binary: a name that is looked for on `PATH`, or a path.
    pub binary: PathBuf,
    /// A call to a remote that takes longer is stopped.
    pub network_timeout: Duration,
    /// Any other call that takes longer is stopped.
    pub local_timeout: Duration,
    /// A verify command that takes longer has failed.
    pub verify_timeout: Duration,
    /// Names of variables that verify commands see besides the usual ones; no secret belongs here.
    pub verify_env: Vec<String>,
    /// The home folder that the user's git configuration is read from; none: that of this process.
    pub user_home: Option<PathBuf>,
    /// `file://` remotes are allowed: for tests and for repositories of this machine.
    pub allow_file_remotes: bool,
}

impl Default for GitOptions {
    fn default() -> Self {
        let ten_minutes = Duration::from_secs(600);
        Self {
            binary: "git".into(),
            network_timeout: ten_minutes,
            local_timeout: ten_minutes,
            verify_timeout: ten_minutes,
            verify_env: Vec::new(),
            user_home: None,
            allow_file_remotes: false,
        }
    }
}

/// All clones and worktrees of one data folder. Implements the engine's `Git` port.
pub struct Worktrees {
    root: PathBuf,
    git: GitRunner,
    identity: Option<CommitIdentity>,
    clone_locks: Mutex<HashMap<PathBuf, CloneLock>>,
}

/// Held while a clone is written to. What it guards says whether the last holder ended well.
type CloneLock = Arc<tokio::sync::Mutex<bool>>;

impl Worktrees {
    /// Opens the folder, which is made when it is not there; what an earlier process left half done is removed, so
    /// only the process that owns the data folder may open it. Without `identity`, commits are made as the user's git
    /// is configured.
    ///
    /// # Errors
    /// [`GitError::Io`] when the folder cannot be made or is no folder.
    pub fn new(
        root: &Path,
        credentials: Credentials,
        identity: Option<CommitIdentity>,
        options: GitOptions,
    ) -> Result<Self, GitError> {
        let what = "the folder for clones could not be made";
        std::fs::create_dir_all(root).map_err(layout::io_error(what))?;
        let root = root.canonicalize().map_err(layout::io_error(what))?;
        Self::empty_trash(&root)?;
        Ok(Self {
            git: GitRunner::new(root.clone(), credentials, options),
            root,
            identity,
            clone_locks: Mutex::new(HashMap::new()),
        })
    }

    fn clone_lock(&self, clone: &Path) -> CloneLock {
        let mut clones = self
            .clone_locks
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        clones.entry(clone.to_path_buf()).or_default().clone()
    }
}

/// Finds the version of a git binary, for `collie doctor`.
///
/// # Errors
/// [`GitError::NoGit`] when it is missing or older than 2.38.
pub async fn git_version(git: &Path) -> Result<String, GitError> {
    let options = GitOptions {
        binary: git.to_path_buf(),
        ..GitOptions::default()
    };
    GitRunner::new(std::env::temp_dir(), Arc::new(|| None), options)
        .version()
        .await
}

//! The clones and worktrees of one data folder, as one value.

use crate::cat_file::CatFilePool;
use crate::complete_commits::CompleteCommits;
use crate::git_command::GitRunner;
use crate::git_options::{Credentials, GitOptions};
use crate::io_error::io_error;
use crate::known_diffs::KnownDiffs;
use crate::lazy_checkouts::LazyCheckouts;
use crate::prepared::PreparedCheckouts;
use collie_engine::ports::GitError;
use collie_platform::real_path;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Who commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitIdentity {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
}

/// All clones and worktrees of one data folder. Implements the engine's `Git` port.
pub struct Worktrees {
    pub(crate) root: PathBuf,
    pub(crate) git: GitRunner,
    pub(crate) identity: Option<CommitIdentity>,
    pub(crate) prepared: PreparedCheckouts,
    pub(crate) complete: CompleteCommits,
    pub(crate) cat_files: CatFilePool,
    pub(crate) lazy: LazyCheckouts,
    pub(crate) diffs: KnownDiffs,
    clone_locks: Mutex<HashMap<PathBuf, CloneLock>>,
}

/// Held while a clone is written to. What it guards says whether the last holder ended well.
pub(crate) type CloneLock = Arc<tokio::sync::Mutex<bool>>;

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
        std::fs::create_dir_all(root).map_err(io_error(what))?;
        let root = real_path(root).map_err(io_error(what))?;
        Self::empty_trash(&root)?;
        Ok(Self {
            git: GitRunner::new(root.clone(), credentials, options),
            root,
            identity,
            prepared: PreparedCheckouts::default(),
            complete: CompleteCommits::default(),
            cat_files: CatFilePool::default(),
            lazy: LazyCheckouts::default(),
            diffs: KnownDiffs::default(),
            clone_locks: Mutex::new(HashMap::new()),
        })
    }

    pub(crate) fn clone_lock(&self, clone: &Path) -> CloneLock {
        let mut clones = self
            .clone_locks
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        clones.entry(clone.to_path_buf()).or_default().clone()
    }
}

//! Worktrees whose files are laid only when somebody needs them on disk: most reviewers read the clone's objects alone.

use collie_core::ids::Sha;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is known of such worktrees, for as long as this process works for one reader.
#[derive(Debug, Default)]
pub(crate) struct LazyCheckouts(Mutex<LazyState>);

#[derive(Debug, Default)]
struct LazyState {
    /// By clone, head and base, where they parted: fetched, whole, and the head that of the branch when it was looked at.
    verified: HashMap<(PathBuf, Sha, Sha), Sha>,
    /// Worktrees whose files are not there.
    unlaid: HashSet<PathBuf>,
}

impl LazyCheckouts {
    fn state(&self) -> MutexGuard<'_, LazyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn merge_base(&self, clone_dir: &Path, head: &Sha, base: &Sha) -> Option<Sha> {
        let key = (clone_dir.to_owned(), head.clone(), base.clone());
        self.state().verified.get(&key).cloned()
    }

    pub(crate) fn remember(&self, clone_dir: &Path, (head, base): (&Sha, &Sha), merge_base: &Sha) {
        let key = (clone_dir.to_owned(), head.clone(), base.clone());
        self.state().verified.insert(key, merge_base.clone());
    }

    pub(crate) fn add_unlaid(&self, work_dir: &Path) {
        self.state().unlaid.insert(work_dir.to_owned());
    }

    pub(crate) fn is_unlaid(&self, work_dir: &Path) -> bool {
        self.state().unlaid.contains(work_dir)
    }

    pub(crate) fn set_laid(&self, work_dir: &Path) {
        self.state().unlaid.remove(work_dir);
    }

    /// The worktrees of a clone, or all of it, are gone.
    pub(crate) fn forget(&self, clone_dir: &Path) {
        let mut state = self.state();
        state.verified.retain(|(clone, ..), _| clone != clone_dir);
        state.unlaid.retain(|work_dir| work_dir.exists());
    }
}

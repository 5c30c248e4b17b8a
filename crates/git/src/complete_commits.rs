//! What is known of the files that a partial clone has (0023).

use collie_core::ids::Sha;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Commits by clone whose files are known to be there.
#[derive(Debug, Default)]
pub(crate) struct CompleteCommits(Mutex<HashSet<(PathBuf, Sha)>>);

impl CompleteCommits {
    pub(crate) fn has(&self, clone_dir: &Path, commit: &Sha) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains(&(clone_dir.to_owned(), commit.clone()))
    }

    pub(crate) fn add(&self, clone_dir: &Path, commits: &[&Sha]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(
            commits
                .iter()
                .map(|commit| (clone_dir.to_owned(), (*commit).clone())),
        );
    }

    /// The clone is gone.
    pub(crate) fn forget(&self, clone_dir: &Path) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(clone, _)| clone != clone_dir);
    }
}

/// Whether files may be missing from a clone.
pub(crate) fn is_partial(clone_dir: &Path) -> bool {
    let packs = fs::read_dir(clone_dir.join("objects").join("pack"));
    packs.into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        path.extension().is_some_and(|kind| kind == "promisor")
    })
}

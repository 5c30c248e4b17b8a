//! Diffs that were read: several reviewers look at the same one, and what two commits differ in never changes.

use collie_core::ids::Sha;
use collie_engine::ports::DiffFile;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// As many are kept.
const MAX_DIFFS: usize = 4;

/// Which diff: its clone, the base that says what is generated, and its two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiffKey {
    clone_dir: PathBuf,
    commits: [Sha; 3],
}

impl DiffKey {
    pub(crate) fn new(clone_dir: &Path, commits: [&Sha; 3]) -> Self {
        Self {
            clone_dir: clone_dir.to_owned(),
            commits: commits.map(Sha::clone),
        }
    }
}

/// A diff that one reads while the others wait for it.
type DiffCell = Arc<OnceCell<Vec<DiffFile>>>;

/// The diffs that were read last.
#[derive(Default)]
pub(crate) struct KnownDiffs(Mutex<VecDeque<(DiffKey, DiffCell)>>);

impl KnownDiffs {
    /// The place of a diff, which is read by whoever comes first.
    pub(crate) fn cell(&self, key: DiffKey) -> DiffCell {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cell)) = known.iter().find(|(there, _)| *there == key) {
            return cell.clone();
        }
        let cell = DiffCell::default();
        known.push_front((key, cell.clone()));
        known.truncate(MAX_DIFFS);
        cell
    }
}

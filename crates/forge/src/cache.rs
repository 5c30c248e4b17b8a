//! Diffs that were asked for lately.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::diff::FileDiff;
use crate::model::Sha;

/// How many diffs are remembered.
const LIMIT: usize = 128;

/// Repository key, old commit, new commit.
pub(crate) type DiffKey = (String, Sha, Sha);

/// Remembers diffs; the oldest entry makes room.
#[derive(Debug, Default)]
pub(crate) struct Diffs(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    found: BTreeMap<DiffKey, Arc<Vec<FileDiff>>>,
    order: VecDeque<DiffKey>,
}

impl Diffs {
    pub(crate) fn get(&self, key: &DiffKey) -> Option<Arc<Vec<FileDiff>>> {
        self.lock().found.get(key).cloned()
    }

    pub(crate) fn put(&self, key: DiffKey, files: Arc<Vec<FileDiff>>) {
        let mut entries = self.lock();
        if entries.found.insert(key.clone(), files).is_none() {
            entries.order.push_back(key);
        }
        if entries.order.len() > LIMIT
            && let Some(oldest) = entries.order.pop_front()
        {
            entries.found.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

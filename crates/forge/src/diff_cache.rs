//! Diffs that were asked for lately.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::diff::FileDiff;
use crate::model::Sha;

/// How many diffs are remembered.
const CACHE_CAPACITY: usize = 128;

/// Repository key, old commit, new commit.
pub(crate) type DiffKey = (String, Sha, Sha);

/// Remembers diffs; the oldest entry makes room.
#[derive(Debug, Default)]
pub(crate) struct DiffCache(Mutex<CacheEntries>);

#[derive(Debug, Default)]
struct CacheEntries {
    diffs: BTreeMap<DiffKey, Arc<Vec<FileDiff>>>,
    order: VecDeque<DiffKey>,
}

impl DiffCache {
    pub(crate) fn get(&self, key: &DiffKey) -> Option<Arc<Vec<FileDiff>>> {
        self.lock().diffs.get(key).cloned()
    }

    pub(crate) fn insert(&self, key: DiffKey, files: Arc<Vec<FileDiff>>) {
        let mut entries = self.lock();
        if entries.diffs.insert(key.clone(), files).is_none() {
            entries.order.push_back(key);
        }
        if entries.order.len() > CACHE_CAPACITY
            && let Some(oldest) = entries.order.pop_front()
        {
            entries.diffs.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, CacheEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Rows that remember what they were before a change, so that a change can be written or undone.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A row of a table, found by its key.
pub trait Row: Clone + Serialize + DeserializeOwned {
    /// The table's name in the log.
    const TABLE: &'static str;

    /// The key: an id, or a number within the repository.
    fn key(&self) -> u64;
}

/// Rows in the order of their keys.
#[derive(Debug, Clone)]
pub struct Table<T> {
    rows: BTreeMap<u64, T>,
    originals: BTreeMap<u64, Option<T>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            originals: BTreeMap::new(),
        }
    }
}

impl<T: Row> Table<T> {
    /// The row with this key.
    pub fn get(&self, key: u64) -> Option<&T> {
        self.rows.get(&key)
    }

    /// The row with this key, to change.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        let row = self.rows.get_mut(&key)?;
        self.originals
            .entry(key)
            .or_insert_with(|| Some(row.clone()));
        Some(row)
    }

    /// Adds a row, or replaces the one with its key.
    pub fn insert(&mut self, row: T) {
        let key = row.key();
        let old = self.rows.insert(key, row);
        self.originals.entry(key).or_insert(old);
    }

    /// Removes the row with this key.
    pub fn remove(&mut self, key: u64) -> Option<T> {
        let old = self.rows.remove(&key)?;
        self.originals
            .entry(key)
            .or_insert_with(|| Some(old.clone()));
        Some(old)
    }

    /// All rows by ascending key.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.rows.values()
    }

    /// Keys of the rows that changed, each with the row as it is now (`None`: removed).
    pub(crate) fn changed(&self) -> impl Iterator<Item = (u64, Option<&T>)> {
        self.originals.keys().map(|key| (*key, self.rows.get(key)))
    }

    /// The rows that changed: as they were, and as they are now.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (Option<&T>, Option<&T>)> {
        (self.originals.iter()).map(|(key, old)| (old.as_ref(), self.rows.get(key)))
    }

    /// Takes the changes as done.
    pub(crate) fn clear_changes(&mut self) {
        self.originals.clear();
    }

    /// Undoes every change since the last `settle`.
    pub(crate) fn roll_back(&mut self) {
        for (key, old) in std::mem::take(&mut self.originals) {
            match old {
                Some(row) => self.rows.insert(key, row),
                None => self.rows.remove(&key),
            };
        }
    }
}

/// One value that remembers what it was before a change.
#[derive(Debug, Clone)]
pub struct TrackedValue<T> {
    value: T,
    original: Option<T>,
}

impl<T: Clone> TrackedValue<T> {
    /// Holds a value that counts as unchanged.
    pub fn new(value: T) -> Self {
        Self {
            value,
            original: None,
        }
    }

    /// The value, to change.
    pub fn edit(&mut self) -> &mut T {
        if self.original.is_none() {
            self.original = Some(self.value.clone());
        }
        &mut self.value
    }

    pub(crate) fn is_changed(&self) -> bool {
        self.original.is_some()
    }

    pub(crate) fn clear_changes(&mut self) {
        self.original = None;
    }

    pub(crate) fn roll_back(&mut self) {
        if let Some(old) = self.original.take() {
            self.value = old;
        }
    }
}

impl<T> Deref for TrackedValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

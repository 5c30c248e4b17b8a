//! Which entries of a loop's history are kept: as many as have room, and the newest always.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// So many entries of a loop are kept at most.
const MAX_ENTRIES: usize = 64;
/// So large are they together at most, unless a single one is larger.
const MAX_BYTES: usize = 256 << 10;

/// The sizes of the entries that are kept, the oldest first: their versions follow each other up to the loop's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct KeptEntries(VecDeque<usize>);

/// What is kept once an entry came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The oldest version.
    pub first: u64,
    /// The versions that are kept no more.
    pub gone: Vec<u64>,
}

impl KeptEntries {
    /// Takes the entry of the next version in.
    pub fn add(&mut self, version: u64, bytes: usize) -> Kept {
        let before = self.0.len() as u64;
        self.0.push_back(bytes);
        let mut size: usize = self.0.iter().sum();
        while self.0.len() > 1 && (self.0.len() > MAX_ENTRIES || size > MAX_BYTES) {
            size -= self.0.pop_front().unwrap_or_default();
        }
        let first = version.saturating_sub(self.0.len() as u64 - 1);
        Kept {
            first,
            gone: (version.saturating_sub(before)..first).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_kept_as_has_room_and_the_newest_always() {
        let mut entries = KeptEntries::default();
        let mut kept = |version, bytes| {
            let Kept { first, gone } = entries.add(version, bytes);
            (first, gone)
        };
        for version in 1..=MAX_ENTRIES as u64 {
            assert_eq!(kept(version, 10), (1, Vec::new()));
        }
        assert_eq!(kept(65, 10), (2, vec![1]));
        let (first, gone) = kept(66, 2 * MAX_BYTES);
        assert_eq!((first, gone.len()), (66, MAX_ENTRIES), "{gone:?}");
        assert_eq!((gone.first(), gone.last()), (Some(&2), Some(&65)));
        assert_eq!(kept(67, 10), (67, vec![66]), "it has no room beside it");
    }

    /// A loop that an older worker kept has entries that are not counted.
    #[test]
    fn those_that_are_not_counted_are_not_let_go_of() {
        let mut entries = KeptEntries::default();
        assert_eq!(
            entries.add(9, 10),
            Kept {
                first: 9,
                gone: Vec::new()
            }
        );
        assert_eq!(entries.add(10, 10).first, 9);
    }
}

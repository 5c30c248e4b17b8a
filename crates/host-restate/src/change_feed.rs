//! Which loops of a host have changed of late, in order: pages of keys, of which the oldest are let go of.

use crate::loop_key::LoopKey;
use serde::{Deserialize, Serialize};

/// So many changes are on a page.
const PAGE: u64 = 64;
/// So many pages are kept.
const PAGES: u64 = 64;

/// How many changes there were so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FeedPosition(pub u64);

/// Where a change is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NextPlace {
    /// Its page.
    pub page: u64,
    /// Whether it is the first there.
    pub is_first: bool,
    /// The page that is let go of for it.
    pub gone: Option<u64>,
}

impl FeedPosition {
    /// Where the next change goes.
    pub fn next_place(self) -> NextPlace {
        let page = self.0 / PAGE;
        let is_first = self.0.is_multiple_of(PAGE);
        let gone = if is_first {
            page.checked_sub(PAGES)
        } else {
            None
        };
        NextPlace {
            page,
            is_first,
            gone,
        }
    }

    /// The pages that hold all changes after `since`; none where that is not known any more.
    pub fn pages_since(self, since: u64) -> Option<std::ops::Range<u64>> {
        if since > self.0 {
            return None;
        }
        let (first, end) = (since / PAGE, self.0.div_ceil(PAGE));
        // The oldest page may be let go of while it is read.
        (end - first.min(end) < PAGES).then_some(first..end)
    }

    /// Of the changes on a page those after `since` and not after this position.
    pub fn on_page(self, page: u64, keys: Vec<LoopKey>, since: u64) -> Vec<LoopKey> {
        let numbered = (page * PAGE..).zip(keys);
        numbered
            .filter(|(number, _)| (since..self.0).contains(number))
            .map(|(_, key)| key)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn key(number: u64) -> LoopKey {
        format!("github.com/R_1/{number}").parse().expect("a key")
    }

    /// A feed in memory, as the object keeps it.
    #[derive(Default)]
    struct Feed {
        position: FeedPosition,
        pages: BTreeMap<u64, Vec<LoopKey>>,
    }

    impl Feed {
        fn add(&mut self, key: LoopKey) {
            let place = self.position.next_place();
            if let Some(gone) = place.gone {
                self.pages.remove(&gone);
            }
            assert_eq!(place.is_first, !self.pages.contains_key(&place.page));
            self.pages.entry(place.page).or_default().push(key);
            self.position.0 += 1;
        }

        fn since(&self, since: u64) -> Option<Vec<LoopKey>> {
            let mut keys = Vec::new();
            for page in self.position.pages_since(since)? {
                let on_page = self.pages.get(&page)?.clone();
                keys.extend(self.position.on_page(page, on_page, since));
            }
            Some(keys)
        }
    }

    #[test]
    fn whoever_asks_is_told_each_change_after_its_own_or_that_it_has_missed_some() {
        let mut feed = Feed::default();
        assert_eq!(feed.since(0), Some(Vec::new()));
        for number in 0..10_000 {
            feed.add(key(number));
        }
        assert!(feed.pages.len() <= 64, "{}", feed.pages.len());
        assert_eq!(feed.since(10_000), Some(Vec::new()));
        for since in [9_999, 9_984, 9_983, 9_920, 7_000] {
            let expected: Vec<LoopKey> = (since..10_000).map(key).collect();
            assert_eq!(feed.since(since), Some(expected), "since {since}");
        }
        assert_eq!(feed.since(0), None, "those are gone");
        assert_eq!(feed.since(10_001), None, "it is another feed");
    }
}

//! The last updates, numbered, so that who was cut off goes on where they were.

use collie_wire::rpc::Update;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Where a listener stands: a run of the server, and the last number that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    run: u64,
    number: u64,
}

impl Position {
    /// Reads what [`Self::to_string`] wrote.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (run, number) = text.trim().split_once('-')?;
        let run = u64::from_str_radix(run, 16).ok()?;
        let number = number.parse().ok()?;
        Some(Self { run, number })
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}-{}", self.run, self.number)
    }
}

/// What there is for a listener.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Since {
    /// What came after where they stood.
    Updates(Vec<Arc<Update>>),
    /// It is not kept any more: everything has to be read anew.
    TooOld,
}

/// Keeps the last updates.
pub(crate) struct EventRing {
    run: u64,
    capacity: usize,
    kept: Mutex<Kept>,
    last: watch::Sender<u64>,
}

#[derive(Default)]
struct Kept {
    /// The number of the newest.
    last: u64,
    updates: VecDeque<Arc<Update>>,
}

impl EventRing {
    pub(crate) fn new(run: u64, capacity: usize) -> Self {
        Self {
            run,
            capacity,
            kept: Mutex::default(),
            last: watch::channel(0).0,
        }
    }

    /// Adds what has just happened.
    pub(crate) fn push(&self, updates: impl IntoIterator<Item = Update>) {
        let mut kept = self.lock();
        for update in updates {
            kept.last += 1;
            kept.updates.push_back(Arc::new(update));
            if kept.updates.len() > self.capacity {
                kept.updates.pop_front();
            }
        }
        let last = kept.last;
        drop(kept);
        self.last.send_replace(last);
    }

    /// Where who begins to listen now stands.
    pub(crate) fn now(&self) -> Position {
        Position {
            run: self.run,
            number: self.lock().last,
        }
    }

    /// What came after a position, and where its reader stands then.
    pub(crate) fn since(&self, position: Position) -> (Since, Position) {
        let kept = self.lock();
        let now = Position {
            run: self.run,
            number: kept.last,
        };
        let missing = kept.last.checked_sub(position.number);
        let missing = missing.and_then(|missing| usize::try_from(missing).ok());
        let since = match missing {
            Some(missing) if position.run == self.run && missing <= kept.updates.len() => {
                let skipped = kept.updates.len() - missing;
                Since::Updates(kept.updates.iter().skip(skipped).cloned().collect())
            }
            // Of an earlier run, of the future, or of longer ago than is kept.
            _ => Since::TooOld,
        };
        (since, now)
    }

    /// Tells of each new update.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Each change leaves what is kept whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn show(number: u64) -> Update {
        let key = number.to_string();
        Update::Show { key }
    }

    fn keys(since: Since) -> Option<Vec<u64>> {
        let Since::Updates(updates) = since else {
            return None;
        };
        let key = |update: Arc<Update>| match &*update {
            Update::Show { key } => key.parse().unwrap(),
            other => panic!("{other:?}"),
        };
        Some(updates.into_iter().map(key).collect())
    }

    #[test]
    fn who_was_away_too_long_or_since_another_run_reads_everything_anew() {
        let ring = EventRing::new(7, 3);
        let begin = ring.now();
        ring.push((1..=3).map(show));
        assert_eq!(keys(ring.since(begin).0), Some(vec![1, 2, 3]));
        ring.push([show(4)]);
        assert_eq!(ring.since(begin).0, Since::TooOld);
        let other_run = Position { run: 8, number: 4 };
        assert_eq!(ring.since(other_run).0, Since::TooOld);
        let future = Position { run: 7, number: 5 };
        assert_eq!(ring.since(future).0, Since::TooOld);
    }

    #[test]
    fn a_position_is_read_as_it_was_written_and_nothing_else_is() {
        let position = Position {
            run: u64::MAX,
            number: 12,
        };
        assert_eq!(Position::parse(&position.to_string()), Some(position));
        for wrong in ["", "-", "1", "x-1", "1-x", "1-2-3", "1--2"] {
            assert_eq!(Position::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        /// However often a reader is cut off, what it has is a part of all there was, in order, without a gap that it was not told of.
        #[test]
        fn a_reader_that_comes_back_misses_nothing_unsaid(steps in prop::collection::vec((0usize..6, any::<bool>()), 1..60)) {
            let ring = EventRing::new(1, 4);
            let (mut sent, mut position, mut expected) = (0, ring.now(), 1);
            for (count, reads) in steps {
                let from = sent + 1;
                sent += count as u64;
                ring.push((from..=sent).map(show));
                if reads {
                    let (since, now) = ring.since(Position::parse(&position.to_string()).unwrap());
                    match keys(since) {
                        Some(read) => prop_assert_eq!(read, (expected..=sent).collect::<Vec<_>>()),
                        None => prop_assert!(sent + 1 - expected > 4),
                    }
                    (position, expected) = (now, sent + 1);
                }
            }
        }
    }
}

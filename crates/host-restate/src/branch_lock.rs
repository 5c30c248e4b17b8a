//! Who may make commits for a head branch (§6.4): one loop at a time, the others in the order in which they came.

use crate::loop_key::LoopKey;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A loop that wants a branch, and which of its wishes that is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BranchWish {
    pub key: LoopKey,
    /// Counts up in each loop: an answer to an earlier wish is none to a later one.
    pub ticket: u64,
}

/// Who has a branch, and who waits for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BranchLock {
    holder: Option<BranchWish>,
    waiting: VecDeque<BranchWish>,
}

/// Who has a branch that others wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BranchQueue {
    pub holder: LoopKey,
    /// In the order in which they came.
    pub waiting: Vec<LoopKey>,
}

impl BranchLock {
    /// Who waits for whom; none where nobody waits.
    pub fn queue(&self) -> Option<BranchQueue> {
        let holder = self.holder.as_ref()?.key.clone();
        let waiting: Vec<LoopKey> = self.waiting.iter().map(|wish| wish.key.clone()).collect();
        (!waiting.is_empty()).then_some(BranchQueue { holder, waiting })
    }

    /// Lines a loop up; the wish that is granted now, if it is.
    pub fn acquire(&mut self, wish: BranchWish) -> Option<BranchWish> {
        let is_holder = self.holder.as_ref().is_some_and(|has| has.key == wish.key);
        self.waiting.retain(|other| other.key != wish.key);
        if self.holder.is_none() || is_holder {
            self.holder = Some(wish.clone());
            return Some(wish);
        }
        self.waiting.push_back(wish);
        None
    }

    /// Lets a loop go, whether it had the branch or waited; the wish that is granted now.
    pub fn release(&mut self, wish: &BranchWish) -> Option<BranchWish> {
        self.waiting.retain(|other| other != wish);
        if self.holder.as_ref() != Some(wish) {
            return None;
        }
        self.holder = self.waiting.pop_front();
        self.holder.clone()
    }

    /// Whether nobody has it.
    pub fn is_free(&self) -> bool {
        self.holder.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::{BranchLock, BranchWish};

    fn wish(number: u64, ticket: u64) -> BranchWish {
        let key = format!("github.com/R_1/{number}").parse().expect("a key");
        BranchWish { key, ticket }
    }

    #[test]
    fn one_loop_at_a_time_has_a_branch_and_the_others_come_in_their_order() {
        let mut lock = BranchLock::default();
        assert_eq!(lock.acquire(wish(1, 1)), Some(wish(1, 1)));
        assert_eq!(lock.acquire(wish(2, 1)), None);
        assert_eq!(lock.acquire(wish(3, 1)), None);
        // Asked again it keeps what it has.
        assert_eq!(lock.acquire(wish(1, 2)), Some(wish(1, 2)));
        assert_eq!(lock.release(&wish(1, 1)), None, "of an earlier wish");
        assert_eq!(lock.release(&wish(1, 2)), Some(wish(2, 1)));
        assert_eq!(lock.release(&wish(2, 1)), Some(wish(3, 1)));
        assert_eq!(lock.release(&wish(3, 1)), None);
        assert!(lock.is_free());
    }

    #[test]
    fn who_does_not_want_it_any_more_waits_no_longer() {
        let mut lock = BranchLock::default();
        lock.acquire(wish(1, 1));
        lock.acquire(wish(2, 1));
        lock.acquire(wish(3, 1));
        assert_eq!(lock.release(&wish(2, 1)), None);
        assert_eq!(lock.release(&wish(1, 1)), Some(wish(3, 1)));
    }
}

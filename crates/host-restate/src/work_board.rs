//! Who works and who waits, as the object with the slots of a fleet tells it to whoever shows it: what it was told of sessions and of branches,
//! beside its own queue.

use crate::branch_lock::BranchQueue;
use crate::loop_key::LoopKey;
use crate::messages::{BranchReport, FleetWork, SessionTaken};
use crate::slot_queue::SlotQueue;
use collie_core::ids::EffectId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was told of sessions and of branches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkBoard {
    /// Counts what has changed, the queue for slots included.
    revision: u64,
    sessions: BTreeMap<EffectId, TakenSession>,
    branches: BTreeMap<String, BranchQueue>,
}

/// A session that a worker has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TakenSession {
    key: LoopKey,
    worker: String,
}

impl WorkBoard {
    /// Counts a change.
    pub fn changed(&mut self) {
        self.revision += 1;
    }

    /// A worker has a session, in place of whoever had it before.
    pub fn took(&mut self, taken: SessionTaken) {
        let SessionTaken {
            effect,
            key,
            worker,
            ..
        } = taken;
        self.sessions.insert(effect, TakenSession { key, worker });
    }

    /// A session has ended, or is not wanted any more.
    pub fn ended(&mut self, effect: &EffectId) {
        self.sessions.remove(effect);
    }

    /// Others wait for a branch, or nobody does any more.
    pub fn report_branch(&mut self, BranchReport { branch, queue }: BranchReport) {
        match queue {
            Some(queue) => self.branches.insert(branch, queue),
            None => self.branches.remove(&branch),
        };
    }

    /// What there is to show to whoever has seen a revision; none where that is this one. Without a limit, `slots` is [`usize::MAX`].
    pub fn since(
        &self,
        seen: Option<u64>,
        (queue, slots): (&SlotQueue, Option<usize>),
    ) -> Option<FleetWork> {
        if seen == Some(self.revision) {
            return None;
        }
        let workers = self.sessions.values();
        Some(FleetWork {
            revision: self.revision,
            slots: slots.filter(|slots| *slots != usize::MAX),
            working: queue.working(),
            queue: queue.order(),
            branches: self.branches.values().cloned().collect(),
            workers: workers
                .map(|taken| (taken.key.clone(), taken.worker.clone()))
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branch_lock::{BranchLock, BranchWish};
    use crate::slot_queue::SlotWish;
    use collie_core::ids::{Login, RepoName};

    fn key(number: u64) -> LoopKey {
        format!("github.com/R_1/{number}").parse().expect("a key")
    }

    fn taken(effect: &str, number: u64, worker: &str) -> SessionTaken {
        SessionTaken {
            effect: EffectId::new(effect),
            key: key(number),
            worker: worker.into(),
            slots: None,
        }
    }

    #[test]
    fn a_session_is_whose_worker_took_it_last_until_it_ends() {
        let (mut board, queue) = (WorkBoard::default(), SlotQueue::default());
        let workers = |board: &WorkBoard| board.since(None, (&queue, None)).map(|it| it.workers);
        board.took(taken("review", 1, "one"));
        board.took(taken("other", 2, "one"));
        board.took(taken("review", 1, "two"));
        let one = (key(2), "one".to_owned());
        let told = Some(vec![one.clone(), (key(1), "two".to_owned())]);
        assert_eq!(workers(&board), told);
        board.ended(&EffectId::new("review"));
        assert_eq!(workers(&board), Some(vec![one]));
    }

    #[test]
    fn who_waits_for_a_branch_is_told_until_nobody_does() {
        let mut board = WorkBoard::default();
        let mut lock = BranchLock::default();
        let wish = |number, ticket| BranchWish {
            key: key(number),
            ticket,
        };
        let report = |lock: &BranchLock| BranchReport {
            branch: "topic".into(),
            queue: lock.queue(),
        };
        lock.acquire(wish(1, 1));
        assert_eq!(lock.queue(), None, "nobody waits");
        lock.acquire(wish(2, 1));
        lock.acquire(wish(3, 1));
        board.report_branch(report(&lock));
        let queue = SlotQueue::default();
        let told = board.since(None, (&queue, None)).expect("told");
        let waits = BranchQueue {
            holder: key(1),
            waiting: vec![key(2), key(3)],
        };
        assert_eq!(told.branches, [waits]);
        lock.release(&wish(1, 1));
        lock.release(&wish(3, 1));
        board.report_branch(report(&lock));
        let told = board.since(None, (&queue, None)).expect("told");
        assert_eq!(told.branches, []);
    }

    #[test]
    fn whoever_has_seen_all_is_told_nothing_and_no_limit_is_no_number() {
        let mut board = WorkBoard::default();
        let mut queue = SlotQueue::default();
        board.changed();
        assert_eq!(board.since(Some(1), (&queue, Some(2))), None);
        for number in 1..=3 {
            queue.enqueue(SlotWish {
                key: key(number),
                effect: EffectId::new(number.to_string()),
                repo: RepoName::parse("acme/api").expect("a name"),
                person: Login::new("kim"),
            });
        }
        while queue.next(1).is_some() {}
        board.changed();
        let told = board.since(Some(1), (&queue, Some(1))).expect("told");
        assert_eq!((told.revision, told.slots, told.working), (2, Some(1), 1));
        assert_eq!(told.queue, [key(2), key(3)]);
        let told = board.since(None, (&queue, Some(usize::MAX))).expect("told");
        assert_eq!(told.slots, None);
    }
}

//! Readings that are due on a host: which are made together, and when. An engine in one process does the same with a table of all loops; here
//! each loop says by itself that its time has come.

use crate::messages::{BudgetUse, ReadReport, ReadRequest};
use collie_core::ids::{LoopId, Time};
use restate_sdk::context::RequestTarget;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of a loop's interval, that part is waited for others to be read with (1/20).
const GATHER_FRACTION: u64 = 20;
/// The longest such wait.
const MAX_GATHER_MS: u64 = 15_000;
/// Readings that one worker makes together at most: what they show has to fit into one message.
pub(crate) const MAX_BATCH: usize = 50;

/// Where a worker says how GitHub's budgets of a host stand.
pub(crate) fn report_handler(host: String) -> RequestTarget {
    RequestTarget::object("CollieReadQueue", host, "answered")
}

/// Loops that wait to be read, and what is known of the account's budgets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReadQueue {
    /// Those that are due; each once, however often it asks.
    due: Vec<ReadRequest>,
    /// Of the timer that counts.
    generation: u64,
    /// Whether a timer is set.
    is_armed: bool,
    /// What each worker has used by itself, by its name; one that has ended has used it all the same.
    used: BTreeMap<String, Vec<BudgetUse>>,
    /// Until when GitHub is left alone.
    paused_until: Option<Time>,
}

/// What a queue wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueueStep {
    /// To be asked again after so long.
    Flush { generation: u64, after_ms: u64 },
    /// These are read now, each part by one worker.
    Read(Vec<Vec<ReadRequest>>),
}

impl ReadQueue {
    /// A loop is due.
    pub fn enqueue(&mut self, request: ReadRequest, now: Time) -> Option<QueueStep> {
        let ReadRequest {
            is_hurried,
            is_reported,
            is_first,
            interval_ms,
            ..
        } = request;
        let before = self
            .due
            .iter_mut()
            .find(|due| due.loop_id == request.loop_id);
        match before {
            Some(before) => {
                before.is_hurried |= is_hurried;
                before.is_reported |= is_reported;
            }
            None => self.due.push(request),
        }
        // Somebody waits for it.
        if is_hurried || is_reported || is_first {
            return self.take();
        }
        if self.is_armed {
            return None;
        }
        self.is_armed = true;
        self.generation += 1;
        let gather = (interval_ms / GATHER_FRACTION).min(MAX_GATHER_MS);
        let pause = self.paused_until.map_or(0, |until| until.since(now));
        Some(QueueStep::Flush {
            generation: self.generation,
            after_ms: gather.max(pause),
        })
    }

    /// A timer has come; one that was overtaken is none.
    pub fn flush(&mut self, generation: u64) -> Option<QueueStep> {
        if !self.is_armed || generation != self.generation {
            return None;
        }
        self.take()
    }

    /// All that waits, read now: one that cannot wait takes the others along.
    fn take(&mut self) -> Option<QueueStep> {
        self.is_armed = false;
        let due = std::mem::take(&mut self.due);
        let parts: Vec<Vec<ReadRequest>> =
            due.chunks(MAX_BATCH).map(<[ReadRequest]>::to_vec).collect();
        (!parts.is_empty()).then_some(QueueStep::Read(parts))
    }

    /// A loop is read no more.
    pub fn remove(&mut self, id: &LoopId) {
        self.due.retain(|due| due.loop_id != *id);
    }

    /// A worker says how GitHub's budgets stand.
    pub fn report(&mut self, report: ReadReport) {
        self.paused_until = report.paused_until;
        self.used.insert(report.worker, report.used);
        for used in self.used.values_mut() {
            used.retain(|used| used.resets_at > report.at);
        }
        self.used.retain(|_, used| !used.is_empty());
    }

    /// What each worker has used in the hour that goes on.
    pub fn used(&self) -> &BTreeMap<String, Vec<BudgetUse>> {
        &self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::poll_budget::RateResource;

    const NOW: Time = Time(1_000_000);

    fn id(number: u64) -> LoopId {
        LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number,
        }
    }

    fn request(number: u64, is_urgent: bool) -> ReadRequest {
        ReadRequest {
            loop_id: id(number),
            is_hurried: is_urgent,
            is_reported: false,
            is_first: false,
            interval_ms: 60_000,
        }
    }

    fn report(worker: &str, used: u64, resets_at: i64) -> ReadReport {
        ReadReport {
            worker: worker.into(),
            at: NOW,
            used: vec![BudgetUse {
                resource: RateResource::Graphql,
                resets_at: Time(resets_at),
                used,
            }],
            paused_until: None,
        }
    }

    #[test]
    fn what_is_due_within_a_twentieth_of_the_interval_is_read_together() {
        let mut queue = ReadQueue::default();
        let first = queue.enqueue(request(1, false), NOW);
        let flush = QueueStep::Flush {
            generation: 1,
            after_ms: 3_000,
        };
        assert_eq!(first, Some(flush));
        for number in 1..=120 {
            assert_eq!(queue.enqueue(request(number, false), NOW), None);
        }
        assert_eq!(queue.flush(0), None, "it was overtaken");
        let Some(QueueStep::Read(parts)) = queue.flush(1) else {
            panic!("they are due");
        };
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [50, 50, 20]);
        let all = (1..=120).map(|number| request(number, false));
        assert_eq!(parts.concat(), all.collect::<Vec<_>>());
        assert_eq!(queue.flush(1), None, "they were read");
    }

    #[test]
    fn one_that_cannot_wait_takes_the_others_along() {
        let mut queue = ReadQueue::default();
        queue.enqueue(request(1, false), NOW);
        let read = queue.enqueue(request(2, true), NOW);
        let both = vec![request(1, false), request(2, true)];
        assert_eq!(read, Some(QueueStep::Read(vec![both])));
        assert_eq!(queue.flush(1), None);
        let next = queue.enqueue(request(3, false), NOW);
        assert!(matches!(next, Some(QueueStep::Flush { generation: 2, .. })));
        assert_eq!(queue.flush(1), None, "of those before");
    }

    /// What a person or GitHub said of it decides how thoroughly it is read.
    #[test]
    fn what_was_said_of_one_that_waits_already_is_kept() {
        let mut queue = ReadQueue::default();
        queue.enqueue(request(1, false), NOW);
        let reported = ReadRequest {
            is_reported: true,
            ..request(1, false)
        };
        let read = queue.enqueue(reported.clone(), NOW);
        assert_eq!(read, Some(QueueStep::Read(vec![vec![reported]])));
    }

    #[test]
    fn what_ended_meanwhile_is_not_read() {
        let mut queue = ReadQueue::default();
        queue.enqueue(request(1, false), NOW);
        queue.remove(&id(1));
        assert_eq!(queue.flush(1), None);
        let next = queue.enqueue(request(2, false), NOW);
        assert!(matches!(next, Some(QueueStep::Flush { .. })), "{next:?}");
    }

    #[test]
    fn while_github_is_left_alone_only_what_a_person_waits_for_is_read() {
        let mut queue = ReadQueue::default();
        let paused_until = Some(NOW.plus(90_000));
        queue.report(ReadReport {
            paused_until,
            ..report("one", 5, NOW.0 + 5)
        });
        let Some(QueueStep::Flush { after_ms, .. }) = queue.enqueue(request(1, false), NOW) else {
            panic!("it waits");
        };
        assert_eq!(after_ms, 90_000);
        let read = queue.enqueue(request(2, true), NOW);
        assert!(matches!(read, Some(QueueStep::Read(_))), "{read:?}");
        queue.report(report("two", 5, NOW.0 + 5));
        let Some(QueueStep::Flush { after_ms, .. }) = queue.enqueue(request(3, false), NOW) else {
            panic!("GitHub answers again");
        };
        assert_eq!(after_ms, 3_000);
    }

    #[test]
    fn what_a_worker_has_used_counts_until_the_hour_of_the_budget_ends() {
        let mut queue = ReadQueue::default();
        queue.report(report("one", 700, NOW.0 + 1));
        queue.report(report("two", 30, NOW.0 + 5_000));
        assert_eq!(queue.used().len(), 2);
        queue.report(ReadReport {
            at: Time(NOW.0 + 1),
            ..report("two", 40, NOW.0 + 5_000)
        });
        let left: Vec<(&String, u64)> = (queue.used().iter())
            .map(|(worker, used)| (worker, used[0].used))
            .collect();
        assert_eq!(left, [(&"two".to_owned(), 40)]);
    }
}

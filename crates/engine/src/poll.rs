//! Readings: due pull requests are read together, as far as GitHub's budget goes (§3.2).

use crate::effect_host::EffectHost;
use crate::ports::PullPoll;
use crate::reading::{
    PaidReadings, ReadingContext, pay_for_readings, postponed_event, pull_poll, reading_event,
};
use crate::reviewing_bots::reviewing_bots;
use crate::shared::{EngineShared, EngineTables};
use collie_core::ids::{LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::poll_budget::{self, PollThrottle};
use collie_core::snapshot::ObserveFailure;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A loop is read that part of its interval too early where another one is due.
const EARLY_FRACTION: u64 = 20;

/// Pull requests that this process has not read before are read in portions of so many: each costs far more than to look whether one has
/// changed, and what comes of a portion is there before the next one is read. A process that ends soon after its start has read some for good.
const FIRST_READINGS: usize = 20;
/// So many of these portions are read at once.
const FIRST_PORTIONS_AT_ONCE: usize = 4;

/// Reads what is due until the engine stops.
pub(crate) async fn run(shared: Arc<EngineShared>) {
    // Who is waited for does not wait for the others.
    let gates = [(); 2].map(|()| Arc::new(Semaphore::new(FIRST_PORTIONS_AT_ONCE)));
    loop {
        let Due {
            portions,
            postponed,
            next,
        } = due(&shared);
        for (portions, gate) in portions.into_iter().zip(&gates) {
            for batch in portions.known {
                shared.tasks.spawn(read_batch(shared.clone(), batch));
            }
            for batch in portions.first {
                let (shared, gate) = (shared.clone(), gate.clone());
                shared.tasks.clone().spawn(async move {
                    // It is never closed.
                    let _passed = gate.acquire().await;
                    read_batch(shared, batch).await;
                });
            }
        }
        for (id, throttle) in postponed {
            shared.submit_event(&id, postponed_event(&shared.ports, throttle));
        }
        let sleep = async {
            match next {
                Some(time) => shared.ports.clock.sleep_until(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => return,
            () = shared.wake_poller.notified() => {}
            () = sleep => {}
        }
    }
}

/// Loops whose time has come, marked as being read; and when the next one is due.
struct Due {
    /// Those that a person waits for, and the others.
    portions: [Portions; 2],
    /// Those that the budgets do not pay.
    postponed: Vec<(LoopId, PollThrottle)>,
    next: Option<Time>,
}

/// Readings that are made together.
#[derive(Debug, PartialEq)]
struct Portions {
    /// Of pull requests that this process has read before: together, so that what changed here and there costs one query.
    known: Vec<Vec<PullPoll>>,
    /// Of those that it has not.
    first: Vec<Vec<PullPoll>>,
}

fn portions(polls: Vec<PullPoll>, was_read: impl Fn(&LoopId) -> bool, batch: usize) -> Portions {
    let in_parts = |polls: Vec<PullPoll>, size: usize| {
        let parts = polls.chunks(size.max(1)).map(<[PullPoll]>::to_vec);
        parts.collect()
    };
    let (known, first) = polls.into_iter().partition(|poll| was_read(&poll.pull.id));
    Portions {
        known: in_parts(known, batch),
        first: in_parts(first, batch.min(FIRST_READINGS)),
    }
}

fn due(shared: &EngineShared) -> Due {
    let now = shared.ports.clock.now();
    let budgets = shared.ports.github.budgets();
    let mut tables = shared.tables();
    let (due, next) = due_loops(&tables, now);
    let PaidReadings {
        by_person,
        by_itself,
        postponed,
    } = pay_for_readings(due, &budgets, now);
    let read = by_person.iter().chain(&by_itself);
    let marked: Vec<LoopId> = read
        .map(|poll| &poll.pull.id)
        .chain(postponed.iter().map(|(id, _)| id))
        .cloned()
        .collect();
    for id in &marked {
        tables.poll_requested.remove(id);
        tables.reported.taken(id);
    }
    let was_read = |id: &LoopId| {
        let read_at = |state: &Arc<LoopState>| state.run.polling.last_snapshot.at;
        tables.loops.get(id).and_then(read_at) >= Some(shared.started)
    };
    let portions =
        [by_person, by_itself].map(|polls| portions(polls, was_read, shared.config.batch));
    tables.reading.extend(marked);
    Due {
        portions,
        postponed,
        next,
    }
}

/// Loops whose time has come, those first that were not read for the longest time; and when the next one is due.
fn due_loops(tables: &EngineTables, now: Time) -> (Vec<PullPoll>, Option<Time>) {
    let waiting = tables
        .loops
        .iter()
        .filter(|(id, _)| !tables.reading.contains(id));
    let waiting: Vec<_> = waiting
        .filter_map(|(id, state)| {
            let at = state.run.polling.next_at?;
            let reported_at = tables.reported.due_at(state);
            Some((state, at, reported_at, tables.poll_requested.contains(id)))
        })
        .collect();
    let is_reported = |at: Option<Time>| at.is_some_and(|at| at <= now);
    // What is nearly due goes along: without it, loops that were read together drift apart, until each costs a query of its own.
    let any = (waiting.iter())
        .any(|&(_, at, reported, hurried)| hurried || at <= now || is_reported(reported));
    let mut due = Vec::new();
    let mut next: Option<Time> = None;
    for (state, at, reported_at, hurried) in waiting {
        let early = state.run.configuration.policy.poll_interval_ms / EARLY_FRACTION;
        let reported = is_reported(reported_at);
        if hurried || reported || at <= now || (any && at <= now.plus(early)) {
            due.push((
                state.run.polling.last_snapshot.at,
                pull_poll(state, hurried, reported),
            ));
        } else {
            let at = reported_at.map_or(at, |reported| reported.min(at));
            next = Some(next.map_or(at, |n| n.min(at)));
        }
    }
    due.sort_by_key(|(last_read, _)| *last_read);
    let due = due.into_iter().map(|(_, poll)| poll);
    (due.collect(), next)
}

/// By how much polls are stretched from now on, so that all loops can be paid until the reset.
fn throttle(shared: &EngineShared) -> Option<PollThrottle> {
    let budgets = shared.ports.github.budgets();
    let tables = shared.tables();
    let watched = tables
        .loops
        .values()
        .filter(|state| state.run.polling.next_at.is_some());
    let readings = watched.map(|state| poll_budget::readings_an_hour(state.poll_interval_ms()));
    let an_hour = readings.fold(0, u64::saturating_add);
    poll_budget::throttle(&budgets, an_hour, shared.ports.clock.now())
}

async fn read_batch(shared: Arc<EngineShared>, polls: Vec<PullPoll>) {
    let (github, asked) = (shared.ports.github.clone(), polls.clone());
    let task = shared.tasks.spawn(async move { github.poll(&asked).await });
    let abort = task.abort_handle();
    let answers = tokio::select! {
        biased;
        () = shared.stop.cancelled() => return abort.abort(),
        answers = task => answers.unwrap_or_default(),
    };
    // A reading that broke off by a fault of the program is a failed one: a loop without an answer would never be read again.
    let none = || {
        Err(ObserveFailure::Unreachable {
            message: "task panicked".into(),
        })
    };
    let answers = answers.into_iter().chain(std::iter::repeat_with(none));
    let throttle = throttle(&shared);
    for (PullPoll { pull, .. }, answer) in polls.iter().zip(answers) {
        let bots =
            (answer.as_ref()).map(|snapshot| reviewing_bots(&shared, &pull.id, snapshot.read_at));
        let told = ReadingContext {
            state: shared.state(&pull.id),
            reviewing_bots: bots.unwrap_or_default(),
            throttle: throttle.clone(),
        };
        let event = reading_event(&shared.ports, told, answer);
        shared.submit_event(&pull.id, event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::PollDepth;
    use crate::reported::ChangeUrgency;
    use collie_core::ids::{Login, RepoName, RunId};
    use collie_core::loop_state::{NewLoop, PullRequest};
    use collie_core::policy::Policy;

    /// A loop that is due at `next_at`.
    fn watched(number: u64, read_at: Option<i64>, next_at: i64) -> (LoopId, Arc<LoopState>) {
        let id = LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number,
        };
        let pull = PullRequest {
            repo: RepoName::parse("acme/api").expect("a name"),
            title: String::new().into(),
            author: None,
            url: String::new(),
            head_ref: "topic".into(),
            base_ref: "main".into(),
        };
        let new = NewLoop {
            id: id.clone(),
            pull,
            run: RunId::new("run"),
            started_by: Login::new("kim"),
            policy: Policy::default(),
        };
        let mut state = LoopState::new(new, Time(0));
        state.run.polling.last_snapshot.at = read_at.map(Time);
        state.run.polling.next_at = Some(Time(next_at));
        (id, Arc::new(state))
    }

    #[test]
    fn what_was_never_read_here_is_read_in_portions_and_the_rest_together() {
        let poll = |number: u64| pull_poll(&watched(number, Some(1), 1).1, false, false);
        let was_read = |id: &LoopId| id.number <= 60;
        let polls = || (1..=300).map(poll).collect();
        let Portions { known, first } = portions(polls(), was_read, 1_000);
        let sizes = |parts: &[Vec<PullPoll>]| parts.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes(&known), [60]);
        assert_eq!(sizes(&first), [20; 12]);
        let in_order = first.concat();
        assert!(in_order.iter().map(|poll| poll.pull.id.number).eq(61..=300));
        let small = portions(polls(), was_read, 10);
        assert_eq!((small.known.len(), small.first.len()), (6, 24));
    }

    /// Where the budget does not pay for all, the last ones wait.
    #[test]
    fn those_that_were_read_longest_ago_come_first() {
        const NOW: i64 = 10_000_000;
        let loops = [
            watched(1, Some(30), NOW),
            watched(2, Some(10), NOW),
            watched(3, None, NOW),
            watched(4, Some(20), NOW - 5),
            watched(5, Some(1), NOW + 1_000_000),
        ];
        let tables = EngineTables {
            loops: loops.into(),
            ..EngineTables::default()
        };
        let (due, next) = due_loops(&tables, Time(NOW));
        let numbers: Vec<u64> = due.iter().map(|poll| poll.pull.id.number).collect();
        assert_eq!(numbers, [3, 2, 4, 1]);
        assert_eq!(next, Some(Time(NOW + 1_000_000)));
    }

    /// What GitHub says has changed is read at once, and again no sooner than some seconds later, however much is said of it.
    #[test]
    fn many_reported_changes_come_to_one_reading_and_none_is_forgotten() {
        const NOW: i64 = 10_000_000;
        const HOUR: i64 = 3_600_000;
        let (id, state) = watched(1, Some(NOW - HOUR), NOW + HOUR);
        let mut tables = EngineTables {
            loops: [(id.clone(), state)].into(),
            ..EngineTables::default()
        };
        let due_at = |tables: &EngineTables, now: i64| -> Vec<(PollDepth, bool)> {
            let (due, _) = due_loops(tables, Time(now));
            due.iter()
                .map(|poll| (poll.depth, poll.by_person))
                .collect()
        };
        assert_eq!(due_at(&tables, NOW), []);
        for _ in 0..20 {
            tables.reported.report(&id, ChangeUrgency::Now, Time(NOW));
        }
        assert_eq!(due_at(&tables, NOW), [(PollDepth::Reported, false)]);
        // While it is read, and just after, more is said.
        tables.reported.taken(&id);
        tables
            .reported
            .report(&id, ChangeUrgency::Now, Time(NOW + 1));
        let (_, read) = watched(1, Some(NOW + 2), NOW + HOUR);
        tables.loops.insert(id.clone(), read);
        assert_eq!(due_at(&tables, NOW + 10), []);
        let (_, next) = due_loops(&tables, Time(NOW + 10));
        assert_eq!(next, Some(Time(NOW + 5_002)));
        assert_eq!(due_at(&tables, NOW + 5_002), [(PollDepth::Reported, false)]);
        // What decides nothing waits for more, unless that cannot.
        tables.reported.taken(&id);
        tables
            .reported
            .report(&id, ChangeUrgency::Later, Time(NOW + 20_000));
        assert_eq!(due_at(&tables, NOW + 49_999), []);
        assert_eq!(due_at(&tables, NOW + 50_000).len(), 1);
        tables
            .reported
            .report(&id, ChangeUrgency::Now, Time(NOW + 21_000));
        assert_eq!(due_at(&tables, NOW + 21_000).len(), 1);
    }
}

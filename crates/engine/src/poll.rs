//! Readings: due pull requests are read together, as far as GitHub's budget goes (§3.2).

use crate::effect_host::EffectHost;
use crate::ports::PullPoll;
use crate::reading::{
    PaidReadings, ReadingContext, pay_for_readings, postponed_event, pull_poll, reading_event,
};
use crate::reviewing_bots::reviewing_bots;
use crate::shared::{EngineShared, EngineTables};
use collie_core::ids::{LoopId, Time};
use collie_core::poll_budget::{self, PollThrottle};
use collie_core::snapshot::ObserveFailure;
use std::sync::Arc;

/// A loop is read that part of its interval too early where another one is due.
const EARLY_FRACTION: u64 = 20;

/// Reads what is due until the engine stops.
pub(crate) async fn run(shared: Arc<EngineShared>) {
    loop {
        let Due { paid, next } = due(&shared);
        let batches = [paid.by_person, paid.by_itself];
        let size = shared.config.batch.max(1);
        for batch in batches.iter().flat_map(|polls| polls.chunks(size)) {
            shared
                .tasks
                .spawn(read_batch(shared.clone(), batch.to_vec()));
        }
        for (id, throttle) in paid.postponed {
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
    paid: PaidReadings,
    next: Option<Time>,
}

fn due(shared: &EngineShared) -> Due {
    let now = shared.ports.clock.now();
    let budgets = shared.ports.github.budgets();
    let mut tables = shared.tables();
    let (due, next) = due_loops(&tables, now);
    let paid = pay_for_readings(due, &budgets, now);
    let read = paid.by_person.iter().chain(&paid.by_itself);
    let marked: Vec<LoopId> = read
        .map(|poll| &poll.pull.id)
        .chain(paid.postponed.iter().map(|(id, _)| id))
        .cloned()
        .collect();
    for id in &marked {
        tables.poll_requested.remove(id);
        tables.reported.taken(id);
    }
    tables.reading.extend(marked);
    Due { paid, next }
}

/// Loops whose time has come, those first that were not read for the longest time; and when the next one is due.
fn due_loops(tables: &EngineTables, now: Time) -> (Vec<PullPoll>, Option<Time>) {
    let waiting = || {
        let waiting = tables
            .loops
            .iter()
            .filter(|(id, _)| !tables.reading.contains(id));
        waiting.filter_map(|(id, state)| {
            let at = state.run.polling.next_at?;
            let reported_at = tables.reported.due_at(state);
            Some((state, at, reported_at, tables.poll_requested.contains(id)))
        })
    };
    let is_reported = |at: Option<Time>| at.is_some_and(|at| at <= now);
    // What is nearly due goes along: without it, loops that were read together drift apart, until each costs a query of its own.
    let any =
        waiting().any(|(_, at, reported, hurried)| hurried || at <= now || is_reported(reported));
    let mut due = Vec::new();
    let mut next: Option<Time> = None;
    for (state, at, reported_at, hurried) in waiting() {
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
    use collie_core::loop_state::{LoopState, NewLoop, PullRequest};
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

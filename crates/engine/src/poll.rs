//! Readings: due pull requests are read together (§3.2).

use crate::ports::{PollDepth, PullPoll, PullRef};
use crate::reviewing_bots::reviewing_bots;
use crate::shared::EngineShared;
use collie_core::comments::logins_to_pin;
use collie_core::event::Event;
use collie_core::event::{ObserveFailed, Observed};
use collie_core::ids::{LoopId, Time};
use collie_core::snapshot::{ObserveFailure, Snapshot};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A loop is read that part of its interval too early where another one is due.
const EARLY_FRACTION: u64 = 20;

/// Reads what is due until the engine stops.
pub(crate) async fn run(shared: Arc<EngineShared>) {
    loop {
        let (due, next) = due(&shared);
        for batch in due.chunks(shared.config.batch.max(1)) {
            shared
                .tasks
                .spawn(read_batch(shared.clone(), batch.to_vec()));
        }
        let sleep = async {
            match next {
                Some(time) => shared.ports.clock.sleep_until(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.stop.cancelled() => return,
            () = shared.wake_poller.notified() => {}
            () = sleep => {}
        }
    }
}

/// Loops to read now, marked as being read; and when the next one is due.
fn due(shared: &EngineShared) -> (Vec<PullPoll>, Option<Time>) {
    let now = shared.ports.clock.now();
    let mut tables = shared.tables();
    let waits = |id: &LoopId| !tables.reading.contains(id);
    let mut times = tables
        .loops
        .iter()
        .filter(|(id, _)| waits(id))
        .filter_map(|(id, state)| {
            let hurried = tables.poll_requested.contains(id);
            state
                .run
                .polling
                .next_at
                .map(|at| if hurried { now } else { at })
        });
    // What is nearly due goes along: without it, loops that were read together drift apart, until each costs a query of its own.
    let any = times.any(|at| at <= now);
    let mut due = Vec::new();
    let mut next: Option<Time> = None;
    for (id, state) in &tables.loops {
        let Some(at) = state.run.polling.next_at else {
            continue;
        };
        if tables.reading.contains(id) {
            continue;
        }
        let early = state.run.configuration.policy.poll_interval_ms / EARLY_FRACTION;
        let hurried = tables.poll_requested.contains(id);
        if hurried || at <= now || (any && at <= now.plus(early)) {
            // What was recorded is acted on from this reading, or a person says that something has happened.
            let may_write = state.run.polling.ignore_snapshots_before.is_some();
            let pull = PullRef {
                id: id.clone(),
                repo: state.pull.repo.clone(),
            };
            due.push(PullPoll {
                pull,
                depth: if may_write || hurried {
                    PollDepth::Everything
                } else {
                    PollDepth::Changes
                },
            });
        } else {
            next = Some(next.map_or(at, |n| n.min(at)));
        }
    }
    for poll in &due {
        tables.poll_requested.remove(&poll.pull.id);
    }
    tables
        .reading
        .extend(due.iter().map(|poll| poll.pull.id.clone()));
    (due, next)
}

/// Notes in a reading for whom the logins of the configuration stand. One that cannot be told stands for nobody.
fn pin_accounts(shared: &EngineShared, id: &LoopId, snapshot: &mut Snapshot) {
    let Some(state) = shared.state(id) else {
        return;
    };
    let wanted = logins_to_pin(&state);
    let mut pinned = BTreeMap::new();
    for actor in snapshot.people().filter(|a| wanted.contains(&a.login)) {
        match shared
            .ports
            .policy_source
            .pin_account(&actor.login, actor.id)
        {
            Ok(account) => {
                pinned.insert(actor.login.clone(), account);
            }
            Err(error) => {
                tracing::warn!(login = %actor.login, code = error.code.as_str(), "an account could not be pinned");
            }
        }
    }
    snapshot.pinned_accounts = pinned;
}

async fn read_batch(shared: Arc<EngineShared>, polls: Vec<PullPoll>) {
    let (github, asked) = (shared.ports.github.clone(), polls.clone());
    let task = shared.tasks.spawn(async move { github.poll(&asked).await });
    let abort = task.abort_handle();
    let answers = tokio::select! {
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
    for (PullPoll { pull, .. }, answer) in polls.iter().zip(answers) {
        let event = match answer {
            Ok(mut snapshot) => {
                pin_accounts(&shared, &pull.id, &mut snapshot);
                snapshot.reviewing_bots = reviewing_bots(&shared, &pull.id, snapshot.read_at);
                let snapshot = Box::new(snapshot);
                Event::Observed(Observed { snapshot })
            }
            Err(failure) => Event::ObserveFailed(ObserveFailed {
                at: shared.ports.clock.now(),
                failure,
                jitter_permille: shared.ports.clock.jitter(),
            }),
        };
        shared.submit_event(&pull.id, event);
    }
}

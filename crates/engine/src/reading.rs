//! One reading of a pull request: how thorough it is, and the event that it becomes, for whoever keeps the loops (§3.1).

use crate::effect_host::pull_ref;
use crate::engine_ports::EffectPorts;
use crate::ports::{PollDepth, PullPoll};
use collie_core::comments::logins_to_pin;
use collie_core::event::{Event, ObserveFailed, PollPostponed};
use collie_core::ids::{AccountId, LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::poll_budget::{self, PollPlan, PollThrottle, RateBudget};
use collie_core::snapshot::{ObserveFailure, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a reading is completed with that GitHub does not say.
#[derive(Debug, Default)]
pub struct ReadingContext {
    /// The loop as it stands now; none once it is gone.
    pub state: Option<Arc<LoopState>>,
    /// Bots that any loop of the repository has seen reviewing of late.
    pub reviewing_bots: BTreeSet<AccountId>,
    /// Why the next reading comes later than configured.
    pub throttle: Option<PollThrottle>,
}

/// How a loop is read that is due. The first reading of a run is part of its start.
pub fn pull_poll(state: &LoopState, hurried: bool, reported: bool) -> PullPoll {
    // What was recorded is acted on from this reading, or a person says that something has happened.
    let may_write = state.run.polling.ignore_snapshots_before.is_some();
    PullPoll {
        pull: pull_ref(state),
        depth: match () {
            () if may_write || hurried => PollDepth::Everything,
            () if reported => PollDepth::Reported,
            () => PollDepth::Changes,
        },
        by_person: hurried || state.run.polling.last_snapshot.at.is_none(),
    }
}

/// Readings that are due, as far as the account's budgets pay for them.
#[derive(Debug)]
pub struct PaidReadings {
    /// A person has asked for them just now: they are made whatever the budgets say.
    pub by_person: Vec<PullPoll>,
    /// The others, as far as the budgets go.
    pub by_itself: Vec<PullPoll>,
    /// What the budgets do not pay.
    pub postponed: Vec<(LoopId, PollThrottle)>,
}

/// Which of the readings that are due can be made, those before others that come first.
pub fn pay_for_readings(due: Vec<PullPoll>, budgets: &[RateBudget], now: Time) -> PaidReadings {
    let (by_person, mut by_itself): (Vec<_>, Vec<_>) =
        due.into_iter().partition(|poll| poll.by_person);
    let PollPlan {
        affordable,
        throttle,
    } = poll_budget::plan(budgets, by_itself.len(), now);
    let unpaid = by_itself.split_off(affordable);
    let throttles = std::iter::repeat(throttle).flatten();
    let postponed = (unpaid.into_iter().zip(throttles))
        .map(|(poll, throttle)| (poll.pull.id, throttle))
        .collect();
    PaidReadings {
        by_person,
        by_itself,
        postponed,
    }
}

/// The event of a reading that is not paid for.
pub fn postponed_event(ports: &EffectPorts, throttle: PollThrottle) -> Event {
    Event::PollPostponed(PollPostponed {
        at: ports.clock.now(),
        throttle,
        jitter_permille: ports.clock.jitter(),
    })
}

/// The event that a reading becomes.
pub fn reading_event(
    ports: &EffectPorts,
    context: ReadingContext,
    answer: Result<Snapshot, ObserveFailure>,
) -> Event {
    match answer {
        Ok(mut snapshot) => {
            if let Some(state) = &context.state {
                pin_accounts(ports, state, &mut snapshot);
            }
            snapshot.start_denied = !may_start(ports, &snapshot);
            snapshot.reviewing_bots = context.reviewing_bots;
            Event::observed_throttled(snapshot, context.throttle)
        }
        Err(failure) => Event::ObserveFailed(ObserveFailed {
            at: ports.clock.now(),
            failure,
            jitter_permille: ports.clock.jitter(),
        }),
    }
}

/// Notes in a reading for whom the logins of the configuration stand. One that cannot be told stands for nobody.
fn pin_accounts(ports: &EffectPorts, state: &LoopState, snapshot: &mut Snapshot) {
    let wanted = logins_to_pin(state);
    let mut pinned = BTreeMap::new();
    for actor in snapshot.people().filter(|a| wanted.contains(&a.login)) {
        match ports.policy_source.pin_account(&actor.login, actor.id) {
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

/// Whether the account that Collie acts as may start runs, should somebody ask for one in a comment.
fn may_start(ports: &EffectPorts, snapshot: &Snapshot) -> bool {
    let source = &ports.policy_source;
    let viewer = &snapshot.viewer;
    let pinned = source.pin_account(&viewer.login, viewer.id);
    source.may_start(&viewer.login) && pinned.is_ok_and(|account| account == viewer.id)
}

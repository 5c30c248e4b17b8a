//! The one task that applies events.

use crate::applied_event::apply_event;
use crate::effect_host::EffectHost;
use crate::outbox;
use crate::ports::{AppliedStep, AuditEntry, DaySpending, ModelSpending, StoreError};
use crate::shared::{EngineShared, IncomingEvent, outbox_entry};
use collie_core::event::Event;
use collie_core::ids::{EffectId, LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::step::{is_quiet, step};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;

/// Events applied in one transaction, at most.
const BATCH: usize = 64;

/// Applies events until the engine stops.
pub(crate) async fn run(shared: Arc<EngineShared>, mut received: UnboundedReceiver<IncomingEvent>) {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let count = tokio::select! {
            biased;
            () = shared.stop.cancelled() => return,
            count = received.recv_many(&mut batch, BATCH) => count,
        };
        if count == 0 {
            return;
        }
        if let Err(error) = apply(&shared, std::mem::take(&mut batch)).await {
            return shared.stop_with_error(error);
        }
    }
}

/// Stores what is new, steps through it, writes what came of it, and only then acts on it.
async fn apply(shared: &Arc<EngineShared>, batch: Vec<IncomingEvent>) -> Result<(), StoreError> {
    let now = shared.ports.clock.now();
    let numbered = store_events(shared, batch, now).await?;
    let mut after: BTreeMap<LoopId, Arc<LoopState>> = BTreeMap::new();
    let mut applied: Vec<AppliedStep> = Vec::new();
    let mut audits = Vec::new();
    let mut sessions = Vec::new();
    let mut read: BTreeSet<LoopId> = BTreeSet::new();
    for (seq, id, event) in numbered {
        let before = match after.get(&id) {
            Some(state) => state.clone(),
            None => match shared.state(&id) {
                Some(state) => state,
                None => continue,
            },
        };
        let done = apply_event(&before, &event, now);
        audits.extend(done.audits);
        if is_of_reading(&event) {
            read.insert(id.clone());
        }
        let spent = spent_on_day(shared, &before, &done.state, now);
        let session = ended_session(&event);
        let spent_on = spent_on_models(shared, session, spent.as_ref(), &done.notes);
        sessions.push(session.cloned());
        applied.push(AppliedStep {
            inbox: vec![seq],
            from: Some(before.run.state),
            state: done.state.clone(),
            effects: done.effects,
            dropped: done.dropped,
            notes: done.notes,
            at: now,
            spent,
            spent_on,
            read_before: Some(before.reading_times()),
        });
        after.insert(id, Arc::new(done.state));
    }
    write_audits(shared, &audits).await;
    let applying = shared.applying.lock().await;
    shared.journal.apply(&applied).await?;
    shared.spending.settle_all(&applied, &sessions);
    publish(shared, after, &read);
    drop(applying);
    start_and_drop_effects(shared, &applied);
    if applied.iter().any(ends_run) {
        forget_recordings(shared).await?;
    }
    Ok(())
}

/// Audited first: a process that dies in between applies the same events again, and rather says a thing twice there than never.
async fn write_audits(shared: &EngineShared, audits: &[AuditEntry]) {
    for audit in audits {
        if let Err(error) = shared.journal.audit(audit).await {
            tracing::error!(%error, "the audit log could not be written");
        }
    }
}

fn ends_run(done: &AppliedStep) -> bool {
    let ran = done.from.is_some_and(|from| !from.is_terminal());
    ran && done.state.run.state.is_terminal()
}

/// Lets go of what a replay needs of runs that ended long enough ago: at the start, and whenever a run ends.
pub(crate) async fn forget_recordings(shared: &EngineShared) -> Result<(), StoreError> {
    let before = shared.ports.clock.now().minus(shared.config.replayable_ms);
    let forgotten = shared.journal.forget_recordings(before).await?;
    if forgotten > 0 {
        tracing::debug!(forgotten, "entries can no longer be replayed");
    }
    Ok(())
}

/// What an event says was spent, and the day that it counts for; none where nothing was.
fn spent_on_day(
    shared: &EngineShared,
    before: &LoopState,
    after: &LoopState,
    now: Time,
) -> Option<DaySpending> {
    let usage = after.spent().since(&before.spent());
    let day = || shared.spending.day(now);
    (!usage.is_nothing()).then(|| DaySpending { day: day(), usage })
}

/// The same by what it was spent on.
fn spent_on_models(
    shared: &EngineShared,
    session: Option<&EffectId>,
    spent: Option<&DaySpending>,
    notes: &[Note],
) -> Vec<ModelSpending> {
    spent.map_or_else(Vec::new, |spent| {
        shared.spending.spent_on(session, spent.usage, notes)
    })
}

/// Whether an event says how a reading went.
fn is_of_reading(event: &Event) -> bool {
    matches!(
        event,
        Event::Observed(_) | Event::ObserveFailed(_) | Event::PollPostponed(_)
    )
}

/// The session that an event is the end of.
fn ended_session(event: &Event) -> Option<&EffectId> {
    match event {
        Event::Answered(answered) => Some(&answered.effect),
        Event::SessionCancelled(cancelled) => Some(&cancelled.effect),
        _ => None,
    }
}

/// Gives new events their numbers, durably. Readings that show nothing new are applied at once and leave no trace.
async fn store_events(
    shared: &Arc<EngineShared>,
    batch: Vec<IncomingEvent>,
    now: Time,
) -> Result<Vec<(u64, LoopId, Event)>, StoreError> {
    let mut numbered = Vec::new();
    let mut new: Vec<(LoopId, Event)> = Vec::new();
    for incoming in batch {
        match incoming {
            IncomingEvent::Stored(seq, id, event) => numbered.push((seq, id, event)),
            IncomingEvent::New(id, event) => {
                let first = !new.iter().any(|(other, _)| *other == id);
                if !(first && apply_if_quiet(shared, &id, &event, now)) {
                    new.push((id, event));
                }
            }
        }
    }
    if !new.is_empty() {
        let seqs = shared.journal.receive(&new, now).await?;
        numbered.extend(
            seqs.into_iter()
                .zip(new)
                .map(|(seq, (id, event))| (seq, id, event)),
        );
    }
    Ok(numbered)
}

/// Whether the event is a reading that shows what the one before showed, or one more that is postponed; then only the next poll is set.
fn apply_if_quiet(shared: &Arc<EngineShared>, id: &LoopId, event: &Event, now: Time) -> bool {
    if !matches!(event, Event::Observed(_) | Event::PollPostponed(_)) {
        return false;
    }
    let Some(before) = shared.state(id) else {
        return true;
    };
    let done = step(&before, event, now);
    if !is_quiet(&before, &done) {
        return false;
    }
    let after = Arc::new(done.state);
    let mut tables = shared.tables();
    tables.reading.remove(id);
    tables.loops.insert(id.clone(), after.clone());
    drop(tables);
    if before.run.polling.throttle != after.run.polling.throttle {
        // How much of the budget is left is shown, and not worth a line in the journal.
        let _ = shared.changed.send(after);
    }
    shared.wake_poller.notify_one();
    true
}

/// Shows the new states. What was read may be read again from here on, by when its state says, not by when the one before did.
fn publish(
    shared: &Arc<EngineShared>,
    after: BTreeMap<LoopId, Arc<LoopState>>,
    read: &BTreeSet<LoopId>,
) {
    let mut tables = shared.tables();
    tables.reading.retain(|id| !read.contains(id));
    let mut is_branch_free = false;
    for (id, state) in after {
        let pushes_no_more = !state.is_about_to_push();
        let before = tables.loops.insert(id, state.clone());
        is_branch_free |= pushes_no_more && before.is_some_and(|it| it.is_about_to_push());
        // Nobody may be listening.
        let _ = shared.changed.send(state);
    }
    drop(tables);
    if is_branch_free {
        shared.wake_slots.notify_one();
    }
    shared.wake_poller.notify_one();
}

/// Begins what is new in the outbox, and stops what was taken out of it.
fn start_and_drop_effects(shared: &Arc<EngineShared>, applied: &[AppliedStep]) {
    for done in applied {
        for id in &done.dropped {
            outbox::drop_effect(shared, id);
        }
    }
    for done in applied {
        for (id, effect) in &done.effects {
            let still = shared
                .state(&done.state.id)
                .is_some_and(|state| state.outbox.effects.contains_key(id));
            if still {
                outbox::schedule(shared, outbox_entry(&done.state, id, effect));
            }
        }
    }
}

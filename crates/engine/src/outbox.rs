//! Effects: begun when they are asked for, repeated after a crash, ended when nobody wants them any more.

use crate::autonomy::wait_until_allowed;
use crate::effect_host::EffectHost;
use crate::effect_run::{panic_outcome, run_effect};
use crate::ports::{OutboxEntry, SessionMeter};
use crate::session_deadline::unless;
use crate::shared::{EngineShared, RunningEffect};
use crate::slots::QueueKind;
use crate::{branch_lock, post_queue};
use collie_core::effect::Effect;
use collie_core::effect::{FixEffect, MergeBaseEffect, ReviewEffect, VerifyEffect};
use collie_core::event::Event;
use collie_core::ids::EffectId;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Begins an effect, or lines it up.
pub(crate) fn schedule(shared: &Arc<EngineShared>, entry: OutboxEntry) {
    let cancel = shared.stop.child_token();
    let running = RunningEffect {
        cancel: cancel.clone(),
    };
    shared.tables().running.insert(entry.id.clone(), running);
    match &entry.effect {
        Effect::Review(ReviewEffect {
            since, not_before, ..
        }) => {
            let kind = if since.is_some() {
                QueueKind::Feedback
            } else {
                QueueKind::New
            };
            queue_at(shared, &entry, kind, *not_before, cancel);
        }
        Effect::Fix(FixEffect { not_before, .. })
        | Effect::Verify(VerifyEffect { not_before, .. })
        | Effect::MergeBase(MergeBaseEffect { not_before, .. }) => {
            queue_at(shared, &entry, QueueKind::Feedback, *not_before, cancel);
        }
        Effect::Post(_) | Effect::ResolveThread(_) => post_queue::enqueue(shared, entry),
        Effect::LoadConfig(_)
        | Effect::CheckRights(_)
        | Effect::Push(_)
        | Effect::ReadRemoteHead(_)
        | Effect::RerunChecks(_)
        | Effect::Remember(_)
        | Effect::CleanUp => {
            let task = run(shared.clone(), entry, cancel);
            shared.tasks.spawn(task);
        }
    }
}

fn queue_at(
    shared: &Arc<EngineShared>,
    entry: &OutboxEntry,
    kind: QueueKind,
    not_before: collie_core::ids::Time,
    cancel: CancellationToken,
) {
    let (shared, id, effect) = (shared.clone(), entry.loop_id.clone(), entry.id.clone());
    let line_up = move |shared: &Arc<EngineShared>| {
        shared.tables().slots.enqueue(kind, id, effect);
        shared.wake_slots.notify_one();
    };
    let asked = entry.effect.clone();
    let is_allowed = shared.may_do(&entry.loop_id, &asked);
    let is_due = not_before <= shared.ports.clock.now();
    if is_due && is_allowed {
        return line_up(&shared);
    }
    let (keeper, loop_id) = (shared.clone(), entry.loop_id.clone());
    shared.tasks.spawn(async move {
        let may_begin = async {
            if !is_due {
                tokio::select! {
                    biased;
                    () = keeper.budget_changed(&loop_id) => {}
                    () = keeper.ports.clock.sleep_until(not_before) => {}
                }
            }
            wait_until_allowed(keeper.as_ref(), &loop_id, &asked).await;
        };
        if unless(&cancel, may_begin).await.is_some() {
            line_up(&keeper);
        }
    });
}

/// Begins queued work as slots become free.
pub(crate) async fn fill_slots(shared: Arc<EngineShared>) {
    loop {
        loop {
            let Some(id) = branch_lock::next_work(&mut shared.tables()) else {
                break;
            };
            start_queued(&shared, &id);
        }
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => return,
            () = shared.wake_slots.notified() => {}
        }
    }
}

fn start_queued(shared: &Arc<EngineShared>, id: &EffectId) {
    let found = {
        let tables = shared.tables();
        let state = tables
            .loops
            .values()
            .find(|state| state.outbox.effects.contains_key(id))
            .cloned();
        state.zip(tables.running.get(id).map(|running| running.cancel.clone()))
    };
    let Some((state, cancel)) = found else {
        let mut tables = shared.tables();
        tables.slots.release(id);
        branch_lock::let_go(&mut tables, id);
        return;
    };
    let Some(effect) = state.outbox.effects.get(id) else {
        return;
    };
    let entry = crate::shared::outbox_entry(&state, id, effect);
    let failed = panic_outcome(&entry.effect);
    let loop_id = entry.loop_id.clone();
    let task = shared.tasks.spawn(run(shared.clone(), entry, cancel));
    let (keeper, id) = (shared.clone(), id.clone());
    shared.tasks.spawn(async move {
        if let (Err(error), Some(outcome)) = (task.await, failed)
            && error.is_panic()
        {
            keeper.submit_event(&loop_id, Event::answered(id.clone(), outcome));
        }
        let mut tables = keeper.tables();
        tables.slots.release(&id);
        branch_lock::let_go(&mut tables, &id);
        drop(tables);
        keeper.wake_slots.notify_one();
    });
}

/// Ends an effect that was taken out of the outbox.
pub(crate) fn drop_effect(shared: &Arc<EngineShared>, id: &EffectId) {
    let mut tables = shared.tables();
    if let Some(running) = tables.running.remove(id) {
        running.cancel.cancel();
    }
    // One that has begun keeps its slot until its children have ended.
    tables.slots.remove_queued(id);
    branch_lock::let_go(&mut tables, id);
    for queue in tables.post_queues.values_mut() {
        queue.retain(|entry| entry.id != *id);
    }
    drop(tables);
    shared.wake_slots.notify_one();
}

/// Runs one effect, and brings what it comes to to its loop.
async fn run(shared: Arc<EngineShared>, entry: OutboxEntry, cancel: CancellationToken) {
    let Some(state) = shared.state(&entry.loop_id) else {
        return;
    };
    let account = shared.spending.open(&entry.id, &state);
    shared.read_command_spending().await;
    let meter = SessionMeter::with_account(Arc::new(account));
    let host: &dyn EffectHost = shared.as_ref();
    match run_effect(host, &state, &entry, &meter, &cancel).await {
        Some(event) => shared.submit_event(&entry.loop_id, event),
        None => shared.spending.close(&entry.id),
    }
}

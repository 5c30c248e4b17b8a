//! Posts of a loop, said one after the other.

use crate::effect_host::EffectHost;
use crate::effect_run;
use crate::ports::{OutboxEntry, SessionMeter};
use crate::shared::EngineShared;
use collie_core::effect::Effect;
use collie_core::event::Event;
use collie_core::ids::LoopId;
use std::sync::Arc;

/// Lines a post up behind the others of its loop, and has them said if nobody does yet.
pub(crate) fn enqueue(shared: &Arc<EngineShared>, entry: OutboxEntry) {
    let id = entry.loop_id.clone();
    let mut tables = shared.tables();
    let idle = !tables.post_queues.contains_key(&id);
    tables
        .post_queues
        .entry(id.clone())
        .or_default()
        .push(entry);
    drop(tables);
    if idle {
        let worker = shared.clone();
        shared.tasks.spawn(async move {
            while let Some(entry) = take_next(&worker, &id) {
                let task_shared = worker.clone();
                let task = async move { send_next(&task_shared, &entry).await };
                if let Err(error) = worker.tasks.spawn(task).await {
                    // The others are said all the same; this one is tried again by the next start.
                    tracing::error!(%error, "a post broke off by a fault in Collie");
                }
                if worker.stop.is_cancelled() {
                    return;
                }
            }
        });
    }
}

/// The next post; when there is none the queue is closed.
fn take_next(shared: &EngineShared, id: &LoopId) -> Option<OutboxEntry> {
    let mut tables = shared.tables();
    let queue = tables.post_queues.get_mut(id)?;
    if queue.is_empty() {
        tables.post_queues.remove(id);
        return None;
    }
    Some(queue.remove(0))
}

async fn send_next(shared: &Arc<EngineShared>, entry: &OutboxEntry) {
    let cancel = shared
        .tables()
        .running
        .get(&entry.id)
        .map(|running| running.cancel.clone());
    let (Some(state), Some(cancel)) = (shared.state(&entry.loop_id), cancel) else {
        return;
    };
    let meter = SessionMeter::default();
    let host: &dyn EffectHost = shared.as_ref();
    let work = effect_run::outcome(host, &state, entry, &meter, &cancel);
    // A post is never cut off in the middle by a drop: whether it arrived must be known. Only the engine's stop ends it, and then it
    // is in doubt. To resolve a thread is safe to repeat, and is no longer tried when nobody wants it.
    let unwanted = async {
        if matches!(entry.effect, Effect::ResolveThread(_)) {
            cancel.cancelled().await;
        } else {
            std::future::pending().await
        }
    };
    let outcome = tokio::select! {
        biased;
        () = shared.stop.cancelled() => None,
        () = unwanted => None,
        outcome = work => outcome,
    };
    if let (Some(outcome), false) = (outcome, cancel.is_cancelled()) {
        shared.submit_event(&entry.loop_id, Event::answered(entry.id.clone(), outcome));
    }
}

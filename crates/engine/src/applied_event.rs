//! What one event comes to, for whoever keeps the loops: `core::step` decides it, the audit log is told of it.

use crate::audit;
use crate::ports::AuditEntry;
use collie_core::effect::Effect;
use collie_core::event::Event;
use collie_core::ids::{EffectId, Time};
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::step::{is_quiet, step};

/// An event that was applied to a state. Nothing of it is written yet.
#[derive(Clone, Debug)]
pub struct AppliedEvent {
    /// The state after it.
    pub state: LoopState,
    /// New in the outbox, in order.
    pub effects: Vec<(EffectId, Effect)>,
    /// Out of the outbox.
    pub dropped: Vec<EffectId>,
    /// Remarks.
    pub notes: Vec<Note>,
    /// What the audit log is told, before the state is written.
    pub audits: Vec<AuditEntry>,
    /// It changed nothing that is worth writing down but when GitHub is read next.
    pub is_quiet: bool,
}

/// Applies an event.
pub fn apply_event(before: &LoopState, event: &Event, now: Time) -> AppliedEvent {
    let done = step(before, event, now);
    let audits = audit::entries(before, event, &done, now);
    let is_quiet = is_quiet(before, &done);
    trace(before, &done.state, event, &done.notes);
    let wanted = |id: &EffectId| done.state.outbox.effects.get(id).cloned();
    let effects = done.effects.iter();
    let effects = effects.filter_map(|id| Some((id.clone(), wanted(id)?)));
    AppliedEvent {
        effects: effects.collect(),
        state: done.state,
        dropped: done.dropped,
        notes: done.notes,
        audits,
        is_quiet,
    }
}

fn trace(before: &LoopState, after: &LoopState, event: &Event, notes: &[Note]) {
    let span =
        tracing::info_span!("loop", pull = %after.pull_name(), correlation_id = %after.run.id);
    let _in = span.enter();
    if before.run.state != after.run.state {
        tracing::info!(from = %before.run.state, to = %after.run.state, "moved");
    }
    for note in notes {
        tracing::debug!(?note, "noted");
    }
    tracing::trace!(?event, "applied");
}

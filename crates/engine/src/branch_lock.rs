//! One lock per head branch (§6.4): work that makes a commit begins once no other loop makes or pushes one for the same branch.

use crate::shared::EngineTables;
use collie_core::effect::Effect;
use collie_core::ids::{EffectId, LoopId};
use collie_core::loop_state::LoopState;
use collie_core::queue_place::QueuePlace;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The next piece of work that may begin, now under way.
pub(crate) fn next_work(tables: &mut EngineTables) -> Option<EffectId> {
    let EngineTables {
        slots,
        loops,
        committing,
        ..
    } = tables;
    let (id, effect) = slots.next(|id, effect| {
        !makes_commit(loops, id, effect) || holder(loops, committing, id).is_none()
    })?;
    if makes_commit(loops, &id, &effect) {
        committing.insert(effect.clone(), id);
    }
    Some(effect)
}

/// How a loop stands in the queue; none for one that does not queue.
pub(crate) fn queue_place(tables: &EngineTables, id: &LoopId) -> Option<QueuePlace> {
    let position = tables.slots.queue_position(id)?;
    Some(QueuePlace {
        position,
        branch_held_by: branch_holder(tables, id).map(LoopState::pull_name),
    })
}

/// The loop that one waits for whose work all makes commits.
fn branch_holder<'a>(tables: &'a EngineTables, id: &LoopId) -> Option<&'a LoopState> {
    let mut work = tables.slots.queued_work(id);
    let waits_for_branch = work.all(|effect| makes_commit(&tables.loops, id, effect));
    // All loops are looked through for it.
    waits_for_branch.then(|| holder(&tables.loops, &tables.committing, id))?
}

fn makes_commit(loops: &BTreeMap<LoopId, Arc<LoopState>>, id: &LoopId, effect: &EffectId) -> bool {
    let asked = loops.get(id).map(|state| &state.outbox.effects);
    let asked = asked.and_then(|effects| effects.get(effect));
    asked.is_some_and(Effect::makes_commit)
}

/// Another loop that makes or pushes a commit for the head branch of this one.
fn holder<'a>(
    loops: &'a BTreeMap<LoopId, Arc<LoopState>>,
    committing: &BTreeMap<EffectId, LoopId>,
    id: &LoopId,
) -> Option<&'a LoopState> {
    let own = loops.get(id)?;
    let branch = own.head_branch();
    let holds = |other: &LoopState| {
        other.is_about_to_push() || committing.values().any(|id| *id == other.id)
    };
    let mut others = loops.values().map(Arc::as_ref);
    others.find(|other| {
        // The name is compared before all else: this is asked of each loop.
        other.pull.head_ref == own.pull.head_ref
            && other.id != *id
            && holds(other)
            && other.head_branch() == branch
    })
}

/// Lets go of a branch once work has ended and its loop shows what came of it.
pub(crate) fn let_go(tables: &mut EngineTables, effect: &EffectId) {
    let Some(id) = tables.committing.get(effect) else {
        return;
    };
    let state = tables.loops.get(id);
    let is_asked = state.is_some_and(|state| state.outbox.effects.contains_key(effect));
    if !is_asked && !tables.slots.has_begun(effect) {
        tables.committing.remove(effect);
    }
}

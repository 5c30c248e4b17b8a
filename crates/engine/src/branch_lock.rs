//! One lock per head branch (§6.4): work that makes a commit begins once no other loop makes or pushes one for the same branch.

use crate::shared::EngineTables;
use collie_core::effect::Effect;
use collie_core::ids::{EffectId, LoopId};
use collie_core::loop_state::LoopState;
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
    let makes_commit = |id: &LoopId, effect: &EffectId| {
        let asked = loops.get(id).map(|state| &state.outbox.effects);
        let asked = asked.and_then(|effects| effects.get(effect));
        asked.is_some_and(Effect::makes_commit)
    };
    let (id, effect) = slots.next(|id, effect| {
        !makes_commit(id, effect) || !is_held_by_another(loops, committing, id)
    })?;
    if makes_commit(&id, &effect) {
        committing.insert(effect.clone(), id);
    }
    Some(effect)
}

/// Whether another loop makes or pushes a commit for the head branch of this one.
fn is_held_by_another(
    loops: &BTreeMap<LoopId, Arc<LoopState>>,
    committing: &BTreeMap<EffectId, LoopId>,
    id: &LoopId,
) -> bool {
    let Some(own) = loops.get(id) else {
        return false;
    };
    let branch = own.head_branch();
    let holds = |other: &LoopState| {
        other.is_about_to_push() || committing.values().any(|id| *id == other.id)
    };
    loops.values().any(|other| {
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

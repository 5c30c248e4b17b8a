//! One lock per head branch (§6.4): work that makes a commit begins once no other loop makes or pushes one for the same branch.

use crate::shared::EngineTables;
use collie_core::effect::Effect;
use collie_core::ids::{EffectId, LoopId};
use collie_core::loop_state::LoopState;
use collie_core::queue_place::QueuePlace;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

type Loops = BTreeMap<LoopId, Arc<LoopState>>;

/// Loops that make or push a commit, looked for once and only where it is asked.
type Holders<'a> = OnceCell<Vec<&'a LoopState>>;

/// The next piece of work that may begin, now under way.
pub(crate) fn next_work(tables: &mut EngineTables) -> Option<EffectId> {
    let EngineTables {
        slots,
        loops,
        committing,
        ..
    } = tables;
    let holders = Holders::new();
    let (id, effect) = slots.next(|id, effect| {
        !makes_commit(loops, id, effect) || holder(&holders, loops, committing, id).is_none()
    })?;
    if makes_commit(loops, &id, &effect) {
        committing.insert(effect.clone(), id);
    }
    Some(effect)
}

/// How a loop stands in the queue; none for one that does not queue.
pub(crate) fn queue_place(tables: &EngineTables, id: &LoopId) -> Option<QueuePlace> {
    place_behind(tables, &Holders::new(), id)
}

/// How each loop stands that queues.
pub(crate) fn queue_places(tables: &EngineTables) -> BTreeMap<LoopId, QueuePlace> {
    let holders = Holders::new();
    let place = |id: &LoopId| Some((id.clone(), place_behind(tables, &holders, id)?));
    tables.slots.queued_loops().filter_map(place).collect()
}

/// How a loop stands behind those that make or push a commit.
fn place_behind<'a>(
    tables: &'a EngineTables,
    holders: &Holders<'a>,
    id: &LoopId,
) -> Option<QueuePlace> {
    let position = tables.slots.queue_position(id)?;
    let EngineTables {
        loops, committing, ..
    } = tables;
    let mut work = tables.slots.queued_work(id);
    let waits_for_branch = work.all(|effect| makes_commit(loops, id, effect));
    let held_by = waits_for_branch.then(|| holder(holders, loops, committing, id));
    Some(QueuePlace {
        position,
        branch_held_by: held_by.flatten().map(LoopState::pull_name),
    })
}

fn makes_commit(loops: &Loops, id: &LoopId, effect: &EffectId) -> bool {
    let asked = loops.get(id).map(|state| &state.outbox.effects);
    let asked = asked.and_then(|effects| effects.get(effect));
    asked.is_some_and(Effect::makes_commit)
}

/// Another loop that makes or pushes a commit for the head branch of this one.
fn holder<'a>(
    holders: &Holders<'a>,
    loops: &'a Loops,
    committing: &BTreeMap<EffectId, LoopId>,
    id: &LoopId,
) -> Option<&'a LoopState> {
    let own = loops.get(id)?;
    let holds = |other: &&LoopState| {
        other.is_about_to_push() || committing.values().any(|id| *id == other.id)
    };
    let others = holders
        .get_or_init(|| loops.values().map(Arc::as_ref).filter(holds).collect())
        .iter()
        .copied();
    let mut others = others.filter(|other| other.id != *id);
    others.find(|other| other.head_branch() == own.head_branch())
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

//! Bots that review a repository, by what its loops have seen (§3.4).

use crate::shared::EngineShared;
use collie_core::ids::{AccountId, LoopId, Time};
use collie_core::loop_state::LoopState;
use std::collections::BTreeSet;

/// A bot that has reviewed nothing for so long is not waited for any more.
const FORGOTTEN_AFTER_MS: u64 = 30 * 24 * 60 * 60_000;

/// The bots that any loop of the same repository has seen reviewing of late.
pub(crate) fn reviewing_bots(shared: &EngineShared, id: &LoopId, now: Time) -> BTreeSet<AccountId> {
    let tables = shared.tables();
    let same = |other: &LoopId| other.host == id.host && other.repo_id == id.repo_id;
    let loops = tables.loops.iter().filter(|(other, _)| same(other));
    seen_reviewing(loops.map(|(_, state)| state.as_ref()), now)
}

/// The bots that any of some loops has seen reviewing of late.
pub fn seen_reviewing<'a>(
    loops: impl Iterator<Item = &'a LoopState>,
    now: Time,
) -> BTreeSet<AccountId> {
    loops
        .flat_map(|state| &state.memory.reviewing_bots)
        .filter(|(_, seen)| now.since(**seen) < FORGOTTEN_AFTER_MS)
        .map(|(bot, _)| *bot)
        .collect()
}

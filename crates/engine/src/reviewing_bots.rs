//! Bots that review a repository, by what its loops have seen (§3.4).

use crate::shared::EngineShared;
use collie_core::ids::{AccountId, LoopId, Time};
use std::collections::BTreeSet;

/// A bot that has reviewed nothing for so long is not waited for any more.
const FORGOTTEN_AFTER_MS: u64 = 30 * 24 * 60 * 60_000;

/// The bots that any loop of the same repository has seen reviewing of late.
pub(crate) fn reviewing_bots(shared: &EngineShared, id: &LoopId, now: Time) -> BTreeSet<AccountId> {
    let tables = shared.tables();
    let same = |other: &LoopId| other.host == id.host && other.repo_id == id.repo_id;
    let loops = tables.loops.iter().filter(|(other, _)| same(other));
    loops
        .flat_map(|(_, state)| &state.memory.reviewing_bots)
        .filter(|(_, seen)| now.since(**seen) < FORGOTTEN_AFTER_MS)
        .map(|(bot, _)| *bot)
        .collect()
}

//! What GitHub itself says has changed (§18.1): a reading soon, and one for many such words.

use collie_core::ids::{LoopId, Time};
use collie_core::loop_state::LoopState;
use std::collections::BTreeMap;

/// Two readings that were reported changes' doing are so far apart: a review with its comments, or the end of several checks, comes as
/// many deliveries within moments.
const GAP_MS: u64 = 5_000;
/// So long a change may wait that decides nothing by itself, for others to come.
const LATER_MS: u64 = 30_000;

/// How soon a change that was reported is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeUrgency {
    /// It decides nothing by itself, such as a check that passed while others run.
    Later,
    /// Somebody may wait for what comes of it.
    Now,
}

/// Loops that were said to have changed, and when each is to be read.
#[derive(Debug, Default)]
pub(crate) struct ReportedChanges {
    due: BTreeMap<LoopId, Time>,
}

impl ReportedChanges {
    /// Takes in that something was said to have changed.
    pub fn report(&mut self, id: &LoopId, urgency: ChangeUrgency, now: Time) {
        let at = match urgency {
            ChangeUrgency::Now => now,
            ChangeUrgency::Later => now.plus(LATER_MS),
        };
        let due = self.due.entry(id.clone()).or_insert(at);
        *due = (*due).min(at);
    }

    /// When a loop is to be read for what was said of it; none where nothing was said since its last reading began.
    pub fn due_at(&self, state: &LoopState) -> Option<Time> {
        let due = *self.due.get(&state.id)?;
        let last = state.run.polling.last_snapshot.at;
        Some(last.map_or(due, |last| due.max(last.plus(GAP_MS))))
    }

    /// A reading of a loop begins: what was said until now it will show.
    pub fn taken(&mut self, id: &LoopId) {
        self.due.remove(id);
    }
}

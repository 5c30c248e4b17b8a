//! What GitHub itself says has changed (§18.1): a reading soon, and one for many such words.

use collie_core::ids::{LoopId, Time};
use collie_core::loop_state::LoopState;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Two readings that were reported changes' doing are so far apart: a review with its comments, or the end of several checks, comes as
/// many deliveries within moments.
const GAP_MS: u64 = 5_000;
/// So long a change may wait that decides nothing by itself, for others to come.
const LATER_MS: u64 = 30_000;

/// How soon a change that was reported is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeUrgency {
    /// It decides nothing by itself, such as a check that passed while others run.
    Later,
    /// Somebody may wait for what comes of it.
    Now,
}

/// That something was said to have changed of a loop, and when it is to be read for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedChange {
    due: Time,
}

impl ReportedChange {
    /// The same once something is said to have changed, again or for the first time.
    #[must_use]
    pub fn said(before: Option<Self>, urgency: ChangeUrgency, now: Time) -> Self {
        let due = match urgency {
            ChangeUrgency::Now => now,
            ChangeUrgency::Later => now.plus(LATER_MS),
        };
        let due = before.map_or(due, |before| before.due.min(due));
        Self { due }
    }

    /// When its loop is to be read.
    pub fn due_at(self, state: &LoopState) -> Time {
        let last = state.run.polling.last_snapshot.at;
        last.map_or(self.due, |last| self.due.max(last.plus(GAP_MS)))
    }
}

/// Loops that were said to have changed, and when each is to be read.
#[derive(Debug, Default)]
pub(crate) struct ReportedChanges {
    said: BTreeMap<LoopId, ReportedChange>,
}

impl ReportedChanges {
    /// Takes in that something was said to have changed.
    pub fn report(&mut self, id: &LoopId, urgency: ChangeUrgency, now: Time) {
        let before = self.said.get(id).copied();
        let said = ReportedChange::said(before, urgency, now);
        self.said.insert(id.clone(), said);
    }

    /// When a loop is to be read for what was said of it; none where nothing was said since its last reading began.
    pub fn due_at(&self, state: &LoopState) -> Option<Time> {
        Some(self.said.get(&state.id)?.due_at(state))
    }

    /// A reading of a loop begins: what was said until now it will show.
    pub fn taken(&mut self, id: &LoopId) {
        self.said.remove(id);
    }
}

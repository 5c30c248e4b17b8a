//! What a loop that lives elsewhere tells of itself, event by event, for whoever shows it beside a journal of its own.
//!
//! An entry holds the event, not what came of it: whoever shows the loop decides anew with the same rules, and the digest tells whether that came
//! to the same.

use crate::applied_event::{AppliedEvent, apply_event};
use crate::ports::{AppliedStep, DaySpending};
use crate::spending::spent_on_finished_session;
use collie_core::budget::day_of;
use collie_core::event::Event;
use collie_core::ids::Time;
use collie_core::loop_state::LoopState;
use collie_core::reading_times::ReadingTimes;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// One event of a loop, or its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The version of the loop that it led to; the beginning is 1, and each entry is one more than the one before.
    pub version: u64,
    /// When.
    pub at: Time,
    /// A digest of the loop after it ([`state_digest`]).
    pub digest: u64,
    /// What happened.
    pub happened: Happened,
}

/// What happened to a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happened {
    /// It began, so.
    Begun(Box<LoopState>),
    /// An event was applied.
    Applied {
        /// The event.
        event: Box<Event>,
        /// The times of reading of the loop before it, which readings that showed nothing new may have changed.
        read_before: ReadingTimes,
    },
}

impl HistoryEntry {
    /// The entry of a loop that begins.
    pub fn begun(state: &LoopState, at: Time) -> Self {
        Self {
            version: 1,
            at,
            digest: state_digest(state),
            happened: Happened::Begun(Box::new(state.clone())),
        }
    }

    /// The entry of an event that was applied.
    pub fn applied(
        (before, event): (&LoopState, &Event),
        done: &AppliedEvent,
        (version, at): (u64, Time),
    ) -> Self {
        Self {
            version,
            at,
            digest: state_digest(&done.state),
            happened: Happened::Applied {
                event: Box::new(event.clone()),
                read_before: before.reading_times(),
            },
        }
    }

    /// What an event comes to, applied anew to the loop as it was before; none where that is not what it came to, as with other rules.
    pub fn step_from(&self, before: &LoopState, zone: &TimeZone) -> Option<AppliedStep> {
        let Happened::Applied { event, read_before } = &self.happened else {
            return None;
        };
        let mut before = before.clone();
        before.set_reading_times(read_before);
        let done = apply_event(&before, event, self.at);
        if state_digest(&done.state) != self.digest {
            return None;
        }
        let usage = done.state.spent().since(&before.spent());
        let spent = (!usage.is_nothing()).then(|| DaySpending {
            day: day_of(self.at, zone).0,
            usage,
        });
        let spent_on = spent.map(|spent| spent_on_finished_session(spent.usage, &done.notes));
        Some(AppliedStep {
            inbox: Vec::new(),
            from: Some(before.run.state),
            effects: done.effects,
            dropped: done.dropped,
            notes: done.notes,
            at: self.at,
            spent,
            spent_on: spent_on.into_iter().collect(),
            read_before: Some(read_before.clone()),
            state: done.state,
        })
    }
}

/// A number that tells one state of a loop from another, but for its times of reading.
pub fn state_digest(state: &LoopState) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.without_times_of_reading().hash(&mut hasher);
    hasher.finish()
}

//! What a reading changes in a loop even where it shows nothing new.

use crate::ids::Time;
use crate::loop_state::LoopState;
use crate::poll_budget::PollThrottle;
use serde::{Deserialize, Serialize};

/// All that [`LoopState::without_times_of_reading`] leaves out: when GitHub was last read, will next be read, how much of the budget was
/// left, and when something changed. Such readings have no entry in the journal; whoever replays it needs these of each state that an
/// event came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReadingTimes {
    /// When the last snapshot was read.
    pub read_at: Option<Time>,
    /// When the next one is due.
    pub next_at: Option<Time>,
    /// Why that is later than configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<PollThrottle>,
    /// When something last changed.
    pub updated_at: Time,
}

impl LoopState {
    /// Its times of reading.
    pub fn reading_times(&self) -> ReadingTimes {
        let polling = &self.run.polling;
        ReadingTimes {
            read_at: polling.last_snapshot.at,
            next_at: polling.next_at,
            throttle: polling.throttle.clone(),
            updated_at: self.run.updated_at,
        }
    }

    /// Takes over the times of reading of a state that is otherwise the same.
    pub fn set_reading_times(&mut self, times: &ReadingTimes) {
        let polling = &mut self.run.polling;
        polling.last_snapshot.at = times.read_at;
        polling.next_at = times.next_at;
        polling.throttle.clone_from(&times.throttle);
        self.run.updated_at = times.updated_at;
    }
}

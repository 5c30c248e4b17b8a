//! What must hold, whatever happens.

use super::schedule::MINUTE;
use collie_core::ids::{LoopId, RunId, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What is known of the loops, and what was broken.
#[derive(Debug, Default)]
pub struct Promises {
    /// What was broken, in order.
    pub breaches: Vec<String>,
    /// Runs that a person cancelled while they were at work, and by which request.
    pub cancelled: Vec<(LoopId, RunId, u64)>,
    /// Requests that were refused: whoever asked was told that nothing came of them.
    pub refused: BTreeSet<u64>,
    /// Whether people have paused everything.
    pub paused: bool,
    /// How often each state was reached.
    pub reached: BTreeMap<&'static str, u64>,
    /// How often runs ended for each reason.
    pub stops: BTreeMap<&'static str, u64>,
    states: BTreeMap<LoopId, Arc<LoopState>>,
    /// Lines of the audit log whose writer was told that they stand.
    pub audited: u64,
    /// Events that were stored and not applied when the present life began.
    pub received: BTreeSet<u64>,
    /// What the journal has had of each loop.
    stored: BTreeSet<u64>,
    /// When each pull request was read, for the last minute.
    readings: BTreeMap<u64, VecDeque<Time>>,
}

/// What a loop must not show before the journal has it: all but when it is read next.
fn durable_part(state: &LoopState) -> u64 {
    let (run, mut hasher) = (&state.run, DefaultHasher::new());
    (&state.id, &run.id, run.state, run.fixing.iteration).hash(&mut hasher);
    (&state.memory.posted, &state.outbox).hash(&mut hasher);
    hasher.finish()
}

impl Promises {
    /// Writes a breach down.
    pub fn breach(&mut self, what: String) {
        self.breaches.push(what);
    }

    /// Takes in how a loop is now; how it was.
    pub fn show(&mut self, state: Arc<LoopState>) -> Option<Arc<LoopState>> {
        self.states.insert(state.id.clone(), state)
    }

    /// Takes in that a pull request is read; how often it was in the last minute.
    pub fn read(&mut self, number: u64, now: Time) -> usize {
        let readings = self.readings.entry(number).or_default();
        readings.push_back(now);
        while readings.front().is_some_and(|at| now.since(*at) > MINUTE) {
            readings.pop_front();
        }
        readings.len()
    }

    /// Takes in what the journal has of a loop.
    pub fn store(&mut self, state: &LoopState) {
        self.stored.insert(durable_part(state));
    }

    /// Whether the journal has had this of a loop.
    pub fn is_stored(&self, state: &LoopState) -> bool {
        self.stored.contains(&durable_part(state))
    }

    /// How a loop stands.
    pub fn state_of(&self, id: &LoopId) -> Option<State> {
        self.states.get(id).map(|state| state.run.state)
    }

    /// The run of a loop that is at work.
    pub fn run_at_work(&self, id: &LoopId) -> Option<RunId> {
        let state = self.states.get(id)?;
        (!state.run.state.is_terminal()).then(|| state.run.id.clone())
    }

    /// Whether the run of a loop has ended.
    pub fn has_ended(&self, id: &LoopId) -> bool {
        self.state_of(id).is_some_and(State::is_terminal)
    }

    /// Every loop, as last shown.
    pub fn loops(&self) -> impl Iterator<Item = &Arc<LoopState>> {
        self.states.values()
    }

    /// Whether nothing is left to do or to wait for.
    pub fn is_settled(&self, pulls: u64) -> bool {
        let rests = |state: &Arc<LoopState>| {
            let over = state.run.state.is_terminal() || state.run.state == State::PrReadyToMerge;
            over && state.outbox.effects.is_empty()
        };
        self.states.len() as u64 == pulls && self.states.values().all(rests)
    }
}

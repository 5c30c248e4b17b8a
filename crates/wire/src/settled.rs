//! When a loop needs no more watching, and what a command says of it by its exit status (§14).

use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Whether it is terminal, ready, or waits for something that only a person can do. Whether something is still to be sent is another question.
pub fn is_at_rest(state: &LoopState) -> bool {
    exit_status(state).is_some()
}

/// The exit status of a loop at rest: 0 ready or merged, 3 needs a person, 4 failed, 5 cancelled or closed; none while it is under way.
pub fn exit_status(state: &LoopState) -> Option<u8> {
    match state.run.state {
        State::Merged | State::PrReadyToMerge => Some(0),
        State::NeedsHuman => Some(3),
        State::Failed => Some(4),
        State::Cancelled | State::Closed => Some(5),
        State::PrCreated | State::PrAwaitingChecks | State::PrReviewing | State::PrFixing => {
            let needs_person = state
                .run
                .blocker
                .as_ref()
                .is_some_and(|blocker| blocker.needs_person());
            needs_person.then_some(3)
        }
    }
}

/// Whom a loop waits for, from afar: what lists, counts and the tray are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// A person, to merge it.
    Ready,
    /// A person, for anything else.
    NeedsYou,
    /// Nobody: it goes on by itself.
    Working,
    /// Nobody: it is merged, closed or cancelled.
    Over,
}

/// Whom a loop waits for.
pub fn attention(state: &LoopState) -> Attention {
    match exit_status(state) {
        None => Attention::Working,
        Some(0) if state.run.state == State::PrReadyToMerge => Attention::Ready,
        Some(3 | 4) => Attention::NeedsYou,
        Some(_) => Attention::Over,
    }
}

/// The exit status of several loops: the worst in the order 4, 3, 5, 0. None gives 0.
pub fn worst_exit_status(statuses: impl IntoIterator<Item = u8>) -> u8 {
    let rank = |status: &u8| [0, 5, 3, 4].iter().position(|known| known == status);
    statuses.into_iter().max_by_key(rank).unwrap_or(0)
}

//! When a loop needs no more watching, and what a command says of it by its exit status (§14).

use collie_core::lifecycle::State;
use collie_core::model::LoopState;

/// Whether it is terminal, ready, or waits for something that only a person can do. Whether something is still to be sent is another question.
pub fn settled(state: &LoopState) -> bool {
    exit_status(state).is_some()
}

/// The exit status of a loop at rest: 0 ready or merged, 3 needs a person, 4 failed, 5 cancelled or closed; none while it is under way.
pub fn exit_status(state: &LoopState) -> Option<u8> {
    match state.state {
        State::Merged | State::PrReadyToMerge => Some(0),
        State::NeedsHuman => Some(3),
        State::Failed => Some(4),
        State::Cancelled | State::Closed => Some(5),
        State::PrCreated | State::PrAwaitingChecks | State::PrReviewing | State::PrFixing => {
            let waits = state
                .blocker
                .as_ref()
                .is_some_and(|blocker| blocker.needs_person());
            waits.then_some(3)
        }
    }
}

/// The exit status of several loops: the worst in the order 4, 3, 5, 0. None gives 0.
pub fn worst(statuses: impl IntoIterator<Item = u8>) -> u8 {
    let rank = |status: &u8| [0, 5, 3, 4].iter().position(|known| known == status);
    statuses.into_iter().max_by_key(rank).unwrap_or(0)
}

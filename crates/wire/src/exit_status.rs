//! What a command says of loops by its exit status (§14).

use collie_core::attention::Attention;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;

/// The exit status of a loop at rest: 0 ready or merged, 3 needs a person, 4 failed, 5 cancelled or closed; none while it is under way.
pub fn exit_status(state: &LoopState) -> Option<u8> {
    match (state.attention(), state.shown_state()) {
        (Attention::Working, _) => state.is_paused().then_some(3),
        (Attention::Ready, _) | (_, State::Merged) => Some(0),
        (_, State::Failed) => Some(4),
        (Attention::NeedsYou, _) => Some(3),
        (Attention::Over, _) => Some(5),
    }
}

/// The exit status of several loops: the worst in the order 4, 3, 5, 0. None gives 0.
pub fn worst_exit_status(statuses: impl IntoIterator<Item = u8>) -> u8 {
    let rank = |status: &u8| [0, 5, 3, 4].iter().position(|known| known == status);
    statuses.into_iter().max_by_key(rank).unwrap_or(0)
}

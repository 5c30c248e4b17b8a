//! When a command may stop watching a loop (§14).

use collie_core::blocker::Blocker;
use collie_core::effect::Effect;
use collie_core::loop_state::LoopState;

/// Whether the loop is terminal, ready, or waits for something only a person can do, and has said and done all it
/// wanted to: who stops watching now loses nothing.
pub fn is_settled(state: &LoopState) -> bool {
    collie_wire::is_at_rest(state)
        && (is_blocked_from_writing(state) || state.outbox.effects.values().all(may_stay_pending))
}

/// Whether what the loop waits for is the very thing that keeps it from writing.
fn is_blocked_from_writing(state: &LoopState) -> bool {
    !state.run.state.is_terminal()
        && matches!(
            state.run.blocker,
            Some(
                Blocker::PendingReview
                    | Blocker::AutoMerge { .. }
                    | Blocker::MergeQueue
                    | Blocker::Unauthorized
                    | Blocker::Forbidden { .. }
            )
        )
}

/// Whether an effect only reads, and says nothing about the loop's end.
fn may_stay_pending(effect: &Effect) -> bool {
    match effect {
        Effect::LoadConfig(_) | Effect::ReadRemoteHead(_) => true,
        Effect::Review(_)
        | Effect::Fix(_)
        | Effect::Push(_)
        | Effect::Post(_)
        | Effect::ResolveThread(_)
        | Effect::CleanUp => false,
    }
}

//! A loop as everybody is shown it: the shape of `wire` with words in one language.

use crate::clock::now;
use crate::words::Speech;
use collie_core::model::LoopState;
use collie_wire::{LoopView, Texts};

/// The view of a loop at this moment. `queue_position` counts from 1; none for a loop that does not queue.
pub fn view(state: &LoopState, queue_position: Option<u32>, speech: &Speech) -> LoopView {
    let texts = Texts {
        blocker: &|blocker| speech.blocker(blocker),
        stop: &|stop| speech.stop_in_full(stop),
    };
    LoopView::of(state, now(), queue_position, &texts)
}

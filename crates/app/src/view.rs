//! A loop as everybody is shown it: the shape of `wire` with words in one language.

use crate::clock::now;
use crate::words::Speech;
use collie_core::model::LoopState;
use collie_wire::{LoopView, Texts};

/// Makes views in one language.
pub struct Viewer {
    speech: Speech,
}

impl Viewer {
    /// Takes a language of the configuration.
    pub fn new(language: &str) -> Self {
        Self {
            speech: Speech::new(language),
        }
    }

    /// The view of a loop at this moment. `queue_position` counts from 1; none for a loop that does not queue.
    pub fn view(&self, state: &LoopState, queue_position: Option<u32>) -> LoopView {
        let texts = Texts {
            blocker: &|blocker| self.speech.blocker(blocker),
            stop: &|stop| self.speech.stop(stop),
        };
        LoopView::of(state, now(), queue_position, &texts)
    }
}

//! A loop as everybody is shown it: the shape of `wire` with words in one language.

use crate::clock::now;
use collie_core::ids::RunId;
use collie_core::insights::LoopRun;
use collie_core::loop_state::LoopState;
use collie_core::queue_place::QueuePlace;
use collie_i18n::{Localizer, Redactor, fixer_note, render_post};
use collie_wire::{EarlierRunView, LoopView, TextRenderer};

/// The view of a loop at this moment, and of how it queues if it does. What is private to `redactor` is in no post that it shows.
pub fn loop_view(
    state: &LoopState,
    queue_place: Option<&QueuePlace>,
    localizer: &Localizer,
    redactor: &Redactor,
) -> LoopView {
    with_texts(localizer, redactor, |texts| {
        LoopView::from_state(state, now(), queue_place, texts)
    })
}

/// The runs of a loop before the present one, the latest first.
pub fn earlier_run_views(
    runs: &[LoopRun],
    present: &RunId,
    localizer: &Localizer,
    redactor: &Redactor,
) -> Vec<EarlierRunView> {
    with_texts(localizer, redactor, |texts| {
        EarlierRunView::from_runs(runs, present, texts)
    })
}

fn with_texts<T>(
    localizer: &Localizer,
    redactor: &Redactor,
    make: impl FnOnce(&TextRenderer<'_>) -> T,
) -> T {
    make(&TextRenderer {
        render_blocker: &|blocker| localizer.blocker_text(blocker),
        render_branch_holder: &|pull| localizer.branch_holder_text(pull),
        render_stop: &|stop| localizer.stop_text_with_cause(stop),
        render_throttle: &|throttle| localizer.throttle_text(throttle),
        render_rejection: &|note| fixer_note(localizer, redactor, note),
        render_post: &|post| render_post(localizer, redactor, post),
    })
}

//! Who is at work on a loop, in words.

use collie_i18n::Localizer;
use collie_reviewers::activity::Worker;
use collie_wire::rpc::{ActivityLine, WorkerView};

/// One at work, with what was done last.
pub fn worker_view(worker: &Worker, localizer: &Localizer) -> WorkerView {
    let line = |(at, activity): &(collie_core::ids::Time, collie_reviewers::activity::Activity)| {
        ActivityLine {
            at: at.rfc3339(),
            text: activity.localized_text(localizer),
        }
    };
    WorkerView {
        name: worker.name.clone(),
        runs_on: worker.runs_on.clone(),
        since: worker.since.rfc3339(),
        text: worker.current.1.localized_text(localizer),
        spent: worker.spent_text(localizer),
        recent: worker.recent.iter().map(line).collect(),
    }
}

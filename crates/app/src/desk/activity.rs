//! Who is at work on which loop, and at what, for the window.

use super::Desk;
use super::work::Work;
use crate::activity::Worker;
use crate::words::Speech;
use collie_core::ids::LoopId;
use collie_wire::rpc::{ActivityLine, ActivityView, Topic, Update, WorkerView};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;

impl Desk {
    /// Everybody at work in this process. What another process's engine does is not known here.
    pub(super) fn activities(&self, work: &Work) -> Vec<ActivityView> {
        let all = work.activities.all();
        all.iter()
            .filter_map(|(id, workers)| self.activity(work, id, workers))
            .collect()
    }

    fn activity(&self, work: &Work, id: &LoopId, workers: &[Worker]) -> Option<ActivityView> {
        let speech = self.speech();
        Some(ActivityView {
            key: work.find_by_id(id)?.name().to_string(),
            workers: workers.iter().map(|one| worker(one, &speech)).collect(),
        })
    }

    /// Tells of every change; never returns.
    pub(super) async fn tell_activities(&self, work: &Arc<Work>) {
        let mut changes = work.activities.subscribe();
        loop {
            match changes.recv().await {
                Ok(id) => {
                    let workers = work.activities.of(&id);
                    if let Some(view) = self.activity(work, &id, &workers) {
                        self.tell(Update::Activity(view));
                    }
                }
                Err(RecvError::Lagged(_)) => self.stale(vec![Topic::Activities]),
                Err(RecvError::Closed) => return std::future::pending().await,
            }
        }
    }
}

fn worker(worker: &Worker, speech: &Speech) -> WorkerView {
    let line = |(at, doing): &(collie_core::ids::Time, crate::activity::Doing)| ActivityLine {
        at: at.rfc3339(),
        text: doing.words(speech),
    };
    WorkerView {
        who: worker.who.clone(),
        runs_on: worker.runs_on.clone(),
        since: worker.since.rfc3339(),
        text: worker.now.1.words(speech),
        recent: worker.recent.iter().map(line).collect(),
    }
}

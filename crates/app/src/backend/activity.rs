//! Who is at work on which loop, and at what, for the window.

use super::Backend;
use super::session::Session;
use collie_core::ids::LoopId;
use collie_i18n::Localizer;
use collie_reviewers::activity::Worker;
use collie_wire::rpc::{ActivityLine, ActivityView, Topic, Update, WorkerView};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;

impl Backend {
    /// Everybody at work in this process. What another process's engine does is not known here.
    pub(super) fn activities(&self, session: &Session) -> Vec<ActivityView> {
        let all = session.activities.all_workers();
        all.iter()
            .filter_map(|(id, workers)| self.activity_view(session, id, workers))
            .collect()
    }

    fn activity_view(
        &self,
        session: &Session,
        id: &LoopId,
        workers: &[Worker],
    ) -> Option<ActivityView> {
        let localizer = self.localizer();
        Some(ActivityView {
            key: session.engine.find_by_id(id)?.pull_name().to_string(),
            workers: workers
                .iter()
                .map(|one| worker_view(one, &localizer))
                .collect(),
        })
    }

    /// Tells of every change; never returns.
    pub(super) async fn forward_activities(&self, session: &Arc<Session>) {
        let mut changes = session.activities.subscribe();
        loop {
            match changes.recv().await {
                Ok(id) => {
                    let workers = session.activities.workers_on(&id);
                    if let Some(view) = self.activity_view(session, &id, &workers) {
                        self.send_update(Update::Activity(view));
                    }
                }
                Err(RecvError::Lagged(_)) => self.send_stale(vec![Topic::Activities]),
                Err(RecvError::Closed) => return std::future::pending().await,
            }
        }
    }
}

fn worker_view(worker: &Worker, localizer: &Localizer) -> WorkerView {
    let line = |(at, doing): &(collie_core::ids::Time, collie_reviewers::activity::Activity)| {
        ActivityLine {
            at: at.rfc3339(),
            text: doing.localized_text(localizer),
        }
    };
    WorkerView {
        name: worker.name.clone(),
        runs_on: worker.runs_on.clone(),
        since: worker.since.rfc3339(),
        text: worker.current.1.localized_text(localizer),
        recent: worker.recent.iter().map(line).collect(),
    }
}

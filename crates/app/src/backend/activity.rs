//! Who is at work on which loop, and at what, for the window.

use super::Backend;
use super::session::Session;
use crate::render::worker_view::worker_view;
use collie_core::ids::LoopId;
use collie_reviewers::activity::Worker;
use collie_wire::rpc::{ActivityView, Topic, Update};
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

//! Loops as the window shows them: sent whole at first, then only what changed.

use super::work::{Engine, Work};
use super::{Desk, Problem, lock};
use crate::view::view;
use collie_core::ids::LoopId;
use collie_core::model::LoopState;
use collie_engine::ports::Journal as _;
use collie_wire::LoopView;
use collie_wire::rpc::{Topic, Update, patch};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;

impl Desk {
    /// Every loop; what is sent from now on is told against this. Whoever else listens is told what is new in it.
    pub(super) fn loops(&self, work: &Work) -> Vec<LoopView> {
        // Held throughout: what is told meanwhile must not be older than the answer.
        let mut held = lock(&work.sent);
        let views: Vec<LoopView> = work
            .states()
            .iter()
            .map(|state| self.loop_view(work, state))
            .collect();
        match held.as_mut() {
            Some(sent) => views.iter().for_each(|view| self.tell_view(sent, view)),
            None => {
                let whole = views.iter().map(|view| (view.key.clone(), view.clone()));
                *held = Some(whole.collect());
            }
        }
        views
    }

    fn loop_view(&self, work: &Work, state: &LoopState) -> LoopView {
        view(state, work.queue_position(&state.id), &self.speech())
    }

    /// Tells what changes in an engine of this process; never returns.
    pub(super) async fn tell_changes(&self, work: &Arc<Work>) {
        let Some(mut changes) = work.handle().map(|handle| handle.subscribe()) else {
            return;
        };
        self.resume_demo(work);
        loop {
            match changes.recv().await {
                Ok(state) => self.tell_loop(work, &state),
                Err(RecvError::Lagged(_)) => {
                    for state in work.states() {
                        self.tell_loop(work, &state);
                    }
                }
                Err(RecvError::Closed) => return std::future::pending().await,
            }
            self.tell_queue(work);
            self.session_changed();
        }
    }

    /// Tells in which fields a loop differs from what was sent, if in any.
    fn tell_loop(&self, work: &Work, state: &LoopState) {
        let mut sent = lock(&work.sent);
        let view = self.loop_view(work, state);
        self.tell_view(sent.get_or_insert_default(), &view);
    }

    fn tell_view(&self, sent: &mut BTreeMap<String, LoopView>, view: &LoopView) {
        let changed = patch(sent.get(&view.key), view);
        if changed.is_empty() {
            return;
        }
        let key = view.key.clone();
        let new = sent.insert(key.clone(), view.clone()).is_none();
        self.tell(Update::Loop {
            key: key.clone(),
            changed,
        });
        let mut topics = Topic::of_loop(&key);
        if new || view.state.is_terminal() {
            topics.push(Topic::Repositories);
        }
        self.stale(topics);
    }

    /// Places in the queue move without the loops in it.
    fn tell_queue(&self, work: &Work) {
        let queued: BTreeSet<String> = lock(&work.sent)
            .iter()
            .flatten()
            .filter(|(_, view)| view.queue_position.is_some())
            .map(|(key, _)| key.clone())
            .collect();
        for state in work.states() {
            if queued.contains(&state.name().to_string()) {
                self.tell_loop(work, &state);
            }
        }
    }

    /// Reads what another process's engine has written since the last look.
    pub(super) async fn read_journal(&self, work: &Arc<Work>, seen: &mut Option<u64>) {
        let Engine::Other { states, .. } = &work.engine else {
            return;
        };
        match changed_since(work, seen).await {
            Ok(None) => {}
            Ok(Some(found)) => {
                let fresh: Vec<Arc<LoopState>> = {
                    let mut known = lock(states);
                    let fresh = found
                        .values()
                        .filter(|state| known.get(&state.id) != Some(*state))
                        .cloned()
                        .collect();
                    *known = found;
                    fresh
                };
                for state in fresh {
                    self.tell_loop(work, &state);
                }
                self.session_changed();
            }
            Err(problem) => tracing::warn!(code = problem.code, "the journal could not be read"),
        }
    }

    /// Sends every loop anew: the language has changed.
    pub(super) fn retell(&self) {
        if let Ok(work) = self.work() {
            *lock(&work.sent) = None;
        }
        self.stale(Topic::everything());
    }
}

type States = BTreeMap<LoopId, Arc<LoopState>>;

async fn changed_since(work: &Work, seen: &mut Option<u64>) -> Result<Option<States>, Problem> {
    let last = work.store.last_entry().await?;
    if seen.replace(last) == Some(last) {
        return Ok(None);
    }
    let loops = work.store.loops().await?;
    Ok(Some(
        loops
            .into_iter()
            .map(|state| (state.id.clone(), Arc::new(state)))
            .collect(),
    ))
}

//! Loops as the window shows them: sent whole at first, then only what changed.

use super::Backend;
use super::locking::lock;
use super::session::Session;
use crate::engine_client::EngineChange;
use crate::render::loop_view::loop_view;
use collie_core::loop_state::LoopState;
use collie_wire::LoopView;
use collie_wire::rpc::{Topic, Update, changed_fields};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A loop as it is shown.
pub(super) fn view_of(backend: &Backend, session: &Session, state: &LoopState) -> LoopView {
    backend.loop_view(session, state)
}

impl Backend {
    /// Every loop; what is sent from now on is told against this. Whoever else listens is told what is new in it.
    pub(super) fn loops(&self, session: &Session) -> Vec<LoopView> {
        // Held throughout: what is told meanwhile must not be older than the answer.
        let mut sent_slot = lock(&session.sent_views);
        let views: Vec<LoopView> = session
            .engine
            .loops()
            .iter()
            .map(|state| self.loop_view(session, state))
            .collect();
        match sent_slot.as_mut() {
            Some(sent) => views
                .iter()
                .for_each(|view| self.send_changed_fields(sent, view)),
            None => {
                let by_key = views.iter().map(|view| (view.key.clone(), view.clone()));
                *sent_slot = Some(by_key.collect());
            }
        }
        views
    }

    fn loop_view(&self, session: &Session, state: &LoopState) -> LoopView {
        let view = loop_view(
            state,
            session.engine.queue_place(&state.id).as_ref(),
            &self.localizer(),
            &session.redactor(),
        );
        LoopView {
            workers: session.engine.workers(&state.id),
            ..view
        }
    }

    /// Tells what changes in the engine, wherever it runs; never returns.
    pub(super) async fn forward_loop_changes(&self, session: &Arc<Session>) {
        let mut changes = session.engine.subscribe();
        self.resume_demo_actors(session);
        loop {
            match changes.next().await {
                EngineChange::Loop(state) => self.send_loop(session, &state),
                // Whatever is to be said of it is part of the session.
                EngineChange::Standing => {}
                EngineChange::Missed => {
                    for state in session.engine.loops() {
                        self.send_loop(session, &state);
                    }
                }
                EngineChange::Unreadable(error) => {
                    tracing::warn!(%error, "the journal could not be read");
                }
                // Who watches for the end closes the session, and with it this task.
                EngineChange::Ended(_) => return std::future::pending().await,
            }
            self.send_queue_positions(session);
            self.send_session_if_changed();
        }
    }

    /// Tells in which fields a loop differs from what was sent, if in any.
    fn send_loop(&self, session: &Session, state: &LoopState) {
        let mut sent = lock(&session.sent_views);
        let view = self.loop_view(session, state);
        self.send_changed_fields(sent.get_or_insert_default(), &view);
    }

    fn send_changed_fields(&self, sent: &mut BTreeMap<String, LoopView>, view: &LoopView) {
        let changed = changed_fields(sent.get(&view.key), view);
        if changed.is_empty() {
            return;
        }
        let key = view.key.clone();
        let has_spent = changed.contains_key("usage");
        let is_new = sent.insert(key.clone(), view.clone()).is_none();
        self.send_update(Update::Loop {
            key: key.clone(),
            changed,
        });
        let mut topics = Topic::of_loop(&key);
        if is_new || view.state.is_terminal() {
            topics.push(Topic::Repositories);
        }
        if has_spent {
            topics.push(Topic::Spending);
        }
        self.send_stale(topics);
    }

    /// Places in the queue move without the loops in it.
    fn send_queue_positions(&self, session: &Session) {
        let places = session.engine.queue_places();
        let has_moved = |view: &LoopView, state: &LoopState| {
            view.queue_position.is_some() && !view.shows_place(places.get(&state.id))
        };
        let mut loops = session.engine.loops();
        {
            let sent = lock(&session.sent_views);
            loops.retain(|state| {
                let key = state.pull_name().to_string();
                let view = sent.as_ref().and_then(|sent| sent.get(&key));
                view.is_some_and(|view| has_moved(view, state))
            });
        }
        for state in loops {
            self.send_loop(session, &state);
        }
    }

    /// Sends every loop anew: the language has changed.
    pub(super) fn resend_everything(&self) {
        if let Ok(session) = self.session() {
            *lock(&session.sent_views) = None;
        }
        self.send_stale(Topic::all());
    }
}

//! What the engine's tasks have in common.

use crate::effect_host::{EffectHost, SendPermit};
use crate::engine_config::EngineConfig;
use crate::engine_ports::EffectPorts;
use crate::ports::{Journal, OutboxEntry, RenderedPost};
use crate::reported::ReportedChanges;
use crate::slots::Slots;
use crate::spending::SpendingLedger;
use async_trait::async_trait;
use collie_core::blocker::Blocker;
use collie_core::effect::Effect;
use collie_core::event::Event;
use collie_core::ids::{EffectId, LoopId, RepositoryId, Time};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::trust::RepositoryTrust;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What reaches the dispatcher.
#[derive(Debug)]
pub(crate) enum IncomingEvent {
    /// Not stored yet.
    New(LoopId, Event),
    /// Stored before a crash, and not applied.
    Stored(u64, LoopId, Event),
}

/// An effect that runs.
pub(crate) struct RunningEffect {
    pub cancel: CancellationToken,
}

/// Guarded state of the engine. Locks are held for a few lines, never across an await.
#[derive(Default)]
pub(crate) struct EngineTables {
    /// Every loop.
    pub loops: BTreeMap<LoopId, Arc<LoopState>>,
    /// Loops that are being read right now.
    pub reading: BTreeSet<LoopId>,
    /// Loops to be read before they are due.
    pub poll_requested: BTreeSet<LoopId>,
    /// Loops that GitHub has said something of since their last reading began.
    pub reported: ReportedChanges,
    /// Effects that run or wait for their turn.
    pub running: BTreeMap<EffectId, RunningEffect>,
    /// What waits to be said, by loop, in order.
    pub post_queues: BTreeMap<LoopId, Vec<OutboxEntry>>,
    /// Who works and who queues.
    pub slots: Slots,
    /// Work that makes commits, from when it begins until it has ended and its loop shows what came of it.
    pub committing: BTreeMap<EffectId, LoopId>,
    /// The pause of everything, as the journal has it.
    pub pause: Option<Pause>,
}

/// The engine, as its tasks see it.
pub(crate) struct EngineShared {
    /// When it was started.
    pub started: Time,
    pub ports: EffectPorts,
    pub journal: Arc<dyn Journal>,
    pub config: EngineConfig,
    pub tables: Mutex<EngineTables>,
    pub spending: Arc<SpendingLedger>,
    pub incoming: mpsc::UnboundedSender<IncomingEvent>,
    pub changed: broadcast::Sender<Arc<LoopState>>,
    /// Wakes the poller.
    pub wake_poller: Notify,
    /// Wakes the slots' keeper.
    pub wake_slots: Notify,
    /// What the user has decided for each repository; held while a decision is written, and while a loop is made.
    pub trust: tokio::sync::Mutex<BTreeMap<RepositoryId, RepositoryTrust>>,
    /// Held from before the journal has what events led to until loops show it.
    pub applying: tokio::sync::Mutex<()>,
    /// Ends every task.
    pub stop: CancellationToken,
    /// Why the engine ended by itself.
    pub fatal: Mutex<Option<crate::ports::StoreError>>,
    pub tasks: TaskTracker,
}

impl EngineShared {
    pub fn tables(&self) -> MutexGuard<'_, EngineTables> {
        // A panic in another task must not stop the others: each use leaves the tables whole.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns what commands beside the engine have spent and set aside. Where that cannot be read, what was known last holds.
    pub async fn read_command_spending(&self) {
        let now = self.ports.clock.now();
        match self.journal.command_spending(now).await {
            Ok(commands) => self.spending.set_commands(commands),
            Err(error) => tracing::warn!(%error, "what commands spend could not be read"),
        }
    }

    /// Ends once the limits have changed of a loop that waits for its budget: at once where they did since it was refused.
    pub async fn budget_changed(&self, id: &LoopId) {
        let refused = || {
            let state = self.state(id)?;
            match &state.run.outage {
                Some(Blocker::Budget { exceeded }) => Some((exceeded.clone(), state)),
                _ => None,
            }
        };
        let is_outdated =
            |(exceeded, state): (_, Arc<_>)| self.spending.is_outdated(&exceeded, &state);
        let mut changed = self.spending.changed.notified();
        if refused().is_some_and(is_outdated) {
            return;
        }
        loop {
            changed.await;
            if refused().is_some() {
                return;
            }
            changed = self.spending.changed.notified();
        }
    }

    /// Ends the engine because the journal cannot go on.
    pub fn stop_with_error(&self, error: crate::ports::StoreError) {
        tracing::error!(%error, "the journal cannot be written");
        self.fatal
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
        self.stop.cancel();
    }
}

#[async_trait]
impl EffectHost for EngineShared {
    fn ports(&self) -> &EffectPorts {
        &self.ports
    }

    fn config(&self) -> &EngineConfig {
        &self.config
    }

    fn state(&self, id: &LoopId) -> Option<Arc<LoopState>> {
        self.tables().loops.get(id).cloned()
    }

    /// A pause holds from when the journal has it: loops hear of it a moment later.
    fn may_do(&self, id: &LoopId, effect: &Effect) -> bool {
        let tables = self.tables();
        let is_paused = tables.pause.is_some() && effect.waits_for_pause();
        let allows = |state: &Arc<LoopState>| state.may_do(effect);
        !is_paused && tables.loops.get(id).is_none_or(allows)
    }

    fn changes(&self) -> broadcast::Receiver<Arc<LoopState>> {
        self.changed.subscribe()
    }

    /// After the engine was told to stop it goes nowhere: the effect is still in the outbox.
    fn submit_event(&self, id: &LoopId, event: Event) {
        if !self.stop.is_cancelled() {
            let _ = self.incoming.send(IncomingEvent::New(id.clone(), event));
        }
    }

    async fn mark_sending(&self, effect: &EffectId, rendered: &RenderedPost) -> Option<SendPermit> {
        match self.journal.mark_sending(effect, rendered).await {
            // The data folder is this process's alone.
            Ok(()) => Some(SendPermit::default()),
            Err(error) => {
                self.stop_with_error(error);
                None
            }
        }
    }

    fn is_working(&self, id: &LoopId) -> bool {
        self.tables().slots.is_working(id)
    }
}

/// An outbox entry for an effect of a state.
pub(crate) fn outbox_entry(state: &LoopState, id: &EffectId, effect: &Effect) -> OutboxEntry {
    OutboxEntry {
        loop_id: state.id.clone(),
        id: id.clone(),
        effect: effect.clone(),
        sending: None,
        in_doubt: false,
    }
}

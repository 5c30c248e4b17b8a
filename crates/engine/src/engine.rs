//! Starting and stopping.

use crate::audit;
use crate::autonomy;
use crate::dispatch;
use crate::engine_config::EngineConfig;
use crate::engine_ports::Ports;
use crate::handle::{self, EngineHandle};
use crate::outbox;
use crate::pause;
use crate::poll;
use crate::ports::StoreError;
use crate::session_deadline::within;
use crate::shared::{EngineShared, EngineTables, IncomingEvent};
use crate::spending::SpendingLedger;
use crate::trust;
use collie_core::effect::Effect;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The engine could not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The journal could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A running engine. Dropping it stops its tasks without waiting for them; [`Engine::shutdown`] waits.
pub struct Engine {
    shared: Arc<EngineShared>,
}

impl Engine {
    /// Reads the journal, goes on where it was, and starts the tasks.
    pub async fn start(ports: Ports, config: EngineConfig) -> Result<Self, EngineError> {
        let loops = ports.journal.loops().await?;
        let trust: BTreeMap<_, _> = ports.journal.trust().await?.into_iter().collect();
        trust::tell_loops(&ports, &loops, &trust).await?;
        autonomy::tell_loops(&ports, &loops).await?;
        let paused = ports.journal.pause().await?;
        pause::tell_loops(&ports, &loops, paused.as_ref()).await?;
        let unapplied = ports.journal.unapplied().await?;
        let waiting = ports.journal.outbox().await?;
        let spending = Arc::new(SpendingLedger::new(
            ports.effects.clock.clone(),
            ports.effects.policy_source.clone(),
            config.time_zone.clone(),
            ports.journal.loop_spending().await?,
        ));
        let now = ports.effects.clock.now();
        spending.set_commands(ports.journal.command_spending(now).await?);
        audit_run_starts(&ports, &loops).await?;
        let (incoming, received) = mpsc::unbounded_channel();
        let mut tables = EngineTables::default();
        tables.slots.set_total(config.slots);
        tables.pause = paused;
        tables.loops = loops
            .into_iter()
            .map(|state| (state.id.clone(), Arc::new(state)))
            .collect();
        let shared = Arc::new(EngineShared {
            started: now,
            ports: ports.effects,
            journal: ports.journal,
            config,
            tables: Mutex::new(tables),
            spending,
            incoming,
            changed: broadcast::channel(4096).0,
            wake_poller: Notify::new(),
            wake_slots: Notify::new(),
            trust: tokio::sync::Mutex::new(trust),
            applying: tokio::sync::Mutex::default(),
            stop: CancellationToken::new(),
            fatal: Mutex::new(None),
            tasks: TaskTracker::new(),
        });
        dispatch::forget_recordings(&shared).await?;
        for (seq, id, event) in unapplied {
            let _ = shared.incoming.send(IncomingEvent::Stored(seq, id, event));
        }
        for mut entry in waiting {
            // The process before may have asked GitHub for it.
            entry.in_doubt |= matches!(entry.effect, Effect::RerunChecks(_));
            outbox::schedule(&shared, entry);
        }
        shared.tasks.spawn(dispatch::run(shared.clone(), received));
        shared.tasks.spawn(poll::run(shared.clone()));
        shared.tasks.spawn(outbox::fill_slots(shared.clone()));
        shared.tasks.spawn(handle::poll_requests(shared.clone()));
        Ok(Self { shared })
    }

    /// For starting, cancelling and watching loops.
    pub fn handle(&self) -> EngineHandle {
        EngineHandle::new(self.shared.clone())
    }

    /// Returns when the engine has ended by itself, with the reason: the journal could not be written.
    pub async fn failed(&self) -> StoreError {
        self.failure().await
    }

    /// The same, for a task that does not hold the engine.
    pub fn failure(&self) -> impl Future<Output = StoreError> + Send + 'static {
        let shared = self.shared.clone();
        async move {
            shared.stop.cancelled().await;
            let fatal = shared
                .fatal
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            match fatal {
                Some(error) => error,
                None => std::future::pending().await,
            }
        }
    }

    /// Pauses: children are stopped, everything can be resumed by the next start.
    pub async fn shutdown(self) {
        self.shared.stop.cancel();
        for running in self.shared.tables().running.values() {
            running.cancel.cancel();
        }
        self.shared.tasks.close();
        let (clock, grace) = (&self.shared.ports.clock, self.shared.config.grace_ms);
        let ended = within(clock.as_ref(), grace, self.shared.tasks.wait());
        if ended.await.is_none() {
            tracing::warn!("some tasks did not end in time");
        }
    }
}

/// Audits again the start of each run that nothing was read for yet: the process may have died before it did so.
async fn audit_run_starts(ports: &Ports, loops: &[LoopState]) -> Result<(), StoreError> {
    let unread =
        |state: &&LoopState| state.run.head.sha.is_none() && state.run.state == State::PrCreated;
    for state in loops.iter().filter(unread) {
        let entry = audit::run_started_entry(state, state.run.started_at);
        ports.journal.audit(&entry).await?;
    }
    Ok(())
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.stop.cancel();
        for running in self.shared.tables().running.values() {
            running.cancel.cancel();
        }
    }
}

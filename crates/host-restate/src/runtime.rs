//! What all handlers of one worker share.

use crate::ingress::Ingress;
use collie_engine::ports::{CommitTransfer, Journal};
use collie_engine::{EffectPorts, EngineConfig};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What all handlers of one worker share.
pub(crate) struct Runtime {
    /// Tells it from every other worker, and from itself before a restart.
    pub name: String,
    /// What people call it; several may have one name.
    pub shown_name: String,
    pub ports: EffectPorts,
    /// Of the worker's own clones.
    pub commits: Arc<dyn CommitTransfer>,
    /// Of the worker's own data folder: its audit log is written here, and nothing else.
    pub journal: Arc<dyn Journal>,
    pub config: EngineConfig,
    pub ingress: Ingress,
    /// Loops that work at once on all workers; without limit where it is none.
    pub fleet_slots: Option<usize>,
    /// Sessions at once, here.
    pub slots: Arc<Semaphore>,
    /// Sessions that were taken.
    pub sessions: TaskTracker,
    /// Ends them.
    pub stop: CancellationToken,
}

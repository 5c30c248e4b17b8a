//! A worker: serves its handlers to the engine until it is told to stop.

use crate::branch_object::BranchObject;
use crate::change_object::ChangeObject;
use crate::command_service::CommandService;
use crate::commit_object::CommitObject;
use crate::effect_service::EffectService;
use crate::fleet_object::FleetObject;
use crate::ingress::{Ingress, IngressError};
use crate::live_loop::DOUBT_DELAY_MS;
use crate::loop_object::LoopObject;
use crate::post_object::PostObject;
use crate::read_queue_object::ReadQueueObject;
use crate::reading_service::ReadingService;
use crate::runtime::Runtime;
use crate::session_service::SessionService;
use crate::slot_object::SlotObject;
use crate::spending_object::SpendingObject;
use crate::start_service::StartService;
use collie_agents::llm::web_client;
use collie_engine::ports::CommitTransfer;
use collie_engine::{EngineConfig, Ports};
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::graceful::GracefulShutdown;
use restate_sdk::endpoint::{Endpoint, ServiceOptions};
use restate_sdk::hyper::HyperEndpoint;
use restate_sdk::service::{IntoServiceDefinition, ServiceDefinition};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long after a failure a call is tried again at first.
const RETRY_FIRST: Duration = Duration::from_millis(50);
/// The same at most.
const RETRY_MOST: Duration = Duration::from_secs(5);
/// As good as without end.
const RETRIES: u64 = 1_000_000;

/// What a worker is put together from.
pub struct WorkerParts {
    /// What it reaches the outside by. The journal is that of its own data folder, and gets the audit log alone.
    pub ports: Ports,
    /// What carries commits into and out of its clones.
    pub commits: Arc<dyn CommitTransfer>,
    /// How long things may take, and how many sessions at once.
    pub config: EngineConfig,
    /// What people call it, such as the name of its machine: whoever sees a loop sees which worker has it.
    pub name: String,
    /// Loops that work at once on all workers; without limit where it is none.
    pub fleet_slots: Option<usize>,
    /// The engine's ingress, such as `http://127.0.0.1:8080`.
    pub ingress: String,
    /// The public key that the engine signs its requests by; without one whoever reaches the worker is obeyed.
    pub identity_key: Option<String>,
}

/// A worker that cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The address of the ingress is none.
    #[error(transparent)]
    Ingress(#[from] IngressError),
    /// The key is none.
    #[error("the engine's public key cannot be used: {0}")]
    IdentityKey(String),
}

/// A worker.
pub struct Worker {
    runtime: Arc<Runtime>,
    identity_key: Option<String>,
}

impl Worker {
    /// Puts a worker together.
    ///
    /// # Errors
    /// A setting that cannot be used.
    pub fn new(parts: WorkerParts) -> Result<Self, WorkerError> {
        let config = EngineConfig {
            doubt_delay_ms: DOUBT_DELAY_MS.max(parts.config.doubt_delay_ms),
            ..parts.config
        };
        let runtime = Runtime {
            name: uuid::Uuid::new_v4().to_string(),
            shown_name: parts.name,
            ports: parts.ports.effects,
            journal: parts.ports.journal,
            commits: parts.commits,
            ingress: Ingress::new(&parts.ingress, web_client())?,
            fleet_slots: parts.fleet_slots,
            slots: Arc::new(Semaphore::new(config.slots.max(1))),
            config,
            sessions: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        let worker = Self {
            runtime: Arc::new(runtime),
            identity_key: parts.identity_key,
        };
        // Said now, not once the engine asks.
        worker.endpoint()?;
        Ok(worker)
    }

    /// Serves until `stop`; then sessions get a little time to end their children.
    ///
    /// # Errors
    /// The engine's key cannot be used.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()>,
    ) -> Result<(), WorkerError> {
        let endpoint = HyperEndpoint::new(self.endpoint()?);
        let connections = GracefulShutdown::new();
        tokio::pin!(stop);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => serve_connection(stream, &endpoint, &connections),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        let runtime = &self.runtime;
        runtime.stop.cancel();
        runtime.sessions.close();
        let grace = Duration::from_millis(runtime.config.grace_ms);
        let ended = async { tokio::join!(connections.shutdown(), runtime.sessions.wait()) };
        if tokio::time::timeout(grace, ended).await.is_err() {
            tracing::warn!("some work did not end in time: another worker goes on with it");
        }
        Ok(())
    }

    fn endpoint(&self) -> Result<Endpoint, WorkerError> {
        let runtime = || self.runtime.clone();
        let mut endpoint = Endpoint::builder();
        if let Some(key) = &self.identity_key {
            let signed = endpoint.identity_key(key);
            endpoint = signed.map_err(|error| WorkerError::IdentityKey(error.to_string()))?;
        }
        let endpoint = endpoint
            .bind(lasting(LoopObject(runtime())))
            .bind(lasting(EffectService(runtime())))
            .bind(lasting(BranchObject))
            .bind(lasting(CommandService(runtime())))
            .bind(lasting(CommitObject))
            .bind(lasting(FleetObject))
            .bind(lasting(ChangeObject))
            .bind(lasting(SlotObject))
            .bind(lasting(SpendingObject))
            .bind(lasting(PostObject(runtime())))
            .bind(lasting(ReadQueueObject(runtime())))
            .bind(lasting(ReadingService(runtime())))
            .bind(lasting(SessionService(runtime())))
            .bind(lasting(StartService(runtime())))
            .build();
        Ok(endpoint)
    }
}

/// What holds for all handlers: a call is tried until it is done, and forgotten then. The engine would pause one after about an hour, and keep
/// 25 KB of each for a day.
fn lasting(handlers: impl IntoServiceDefinition) -> ServiceDefinition {
    let options = ServiceOptions::new()
        .journal_retention(Duration::ZERO)
        .retry_policy_initial_interval(RETRY_FIRST)
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(RETRY_MOST)
        .retry_policy_max_attempts(RETRIES);
    handlers.into_service_definition().options(options)
}

/// Without Nagle's algorithm, which the SDK's own server leaves on: small frames would wait for an acknowledgement each.
fn serve_connection(stream: TcpStream, endpoint: &HyperEndpoint, connections: &GracefulShutdown) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection stays slow");
    }
    let serving = http2::Builder::new(TokioExecutor::new())
        .serve_connection(TokioIo::new(stream), endpoint.clone());
    let serving = connections.watch(serving);
    tokio::spawn(async move {
        if let Err(error) = serving.await {
            tracing::debug!(%error, "a connection broke off");
        }
    });
}

//! What the handlers have in common.

use crate::access::AccessCache;
use crate::device::DeviceSignIns;
use crate::event_ring::EventRing;
use crate::in_flight::InFlight;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::options::ServerOptions;
use crate::people::{People, Person, SignedIn};
use crate::webhooks::intake::Intake;
use collie_app::backend::{Backend, update_batches};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// So many updates are kept for who was cut off.
const RING_CAPACITY: usize = 4096;

/// A server, as its handlers see it.
pub(crate) struct ServerState {
    pub(crate) options: ServerOptions,
    pub(crate) backend: Backend,
    pub(crate) people: Arc<People>,
    pub(crate) access: AccessCache,
    pub(crate) ring: EventRing,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) webhooks: Intake,
    pub(crate) devices: DeviceSignIns,
    /// Events of the API that are being carried out.
    pub(crate) in_flight: InFlight,
    /// Nothing new is taken any more.
    pub(crate) stopping: CancellationToken,
}

impl ServerState {
    pub(crate) fn new(options: ServerOptions, backend: Backend) -> Arc<Self> {
        let ttl = options.access_ttl;
        let people = Arc::new(People::new(&options, backend.clone()));
        let state = Arc::new(Self {
            access: AccessCache::new(ttl, people.clone(), backend.clone()),
            ring: EventRing::new(rand::random(), RING_CAPACITY),
            limits: Limits::default(),
            metrics: Metrics::default(),
            webhooks: Intake::new(backend.clone()),
            devices: DeviceSignIns::default(),
            in_flight: InFlight::default(),
            stopping: CancellationToken::new(),
            people,
            options,
            backend,
        });
        tokio::spawn(fill_ring(state.clone()));
        state
    }

    /// Whether the server's configuration lets an account start loops, and so run things on its machine.
    pub(crate) fn is_operator(&self, person: &Person) -> bool {
        self.backend.is_allowed(&person.login, person.id)
    }

    /// The backend, for what a person asks.
    pub(crate) fn acting_as(&self, signed_in: &SignedIn) -> Backend {
        self.backend.acting_as(signed_in.person.login.clone())
    }
}

/// Keeps what happens, until the server stops.
async fn fill_ring(state: Arc<ServerState>) {
    let mut updates = state.backend.subscribe();
    loop {
        let batch = tokio::select! {
            () = state.stopping.cancelled() => return,
            batch = update_batches::next_batch(&mut updates) => batch,
        };
        let Some(batch) = batch else { return };
        state.ring.push(batch);
        tokio::select! {
            () = state.stopping.cancelled() => return,
            () = tokio::time::sleep(update_batches::BATCH_INTERVAL) => {}
        }
    }
}

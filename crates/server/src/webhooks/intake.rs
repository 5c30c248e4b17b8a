//! What deliveries have in common: room for their bodies, and the memory of those that were taken.

use crate::problem::ApiError;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use tokio::sync::{Semaphore, mpsc, oneshot};

/// So many permits there are: that much of bodies is held at once, however many arrive.
const PERMITS: usize = 64;
/// Deliveries that wait to be remembered; who comes later waits.
const QUEUE: usize = 256;

/// What is made of deliveries.
pub(crate) struct Intake {
    pub(super) bodies: Semaphore,
    remember: mpsc::Sender<Taken>,
}

/// A delivery that was acted on.
struct Taken {
    id: String,
    remembered: oneshot::Sender<Result<(), UserError>>,
}

impl Intake {
    /// Begins to remember deliveries of a server, until that has gone.
    pub(crate) fn new(backend: collie_app::backend::Backend) -> Self {
        let (remember, mut taken) = mpsc::channel::<Taken>(QUEUE);
        tokio::spawn(async move {
            let mut batch = Vec::with_capacity(QUEUE);
            // Those that wait are written together: the disk is waited for once.
            while taken.recv_many(&mut batch, QUEUE).await > 0 {
                let ids: Vec<String> = batch.iter().map(|taken| taken.id.clone()).collect();
                let written = backend.remember_seen(&ids).await;
                for taken in batch.drain(..) {
                    let _ = taken.remembered.send(written.clone());
                }
            }
        });
        Self {
            bodies: Semaphore::new(PERMITS),
            remember,
        }
    }

    /// Remembers a delivery as taken; durable on return.
    pub(super) async fn remember(&self, id: String) -> Result<(), ApiError> {
        let (remembered, answer) = oneshot::channel();
        let ending = || ApiError::from(ErrorCode::ServerStopping);
        let sent = self.remember.send(Taken { id, remembered }).await;
        sent.map_err(|_| ending())?;
        Ok(answer.await.map_err(|_| ending())??)
    }
}

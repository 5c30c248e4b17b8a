//! What deliveries have in common: room for their bodies, and the memory of those that were taken.

use super::BODY_LIMIT;
use crate::body;
use crate::problem::ApiError;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc, oneshot};

/// What nearly every delivery is smaller than: these have room of their own, so that large ones that arrive slowly hold none of them up.
const SMALL: usize = 1024 * 1024;
/// Small bodies at once.
const SMALL_BODIES: usize = 64;
/// Large bodies at once.
const LARGE_BODIES: usize = 2;
/// How long a body may take to arrive. GitHub itself gives a delivery up after 10 s, with the answer in it.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Deliveries that wait to be remembered; who comes later waits.
const QUEUE: usize = 256;

/// What is made of deliveries.
pub(crate) struct Intake {
    small: Semaphore,
    large: Semaphore,
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
            small: Semaphore::new(SMALL_BODIES),
            large: Semaphore::new(LARGE_BODIES),
            remember,
        }
    }

    /// Reads the body of a delivery once there is room for it. The room is held until the body has been made use of.
    pub(super) async fn body(
        &self,
        request: Request,
    ) -> Result<(Bytes, Option<SemaphorePermit<'_>>), ApiError> {
        let announced = announced(request.headers());
        // What does not say how large it is may be of any size.
        let room = match announced.is_some_and(|bytes| bytes <= SMALL) {
            true => &self.small,
            false => &self.large,
        };
        let permit = room.acquire().await.ok();
        let body = body::read(request, &(), BODY_LIMIT, "25 MB");
        let body = tokio::time::timeout(BODY_TIMEOUT, body).await;
        let body = body.map_err(|_| {
            let late = UserError::new(ErrorCode::RequestTimedOut);
            ApiError(late.hint(ErrorHint::TryAgain))
        })??;
        Ok((body, permit))
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

/// How large a body says that it is.
fn announced(headers: &HeaderMap) -> Option<usize> {
    let length = headers.get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

//! Asks the engine that another process runs, through the inbox (§10.2).

use crate::engine_client::journal::{OpenError, running_engine};
use collie_config::DataFolder;
use collie_core::ids::Login;
use collie_engine::ports::{JournalReader, LoopRequest, RequestStatus, StoreError};
use std::time::Duration;

/// How long the running engine may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// How often the answer is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// No engine runs: the next one takes it.
    Queued,
    /// Carried out.
    Done,
    /// Refused, with the engine's words.
    Refused(String),
    /// The running engine has not answered in 10 s; the request stays queued.
    TimedOut,
}

/// Why nothing could be asked.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The request could not be written, or its answer not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be told whether an engine runs.
    #[error(transparent)]
    Folder(#[from] OpenError),
}

/// Leaves a request in an open store, and waits for the running engine's answer, if there is one.
pub async fn submit(
    store: &dyn JournalReader,
    folder: &DataFolder,
    request: &LoopRequest,
    by: &Login,
) -> Result<RequestOutcome, SubmitError> {
    let id = store.add_request(request, by, crate::clock::now()).await?;
    if running_engine(folder)?.is_none() {
        return Ok(RequestOutcome::Queued);
    }
    let deadline = tokio::time::Instant::now() + ANSWER_TIMEOUT;
    while tokio::time::Instant::now() < deadline {
        match store.request_status(id).await? {
            Some(RequestStatus::Done) => return Ok(RequestOutcome::Done),
            Some(RequestStatus::Refused(reason)) => return Ok(RequestOutcome::Refused(reason)),
            Some(RequestStatus::Pending) | None => tokio::time::sleep(POLL_INTERVAL).await,
        }
    }
    Ok(RequestOutcome::TimedOut)
}

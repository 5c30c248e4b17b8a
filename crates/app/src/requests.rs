//! Asks the engine that another process runs, through the inbox (§10.2).

use collie_core::ids::Login;
use collie_engine::ports::{Journal as _, Request, StoreError};
use collie_store::{Answer, DataFolder, OpenError, Store, running_engine};
use std::time::Duration;

/// How long the running engine may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the answer is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// No engine runs: the next one takes it.
    Queued,
    /// Carried out.
    Done,
    /// Refused, with the engine's words.
    Refused(String),
    /// The running engine has not answered in 10 s; the request stays queued.
    Unanswered,
}

/// Why nothing could be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The request could not be written, or its answer not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be told whether an engine runs.
    #[error(transparent)]
    Folder(#[from] OpenError),
}

/// Leaves a request in an open store, and waits for the running engine's answer, if there is one.
pub async fn ask(
    store: &Store,
    folder: &DataFolder,
    request: &Request,
    by: &Login,
) -> Result<Fate, AskError> {
    let id = store.ask(request, by, crate::clock::now()).await?;
    if running_engine(folder)?.is_none() {
        return Ok(Fate::Queued);
    }
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while tokio::time::Instant::now() < deadline {
        match store.answer_to(id).await? {
            Some(Answer::Done) => return Ok(Fate::Done),
            Some(Answer::Refused(reason)) => return Ok(Fate::Refused(reason)),
            Some(Answer::Waiting) | None => tokio::time::sleep(LOOK).await,
        }
    }
    Ok(Fate::Unanswered)
}

//! Requests of a person to an engine: made at once here, left in the journal's inbox for another process (§10.2).

use super::journal::{OpenError, running_engine};
use collie_config::DataFolder;
use collie_core::error_code::ErrorCode;
use collie_core::ids::Login;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    ElsewhereError, GitHubError, JournalReader, LoopRequest, RequestStatus, StoreError,
};
use collie_engine::{CommandError, EngineHandle};
use std::time::Duration;

/// How long the running engine may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// How often the answer is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// No engine runs: the next one takes it.
    Queued,
    /// Carried out.
    Done,
    /// The running engine has not answered in 10 s; the request stays queued.
    TimedOut,
}

/// Why nothing came of a request.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The engine of this process refuses it.
    #[error(transparent)]
    Refused(#[from] CommandError),
    /// The engine of another process refuses it.
    #[error("the engine of another process refused: {0}")]
    RefusedElsewhere(UserError),
    /// The engine elsewhere refuses it, or could not be asked.
    #[error(transparent)]
    Elsewhere(ElsewhereError),
    /// The engine of this process has been shut down.
    #[error("the engine has been shut down")]
    ShutDown,
    /// GitHub did not tell about the pull request.
    #[error(transparent)]
    GitHub(#[from] GitHubError),
    /// The request could not be written, or its answer not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be told whether an engine runs.
    #[error(transparent)]
    Folder(#[from] OpenError),
}

impl From<SubmitError> for UserError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(error) => error.into(),
            SubmitError::RefusedElsewhere(reason) => {
                UserError::new(ErrorCode::EngineRefused).with_arg("cause", reason)
            }
            SubmitError::Elsewhere(error) => error.into(),
            SubmitError::ShutDown => UserError::new(ErrorCode::Starting),
            SubmitError::GitHub(error) => error.into(),
            SubmitError::Store(error) => error.into(),
            SubmitError::Folder(error) => error.into(),
        }
    }
}

/// Has the engine of this process carry a request out.
pub(super) async fn submit_here(
    engine: &EngineHandle,
    request: &LoopRequest,
    by: &Login,
) -> Result<RequestOutcome, SubmitError> {
    let engine = &engine.acting_as(by.clone());
    match request {
        LoopRequest::Start { pull, autonomy } => {
            let started = engine.start_at(pull, *autonomy).await;
            started.map_err(CommandError::from)?;
        }
        LoopRequest::SetAutonomy { pull, level } => engine.set_autonomy(pull, *level).await?,
        LoopRequest::SetRepositoryAutonomy { repo, level } => {
            engine.set_repository_autonomy(repo, *level).await?;
        }
        LoopRequest::Approve { pull, commit } => engine.approve_push(pull, commit).await?,
        LoopRequest::Reject { pull, commit, note } => {
            engine.reject_push(pull, commit, note).await?;
        }
        LoopRequest::Cancel { pull } => engine.cancel(pull, by)?,
        LoopRequest::Retry { pull } => engine.retry(pull).await?,
        LoopRequest::Resume { pull, rounds } => engine.resume(pull, *rounds).await?,
        LoopRequest::Dismiss {
            pull,
            fingerprint,
            reason,
        } => engine.dismiss(pull, fingerprint, reason).await?,
        LoopRequest::Note {
            pull,
            fingerprint,
            text,
        } => engine.note(pull, fingerprint.as_ref(), text).await?,
        LoopRequest::SetPaused { paused } => engine.set_paused(*paused, by).await?,
        LoopRequest::Seen { pull, head } => engine.seen(pull, head).await?,
        LoopRequest::Decide { repo, id, decision } => engine.decide(repo, id, decision).await?,
    }
    Ok(RequestOutcome::Done)
}

/// Leaves a request in the inbox, and waits for the running engine's answer, if there is one.
pub(super) async fn submit_to_inbox(
    journal: &dyn JournalReader,
    folder: &DataFolder,
    request: &LoopRequest,
    by: &Login,
) -> Result<RequestOutcome, SubmitError> {
    let id = journal
        .add_request(request, by, crate::clock::now())
        .await?;
    if running_engine(folder)?.is_none() {
        return Ok(RequestOutcome::Queued);
    }
    let deadline = tokio::time::Instant::now() + ANSWER_TIMEOUT;
    while tokio::time::Instant::now() < deadline {
        match journal.request_status(id).await? {
            Some(RequestStatus::Done) => return Ok(RequestOutcome::Done),
            Some(RequestStatus::Refused(reason)) => {
                return Err(SubmitError::RefusedElsewhere(reason));
            }
            Some(RequestStatus::Pending) | None => tokio::time::sleep(POLL_INTERVAL).await,
        }
    }
    Ok(RequestOutcome::TimedOut)
}

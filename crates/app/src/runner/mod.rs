//! A runner: takes sessions from a server on another machine, does each in a clone of its own, and hands in what came of it (§18.1).
//!
//! It has no token of GitHub. What it knows of a pull request its server has told it; what it runs, it runs in the sandbox of this machine,
//! on the models and agents that are set up here.

mod folder;
mod session;
mod shipped_pull;

use crate::runner::folder::RunnerFolder;
use collie_config::LiveConfig;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_reviewers::KeySources;
use collie_runners::{ClaimedSession, ClientError, RunnerClient};
use session::{SessionEnd, SessionSetup};
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The waits between tries to reach a server that is away.
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// What a runner is started with.
pub struct RunnerSetup {
    /// The server.
    pub client: RunnerClient,
    /// What it is called in the server's log, beside the name of its secret.
    pub name: String,
    /// Where it works.
    pub folder: PathBuf,
    /// The models and agents that are set up here.
    pub config: LiveConfig,
    /// The program that sandboxes begin with.
    pub sandbox_supervisor: PathBuf,
    /// Where the keys of language models are looked up.
    pub keys: KeySources,
    /// It ends after one session.
    pub once: bool,
}

/// What a runner tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunnerEvent {
    /// It has its folder, and asks for work.
    Waiting,
    /// The server does not answer.
    Away {
        /// What was said.
        message: String,
    },
    /// It has taken a session.
    Began {
        /// The pull request.
        pull: String,
        /// `review` or `fix`.
        work: &'static str,
    },
    /// It has handed a session in.
    HandedIn {
        /// The pull request.
        pull: String,
    },
    /// The session failed here, and the server was told so.
    Failed {
        /// The pull request.
        pull: String,
        /// Why.
        error: UserError,
    },
    /// Nobody wants the session from it any more.
    Over {
        /// The pull request.
        pull: String,
    },
    /// It has given the session back.
    GivenBack {
        /// The pull request.
        pull: String,
    },
}

/// Takes sessions until it is told to stop; one that it holds then it gives back.
///
/// # Errors
/// It may not work for the server, or not in its folder.
pub async fn run(
    setup: RunnerSetup,
    stop: &CancellationToken,
    tell: &(dyn Fn(RunnerEvent) + Send + Sync),
) -> Result<(), UserError> {
    let folder = RunnerFolder::take(&setup.folder)?;
    tell(RunnerEvent::Waiting);
    let mut backoff = FIRST_BACKOFF;
    loop {
        let claimed = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            claimed = setup.client.claim(&setup.name) => claimed,
        };
        match claimed {
            Ok(Some(claimed)) => {
                backoff = FIRST_BACKOFF;
                work(&setup, &folder, claimed, stop, tell).await;
                if setup.once {
                    return Ok(());
                }
            }
            Ok(None) => backoff = FIRST_BACKOFF,
            Err(ClientError::Refused(error)) => return Err(error),
            Err(ClientError::Unexpected { status, message }) => {
                let error = UserError::new(ErrorCode::RunnerServerAnswer)
                    .with("url", setup.client.server())
                    .with("status", status)
                    .with("message", message);
                return Err(error);
            }
            Err(error @ (ClientError::Away(_) | ClientError::Over)) => {
                let message = error.to_string();
                tell(RunnerEvent::Away { message });
                tokio::select! {
                    () = stop.cancelled() => return Ok(()),
                    () = tokio::time::sleep(backoff) => {}
                }
                backoff = (backoff * 2).min(MAX_BACKOFF);
            }
        }
    }
}

async fn work(
    setup: &RunnerSetup,
    folder: &RunnerFolder,
    claimed: ClaimedSession,
    stop: &CancellationToken,
    tell: &(dyn Fn(RunnerEvent) + Send + Sync),
) {
    let pull = claimed.work.pull().to_string();
    let work = session::kind_of(&claimed.work);
    tell(RunnerEvent::Began {
        pull: pull.clone(),
        work,
    });
    let held = setup.client.held(&claimed);
    let setup = SessionSetup {
        config: &setup.config,
        sandbox_supervisor: &setup.sandbox_supervisor,
        keys: &setup.keys,
    };
    let ended = session::run(&setup, folder, claimed, &held, stop).await;
    tell(match ended {
        SessionEnd::HandedIn => RunnerEvent::HandedIn { pull },
        SessionEnd::Failed(error) => RunnerEvent::Failed { pull, error },
        SessionEnd::Over => RunnerEvent::Over { pull },
        SessionEnd::GivenBack => RunnerEvent::GivenBack { pull },
    });
}

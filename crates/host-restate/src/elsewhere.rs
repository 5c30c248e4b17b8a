//! Loops on the engine, as a process reaches them that shows them and runs none: by the ingress alone.

use crate::ingress::{Ingress, IngressError};
use crate::loop_key::LoopKey;
use crate::messages::{AskAnswer, AskRequest, DecideRequest, PauseRequest, StartRequest};
use async_trait::async_trait;
use collie_agents::llm::web_client;
use collie_core::autonomy::Autonomy;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{Login, LoopId, RepositoryId};
use collie_core::trust::RepositoryTrust;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    ElsewhereError, LookReason, LoopChanges, LoopRequest, LoopsElsewhere, VersionedLoop,
};
use collie_engine::{HistoryEntry, LoopCommand};

/// Loops on the engine behind an ingress.
pub struct RestateLoops {
    pub(crate) address: String,
    pub(crate) ingress: Ingress,
}

/// What of the engine a request goes to.
enum Asked {
    Start(StartRequest),
    Loop(Box<AskRequest>),
    Decide(DecideRequest),
    Pause(PauseRequest),
}

impl RestateLoops {
    /// Those behind an ingress, such as `http://127.0.0.1:8080`. Nothing is asked yet.
    ///
    /// # Errors
    /// It is no address.
    pub fn new(ingress: &str) -> Result<Self, IngressError> {
        Ok(Self {
            address: ingress.to_owned(),
            ingress: Ingress::new(ingress, web_client())?,
        })
    }

    pub(crate) fn failed(&self, error: &IngressError) -> ElsewhereError {
        let (address, message) = (self.address.clone(), error.to_string());
        match error.is_unreadable() {
            true => ElsewhereError::Unreadable { address, message },
            false => ElsewhereError::Unreachable { address, message },
        }
    }

    fn answered(answer: AskAnswer) -> Result<Option<(LoopId, u64)>, ElsewhereError> {
        match answer.refused {
            Some(reason) => Err(ElsewhereError::Refused(reason)),
            None => Ok(answer.key.map(|key| (key.id().clone(), answer.version))),
        }
    }
}

/// What of the engine a request goes to. A loop that nobody has heard of is refused here.
fn asked(
    request: &LoopRequest,
    (host, id): (&str, Option<&LoopId>),
    by: &Login,
) -> Result<Asked, ElsewhereError> {
    let person = Some(by.clone());
    let command = match request.clone() {
        LoopRequest::Start { pull, autonomy } => {
            return Ok(Asked::Start(StartRequest {
                pull: pull.to_string(),
                autonomy,
                by: person,
            }));
        }
        LoopRequest::SetPaused { paused } => {
            return Ok(Asked::Pause(PauseRequest {
                host: host.to_owned(),
                paused,
                by: person,
            }));
        }
        LoopRequest::Decide { repo, id, decision } => {
            return Ok(Asked::Decide(DecideRequest {
                repo,
                id,
                decision,
                by: person,
            }));
        }
        LoopRequest::Cancel { .. } => LoopCommand::Cancel,
        LoopRequest::Retry { .. } => LoopCommand::Retry,
        LoopRequest::Resume { rounds, .. } => LoopCommand::Resume {
            extra_rounds: rounds,
        },
        LoopRequest::SetAutonomy { level, .. } => level_command(level, false),
        LoopRequest::SetRepositoryAutonomy { level, .. } => level_command(level, true),
        LoopRequest::Approve { commit, .. } => LoopCommand::Approve { commit },
        LoopRequest::Reject { commit, note, .. } => LoopCommand::Reject { commit, note },
        LoopRequest::Dismiss {
            fingerprint,
            reason,
            ..
        } => LoopCommand::Dismiss {
            fingerprint,
            reason,
        },
        LoopRequest::Note {
            fingerprint, text, ..
        } => LoopCommand::Note { fingerprint, text },
        LoopRequest::Seen { head, .. } => LoopCommand::Seen { head },
    };
    about_loop(request, id, by, command)
}

fn level_command(level: Autonomy, of_repository: bool) -> LoopCommand {
    LoopCommand::SetAutonomy {
        level,
        of_repository,
    }
}

fn about_loop(
    request: &LoopRequest,
    id: Option<&LoopId>,
    by: &Login,
    command: LoopCommand,
) -> Result<Asked, ElsewhereError> {
    let Some(id) = id else {
        let unknown = UserError::new(ErrorCode::NoLoop).with("pull", request.subject());
        return Err(ElsewhereError::Refused(unknown));
    };
    Ok(Asked::Loop(Box::new(AskRequest {
        key: id.clone().into(),
        by: Some(by.clone()),
        command,
    })))
}

#[async_trait]
impl LoopsElsewhere for RestateLoops {
    fn address(&self) -> &str {
        &self.address
    }

    async fn changes(&self, host: &str, since: Option<u64>) -> Result<LoopChanges, ElsewhereError> {
        let told = self.ingress.changes(host, since).await;
        let told = told.map_err(|error| self.failed(&error))?;
        let ids = |keys: Vec<LoopKey>| keys.iter().map(|key| key.id().clone()).collect();
        Ok(LoopChanges {
            engine: told.engine,
            position: told.position,
            changed: told.changed.map(ids),
            pause: told.pause,
        })
    }

    async fn loops(&self, host: &str) -> Result<Vec<LoopId>, ElsewhereError> {
        let keys = self.ingress.loop_keys(host).await;
        let keys = keys.map_err(|error| self.failed(&error))?;
        Ok(keys.iter().map(|key| key.id().clone()).collect())
    }

    async fn history(&self, id: &LoopId, after: u64) -> Result<Vec<HistoryEntry>, ElsewhereError> {
        let entries = self.ingress.history(&id.clone().into(), after).await;
        entries.map_err(|error| self.failed(&error))
    }

    async fn state(&self, id: &LoopId) -> Result<Option<VersionedLoop>, ElsewhereError> {
        let view = self.ingress.view(&id.clone().into()).await;
        let view = view.map_err(|error| self.failed(&error))?;
        Ok(view.map(|view| VersionedLoop {
            version: view.version,
            state: view.state,
        }))
    }

    async fn trust(&self, id: &RepositoryId) -> Result<RepositoryTrust, ElsewhereError> {
        let trust = self.ingress.trust(id).await;
        trust.map_err(|error| self.failed(&error))
    }

    async fn submit(
        &self,
        request: &LoopRequest,
        about: (&str, Option<&LoopId>),
        by: &Login,
    ) -> Result<Option<(LoopId, u64)>, ElsewhereError> {
        let ingress = &self.ingress;
        let answer = match asked(request, about, by)? {
            Asked::Start(start) => ingress.ask("CollieStarts", "ask", &start).await,
            Asked::Loop(command) => ingress.ask("CollieCommands", "ask", &command).await,
            Asked::Decide(decided) => ingress.ask("CollieCommands", "decide", &decided).await,
            Asked::Pause(pause) => {
                let paused = ingress.pause(&pause).await;
                return paused.map(|()| None).map_err(|error| self.failed(&error));
            }
        };
        Self::answered(answer.map_err(|error| self.failed(&error))?)
    }

    async fn look(&self, id: &LoopId, reason: LookReason) -> Result<(), ElsewhereError> {
        let looked = self.ingress.look(&id.clone().into(), reason).await;
        looked.map_err(|error| self.failed(&error))
    }
}

//! Loops on the engine, as a process reaches them that shows them and runs none: by the ingress alone.

use crate::ingress::{Ingress, IngressError};
use crate::loop_key::LoopKey;
use crate::loop_span;
use crate::messages::{
    AskAnswer, AskRequest, DecideRequest, FleetWork, PauseRequest, StartRequest,
};
use async_trait::async_trait;
use collie_agents::llm::web_client;
use collie_core::autonomy::Autonomy;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{Login, LoopId, RepositoryId};
use collie_core::loop_state::LoopState;
use collie_core::trust::RepositoryTrust;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    ElsewhereError, LookReason, LoopChanges, LoopRequest, LoopsElsewhere, VersionedLoop,
    WorkElsewhere,
};
use collie_engine::{HistoryEntry, LoopCommand, TELEMETRY};
use collie_telemetry::{LoopIdentity, join};
use tracing::{Instrument as _, Span};

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

    async fn ask(&self, asked: Asked) -> Result<AskAnswer, ElsewhereError> {
        let ingress = &self.ingress;
        let answer = match asked {
            Asked::Start(start) => ingress.ask("CollieStarts", "ask", &start).await,
            Asked::Loop(command) => ingress.ask("CollieCommands", "ask", &command).await,
            Asked::Decide(decided) => ingress.ask("CollieCommands", "decide", &decided).await,
            Asked::Pause(pause) => {
                let paused = ingress.pause(&pause).await;
                paused.map(|()| AskAnswer::default())
            }
        };
        answer.map_err(|error| self.failed(&error))
    }

    fn answered(answer: AskAnswer) -> Result<Option<(LoopId, u64)>, ElsewhereError> {
        match answer.refused {
            Some(reason) => Err(ElsewhereError::Refused(reason)),
            None => Ok(answer.key.map(|key| (key.id().clone(), answer.version))),
        }
    }
}

/// Says of a command's span which run it began, or that it was refused.
fn note_answer(span: &Span, request: &LoopRequest, answer: &AskAnswer) {
    if let (Some(key), Some(run), Some(pull)) = (&answer.key, &answer.run, request.pull()) {
        let identity = LoopIdentity {
            correlation_id: run.clone(),
            loop_id: key.id().clone(),
            pull: pull.clone(),
        };
        join(span, &identity);
    }
    if let Some(refused) = &answer.refused {
        failed_span(span, refused.code.as_str());
    }
}

fn work_elsewhere(work: FleetWork) -> WorkElsewhere {
    let ids = |keys: Vec<LoopKey>| keys.iter().map(|key| key.id().clone()).collect();
    let branches = work.branches.into_iter();
    let workers = work.workers.into_iter();
    WorkElsewhere {
        revision: work.revision,
        slots: work.slots,
        working: work.working,
        queue: ids(work.queue),
        branches: branches
            .map(|queue| (queue.holder.id().clone(), ids(queue.waiting)))
            .collect(),
        workers: workers
            .map(|(key, worker)| (key.id().clone(), worker))
            .collect(),
    }
}

fn failed_span(span: &Span, error: &'static str) {
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
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
        if let Some(since) = since {
            let behind = told.newest.saturating_sub(since);
            tracing::event!(
                target: TELEMETRY,
                tracing::Level::INFO,
                gauge.collie.feed.lag = behind,
            );
        }
        let ids = |keys: Vec<LoopKey>| keys.iter().map(|key| key.id().clone()).collect();
        Ok(LoopChanges {
            engine: told.engine,
            position: told.position,
            changed: told.changed.map(ids),
            pause: told.pause,
        })
    }

    async fn work(
        &self,
        host: &str,
        seen: Option<u64>,
    ) -> Result<Option<WorkElsewhere>, ElsewhereError> {
        let work = self.ingress.work(host, seen).await;
        let work = work.map_err(|error| self.failed(&error))?;
        Ok(work.map(work_elsewhere))
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
        (host, about): (&str, Option<&LoopState>),
        by: &Login,
    ) -> Result<Option<(LoopId, u64)>, ElsewhereError> {
        let span = loop_span::command(request.name());
        if let Some(about) = about {
            join(&span, &LoopIdentity::of(about));
        }
        // Not within the span: which run it began is known by the answer.
        let answer = self
            .ask(asked(request, (host, about.map(|it| &it.id)), by)?)
            .await;
        match &answer {
            Ok(answer) => note_answer(&span, request, answer),
            Err(_) => failed_span(&span, "unreachable"),
        }
        Self::answered(answer?)
    }

    async fn look(
        &self,
        id: &LoopId,
        reason: LookReason,
        shown: Option<&LoopState>,
    ) -> Result<(), ElsewhereError> {
        let span = loop_span::look(id, reason, shown);
        let key = id.clone().into();
        let looked = self.ingress.look(&key, reason).instrument(span).await;
        looked.map_err(|error| self.failed(&error))
    }
}

//! What people ask of loops: checked, allowed by the account that the worker acts as, and brought to the loops.

use crate::fleet_object::FleetObjectClient;
use crate::loop_key::LoopKey;
use crate::messages::{
    AskAnswer, AskRequest, CommandRequest, DecideRequest, FleetDecision, PauseRequest,
};
use crate::runtime::Runtime;
use crate::start_service::FORBIDDEN;
use collie_core::error_code::ErrorCode;
use collie_core::event::{Event, PauseChanged};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::user_error::UserError;
use collie_engine::{CommandError, LoopCommand, StartError, check_permission, trust_entry};
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a client is told that asks for what cannot be done as the loop stands.
const CONFLICT: u16 = 409;
/// The same for a loop that is not there.
const NOT_FOUND: u16 = 404;

/// Takes what people ask.
pub(crate) struct CommandService(pub Arc<Runtime>);

/// What became of a command.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decided {
    /// The event that tells the loop; none where it knows already.
    Granted(Option<Box<Event>>),
    Refused(Refusal),
}

/// A refusal, for programs and in English.
#[derive(Serialize, Deserialize)]
struct Refusal {
    status: u16,
    message: String,
    error: UserError,
}

impl Refusal {
    fn of(error: CommandError) -> Self {
        let status = match &error {
            CommandError::NoSuchLoop(_) => NOT_FOUND,
            CommandError::Start(_) => FORBIDDEN,
            _ => CONFLICT,
        };
        let message = error.to_string();
        Self {
            status,
            message,
            error: error.into(),
        }
    }

    fn into_error(self) -> TerminalError {
        TerminalError::new_with_code(self.status, self.message)
    }
}

#[restate_sdk::service(name = "CollieCommands", client_visibility = "pub(crate)")]
impl CommandService {
    /// Ends a run.
    #[handler]
    async fn cancel(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<CommandRequest>,
    ) -> HandlerResult<()> {
        self.command(ctx, asked, LoopCommand::Cancel).await
    }

    /// Begins a fresh run of a loop that has ended.
    #[handler]
    async fn retry(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<CommandRequest>,
    ) -> HandlerResult<()> {
        self.command(ctx, asked, LoopCommand::Retry).await
    }

    /// Goes on with what is known, after `needs_human`.
    #[handler]
    async fn resume(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<CommandRequest>,
    ) -> HandlerResult<()> {
        let extra_rounds = asked.extra_rounds;
        self.command(ctx, asked, LoopCommand::Resume { extra_rounds })
            .await
    }

    /// Whatever a loop can be asked, in a person's name. A refusal is an answer as well.
    #[handler]
    async fn ask(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<AskRequest>,
    ) -> HandlerResult<Json<AskAnswer>> {
        let (runtime, of) = (self.0.clone(), asked.clone());
        let decided = ctx.run(move || async move { Ok(Json(decide(&runtime, &of, true).await?)) });
        let mut answer = AskAnswer {
            key: Some(asked.key.clone()),
            version: 0,
            run: None,
            refused: None,
        };
        match decided.name("command").await?.into_inner() {
            Decided::Granted(None) => {}
            Decided::Granted(Some(event)) => {
                let apply = ctx.request::<_, Json<u64>>(asked.key.handler("apply"), Json(*event));
                answer.version = apply.call().await?.into_inner();
                answer.refused = not_applied(answer.version, &asked.key).map(|it| it.error);
            }
            Decided::Refused(refusal) => answer.refused = Some(refusal.error),
        }
        Ok(Json(answer))
    }

    /// Remembers what a person decides about a repository. A refusal is an answer as well.
    #[handler]
    async fn decide(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<DecideRequest>,
    ) -> HandlerResult<Json<AskAnswer>> {
        let (runtime, of) = (self.0.clone(), asked.clone());
        let allowed =
            ctx.run(move || async move { Ok(Json(allow_decision(&runtime, &of).await?)) });
        let refused = allowed.name("permission").await?.into_inner();
        if refused.is_none() {
            let DecideRequest { id, decision, .. } = asked;
            let fleet = ctx.object_client::<FleetObjectClient>(id.host.clone());
            let decided = fleet.decide(Json(FleetDecision { id, decision }));
            decided.call().await?;
        }
        Ok(Json(AskAnswer {
            key: None,
            version: 0,
            run: None,
            refused,
        }))
    }

    /// Pauses everything on a host, or lets it go on.
    #[handler]
    async fn pause(&self, ctx: Context<'_>, Json(asked): Json<PauseRequest>) -> HandlerResult<()> {
        let (runtime, paused, person) = (self.0.clone(), asked.paused, asked.by);
        let decided = ctx.run(move || async move {
            let by = match person {
                Some(person) => person,
                None => runtime.ports.github.viewer().await?.login,
            };
            let since = runtime.ports.clock.now();
            let pause = paused.then(|| Pause {
                by: by.clone(),
                since,
            });
            Ok(Json(PauseChanged { by, pause }))
        });
        let change = decided.name("pause").await?;
        let fleet = ctx.object_client::<FleetObjectClient>(asked.host);
        Ok(fleet.set_paused(change).call().await?)
    }
}

impl CommandService {
    async fn command(
        &self,
        ctx: Context<'_>,
        asked: CommandRequest,
        command: LoopCommand,
    ) -> HandlerResult<()> {
        let asked = AskRequest {
            key: asked.key,
            by: None,
            command,
        };
        let (runtime, of) = (self.0.clone(), asked.clone());
        let decided = ctx.run(move || async move { Ok(Json(decide(&runtime, &of, false).await?)) });
        match decided.name("command").await?.into_inner() {
            Decided::Granted(None) => Ok(()),
            Decided::Granted(Some(event)) => {
                let apply = ctx.request::<_, Json<u64>>(asked.key.handler("apply"), Json(*event));
                let version = apply.call().await?.into_inner();
                not_applied(version, &asked.key)
                    .map_or(Ok(()), |refusal| Err(refusal.into_error().into()))
            }
            Decided::Refused(refusal) => Err(refusal.into_error().into()),
        }
    }
}

/// Whether a loop may be asked for it, by whom, and the event that tells it. Where a person waits for the answer it is said at once that GitHub
/// could not be asked; else it is asked again.
async fn decide(runtime: &Runtime, asked: &AskRequest, waits: bool) -> HandlerResult<Decided> {
    let Some(view) = runtime.ingress.view(&asked.key).await? else {
        return Ok(Decided::Refused(no_loop(&asked.key)));
    };
    match granted(runtime, asked, &view.state).await? {
        Ok(event) => Ok(Decided::Granted(event.map(Box::new))),
        Err(CommandError::Start(error)) if !(waits || is_for_good(&error)) => Err(error.into()),
        Err(error) => Ok(Decided::Refused(Refusal::of(error))),
    }
}

/// The refusal of what reached no loop: one that was given back between the question and the answer has no version.
fn not_applied(version: u64, key: &LoopKey) -> Option<Refusal> {
    (version == 0).then(|| no_loop(key))
}

fn no_loop(key: &LoopKey) -> Refusal {
    Refusal {
        status: NOT_FOUND,
        message: "there is no such loop".to_owned(),
        error: UserError::new(ErrorCode::NoLoop).with("pull", key),
    }
}

async fn granted(
    runtime: &Runtime,
    asked: &AskRequest,
    state: &LoopState,
) -> HandlerResult<Result<Option<Event>, CommandError>> {
    if let Err(error) = asked.command.check(state) {
        return Ok(Err(error));
    }
    let subject = state.pull_name().into();
    let permission = match check_permission(&runtime.ports, asked.by.as_ref(), subject).await {
        Ok(permission) => permission,
        Err(error) => return Ok(Err(error.into())),
    };
    runtime.journal.audit(&permission.audit).await?;
    let event = permission
        .granted
        .and_then(|by| asked.command.event(&runtime.ports, state, by));
    Ok(event.map_err(CommandError::from))
}

/// Whether asking again would come to the same.
fn is_for_good(error: &StartError) -> bool {
    matches!(
        error,
        StartError::Denied { .. } | StartError::LoginReused { .. } | StartError::Config(_)
    )
}

/// Why a decision about a repository may not be made; none where it may, and the audit log was told.
async fn allow_decision(
    runtime: &Runtime,
    asked: &DecideRequest,
) -> HandlerResult<Option<UserError>> {
    let subject = asked.repo.clone().into();
    let permission = match check_permission(&runtime.ports, asked.by.as_ref(), subject).await {
        Ok(permission) => permission,
        Err(error) => return Ok(Some(error.into())),
    };
    runtime.journal.audit(&permission.audit).await?;
    match permission.granted {
        Ok(by) => {
            let now = runtime.ports.clock.now();
            let entry = trust_entry(&asked.repo, &asked.decision, &by, now);
            runtime.journal.audit(&entry).await?;
            Ok(None)
        }
        Err(error) => Ok(Some(error.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reached_no_loop_is_refused_and_not_taken_for_done() {
        let key: LoopKey = "github.com/R_1/7".parse().expect("a key");
        assert!(not_applied(1, &key).is_none());
        let refusal = not_applied(0, &key).expect("refused");
        assert_eq!(
            (refusal.status, refusal.error.code),
            (404, ErrorCode::NoLoop)
        );
    }
}

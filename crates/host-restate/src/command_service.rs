//! What people ask of loops: checked, allowed by the account that the worker acts as, and brought to the loops.

use crate::fleet_object::FleetObjectClient;
use crate::messages::{CommandRequest, PauseRequest};
use crate::runtime::Runtime;
use crate::start_service::FORBIDDEN;
use collie_core::event::{Event, PauseChanged};
use collie_core::pause::Pause;
use collie_engine::{RunCommand, StartError, check_permission};
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
enum Answered<T> {
    Granted(T),
    Refused { status: u16, message: String },
}

impl<T> Answered<T> {
    fn refused(status: u16, error: &impl ToString) -> Self {
        let message = error.to_string();
        Self::Refused { status, message }
    }

    fn granted(self) -> Result<T, TerminalError> {
        match self {
            Self::Granted(granted) => Ok(granted),
            Self::Refused { status, message } => Err(TerminalError::new_with_code(status, message)),
        }
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
        self.command(ctx, asked, RunCommand::Cancel).await
    }

    /// Begins a fresh run of a loop that has ended.
    #[handler]
    async fn retry(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<CommandRequest>,
    ) -> HandlerResult<()> {
        self.command(ctx, asked, RunCommand::Retry).await
    }

    /// Goes on with what is known, after `needs_human`.
    #[handler]
    async fn resume(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<CommandRequest>,
    ) -> HandlerResult<()> {
        let extra_rounds = asked.extra_rounds;
        self.command(ctx, asked, RunCommand::Resume { extra_rounds })
            .await
    }

    /// Pauses everything on a host, or lets it go on.
    #[handler]
    async fn pause(&self, ctx: Context<'_>, Json(asked): Json<PauseRequest>) -> HandlerResult<()> {
        let (runtime, paused) = (self.0.clone(), asked.paused);
        let decided = ctx.run(move || async move {
            let by = runtime.ports.github.viewer().await?.login;
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
        command: RunCommand,
    ) -> HandlerResult<()> {
        let (runtime, of) = (self.0.clone(), asked.clone());
        let decided =
            ctx.run(move || async move { Ok(Json(decide(&runtime, &of, command).await?)) });
        let event = decided.name("command").await?.into_inner().granted()?;
        ctx.request::<_, ()>(asked.key.handler("apply"), Json(event))
            .call()
            .await?;
        Ok(())
    }
}

/// Whether a loop may be asked for it, by whom, and the event that tells it.
async fn decide(
    runtime: &Runtime,
    asked: &CommandRequest,
    command: RunCommand,
) -> HandlerResult<Answered<Event>> {
    let Some(view) = runtime.ingress.view(&asked.key).await? else {
        return Ok(Answered::refused(NOT_FOUND, &"there is no such loop"));
    };
    let state = view.state;
    if let Err(error) = command.check(&state) {
        return Ok(Answered::refused(CONFLICT, &error));
    }
    let permission = check_permission(&runtime.ports, None, state.pull_name().into()).await?;
    runtime.journal.audit(&permission.audit).await?;
    let event = permission
        .granted
        .and_then(|by| command.event(&runtime.ports, &state, by));
    match event {
        Ok(event) => Ok(Answered::Granted(event)),
        Err(
            error @ (StartError::Denied { .. }
            | StartError::LoginReused { .. }
            | StartError::Config(_)),
        ) => Ok(Answered::refused(FORBIDDEN, &error)),
        Err(error) => Err(error.into()),
    }
}

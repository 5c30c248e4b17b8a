//! Makes loops: looks the pull request up, asks whether it may, and has the loop's object begin, or go on where it is there.

use crate::loop_key::LoopKey;
use crate::messages::{AskAnswer, StartAnswer, StartRequest};
use crate::runtime::Runtime;
use collie_core::error_code::ErrorCode;
use collie_core::event::Event;
use collie_core::ids::PullName;
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::ports::GitHubError;
use collie_engine::{LoopCommand, StartError, check_permission, new_loop, start_again};
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a client is told with a refusal.
pub(crate) const FORBIDDEN: u16 = 403;

/// Makes loops.
pub(crate) struct StartService(pub Arc<Runtime>);

/// What became of a wish for a loop.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Begun {
    /// A new one.
    Loop(Box<LoopState>),
    /// It is there, and is told this.
    There {
        key: LoopKey,
        version: u64,
        events: Vec<Event>,
        /// It has ended, and does not begin anew by this.
        ended: Option<UserError>,
    },
    Refused {
        message: String,
        error: UserError,
    },
}

#[restate_sdk::service(name = "CollieStarts", client_visibility = "pub(crate)")]
impl StartService {
    /// Makes a loop, if there is none; gives the key of its object.
    #[handler]
    async fn start(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<StartRequest>,
    ) -> HandlerResult<Json<StartAnswer>> {
        let runtime = self.0.clone();
        let begun = ctx.run(move || async move { Ok(Json(begin(&runtime, asked, false).await?)) });
        let begun = begun.name("start").await?.into_inner();
        if let Begun::Refused { message, .. } = begun {
            return Err(TerminalError::new_with_code(FORBIDDEN, message).into());
        }
        let answer = carry_out(&ctx, begun).await?;
        let key = answer.key.map(|key| key.to_string()).unwrap_or_default();
        Ok(Json(StartAnswer { key }))
    }

    /// The same in a person's name. A refusal is an answer as well.
    #[handler]
    async fn ask(
        &self,
        ctx: Context<'_>,
        Json(asked): Json<StartRequest>,
    ) -> HandlerResult<Json<AskAnswer>> {
        let runtime = self.0.clone();
        let begun = ctx.run(move || async move { Ok(Json(begin(&runtime, asked, true).await?)) });
        let begun = begun.name("start").await?.into_inner();
        Ok(Json(carry_out(&ctx, begun).await?))
    }
}

async fn carry_out(ctx: &Context<'_>, begun: Begun) -> HandlerResult<AskAnswer> {
    match begun {
        Begun::Loop(state) => {
            let key = LoopKey::from(state.id.clone());
            let run = Some(state.run.id.clone());
            let made = ctx.request::<_, Json<u64>>(key.handler("create"), Json(*state));
            Ok(AskAnswer {
                version: made.call().await?.into_inner(),
                key: Some(key),
                run,
                refused: None,
            })
        }
        Begun::There {
            key,
            mut version,
            events,
            ended,
        } => {
            for event in events {
                let apply = ctx.request::<_, Json<u64>>(key.handler("apply"), Json(event));
                version = apply.call().await?.into_inner();
            }
            Ok(AskAnswer {
                version,
                key: Some(key),
                run: None,
                refused: ended,
            })
        }
        Begun::Refused { error, .. } => Ok(AskAnswer {
            key: None,
            version: 0,
            run: None,
            refused: Some(error),
        }),
    }
}

/// Where a person waits for the answer it is said at once that GitHub could not be asked; else it is asked again.
async fn begin(runtime: &Runtime, asked: StartRequest, waits: bool) -> HandlerResult<Begun> {
    let pull = match PullName::parse(&asked.pull) {
        Ok(pull) => pull,
        Err(error) => {
            return Ok(Begun::Refused {
                message: error.to_string(),
                error: UserError::new(ErrorCode::BadName).with("name", &asked.pull),
            });
        }
    };
    match first_state(runtime, &pull, &asked).await? {
        Ok(begun) => Ok(begun),
        Err(error) if waits || is_for_good(&error) => Ok(Begun::Refused {
            message: error.to_string(),
            error: error.into(),
        }),
        Err(error) => Err(error.into()),
    }
}

/// Whether asking again would come to the same.
fn is_for_good(error: &StartError) -> bool {
    matches!(
        error,
        StartError::Denied { .. }
            | StartError::LoginReused { .. }
            | StartError::Ended { .. }
            | StartError::Config(_)
            | StartError::GitHub(GitHubError::NotFound { .. } | GitHubError::Unauthorized { .. })
    )
}

async fn first_state(
    runtime: &Runtime,
    pull: &PullName,
    asked: &StartRequest,
) -> HandlerResult<Result<Begun, StartError>> {
    let ports = &runtime.ports;
    let permission = match check_permission(ports, asked.by.as_ref(), pull.clone().into()).await {
        Ok(permission) => permission,
        Err(error) => return Ok(Err(error)),
    };
    runtime.journal.audit(&permission.audit).await?;
    let by = match permission.granted {
        Ok(by) => by,
        Err(error) => return Ok(Err(error)),
    };
    let found = match ports.github.resolve_pull(pull).await {
        Ok(found) => found,
        Err(error) => return Ok(Err(error.into())),
    };
    let key = LoopKey::from(found.pull.id.clone());
    let Some(view) = runtime.ingress.view(&key).await? else {
        let state = new_loop(ports, found, by, asked.autonomy);
        return Ok(state.map(|state| Begun::Loop(Box::new(state))));
    };
    let level = asked.autonomy.map(|level| LoopCommand::SetAutonomy {
        level,
        of_repository: false,
    });
    let (again, ended) = match start_again(&view.state) {
        Ok(again) => (again, None),
        Err(error) => (None, Some(error.into())),
    };
    let commands = level.into_iter().chain(again);
    let events = commands.map(|command| command.event(ports, &view.state, by.clone()));
    let events: Result<Vec<Option<Event>>, StartError> = events.collect();
    Ok(events.map(|events| Begun::There {
        key,
        version: view.version,
        events: events.into_iter().flatten().collect(),
        ended,
    }))
}

//! Makes loops: looks the pull request up, asks whether it may, and has the loop's object begin.

use crate::loop_key::LoopKey;
use crate::messages::{StartAnswer, StartRequest};
use crate::runtime::Runtime;
use collie_core::autonomy::Autonomy;
use collie_core::ids::PullName;
use collie_core::loop_state::LoopState;
use collie_engine::ports::GitHubError;
use collie_engine::{StartError, check_permission, new_loop};
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
    Loop(Box<LoopState>),
    Refused(String),
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
        let begun = ctx.run(move || async move { Ok(Json(begin(&runtime, asked).await?)) });
        let state = match begun.name("start").await?.into_inner() {
            Begun::Loop(state) => *state,
            Begun::Refused(why) => {
                return Err(TerminalError::new_with_code(FORBIDDEN, why).into());
            }
        };
        let key = LoopKey::from(state.id.clone());
        ctx.request::<_, ()>(key.handler("create"), Json(state))
            .call()
            .await?;
        let key = key.to_string();
        Ok(Json(StartAnswer { key }))
    }
}

async fn begin(runtime: &Runtime, asked: StartRequest) -> HandlerResult<Begun> {
    let pull = match PullName::parse(&asked.pull) {
        Ok(pull) => pull,
        Err(error) => return Ok(Begun::Refused(error.to_string())),
    };
    match first_state(runtime, &pull, asked.autonomy).await {
        Ok(state) => Ok(Begun::Loop(Box::new(state))),
        Err(
            error @ (StartError::Denied { .. }
            | StartError::LoginReused { .. }
            | StartError::Ended { .. }
            | StartError::Config(_)
            | StartError::GitHub(
                GitHubError::NotFound { .. } | GitHubError::Unauthorized { .. },
            )),
        ) => Ok(Begun::Refused(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

async fn first_state(
    runtime: &Runtime,
    pull: &PullName,
    level: Option<Autonomy>,
) -> Result<LoopState, StartError> {
    let ports = &runtime.ports;
    let permission = check_permission(ports, None, pull.clone().into()).await?;
    runtime.journal.audit(&permission.audit).await?;
    let by = permission.granted?;
    let found = ports.github.resolve_pull(pull).await?;
    new_loop(ports, found, by, level)
}

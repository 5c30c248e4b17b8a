//! `start`, `cancel`, `retry`, `resume`: requests left for the engine of the data folder.

use crate::context::Context;
use crate::localize;
use collie_app::auth;
use collie_app::engine_client::{EngineClient, RequestOutcome};
use collie_core::ids::Login;
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, LoopRequest};
use serde_json::json;

/// Leaves the request and waits for the running engine's answer.
pub async fn run(context: &Context, request: LoopRequest) -> Result<u8, UserError> {
    let github =
        auth::github_client(&context.config, &auth::token_source(&context.config).await).await?;
    // Requests are made in somebody's name (§9.1).
    let by = github.viewer().await?.login;
    let engine = EngineClient::attach(&context.data, github).await?;
    let sent = submit(context, &engine, &request, &by).await;
    engine.shutdown().await;
    sent
}

/// Leaves a request in somebody's name, and says what became of it.
pub async fn submit(
    context: &Context,
    engine: &EngineClient,
    request: &LoopRequest,
    by: &Login,
) -> Result<u8, UserError> {
    let output = &context.output;
    let (code, text) = match engine.submit(request, by).await? {
        RequestOutcome::Queued => ("queued", localize!(output.localizer, "cli-queued")),
        RequestOutcome::Done => ("done", localize!(output.localizer, "cli-asked")),
        RequestOutcome::TimedOut => ("unanswered", localize!(output.localizer, "cli-no-answer")),
    };
    if output.json {
        output.print_json(&json!({ "type": "request", "request": request, "fate": code }));
    }
    output.print_text(&text);
    Ok(0)
}

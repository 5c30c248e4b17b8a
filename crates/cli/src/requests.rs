//! `start`, `cancel`, `retry`, `resume`: wishes left for the engine of the data folder.

use crate::context::Context;
use crate::localize;
use collie_app::auth;
use collie_app::engine_requests::RequestOutcome;
use collie_app::journal::open_reader;
use collie_app::remote_engine::RemoteEngine;
use collie_config::DataFolder;
use collie_core::error_code::ErrorCode;
use collie_core::ids::Login;
use collie_core::user_error::UserError;
use collie_engine::ports::LoopRequest;
use serde_json::json;

/// Leaves the wish and waits for the running engine's answer.
pub async fn run(context: &Context, request: LoopRequest) -> Result<u8, UserError> {
    let by = signed_in_login(context).await?;
    let outcome = submit_request(&context.data, &request, &by).await?;
    let output = &context.output;
    let (code, text) = match &outcome {
        RequestOutcome::Queued => ("queued", localize!(output.localizer, "cli-queued")),
        RequestOutcome::Done => ("done", localize!(output.localizer, "cli-asked")),
        RequestOutcome::TimedOut => ("unanswered", localize!(output.localizer, "cli-no-answer")),
        RequestOutcome::Refused(reason) => return Err(engine_refused(reason.clone())),
    };
    if output.json {
        output.print_json(&json!({ "type": "request", "request": request, "fate": code }));
    }
    output.print_text(&text);
    Ok(0)
}

/// Who is signed in: wishes are made in somebody's name (§9.1).
pub async fn signed_in_login(context: &Context) -> Result<Login, UserError> {
    let github =
        auth::github_client(&context.config, &auth::token_source(&context.config).await).await?;
    let viewer = collie_engine::ports::GitHub::viewer(github.as_ref()).await?;
    Ok(viewer.login)
}

/// The engine that runs did not do what it was asked.
fn engine_refused(reason: UserError) -> UserError {
    UserError::new(ErrorCode::EngineRefused).with_arg("cause", reason)
}

async fn submit_request(
    data: &DataFolder,
    request: &LoopRequest,
    by: &Login,
) -> Result<RequestOutcome, UserError> {
    let journal = open_reader(data).await?;
    let engine = RemoteEngine::new(data.clone(), journal);
    let outcome = engine.submit(request, by).await;
    engine.close().await;
    Ok(outcome?)
}

/// Asks the running engine to take up a pull request, for a watch that only follows it.
pub async fn request_start(
    engine: &RemoteEngine,
    pull: collie_core::ids::PullName,
    by: &Login,
) -> Result<(), UserError> {
    let request = LoopRequest::Start { pull };
    match engine.submit(&request, by).await? {
        RequestOutcome::Refused(reason) => Err(engine_refused(reason)),
        RequestOutcome::Done | RequestOutcome::Queued | RequestOutcome::TimedOut => Ok(()),
    }
}

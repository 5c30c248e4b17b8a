//! `start`, `cancel`, `retry`, `resume`: wishes left for the engine of the data folder.

use crate::cli_error::CliError;
use crate::context::Context;
use crate::localize;
use collie_app::auth;
use collie_app::engine_client::journal::open_reader;
use collie_app::engine_client::remote::RemoteEngine;
use collie_app::engine_client::requests::{RequestOutcome, SubmitError};
use collie_config::DataFolder;
use collie_core::ids::Login;
use collie_engine::ports::LoopRequest;
use serde_json::json;

/// Leaves the wish and waits for the running engine's answer.
pub async fn run(context: &Context, request: LoopRequest) -> Result<u8, CliError> {
    let by = signed_in_login(context).await?;
    let outcome = submit_request(&context.data, &request, &by).await?;
    let output = &context.output;
    let (code, text) = match &outcome {
        RequestOutcome::Queued => ("queued", localize!(output.localizer, "cli-queued")),
        RequestOutcome::Done => ("done", localize!(output.localizer, "cli-asked")),
        RequestOutcome::TimedOut => ("unanswered", localize!(output.localizer, "cli-no-answer")),
        RequestOutcome::Refused(reason) => {
            let message = localize!(output.localizer, "cli-refused", reason = reason.as_str());
            return Err(CliError::new("refused", message));
        }
    };
    if output.json {
        output.print_json(&json!({ "type": "request", "request": request, "fate": code }));
    }
    output.print_text(&text);
    Ok(0)
}

/// Who is signed in: wishes are made in somebody's name (§9.1).
pub async fn signed_in_login(context: &Context) -> Result<Login, CliError> {
    let github = auth::github_client(&context.config, &auth::token_source(&context.config).await)
        .await
        .map_err(|error| connect_error(context, error))?;
    collie_engine::ports::GitHub::viewer(github.as_ref())
        .await
        .map(|actor| actor.login)
        .map_err(|error| CliError::new("github", error))
}

/// A connection that could not be made.
pub fn connect_error(context: &Context, error: impl ToString) -> CliError {
    CliError::new("github", error).with_hint(localize!(context.output.localizer, "cli-hint-doctor"))
}

async fn submit_request(
    data: &DataFolder,
    request: &LoopRequest,
    by: &Login,
) -> Result<RequestOutcome, CliError> {
    let journal = open_reader(data)
        .await
        .map_err(|e| CliError::new("store", e))?;
    let engine = RemoteEngine::new(data.clone(), journal);
    let outcome = engine.submit(request, by).await;
    engine.close().await;
    outcome.map_err(submit_error)
}

/// Asks the running engine to take up a pull request, for a watch that only follows it.
pub async fn request_start(
    engine: &RemoteEngine,
    pull: collie_core::ids::PullName,
    by: &Login,
) -> Result<(), CliError> {
    let request = LoopRequest::Start { pull };
    match engine.submit(&request, by).await.map_err(submit_error)? {
        RequestOutcome::Refused(reason) => Err(CliError::new("refused", reason)),
        RequestOutcome::Done | RequestOutcome::Queued | RequestOutcome::TimedOut => Ok(()),
    }
}

fn submit_error(error: SubmitError) -> CliError {
    match error {
        SubmitError::Store(error) => CliError::new("store", error),
        SubmitError::Folder(error) => CliError::new("data_folder", error),
    }
}

//! `start`, `cancel`, `retry`, `resume`: requests left for the engine of the data folder.

use crate::cli_error::CliError;
use crate::context::Context;
use crate::localize;
use collie_app::auth;
use collie_app::engine_client::{EngineClient, RequestOutcome, SubmitError};
use collie_core::ids::PullName;
use collie_engine::ports::{GitHub as _, LoopRequest};
use collie_engine::{CommandError, StartError};
use serde_json::json;

/// Leaves the request and waits for the running engine's answer.
pub async fn run(context: &Context, request: LoopRequest) -> Result<u8, CliError> {
    let github = auth::github_client(&context.config, &auth::token_source(&context.config).await)
        .await
        .map_err(|error| connect_error(context, error))?;
    // Requests are made in somebody's name (§9.1).
    let by = github
        .viewer()
        .await
        .map_err(|error| CliError::new("github", error))?
        .login;
    let engine = EngineClient::attach(&context.data, github)
        .await
        .map_err(|error| CliError::new("store", error))?;
    let submitted = engine.submit(&request, &by).await;
    engine.shutdown().await;
    let output = &context.output;
    let (code, text) = match submitted {
        Ok(RequestOutcome::Queued) => ("queued", localize!(output.localizer, "cli-queued")),
        Ok(RequestOutcome::Done) => ("done", localize!(output.localizer, "cli-asked")),
        Ok(RequestOutcome::TimedOut) => {
            ("unanswered", localize!(output.localizer, "cli-no-answer"))
        }
        Err(SubmitError::RefusedElsewhere(reason)) => {
            let message = localize!(output.localizer, "cli-refused", reason = reason.as_str());
            return Err(CliError::new("refused", message));
        }
        Err(error) => return Err(start_error(context, request.pull(), error)),
    };
    if output.json {
        output.print_json(&json!({ "type": "request", "request": request, "fate": code }));
    }
    output.print_text(&text);
    Ok(0)
}

/// A connection that could not be made.
pub fn connect_error(context: &Context, error: impl ToString) -> CliError {
    CliError::new("github", error).with_hint(localize!(context.output.localizer, "cli-hint-doctor"))
}

/// A pull request that was not taken up.
pub fn start_error(context: &Context, pull: &PullName, error: SubmitError) -> CliError {
    match error {
        SubmitError::Refused(CommandError::Start(error @ StartError::Denied { .. })) => {
            let file = collie_config::data_paths::config_file(&context.data)
                .display()
                .to_string();
            let hint = localize!(context.output.localizer, "cli-hint-allow", file = file);
            CliError::new("refused", format!("{pull}: {error}")).with_hint(hint)
        }
        SubmitError::Refused(CommandError::Start(StartError::GitHub(error)))
        | SubmitError::GitHub(error) => CliError::new("github", error),
        SubmitError::Refused(error) => CliError::new("refused", format!("{pull}: {error}")),
        SubmitError::RefusedElsewhere(reason) => CliError::new("refused", reason),
        SubmitError::ShutDown => CliError::new("engine", error),
        SubmitError::Store(error) => CliError::new("store", error),
        SubmitError::Folder(error) => CliError::new("data_folder", error),
    }
}

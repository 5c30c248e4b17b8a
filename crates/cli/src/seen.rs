//! `seen`: a person has looked at what no reviewer was shown (§4.4).

use crate::args::SeenArgs;
use crate::context::Context;
use crate::coverage_lines::file_lines;
use crate::localize;
use crate::output::Output;
use crate::requests;
use crate::status::find_loop;
use collie_app::auth;
use collie_app::engine_client::EngineClient;
use collie_core::coverage::UnseenFile;
use collie_core::ids::Sha;
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::CommandError;
use collie_engine::ports::{GitHub as _, LoopRequest};
use serde_json::json;

/// Exit status of a question that was answered with no (§14).
const EXIT_DECLINED: u8 = 1;

/// Shows what nobody was shown of a loop's head, and has the person say that they have looked at it.
pub async fn run(context: &Context, args: SeenArgs) -> Result<u8, UserError> {
    let source = auth::token_source(&context.config).await;
    let github = auth::github_client(&context.config, &source).await?;
    // Requests are made in somebody's name (§9.1).
    let by = github.viewer().await?.login;
    let engine = EngineClient::attach(&context.data, github).await?;
    let said = match say_seen(context, &args).await {
        Ok(Ok(request)) => requests::submit(context, &engine, &request, &by).await,
        Ok(Err(status)) => Ok(status),
        Err(error) => Err(error),
    };
    engine.shutdown().await;
    said
}

/// The request, or the exit status without one.
async fn say_seen(
    context: &Context,
    args: &SeenArgs,
) -> Result<Result<LoopRequest, u8>, UserError> {
    let pull = &args.pull;
    let state = find_loop(context, pull).await?;
    let head = state.run.head.sha.clone();
    let waiting: Vec<&UnseenFile> = state.run.head.coverage.needing_look().collect();
    let (Some(head), true) = (head, state.waits_for_look()) else {
        let pull = pull.clone();
        return Err(CommandError::NothingUnseen { pull }.into());
    };
    let output = &context.output;
    print_files(output, &state, &head, &waiting);
    if !args.yes && !output.can_ask() {
        output.print_text(&localize!(output.localizer, "cli-seen-ask"));
        return Ok(Err(0));
    }
    if !args.yes && !confirm(output, &head).await {
        output.print_text(&localize!(output.localizer, "cli-trust-declined"));
        return Ok(Err(EXIT_DECLINED));
    }
    let pull = pull.clone();
    Ok(Ok(LoopRequest::Seen { pull, head }))
}

fn print_files(output: &Output, state: &LoopState, head: &Sha, files: &[&UnseenFile]) {
    if output.json {
        output.print_json(&json!({
            "type": "unseen", "key": state.pull_name(), "head_sha": head, "unseen": files,
        }));
        return;
    }
    let text = localize!(
        output.localizer,
        "cli-unseen",
        count = files.len(),
        head = head.short().to_owned()
    );
    output.print_text(&text);
    for line in file_lines(output, files) {
        output.print_text(&line);
    }
}

/// Has a person type the head that they have looked at.
async fn confirm(output: &Output, head: &Sha) -> bool {
    let question = localize!(
        output.localizer,
        "cli-seen-confirm",
        head = head.short().to_owned()
    );
    let typed = output.ask(&question).await.unwrap_or_default();
    let typed = typed.trim();
    typed.len() >= head.short().len() && head.as_str().starts_with(typed)
}

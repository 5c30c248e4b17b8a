//! `approve` and `reject`: a person's word on a push that waits for it (§13.7).

use crate::args::{ApproveArgs, RejectArgs};
use crate::context::Context;
use crate::localize;
use crate::output::Output;
use crate::requests;
use crate::status::find_loop;
use collie_app::auth;
use collie_app::engine_client::EngineClient;
use collie_core::held::HeldPush;
use collie_core::ids::{PullName, Sha};
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, LoopRequest};
use collie_engine::{CommandError, push_to_approve};
use serde_json::json;

/// Exit status of a question that was answered with no (§14).
const EXIT_DECLINED: u8 = 1;

/// Lets the commit be pushed that waits on a pull request.
pub async fn approve(context: &Context, args: ApproveArgs) -> Result<u8, UserError> {
    let request = |pull, commit| LoopRequest::Approve { pull, commit };
    decide(
        context,
        &args.pull,
        args.yes,
        "cli-approve-confirm",
        request,
    )
    .await
}

/// Does not let it be pushed.
pub async fn reject(context: &Context, args: RejectArgs) -> Result<u8, UserError> {
    let note = args.note;
    // Who says why has looked.
    let yes = args.yes || !note.is_empty();
    let request = |pull, commit| LoopRequest::Reject { pull, commit, note };
    decide(context, &args.pull, yes, "cli-reject-confirm", request).await
}

async fn decide(
    context: &Context,
    pull: &PullName,
    yes: bool,
    question: &str,
    request: impl FnOnce(PullName, Sha) -> LoopRequest,
) -> Result<u8, UserError> {
    let source = auth::token_source(&context.config).await;
    let github = auth::github_client(&context.config, &source).await?;
    // Requests are made in somebody's name (§9.1).
    let by = github.viewer().await?.login;
    let state = find_loop(context, pull).await?;
    let Some(push) = push_to_approve(&state) else {
        let pull = pull.clone();
        return Err(CommandError::NoPushWaits { pull }.into());
    };
    let output = &context.output;
    print_push(output, pull, &push);
    if !yes && !output.can_ask() {
        output.print_text(&localize!(output.localizer, "cli-approve-ask"));
        return Ok(0);
    }
    if !yes && !confirm(output, question, push.commit).await {
        output.print_text(&localize!(output.localizer, "cli-trust-declined"));
        return Ok(EXIT_DECLINED);
    }
    let engine = EngineClient::attach(&context.data, github).await?;
    let request = request(pull.clone(), push.commit.clone());
    let said = requests::submit(context, &engine, &request, &by).await;
    engine.shutdown().await;
    said
}

fn print_push(output: &Output, pull: &PullName, push: &HeldPush<'_>) {
    if output.json {
        output.print_json(&json!({
            "type": "held_push", "key": pull, "commit": push.commit, "head_sha": push.head, "files": push.files,
        }));
        return;
    }
    let text = localize!(
        output.localizer,
        "cli-held-push",
        count = push.files.len(),
        commit = push.commit.short().to_owned(),
        names = push.files.join(", ")
    );
    output.print_text(&text);
}

/// Has a person type the commit that they mean.
async fn confirm(output: &Output, question: &str, commit: &Sha) -> bool {
    let commit_name = commit.short().to_owned();
    let question = localize!(output.localizer, question, commit = commit_name);
    let typed = output.ask(&question).await.unwrap_or_default();
    let typed = typed.trim();
    typed.len() >= commit.short().len() && commit.as_str().starts_with(typed)
}

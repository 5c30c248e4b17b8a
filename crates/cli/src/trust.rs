//! `trust` and `allow`: what may be run and fixed in a repository, decided by the user (§6.3e, §9.1).

use crate::args::{AllowArgs, TrustArgs, WatchTarget};
use crate::context::Context;
use crate::error_output::print_error;
use crate::localize;
use crate::output::Output;
use crate::requests;
use collie_app::auth;
use collie_app::engine_client::EngineClient;
use collie_app::trust::{self, SOURCE, VerifyCommands};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, RepoName};
use collie_core::text::visible_line;
use collie_core::trust::{TrustDecision, VerifyPermission};
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, LoopRequest};
use serde_json::json;

/// Exit status of a command line that cannot be understood, and of a question that was answered with no (§14).
const EXIT_USAGE: u8 = 2;
const EXIT_DECLINED: u8 = 1;

/// Reaches the inbox, in the name of the signed-in account (§9.1).
async fn attach(context: &Context) -> Result<(EngineClient, Login), UserError> {
    let source = auth::token_source(&context.config).await;
    let github = auth::github_client(&context.config, &source).await?;
    let by = github.viewer().await?.login;
    let engine = EngineClient::attach(&context.data, github).await?;
    Ok((engine, by))
}

/// Shows a repository's verify commands as they stand now, and decides about them.
pub async fn trust(context: &Context, args: TrustArgs) -> Result<u8, UserError> {
    let (engine, by) = attach(context).await?;
    let decided = decide_commands(context, (&engine, &by), &args).await;
    engine.shutdown().await;
    decided
}

async fn decide_commands(
    context: &Context,
    (engine, by): (&EngineClient, &Login),
    args: &TrustArgs,
) -> Result<u8, UserError> {
    let found = trust::verify_commands(engine, &context.config, &args.repo.0).await?;
    print_commands(&context.output, &found);
    let commands = found.repository.clone();
    let decision = match args {
        TrustArgs { revoke: true, .. } => TrustDecision::RevokeVerification,
        TrustArgs { skip: true, .. } => TrustDecision::SkipVerification,
        _ if commands.is_empty() => return Ok(0),
        TrustArgs { yes: true, .. } => TrustDecision::TrustCommands { commands },
        _ if found.permission == VerifyPermission::Run || !context.output.can_ask() => {
            return Ok(0);
        }
        _ if confirm(context, &found.repo).await => TrustDecision::TrustCommands { commands },
        _ => {
            let text = localize!(context.output.localizer, "cli-trust-declined");
            context.output.print_text(&text);
            return Ok(EXIT_DECLINED);
        }
    };
    let (repo, id) = (found.repo, found.id);
    let request = LoopRequest::Decide { repo, id, decision };
    requests::submit(context, engine, &request, by).await
}

/// Whether the repository's commands may run, as it is written in JSON.
fn verify_code(found: &VerifyCommands) -> &'static str {
    match found.permission {
        _ if found.repository.is_empty() => "none",
        VerifyPermission::Run => "trusted",
        VerifyPermission::Skip => "skipped",
        VerifyPermission::Ask => "untrusted",
    }
}

/// The commands, where they come from, and whether they may run.
fn print_commands(output: &Output, found: &VerifyCommands) {
    let localizer = &output.localizer;
    let code = verify_code(found);
    if output.json {
        let head = found.head.as_ref();
        output.print_json(&json!({
            "type": "trust", "repo": found.repo, "source": SOURCE,
            "branch": head.map(|(name, _)| name), "head_sha": head.map(|(_, sha)| sha),
            "commands": found.repository, "own_commands": found.own,
            "sandboxed": !found.unsandboxed, "verify": code,
        }));
        return;
    }
    if !found.own.is_empty() {
        output.print_text(&localize!(localizer, "cli-trust-own"));
        print_lines(output, &found.own);
    }
    if let (Some((branch, head)), false) = (&found.head, found.repository.is_empty()) {
        let text = localize!(
            localizer,
            "cli-trust-source",
            repo = found.repo.to_string(),
            branch = branch.clone(),
            head = head.short().to_owned(),
            source = SOURCE
        );
        output.print_text(&text);
        print_lines(output, &found.repository);
        let where_they_run = if found.unsandboxed {
            localize!(localizer, "cli-trust-unsandboxed")
        } else {
            localize!(localizer, "cli-trust-sandboxed")
        };
        output.print_text(&where_they_run);
    }
    output.print_text(&match code {
        "none" => localize!(localizer, "cli-trust-none"),
        "trusted" => localize!(localizer, "cli-trust-trusted"),
        "skipped" => localize!(localizer, "cli-trust-skipped"),
        _ => localize!(localizer, "cli-trust-untrusted"),
    });
}

/// Each command on a line of its own, whatever is in it.
fn print_lines(output: &Output, commands: &[String]) {
    for command in commands {
        output.print_text(&format!("  {}", visible_line(command)));
    }
}

/// Has a person type the repository's name.
async fn confirm(context: &Context, repo: &RepoName) -> bool {
    let output = &context.output;
    let question = localize!(
        output.localizer,
        "cli-trust-confirm",
        repo = repo.to_string()
    );
    let typed = output.ask(&question).await.unwrap_or_default();
    RepoName::parse(typed.trim()).is_ok_and(|typed| typed.eq_ignore_case(repo))
}

/// Allows an author or one pull request to be fixed, or takes that back.
pub async fn allow(context: &Context, args: AllowArgs) -> Result<u8, UserError> {
    let usage = |cause: UserError| {
        let error = UserError::new(ErrorCode::Usage)
            .with_arg("cause", cause)
            .hint(ErrorHint::Usage);
        print_error(&error, &context.output);
        Ok(EXIT_USAGE)
    };
    match (&args.target, &args.author) {
        (WatchTarget::Repository(_), None) => {
            return usage(UserError::new(ErrorCode::UsageMissing).with("args", "--author <LOGIN>"));
        }
        (WatchTarget::Pull(_), Some(_)) => {
            let conflict = UserError::new(ErrorCode::UsageConflict).with("arg", "--author");
            return usage(conflict.with("other", "OWNER/REPO#N"));
        }
        (WatchTarget::Repository(_), Some(_)) | (WatchTarget::Pull(_), None) => {}
    }
    let (engine, by) = attach(context).await?;
    let request = match (&args.target, &args.author) {
        (WatchTarget::Repository(repo), author) => {
            let login = Login::new(author.as_deref().unwrap_or_default());
            trust::author_request(&engine, repo, &login, args.revoke).await
        }
        (WatchTarget::Pull(pull), _) => trust::pull_request(&engine, pull, args.revoke).await,
    };
    let sent = match request {
        Ok(request) => requests::submit(context, &engine, &request, &by).await,
        Err(error) => Err(error),
    };
    engine.shutdown().await;
    sent
}

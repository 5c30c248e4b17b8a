//! `collie move`: hands the loops of a data folder to Restate, or takes them back (§18.5).

use crate::args::{LoopEngine, MoveArgs};
use crate::context::{self, Context};
use crate::localize;
use collie_app::auth;
use collie_app::engine_client::moving::LoopMove;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::PullName;
use collie_core::user_error::UserError;
use collie_host_restate::RestateLoops;
use serde_json::json;
use std::sync::Arc;

/// Moves them; gives the exit status.
pub async fn run(context: &Context, args: MoveArgs) -> Result<u8, UserError> {
    context::require_git().await?;
    let target = RestateLoops::new(&args.ingress).map_err(|error| {
        UserError::new(ErrorCode::WorkerSettings)
            .with("message", error)
            .hint(ErrorHint::WorkerDocs)
    })?;
    let setup = context.engine_setup(
        auth::loop_token_source(&context.config).await?,
        Arc::default(),
    );
    let moving = LoopMove::open(setup, Arc::new(target)).await?;
    let moved = match args.to {
        LoopEngine::Restate => moving.there().await?,
        LoopEngine::Here => moving.back().await?,
    };
    let output = &context.output;
    let names = |pulls: &[PullName]| pulls.iter().map(ToString::to_string).collect::<Vec<_>>();
    if output.json {
        output.print_json(&json!({
            "moved": moved.loops,
            "others": names(&moved.others),
            "left_commits": names(&moved.left_commits),
        }));
        return Ok(0);
    }
    for pull in &moved.others {
        output.print_text(&localize!(
            output.localizer,
            "cli-move-other",
            pull = pull.to_string()
        ));
    }
    for pull in &moved.left_commits {
        output.print_text(&localize!(
            output.localizer,
            "cli-move-left-commit",
            pull = pull.to_string()
        ));
    }
    let count = moved.loops;
    let text = match args.to {
        LoopEngine::Restate => localize!(output.localizer, "cli-move-there", count = count),
        LoopEngine::Here => localize!(output.localizer, "cli-move-back", count = count),
    };
    output.print_text(&text);
    Ok(0)
}

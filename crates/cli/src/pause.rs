//! `pause`, `unpause`: everything is stopped at once, and goes on together (§15).

use crate::context::Context;
use crate::{localize, requests};
use collie_app::clock;
use collie_core::pause::Pause;
use collie_core::user_error::UserError;
use collie_engine::ports::LoopRequest;

/// Pauses everything, or lets it go on.
pub async fn set(context: &Context, paused: bool) -> Result<u8, UserError> {
    requests::run(context, LoopRequest::SetPaused { paused }).await
}

/// Says that everything is paused, where it is.
pub fn print(context: &Context, pause: Option<&Pause>) {
    let Some(Pause { by, since }) = pause else {
        return;
    };
    let output = &context.output;
    let since = output.localizer.shared.format_moment(*since, clock::now());
    let text = localize!(
        output.localizer,
        "cli-all-paused",
        login = format!("@{by}"),
        since = since
    );
    output.print_text(&text);
}

//! `dismiss`, `note`: what a person says of a finding (§13.8).

use crate::args::{DismissArgs, NoteArgs};
use crate::context::Context;
use crate::requests;
use crate::status::find_loop;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{Fingerprint, PullName};
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::ports::LoopRequest;

/// Takes a finding out of what counts.
pub async fn dismiss(context: &Context, args: DismissArgs) -> Result<u8, UserError> {
    let DismissArgs {
        pull,
        finding,
        reason,
    } = args;
    let state = find_loop(context, &pull).await?;
    let fingerprint = find_finding(&state, &pull, &finding)?;
    let request = LoopRequest::Dismiss {
        pull,
        fingerprint,
        reason,
    };
    requests::run(context, request).await
}

/// Tells the fixer something for its next turn.
pub async fn note(context: &Context, args: NoteArgs) -> Result<u8, UserError> {
    let NoteArgs {
        pull,
        text,
        finding,
    } = args;
    let fingerprint = match finding {
        Some(finding) => {
            let state = find_loop(context, &pull).await?;
            Some(find_finding(&state, &pull, &finding)?)
        }
        None => None,
    };
    let request = LoopRequest::Note {
        pull,
        fingerprint,
        text,
    };
    requests::run(context, request).await
}

/// The one finding whose fingerprint begins so.
fn find_finding(state: &LoopState, pull: &PullName, start: &str) -> Result<Fingerprint, UserError> {
    let mut found =
        (state.run.review.findings.keys()).filter(|print| print.as_str().starts_with(start));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only.clone()),
        (Some(_), Some(_)) => {
            Err(UserError::new(ErrorCode::AmbiguousFinding).with("finding", start))
        }
        (None, _) => Err(UserError::new(ErrorCode::NoFinding).with("pull", pull)),
    }
}

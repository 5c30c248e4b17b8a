//! The API for programs: events in, the loop as JSON out (seed 000's names).

use crate::body::JsonBody;
use crate::people::SignedIn;
use crate::problem::{ApiError, Problem};
use crate::state::ServerState;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{PullName, RepoName};
use collie_core::user_error::UserError;
use collie_wire::LoopView;
use collie_wire::rpc::Command;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use utoipa::ToSchema;

/// No id of an event is longer.
const MAX_ID_CHARS: usize = 200;

/// Something that happened, or that a person wants.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
pub(crate) struct LoopEvent {
    /// The sender's own id of it: a second event of one person with the same id for the same pull request does nothing.
    #[schema(min_length = 1, max_length = 200)]
    id: String,
    /// What.
    #[serde(flatten)]
    kind: EventKind,
}

/// What happened, or is wanted. The names in capitals are claims about GitHub and about sessions: none of them is believed, they have the
/// pull request looked at.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(tag = "type")]
pub(crate) enum EventKind {
    /// Take the pull request up.
    #[serde(rename = "start")]
    Start,
    /// Cancel the run.
    #[serde(rename = "cancel")]
    Cancel,
    /// Begin a fresh run.
    #[serde(rename = "retry")]
    Retry,
    /// Go on after `needs_human`.
    #[serde(rename = "resume")]
    Resume {
        /// So many rounds more than configured, in the new run alone.
        #[serde(default)]
        rounds: u32,
    },
    /// A pull request was opened: it is taken up, unless it was before.
    #[serde(rename = "PR_OPENED")]
    PrOpened,
    /// The configuration was loaded.
    #[serde(rename = "CONFIG_LOADED")]
    ConfigLoaded,
    /// A session has begun.
    #[serde(rename = "SESSION_STARTED")]
    SessionStarted,
    /// A session has failed.
    #[serde(rename = "SESSION_FAILED")]
    SessionFailed,
    /// A review was submitted.
    #[serde(rename = "REVIEW_COMPLETE")]
    ReviewComplete,
    /// A fix was pushed.
    #[serde(rename = "FIX_COMPLETE")]
    FixComplete,
    /// The pull request was closed.
    #[serde(rename = "CLOSE")]
    Close,
    /// An alarm went off.
    #[serde(rename = "RETRY")]
    Alarm,
}

/// The loop of a pull request: these fields, and more that `collie status --json` has too.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes what the view of a loop writes")]
pub(crate) struct Loop {
    /// `owner/repo#n`.
    key: String,
    /// The host of the pull request.
    host: String,
    /// The present attempt.
    run_id: String,
    /// The title of the pull request.
    title: String,
    /// Its page.
    url: String,
    /// Where the loop stands.
    state: String,
    /// The round.
    iteration: u32,
    /// No more rounds than these.
    max_iterations: u32,
    /// Whether it may be cancelled.
    can_cancel: bool,
    /// Whether a fresh run may begin.
    can_retry: bool,
    /// Whether it may be resumed.
    can_resume: bool,
}

/// The pull request of a path.
pub(crate) type PullPath = Result<Path<(String, String, String)>, PathRejection>;

/// Takes an event.
#[utoipa::path(
    post,
    path = "/pr/{owner}/{repo}/{number}/event",
    tag = "Loops",
    params(
        ("owner" = String, Path, description = "Who owns the repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,38}$"),
        ("repo" = String, Path, description = "The repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,98}$"),
        ("number" = u64, Path, description = "The pull request.", minimum = 1, maximum = 2147483647),
    ),
    request_body = LoopEvent,
    responses(
        (status = 202, description = "Taken, now or before; the loop as it is.", body = Loop),
        (status = 400, description = "It cannot be understood.", content_type = "application/problem+json", body = Problem),
        (status = 401, description = "Nobody is signed in.", content_type = "application/problem+json", body = Problem),
        (status = 403, description = "The person may not write in the repository.", content_type = "application/problem+json", body = Problem),
        (status = 404, description = "GitHub does not show the person such a repository or pull request, or it has no loop.", content_type = "application/problem+json", body = Problem),
        (status = 409, description = "The loop does not allow it in its state.", content_type = "application/problem+json", body = Problem),
        (status = 413, description = "It is too large.", content_type = "application/problem+json", body = Problem),
        (status = 422, description = "It cannot be carried out.", content_type = "application/problem+json", body = Problem),
        (status = 429, description = "Too many requests.", content_type = "application/problem+json", body = Problem),
        (status = 503, description = "GitHub or the journal cannot be reached.", content_type = "application/problem+json", body = Problem),
    ),
    security(("token" = []), ("session" = [])),
)]
pub(crate) async fn event(
    State(state): State<Arc<ServerState>>,
    path: PullPath,
    signed_in: SignedIn,
    JsonBody(event): JsonBody<LoopEvent>,
) -> Result<(StatusCode, Json<LoopView>), ApiError> {
    let pull = pull_of(path)?;
    let key = pull.to_string();
    let length = event.id.chars().count();
    if length == 0 || length > MAX_ID_CHARS {
        return Err(ApiError::malformed("`id` has 1 to 200 characters"));
    }
    let write = (state.access).require_write(&signed_in.person, &pull.repo, &key);
    write.await?;
    let id = event_id(&signed_in, &pull, &event.id);
    // Of two that arrive together the second waits: the first may fail, and then it is the second's to carry out.
    let _turn = state.in_flight.begin(&id).await;
    if !state.backend.was_seen(&id).await? {
        carry_out(&state, &signed_in, &pull, &event.kind).await?;
        state.backend.remember_seen(&[id]).await?;
    }
    Ok((StatusCode::ACCEPTED, Json(loop_view(&state, &pull)?)))
}

/// The loop of a pull request.
#[utoipa::path(
    get,
    path = "/pr/{owner}/{repo}/{number}/status",
    tag = "Loops",
    params(
        ("owner" = String, Path, description = "Who owns the repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,38}$"),
        ("repo" = String, Path, description = "The repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,98}$"),
        ("number" = u64, Path, description = "The pull request.", minimum = 1, maximum = 2147483647),
    ),
    responses(
        (status = 200, description = "The loop as it is.", body = Loop),
        (status = 400, description = "The path names no pull request.", content_type = "application/problem+json", body = Problem),
        (status = 401, description = "Nobody is signed in.", content_type = "application/problem+json", body = Problem),
        (status = 404, description = "GitHub does not show the person such a repository, or the pull request has no loop.", content_type = "application/problem+json", body = Problem),
        (status = 429, description = "Too many requests.", content_type = "application/problem+json", body = Problem),
        (status = 503, description = "GitHub cannot be reached.", content_type = "application/problem+json", body = Problem),
    ),
    security(("token" = []), ("session" = [])),
)]
pub(crate) async fn status(
    State(state): State<Arc<ServerState>>,
    path: PullPath,
    signed_in: SignedIn,
) -> Result<Json<LoopView>, ApiError> {
    let pull = pull_of(path)?;
    let key = pull.to_string();
    let read = (state.access).require_read(&signed_in.person, &pull.repo, &key);
    read.await?;
    Ok(Json(loop_view(&state, &pull)?))
}

async fn carry_out(
    state: &ServerState,
    signed_in: &SignedIn,
    pull: &PullName,
    kind: &EventKind,
) -> Result<(), ApiError> {
    let key = pull.to_string();
    let command = match kind {
        EventKind::Start => Command::Start { key },
        EventKind::PrOpened if state.backend.loop_of_pull(pull).is_none() => Command::Start { key },
        EventKind::Cancel => Command::Cancel { key },
        EventKind::Retry => Command::Retry { key },
        EventKind::Resume { rounds } => Command::Resume {
            key,
            rounds: *rounds,
        },
        EventKind::PrOpened
        | EventKind::ConfigLoaded
        | EventKind::SessionStarted
        | EventKind::SessionFailed
        | EventKind::ReviewComplete
        | EventKind::FixComplete
        | EventKind::Close
        | EventKind::Alarm => {
            state.backend.look_now(pull);
            return Ok(());
        }
    };
    state.acting_as(signed_in).run_unworded(command).await?;
    Ok(())
}

fn loop_view(state: &ServerState, pull: &PullName) -> Result<LoopView, ApiError> {
    let found = state.backend.loop_of_pull(pull);
    let none = || UserError::new(ErrorCode::NoLoop).with("pull", pull);
    Ok(found.ok_or_else(none)?.view)
}

pub(crate) fn pull_of(path: PullPath) -> Result<PullName, ApiError> {
    let Path((owner, name, number)) =
        path.map_err(|error| ApiError::malformed(error.body_text()))?;
    let text = format!("{owner}/{name}");
    let wrong = || {
        let error = UserError::new(ErrorCode::BadName).with("name", format!("{text}#{number}"));
        ApiError(error.hint(ErrorHint::ServerDocs))
    };
    let repo = RepoName::parse(&text).map_err(|_| wrong())?;
    // As GitHub writes numbers: no sign, no zero in front.
    let is_plain = number.bytes().all(|digit| digit.is_ascii_digit()) && !number.starts_with('0');
    let number = number.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
    Ok(PullName { repo, number })
}

/// What an event is remembered by: no person's ids get in another's way.
fn event_id(signed_in: &SignedIn, pull: &PullName, id: &str) -> String {
    let text = format!(
        "event\n{}\n{}\n{id}",
        signed_in.person.id.0,
        pull.to_string().to_lowercase()
    );
    hex::encode(Sha256::digest(text.as_bytes()))
}

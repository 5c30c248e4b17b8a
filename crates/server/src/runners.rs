//! Sessions that run on other machines (§18.1): runners claim them, say that they are at it, and hand in what came of them.
//!
//! A runner shows the secret that the operator made for it, and gets a token that is good for one session alone. Neither lets anybody act
//! as a person.

use crate::api::{PullPath, pull_of};
use crate::body::{self, JsonBody};
use crate::guard::address_of;
use crate::people::bearer_token;
use crate::problem::{ApiError, Problem};
use crate::runner_access::RunnerAccess;
use crate::state::ServerState;
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::PullName;
use collie_core::user_error::UserError;
use collie_runners::{
    ClaimRequest, Claimant, ClaimedSession, HandInError, HandedIn, Heartbeat, LeaseAnswer, Refusal,
    RunnerQueue,
};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use utoipa::ToSchema;

/// What a runner may hand in: a patch of 8 MB in base64, and its account.
const BODY_LIMIT: usize = 16 * 1024 * 1024;
/// The same in words.
const BODY_LIMIT_WORDS: &str = "16 MB";
/// No claim waits longer: every request is answered in time.
const MAX_WAIT: Duration = Duration::from_secs(20);
/// So long whoever offered a session may take to look at what was handed in.
const VERDICT_TIMEOUT: Duration = Duration::from_secs(20);
/// A bundle is sent in parts of this size.
const CHUNK_BYTES: usize = 64 * 1024;

/// What a runner hands in of its session.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes what a runner sends")]
pub(crate) struct SessionResult {
    /// The session.
    session: String,
    /// The head that was worked on: 40 or 64 hexadecimal digits.
    head: String,
    /// `review`, `fix`, `failed`, or `returned` by a runner that stops.
    r#type: String,
    /// A2 of a review, A5 of a fix.
    result: Option<Value>,
    /// Of a fix: all that was changed against the head, as git's patch in base64, at most 8 MB of it. It passes every gate on the server,
    /// which pushes it.
    patch: Option<String>,
    /// Why it failed.
    failure: Option<Value>,
    /// What was spent, by model or agent.
    spent: Vec<Value>,
}

/// What a runner asks for work with.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes what a runner sends")]
pub(crate) struct SessionClaim {
    /// What the runner is called beside its own name, for people.
    name: String,
    /// How long it waits for work, in milliseconds; at most 20,000.
    wait_ms: u64,
}

/// A session that a runner holds from now on.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes what a runner is sent")]
pub(crate) struct SessionGrant {
    /// The session.
    session: String,
    /// Good for this session alone, until its lease ends.
    token: String,
    /// The lease ends so many milliseconds after the last heartbeat.
    lease_ms: u64,
    /// What is to be done, with what there is to know of the pull request.
    work: Value,
}

/// That a runner is at it.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes what a runner sends")]
pub(crate) struct SessionHeartbeat {
    /// The session.
    session: String,
}

/// How long a lease goes on.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes what a runner is sent")]
pub(crate) struct SessionLease {
    /// So many milliseconds from now.
    lease_ms: u64,
}

/// What became of what was handed in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionTaken {
    /// Always true: what is not taken is a problem.
    taken: bool,
}

/// A runner that showed its secret.
pub(crate) struct KnownRunner {
    name: String,
    queue: Arc<RunnerQueue>,
}

impl FromRequestParts<Arc<ServerState>> for KnownRunner {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &Arc<ServerState>,
    ) -> Result<Self, ApiError> {
        let access = access(state)?;
        let unknown = || {
            let error = UserError::new(ErrorCode::RunnerUnknown);
            ApiError(error.hint(ErrorHint::ServerDocs))
        };
        let secret = bearer_token(&parts.headers).ok_or_else(unknown)?;
        let found = access.secrets.runner_of(secret).map_err(UserError::from)?;
        let Some(name) = found else {
            state.limits.take_stranger(address_of(state, parts))?;
            return Err(unknown());
        };
        let queue = access.queue.clone();
        Ok(Self { name, queue })
    }
}

fn access(state: &ServerState) -> Result<&RunnerAccess, ApiError> {
    let off = || ApiError(UserError::new(ErrorCode::NoRoute));
    state.options.runners.as_ref().ok_or_else(off)
}

/// The token of a session, as a request shows it.
fn session_token(headers: &axum::http::HeaderMap) -> Result<&str, ApiError> {
    bearer_token(headers).ok_or_else(|| refused(Refusal::UnknownToken))
}

fn refused(refusal: Refusal) -> ApiError {
    UserError::new(match refusal {
        Refusal::UnknownToken => ErrorCode::SessionTokenUnknown,
        Refusal::OtherSession => ErrorCode::SessionTokenOther,
        Refusal::Over => ErrorCode::SessionOver,
    })
    .into()
}

/// Counts tokens that are nobody's by where they come from.
fn refused_to(state: &ServerState, parts: &Parts, refusal: Refusal) -> ApiError {
    let limited = match refusal {
        Refusal::UnknownToken => state.limits.take_stranger(address_of(state, parts)),
        Refusal::OtherSession | Refusal::Over => Ok(()),
    };
    limited.err().map_or_else(|| refused(refusal), ApiError)
}

/// Gives a session to a runner.
#[utoipa::path(
    post,
    path = "/runners/claim",
    tag = "Runners",
    request_body = SessionClaim,
    responses(
        (status = 200, description = "A session for this runner.", body = SessionGrant),
        (status = 204, description = "Nothing is to be done: ask again."),
        (status = 400, description = "It cannot be understood.", content_type = "application/problem+json", body = Problem),
        (status = 401, description = "No runner has this secret.", content_type = "application/problem+json", body = Problem),
        (status = 413, description = "It is too large.", content_type = "application/problem+json", body = Problem),
        (status = 422, description = "The file with the secrets of runners cannot be used.", content_type = "application/problem+json", body = Problem),
        (status = 429, description = "Too many requests.", content_type = "application/problem+json", body = Problem),
        (status = 503, description = "The server stops.", content_type = "application/problem+json", body = Problem),
    ),
    security(("runner" = [])),
)]
pub(crate) async fn claim(
    State(state): State<Arc<ServerState>>,
    runner: KnownRunner,
    JsonBody(asked): JsonBody<ClaimRequest>,
) -> Result<Response, ApiError> {
    // By its secret it is known, whatever it calls itself.
    let claimant = Claimant {
        runner: runner.name,
    };
    let wait = Duration::from_millis(asked.wait_ms).min(MAX_WAIT);
    let claimed: Option<ClaimedSession> = tokio::select! {
        () = state.stopping.cancelled() => None,
        claimed = runner.queue.claim(&claimant, wait) => claimed,
    };
    Ok(match claimed {
        Some(claimed) => {
            tracing::info!(
                runner = claimant.runner,
                session = claimed.session,
                "a session was claimed"
            );
            Json(claimed).into_response()
        }
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Lets a session's lease go on.
#[utoipa::path(
    post,
    path = "/pr/{owner}/{repo}/{number}/session/heartbeat",
    tag = "Runners",
    params(
        ("owner" = String, Path, description = "Who owns the repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,38}$"),
        ("repo" = String, Path, description = "The repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,98}$"),
        ("number" = u64, Path, description = "The pull request.", minimum = 1, maximum = 2147483647),
    ),
    request_body = SessionHeartbeat,
    responses(
        (status = 200, description = "It goes on.", body = SessionLease),
        (status = 400, description = "It cannot be understood.", content_type = "application/problem+json", body = Problem),
        (status = 401, description = "The token is none of a session.", content_type = "application/problem+json", body = Problem),
        (status = 403, description = "The token is another session's.", content_type = "application/problem+json", body = Problem),
        (status = 409, description = "The lease has ended, or the session is not wanted any more: stop.", content_type = "application/problem+json", body = Problem),
        (status = 429, description = "Too many requests.", content_type = "application/problem+json", body = Problem),
    ),
    security(("runner_session" = [])),
)]
pub(crate) async fn heartbeat(
    State(state): State<Arc<ServerState>>,
    path: PullPath,
    request: Request,
) -> Result<Json<LeaseAnswer>, ApiError> {
    let pull = pull_of(path)?;
    let queue = &access(&state)?.queue;
    let (parts, body) = request.into_parts();
    let token = session_token(&parts.headers)?.to_owned();
    let known = queue.knows(&token, &pull);
    known.map_err(|refusal| refused_to(&state, &parts, refusal))?;
    let request = Request::from_parts(parts, body);
    let JsonBody(Heartbeat { session }) =
        read_json(request, &state, body::BODY_LIMIT, "64 KB").await?;
    let left = queue.heartbeat(&token, &pull, &session).map_err(refused)?;
    Ok(Json(LeaseAnswer {
        lease_ms: u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
    }))
}

/// Takes what a reviewer or fixer that runs elsewhere hands in.
#[utoipa::path(
    post,
    path = "/pr/{owner}/{repo}/{number}/session",
    tag = "Runners",
    params(
        ("owner" = String, Path, description = "Who owns the repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,38}$"),
        ("repo" = String, Path, description = "The repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,98}$"),
        ("number" = u64, Path, description = "The pull request.", minimum = 1, maximum = 2147483647),
    ),
    request_body = SessionResult,
    responses(
        (status = 202, description = "Taken, once.", body = SessionTaken),
        (status = 400, description = "It cannot be understood; the lease goes on.", content_type = "application/problem+json", body = Problem),
        (status = 401, description = "The token is none of a session.", content_type = "application/problem+json", body = Problem),
        (status = 403, description = "The token is another session's.", content_type = "application/problem+json", body = Problem),
        (status = 409, description = "The session was handed in, given to another runner, or is not wanted any more; or it is about another head.", content_type = "application/problem+json", body = Problem),
        (status = 413, description = "It is too large.", content_type = "application/problem+json", body = Problem),
        (status = 422, description = "It is not what was asked for, or the patch does not apply.", content_type = "application/problem+json", body = Problem),
        (status = 429, description = "Too many requests.", content_type = "application/problem+json", body = Problem),
        (status = 503, description = "The server stops.", content_type = "application/problem+json", body = Problem),
    ),
    security(("runner_session" = [])),
)]
pub(crate) async fn hand_in(
    State(state): State<Arc<ServerState>>,
    path: PullPath,
    request: Request,
) -> Result<(StatusCode, Json<SessionTaken>), ApiError> {
    let pull = pull_of(path)?;
    let queue = access(&state)?.queue.clone();
    let (parts, body) = request.into_parts();
    let token = session_token(&parts.headers)?.to_owned();
    // Before the body: nobody makes this server hold 16 MB who holds no session.
    let known = queue.knows(&token, &pull);
    known.map_err(|refusal| refused_to(&state, &parts, refusal))?;
    let request = Request::from_parts(parts, body);
    let done = read_json(request, &state, BODY_LIMIT, BODY_LIMIT_WORDS).await?;
    let JsonBody(done): JsonBody<HandedIn> = done;
    let handed = queue.hand_in(&token, &pull, done);
    match tokio::time::timeout(VERDICT_TIMEOUT, handed).await {
        // It is taken; what the gates say of it is the loop's.
        Ok(Ok(())) | Err(_) => Ok((StatusCode::ACCEPTED, Json(SessionTaken { taken: true }))),
        Ok(Err(HandInError::Refused(refusal))) => Err(refused(refusal)),
        Ok(Err(HandInError::Invalid(error))) => Err(ApiError(error)),
    }
}

async fn read_json<T: serde::de::DeserializeOwned>(
    request: Request,
    state: &Arc<ServerState>,
    limit: usize,
    in_words: &str,
) -> Result<JsonBody<T>, ApiError> {
    JsonBody::read(request, state, limit, in_words).await
}

/// Sends the commits of a session.
#[utoipa::path(
    get,
    path = "/pr/{owner}/{repo}/{number}/session/{session}/bundle",
    tag = "Runners",
    params(
        ("owner" = String, Path, description = "Who owns the repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,38}$"),
        ("repo" = String, Path, description = "The repository.", pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,98}$"),
        ("number" = u64, Path, description = "The pull request.", minimum = 1, maximum = 2147483647),
        ("session" = String, Path, description = "The session."),
    ),
    responses(
        (status = 200, description = "A git bundle with head and base, each with its history.", content_type = "application/x-git-bundle"),
        (status = 400, description = "It cannot be understood.", content_type = "application/problem+json", body = Problem),
        (status = 401, description = "The token is none of a session.", content_type = "application/problem+json", body = Problem),
        (status = 403, description = "The token is another session's.", content_type = "application/problem+json", body = Problem),
        (status = 409, description = "The lease has ended.", content_type = "application/problem+json", body = Problem),
        (status = 429, description = "Too many requests.", content_type = "application/problem+json", body = Problem),
    ),
    security(("runner_session" = [])),
)]
pub(crate) async fn bundle(
    State(state): State<Arc<ServerState>>,
    path: Result<Path<(String, String, String, String)>, PathRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    let malformed = |error: PathRejection| ApiError::malformed(error.body_text());
    let Path((owner, repo, number, session)) = path.map_err(malformed)?;
    let pull: PullName = pull_of(Ok(Path((owner, repo, number))))?;
    let (parts, _) = request.into_parts();
    let token = session_token(&parts.headers)?;
    let file = access(&state)?.queue.bundle(token, &pull, &session);
    let file = file.map_err(|refusal| refused_to(&state, &parts, refusal))?;
    let opened = tokio::fs::File::open(&file).await;
    let file = opened.map_err(|_| refused(Refusal::Over))?;
    let stream = futures::stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; CHUNK_BYTES];
        let length = file.read(&mut chunk).await?;
        chunk.truncate(length);
        Ok::<_, std::io::Error>((length > 0).then_some((chunk, file)))
    });
    let kind = [(header::CONTENT_TYPE, "application/x-git-bundle")];
    Ok((kind, Body::from_stream(stream)).into_response())
}

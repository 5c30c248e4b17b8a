//! Deliveries of GitHub's webhooks: they wake the loops concerned, and have pull requests started that are started by themselves. What they
//! say is not believed; that something was said has it read from GitHub (§3.1).

mod delivery;
pub(crate) mod intake;
mod signature;

use crate::problem::{ApiError, Problem};
use crate::state::ServerState;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::Login;
use collie_core::user_error::UserError;
use delivery::Delivery;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use utoipa::ToSchema;

/// The largest body that GitHub sends.
const BODY_LIMIT: usize = 25 * 1024 * 1024;
/// No id of a delivery is longer.
const MAX_ID_CHARS: usize = 200;

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Loops that it is about look at GitHub now.
    Woken,
    /// It was taken before.
    Repeated,
    /// Collie has no use for such an event.
    Ignored,
}

/// The answer to a delivery.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryAnswer {
    outcome: Outcome,
}

/// Takes a delivery of GitHub's.
#[utoipa::path(
    post,
    path = "/webhooks/github",
    tag = "Webhooks",
    params(
        ("X-GitHub-Event" = String, Header, description = "What happened."),
        ("X-GitHub-Delivery" = String, Header, description = "The delivery's id: one that was taken is not taken again."),
        ("X-Hub-Signature-256" = String, Header, description = "`sha256=` and the HMAC of the body by the secret."),
    ),
    request_body(content = serde_json::Value, description = "The payload."),
    responses(
        (status = 202, description = "Taken.", body = DeliveryAnswer),
        (status = 400, description = "It is not what GitHub sends.", content_type = "application/problem+json", body = Problem),
        (status = 401, description = "The signature is missing or wrong.", content_type = "application/problem+json", body = Problem),
        (status = 404, description = "This server takes no webhooks.", content_type = "application/problem+json", body = Problem),
        (status = 413, description = "It is larger than GitHub sends.", content_type = "application/problem+json", body = Problem),
        (status = 503, description = "The journal cannot be written.", content_type = "application/problem+json", body = Problem),
    ),
)]
pub(crate) async fn github(
    State(state): State<Arc<ServerState>>,
    request: Request,
) -> Result<(StatusCode, Json<DeliveryAnswer>), ApiError> {
    let event = header(request.headers(), "x-github-event").unwrap_or_default();
    let outcome = take(&state, request, &event).await;
    let word = match &outcome {
        Ok(Outcome::Woken) => "woken",
        Ok(Outcome::Repeated) => "repeated",
        Ok(Outcome::Ignored) => "ignored",
        Err(_) => "refused",
    };
    state.metrics.count_delivery(word);
    let outcome = outcome?;
    Ok((StatusCode::ACCEPTED, Json(DeliveryAnswer { outcome })))
}

async fn take(state: &ServerState, request: Request, event: &str) -> Result<Outcome, ApiError> {
    let off = || ApiError(UserError::new(ErrorCode::WebhooksOff).hint(ErrorHint::ServerDocs));
    let secret = state.options.webhook_secret.as_ref().ok_or_else(off)?;
    let bad = || ApiError(UserError::new(ErrorCode::BadSignature).hint(ErrorHint::ServerDocs));
    // Before the body: nobody makes this server hold 25 MB who has no signature to show.
    let signature = header(request.headers(), "x-hub-signature-256").ok_or_else(bad)?;
    let id = header(request.headers(), "x-github-delivery");
    let headers = request.headers();
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|kind| {
        let kind = kind.to_str().unwrap_or_default();
        kind.starts_with("application/json")
    });
    let (body, _room) = state.webhooks.body(request).await?;
    if !signature::is_signed(secret, &signature, &body) {
        return Err(bad());
    }
    let id = id.filter(|id| !id.is_empty() && id.chars().count() <= MAX_ID_CHARS);
    let id = id.ok_or_else(|| ApiError::malformed("it has no `X-GitHub-Delivery`"))?;
    if !is_json {
        return Err(ApiError::malformed(
            "it is not sent as application/json: choose that content type in the webhook's settings",
        ));
    }
    let Delivery::Hint(hint) = delivery::read(event, &body).map_err(ApiError::malformed)? else {
        return Ok(Outcome::Ignored);
    };
    let id = hex::encode(Sha256::digest(format!("delivery\n{id}").as_bytes()));
    if state.backend.was_seen(&id).await? {
        return Ok(Outcome::Repeated);
    }
    let hint = hint.by_possibly(state.backend.own_login().as_ref().map(Login::as_str));
    for loop_state in state.backend.loop_states() {
        if hint.concerns(&loop_state) {
            state.backend.report_change(&loop_state.id, hint.urgency);
        }
    }
    if hint.changes_list {
        state.backend.look_at_repository(&hint.repo);
    }
    // Afterwards: what is cut off in between is sent again, and to look twice harms nothing.
    state.webhooks.remember(id).await?;
    Ok(Outcome::Woken)
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?.to_owned();
    values.next().is_none().then_some(first)
}

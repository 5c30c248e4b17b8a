//! Who may read the metrics.

use crate::peer::Peer;
use crate::problem::ApiError;
use crate::state::ServerState;
use axum::extract::State;
use axum::http::header;
use axum::http::request::Parts;
use axum::response::IntoResponse;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use secrecy::ExposeSecret as _;
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

/// What is counted and measured, for a monitor.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "Monitoring",
    responses(
        (status = 200, description = "The numbers, as OpenMetrics text.", content_type = "application/openmetrics-text", body = String),
        (status = 401, description = "The monitor's token is missing or wrong.", content_type = "application/problem+json", body = crate::problem::Problem),
    ),
    security(("metrics" = []), ()),
)]
pub(crate) async fn metrics(
    State(state): State<Arc<ServerState>>,
    parts: Parts,
) -> Result<impl IntoResponse, ApiError> {
    if !may_ask(&state, &parts) {
        let refused = UserError::new(ErrorCode::SignedOut);
        return Err(ApiError(refused.hint(ErrorHint::ServerDocs)));
    }
    let text = state.metrics.text(&state.backend, state.people.count());
    let text = text
        .await
        .map_err(|error| UserError::new(ErrorCode::Answer).with("message", error))?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text))
}

/// Whoever has the monitors' token; without one, whoever is on this machine and no proxy stands before them.
fn may_ask(state: &ServerState, parts: &Parts) -> bool {
    match &state.options.metrics_token {
        Some(token) => {
            let given = crate::people::bearer_token(&parts.headers).unwrap_or_default();
            bool::from(given.as_bytes().ct_eq(token.expose_secret().as_bytes()))
        }
        None => {
            let peer = parts.extensions.get::<Peer>();
            !state.options.behind_proxy && peer.is_some_and(|peer| peer.0.ip().is_loopback())
        }
    }
}

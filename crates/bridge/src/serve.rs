//! The page, `POST /rpc` and `GET /events`, for the account that a request names.

use axum::extract::{FromRequestParts, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use collie_app::backend::{AccountName, Accounts, Backend, update_batches};
use collie_wire::rpc::Command;
use futures::Stream;
use serde_json::Value;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tower_http::services::ServeDir;

/// The same as in the window, but for where the page calls.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Routes for the accounts of this process. Only pages of this very address may call them.
pub fn router(accounts: Arc<Accounts>, dist: &Path, address: SocketAddr) -> Router {
    Router::new()
        .route("/rpc", post(rpc))
        .route("/events", get(events))
        .fallback_service(ServeDir::new(dist))
        .layer(middleware::from_fn_with_state(address, check_origin))
        .with_state(accounts)
}

/// Refuses calls from other pages and under other names, and sends the page's policy along.
async fn check_origin(State(address): State<SocketAddr>, request: Request, next: Next) -> Response {
    if !is_same_origin(request.headers(), address) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let mut response = next.run(request).await;
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(CONTENT_SECURITY_POLICY),
    );
    response
}

fn is_same_origin(headers: &HeaderMap, address: SocketAddr) -> bool {
    let is_absent_or = |name: header::HeaderName, expect: &str| {
        headers
            .get(name)
            .is_none_or(|value| value.as_bytes() == expect.as_bytes())
    };
    is_absent_or(header::HOST, &address.to_string())
        && is_absent_or(header::ORIGIN, &format!("http://{address}"))
}

/// The backend of the account that `?account=NAME` names; without it that of the data folder.
struct RequestedBackend(Backend);

impl FromRequestParts<Arc<Accounts>> for RequestedBackend {
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(
        parts: &mut Parts,
        accounts: &Arc<Accounts>,
    ) -> Result<Self, Self::Rejection> {
        let refused = (StatusCode::NOT_FOUND, "no such account");
        let query = Query::<BTreeMap<String, String>>::try_from_uri(&parts.uri);
        let query = query.map_err(|_| refused)?;
        let name = match query.get("account") {
            Some(name) => AccountName::parse(name).ok_or(refused)?,
            None => AccountName::default(),
        };
        accounts.backend(&name).await.map(Self).ok_or(refused)
    }
}

async fn rpc(
    RequestedBackend(backend): RequestedBackend,
    Json(command): Json<Command>,
) -> Response {
    match backend.run(command).await {
        Ok(answer) => Json(answer).into_response(),
        Err(problem) => (StatusCode::UNPROCESSABLE_ENTITY, Json(problem)).into_response(),
    }
}

async fn events(
    RequestedBackend(backend): RequestedBackend,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let updates = backend.subscribe();
    let batches = futures::stream::unfold(updates, |mut updates| async move {
        let batch = update_batches::next_batch(&mut updates).await?;
        tokio::time::sleep(update_batches::BATCH_INTERVAL).await;
        let text = serde_json::to_value(&batch)
            .map_or_else(|_| Value::Null.to_string(), |v| v.to_string());
        Some((Ok(Event::default().data(text)), updates))
    });
    Sse::new(batches).keep_alive(KeepAlive::default())
}

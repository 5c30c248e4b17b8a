//! The page, `POST /rpc` and `GET /events`, for the account that a request names.

use axum::extract::{FromRequestParts, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
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
use subtle::ConstantTimeEq as _;
use tower_http::services::ServeDir;

/// The same as in the window, but for where the page calls.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Where a browser says whose page asks.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What only whoever started this process knows, and the page that they open. Routes of accounts ask for it as `?secret=`, since a
/// browser sends no header along when it opens a stream.
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Makes one that cannot be guessed.
    pub fn random() -> Self {
        Self(hex::encode(rand::random::<[u8; 32]>()).into())
    }

    /// The secret itself, for whoever started this.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a request carries it. How long the answer takes says nothing of the secret.
    fn is_carried_by(&self, uri: &Uri) -> bool {
        let query = Query::<BTreeMap<String, String>>::try_from_uri(uri);
        let given = query.ok().and_then(|mut query| query.0.remove("secret"));
        given.is_some_and(|given| bool::from(given.as_bytes().ct_eq(self.0.as_bytes())))
    }
}

/// Routes for the accounts of this process. Only pages of this very address may call them, and they need the secret.
pub fn router(accounts: Arc<Accounts>, dist: &Path, address: SocketAddr, secret: Secret) -> Router {
    Router::new()
        .route("/rpc", post(rpc))
        .route("/events", get(events))
        .route_layer(middleware::from_fn_with_state(secret, check_secret))
        .fallback_service(ServeDir::new(dist))
        .layer(middleware::from_fn_with_state(address, check_origin))
        .with_state(accounts)
}

/// Refuses whoever does not know the secret, such as another user of this machine.
async fn check_secret(State(secret): State<Secret>, request: Request, next: Next) -> Response {
    if secret.is_carried_by(request.uri()) {
        next.run(request).await
    } else {
        StatusCode::UNAUTHORIZED.into_response()
    }
}

/// Refuses calls from other pages and under other names, and sends the page's policy along.
async fn check_origin(State(address): State<SocketAddr>, request: Request, next: Next) -> Response {
    if !is_same_origin(&request, address) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(CONTENT_SECURITY_POLICY),
    );
    // The page's address has the secret in it.
    let no_referrer = HeaderValue::from_static("no-referrer");
    headers.insert(header::REFERRER_POLICY, no_referrer);
    response
}

/// Whether a request names this address, as whoever means it does, and comes from no other page.
fn is_same_origin(request: &Request, address: SocketAddr) -> bool {
    let all_are = |name: HeaderName, expect: &[&str]| {
        let mut values = request.headers().get_all(name).iter();
        values.all(|value| expect.iter().any(|expect| value == expect))
    };
    let host = address.to_string();
    let in_target = request.uri().authority().map(|named| named.as_str());
    let hosts = request.headers().get_all(header::HOST).iter().count();
    (hosts == 1 || (hosts == 0 && in_target.is_some()))
        && in_target.is_none_or(|named| named == host)
        && all_are(header::HOST, &[&host])
        && all_are(header::ORIGIN, &[&format!("http://{host}")])
        && all_are(SEC_FETCH_SITE, &["same-origin", "none"])
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

//! Which requests are looked at at all: those that name this server, come from its own page or from no page, and say who asks.

use crate::peer::Peer;
use crate::people::{self, SignedIn};
use crate::problem::{ApiError, problem_response};
use crate::state::ServerState;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The same as in the window, but for where the page calls.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Where a browser says whose page asks.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// What a page of this server adds to each call: no page of another site can, without being asked for leave first.
pub(crate) const REQUESTED_BY: HeaderName = HeaderName::from_static("x-collie-request");
/// Where a proxy says who asks.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// How long a request may take to arrive and be answered; a stream's answer has begun long before.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Where monitors look, by whatever name they know the machine.
const PATHS_OF_MONITORS: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Looks at each request before anything else does, puts errors into words, and adds what browsers are to hold to.
pub(crate) async fn guard(
    State(state): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let mut response = match refusal(&state, &request) {
        Some(refusal) => ApiError(refusal).into_response(),
        None => {
            let answered = tokio::time::timeout(REQUEST_TIMEOUT, next.run(request));
            answered.await.unwrap_or_else(|_| {
                let late = UserError::new(ErrorCode::RequestTimedOut);
                ApiError(late.hint(ErrorHint::TryAgain)).into_response()
            })
        }
    };
    if let Some(error) = ApiError::of(&response) {
        let cookies = response.headers().get(header::SET_COOKIE).cloned();
        response = problem_response(&error, &state.backend.localizer());
        if let Some(cookie) = cookies {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
    }
    state
        .metrics
        .count_request(&method, &path, response.status(), begun.elapsed());
    add_headers(response.headers_mut(), state.options.is_secure());
    response
}

fn add_headers(headers: &mut HeaderMap, secure: bool) {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if secure {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        let nowhere = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, nowhere);
    }
}

/// Why a request is refused whoever sends it.
fn refusal(state: &ServerState, request: &Request) -> Option<UserError> {
    if state.stopping.is_cancelled() {
        return Some(UserError::new(ErrorCode::ServerStopping).hint(ErrorHint::TryAgain));
    }
    let headers = request.headers();
    if !PATHS_OF_MONITORS.contains(&request.uri().path()) && !names_this_server(state, request) {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let host = host.unwrap_or_default();
        return Some(UserError::new(ErrorCode::ForeignHost).with("host", host));
    }
    let origins = state.options.origins();
    let is_own = |origin: &HeaderValue| origins.iter().any(|own| origin == own);
    if !headers.get_all(header::ORIGIN).iter().all(is_own) {
        return Some(UserError::new(ErrorCode::ForeignOrigin));
    }
    // A link on another page may lead here; nothing is done for who follows it.
    let is_link = request.method() == Method::GET
        && headers
            .get("sec-fetch-mode")
            .is_some_and(|mode| mode == "navigate");
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    let is_foreign = sites.any(|site| site != "same-origin" && site != "none");
    (is_foreign && !is_link).then(|| UserError::new(ErrorCode::ForeignOrigin))
}

/// Whether a request names this server, and no other beside it: a name that was bound to this address anew is another's.
fn names_this_server(state: &ServerState, request: &Request) -> bool {
    let hosts = state.options.hosts();
    let is_known = |named: &str| hosts.iter().any(|host| host.eq_ignore_ascii_case(named));
    let mut named = request.headers().get_all(header::HOST).iter();
    let first = named.next().and_then(|host| host.to_str().ok());
    let in_target = request.uri().authority().map(|named| named.as_str());
    first.is_some_and(is_known) && named.next().is_none() && in_target.is_none_or(is_known)
}

/// The address that a request came from, as the proxy in front says where there is one.
pub(crate) fn address_of(state: &ServerState, parts: &Parts) -> IpAddr {
    let peer = parts.extensions.get::<Peer>().map(|peer| peer.0.ip());
    let peer = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
    if !state.options.behind_proxy {
        return peer;
    }
    // The last is the proxy's own word; what stands before it anybody may have written.
    let lines = parts.headers.get_all(FORWARDED_FOR).iter();
    let last = lines.filter_map(|line| line.to_str().ok()).next_back();
    let last = last.and_then(|line| line.rsplit(',').next());
    last.and_then(|last| last.trim().parse().ok())
        .unwrap_or(peer)
}

impl FromRequestParts<Arc<ServerState>> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &Arc<ServerState>,
    ) -> Result<Self, ApiError> {
        let signed_in = who_asks(state, parts).await?;
        let signed_in = signed_in.ok_or_else(ApiError::signed_out)?;
        state.limits.take(signed_in.person.id)?;
        Ok(signed_in)
    }
}

/// Who asks, by their token or their session; nobody where neither is there.
pub(crate) async fn who_asks(
    state: &ServerState,
    parts: &Parts,
) -> Result<Option<SignedIn>, ApiError> {
    if let Some(token) = people::bearer_token(&parts.headers) {
        if let Some(known) = state.people.by_known_token(token) {
            return Ok(Some(known));
        }
        state.limits.take_stranger(address_of(state, parts))?;
        let person = people::vouch(&state.backend.config_now()?, token).await?;
        return Ok(Some(state.people.remember_token(token, person)));
    }
    let Some(signed_in) = state.people.by_session(&parts.headers).await? else {
        return Ok(None);
    };
    require_own_page(parts)?;
    Ok(Some(signed_in))
}

/// Refuses what a browser sends with the cookie but not from this server's own page.
pub(crate) fn require_own_page(parts: &Parts) -> Result<(), ApiError> {
    if parts.method == Method::GET || parts.headers.contains_key(&REQUESTED_BY) {
        Ok(())
    } else {
        Err(ErrorCode::ForeignOrigin.into())
    }
}

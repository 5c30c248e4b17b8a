//! Who gets to a route at all: no page of another site, no other name for this address, and below `/_forge` nobody
//! without the secret of this run.
//!
//! What lies below `/_forge` imports repositories, whose commands the forge runs. It listens on loopback, where every page
//! in a browser and every user of the machine can reach it. So each request must name the address that the forge listens
//! on (a name that was bound anew does not), come from no other page, and carry JSON as such, which a page may not send to
//! another site unasked. There is no CORS: what asks first is refused.

use std::net::SocketAddr;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::middleware::Next;
use axum::response::Response;
use subtle::ConstantTimeEq as _;

use crate::rest::response::error_response;

/// Carries the secret of a run to the routes below `/_forge`.
pub const SECRET_HEADER: &str = "x-forge-secret";

/// Bytes of a secret.
const SECRET_BYTES: usize = 32;

/// What only whoever started this run knows. It is shown on purpose alone.
#[derive(Clone)]
pub(crate) struct ControlSecret(String);

impl ControlSecret {
    /// Makes one that cannot be guessed.
    pub(crate) fn random() -> Self {
        Self(hex::encode(rand::random::<[u8; SECRET_BYTES]>()))
    }

    /// The secret itself, for whoever started the forge.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a request carries it, and nothing beside it. How long the answer takes says nothing of the secret.
    fn is_carried_by(&self, headers: &HeaderMap) -> bool {
        single(headers, &HeaderName::from_static(SECRET_HEADER))
            .is_some_and(|given| bool::from(given.as_bytes().ct_eq(self.0.as_bytes())))
    }
}

impl std::fmt::Debug for ControlSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ControlSecret")
    }
}

/// What requests to a forge are held against.
#[derive(Debug, Clone)]
pub(crate) struct RequestGuard {
    /// How the forge may be called: its address, and `localhost`, each with the port.
    hosts: Vec<String>,
    secret: ControlSecret,
}

impl RequestGuard {
    /// Guards the forge that listens on an address.
    pub(crate) fn new(address: SocketAddr, secret: ControlSecret) -> Self {
        let mut hosts = vec![address.to_string(), format!("localhost:{}", address.port())];
        // A client leaves the usual port out.
        if address.port() == 80 {
            let bare = hosts.iter().filter_map(|host| host.strip_suffix(":80"));
            hosts.extend(bare.map(ToOwned::to_owned).collect::<Vec<_>>());
        }
        Self { hosts, secret }
    }

    /// Why a request is refused: a status, and what is wrong with it.
    fn refusal(&self, request: &Request) -> Option<(u16, &'static str)> {
        let (uri, headers) = (request.uri(), request.headers());
        if !self.is_called_by_its_name(uri, headers) {
            return Some((403, "Host is not where this forge listens"));
        }
        if !self.is_from_no_other_page(headers) {
            return Some((403, "Requests of other pages are refused"));
        }
        let path = uri.path();
        if is_own_route(path) && !self.secret.is_carried_by(headers) {
            let message = "X-Forge-Secret is not the one that this forge printed at its start";
            return Some((401, message));
        }
        // GitHub does not ask for a type, only for a token, which no page has. Git looks at its own types itself.
        let is_untyped_api = !headers.contains_key(header::CONTENT_TYPE) && !is_own_route(path);
        let takes_json = is_own_route(path) || path.starts_with("/api/");
        let has_body = !request.body().is_end_stream();
        if takes_json && has_body && !is_json(headers) && !is_untyped_api {
            return Some((415, "Content-Type must be application/json"));
        }
        None
    }

    fn is_called_by_its_name(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let is_ours = |host: &str| {
            self.hosts
                .iter()
                .any(|ours| ours.eq_ignore_ascii_case(host))
        };
        // A target may name a host as well, and HTTP/2 names it nowhere else.
        let in_target = uri.authority().map(|authority| is_ours(authority.as_str()));
        let mut in_headers = headers.get_all(header::HOST).iter();
        let in_header = match (in_headers.next(), in_headers.next()) {
            (None, _) => None,
            (Some(host), None) => Some(host.to_str().is_ok_and(is_ours)),
            (Some(_), Some(_)) => Some(false),
        };
        match (in_target, in_header) {
            (None, None) => false,
            (target, header) => target.unwrap_or(true) && header.unwrap_or(true),
        }
    }

    fn is_from_no_other_page(&self, headers: &HeaderMap) -> bool {
        let is_ours = |origin: &HeaderValue| {
            let host = origin.to_str().ok().and_then(|o| o.strip_prefix("http://"));
            host.is_some_and(|host| self.hosts.iter().any(|ours| ours == host))
        };
        let is_own_site = |site: &HeaderValue| site == "same-origin" || site == "none";
        headers.get_all(header::ORIGIN).iter().all(is_ours)
            && headers.get_all("sec-fetch-site").iter().all(is_own_site)
    }
}

/// Whether a path is one of the forge's own, which GitHub has not. Routes are matched on the path as it is sent.
fn is_own_route(path: &str) -> bool {
    path.strip_prefix("/_forge")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A header that is there once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = single(headers, &header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let essence = kind.and_then(|kind| kind.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Lets a request through, or refuses it.
pub(crate) async fn guard_request(
    State(guard): State<RequestGuard>,
    request: Request,
    next: Next,
) -> Response {
    match guard.refusal(&request) {
        None => next.run(request).await,
        Some((status, message)) => error_response(status, message, &[]),
    }
}

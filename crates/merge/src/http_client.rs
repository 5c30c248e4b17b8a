//! Sends single requests to GitHub. Nothing is sent twice, no redirect is followed, no connection is used again.

use bytes::Bytes;
use collie_github::{ConnectError, Endpoint, GitHubConfig, HostSchema, Token};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::TokioExecutor;
use secrecy::zeroize::Zeroizing;
use serde_json::Value;
use std::time::Duration;

/// An answer larger than this is not read, in bytes; a hundred checks stay far below.
const MAX_RESPONSE_BYTES: usize = 8 << 20;
/// Words of libraries are cut after so many characters.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// One host's API.
pub(crate) struct MergeClient {
    pub endpoint: Endpoint,
    /// What it does not know.
    pub schema: HostSchema,
    transport: HttpTransport,
    timeout: Duration,
}

enum HttpTransport {
    /// To this very machine.
    Http(Client<HttpConnector, Full<Bytes>>),
    Https(Client<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

/// An answer that was received whole.
pub(crate) struct HttpResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A request without an answer.
#[derive(Debug)]
pub(crate) enum RequestFailure {
    /// No connection was made: it had no effect.
    NotSent(String),
    /// The connection ended: it may have had its effect.
    ConnectionLost(String),
    /// Nothing came in time: it may have its effect yet.
    TimedOut(String),
}

impl RequestFailure {
    /// What happened, in words.
    pub fn into_message(self) -> String {
        match self {
            RequestFailure::NotSent(message)
            | RequestFailure::ConnectionLost(message)
            | RequestFailure::TimedOut(message) => message,
        }
    }
}

impl MergeClient {
    /// Sets a client up; no request is made.
    pub fn new(config: &GitHubConfig) -> Result<Self, ConnectError> {
        let endpoint = Endpoint::parse(&config.api_url)?;
        let client = if endpoint.origin.starts_with("http:") {
            HttpTransport::Http(build_client(HttpConnector::new()))
        } else {
            let connector = HttpsConnectorBuilder::new()
                .with_provider_and_native_roots(rustls::crypto::ring::default_provider())
                .map_err(|error| ConnectError::Client {
                    host: endpoint.host.clone(),
                    message: format!("the system's certificates could not be read: {error}"),
                })?
                .https_only()
                .enable_http1()
                .build();
            HttpTransport::Https(build_client(connector))
        };
        Ok(Self {
            endpoint,
            schema: HostSchema::default(),
            transport: client,
            timeout: config.request_timeout,
        })
    }

    /// Sends a request with a JSON body to a path of the host, once.
    pub async fn send_once(
        &self,
        method: Method,
        path: &str,
        token: &Token,
        body: &Value,
    ) -> Result<HttpResponse, RequestFailure> {
        let url = format!("{}{path}", self.endpoint.origin);
        let request = build_request(method, &url, token, body)?;
        match tokio::time::timeout(self.timeout, self.read_response(request)).await {
            Ok(response) => response,
            Err(_) => Err(RequestFailure::TimedOut(format!(
                "no answer within {} s",
                self.timeout.as_secs_f32()
            ))),
        }
    }

    async fn read_response(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<HttpResponse, RequestFailure> {
        let sent = match &self.transport {
            HttpTransport::Http(client) => client.request(request).await,
            HttpTransport::Https(client) => client.request(request).await,
        };
        let (parts, body) = sent.map_err(|error| request_failure(&error))?.into_parts();
        let body = Limited::new(body, MAX_RESPONSE_BYTES)
            .collect()
            .await
            .map_err(|error| RequestFailure::ConnectionLost(error_chain(error.as_ref())))?;
        Ok(HttpResponse {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.to_bytes(),
        })
    }
}

fn build_client<C: Connect + Clone>(connector: C) -> Client<C, Full<Bytes>> {
    Client::builder(TokioExecutor::new())
        .retry_canceled_requests(false)
        .pool_max_idle_per_host(0)
        .build(connector)
}

fn build_request(
    method: Method,
    url: &str,
    token: &Token,
    body: &Value,
) -> Result<Request<Full<Bytes>>, RequestFailure> {
    let mut bearer = HeaderValue::from_str(&Zeroizing::new(format!("Bearer {}", token.expose())))
        .map_err(|_| RequestFailure::NotSent("the token is no header value".into()))?;
    bearer.set_sensitive(true);
    Request::builder()
        .method(method)
        .uri(url)
        .header(ACCEPT, "application/vnd.github+json")
        .header(AUTHORIZATION, bearer)
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, concat!("collie/", env!("CARGO_PKG_VERSION")))
        // One form of node ids for all repositories, old and new: they are part of a loop's identity (§2).
        .header("x-github-next-global-id", "1")
        .body(Full::from(body.to_string()))
        .map_err(|error| RequestFailure::NotSent(error_chain(&error)))
}

fn request_failure(error: &ClientError) -> RequestFailure {
    let message = error_chain(error);
    if error.is_connect() {
        RequestFailure::NotSent(message)
    } else {
        RequestFailure::ConnectionLost(message)
    }
}

/// An error with its causes, on one line.
fn error_chain(error: &(dyn std::error::Error + 'static)) -> String {
    let words: Vec<String> = std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect();
    words.join(": ").chars().take(MAX_MESSAGE_CHARS).collect()
}

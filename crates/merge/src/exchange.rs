//! Sends single requests to GitHub. Nothing is sent twice, no redirect is followed, no connection is used again.

use bytes::Bytes;
use collie_github::{ConnectError, Endpoint, GitHubConfig, Token};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use std::time::Duration;

/// An answer larger than this is not read, in bytes; a hundred checks stay far below.
const LARGEST_ANSWER: usize = 8 << 20;
/// Words of libraries are cut after so many characters.
const WORDS: usize = 1_000;

/// One host's API.
pub(crate) struct Host {
    pub endpoint: Endpoint,
    client: AnyClient,
    timeout: Duration,
}

enum AnyClient {
    /// To this very machine.
    Plain(Client<HttpConnector, Full<Bytes>>),
    Tls(Client<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

/// An answer that was received whole.
pub(crate) struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A request without an answer.
#[derive(Debug)]
pub(crate) enum Lost {
    /// No connection was made: it had no effect.
    Unsent(String),
    /// The connection ended: it may have had its effect.
    Cut(String),
    /// Nothing came in time: it may have its effect yet.
    Silent(String),
}

impl Lost {
    /// What happened, in words.
    pub fn into_message(self) -> String {
        match self {
            Lost::Unsent(message) | Lost::Cut(message) | Lost::Silent(message) => message,
        }
    }
}

impl Host {
    /// Sets a client up; no request is made.
    pub fn new(config: &GitHubConfig) -> Result<Self, ConnectError> {
        let endpoint = Endpoint::parse(&config.api_url)?;
        let client = if endpoint.origin.starts_with("http:") {
            AnyClient::Plain(on(HttpConnector::new()))
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
            AnyClient::Tls(on(connector))
        };
        Ok(Self {
            endpoint,
            client,
            timeout: config.request_timeout,
        })
    }

    /// Sends a request with a JSON body to a path of the host, once.
    pub async fn exchange(
        &self,
        method: Method,
        path: &str,
        token: &Token,
        body: &Value,
    ) -> Result<Answer, Lost> {
        let url = format!("{}{path}", self.endpoint.origin);
        let request = request(method, &url, token, body)?;
        match tokio::time::timeout(self.timeout, self.receive(request)).await {
            Ok(answer) => answer,
            Err(_) => Err(Lost::Silent(format!(
                "no answer within {} s",
                self.timeout.as_secs_f32()
            ))),
        }
    }

    async fn receive(&self, request: Request<Full<Bytes>>) -> Result<Answer, Lost> {
        let sent = match &self.client {
            AnyClient::Plain(client) => client.request(request).await,
            AnyClient::Tls(client) => client.request(request).await,
        };
        let (parts, body) = sent.map_err(|error| lost(&error))?.into_parts();
        let body = Limited::new(body, LARGEST_ANSWER)
            .collect()
            .await
            .map_err(|error| Lost::Cut(chain(error.as_ref())))?;
        Ok(Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.to_bytes(),
        })
    }
}

fn on<C: Connect + Clone>(connector: C) -> Client<C, Full<Bytes>> {
    Client::builder(TokioExecutor::new())
        .retry_canceled_requests(false)
        .pool_max_idle_per_host(0)
        .build(connector)
}

fn request(
    method: Method,
    url: &str,
    token: &Token,
    body: &Value,
) -> Result<Request<Full<Bytes>>, Lost> {
    let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose()))
        .map_err(|_| Lost::Unsent("the token is no header value".into()))?;
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
        .map_err(|error| Lost::Unsent(chain(&error)))
}

fn lost(error: &ClientError) -> Lost {
    let message = chain(error);
    if error.is_connect() {
        Lost::Unsent(message)
    } else {
        Lost::Cut(message)
    }
}

/// An error with its causes, on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let words: Vec<String> = std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect();
    words.join(": ").chars().take(WORDS).collect()
}

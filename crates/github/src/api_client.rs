//! Sends requests through octocrab and judges the answers. Nothing here is sent twice by itself.

use crate::api_fault::{self, ApiFault};
use crate::app_tokens::Installation;
use crate::config::{ConnectError, Endpoint, GitHubConfig};
use crate::credentials::{Token, TokenSource};
use crate::host_schema::HostSchema;
use crate::measured_request::MeasuredRequest;
use crate::quota::{Payer, QuotaLedger, Quotas, UsedSoFar};
use crate::repository_token::{AppToken, TokenScope};
use crate::transport;
use bytes::Bytes;
use collie_core::ids::{Login, RepoName, Time};
use collie_core::poll_budget::{RateBudget, RateResource};
use collie_engine::ports::Clock;
use http::header::{
    ACCEPT, AUTHORIZATION, ETAG, IF_NONE_MATCH, InvalidHeaderValue, LINK, LOCATION, USER_AGENT,
};
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use octocrab::Octocrab;
use secrecy::zeroize::Zeroizing;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tracing::Instrument as _;

/// An answer larger than this is not read: a page of a hundred full comments stays far below.
pub(crate) const MAX_RESPONSE_BYTES: usize = 64 << 20;
/// Answers remembered for conditional requests.
const RESPONSE_CACHE_CAPACITY: usize = 512;
/// Redirects that are followed.
const MAX_REDIRECTS: usize = 4;
/// GitHub's advice: a second between requests that create content.
const WRITE_SPACING_MS: u64 = 1_000;

/// An answer that was received whole.
#[derive(Clone, Debug)]
pub(crate) struct HttpResponse {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, or its end.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Reads the body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiFault> {
        serde_json::from_slice(&self.body).map_err(|error| {
            ApiFault::InvalidResponse(format!("GitHub's answer could not be read: {error}"))
        })
    }

    /// Whether GitHub says that there is a further page.
    pub fn has_next(&self) -> bool {
        self.headers
            .get_all(LINK)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.contains("rel=\"next\""))
    }
}

/// How much of a body is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BodyLimit {
    /// All of it; more than that many bytes are a fault.
    Full(usize),
    /// Its last bytes.
    Tail(usize),
}

/// A request, wherever it goes.
pub(crate) struct HttpRequest<'a> {
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<&'a Value>,
    pub(crate) body_limit: BodyLimit,
}

/// One host's API, as one of those who share the quota uses it.
pub(crate) struct ApiClient {
    connection: Arc<Connection>,
    payer: Payer,
    /// The repository that all requests are about; none: as each says itself.
    repo: Option<RepoName>,
}

impl Deref for ApiClient {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// What all requests to one host have in common.
pub(crate) struct Connection {
    octocrab: Octocrab,
    /// Where it is.
    pub endpoint: Endpoint,
    /// What it does not know.
    pub schema: HostSchema,
    /// The time that limits are counted in.
    pub clock: Arc<dyn Clock>,
    pub(crate) token_source: TokenSource,
    token: RwLock<Token>,
    /// The tokens of an App's installation.
    pub(crate) app_tokens: Mutex<BTreeMap<TokenScope, AppToken>>,
    /// The installation, once it was asked for; held while a token is made.
    pub(crate) app_installation: tokio::sync::Mutex<Option<Installation>>,
    timeout: Duration,
    /// As the last answers told them, until when no request is made, and what was used.
    ledger: Mutex<QuotaLedger>,
    response_cache: Mutex<BTreeMap<String, (HeaderValue, HttpResponse)>>,
    next_write: tokio::sync::Mutex<Time>,
    /// Milliseconds that the host's clock is ahead of ours, as its last answer told.
    clock_lead: AtomicI64,
}

impl ApiClient {
    /// Sets the client up; no request is made.
    pub async fn connect(
        config: &GitHubConfig,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ConnectError> {
        let endpoint = Endpoint::parse(&config.api_url)?;
        let host = endpoint.host.clone();
        let token = match &config.token_source {
            // The first request makes one.
            TokenSource::App(_) => Token::unmade(),
            source => {
                let found = source.find(&host).await;
                found
                    .ok_or_else(|| ConnectError::NoToken { host: host.clone() })?
                    .token
            }
        };
        let crab =
            transport::build_client(&endpoint.origin).map_err(|message| ConnectError::Client {
                host: host.clone(),
                message,
            })?;
        let connection = Connection {
            octocrab: crab,
            endpoint,
            schema: HostSchema::default(),
            clock,
            token_source: config.token_source.clone(),
            token: RwLock::new(token),
            app_tokens: Mutex::default(),
            app_installation: tokio::sync::Mutex::default(),
            timeout: config.request_timeout,
            ledger: Mutex::default(),
            response_cache: Mutex::default(),
            next_write: tokio::sync::Mutex::new(Time(0)),
            clock_lead: AtomicI64::new(0),
        };
        Ok(Self {
            connection: Arc::new(connection),
            payer: Payer::Collie,
            repo: None,
        })
    }

    /// The same host, for requests that another one pays.
    pub fn paid_by(&self, payer: Payer) -> Self {
        let (connection, repo) = (self.connection.clone(), self.repo.clone());
        Self {
            connection,
            payer,
            repo,
        }
    }

    /// The same host, for requests about one repository that do not name it: an App has a token of its own for each.
    pub fn within(&self, repo: &RepoName) -> Self {
        Self {
            connection: self.connection.clone(),
            payer: self.payer,
            repo: Some(repo.clone()),
        }
    }

    /// The token in use; of an App, that for no repository in particular.
    pub fn token(&self) -> Token {
        self.token
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The account whose token it must be; none where any will do.
    pub fn wanted_account(&self) -> Option<&Login> {
        self.token_source.account()
    }

    /// Whether another account of `gh` could be used in place of this one.
    pub fn is_looked_up(&self) -> bool {
        matches!(
            self.token_source,
            TokenSource::LookUp | TokenSource::LookUpAs(_)
        )
    }

    /// Reads `path` (below the REST root), conditionally when it was read before.
    pub async fn get(&self, path: &str) -> Result<HttpResponse, ApiFault> {
        let cached = lock(&self.response_cache).get(path).cloned();
        let mut headers = json_headers();
        if let Some((etag, _)) = &cached {
            headers.insert(IF_NONE_MATCH, etag.clone());
        }
        let url = format!("{}{path}", self.endpoint.rest_path);
        let response = self
            .send_request(
                Method::GET,
                &url,
                headers,
                None,
                BodyLimit::Full(MAX_RESPONSE_BYTES),
            )
            .await?;
        if response.status == 304
            && let Some((_, answer)) = cached
        {
            return Ok(answer);
        }
        if let Some(etag) = response.headers.get(ETAG) {
            let mut remembered = lock(&self.response_cache);
            if remembered.len() >= RESPONSE_CACHE_CAPACITY {
                remembered.pop_first();
            }
            remembered.insert(path.to_string(), (etag.clone(), response.clone()));
        }
        Ok(response)
    }

    /// Reads `path` afresh, whatever was read before.
    pub async fn get_uncached(&self, path: &str) -> Result<HttpResponse, ApiFault> {
        let url = format!("{}{path}", self.endpoint.rest_path);
        self.send_request(
            Method::GET,
            &url,
            json_headers(),
            None,
            BodyLimit::Full(MAX_RESPONSE_BYTES),
        )
        .await
    }

    /// Reads the last bytes of a text, through a redirect to where it is stored.
    pub async fn get_tail(&self, path: &str, bytes: usize) -> Result<HttpResponse, ApiFault> {
        let url = format!("{}{path}", self.endpoint.rest_path);
        self.send_request(
            Method::GET,
            &url,
            json_headers(),
            None,
            BodyLimit::Tail(bytes),
        )
        .await
    }

    /// Creates something, once. On github.com it keeps a second's distance from the last one.
    pub async fn create(&self, path: &str, body: &Value) -> Result<HttpResponse, ApiFault> {
        self.write(Method::POST, path, body).await
    }

    /// Dismisses a review, once, at the same distance. Nothing else is changed this way: GitHub merges by the same method (§11).
    pub async fn dismiss(
        &self,
        pull: (&RepoName, u64),
        review: u64,
        body: &Value,
    ) -> Result<HttpResponse, ApiFault> {
        let (repo, number) = pull;
        let path = format!("/repos/{repo}/pulls/{number}/reviews/{review}/dismissals");
        self.write(Method::PUT, &path, body).await
    }

    async fn write(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<HttpResponse, ApiFault> {
        if self.endpoint.host == "github.com" {
            let mut next = self.next_write.lock().await;
            self.clock.sleep_until(*next).await;
            *next = self.clock.now().plus(WRITE_SPACING_MS);
        }
        let url = format!("{}{path}", self.endpoint.rest_path);
        self.send_request(
            method,
            &url,
            json_headers(),
            Some(body),
            BodyLimit::Full(MAX_RESPONSE_BYTES),
        )
        .await
    }

    /// Sends a GraphQL document; the answer's `errors` are the caller's to look at.
    pub async fn graphql(&self, body: &Value) -> Result<HttpResponse, ApiFault> {
        let mut headers = json_headers();
        // One form of node ids for all repositories, old and new: they are part of a loop's identity (§2).
        headers.insert("x-github-next-global-id", HeaderValue::from_static("1"));
        let url = self.endpoint.graphql_path.clone();
        self.send_request(
            Method::POST,
            &url,
            headers,
            Some(body),
            BodyLimit::Full(MAX_RESPONSE_BYTES),
        )
        .await
    }

    /// Remembers that GitHub asked to wait: no request is made before (§3.2).
    pub fn pause_until(&self, until: Time) {
        let paused_until = &mut lock(&self.ledger).quotas.paused_until;
        *paused_until = Some(paused_until.map_or(until, |before| before.max(until)));
    }

    /// What time it is on the host, to a second.
    pub fn host_time(&self) -> Time {
        let now = self.clock.now();
        Time(
            now.0
                .saturating_add(self.clock_lead.load(Ordering::Relaxed)),
        )
    }

    /// The quotas as last told; a wait that is over is left out.
    pub fn quotas(&self) -> Quotas {
        let now = self.clock.now();
        let mut quotas = lock(&self.ledger).quotas;
        quotas.paused_until = quotas.paused_until.filter(|until| now < *until);
        quotas
    }

    /// How both budgets stand, with what Collie used of them.
    pub fn budgets(&self) -> Vec<RateBudget> {
        lock(&self.ledger).budgets()
    }

    /// What Collie has used of both so far.
    pub fn used_so_far(&self) -> UsedSoFar {
        lock(&self.ledger).used_so_far()
    }

    /// Learns what readings cost that were begun when so much had been used.
    pub fn record_readings(&self, before: UsedSoFar, readings: usize) {
        lock(&self.ledger).record_readings(before, readings);
    }

    /// Counts what a request cost, where Collie pays it.
    pub fn charge(&self, resource: RateResource, cost: u64) {
        if self.payer == Payer::Collie {
            lock(&self.ledger).charge(resource, cost);
        }
    }

    fn record_host_time(&self, response_headers: &HeaderMap) {
        if let Some(host_time) = api_fault::host_time(response_headers) {
            let lead = host_time.0.saturating_sub(self.clock.now().0);
            self.clock_lead.store(lead, Ordering::Relaxed);
        }
    }

    /// Remembers what an answer tells of its quota, and that it was used. Other resources, such as search, are not kept.
    ///
    /// A 304 costs nothing (<https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api>); a GraphQL answer
    /// costs a point at least, and says itself what more.
    fn record_quota(&self, url: &str, response: &HttpResponse) {
        if url.contains("/app/installations") {
            return;
        }
        let headers = &response.headers;
        let Some(quota) = api_fault::parse_quota(headers, self.clock.now()) else {
            return;
        };
        let resource = headers
            .get("x-ratelimit-resource")
            .and_then(|value| value.to_str().ok());
        let default_resource = if url == self.endpoint.graphql_path {
            "graphql"
        } else {
            "core"
        };
        let resource = match resource.unwrap_or(default_resource) {
            "graphql" => RateResource::Graphql,
            "core" => RateResource::Rest,
            _ => return,
        };
        lock(&self.ledger).record(resource, quota);
        if response.status != 304 {
            self.charge(resource, 1);
        }
    }

    async fn send_request(
        &self,
        method: Method,
        url: &str,
        headers: HeaderMap,
        body: Option<&Value>,
        body_limit: BodyLimit,
    ) -> Result<HttpResponse, ApiFault> {
        if let Some(until) = self.quotas().paused_until {
            return Err(ApiFault::RateLimited(until));
        }
        let request = HttpRequest {
            method,
            headers,
            body,
            body_limit,
        };
        let repo = self.repository_asked_about(url, body);
        let repo = repo.as_ref();
        let mut token = self.token_for(repo, None).await?;
        let mut response = self.send_once(&request, url, Some(&token)).await?;
        // A 401 has done nothing: sending again is safe.
        if response.status == 401
            && let Some(other) = self.refresh_token(repo, &token).await?
        {
            response = self.send_once(&request, url, Some(&other)).await?;
            token = other;
        }
        let response = self.follow_redirects(&request, response, &token).await?;
        match api_fault::classify_response(
            response.status,
            &response.headers,
            &response.body,
            self.clock.now(),
        ) {
            None => Ok(response),
            Some(fault) => {
                if let ApiFault::RateLimited(until) = &fault {
                    self.pause_until(*until);
                }
                Err(fault)
            }
        }
    }

    /// Looks the token up again, or has the App make another one; none when there is no other one.
    async fn refresh_token(
        &self,
        repo: Option<&RepoName>,
        refused: &Token,
    ) -> Result<Option<Token>, ApiFault> {
        if self.has_token_per_repository() {
            let token = self.token_for(repo, Some(refused)).await?;
            return Ok((token != *refused).then_some(token));
        }
        let Some(found) = self.token_source.find(&self.endpoint.host).await else {
            return Ok(None);
        };
        if found.token == *refused {
            return Ok(None);
        }
        self.set_token(found.token.clone());
        Ok(Some(found.token))
    }

    /// The one repository that a request is about: the path names it, or all of a query's variables.
    fn repository_asked_about(&self, url: &str, body: Option<&Value>) -> Option<RepoName> {
        if let Some(repo) = &self.repo {
            return Some(repo.clone());
        }
        if url == self.endpoint.graphql_path {
            return repository_of_variables(&body?["variables"]);
        }
        let path = url.strip_prefix(&self.endpoint.rest_path)?;
        let mut parts = path.strip_prefix("/repos/")?.split(['/', '?']);
        RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?)).ok()
    }

    pub(crate) fn set_token(&self, token: Token) {
        *self.token.write().unwrap_or_else(PoisonError::into_inner) = token;
    }

    /// Follows redirects: of a renamed repository, and to where a log is stored. Only this host sees the token.
    ///
    /// A write is followed on this host only, and only by a redirect that keeps it a write; none was carried out then.
    async fn follow_redirects(
        &self,
        request: &HttpRequest<'_>,
        mut response: HttpResponse,
        token: &Token,
    ) -> Result<HttpResponse, ApiFault> {
        for _ in 0..MAX_REDIRECTS {
            let keeps_method = matches!(response.status, 307 | 308);
            let is_redirected_read =
                request.method == Method::GET && matches!(response.status, 301..=303);
            let location = response
                .headers
                .get(LOCATION)
                .and_then(|value| value.to_str().ok());
            let Some(location) = location.filter(|_| keeps_method || is_redirected_read) else {
                break;
            };
            let local_path = location
                .strip_prefix(&self.endpoint.origin)
                .unwrap_or(location);
            if local_path.starts_with('/') && !local_path.starts_with("//") {
                let path = local_path.to_string();
                response = self.send_once(request, &path, Some(token)).await?;
            } else if request.method == Method::GET && location.starts_with("http") {
                let elsewhere = location.to_string();
                response = self.send_once(request, &elsewhere, None).await?;
            } else {
                break;
            }
        }
        Ok(response)
    }

    /// Sends it once, and says how that went to whoever measures.
    pub(crate) async fn send_once(
        &self,
        http_request: &HttpRequest<'_>,
        url: &str,
        token: Option<&Token>,
    ) -> Result<HttpResponse, ApiFault> {
        let path = url.strip_prefix(&self.endpoint.rest_path).unwrap_or(url);
        let host = token.map(|_| self.endpoint.host.as_str());
        let measured = MeasuredRequest::begin(&self.clock, (&http_request.method, path), host);
        let sent = self.exchange(http_request, url, token);
        let sent = sent.instrument(measured.span.clone()).await;
        measured.end(sent.as_ref().ok().map(|answer| answer.status));
        sent
    }

    async fn exchange(
        &self,
        http_request: &HttpRequest<'_>,
        url: &str,
        token: Option<&Token>,
    ) -> Result<HttpResponse, ApiFault> {
        let not_sent = |message: String| {
            ApiFault::Refused(format!("the request could not be made: {message}"))
        };
        let mut request = Request::builder().method(&http_request.method).uri(url);
        if let Some(all) = request.headers_mut() {
            all.extend(http_request.headers.clone());
        }
        if let Some(token) = token
            && let Some(all) = request.headers_mut()
        {
            let value =
                bearer(token).map_err(|_| not_sent("the token is no header value".into()))?;
            all.insert(AUTHORIZATION, value);
        }
        let request = self
            .octocrab
            .build_request(request, http_request.body)
            .map_err(|error| not_sent(api_fault::truncate_message(&error.to_string())))?;
        let exchange = async {
            let response = self
                .octocrab
                .execute(request)
                .await
                .map_err(|error| error_chain(&error))?;
            let (parts, body) = response.into_parts();
            let body = read_body(body, http_request.body_limit).await?;
            Ok::<_, String>(HttpResponse {
                status: parts.status.as_u16(),
                headers: parts.headers,
                body,
            })
        };
        let timed_out = || format!("no answer within {} s", self.timeout.as_secs_f32());
        match tokio::time::timeout(self.timeout, exchange).await {
            Ok(Ok(answer)) => {
                if token.is_some() {
                    self.record_quota(url, &answer);
                    self.record_host_time(&answer.headers);
                }
                Ok(answer)
            }
            Ok(Err(message)) => Err(ApiFault::Unreachable(format!(
                "{}: {message}",
                self.endpoint.host
            ))),
            Err(_) => Err(ApiFault::GaveUp(format!(
                "{}: {}",
                self.endpoint.host,
                timed_out()
            ))),
        }
    }
}

/// `owner` and `name`, or `owner0` and `name0`, `owner1` and `name1`, …, where they all name one repository.
fn repository_of_variables(variables: &Value) -> Option<RepoName> {
    let mut found: Option<RepoName> = None;
    for (name, owner) in variables.as_object()? {
        let Some(index) = name.strip_prefix("owner") else {
            continue;
        };
        let name = variables[format!("name{index}")].as_str()?;
        let repo = RepoName::parse(&format!("{}/{name}", owner.as_str()?)).ok()?;
        match &found {
            Some(other) if !other.eq_ignore_case(&repo) => return None,
            Some(_) => {}
            None => found = Some(repo),
        }
    }
    found
}

/// Locks; a panic elsewhere leaves nothing half-done in these maps.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The header that sends a token. It is marked as secret, so that nothing prints it.
fn bearer(token: &Token) -> Result<HeaderValue, InvalidHeaderValue> {
    let words = Zeroizing::new(format!("Bearer {}", token.expose()));
    let mut value = HeaderValue::from_str(&words)?;
    value.set_sensitive(true);
    Ok(value)
}

pub(crate) fn json_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/vnd.github+json"),
    );
    let agent = concat!("collie/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    headers
}

/// An error with its causes, without the backtrace that octocrab would print.
fn error_chain(error: &dyn std::error::Error) -> String {
    let mut messages = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !messages.last().is_some_and(|last| last.contains(&text)) {
            messages.push(text);
        }
        next = cause.source();
    }
    api_fault::truncate_message(&messages.join(": "))
}

async fn read_body(
    mut body: BoxBody<Bytes, octocrab::Error>,
    body_limit: BodyLimit,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| error_chain(&error))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        bytes.extend_from_slice(&data);
        match body_limit {
            BodyLimit::Full(most) if bytes.len() > most => {
                return Err(format!("the answer is larger than {most} bytes"));
            }
            // Cut now and then, so that a long log costs twice its tail and no more.
            BodyLimit::Tail(most) if bytes.len() > most.saturating_mul(2) => {
                bytes.drain(..bytes.len() - most);
            }
            BodyLimit::Full(_) | BodyLimit::Tail(_) => {}
        }
    }
    if let BodyLimit::Tail(most) = body_limit {
        bytes.drain(..bytes.len().saturating_sub(most));
    }
    Ok(bytes)
}

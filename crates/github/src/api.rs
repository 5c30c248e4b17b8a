//! Sends requests through octocrab and judges the answers. Nothing here is sent twice by itself.

use crate::browse::Quotas;
use crate::config::{ConnectError, Endpoint, GitHubConfig};
use crate::credentials::{Token, TokenSource};
use crate::fault::{self, Fault};
use crate::transport;
use bytes::Bytes;
use collie_core::ids::Time;
use collie_engine::ports::Clock;
use http::header::{ACCEPT, AUTHORIZATION, ETAG, IF_NONE_MATCH, LINK, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use octocrab::Octocrab;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// An answer larger than this is not read: a page of a hundred full comments stays far below.
const LARGEST_ANSWER: usize = 64 << 20;
/// Answers remembered for conditional requests.
const REMEMBERED: usize = 512;
/// Redirects that are followed.
const REDIRECTS: usize = 4;
/// GitHub's advice: a second between requests that create content.
const SPACING_MS: u64 = 1_000;

/// An answer that was received whole.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, or its end.
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads the body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        serde_json::from_slice(&self.body)
            .map_err(|error| Fault::Garbled(format!("GitHub's answer could not be read: {error}")))
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
enum Keep {
    /// All of it; more than that many bytes are a fault.
    All(usize),
    /// Its last bytes.
    Tail(usize),
}

/// A request, wherever it goes.
struct Ask<'a> {
    method: Method,
    headers: HeaderMap,
    body: Option<&'a Value>,
    keep: Keep,
}

/// One host's API.
pub(crate) struct Api {
    crab: Octocrab,
    /// Where it is.
    pub endpoint: Endpoint,
    /// The time that limits are counted in.
    pub clock: Arc<dyn Clock>,
    tokens: TokenSource,
    token: RwLock<Token>,
    timeout: Duration,
    /// As the last answers told them, and until when no request is made.
    quotas: Mutex<Quotas>,
    remembered: Mutex<BTreeMap<String, (HeaderValue, Answer)>>,
    next_write: tokio::sync::Mutex<Time>,
}

impl Api {
    /// Sets the client up; no request is made.
    pub async fn connect(
        config: &GitHubConfig,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ConnectError> {
        let endpoint = Endpoint::parse(&config.api_url)?;
        let host = endpoint.host.clone();
        let found = config.tokens.find(&host).await;
        let found = found.ok_or_else(|| ConnectError::NoToken { host: host.clone() })?;
        let crab = transport::over(&endpoint.origin).map_err(|message| ConnectError::Client {
            host: host.clone(),
            message,
        })?;
        Ok(Self {
            crab,
            endpoint,
            clock,
            tokens: config.tokens.clone(),
            token: RwLock::new(found.token),
            timeout: config.request_timeout,
            quotas: Mutex::default(),
            remembered: Mutex::default(),
            next_write: tokio::sync::Mutex::new(Time(0)),
        })
    }

    /// The token in use, so that it can be redacted from what is posted.
    pub fn token(&self) -> Token {
        self.token
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Reads `path` (below the REST root), conditionally when it was read before.
    pub async fn get(&self, path: &str) -> Result<Answer, Fault> {
        let known = lock(&self.remembered).get(path).cloned();
        let mut headers = json_headers();
        if let Some((etag, _)) = &known {
            headers.insert(IF_NONE_MATCH, etag.clone());
        }
        let url = format!("{}{path}", self.endpoint.rest);
        let answer = self
            .call(Method::GET, &url, headers, None, Keep::All(LARGEST_ANSWER))
            .await?;
        if answer.status == 304
            && let Some((_, answer)) = known
        {
            return Ok(answer);
        }
        if let Some(etag) = answer.headers.get(ETAG) {
            let mut remembered = lock(&self.remembered);
            if remembered.len() >= REMEMBERED {
                remembered.pop_first();
            }
            remembered.insert(path.to_string(), (etag.clone(), answer.clone()));
        }
        Ok(answer)
    }

    /// Reads `path` afresh, whatever was read before.
    pub async fn get_fresh(&self, path: &str) -> Result<Answer, Fault> {
        let url = format!("{}{path}", self.endpoint.rest);
        self.call(
            Method::GET,
            &url,
            json_headers(),
            None,
            Keep::All(LARGEST_ANSWER),
        )
        .await
    }

    /// Reads the last bytes of a text, through a redirect to where it is stored.
    pub async fn get_tail(&self, path: &str, bytes: usize) -> Result<Answer, Fault> {
        let url = format!("{}{path}", self.endpoint.rest);
        self.call(Method::GET, &url, json_headers(), None, Keep::Tail(bytes))
            .await
    }

    /// Creates something, once. On github.com it keeps a second's distance from the last one.
    pub async fn create(&self, path: &str, body: &Value) -> Result<Answer, Fault> {
        if self.endpoint.host == "github.com" {
            let mut next = self.next_write.lock().await;
            self.clock.sleep_until(*next).await;
            *next = self.clock.now().plus(SPACING_MS);
        }
        let url = format!("{}{path}", self.endpoint.rest);
        self.call(
            Method::POST,
            &url,
            json_headers(),
            Some(body),
            Keep::All(LARGEST_ANSWER),
        )
        .await
    }

    /// Sends a GraphQL document; the answer's `errors` are the caller's to look at.
    pub async fn graphql(&self, body: &Value) -> Result<Answer, Fault> {
        let mut headers = json_headers();
        // One form of node ids for all repositories, old and new: they are part of a loop's identity (§2).
        headers.insert("x-github-next-global-id", HeaderValue::from_static("1"));
        let url = self.endpoint.graphql.clone();
        self.call(
            Method::POST,
            &url,
            headers,
            Some(body),
            Keep::All(LARGEST_ANSWER),
        )
        .await
    }

    /// Remembers that GitHub asked to wait: no request is made before (§3.2).
    pub fn hold(&self, until: Time) {
        let held = &mut lock(&self.quotas).held_until;
        *held = Some(held.map_or(until, |before| before.max(until)));
    }

    /// The quotas as last told; a wait that is over is left out.
    pub fn quotas(&self) -> Quotas {
        let now = self.clock.now();
        let mut quotas = *lock(&self.quotas);
        quotas.held_until = quotas.held_until.filter(|until| now < *until);
        quotas
    }

    /// Remembers what an answer tells of its quota. Other resources, such as search, are not kept.
    fn note_quota(&self, url: &str, headers: &HeaderMap) {
        let Some(quota) = fault::quota(headers, self.clock.now()) else {
            return;
        };
        let resource = headers
            .get("x-ratelimit-resource")
            .and_then(|value| value.to_str().ok());
        let usual = if url == self.endpoint.graphql {
            "graphql"
        } else {
            "core"
        };
        let mut quotas = lock(&self.quotas);
        match resource.unwrap_or(usual) {
            "graphql" => quotas.graphql = Some(quota),
            "core" => quotas.rest = Some(quota),
            _ => {}
        }
    }

    async fn call(
        &self,
        method: Method,
        url: &str,
        headers: HeaderMap,
        body: Option<&Value>,
        keep: Keep,
    ) -> Result<Answer, Fault> {
        if let Some(until) = self.quotas().held_until {
            return Err(Fault::RateLimited(until));
        }
        let ask = Ask {
            method,
            headers,
            body,
            keep,
        };
        let token = self.token();
        let mut answer = self.exchange(&ask, url, Some(&token)).await?;
        // A 401 has done nothing: sending again is safe.
        if answer.status == 401
            && let Some(other) = self.look_up_again(&token).await
        {
            answer = self.exchange(&ask, url, Some(&other)).await?;
        }
        let answer = self.follow(&ask, answer).await?;
        match fault::of_answer(
            answer.status,
            &answer.headers,
            &answer.body,
            self.clock.now(),
        ) {
            None => Ok(answer),
            Some(fault) => {
                if let Fault::RateLimited(until) = &fault {
                    self.hold(*until);
                }
                Err(fault)
            }
        }
    }

    /// Looks the token up again; none when there is no other one.
    async fn look_up_again(&self, refused: &Token) -> Option<Token> {
        let found = self.tokens.find(&self.endpoint.host).await?.token;
        if found == *refused {
            return None;
        }
        *self.token.write().unwrap_or_else(PoisonError::into_inner) = found.clone();
        Some(found)
    }

    /// Follows redirects: of a renamed repository, and to where a log is stored. Only this host sees the token.
    ///
    /// A write is followed on this host only, and only by a redirect that keeps it a write; none was carried out then.
    async fn follow(&self, ask: &Ask<'_>, mut answer: Answer) -> Result<Answer, Fault> {
        for _ in 0..REDIRECTS {
            let kept = matches!(answer.status, 307 | 308);
            let reads = ask.method == Method::GET && matches!(answer.status, 301..=303);
            let location = answer
                .headers
                .get(LOCATION)
                .and_then(|value| value.to_str().ok());
            let Some(location) = location.filter(|_| kept || reads) else {
                break;
            };
            let below = location
                .strip_prefix(&self.endpoint.origin)
                .unwrap_or(location);
            if below.starts_with('/') && !below.starts_with("//") {
                let path = below.to_string();
                answer = self.exchange(ask, &path, Some(&self.token())).await?;
            } else if ask.method == Method::GET && location.starts_with("http") {
                let elsewhere = location.to_string();
                answer = self.exchange(ask, &elsewhere, None).await?;
            } else {
                break;
            }
        }
        Ok(answer)
    }

    async fn exchange(
        &self,
        ask: &Ask<'_>,
        url: &str,
        token: Option<&Token>,
    ) -> Result<Answer, Fault> {
        let unsent =
            |message: String| Fault::Refused(format!("the request could not be made: {message}"));
        let mut request = Request::builder().method(&ask.method).uri(url);
        if let Some(all) = request.headers_mut() {
            all.extend(ask.headers.clone());
        }
        if let Some(token) = token
            && let Some(all) = request.headers_mut()
        {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose()))
                .map_err(|_| unsent("the token is no header value".into()))?;
            value.set_sensitive(true);
            all.insert(AUTHORIZATION, value);
        }
        let request = self
            .crab
            .build_request(request, ask.body)
            .map_err(|error| unsent(fault::cut(&error.to_string())))?;
        let exchanged = async {
            let response = self
                .crab
                .execute(request)
                .await
                .map_err(|error| chain(&error))?;
            let (parts, body) = response.into_parts();
            let body = read(body, ask.keep).await?;
            Ok::<_, String>(Answer {
                status: parts.status.as_u16(),
                headers: parts.headers,
                body,
            })
        };
        let timed_out = || format!("no answer within {} s", self.timeout.as_secs_f32());
        match tokio::time::timeout(self.timeout, exchanged).await {
            Ok(Ok(answer)) => {
                if token.is_some() {
                    self.note_quota(url, &answer.headers);
                }
                Ok(answer)
            }
            Ok(Err(message)) => Err(Fault::Unreachable(format!(
                "{}: {message}",
                self.endpoint.host
            ))),
            Err(_) => Err(Fault::Unreachable(format!(
                "{}: {}",
                self.endpoint.host,
                timed_out()
            ))),
        }
    }
}

/// Locks; a panic elsewhere leaves nothing half-done in these maps.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn json_headers() -> HeaderMap {
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
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !words.last().is_some_and(|last| last.contains(&text)) {
            words.push(text);
        }
        next = cause.source();
    }
    fault::cut(&words.join(": "))
}

async fn read(mut body: BoxBody<Bytes, octocrab::Error>, keep: Keep) -> Result<Vec<u8>, String> {
    let mut kept = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| chain(&error))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        kept.extend_from_slice(&data);
        match keep {
            Keep::All(most) if kept.len() > most => {
                return Err(format!("the answer is larger than {most} bytes"));
            }
            // Cut now and then, so that a long log costs twice its tail and no more.
            Keep::Tail(most) if kept.len() > most.saturating_mul(2) => {
                kept.drain(..kept.len() - most);
            }
            Keep::All(_) | Keep::Tail(_) => {}
        }
    }
    if let Keep::Tail(most) = keep {
        kept.drain(..kept.len().saturating_sub(most));
    }
    Ok(kept)
}

//! What a runner says to its server.

use crate::handed_in::HandedIn;
use crate::work::{ClaimRequest, ClaimedSession, Heartbeat, LeaseAnswer};
use collie_agents::llm::web_client;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::PullName;
use collie_core::user_error::UserError;
use futures::StreamExt as _;
use reqwest::{RequestBuilder, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use url::{Host, Url};

/// How long a claim waits for work.
const CLAIM_WAIT: Duration = Duration::from_secs(20);
/// How long an answer may take beyond that.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// How long what was handed in may take to be sent and judged.
const HAND_IN_TIMEOUT: Duration = Duration::from_secs(120);
/// A bundle may be no larger.
const MAX_BUNDLE_BYTES: u64 = 8 << 30;
/// A bundle of which nothing comes for so long has broken off.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Why the server gave nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ClientError {
    /// It cannot be reached, or is about to stop: it may be there again in a moment.
    #[error("the server does not answer: {0}")]
    Away(String),
    /// The secret or the token is not good for this.
    #[error("the server refuses: {0}")]
    Refused(UserError),
    /// The session is over for this runner.
    #[error("the session is over")]
    Over,
    /// What was handed in was not taken, or the answer is none of a server.
    #[error("the server answered {status}: {message}")]
    Unexpected {
        /// The status.
        status: u16,
        /// Its words.
        message: String,
    },
}

/// A server, as one runner reaches it.
#[derive(Clone, Debug)]
pub struct RunnerClient {
    http: reqwest::Client,
    server: Url,
    secret: SecretString,
}

/// A problem as servers tell it.
#[derive(Deserialize)]
struct ProblemBody {
    #[serde(default)]
    detail: String,
}

impl RunnerClient {
    /// Reaches a server with a runner's secret.
    ///
    /// # Errors
    /// The address is none of a server, or others could read along.
    pub fn new(server: &str, secret: SecretString) -> Result<Self, UserError> {
        let invalid = || {
            let error = UserError::new(ErrorCode::RunnerServerUrl).with("url", server);
            error.hint(ErrorHint::ServerDocs)
        };
        let mut url = Url::parse(server).map_err(|_| invalid())?;
        let is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => return Err(invalid()),
        };
        let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_local);
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_safe || !is_plain {
            return Err(invalid());
        }
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        Ok(Self {
            http: web_client(),
            server: url,
            secret,
        })
    }

    /// The address of the server.
    pub fn server(&self) -> &Url {
        &self.server
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.server)
    }

    /// Waits a while for a session.
    ///
    /// # Errors
    /// The server gives none.
    pub async fn claim(&self, name: &str) -> Result<Option<ClaimedSession>, ClientError> {
        let asked = ClaimRequest {
            name: name.to_owned(),
            wait_ms: u64::try_from(CLAIM_WAIT.as_millis()).unwrap_or_default(),
        };
        let request = (self.http.post(self.url("runners/claim")))
            .bearer_auth(self.secret.expose_secret())
            .json(&asked);
        let answer = send(request, CLAIM_WAIT + ANSWER_TIMEOUT).await?;
        match answer.status() {
            StatusCode::NO_CONTENT => Ok(None),
            _ => Ok(Some(json(answer).await?)),
        }
    }

    /// Speaks for a session that was claimed.
    pub fn held(&self, claimed: &ClaimedSession) -> HeldSession {
        HeldSession {
            client: self.clone(),
            pull: claimed.work.pull(),
            session: claimed.session.clone(),
            token: SecretString::from(claimed.token.clone()),
        }
    }
}

/// A session that this runner holds.
#[derive(Clone, Debug)]
pub struct HeldSession {
    client: RunnerClient,
    pull: PullName,
    session: String,
    token: SecretString,
}

impl HeldSession {
    fn path(&self, rest: &str) -> String {
        let PullName { repo, number } = &self.pull;
        self.client
            .url(&format!("pr/{repo}/{number}/session{rest}"))
    }

    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        request.bearer_auth(self.token.expose_secret())
    }

    /// Writes the bundle of its commits into a file.
    ///
    /// # Errors
    /// It does not come whole.
    pub async fn fetch_bundle(&self, file: &Path) -> Result<(), ClientError> {
        let path = self.path(&format!("/{}/bundle", self.session));
        let answer = send_open(self.signed(self.client.http.get(path))).await?;
        let broken = |error: &dyn std::fmt::Display| ClientError::Away(error.to_string());
        let mut out = tokio::fs::File::create(file)
            .await
            .map_err(|error| broken(&error))?;
        let mut parts = answer.bytes_stream();
        let mut received = 0;
        loop {
            let part = tokio::time::timeout(STALL_TIMEOUT, parts.next()).await;
            let Some(part) = part.map_err(|error| broken(&error))? else {
                break;
            };
            let part = part.map_err(|error| broken(&error.without_url()))?;
            received += part.len() as u64;
            if received > MAX_BUNDLE_BYTES {
                return Err(broken(&"the bundle is larger than 8 GB"));
            }
            out.write_all(&part).await.map_err(|error| broken(&error))?;
        }
        out.flush().await.map_err(|error| broken(&error))
    }

    /// Says that the runner is at it; how long the lease goes on.
    ///
    /// # Errors
    /// The session is over, or the server does not answer.
    pub async fn heartbeat(&self) -> Result<Duration, ClientError> {
        let beat = Heartbeat {
            session: self.session.clone(),
        };
        let request = self.signed(self.client.http.post(self.path("/heartbeat")));
        let answer: LeaseAnswer = json(send(request.json(&beat), ANSWER_TIMEOUT).await?).await?;
        Ok(Duration::from_millis(answer.lease_ms))
    }

    /// Hands in what came of it.
    ///
    /// # Errors
    /// It is not taken.
    pub async fn hand_in(&self, done: &HandedIn) -> Result<(), ClientError> {
        let request = self.signed(self.client.http.post(self.path("")));
        send(request.json(done), HAND_IN_TIMEOUT).await.map(drop)
    }
}

async fn send(request: RequestBuilder, timeout: Duration) -> Result<Response, ClientError> {
    send_open(request.timeout(timeout)).await
}

/// The same without a limit for the body.
async fn send_open(request: RequestBuilder) -> Result<Response, ClientError> {
    let away = |error: reqwest::Error| ClientError::Away(words(&error.without_url()));
    let answer = request.send().await.map_err(away)?;
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let text = answer.text().await.unwrap_or_default();
    let problem: Option<ProblemBody> = serde_json::from_str(&text).ok();
    let message = problem.map_or_else(String::new, |problem| problem.detail);
    Err(match status {
        StatusCode::UNAUTHORIZED => ClientError::Refused(
            UserError::new(ErrorCode::RunnerUnknown).hint(ErrorHint::ServerDocs),
        ),
        StatusCode::CONFLICT | StatusCode::FORBIDDEN => ClientError::Over,
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::REQUEST_TIMEOUT
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::BAD_GATEWAY
        | StatusCode::GATEWAY_TIMEOUT => ClientError::Away(format!("{status} {message}")),
        status => ClientError::Unexpected {
            status: status.as_u16(),
            message,
        },
    })
}

/// An error with what it came of.
fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

async fn json<T: serde::de::DeserializeOwned>(answer: Response) -> Result<T, ClientError> {
    let status = answer.status().as_u16();
    let bytes = answer.bytes().await;
    let bytes = bytes.map_err(|error| ClientError::Away(error.without_url().to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| ClientError::Unexpected {
        status,
        message: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_reads_along_on_the_way_to_a_server() {
        let reaches = |url: &str| RunnerClient::new(url, SecretString::from("s")).is_ok();
        for good in [
            "https://collie.example.org",
            "https://collie.example.org:8443/team",
            "http://127.0.0.1:8080",
            "http://localhost:8080/",
            "http://[::1]:8080",
        ] {
            assert!(reaches(good), "{good}");
        }
        for bad in [
            "http://collie.example.org",
            "http://localhost.example.org",
            "https://a:b@collie.example.org",
            "https://collie.example.org?x",
            "ftp://127.0.0.1",
            "collie.example.org",
            "",
        ] {
            assert!(!reaches(bad), "{bad}");
        }
    }
}

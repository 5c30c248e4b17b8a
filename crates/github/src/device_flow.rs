//! Signing a person in by a code that they type on GitHub's page
//! (<https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow>).

use crate::config::{ConnectError, Endpoint};
use crate::credentials::Token;
use crate::transport;
use http::header::{ACCEPT, USER_AGENT};
use http::{HeaderValue, Request};
use http_body_util::{BodyExt as _, Limited};
use octocrab::Octocrab;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// An answer is never larger.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(20);
const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
const PROGRAM: HeaderValue =
    HeaderValue::from_static(concat!("collie/", env!("CARGO_PKG_VERSION")));

/// Where people sign in, on the host of an API.
pub struct DeviceFlow {
    octocrab: Octocrab,
    host: String,
    client_id: String,
}

/// A code to type, and what asks whether it was.
#[derive(Clone, Deserialize)]
pub struct DeviceCode {
    /// What asks. It is a secret.
    device_code: String,
    /// What the person types.
    pub user_code: String,
    /// Where.
    pub verification_uri: String,
    /// Seconds for which it can be typed.
    pub expires_in: u64,
    /// Seconds that have to lie between two questions.
    pub interval: u64,
}

/// What became of a code.
pub enum DeviceAnswer {
    /// The person has let the app act for them.
    Token(Token),
    /// They have not typed it yet; seconds that have to lie before the next question, where GitHub asks for more.
    Pending {
        /// Seconds more than before.
        slower_by: u64,
    },
    /// They have declined.
    Denied,
    /// Nobody typed it in time.
    Expired,
}

/// Why GitHub could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum DeviceFlowError {
    /// The address of the API is unusable.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// No answer, or none that can be understood.
    #[error("{host} did not answer the sign-in: {message}")]
    Unreachable {
        /// The host.
        host: String,
        /// The reason.
        message: String,
    },
    /// The app is not known, or its device flow is off.
    #[error(
        "{host} refuses the sign-in of the app ({message}): check its client id, and that its device flow is switched on"
    )]
    Refused {
        /// The host.
        host: String,
        /// GitHub's words.
        message: String,
    },
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
    error_description: Option<String>,
    interval: Option<u64>,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
}

impl DeviceFlow {
    /// The flow of an app, on the host of an API. No request is made.
    ///
    /// # Errors
    /// The address is unusable, or the system's certificates cannot be read.
    pub fn new(api_url: &str, client_id: &str) -> Result<Self, ConnectError> {
        let endpoint = Endpoint::parse(api_url)?;
        let host = endpoint.host;
        let octocrab = transport::build_client(&endpoint.web_url).map_err(|message| {
            let host = host.clone();
            ConnectError::Client { host, message }
        })?;
        Ok(Self {
            octocrab,
            host,
            client_id: client_id.to_owned(),
        })
    }

    /// Asks for a code, to act for the person with these scopes. A GitHub App has its own permissions and takes none.
    ///
    /// # Errors
    /// GitHub does not answer, or does not know the app.
    pub async fn begin(&self, scope: &str) -> Result<DeviceCode, DeviceFlowError> {
        let body = json!({"client_id": self.client_id, "scope": scope});
        let answer = self.post("/login/device/code", &body).await?;
        self.read(answer)
    }

    /// Asks what became of a code.
    ///
    /// # Errors
    /// GitHub does not answer, or refuses the app.
    pub async fn ask(&self, code: &DeviceCode) -> Result<DeviceAnswer, DeviceFlowError> {
        let body = json!({
            "client_id": self.client_id,
            "device_code": code.device_code,
            "grant_type": GRANT,
        });
        let answer = self.post("/login/oauth/access_token", &body).await?;
        let Ok(refusal) = serde_json::from_value::<Refusal>(answer.clone()) else {
            let granted: Granted = self.read(answer)?;
            let token = Token::new(&granted.access_token);
            return token
                .map(DeviceAnswer::Token)
                .ok_or_else(|| self.unreadable("its token is none"));
        };
        match refusal.error.as_str() {
            "authorization_pending" => Ok(DeviceAnswer::Pending { slower_by: 0 }),
            "slow_down" => {
                let interval = refusal.interval.unwrap_or(code.interval + 5);
                let slower_by = interval.saturating_sub(code.interval).max(1);
                Ok(DeviceAnswer::Pending { slower_by })
            }
            "access_denied" => Ok(DeviceAnswer::Denied),
            "expired_token" | "incorrect_device_code" => Ok(DeviceAnswer::Expired),
            _ => Err(self.refused(refusal)),
        }
    }

    fn read<T: DeserializeOwned>(&self, answer: Value) -> Result<T, DeviceFlowError> {
        match serde_json::from_value(answer.clone()) {
            Ok(read) => Ok(read),
            Err(error) => Err(match serde_json::from_value::<Refusal>(answer) {
                Ok(refusal) => self.refused(refusal),
                // What GitHub wrote may hold a token.
                Err(_) => self.unreadable(&error.to_string()),
            }),
        }
    }

    fn refused(&self, refusal: Refusal) -> DeviceFlowError {
        DeviceFlowError::Refused {
            host: self.host.clone(),
            message: refusal.error_description.unwrap_or(refusal.error),
        }
    }

    fn unreadable(&self, message: &str) -> DeviceFlowError {
        DeviceFlowError::Unreachable {
            host: self.host.clone(),
            message: message.to_owned(),
        }
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, DeviceFlowError> {
        let exchange = async {
            let request = Request::post(path)
                .header(ACCEPT, "application/json")
                .header(USER_AGENT, PROGRAM);
            let request = self.octocrab.build_request(request, Some(body));
            let request = request.map_err(|error| error.to_string())?;
            let response = self.octocrab.execute(request).await;
            let response = response.map_err(|error| error.to_string())?;
            let body = Limited::new(response.into_body(), MAX_ANSWER_BYTES);
            let body = body.collect().await.map_err(|error| error.to_string())?;
            serde_json::from_slice(&body.to_bytes()).map_err(|error| error.to_string())
        };
        let answer = tokio::time::timeout(TIMEOUT, exchange).await;
        let answer = answer.unwrap_or_else(|_| Err("it took too long".to_owned()));
        answer.map_err(|message| self.unreadable(&message))
    }
}

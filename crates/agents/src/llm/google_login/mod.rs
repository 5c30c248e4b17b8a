//! A Google login as Vertex AI's access tokens: what Google's tools call application default credentials (docs/decisions/0039).
//!
//! What a login is and what it asks for is here; `wire` sends it. A token is kept until shortly before its end and asked for
//! again then, by whoever needs it first.

mod credentials;
mod token_request;

pub use credentials::{GoogleCredentials, InvalidGoogleCredentials};
pub(in crate::llm) use token_request::TokenRequestBody;

use super::secret::Secret;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long before its end a token is no longer used, as in Google's own library (`google.auth._helpers.REFRESH_THRESHOLD`).
const RENEWED_BEFORE_END: Duration = Duration::from_secs(225);

/// A login, and the token that it has at the moment. Cheap to clone; a clone shares the token.
#[derive(Clone)]
pub struct GoogleLogin(Arc<LoginState>);

struct LoginState {
    credentials: GoogleCredentials,
    origin: String,
    on_secret: fn(&Secret),
    /// Held while a token is asked for, so that one request serves all who wait.
    token: tokio::sync::Mutex<Option<AccessToken>>,
}

/// A token, and until when it holds.
pub(in crate::llm) struct AccessToken {
    pub(in crate::llm) secret: Secret,
    pub(in crate::llm) ends_at: SystemTime,
}

impl AccessToken {
    /// Whether a request may still begin with it.
    fn is_fresh(&self, now: SystemTime) -> bool {
        now + RENEWED_BEFORE_END < self.ends_at
    }
}

impl GoogleLogin {
    /// A login that was found at `origin`: a file, or a metadata server. `on_secret` hears of each secret and of each token before
    /// they are used, so that they can be kept out of every text (§8.3).
    pub fn new(credentials: GoogleCredentials, origin: String, on_secret: fn(&Secret)) -> Self {
        for secret in credentials.secrets() {
            on_secret(secret);
        }
        Self(Arc::new(LoginState {
            credentials,
            origin,
            on_secret,
            token: tokio::sync::Mutex::default(),
        }))
    }

    /// Where it was found.
    pub fn origin(&self) -> &str {
        &self.0.origin
    }

    /// The project that it belongs to, where its file says so.
    pub fn project(&self) -> Option<&str> {
        self.0.credentials.project()
    }

    /// The project whose quota a person's login uses (<https://cloud.google.com/docs/quotas/quota-project>).
    pub fn quota_project(&self) -> Option<&str> {
        self.0.credentials.quota_project()
    }

    /// Whether both have one token between them.
    pub fn shares_token_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(in crate::llm) fn credentials(&self) -> &GoogleCredentials {
        &self.0.credentials
    }

    /// The token that there is, where it is fresh; else the one that `ask` gives. Of several callers one asks.
    pub(in crate::llm) async fn token<E>(
        &self,
        now: SystemTime,
        ask: impl Future<Output = Result<AccessToken, E>>,
    ) -> Result<Secret, E> {
        let mut token = self.0.token.lock().await;
        if let Some(there) = token.as_ref().filter(|token| token.is_fresh(now)) {
            return Ok(there.secret.clone());
        }
        let asked = ask.await?;
        (self.0.on_secret)(&asked.secret);
        let secret = asked.secret.clone();
        *token = Some(asked);
        Ok(secret)
    }

    /// Drops a token that a service did not take, unless another one is there by now.
    pub(in crate::llm) async fn drop_token(&self, refused: &Secret) {
        let mut token = self.0.token.lock().await;
        token.take_if(|token| token.secret == *refused);
    }
}

impl PartialEq for GoogleLogin {
    fn eq(&self, other: &Self) -> bool {
        self.0.credentials == other.0.credentials && self.0.origin == other.0.origin
    }
}

impl Eq for GoogleLogin {}

impl fmt::Debug for GoogleLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GoogleLogin({}: [redacted])", self.0.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn token(secret: &str, seconds: u64) -> AccessToken {
        AccessToken {
            secret: Secret::new(secret).unwrap(),
            ends_at: SystemTime::UNIX_EPOCH + Duration::from_secs(seconds),
        }
    }

    #[tokio::test]
    async fn a_token_is_kept_until_shortly_before_its_end() {
        let credentials = GoogleCredentials::metadata_server("metadata.example").unwrap();
        let login = GoogleLogin::new(credentials, "metadata.example".into(), |_| ());
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let ask = async |now, next: &'static str| {
            let asked = async { Ok::<_, Infallible>(token(next, 3_600)) };
            let got = login.token(at(now), asked).await;
            got.unwrap().expose().to_owned()
        };
        assert_eq!(ask(0, "first").await, "first");
        assert_eq!(ask(3_374, "second").await, "first");
        assert_eq!(ask(3_375, "second").await, "second");
        login.drop_token(&Secret::new("first").unwrap()).await;
        assert_eq!(ask(0, "third").await, "second", "another one is there");
        login.drop_token(&Secret::new("second").unwrap()).await;
        assert_eq!(ask(0, "third").await, "third");
    }
}

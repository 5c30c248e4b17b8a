//! Tokens of a GitHub App's installation (§18.2): asked for with a JWT that the App's key signs, good for an hour, renewed before they end
//! (<https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app>).

use crate::api_fault::ApiFault;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use collie_core::ids::{Login, Time};
use collie_core::own_accounts::AppProblem;
use ring::rand::SystemRandom;
use ring::rsa::KeyPair;
use ring::signature::RSA_PKCS1_SHA256;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// GitHub takes no JWT that is good for longer than ten minutes.
const JWT_LIFETIME_S: i64 = 9 * 60;
/// Clocks differ: a JWT that says it is from the future is refused.
const CLOCK_DRIFT_S: i64 = 60;
/// A token is renewed once it is good for less: longer than the longest time between two readings with webhooks (15 min), since git is
/// given what the last reading left.
pub(crate) const RENEWAL_MARGIN_MS: u64 = 20 * 60_000;
/// Installations of a page, GitHub's most.
pub(crate) const PAGE_SIZE: usize = 100;

/// A GitHub App, and where it is installed.
#[derive(Clone)]
pub struct AppCredentials {
    id: String,
    owner: Login,
    key: Arc<KeyPair>,
}

/// What is wrong with an App's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no RSA private key in PEM, as GitHub makes them for Apps")]
pub struct InvalidAppKey;

impl fmt::Debug for AppCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppCredentials")
            .field("id", &self.id)
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}

impl AppCredentials {
    /// An App by its id (or client id) and key, at the account that has installed it.
    ///
    /// # Errors
    /// The key cannot be read.
    pub fn new(id: &str, owner: Login, pem: &SecretString) -> Result<Self, InvalidAppKey> {
        let der = PrivateKeyDer::from_pem_slice(pem.expose_secret().as_bytes());
        let key = match der.map_err(|_| InvalidAppKey)? {
            PrivateKeyDer::Pkcs1(der) => KeyPair::from_der(der.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(der) => KeyPair::from_pkcs8(der.secret_pkcs8_der()),
            _ => return Err(InvalidAppKey),
        };
        Ok(Self {
            id: id.to_owned(),
            owner,
            key: Arc::new(key.map_err(|_| InvalidAppKey)?),
        })
    }

    /// The account that has installed it.
    pub fn owner(&self) -> &Login {
        &self.owner
    }

    /// By what the App signs in, by the host's clock.
    pub(crate) fn jwt(&self, host_time: Time) -> Option<SecretString> {
        let now = host_time.0.div_euclid(1000);
        let claims = json!({
            "iat": now - CLOCK_DRIFT_S,
            "exp": now + JWT_LIFETIME_S - CLOCK_DRIFT_S,
            "iss": self.id,
        });
        let header = json!({"alg": "RS256", "typ": "JWT"});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        let random = SystemRandom::new();
        let outcome = self.key.sign(
            &RSA_PKCS1_SHA256,
            &random,
            signed.as_bytes(),
            &mut signature,
        );
        outcome.ok()?;
        Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)).into())
    }
}

/// An installation, as GitHub lists it.
#[derive(Deserialize)]
pub(crate) struct InstallationRow {
    pub(crate) id: u64,
    account: Option<InstallationAccount>,
    suspended_at: Option<String>,
}

#[derive(Deserialize)]
struct InstallationAccount {
    login: Option<String>,
}

impl InstallationRow {
    /// Whether it is at this account.
    pub(crate) fn is_at(&self, owner: &Login) -> bool {
        let login = self
            .account
            .as_ref()
            .and_then(|account| account.login.as_ref());
        login.is_some_and(|login| Login::new(login) == *owner)
    }

    pub(crate) fn is_suspended(&self) -> bool {
        self.suspended_at.is_some()
    }
}

/// How far the token of an App's installation is.
#[derive(Default)]
pub(crate) struct AppTokenState {
    /// By the host's clock; long ago where there is none yet.
    pub(crate) expires_at: Time,
    /// GitHub's number of the installation, once it was asked for.
    pub(crate) installation: Option<u64>,
}

/// A token that was made.
#[derive(Deserialize)]
pub(crate) struct MadeToken {
    #[serde(deserialize_with = "secret")]
    pub(crate) token: SecretString,
    pub(crate) expires_at: String,
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
    String::deserialize(deserializer).map(SecretString::from)
}

/// What a refusal means while a token is made.
pub(crate) fn problem_of(fault: ApiFault) -> ApiFault {
    match fault {
        ApiFault::Unauthorized => ApiFault::App(AppProblem::KeyRefused),
        ApiFault::NotFound(_) | ApiFault::Gone(_) => ApiFault::App(AppProblem::NotInstalled),
        ApiFault::Forbidden(_) => ApiFault::App(AppProblem::Suspended),
        other => other,
    }
}

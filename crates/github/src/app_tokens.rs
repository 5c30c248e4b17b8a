//! Tokens of a GitHub App's installation (§18.2): asked for with a JWT that the App's key signs, one for each repository with what Collie
//! does there and no more, good for an hour, renewed before they end
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
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// GitHub takes no JWT that is good for longer than ten minutes.
const JWT_LIFETIME_S: i64 = 9 * 60;
/// Clocks differ: a JWT that says it is from the future is refused.
const CLOCK_DRIFT_S: i64 = 60;
/// A token is renewed once it is good for less: longer than what git may take with it.
pub(crate) const RENEWAL_MARGIN_MS: u64 = 20 * 60_000;
/// What an installation may do is read anew after so long.
pub(crate) const INSTALLATION_TTL_MS: u64 = 10 * 60_000;
/// A repository that GitHub makes no token for is asked about again after so long.
pub(crate) const UNLISTED_MS: u64 = 60_000;
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

/// What Collie does in a repository, by GitHub's names, and whether it writes there. A token has these, as far as the App has, and no more.
const NEEDED: [(&str, bool); 8] = [
    ("actions", true),
    ("checks", true),
    ("contents", true),
    ("issues", false),
    ("merge_queues", false),
    ("metadata", false),
    ("pull_requests", true),
    ("statuses", false),
];

/// What a token is asked for: one repository, where Collie writes, or nothing but reading where a query is about several.
pub(crate) fn token_request(
    repo_name: Option<&str>,
    granted: Option<&BTreeMap<String, String>>,
) -> Value {
    let mut request = json!({});
    if let Some(name) = repo_name {
        request["repositories"] = json!([name]);
    }
    if let Some(granted) = granted {
        let levels = NEEDED.iter().filter_map(|(name, writes)| {
            let may_write = granted.get(*name)? != "read";
            let level = match may_write && *writes && repo_name.is_some() {
                true => "write",
                false => "read",
            };
            Some(((*name).to_owned(), json!(level)))
        });
        // Without any GitHub gives all.
        let levels: Map<String, Value> = levels.collect();
        if !levels.is_empty() {
            request["permissions"] = Value::Object(levels);
        }
    }
    request
}

/// An installation, as GitHub lists it.
#[derive(Deserialize)]
pub(crate) struct InstallationRow {
    pub(crate) id: u64,
    /// What the App was granted there, by GitHub's names.
    pub(crate) permissions: Option<BTreeMap<String, String>>,
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

/// An installation, as it was read last.
#[derive(Clone)]
pub(crate) struct Installation {
    pub(crate) row: Arc<InstallationRow>,
    /// By the host's clock.
    pub(crate) read_at: Time,
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

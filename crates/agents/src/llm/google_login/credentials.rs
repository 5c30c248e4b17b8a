//! Logins as Google's files have them (<https://google.aip.dev/auth/4110>).

use crate::llm::secret::Secret;
use reqwest::Url;
use ring::rsa::KeyPair;
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject as _;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Where a person's login is exchanged for a token, and whom the assertion of a service account is meant for, whatever its file's
/// `token_uri` (<https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests>).
pub(super) const GOOGLE_TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

/// A login of a program or of a person, or a machine that has one.
pub struct GoogleCredentials {
    pub(super) form: CredentialsForm,
    project: Option<String>,
    quota_project: Option<String>,
    /// Of all that it was read from: two logins are the same where this is.
    fingerprint: [u8; 32],
}

pub(super) enum CredentialsForm {
    ServiceAccount(Box<ServiceAccount>),
    AuthorizedUser(AuthorizedUser),
    /// Host, with its port where it has one.
    MetadataServer(String),
}

/// A program's: `"type": "service_account"`.
pub(super) struct ServiceAccount {
    pub(super) client_email: String,
    pub(super) key_id: Option<String>,
    pub(super) key: KeyPair,
    pub(super) token_url: Url,
}

/// A person's: `"type": "authorized_user"`, which `gcloud auth application-default login` writes.
pub(super) struct AuthorizedUser {
    pub(super) client_id: String,
    /// Client secret and refresh token.
    pub(super) secrets: [Secret; 2],
    pub(super) token_url: Url,
}

/// Why a file is no login. It quotes nothing of the file but its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidGoogleCredentials {
    /// No JSON object.
    #[error("it is no JSON object")]
    NotJson,
    /// A login of another kind.
    #[error("its `type` is `{0}`: only service_account and authorized_user are supported")]
    UnsupportedType(String),
    /// A member is missing, empty or of another shape.
    #[error("it has no `{0}`")]
    Missing(&'static str),
    /// Not a key that can sign.
    #[error("its `private_key` is no RSA key of 2048 bits or more in PKCS #8")]
    BadKey,
    /// An address that a login is not sent to.
    #[error("its `token_uri` is neither https nor on this machine")]
    BadTokenUri,
    /// A name that no metadata server has.
    #[error("it is no host")]
    BadHost,
}

impl GoogleCredentials {
    /// Reads the text of a file.
    pub fn from_json(text: &str) -> Result<Self, InvalidGoogleCredentials> {
        let file: Map<String, Value> =
            serde_json::from_str(text).map_err(|_| InvalidGoogleCredentials::NotJson)?;
        let text_of = |name: &str| {
            let found = file.get(name).and_then(Value::as_str).map(str::trim);
            found.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let needed =
            |name: &'static str| text_of(name).ok_or(InvalidGoogleCredentials::Missing(name));
        let form = match needed("type")?.as_str() {
            "service_account" => {
                let pem = needed("private_key")?;
                CredentialsForm::ServiceAccount(Box::new(ServiceAccount {
                    client_email: needed("client_email")?,
                    key_id: text_of("private_key_id"),
                    key: signing_key(&pem).ok_or(InvalidGoogleCredentials::BadKey)?,
                    token_url: token_url(&needed("token_uri")?)?,
                }))
            }
            "authorized_user" => {
                let secret = |name| {
                    Secret::new(&needed(name)?).ok_or(InvalidGoogleCredentials::Missing(name))
                };
                let url = text_of("token_uri").unwrap_or_else(|| GOOGLE_TOKEN_URL.to_owned());
                CredentialsForm::AuthorizedUser(AuthorizedUser {
                    client_id: needed("client_id")?,
                    secrets: [secret("client_secret")?, secret("refresh_token")?],
                    token_url: token_url(&url)?,
                })
            }
            other => {
                let shown = other.chars().filter(|c| c.is_ascii_graphic()).take(40);
                return Err(InvalidGoogleCredentials::UnsupportedType(shown.collect()));
            }
        };
        Ok(Self {
            form,
            project: text_of("project_id"),
            quota_project: text_of("quota_project_id"),
            fingerprint: Sha256::digest(text).into(),
        })
    }

    /// The metadata server of a machine at Google, by its host and port
    /// (<https://cloud.google.com/compute/docs/metadata/querying-metadata>).
    pub fn metadata_server(host: &str) -> Result<Self, InvalidGoogleCredentials> {
        let host = host.trim();
        let url = Url::parse(&format!("http://{host}/"));
        let is_host = url.is_ok_and(|url| {
            url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
        });
        if host.is_empty() || host.ends_with('/') || !is_host {
            return Err(InvalidGoogleCredentials::BadHost);
        }
        Ok(Self {
            form: CredentialsForm::MetadataServer(host.to_owned()),
            project: None,
            quota_project: None,
            fingerprint: Sha256::digest(host).into(),
        })
    }

    pub(super) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    pub(super) fn quota_project(&self) -> Option<&str> {
        match self.form {
            CredentialsForm::AuthorizedUser(_) => self.quota_project.as_deref(),
            CredentialsForm::ServiceAccount(_) | CredentialsForm::MetadataServer(_) => None,
        }
    }

    /// What must be kept out of every text. The key of a service account is sent nowhere, and known by its form.
    pub(in crate::llm) fn secrets(&self) -> &[Secret] {
        match &self.form {
            CredentialsForm::AuthorizedUser(user) => &user.secrets,
            CredentialsForm::ServiceAccount(_) | CredentialsForm::MetadataServer(_) => &[],
        }
    }
}

impl PartialEq for GoogleCredentials {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
    }
}

impl Eq for GoogleCredentials {}

impl fmt::Debug for GoogleCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GoogleCredentials([redacted])")
    }
}

fn signing_key(pem: &str) -> Option<KeyPair> {
    let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).ok()?;
    KeyPair::from_pkcs8(der.secret_pkcs8_der()).ok()
}

/// An address that a login may be sent to: nobody can listen on the way.
fn token_url(text: &str) -> Result<Url, InvalidGoogleCredentials> {
    let url = Url::parse(text).map_err(|_| InvalidGoogleCredentials::BadTokenUri)?;
    let is_local = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let fits = url.has_host() && (url.scheme() == "https" || (url.scheme() == "http" && is_local));
    fits.then_some(url)
        .ok_or(InvalidGoogleCredentials::BadTokenUri)
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_fake_llm::GoogleAccount;
    use serde_json::json;

    fn refusal(file: &Value) -> InvalidGoogleCredentials {
        GoogleCredentials::from_json(&file.to_string()).unwrap_err()
    }

    #[test]
    fn a_file_that_is_no_login_says_what_is_wrong_with_it() {
        use InvalidGoogleCredentials::{BadKey, BadTokenUri, Missing, NotJson, UnsupportedType};
        let account = GoogleAccount::new().key_file("https://oauth2.googleapis.com/token");
        let user = GoogleAccount::new().user_file("https://oauth2.googleapis.com/token");
        let with = |file: &Value, name: &str, value: Value| {
            let mut file = file.clone();
            file[name] = value;
            file
        };
        for (file, expected) in [
            (json!([]), NotJson),
            (json!({}), Missing("type")),
            (
                json!({"type": "external_account"}),
                UnsupportedType("external_account".into()),
            ),
            (
                with(&account, "client_email", json!("")),
                Missing("client_email"),
            ),
            (with(&account, "private_key", json!("x")), BadKey),
            (
                with(&account, "private_key", json!(7)),
                Missing("private_key"),
            ),
            (
                with(&account, "token_uri", json!("http://evil.example/token")),
                BadTokenUri,
            ),
            (
                with(&account, "token_uri", json!("file:///etc/passwd")),
                BadTokenUri,
            ),
            (
                with(&user, "refresh_token", json!("two words")),
                Missing("refresh_token"),
            ),
            (with(&user, "token_uri", json!("nonsense")), BadTokenUri),
        ] {
            assert_eq!(refusal(&file), expected, "{file}");
        }
        assert_eq!(GoogleCredentials::from_json("no").unwrap_err(), NotJson);
        assert!(GoogleCredentials::from_json(&account.to_string()).is_ok());
        assert!(GoogleCredentials::from_json(&user.to_string()).is_ok());
    }

    #[test]
    fn a_metadata_server_is_a_host_and_nothing_else() {
        for host in [
            "metadata.google.internal",
            "169.254.169.254",
            "127.0.0.1:8080",
            "[::1]:80",
        ] {
            assert!(GoogleCredentials::metadata_server(host).is_ok(), "{host}");
        }
        for other in ["", "http://x", "x/y", "x/", "x?y", "x#y", "a@b", "a b"] {
            let refused = GoogleCredentials::metadata_server(other).unwrap_err();
            assert_eq!(refused, InvalidGoogleCredentials::BadHost, "{other}");
        }
    }

    #[test]
    fn what_holds_secrets_never_shows_them() {
        let file = GoogleAccount::new().user_file(GOOGLE_TOKEN_URL).to_string();
        let credentials = GoogleCredentials::from_json(&file).unwrap();
        let shown = format!("{credentials:?}");
        for secret in credentials.secrets() {
            assert!(!shown.contains(secret.expose()), "{shown}");
        }
        assert_eq!(credentials.secrets().len(), 2);
    }
}

//! Google's token service and metadata server, as Google publishes their forms:
//! <https://developers.google.com/identity/protocols/oauth2/service-account#httprest>,
//! <https://developers.google.com/identity/protocols/oauth2/web-server#offline> and
//! <https://cloud.google.com/compute/docs/access/authenticate-workloads#applications>.

use crate::listener::listen;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use ring::rsa::KeyPair;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio_util::sync::DropGuard;

/// An RSA key in PKCS #8 that was made for tests and is nobody's.
const TEST_KEY: &[u8] = include_bytes!("google-account.der");

const TOKEN_AUDIENCE: &str = "https://oauth2.googleapis.com/token";
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const METADATA_PATH: &str = "/computeMetadata/v1/instance/service-accounts/default/";

const CLIENT_ID: &str = "collie-tests.apps.googleusercontent.com";
const CLIENT_SECRET: &str = "client-secret-Zebrafink";
const REFRESH_TOKEN: &str = "1//refresh-token-Zebrafink";

/// A service account, and a person, whom the server knows.
pub struct GoogleAccount {
    key: KeyPair,
}

impl fmt::Debug for GoogleAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GoogleAccount")
    }
}

impl Default for GoogleAccount {
    fn default() -> Self {
        Self::new()
    }
}

impl GoogleAccount {
    /// The one account.
    ///
    /// # Panics
    ///
    /// When the key that comes along is none.
    pub fn new() -> Self {
        let key = KeyPair::from_pkcs8(TEST_KEY).expect("it is a key");
        Self { key }
    }

    /// Its address.
    pub fn client_email(&self) -> &'static str {
        "reviewer@ours.iam.gserviceaccount.com"
    }

    /// The file of its key, as the console hands it out.
    pub fn key_file(&self, token_url: &str) -> Value {
        let encoded = STANDARD.encode(TEST_KEY);
        let lines: Vec<&str> = encoded
            .as_bytes()
            .chunks(64)
            .filter_map(|line| std::str::from_utf8(line).ok())
            .collect();
        let kind = "PRIVATE KEY";
        json!({
            "type": "service_account",
            "project_id": "ours",
            "private_key_id": "collie-tests",
            "private_key": format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", lines.join("\n")),
            "client_email": self.client_email(),
            "client_id": "100000000000000000000",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": token_url,
            "universe_domain": "googleapis.com",
        })
    }

    /// The file of a person's login, as `gcloud auth application-default login` writes it; that of gcloud itself has no `token_uri`.
    pub fn user_file(&self, token_url: &str) -> Value {
        json!({
            "type": "authorized_user",
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "refresh_token": REFRESH_TOKEN,
            "token_uri": token_url,
            "quota_project_id": "quota-of-ours",
            "universe_domain": "googleapis.com",
        })
    }

    /// The claims of an assertion that this account signed.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in Google's words.
    pub fn verify(&self, assertion: &str) -> Result<Value, String> {
        let bad = || "Invalid JWT Signature.".to_owned();
        let (signed, signature) = assertion.rsplit_once('.').ok_or_else(bad)?;
        let (header, claims) = signed.split_once('.').ok_or_else(bad)?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| bad());
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, self.key.public());
        key.verify(signed.as_bytes(), &decode(signature)?)
            .map_err(|_| bad())?;
        let json = |part: &str| -> Result<Value, String> {
            serde_json::from_slice(&decode(part)?).map_err(|_| bad())
        };
        let header = json(header)?;
        if header["alg"] != "RS256" || header["typ"] != "JWT" || header["kid"] != "collie-tests" {
            return Err(bad());
        }
        json(claims)
    }

    /// What is wrong with the claims of an assertion now.
    fn wrong_claim(&self, claims: &Value) -> Option<&'static str> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.unwrap_or_default().as_secs();
        let (begins, ends) = (claims["iat"].as_u64()?, claims["exp"].as_u64()?);
        if now.abs_diff(begins) > 300 || ends <= now || ends - begins > 3_600 {
            return Some(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.",
            );
        }
        if claims["aud"] != TOKEN_AUDIENCE {
            return Some("Invalid JWT: Failed audience check.");
        }
        let account = claims["iss"] == self.client_email();
        (!account).then_some("Invalid grant: account not found")
    }
}

/// How the server answers.
#[derive(Clone, Debug)]
pub struct GoogleAnswers {
    /// How long a token holds.
    pub lifetime: Duration,
    /// What to answer first, in place of tokens: a status and a body each.
    pub failures: Vec<(u16, Value)>,
    /// A metadata server that does not say it is one is some other page.
    pub is_metadata_server: bool,
}

impl Default for GoogleAnswers {
    fn default() -> Self {
        Self {
            lifetime: Duration::from_secs(3_599),
            failures: Vec::new(),
            is_metadata_server: true,
        }
    }
}

/// A token service and metadata server that listens on loopback; it stops when this is dropped.
pub struct RunningGoogle {
    addr: SocketAddr,
    state: Arc<GoogleState>,
    _stop: DropGuard,
}

struct GoogleState {
    account: GoogleAccount,
    answers: Mutex<GoogleAnswers>,
    /// The form that each request had.
    asked: Mutex<Vec<String>>,
}

impl fmt::Debug for RunningGoogle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningGoogle")
            .field("addr", &self.addr)
            .finish_non_exhaustive()
    }
}

impl RunningGoogle {
    /// Listens on a free port. Tokens are `ya29.token-1`, `ya29.token-2` and so on.
    ///
    /// # Panics
    ///
    /// When loopback gives no port.
    pub async fn serve(answers: GoogleAnswers) -> Self {
        let state = Arc::new(GoogleState {
            account: GoogleAccount::new(),
            answers: Mutex::new(answers),
            asked: Mutex::default(),
        });
        let router = Router::new().fallback(handle).with_state(state.clone());
        let (addr, stop) = listen(router).await;
        Self {
            addr,
            state,
            _stop: stop,
        }
    }

    /// Where tokens are asked for.
    pub fn token_url(&self) -> String {
        format!("http://{}/token", self.addr)
    }

    /// Host and port of the metadata server.
    pub fn metadata_host(&self) -> String {
        self.addr.to_string()
    }

    /// How each request asked, in order: `jwt-bearer`, `refresh_token` or `metadata`; what was not understood is `other`.
    pub fn asked(&self) -> Vec<String> {
        self.state
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

async fn handle(
    State(state): State<Arc<GoogleState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let (form, refusal) = state.read(&method, &uri, &headers, &body);
    let number = {
        let mut asked = state.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(form.to_owned());
        asked.len()
    };
    let mut answers = state.answers.lock().unwrap_or_else(PoisonError::into_inner);
    let (status, body) = match refusal {
        Some(refusal) => refusal,
        None if !answers.failures.is_empty() => answers.failures.remove(0),
        None => {
            let token = json!({
                "access_token": format!("ya29.token-{number}"),
                "expires_in": answers.lifetime.as_secs(),
                "token_type": "Bearer",
            });
            (200, token)
        }
    };
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).expect("the script names a status");
    let headers = response.headers_mut();
    headers.insert(
        "content-type",
        "application/json; charset=utf-8".parse().expect("a value"),
    );
    if form == "metadata" && answers.is_metadata_server {
        headers.insert("metadata-flavor", "Google".parse().expect("a value"));
    }
    response
}

type Refusal = Option<(u16, Value)>;

impl GoogleState {
    /// The form of a request, and what is answered in place of a token.
    fn read(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        body: &[u8],
    ) -> (&'static str, Refusal) {
        let refused = |error: &str, said: &str| {
            Some((400, json!({"error": error, "error_description": said})))
        };
        let asked = uri.path().strip_prefix(METADATA_PATH);
        if let Some(asked) = asked.filter(|_| method == Method::GET) {
            return ("metadata", metadata_answer(asked, headers));
        }
        let kind = headers
            .get("content-type")
            .and_then(|kind| kind.to_str().ok());
        let is_form =
            kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
        if method != Method::POST || uri.path() != "/token" || !is_form {
            return ("other", Some((404, json!({"error": "not_found"}))));
        }
        let fields: HashMap<String, String> =
            url::form_urlencoded::parse(body).into_owned().collect();
        let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
        match field("grant_type") {
            "urn:ietf:params:oauth:grant-type:jwt-bearer" => {
                let refusal = match self.account.verify(field("assertion")) {
                    Err(said) => refused("invalid_grant", &said),
                    Ok(claims) if claims["scope"] != SCOPE => refused(
                        "invalid_scope",
                        "Invalid OAuth scope or ID token audience provided.",
                    ),
                    Ok(claims) => self
                        .account
                        .wrong_claim(&claims)
                        .and_then(|said| refused("invalid_grant", said)),
                };
                ("jwt-bearer", refusal)
            }
            "refresh_token" => {
                let client =
                    field("client_id") == CLIENT_ID && field("client_secret") == CLIENT_SECRET;
                let refusal = match field("refresh_token") == REFRESH_TOKEN {
                    _ if !client => refused("invalid_client", "The OAuth client was not found."),
                    true => None,
                    false => refused("invalid_grant", "Token has been expired or revoked."),
                };
                ("refresh_token", refusal)
            }
            _ => (
                "other",
                refused("unsupported_grant_type", "Invalid grant_type"),
            ),
        }
    }
}

/// What a metadata server answers in place of a token.
fn metadata_answer(asked: &str, headers: &HeaderMap) -> Refusal {
    let flavor = headers.get("metadata-flavor");
    match asked {
        _ if flavor.is_none_or(|flavor| flavor != "Google") => {
            let said = "Missing Metadata-Flavor:Google header.";
            Some((403, json!({"error": said})))
        }
        "token" => None,
        // Google's own library asks who it is first.
        "" => {
            let account = json!({"email": "default", "aliases": ["default"], "scopes": [SCOPE]});
            Some((200, account))
        }
        _ => Some((404, json!({"error": "not_found"}))),
    }
}

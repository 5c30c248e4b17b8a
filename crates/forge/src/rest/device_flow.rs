//! Signing in by a code that a person types elsewhere
//! (<https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow>). The person is played by
//! `POST /_forge/device`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde::Deserialize;
use serde_json::{Value, json};

use super::request::{HandlerResult, JsonBody};
use super::response::json_response;
use crate::Forge;
use crate::error::ForgeError;

/// How long a code can be typed.
const LIFETIME: Duration = Duration::from_secs(900);
/// How far apart questions have to be. GitHub asks for five seconds.
const INTERVAL: Duration = Duration::from_secs(1);
/// What a code is made of: no vowels, so that it spells nothing.
const LETTERS: &[u8] = b"BCDFGHJKLMNPQRSTVWXZ0123456789";
/// The only grant that is known here.
const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Codes that wait for a person.
#[derive(Debug, Default)]
pub(crate) struct DeviceFlows(Mutex<HashMap<String, Flow>>);

#[derive(Debug)]
struct Flow {
    user_code: String,
    client_id: String,
    scope: String,
    begun: Instant,
    asked: Option<Instant>,
    decision: Option<Decision>,
}

#[derive(Debug, Clone)]
enum Decision {
    /// It may act as this login.
    Approved(String),
    Denied,
}

impl DeviceFlows {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Flow>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/login/device/code", post(begin))
        .route("/login/oauth/access_token", post(ask))
        .route("/_forge/device", post(decide))
}

#[derive(Debug, Default, Deserialize)]
struct CodeInput {
    client_id: Option<String>,
    scope: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct TokenInput {
    client_id: Option<String>,
    device_code: Option<String>,
    grant_type: Option<String>,
}

/// Parameters as JSON or as a form.
fn parameters<T: for<'de> Deserialize<'de> + Default>(headers: &HeaderMap, body: &Bytes) -> T {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.starts_with("application/json") {
        return serde_json::from_slice(body).unwrap_or_default();
    }
    let text = String::from_utf8_lossy(body);
    let uri: Option<Uri> = format!("/?{text}").parse().ok();
    let query = uri.and_then(|uri| Query::<T>::try_from_uri(&uri).ok());
    query.map(|query| query.0).unwrap_or_default()
}

/// GitHub answers refusals with 200, and in the form that is asked for.
fn answer(headers: &HeaderMap, body: &Value) -> Response {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|kind| kind.to_str().ok());
    if accept.is_some_and(|kind| kind.contains("json")) {
        return json_response(200, body);
    }
    let pairs = body.as_object().into_iter().flatten().map(|(name, value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), ToOwned::to_owned);
        let text = text
            .replace('%', "%25")
            .replace('&', "%26")
            .replace(':', "%3A");
        format!("{name}={}", text.replace('/', "%2F").replace(' ', "+"))
    });
    let text = pairs.collect::<Vec<_>>().join("&");
    let kind = [(
        header::CONTENT_TYPE,
        "application/x-www-form-urlencoded; charset=utf-8",
    )];
    (kind, text).into_response()
}

fn error(headers: &HeaderMap, code: &str, words: &str) -> Response {
    let body =
        json!({"error": code, "error_description": words, "error_uri": "https://docs.github.com"});
    answer(headers, &body)
}

async fn begin(State(forge): State<Forge>, headers: HeaderMap, body: Bytes) -> Response {
    let input: CodeInput = parameters(&headers, &body);
    let Some(client_id) = input.client_id.filter(|id| !id.is_empty()) else {
        return json_response(404, &json!({"error": "Not Found"}));
    };
    let letters = || {
        let letter = |_| char::from(LETTERS[rand::random_range(0..LETTERS.len())]);
        (0..4).map(letter).collect::<String>()
    };
    let user_code = format!("{}-{}", letters(), letters());
    let device_code = hex::encode(rand::random::<[u8; 20]>());
    let flow = Flow {
        user_code: user_code.clone(),
        client_id,
        scope: input.scope.unwrap_or_default(),
        begun: Instant::now(),
        asked: None,
        decision: None,
    };
    let mut flows = forge.device_flows().lock();
    flows.retain(|_, flow| flow.begun.elapsed() < LIFETIME);
    flows.insert(device_code.clone(), flow);
    drop(flows);
    let body = json!({
        "device_code": device_code,
        "user_code": user_code,
        "verification_uri": format!("{}/login/device", forge.base_url()),
        "expires_in": LIFETIME.as_secs(),
        "interval": INTERVAL.as_secs(),
    });
    answer(&headers, &body)
}

async fn ask(State(forge): State<Forge>, headers: HeaderMap, body: Bytes) -> Response {
    let input: TokenInput = parameters(&headers, &body);
    if input.grant_type.as_deref() != Some(GRANT) {
        return error(
            &headers,
            "unsupported_grant_type",
            "The grant type is not that of the device flow.",
        );
    }
    let code = input.device_code.unwrap_or_default();
    let mut flows = forge.device_flows().lock();
    let known = flows.get_mut(&code);
    let Some(flow) = known.filter(|flow| Some(&flow.client_id) == input.client_id.as_ref()) else {
        return error(
            &headers,
            "incorrect_device_code",
            "The device_code provided is not valid.",
        );
    };
    if flow.begun.elapsed() >= LIFETIME {
        flows.remove(&code);
        return error(&headers, "expired_token", "The device_code has expired.");
    }
    let is_early = flow.asked.is_some_and(|asked| asked.elapsed() < INTERVAL);
    flow.asked = Some(Instant::now());
    if is_early {
        return error(
            &headers,
            "slow_down",
            "Too many requests have been made in the same timeframe.",
        );
    }
    match flow.decision.clone() {
        None => error(
            &headers,
            "authorization_pending",
            "The authorization request is still pending.",
        ),
        Some(Decision::Denied) => {
            flows.remove(&code);
            error(
                &headers,
                "access_denied",
                "The authorization request was denied.",
            )
        }
        Some(Decision::Approved(login)) => {
            let scope = flow.scope.clone();
            flows.remove(&code);
            let token = forge.token_scheme().token_of(&login);
            answer(
                &headers,
                &json!({"access_token": token, "token_type": "bearer", "scope": scope}),
            )
        }
    }
}

/// What a person does with a code that they were shown: `{"user_code": …, "login": …}`, or `"denied": true`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionInput {
    user_code: String,
    login: Option<String>,
    #[serde(default)]
    denied: bool,
}

async fn decide(
    State(forge): State<Forge>,
    JsonBody(input): JsonBody<DecisionInput>,
) -> HandlerResult {
    let account = input
        .login
        .as_deref()
        .and_then(|login| forge.account_by_login(login));
    let decision = match account {
        _ if input.denied => Decision::Denied,
        Some(account) => Decision::Approved(account.login),
        None => {
            return Err(ForgeError::custom_validation(
                "Device",
                "login",
                "no such account",
            ));
        }
    };
    let mut flows = forge.device_flows().lock();
    let flow = flows
        .values_mut()
        .find(|flow| flow.user_code == input.user_code);
    flow.ok_or_else(ForgeError::not_found)?.decision = Some(decision);
    Ok(StatusCode::NO_CONTENT.into_response())
}

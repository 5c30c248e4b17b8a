//! Asks for the access token of a Google login.

use super::service_json::read_limited;
use super::stream::error_chain;
use crate::llm::failure::{ErrorContext, LlmFailure};
use crate::llm::google_login::{AccessToken, GoogleLogin, TokenRequestBody};
use crate::llm::secret::Secret;
use reqwest::header::{CONTENT_TYPE, HeaderName};
use reqwest::{Client, Response};
use secrecy::ExposeSecret as _;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// How long it may take.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(30);

/// The most that is read of an answer.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// What a metadata server is asked with, and says of itself: it is no page that redirects or guesses.
const METADATA_FLAVOR: HeaderName = HeaderName::from_static("metadata-flavor");

/// The token of a login: the one that it has, or a new one.
pub(super) async fn google_token(
    http: &Client,
    login: &GoogleLogin,
    context: &ErrorContext,
) -> Result<Secret, LlmFailure> {
    let now = SystemTime::now();
    login.token(now, ask(http, login, context, now)).await
}

async fn ask(
    http: &Client,
    login: &GoogleLogin,
    context: &ErrorContext,
    now: SystemTime,
) -> Result<AccessToken, LlmFailure> {
    let refused = |service: &str, said: &str| LlmFailure::LoginRefused {
        model: context.model_label.clone(),
        origin: login.origin().to_owned(),
        service: service.to_owned(),
        message: context.redact_and_shorten(said),
    };
    let Some(request) = login.credentials().token_request(now) else {
        return Err(refused("", "it could not be signed with"));
    };
    let service = request.url.host_str().unwrap_or_default().to_owned();
    let unanswered = |said: &str| LlmFailure::LoginUnanswered {
        model: context.model_label.clone(),
        origin: login.origin().to_owned(),
        service: service.clone(),
        message: context.redact_and_shorten(said),
    };
    let is_metadata = matches!(request.body, TokenRequestBody::Metadata);
    let asked = match request.body {
        TokenRequestBody::Form(form) => http
            .post(request.url)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.expose_secret().to_owned()),
        TokenRequestBody::Metadata => http.get(request.url).header(METADATA_FLAVOR, "Google"),
    };
    let lost = |error: reqwest::Error| unanswered(&error_chain(&error.without_url()));
    let response = asked.timeout(TOKEN_TIMEOUT).send().await.map_err(lost)?;
    let status = response.status();
    if is_metadata && !is_google(&response) {
        return Err(refused(
            &service,
            "what answers there is no metadata server",
        ));
    }
    let body = read_limited(response, MAX_ANSWER_BYTES)
        .await
        .map_err(lost)?;
    let answer: Value = serde_json::from_slice(&body.unwrap_or_default()).unwrap_or_default();
    if !status.is_success() {
        let said = format!("{} {}", status.as_u16(), error_words(&answer));
        return Err(match status.as_u16() {
            408 | 429 | 500..=599 => unanswered(&said),
            _ => refused(&service, &said),
        });
    }
    access_token(&answer, now).ok_or_else(|| refused(&service, "what came is no access token"))
}

/// The token of an answer that holds one.
fn access_token(answer: &Value, now: SystemTime) -> Option<AccessToken> {
    let secret = answer["access_token"].as_str().and_then(Secret::new)?;
    let seconds = answer["expires_in"].as_u64()?.min(MAX_LIFETIME_SECONDS);
    let ends_at = now + Duration::from_secs(seconds);
    Some(AccessToken { secret, ends_at })
}

/// No token of Google's holds longer (<https://cloud.google.com/docs/authentication/token-types#access-lifetime>).
const MAX_LIFETIME_SECONDS: u64 = 12 * 60 * 60;

fn is_google(response: &Response) -> bool {
    let flavor = response.headers().get(METADATA_FLAVOR);
    flavor.is_some_and(|flavor| flavor == "Google")
}

/// OAuth's own words for what is wrong (RFC 6749, 5.2).
fn error_words(answer: &Value) -> String {
    let words = ["error", "error_description"].map(|name| answer[name].as_str());
    let words: Vec<&str> = words.into_iter().flatten().collect();
    words.join(": ")
}

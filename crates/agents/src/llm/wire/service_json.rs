//! Plain JSON of a service, beside its answers: lists of models, and what one of them is.

use super::stream::{error_chain, retry_after};
use crate::llm::failure::{ErrorContext, LlmFailure};
use crate::llm::model::ModelTarget;
use crate::llm::provider::Provider;
use reqwest::{Client, RequestBuilder, Response, Url};
use serde_json::Value;
use std::time::Duration;

/// How long a service may take for something that it need not think about.
const JSON_TIMEOUT: Duration = Duration::from_secs(30);

/// The most that is read of it: OpenRouter's list has a megabyte.
const MAX_JSON_BYTES: usize = 16 << 20;

/// The version of Anthropic's API that its headers name (<https://docs.anthropic.com/en/api/versioning>).
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Reads what lies at an address of the service.
pub(super) async fn get_json(
    http: &Client,
    target: &ModelTarget,
    url: Url,
) -> Result<Value, LlmFailure> {
    read_json(target, http.get(url)).await
}

/// Asks something of the service.
pub(super) async fn post_json(
    http: &Client,
    target: &ModelTarget,
    url: Url,
    body: &Value,
) -> Result<Value, LlmFailure> {
    read_json(target, http.post(url).json(body)).await
}

async fn read_json(target: &ModelTarget, request: RequestBuilder) -> Result<Value, LlmFailure> {
    let context = ErrorContext::of_target(target);
    let request = with_headers(request, target).timeout(JSON_TIMEOUT);
    let lost = |error: reqwest::Error| {
        let said = error_chain(&error.without_url());
        LlmFailure::Unreachable {
            model: context.model_label.clone(),
            message: context.redact_and_shorten(&said),
        }
    };
    let response = request.send().await.map_err(lost)?;
    let status = response.status();
    let headers = response.headers().clone();
    let body = read_limited(response, MAX_JSON_BYTES).await.map_err(lost)?;
    let Some(body) = body else {
        return Err(not_json(&context));
    };
    if !status.is_success() {
        let body = String::from_utf8_lossy(&body);
        let wait = retry_after(&headers, &body);
        return Err(context.failure_from_status(status.as_u16(), wait, &body));
    }
    serde_json::from_slice(&body).map_err(|_| not_json(&context))
}

/// A whole body; none where it is longer than this.
pub(super) async fn read_limited(
    mut response: Response,
    max: usize,
) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > max {
            return Ok(None);
        }
    }
    Ok(Some(body))
}

fn not_json(context: &ErrorContext) -> LlmFailure {
    LlmFailure::BadAddress {
        model: context.model_label.clone(),
        reason: "what answers there is no such service".to_owned(),
    }
}

/// The key where the service looks for it, and what else goes along.
pub(super) fn with_headers(request: RequestBuilder, target: &ModelTarget) -> RequestBuilder {
    let mut request = request;
    if let Some(key) = &target.key {
        request = match target.provider {
            Provider::Anthropic => request.header("x-api-key", key.expose()),
            Provider::Gemini => request.header("x-goog-api-key", key.expose()),
            _ => request.bearer_auth(key.expose()),
        };
    }
    if target.provider == Provider::Anthropic {
        request = request.header("anthropic-version", ANTHROPIC_VERSION);
    }
    for header in &target.headers {
        request = request.header(header.name(), header.expose());
    }
    request
}

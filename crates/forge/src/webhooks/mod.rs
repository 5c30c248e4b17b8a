//! Webhooks, as GitHub sends them: headers, signature, ten seconds to answer, deliveries that can be looked at and sent again
//! (<https://docs.github.com/en/webhooks/webhook-events-and-payloads>). No order is kept, and nothing is sent again by itself.

pub(crate) mod delivery_log;
mod events;
mod payloads;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderValue, Method, Request, Uri, header};
use bytes::Bytes;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use sha2::Sha256;
use uuid::Uuid;

use crate::Forge;
use crate::clock;
use crate::model::{Hook, HookContent, RepoName, RepoState};
use crate::rest::json_objects::{JsonContext, repo_full_json};
use delivery_log::{Delivery, SentRequest};
pub(crate) use events::Happened;

/// How long GitHub waits for an answer
/// (<https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks>).
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Of an answer that much is kept.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
const ZEN: &str = "Anything added dilutes everything else.";

/// What a change of a repository has its webhooks tell, read before the change counts as done. Nobody listening costs nothing.
pub(crate) fn happened(forge: &Forge, state: &RepoState) -> Vec<Happened> {
    if state.meta.hooks.values().any(|hook| hook.active) {
        events::happened(forge, state)
    } else {
        Vec::new()
    }
}

/// Sends what has happened to each webhook that wants it, in no order.
pub(crate) fn send_all(forge: &Forge, repo: &RepoName, happened: Vec<Happened>) {
    for one in happened {
        let (forge, repo) = (forge.clone(), repo.clone());
        let sending = forge.clone();
        sending.spawn(async move {
            let payload = payloads::complete(&forge, &repo, one.payload).await;
            let wanted = forge.read(&repo, |state| {
                let hooks = state.meta.hooks.values();
                let wanting = hooks.filter(|hook| hook.wants(one.event));
                wanting.cloned().collect::<Vec<Hook>>()
            });
            for hook in wanted.unwrap_or_default() {
                let request = SentRequest::new(&forge, &repo, &hook, one.event, payload.clone());
                let sender = forge.clone();
                forge.spawn(async move { send(&sender, &hook, request, false).await });
            }
        });
    }
}

/// Sends a ping, as GitHub does to each new webhook.
pub(crate) fn ping(forge: &Forge, repo: &RepoName, hook: &Hook) {
    let payload = forge.read(repo, |state| {
        let base = forge.base_url();
        let context = JsonContext::new(forge, repo, &base);
        json!({
            "zen": ZEN,
            "hook_id": hook.id,
            "hook": hook_json(context, hook),
            "repository": repo_full_json(context, state, None),
            "sender": context.account_by_id(state.meta.owner),
        })
    });
    if let Ok(payload) = payload {
        let request = SentRequest::new(forge, repo, hook, "ping", payload);
        let (sender, hook) = (forge.clone(), hook.clone());
        forge.spawn(async move { send(&sender, &hook, request, false).await });
    }
}

/// Sends a delivery again: with its old id, and the address and secret of now.
pub(crate) fn send_again(forge: &Forge, hook: &Hook, request: SentRequest) {
    let (sender, hook) = (forge.clone(), hook.clone());
    forge.spawn(async move { send(&sender, &hook, request, true).await });
}

impl SentRequest {
    fn new(forge: &Forge, repo: &RepoName, hook: &Hook, event: &str, payload: Value) -> Self {
        let target = forge.read(repo, |state| state.meta.id).unwrap_or_default();
        Self {
            hook: hook.id,
            guid: Uuid::new_v4().to_string(),
            event: event.to_owned(),
            target,
            payload,
        }
    }
}

async fn send(forge: &Forge, hook: &Hook, request: SentRequest, again: bool) {
    let (headers, body) = signed(hook, &request);
    let begun = Instant::now();
    let answer = tokio::time::timeout(ANSWER_TIMEOUT, post(&hook.url, &headers, body)).await;
    let (status_code, status, answer) = match answer {
        Ok(Ok((code, headers, body))) => {
            let word = if (200..300).contains(&code) {
                "OK"
            } else {
                "Invalid HTTP Response"
            };
            let word = format!(
                "{word}{}",
                if word == "OK" {
                    String::new()
                } else {
                    format!(": {code}")
                }
            );
            (code, word, Some((headers, body)))
        }
        Ok(Err(error)) => {
            tracing::debug!(%error, url = hook.url, "a delivery could not be sent");
            (502, "failed to connect to host".to_owned(), None)
        }
        Err(_) => (504, "timed out".to_owned(), None),
    };
    let delivery = Delivery {
        id: forge.next_id(),
        delivered_at: clock::now(),
        redelivery: again,
        duration: begun.elapsed(),
        status,
        status_code,
        request_headers: text_headers(&headers),
        answer: answer.map(|(headers, body)| (text_headers(&headers), body)),
        request,
    };
    forge.deliveries().add(delivery);
}

/// The body of a request, and its headers.
fn signed(hook: &Hook, request: &SentRequest) -> (HeaderMap, Bytes) {
    let text = request.payload.to_string();
    let (kind, body) = match hook.content {
        HookContent::Json => ("application/json", text),
        HookContent::Form => ("application/x-www-form-urlencoded", form(&text)),
    };
    let mut headers = HeaderMap::new();
    let short = request.guid.split('-').next().unwrap_or_default();
    let mut add = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    add("accept", "*/*");
    add("content-type", kind);
    add("user-agent", &format!("GitHub-Hookshot/{short}"));
    add("x-github-delivery", &request.guid);
    add("x-github-event", &request.event);
    add("x-github-hook-id", &hook.id.to_string());
    add(
        "x-github-hook-installation-target-id",
        &request.target.to_string(),
    );
    add("x-github-hook-installation-target-type", "repository");
    if let Some(secret) = &hook.secret
        && let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
    {
        mac.update(body.as_bytes());
        let digits = hex::encode(mac.finalize().into_bytes());
        add("x-hub-signature-256", &format!("sha256={digits}"));
    }
    (headers, Bytes::from(body))
}

/// `payload=…`, as a form is written.
fn form(text: &str) -> String {
    let mut body = String::from("payload=");
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'*' | b'-' | b'.' | b'_' => {
                body.push(char::from(byte));
            }
            b' ' => body.push('+'),
            other => body.push_str(&format!("%{other:02X}")),
        }
    }
    body
}

async fn post(
    url: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<(u16, HeaderMap, String), String> {
    let uri: Uri = url.parse().map_err(|error| format!("{error}"))?;
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers.clone();
    // A connection of its own for each: one that the other end has just closed would look like a failure.
    let client: Client<HttpConnector, Full<Bytes>> = Client::builder(TokioExecutor::new())
        .pool_max_idle_per_host(0)
        .build_http();
    let response = client
        .request(request)
        .await
        .map_err(|error| error.to_string())?;
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let text = String::from_utf8_lossy(&body).into_owned();
    Ok((parts.status.as_u16(), parts.headers, text))
}

fn text_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let pairs = headers.iter().filter_map(|(name, value)| {
        let secret = *name == header::AUTHORIZATION;
        Some((
            name.to_string(),
            value.to_str().ok().filter(|_| !secret)?.to_owned(),
        ))
    });
    pairs.collect()
}

/// GitHub's `hook`.
pub(crate) fn hook_json(context: JsonContext<'_>, hook: &Hook) -> Value {
    let url = context.api_url(&format!("/hooks/{}", hook.id));
    let mut config = json!({
        "content_type": hook.content.as_str(),
        "insecure_ssl": "0",
        "url": hook.url,
    });
    if hook.secret.is_some() {
        // What GitHub shows of one.
        config["secret"] = json!("********");
    }
    let last = context.forge.deliveries().last_of(hook.id);
    json!({
        "type": "Repository",
        "id": hook.id,
        "name": "web",
        "active": hook.active,
        "events": hook.events,
        "config": config,
        "updated_at": clock::format_time(hook.updated_at),
        "created_at": clock::format_time(hook.created_at),
        "url": url,
        "test_url": format!("{url}/test"),
        "ping_url": format!("{url}/pings"),
        "deliveries_url": format!("{url}/deliveries"),
        "last_response": last.map_or_else(
            || json!({"code": null, "status": "unused", "message": null}),
            |last| json!({
                "code": last.status_code,
                "status": if last.is_ok() { "active" } else { "error" },
                "message": last.status,
            }),
        ),
    })
}

//! Webhooks of a repository, and what was delivered
//! (<https://docs.github.com/en/rest/repos/webhooks>).

use std::collections::BTreeSet;

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::json_objects::JsonContext;
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::clock;
use crate::error::ForgeError;
use crate::model::{Hook, HookContent, Role};
use crate::webhooks::delivery_log::Delivery;
use crate::webhooks::{self, hook_json};

/// GitHub takes no more for one event of a repository.
const MAX_HOOKS: usize = 20;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/hooks", get(list).post(create))
        .route("/hooks/{id}", get(show).patch(edit).delete(remove))
        .route("/hooks/{id}/pings", post(send_ping))
        .route("/hooks/{id}/deliveries", get(list_deliveries))
        .route("/hooks/{id}/deliveries/{delivery}", get(show_delivery))
        .route(
            "/hooks/{id}/deliveries/{delivery}/attempts",
            post(redeliver),
        )
}

#[derive(Debug, Default, Deserialize)]
struct ConfigInput {
    url: Option<String>,
    content_type: Option<HookContent>,
    secret: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct HookInput {
    name: Option<String>,
    #[serde(default)]
    config: ConfigInput,
    events: Option<BTreeSet<String>>,
    add_events: Option<BTreeSet<String>>,
    remove_events: Option<BTreeSet<String>>,
    active: Option<bool>,
}

/// Who may look at webhooks; to others there are none.
fn require_owner(call: &RepoRequest) -> Result<(), ForgeError> {
    let role = call.read(|state| Ok(state.meta.role(call.viewer.id)))?;
    match role {
        Role::Owner => Ok(()),
        Role::None | Role::Reader | Role::Collaborator | Role::Member => {
            Err(ForgeError::not_found())
        }
    }
}

fn find(call: &RepoRequest) -> Result<Hook, ForgeError> {
    require_owner(call)?;
    let id = call.number_param("id")?;
    call.read(|state| {
        let hook = state.meta.hooks.get(&id).cloned();
        hook.ok_or_else(ForgeError::not_found)
    })
}

/// An address of this machine: the forge reaches nothing else.
fn checked_url(url: Option<String>) -> Result<Option<String>, ForgeError> {
    let Some(url) = url else { return Ok(None) };
    let uri: Option<Uri> = url.parse().ok();
    let is_own = uri.is_some_and(|uri| {
        let host = uri.host().unwrap_or_default();
        let ip = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        let is_loopback = host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback());
        uri.scheme_str() == Some("http") && is_loopback
    });
    match is_own {
        true => Ok(Some(url)),
        false => Err(ForgeError::custom_validation(
            "Hook",
            "url",
            "url is not an http address of this machine: the forge sends to no other",
        )),
    }
}

async fn list(call: RepoRequest) -> HandlerResult {
    require_owner(&call)?;
    call.read(|state| {
        let context = JsonContext::from_request(&call);
        let hooks: Vec<&Hook> = state.meta.hooks.values().collect();
        Ok(call.page_response(hooks, |hook| hook_json(context, hook)))
    })
}

async fn create(call: RepoRequest, JsonBody(input): JsonBody<HookInput>) -> HandlerResult {
    require_owner(&call)?;
    if input.name.as_deref().is_some_and(|name| name != "web") {
        return Err(ForgeError::invalid("Hook", "name", "invalid"));
    }
    let url = checked_url(input.config.url)?;
    let url =
        url.ok_or_else(|| ForgeError::custom_validation("Hook", "url", "url cannot be blank"))?;
    let now = clock::now();
    let hook = Hook {
        id: call.forge.next_id(),
        active: input.active.unwrap_or(true),
        events: input
            .events
            .unwrap_or_else(|| BTreeSet::from(["push".to_owned()])),
        url,
        content: input.config.content_type.unwrap_or_default(),
        secret: input.config.secret,
        created_at: now,
        updated_at: now,
    };
    call.forge.change(&call.repo, |state| {
        if state.meta.hooks.len() >= MAX_HOOKS {
            let many = "The \"push\" event cannot have more than 20 hooks";
            return Err(ForgeError::custom_validation("Hook", "base", many));
        }
        if state
            .meta
            .hooks
            .values()
            .any(|known| known.url == hook.url && known.events == hook.events)
        {
            let twice = "Hook already exists on this repository";
            return Err(ForgeError::custom_validation("Hook", "base", twice));
        }
        state.meta.edit().hooks.insert(hook.id, hook.clone());
        Ok(())
    })?;
    webhooks::ping(&call.forge, &call.repo, &hook);
    let body = hook_json(JsonContext::from_request(&call), &hook);
    Ok(json_response(201, &body))
}

async fn show(call: RepoRequest) -> HandlerResult {
    let hook = find(&call)?;
    let body = hook_json(JsonContext::from_request(&call), &hook);
    Ok(json_response(200, &body))
}

async fn edit(call: RepoRequest, JsonBody(input): JsonBody<HookInput>) -> HandlerResult {
    let mut hook = find(&call)?;
    hook.url = checked_url(input.config.url)?.unwrap_or(hook.url);
    hook.content = input.config.content_type.unwrap_or(hook.content);
    hook.secret = input.config.secret.or(hook.secret);
    hook.active = input.active.unwrap_or(hook.active);
    hook.events = input.events.unwrap_or(hook.events);
    hook.events.extend(input.add_events.into_iter().flatten());
    for gone in input.remove_events.into_iter().flatten() {
        hook.events.remove(&gone);
    }
    hook.updated_at = clock::now();
    call.forge.change(&call.repo, |state| {
        state.meta.edit().hooks.insert(hook.id, hook.clone());
        Ok(())
    })?;
    let body = hook_json(JsonContext::from_request(&call), &hook);
    Ok(json_response(200, &body))
}

async fn remove(call: RepoRequest) -> HandlerResult {
    let hook = find(&call)?;
    call.forge.change(&call.repo, |state| {
        state.meta.edit().hooks.remove(&hook.id);
        Ok(())
    })?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn send_ping(call: RepoRequest) -> HandlerResult {
    let hook = find(&call)?;
    webhooks::ping(&call.forge, &call.repo, &hook);
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn list_deliveries(call: RepoRequest) -> HandlerResult {
    let hook = find(&call)?;
    let all = call.forge.deliveries().of(hook.id);
    let limit = call.query_param("per_page").and_then(|n| n.parse().ok());
    // GitHub pages them by a cursor; the first page has the newest.
    let page: Vec<Value> = (all.iter().take(limit.unwrap_or(30).min(100)))
        .map(Delivery::item_json)
        .collect();
    Ok(json_response(200, &Value::from(page)))
}

fn delivery_of(call: &RepoRequest, hook: &Hook) -> Result<Delivery, ForgeError> {
    let id = call.number_param("delivery")?;
    let all = call.forge.deliveries().of(hook.id);
    let found = all.into_iter().find(|delivery| delivery.id == id);
    found.ok_or_else(ForgeError::not_found)
}

async fn show_delivery(call: RepoRequest) -> HandlerResult {
    let hook = find(&call)?;
    let delivery = delivery_of(&call, &hook)?;
    Ok(json_response(200, &delivery.json(&hook.url)))
}

async fn redeliver(call: RepoRequest) -> HandlerResult {
    let hook = find(&call)?;
    let delivery = delivery_of(&call, &hook)?;
    webhooks::send_again(&call.forge, &hook, delivery.request);
    Ok(json_response(202, &json!({})))
}

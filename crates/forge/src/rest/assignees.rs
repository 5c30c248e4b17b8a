//! Who is assigned, and who can be.

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use serde::Deserialize;

use super::issues::issue_response;
use super::json_objects::JsonContext;
use super::request::{HandlerResult, JsonBody, RepoRequest};
use crate::Forge;
use crate::actions::assignees::{self, AssigneeChange};
use crate::error::ForgeError;
use crate::model::AccountId;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/assignees", get(list_assignable))
        .route("/assignees/{login}", get(check_assignable))
        .route("/issues/{number}/assignees", post(add).delete(remove))
}

async fn list_assignable(call: RepoRequest) -> HandlerResult {
    call.read(|state| {
        let roles = state.meta.roles.keys().copied();
        let found: Vec<AccountId> = roles
            .filter(|id| assignees::is_assignable(state, *id))
            .collect();
        let context = JsonContext::from_request(&call);
        Ok(call.page_response(found, |id| context.account_by_id(*id)))
    })
}

async fn check_assignable(call: RepoRequest) -> HandlerResult {
    let account = call.forge.account_by_login(call.path_param("login")?);
    let account = account.ok_or_else(ForgeError::not_found)?;
    call.read(|state| {
        if assignees::is_assignable(state, account.id) {
            Ok(StatusCode::NO_CONTENT.into_response())
        } else {
            Err(ForgeError::not_found())
        }
    })
}

#[derive(Debug, Deserialize)]
struct AssigneesInput {
    #[serde(default)]
    assignees: Vec<String>,
}

async fn add(call: RepoRequest, JsonBody(input): JsonBody<AssigneesInput>) -> HandlerResult {
    change(&call, &input.assignees, AssigneeChange::Add, 201)
}

async fn remove(call: RepoRequest, JsonBody(input): JsonBody<AssigneesInput>) -> HandlerResult {
    change(&call, &input.assignees, AssigneeChange::Remove, 200)
}

fn change(
    call: &RepoRequest,
    logins: &[String],
    change: AssigneeChange,
    status: u16,
) -> HandlerResult {
    let number = call.number_param("number")?;
    assignees::change(
        &call.forge,
        &call.viewer,
        &call.repo,
        number,
        logins,
        change,
    )?;
    issue_response(call, number, status)
}

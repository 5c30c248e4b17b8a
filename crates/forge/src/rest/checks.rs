//! Check runs, their logs, and commit statuses.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::commits::resolve_commit;
use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::{self, json_response};
use crate::Forge;
use crate::actions::require_write;
use crate::checks;
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{Annotation, CheckRun, CheckStatus, CommitStatus, Sha, StatusState};

/// GitHub takes this many statuses of one context on one commit.
const MAX_STATUSES: usize = 1000;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/commits/{ref}/check-runs", get(list_check_runs))
        .route("/commits/{ref}/status", get(get_combined_status))
        .route("/commits/{ref}/statuses", get(list_statuses))
        // Where a pull request's `statuses_url` points.
        .route("/statuses/{sha}", get(list_statuses).post(post_status))
        .route("/check-runs/{id}", get(get_check_run))
        .route("/check-runs/{id}/annotations", get(list_annotations))
        .route("/check-runs/{id}/rerequest", post(rerun_check))
        .route("/actions/jobs/{id}/logs", get(redirect_to_log))
        .route("/actions/jobs/{id}/rerun", post(rerun_check))
}

/// Where a log is read: an address that speaks for itself, as GitHub's is.
pub(super) fn log_routes() -> Router<Forge> {
    Router::new().route("/_logs/{id}/{signature}", get(read_log))
}

async fn list_check_runs(call: RepoRequest) -> HandlerResult {
    let sha = resolve_commit(&call, call.path_param("ref")?).await?;
    let all = call.query_param("filter").as_deref() == Some("all");
    let name = call.query_param("check_name");
    let status = call.query_param("status");
    call.read(|state| {
        let mut runs: Vec<&CheckRun> = if all {
            state
                .check_runs
                .iter()
                .filter(|r| r.head_sha == sha)
                .collect()
        } else {
            state.latest_check_runs(&sha)
        };
        runs.retain(|r| name.as_ref().is_none_or(|n| *n == r.name));
        runs.retain(|r| status.as_deref().is_none_or(|s| s == r.status.as_str()));
        runs.reverse();
        let wrap =
            |total: usize, list: Vec<Value>| json!({"total_count": total, "check_runs": list});
        Ok(call.page_response_in(
            runs,
            |r| json_objects::check_run_json(JsonContext::from_request(&call), state, r),
            wrap,
        ))
    })
}

async fn get_check_run(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    call.read(|state| {
        let run = state.check_runs.get(id).ok_or_else(ForgeError::not_found)?;
        Ok(json_response(
            200,
            &json_objects::check_run_json(JsonContext::from_request(&call), state, run),
        ))
    })
}

async fn list_annotations(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    call.read(|state| {
        let run = state.check_runs.get(id).ok_or_else(ForgeError::not_found)?;
        let notes: Vec<&Annotation> = run.annotations.iter().collect();
        Ok(call.page_response(notes, |n| {
            json_objects::annotation_json(JsonContext::from_request(&call), &run.head_sha, n)
        }))
    })
}

async fn rerun_check(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    call.read(|state| require_write(state, &call.viewer))?;
    checks::rerun(&call.forge, &call.repo, id)?;
    Ok(json_response(201, &json!({})))
}

async fn redirect_to_log(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    call.read(|state| {
        let run = state.check_runs.get(id).ok_or_else(ForgeError::not_found)?;
        match run.status {
            CheckStatus::Completed => Ok(()),
            CheckStatus::Queued | CheckStatus::InProgress => Err(ForgeError::not_found()),
        }
    })?;
    let url = format!(
        "{}/_logs/{id}/{}",
        call.base_url(),
        log_signature(&call.forge, id)
    );
    Ok((StatusCode::FOUND, [(header::LOCATION, url)]).into_response())
}

fn log_signature(forge: &Forge, id: u64) -> String {
    let mut hash = Sha256::new();
    hash.update(forge.log_key());
    hash.update(id.to_be_bytes());
    hex::encode(hash.finalize())
}

async fn read_log(State(forge): State<Forge>, Path((id, signed)): Path<(u64, String)>) -> Response {
    let signature = log_signature(&forge, id);
    if !bool::from(signed.as_bytes().ct_eq(signature.as_bytes())) {
        return response::error_response(404, "Not Found", &[]);
    }
    match tokio::fs::read(checks::log_path(forge.root(), id)).await {
        Ok(bytes) => ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], bytes).into_response(),
        Err(_) => response::error_response(404, "Not Found", &[]),
    }
}

async fn get_combined_status(call: RepoRequest) -> HandlerResult {
    let sha = resolve_commit(&call, call.path_param("ref")?).await?;
    call.read(|state| {
        let latest = state.latest_statuses(&sha);
        let frame = JsonContext::from_request(&call);
        let wrap = |_: usize, list: Vec<Value>| {
            json_objects::combined_status_json(frame, state, &sha, list)
        };
        Ok(call.page_response_in(latest, |s| json_objects::status_json(frame, state, s), wrap))
    })
}

async fn list_statuses(call: RepoRequest) -> HandlerResult {
    let name = call.path_param("ref").or_else(|_| call.path_param("sha"))?;
    let sha = resolve_commit(&call, name).await?;
    call.read(|state| {
        let all = state.statuses.iter().rev().filter(|s| s.sha == sha);
        let all: Vec<&CommitStatus> = all.collect();
        Ok(call.page_response(all, |s| {
            json_objects::status_json(JsonContext::from_request(&call), state, s)
        }))
    })
}

#[derive(Debug, Deserialize)]
struct StatusInput {
    state: Option<String>,
    context: Option<String>,
    description: Option<String>,
    target_url: Option<String>,
}

async fn post_status(call: RepoRequest, JsonBody(input): JsonBody<StatusInput>) -> HandlerResult {
    let wanted = match input.state.as_deref() {
        Some("error") => StatusState::Error,
        Some("failure") => StatusState::Failure,
        Some("pending") => StatusState::Pending,
        Some("success") => StatusState::Success,
        Some(_) => return Err(ForgeError::invalid("Status", "state", "inclusion")),
        None => return Err(ForgeError::invalid("Status", "state", "missing_field")),
    };
    let git = call.forge.git(&call.repo)?;
    let unknown = || {
        let sha = call.path_param("sha").unwrap_or_default();
        ForgeError::refused(422, format!("No commit found for SHA: {sha}"))
    };
    let sha = Sha::new(call.path_param("sha")?).ok_or_else(unknown)?;
    git.commit_id(sha.as_str()).await?.ok_or_else(unknown)?;
    let context = input.context.unwrap_or_else(|| "default".to_owned());
    let posted = call.forge.change(&call.repo, |state| {
        // An app is installed with the right to report, whatever its role.
        if call.viewer.kind != crate::model::AccountKind::Bot {
            require_write(state, &call.viewer)?;
        }
        let same = state
            .statuses
            .iter()
            .filter(|s| s.sha == sha && s.context == context);
        if same.count() >= MAX_STATUSES {
            let words = "This SHA and context has reached the maximum number of statuses.";
            return Err(ForgeError::custom_validation("Status", "context", words));
        }
        let at = now();
        let status = CommitStatus {
            id: call.forge.next_id(),
            sha: sha.clone(),
            context: context.clone(),
            state: wanted,
            description: input.description,
            target_url: input.target_url,
            creator: call.viewer.id,
            created_at: at,
            updated_at: at,
        };
        state.statuses.insert(status.clone());
        Ok(status)
    })?;
    call.read(|state| {
        Ok(json_response(
            201,
            &json_objects::status_json(JsonContext::from_request(&call), state, &posted),
        ))
    })
}

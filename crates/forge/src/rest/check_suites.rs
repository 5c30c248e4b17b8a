//! Check suites: the check runs of one app, or of one workflow, on a commit.

use axum::Router;
use axum::routing::{get, post};
use serde_json::{Value, json};

use super::commits::resolve_commit;
use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions::require_write;
use crate::checks;
use crate::error::ForgeError;
use crate::model::{CheckRun, RepoState};
use crate::shipped_accounts;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/commits/{ref}/check-suites", get(list_for_commit))
        .route("/check-suites/{id}", get(get_suite))
        .route("/check-suites/{id}/check-runs", get(list_runs))
        .route("/check-suites/{id}/rerequest", post(rerun_suite))
}

/// The newest runs of a suite, or 404.
fn runs_of(state: &RepoState, suite: u64) -> Result<Vec<&CheckRun>, ForgeError> {
    let any = state.check_runs.iter().find(|r| r.suite_id == suite);
    let any = any.ok_or_else(ForgeError::not_found)?;
    let mut runs = state.latest_check_runs(&any.head_sha);
    runs.retain(|r| r.suite_id == suite);
    Ok(runs)
}

async fn list_for_commit(call: RepoRequest) -> HandlerResult {
    let sha = resolve_commit(&call, call.path_param("ref")?).await?;
    let commit = call.forge.git(&call.repo)?.commit(&sha).await?;
    let app = call.query_param("app_id");
    let name = call.query_param("check_name");
    call.read(|state| {
        let mut suites: Vec<u64> = (state.latest_check_runs(&sha).iter())
            .filter(|r| name.as_ref().is_none_or(|n| *n == r.name))
            .filter(|r| {
                let id = shipped_accounts::app_id(r.app).to_string();
                app.as_ref().is_none_or(|wanted| *wanted == id)
            })
            .map(|r| r.suite_id)
            .collect();
        suites.sort_unstable();
        suites.dedup();
        let runs: Vec<Vec<&CheckRun>> = (suites.into_iter())
            .map(|suite| runs_of(state, suite))
            .collect::<Result<_, _>>()?;
        let context = JsonContext::from_request(&call);
        let wrap =
            |total: usize, list: Vec<Value>| json!({"total_count": total, "check_suites": list});
        let shape =
            |runs: &Vec<&CheckRun>| json_objects::check_suite_json(context, state, runs, &commit);
        Ok(call.page_response_in(runs, shape, wrap))
    })
}

async fn get_suite(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    let sha = call.read(|state| Ok(runs_of(state, id)?[0].head_sha.clone()))?;
    let commit = call.forge.git(&call.repo)?.commit(&sha).await?;
    call.read(|state| {
        let context = JsonContext::from_request(&call);
        let runs = runs_of(state, id)?;
        let body = json_objects::check_suite_json(context, state, &runs, &commit);
        Ok(json_response(200, &body))
    })
}

async fn list_runs(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    let name = call.query_param("check_name");
    let status = call.query_param("status");
    call.read(|state| {
        let mut runs = runs_of(state, id)?;
        runs.retain(|r| name.as_ref().is_none_or(|n| *n == r.name));
        runs.retain(|r| status.as_deref().is_none_or(|s| s == r.status.as_str()));
        let context = JsonContext::from_request(&call);
        let wrap =
            |total: usize, list: Vec<Value>| json!({"total_count": total, "check_runs": list});
        Ok(call.page_response_in(
            runs,
            |r| json_objects::check_run_json(context, state, r),
            wrap,
        ))
    })
}

async fn rerun_suite(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    let runs: Vec<u64> = call.read(|state| {
        require_write(state, &call.viewer)?;
        Ok(runs_of(state, id)?.iter().map(|r| r.id).collect())
    })?;
    for run in runs {
        checks::rerun(&call.forge, &call.repo, run)?;
    }
    Ok(json_response(201, &json!({})))
}

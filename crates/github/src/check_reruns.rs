//! Has failed checks run again, and tells whether that was done (§8.2).
//!
//! A job that is run again is a check run of its own, with a higher id, and bears the name of the first:
//! <https://docs.github.com/rest/actions/workflow-runs#re-run-a-job-from-a-workflow-run>. Who else reports checks may do so, or set the first
//! one back: <https://docs.github.com/rest/checks/runs#rerequest-a-check-run>.

use crate::api_client::ApiClient;
use crate::api_fault::ApiFault;
use crate::branch_rules::encode_path_segment;
use collie_core::effect::CheckRun;
use collie_core::ids::RepoName;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct CheckRunRow {
    id: u64,
    name: String,
    head_sha: String,
    status: String,
    app: Option<AppRow>,
}

#[derive(Deserialize, PartialEq)]
struct AppRow {
    id: u64,
}

#[derive(Deserialize)]
struct CheckRunPage {
    check_runs: Vec<CheckRunRow>,
}

/// Asks for it.
pub(crate) async fn rerun(
    api: &ApiClient,
    repo: &RepoName,
    run: &CheckRun,
) -> Result<(), ApiFault> {
    let CheckRun { id, is_job } = run;
    let path = match is_job {
        true => format!("/repos/{repo}/actions/jobs/{id}/rerun"),
        false => format!("/repos/{repo}/check-runs/{id}/rerequest"),
    };
    api.create(&path, &json!({})).await.map(drop)
}

/// Whether a check that had failed was run again since: read afresh.
pub(crate) async fn was_rerun(
    api: &ApiClient,
    repo: &RepoName,
    run: &CheckRun,
) -> Result<bool, ApiFault> {
    let path = format!("/repos/{repo}/check-runs/{}", run.id);
    let asked: CheckRunRow = api.get_uncached(&path).await?.json()?;
    if asked.status != "completed" {
        return Ok(true);
    }
    let (commit, name) = (&asked.head_sha, encode_path_segment(&asked.name));
    let list = format!(
        "/repos/{repo}/commits/{commit}/check-runs?check_name={name}&filter=latest&per_page=100"
    );
    let page: CheckRunPage = api.get_uncached(&list).await?.json()?;
    let mut latest = page.check_runs.iter();
    Ok(latest.any(|it| it.id > asked.id && it.name == asked.name && it.app == asked.app))
}

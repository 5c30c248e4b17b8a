//! Commits and comparisons.

use axum::Router;
use axum::routing::get;
use serde_json::{Value, json};

use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions::pulls;
use crate::error::ForgeError;
use crate::model::Sha;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/commits/{ref}", get(get_commit))
        .route("/compare/{basehead}", get(compare))
}

/// The commit that a name stands for; 422 where there is none, as GitHub says it.
pub(super) async fn resolve_commit(call: &RepoRequest, name: &str) -> Result<Sha, ForgeError> {
    let git = call.forge.git(&call.repo)?;
    let found = match git.branch(name).await? {
        Some(tip) => Some(tip),
        None => git.commit_id(name).await?,
    };
    found.ok_or_else(|| ForgeError::refused(422, format!("No commit found for SHA: {name}")))
}

async fn get_commit(call: RepoRequest) -> HandlerResult {
    let sha = resolve_commit(&call, call.path_param("ref")?).await?;
    let git = call.forge.git(&call.repo)?;
    let commit = git.commit(&sha).await?;
    let frame = JsonContext::from_request(&call);
    let id = call.read(|state| Ok(state.meta.id))?;
    let mut out = json_objects::commit_json(frame, id, &commit);
    let files = match commit.parents.first() {
        Some(parent) => pulls::changed_files_between(&call.forge, &call.repo, parent, &sha).await?,
        None => Default::default(),
    };
    let additions: u64 = files.iter().map(|f| f.additions).sum();
    let deletions: u64 = files.iter().map(|f| f.deletions).sum();
    out["stats"] =
        json!({"additions": additions, "deletions": deletions, "total": additions + deletions});
    let listed: Vec<Value> = files
        .iter()
        .take(300)
        .map(|f| json_objects::file_json(frame, &sha, f))
        .collect();
    out["files"] = Value::from(listed);
    Ok(json_response(200, &out))
}

async fn compare(call: RepoRequest) -> HandlerResult {
    let (base, head) = call
        .path_param("basehead")?
        .split_once("...")
        .ok_or_else(ForgeError::not_found)?;
    let git = call.forge.git(&call.repo)?;
    let known = |_| ForgeError::not_found();
    let base_sha = resolve_commit(&call, base).await.map_err(known)?;
    let head_sha = resolve_commit(&call, head).await.map_err(known)?;
    let merge_base = git.merge_base(&base_sha, &head_sha).await?.ok_or_else(|| {
        ForgeError::refused(
            404,
            format!("No common ancestor between {base} and {head}."),
        )
    })?;
    let (ahead, behind) = git.ahead_behind(&base_sha, &head_sha).await?;
    let commits = git.commits_between(&base_sha, &head_sha).await?;
    let files =
        pulls::changed_files_between(&call.forge, &call.repo, &merge_base, &head_sha).await?;
    let (base_commit, base_of_both) =
        tokio::try_join!(git.commit(&base_sha), git.commit(&merge_base))?;
    let status = match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        (_, _) => "diverged",
    };
    let frame = JsonContext::from_request(&call);
    let id = call.read(|state| Ok(state.meta.id))?;
    let path = format!("/compare/{base}...{head}");
    let html = frame.web_url(&path);
    let total = commits.len();
    let listed: Vec<Value> = files
        .iter()
        .take(300)
        .map(|f| json_objects::file_json(frame, &head_sha, f))
        .collect();
    let wrap = |_: usize, list: Vec<Value>| {
        json!({
            "url": frame.api_url(&path),
            "html_url": html,
            "permalink_url": html,
            "diff_url": format!("{html}.diff"),
            "patch_url": format!("{html}.patch"),
            "base_commit": json_objects::commit_json(frame, id, &base_commit),
            "merge_base_commit": json_objects::commit_json(frame, id, &base_of_both),
            "status": status,
            "ahead_by": ahead,
            "behind_by": behind,
            "total_commits": total,
            "commits": list,
            "files": listed,
        })
    };
    Ok(call.page_response_in(commits, |c| json_objects::commit_json(frame, id, c), wrap))
}

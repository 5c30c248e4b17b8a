//! Pull requests: list, open, edit, files, commits, merge, reviewers.

use axum::Router;
use axum::http::StatusCode;
use axum::http::header;
use axum::response::IntoResponse as _;
use axum::routing::{get, post, put};
use serde::Deserialize;
use serde_json::{Value, json};

use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions::merge::{self, MergeParams};
use crate::actions::pulls::{self, NewPull, PullEdit};
use crate::actions::{self, labels};
use crate::error::ForgeError;
use crate::model::{MergeMethod, PullRequest, PullState};

/// GitHub lists no more files than this.
const MAX_FILES: usize = 3000;

/// GitHub lists no more commits than this.
const MAX_COMMITS: usize = 250;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/pulls", get(list_pulls).post(create_pull))
        .route("/pulls/{number}", get(get_pull).patch(edit_pull))
        .route("/pulls/{number}/files", get(list_files))
        .route("/pulls/{number}/commits", get(list_commits))
        .route("/pulls/{number}/merge", put(merge_pull).get(get_merged))
        .route("/pulls/{number}/update-branch", put(update_branch))
        .route(
            "/pulls/{number}/requested_reviewers",
            post(request_reviewers)
                .delete(remove_reviewers)
                .get(list_requested_reviewers),
        )
}

async fn list_pulls(call: RepoRequest) -> HandlerResult {
    let state_wanted = call
        .query_param("state")
        .unwrap_or_else(|| "open".to_owned());
    let base = call.query_param("base");
    let head = call.query_param("head");
    let head = head.as_deref().map(|head| match head.split_once(':') {
        Some((owner, name)) => (Some(owner), name),
        None => (None, head),
    });
    let by_update = call.query_param("sort").as_deref() == Some("updated");
    let ascending = call.query_param("direction").as_deref() == Some("asc");
    call.read(|state| {
        let fits = |p: &&PullRequest| {
            let open = p.state == PullState::Open;
            let state_fits = match state_wanted.as_str() {
                "all" => true,
                "closed" => !open,
                _ => open,
            };
            state_fits
                && base.as_ref().is_none_or(|b| *b == p.base_ref)
                && head.is_none_or(|(owner, name)| {
                    let fork = p.head_fork.as_ref().map(|fork| fork.repo.owner());
                    let of = fork.unwrap_or(call.repo.owner());
                    name == p.head_ref && owner.is_none_or(|owner| owner.eq_ignore_ascii_case(of))
                })
        };
        let mut found: Vec<&PullRequest> = state.pulls.iter().filter(fits).collect();
        if by_update {
            found.sort_by_key(|p| (p.updated_at, p.number));
        }
        if !ascending {
            found.reverse();
        }
        Ok(call.page_response(found, |p| {
            json_objects::pull_summary_json(JsonContext::from_request(&call), state, p)
        }))
    })
}

#[derive(Debug, Deserialize)]
struct CreatePullInput {
    title: Option<String>,
    body: Option<String>,
    base: Option<String>,
    head: Option<String>,
    maintainer_can_modify: Option<bool>,
    draft: Option<bool>,
}

async fn create_pull(
    call: RepoRequest,
    JsonBody(input): JsonBody<CreatePullInput>,
) -> HandlerResult {
    let need = |value: Option<String>, field: &str| {
        value.ok_or_else(|| ForgeError::invalid("PullRequest", field, "missing_field"))
    };
    let head = need(input.head, "head")?;
    let (owner, name) = match head.split_once(':') {
        Some((owner, name)) => (Some(owner), name),
        None => (None, head.as_str()),
    };
    let no_account = || ForgeError::invalid("PullRequest", "head", "invalid");
    let account = |login: &str| call.forge.account_by_login(login).ok_or_else(no_account);
    let head_owner = owner.map(account).transpose()?;
    let new = NewPull {
        title: need(input.title, "title")?,
        body: input.body,
        base_ref: need(input.base, "base")?,
        head_ref: name.to_owned(),
        head_owner,
        maintainer_can_modify: input.maintainer_can_modify.unwrap_or(false),
        draft: input.draft.unwrap_or(false),
    };
    let number = pulls::open(&call.forge, &call.viewer, &call.repo, new).await?;
    pull_response(&call, number, 201)
}

fn pull_response(call: &RepoRequest, number: u64, status: u16) -> HandlerResult {
    call.read(|state| {
        let pull = actions::pull(state, number)?;
        Ok(json_response(
            status,
            &json_objects::pull_json(JsonContext::from_request(call), state, pull),
        ))
    })
}

fn find_pull(call: &RepoRequest) -> Result<PullRequest, ForgeError> {
    let number = call.number_param("number")?;
    call.read(|state| actions::pull(state, number).cloned())
}

async fn get_pull(call: RepoRequest) -> HandlerResult {
    for form in ["diff", "patch"] {
        if call.accepts(form) {
            return pull_as_text(&call, form).await;
        }
    }
    pull_response(&call, call.number_param("number")?, 200)
}

async fn pull_as_text(call: &RepoRequest, form: &str) -> HandlerResult {
    let pull = find_pull(call)?;
    let git = call.forge.git(&call.repo)?;
    let range = format!("{}..{}", pull.git.merge_base, pull.head_sha);
    let bytes = if form == "diff" {
        git.run(&["diff", "--no-ext-diff", "--no-textconv", &range])
            .await?
    } else {
        git.run(&["format-patch", "--stdout", "--no-ext-diff", &range])
            .await?
    };
    let kind = format!("application/vnd.github.{form}; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

#[derive(Debug, Deserialize)]
struct EditPullInput {
    title: Option<String>,
    #[serde(default, deserialize_with = "present")]
    body: Option<Option<String>>,
    state: Option<String>,
    base: Option<String>,
}

/// Tells `null` from a field that is not there.
pub(super) fn present<'de, D: serde::Deserializer<'de>>(
    input: D,
) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(input).map(Some)
}

async fn edit_pull(call: RepoRequest, JsonBody(input): JsonBody<EditPullInput>) -> HandlerResult {
    let open = match input.state.as_deref() {
        None => None,
        Some("open") => Some(true),
        Some("closed") => Some(false),
        Some(_) => return Err(ForgeError::invalid("PullRequest", "state", "invalid")),
    };
    let edit = PullEdit {
        title: input.title,
        body: input.body,
        open,
        base_ref: input.base,
        draft: None,
    };
    let number = call.number_param("number")?;
    pulls::edit(&call.forge, &call.viewer, &call.repo, number, edit).await?;
    pull_response(&call, number, 200)
}

async fn list_files(call: RepoRequest) -> HandlerResult {
    let pull = find_pull(&call)?;
    let files = pulls::changed_files(&call.forge, &call.repo, &pull).await?;
    let listed: Vec<_> = files.iter().take(MAX_FILES).collect();
    Ok(call.page_response(listed, |f| {
        json_objects::file_json(JsonContext::from_request(&call), &pull.head_sha, f)
    }))
}

async fn list_commits(call: RepoRequest) -> HandlerResult {
    let pull = find_pull(&call)?;
    let git = call.forge.git(&call.repo)?;
    let mut commits = git
        .commits_between(&pull.git.merge_base, &pull.head_sha)
        .await?;
    commits.truncate(MAX_COMMITS);
    let id = call.read(|state| Ok(state.meta.id))?;
    Ok(call.page_response(commits, |c| {
        json_objects::commit_json(JsonContext::from_request(&call), id, c)
    }))
}

#[derive(Debug, Deserialize)]
struct MergeInput {
    merge_method: Option<String>,
    sha: Option<String>,
    commit_title: Option<String>,
    commit_message: Option<String>,
}

async fn merge_pull(call: RepoRequest, JsonBody(input): JsonBody<MergeInput>) -> HandlerResult {
    let method = match input.merge_method.as_deref() {
        None | Some("merge") => MergeMethod::Merge,
        Some("squash") => MergeMethod::Squash,
        Some("rebase") => MergeMethod::Rebase,
        Some(_) => {
            return Err(ForgeError::invalid(
                "PullRequest",
                "merge_method",
                "invalid",
            ));
        }
    };
    let params = MergeParams {
        method,
        sha: input.sha,
        title: input.commit_title,
        message: input.commit_message,
    };
    let number = call.number_param("number")?;
    let sha = merge::merge(&call.forge, &call.viewer, &call.repo, number, params).await?;
    let body = json!({"sha": sha, "merged": true, "message": "Pull Request successfully merged"});
    Ok(json_response(200, &body))
}

async fn get_merged(call: RepoRequest) -> HandlerResult {
    match find_pull(&call)?.state {
        PullState::Merged => Ok(StatusCode::NO_CONTENT.into_response()),
        PullState::Open | PullState::Closed => Err(ForgeError::not_found()),
    }
}

#[derive(Debug, Deserialize)]
struct UpdateBranchInput {
    expected_head_sha: Option<String>,
}

async fn update_branch(
    call: RepoRequest,
    JsonBody(input): JsonBody<UpdateBranchInput>,
) -> HandlerResult {
    let number = call.number_param("number")?;
    let expected = input.expected_head_sha;
    merge::update_branch(
        &call.forge,
        &call.viewer,
        &call.repo,
        number,
        expected.as_deref(),
    )
    .await?;
    let url = JsonContext::from_request(&call).api_url(&format!("/pulls/{number}"));
    let body = json!({"message": "Updating pull request branch.", "url": url});
    Ok(json_response(202, &body))
}

#[derive(Debug, Deserialize)]
struct ReviewersInput {
    #[serde(default)]
    reviewers: Vec<String>,
}

async fn request_reviewers(
    call: RepoRequest,
    JsonBody(input): JsonBody<ReviewersInput>,
) -> HandlerResult {
    change_reviewers(&call, &input.reviewers, true, 201)
}

async fn remove_reviewers(
    call: RepoRequest,
    JsonBody(input): JsonBody<ReviewersInput>,
) -> HandlerResult {
    change_reviewers(&call, &input.reviewers, false, 200)
}

fn change_reviewers(
    call: &RepoRequest,
    logins: &[String],
    add: bool,
    status: u16,
) -> HandlerResult {
    let number = call.number_param("number")?;
    labels::request_reviewers(&call.forge, &call.viewer, &call.repo, number, logins, add)?;
    call.read(|state| {
        let pull = actions::pull(state, number)?;
        Ok(json_response(
            status,
            &json_objects::pull_summary_json(JsonContext::from_request(call), state, pull),
        ))
    })
}

async fn list_requested_reviewers(call: RepoRequest) -> HandlerResult {
    let frame = JsonContext::from_request(&call);
    let users: Vec<Value> = find_pull(&call)?
        .requested_reviewers
        .iter()
        .map(|id| frame.account_by_id(*id))
        .collect();
    Ok(json_response(200, &json!({"users": users, "teams": []})))
}

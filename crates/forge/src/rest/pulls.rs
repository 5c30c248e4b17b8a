//! Pull requests: list, open, edit, files, commits, merge, reviewers.

use axum::Router;
use axum::http::StatusCode;
use axum::http::header;
use axum::response::IntoResponse as _;
use axum::routing::{get, post, put};
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Answer, Call, Input};
use super::reply::json_reply;
use super::shape::{self, Frame};
use crate::Forge;
use crate::acts::merge::{self, MergeWish};
use crate::acts::pulls::{self, NewPull, PullEdit};
use crate::acts::{self, labels};
use crate::error::ForgeError;
use crate::model::{MergeMethod, PullRequest, PullState};

/// GitHub lists no more files than this.
const FILES_LIMIT: usize = 3000;

/// GitHub lists no more commits than this.
const COMMITS_LIMIT: usize = 250;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/pulls", get(list).post(open))
        .route("/pulls/{number}", get(one).patch(edit))
        .route("/pulls/{number}/files", get(files))
        .route("/pulls/{number}/commits", get(commits))
        .route("/pulls/{number}/merge", put(merge_it).get(is_merged))
        .route("/pulls/{number}/update-branch", put(update_branch))
        .route(
            "/pulls/{number}/requested_reviewers",
            post(request).delete(withdraw).get(requested),
        )
}

async fn list(call: Call) -> Answer {
    let state_wanted = call.query("state").unwrap_or_else(|| "open".to_owned());
    let base = call.query("base");
    let head = call.query("head");
    let head = head
        .as_deref()
        .map(|h| h.split_once(':').map_or(h, |(_, name)| name));
    let by_update = call.query("sort").as_deref() == Some("updated");
    let ascending = call.query("direction").as_deref() == Some("asc");
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
                && head.is_none_or(|h| h == p.head_ref)
        };
        let mut found: Vec<&PullRequest> = state.pulls.iter().filter(fits).collect();
        if by_update {
            found.sort_by_key(|p| (p.updated_at, p.number));
        }
        if !ascending {
            found.reverse();
        }
        Ok(call.page(found, |p| shape::pull_simple(Frame::of(&call), state, p)))
    })
}

#[derive(Debug, Deserialize)]
struct OpenInput {
    title: Option<String>,
    body: Option<String>,
    base: Option<String>,
    head: Option<String>,
    draft: Option<bool>,
}

async fn open(call: Call, Input(input): Input<OpenInput>) -> Answer {
    let need = |value: Option<String>, field: &str| {
        value.ok_or_else(|| ForgeError::invalid("PullRequest", field, "missing_field"))
    };
    let head = need(input.head, "head")?;
    let new = NewPull {
        title: need(input.title, "title")?,
        body: input.body,
        base_ref: need(input.base, "base")?,
        head_ref: head
            .split_once(':')
            .map_or(head.as_str(), |(_, name)| name)
            .to_owned(),
        draft: input.draft.unwrap_or(false),
    };
    let number = pulls::open(&call.forge, &call.viewer, &call.repo, new).await?;
    answer(&call, number, 201)
}

fn answer(call: &Call, number: u64, status: u16) -> Answer {
    call.read(|state| {
        let pull = acts::pull(state, number)?;
        Ok(json_reply(
            status,
            &shape::pull(Frame::of(call), state, pull),
        ))
    })
}

fn current(call: &Call) -> Result<PullRequest, ForgeError> {
    let number = call.number("number")?;
    call.read(|state| acts::pull(state, number).cloned())
}

async fn one(call: Call) -> Answer {
    for form in ["diff", "patch"] {
        if call.wants(form) {
            return as_text(&call, form).await;
        }
    }
    answer(&call, call.number("number")?, 200)
}

async fn as_text(call: &Call, form: &str) -> Answer {
    let pull = current(call)?;
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
struct EditInput {
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

async fn edit(call: Call, Input(input): Input<EditInput>) -> Answer {
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
    let number = call.number("number")?;
    pulls::edit(&call.forge, &call.viewer, &call.repo, number, edit).await?;
    answer(&call, number, 200)
}

async fn files(call: Call) -> Answer {
    let pull = current(&call)?;
    let files = pulls::files(&call.forge, &call.repo, &pull).await?;
    let listed: Vec<_> = files.iter().take(FILES_LIMIT).collect();
    Ok(call.page(listed, |f| shape::file(Frame::of(&call), &pull.head_sha, f)))
}

async fn commits(call: Call) -> Answer {
    let pull = current(&call)?;
    let git = call.forge.git(&call.repo)?;
    let mut commits = git
        .commits_between(&pull.git.merge_base, &pull.head_sha)
        .await?;
    commits.truncate(COMMITS_LIMIT);
    let id = call.read(|state| Ok(state.meta.id))?;
    Ok(call.page(commits, |c| shape::commit(Frame::of(&call), id, c)))
}

#[derive(Debug, Deserialize)]
struct MergeInput {
    merge_method: Option<String>,
    sha: Option<String>,
    commit_title: Option<String>,
    commit_message: Option<String>,
}

async fn merge_it(call: Call, Input(input): Input<MergeInput>) -> Answer {
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
    let wish = MergeWish {
        method,
        sha: input.sha,
        title: input.commit_title,
        message: input.commit_message,
    };
    let number = call.number("number")?;
    let sha = merge::merge(&call.forge, &call.viewer, &call.repo, number, wish).await?;
    let body = json!({"sha": sha, "merged": true, "message": "Pull Request successfully merged"});
    Ok(json_reply(200, &body))
}

async fn is_merged(call: Call) -> Answer {
    match current(&call)?.state {
        PullState::Merged => Ok(StatusCode::NO_CONTENT.into_response()),
        PullState::Open | PullState::Closed => Err(ForgeError::not_found()),
    }
}

#[derive(Debug, Deserialize)]
struct UpdateInput {
    expected_head_sha: Option<String>,
}

async fn update_branch(call: Call, Input(input): Input<UpdateInput>) -> Answer {
    let number = call.number("number")?;
    let expected = input.expected_head_sha;
    merge::update_branch(
        &call.forge,
        &call.viewer,
        &call.repo,
        number,
        expected.as_deref(),
    )
    .await?;
    let url = Frame::of(&call).api(&format!("/pulls/{number}"));
    let body = json!({"message": "Updating pull request branch.", "url": url});
    Ok(json_reply(202, &body))
}

#[derive(Debug, Deserialize)]
struct ReviewersInput {
    #[serde(default)]
    reviewers: Vec<String>,
}

async fn request(call: Call, Input(input): Input<ReviewersInput>) -> Answer {
    reviewers(&call, &input.reviewers, true, 201)
}

async fn withdraw(call: Call, Input(input): Input<ReviewersInput>) -> Answer {
    reviewers(&call, &input.reviewers, false, 200)
}

fn reviewers(call: &Call, logins: &[String], add: bool, status: u16) -> Answer {
    let number = call.number("number")?;
    labels::request_reviewers(&call.forge, &call.viewer, &call.repo, number, logins, add)?;
    call.read(|state| {
        let pull = acts::pull(state, number)?;
        Ok(json_reply(
            status,
            &shape::pull_simple(Frame::of(call), state, pull),
        ))
    })
}

async fn requested(call: Call) -> Answer {
    let frame = Frame::of(&call);
    let users: Vec<Value> = current(&call)?
        .requested_reviewers
        .iter()
        .map(|id| frame.user(*id))
        .collect();
    Ok(json_reply(200, &json!({"users": users, "teams": []})))
}

//! Issues, and the issue side of pull requests: conversation, labels, lock.

use std::collections::BTreeSet;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, put};
use serde::Deserialize;
use serde_json::json;

use super::json_objects::{self, JsonContext};
use super::labels::{LabelInput, label_names};
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions::assignees::{self, AssigneeChange};
use crate::actions::issues::IssueEdit;
use crate::actions::pulls::PullEdit;
use crate::actions::{self, comments, issues, labels, pulls, reviews};
use crate::error::ForgeError;
use crate::model::{Issue, IssueComment, IssueState, PullRequest, PullState};

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/issues", get(list_issues).post(create_issue))
        .route("/issues/{number}", get(get_issue).patch(edit_issue))
        .route(
            "/issues/{number}/comments",
            get(list_comments).post(add_comment),
        )
        .route("/issues/comments", get(list_all_comments))
        .route(
            "/issues/comments/{id}",
            get(get_comment).patch(edit_comment).delete(delete_comment),
        )
        .route(
            "/issues/{number}/lock",
            put(lock_issue).delete(unlock_issue),
        )
}

async fn list_issues(call: RepoRequest) -> HandlerResult {
    let state_filter = call
        .query_param("state")
        .unwrap_or_else(|| "open".to_owned());
    let labels = call
        .query_param("labels")
        .unwrap_or_default()
        .to_lowercase();
    let labels: Vec<&str> = labels.split(',').filter(|l| !l.is_empty()).collect();
    let by_update = call.query_param("sort").as_deref() == Some("updated");
    let ascending = call.query_param("direction").as_deref() == Some("asc");
    call.read(|state| {
        let is_wanted = |open: bool, on: &BTreeSet<String>| {
            let state_fits = match state_filter.as_str() {
                "all" => true,
                "closed" => !open,
                _ => open,
            };
            state_fits && labels.iter().all(|l| on.contains(*l))
        };
        let pulls = state.pulls.iter().map(IssueOrPull::Pull);
        let issues = state.issues.iter().map(IssueOrPull::Issue);
        let mut found: Vec<IssueOrPull<'_>> = pulls
            .chain(issues)
            .filter(|entry| match entry {
                IssueOrPull::Pull(pull) => is_wanted(pull.state == PullState::Open, &pull.labels),
                IssueOrPull::Issue(issue) => {
                    is_wanted(issue.state == IssueState::Open, &issue.labels)
                }
            })
            .collect();
        found.sort_by_key(|entry| match entry {
            IssueOrPull::Pull(pull) => (by_update.then_some(pull.updated_at), pull.number),
            IssueOrPull::Issue(issue) => (by_update.then_some(issue.updated_at), issue.number),
        });
        if !ascending {
            found.reverse();
        }
        Ok(call.page_response(found, |entry| match entry {
            IssueOrPull::Pull(pull) => {
                json_objects::pull_as_issue_json(JsonContext::from_request(&call), state, pull)
            }
            IssueOrPull::Issue(issue) => {
                json_objects::issue_json(JsonContext::from_request(&call), state, issue)
            }
        }))
    })
}

/// What GitHub lists as issues.
enum IssueOrPull<'a> {
    Pull(&'a PullRequest),
    Issue(&'a Issue),
}

pub(super) fn issue_response(call: &RepoRequest, number: u64, status: u16) -> HandlerResult {
    call.read(|state| {
        let body = match state.issues.get(number) {
            Some(issue) => json_objects::issue_json(JsonContext::from_request(call), state, issue),
            None => json_objects::pull_as_issue_json(
                JsonContext::from_request(call),
                state,
                actions::pull(state, number)?,
            ),
        };
        Ok(json_response(status, &body))
    })
}

async fn get_issue(call: RepoRequest) -> HandlerResult {
    let number = call.number_param("number")?;
    let moved = call.read(|state| Ok(state.meta.moved_issues.get(&number).cloned()))?;
    match moved {
        Some(path) => Ok(moved_response(&format!(
            "{}/api/v3/repos/{path}",
            call.base_url()
        ))),
        None => issue_response(&call, number, 200),
    }
}

/// What GitHub answers where an issue is in another repository by now.
fn moved_response(url: &str) -> Response {
    let body = json!({
        "message": "Moved Permanently", "url": url,
        "documentation_url": "https://docs.github.com/v3/#http-redirects",
    });
    let mut response = json_response(301, &body);
    if let Ok(url) = url.parse() {
        response.headers_mut().insert(header::LOCATION, url);
    }
    response
}

#[derive(Debug, Deserialize)]
struct CreateIssueInput {
    title: Option<String>,
    body: Option<String>,
    #[serde(default)]
    labels: Vec<LabelInput>,
    #[serde(default)]
    assignees: Vec<String>,
}

async fn create_issue(
    call: RepoRequest,
    JsonBody(input): JsonBody<CreateIssueInput>,
) -> HandlerResult {
    let title = input.title.unwrap_or_default();
    let names = label_names(input.labels);
    let (forge, viewer) = (&call.forge, &call.viewer);
    let issue = issues::open(forge, viewer, &call.repo, &title, input.body, &names)?;
    if !input.assignees.is_empty() {
        let (number, add) = (issue.number, AssigneeChange::Add);
        assignees::change(forge, viewer, &call.repo, number, &input.assignees, add)?;
    }
    issue_response(&call, issue.number, 201)
}

#[derive(Debug, Deserialize)]
struct EditIssueInput {
    title: Option<String>,
    #[serde(default, deserialize_with = "super::pulls::present")]
    body: Option<Option<String>>,
    state: Option<String>,
    state_reason: Option<String>,
    labels: Option<Vec<LabelInput>>,
    assignees: Option<Vec<String>>,
}

async fn edit_issue(call: RepoRequest, JsonBody(input): JsonBody<EditIssueInput>) -> HandlerResult {
    let number = call.number_param("number")?;
    let (forge, viewer, repo) = (&call.forge, &call.viewer, &call.repo);
    let open = match input.state.as_deref() {
        None => None,
        Some("open") => Some(true),
        Some("closed") => Some(false),
        Some(_) => return Err(ForgeError::invalid("Issue", "state", "invalid")),
    };
    if call.read(|state| Ok(state.issues.get(number).is_some()))? {
        let closed = match input.state_reason.as_deref() {
            Some("not_planned") => IssueState::NotPlanned,
            Some(_) | None => IssueState::Completed,
        };
        let change = IssueEdit {
            title: input.title,
            body: input.body,
            state: open.map(|open| if open { IssueState::Open } else { closed }),
        };
        issues::edit(forge, viewer, repo, number, change)?;
    } else {
        let change = PullEdit {
            title: input.title,
            body: input.body,
            open,
            ..PullEdit::default()
        };
        pulls::edit(forge, viewer, repo, number, change).await?;
    }
    // Labels of those who cannot write are left out, as on GitHub.
    let writes = call.read(|state| Ok(state.meta.role(call.viewer.id).may_write()))?;
    if let Some(list) = input.labels.filter(|_| writes) {
        labels::add(forge, viewer, repo, number, &label_names(list), true)?;
    }
    if let Some(logins) = input.assignees {
        let replace = AssigneeChange::Replace;
        assignees::change(forge, viewer, repo, number, &logins, replace)?;
    }
    issue_response(&call, number, 200)
}

fn comments_where(call: &RepoRequest, predicate: impl Fn(&IssueComment) -> bool) -> HandlerResult {
    let since = call
        .query_param("since")
        .and_then(|t| t.parse::<jiff::Timestamp>().ok());
    call.read(|state| {
        let wanted = |c: &&IssueComment| predicate(c) && since.is_none_or(|s| c.updated_at >= s);
        let found: Vec<&IssueComment> = state.issue_comments.iter().filter(wanted).collect();
        Ok(call.page_response(found, |c| {
            json_objects::issue_comment_json(JsonContext::from_request(call), state, c)
        }))
    })
}

async fn list_comments(call: RepoRequest) -> HandlerResult {
    let number = call.number_param("number")?;
    call.read(|state| actions::is_locked(state, number).map(drop))?;
    comments_where(&call, |c| c.number == number)
}

async fn list_all_comments(call: RepoRequest) -> HandlerResult {
    comments_where(&call, |_| true)
}

#[derive(Debug, Deserialize)]
struct BodyInput {
    #[serde(default)]
    body: String,
}

fn comment_response(call: &RepoRequest, comment: &IssueComment, status: u16) -> HandlerResult {
    call.read(|state| {
        let body =
            json_objects::issue_comment_json(JsonContext::from_request(call), state, comment);
        Ok(json_response(status, &body))
    })
}

async fn add_comment(call: RepoRequest, JsonBody(input): JsonBody<BodyInput>) -> HandlerResult {
    let number = call.number_param("number")?;
    let comment = comments::add(&call.forge, &call.viewer, &call.repo, number, &input.body)?;
    comment_response(&call, &comment, 201)
}

async fn get_comment(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    let comment = call.read(|state| {
        let found = state.issue_comments.get(id).cloned();
        found.ok_or_else(ForgeError::not_found)
    })?;
    comment_response(&call, &comment, 200)
}

async fn edit_comment(call: RepoRequest, JsonBody(input): JsonBody<BodyInput>) -> HandlerResult {
    let id = call.number_param("id")?;
    let comment = comments::edit(&call.forge, &call.viewer, &call.repo, id, &input.body)?;
    comment_response(&call, &comment, 200)
}

async fn delete_comment(call: RepoRequest) -> HandlerResult {
    comments::delete(
        &call.forge,
        &call.viewer,
        &call.repo,
        call.number_param("id")?,
    )?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn lock_issue(call: RepoRequest) -> HandlerResult {
    set_locked(&call, true)
}

async fn unlock_issue(call: RepoRequest) -> HandlerResult {
    set_locked(&call, false)
}

fn set_locked(call: &RepoRequest, locked: bool) -> HandlerResult {
    let number = call.number_param("number")?;
    reviews::set_locked(&call.forge, &call.viewer, &call.repo, number, locked)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

//! Issues, and the issue side of pull requests: conversation, labels, lock.

use std::collections::BTreeSet;

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{delete, get, put};
use serde::Deserialize;
use serde_json::Value;

use super::call::{Answer, Call, Input};
use super::reply::json_reply;
use super::shape::{self, Frame};
use crate::Forge;
use crate::acts::issues::IssueEdit;
use crate::acts::pulls::PullEdit;
use crate::acts::{self, comments, issues, labels, pulls, reviews};
use crate::error::ForgeError;
use crate::model::{Issue, IssueComment, IssueState, Label, PullRequest, PullState};

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/issues", get(list).post(open))
        .route("/issues/{number}", get(one).patch(edit))
        .route(
            "/issues/{number}/comments",
            get(list_comments).post(add_comment),
        )
        .route("/issues/comments", get(list_all_comments))
        .route(
            "/issues/comments/{id}",
            get(comment).patch(edit_comment).delete(delete_comment),
        )
        .route(
            "/issues/{number}/labels",
            get(list_labels)
                .post(add_labels)
                .put(set_labels)
                .delete(clear_labels),
        )
        .route("/issues/{number}/labels/{name}", delete(remove_label))
        .route("/issues/{number}/lock", put(lock).delete(unlock))
        .route("/labels", get(all_labels))
}

async fn list(call: Call) -> Answer {
    let wanted = call.query("state").unwrap_or_else(|| "open".to_owned());
    let labels = call.query("labels").unwrap_or_default().to_lowercase();
    let labels: Vec<&str> = labels.split(',').filter(|l| !l.is_empty()).collect();
    let by_update = call.query("sort").as_deref() == Some("updated");
    let ascending = call.query("direction").as_deref() == Some("asc");
    call.read(|state| {
        let fits = |open: bool, on: &BTreeSet<String>| {
            let state_fits = match wanted.as_str() {
                "all" => true,
                "closed" => !open,
                _ => open,
            };
            state_fits && labels.iter().all(|l| on.contains(*l))
        };
        let pulls = state.pulls.iter().map(Entry::Pull);
        let issues = state.issues.iter().map(Entry::Issue);
        let mut found: Vec<Entry<'_>> = pulls
            .chain(issues)
            .filter(|entry| match entry {
                Entry::Pull(pull) => fits(pull.state == PullState::Open, &pull.labels),
                Entry::Issue(issue) => fits(issue.state == IssueState::Open, &issue.labels),
            })
            .collect();
        found.sort_by_key(|entry| match entry {
            Entry::Pull(pull) => (by_update.then_some(pull.updated_at), pull.number),
            Entry::Issue(issue) => (by_update.then_some(issue.updated_at), issue.number),
        });
        if !ascending {
            found.reverse();
        }
        Ok(call.page(found, |entry| match entry {
            Entry::Pull(pull) => shape::issue(Frame::of(&call), state, pull),
            Entry::Issue(issue) => shape::issue_of(Frame::of(&call), state, issue),
        }))
    })
}

/// What GitHub lists as issues.
enum Entry<'a> {
    Pull(&'a PullRequest),
    Issue(&'a Issue),
}

fn entry(call: &Call, number: u64, status: u16) -> Answer {
    call.read(|state| {
        let body = match state.issues.get(number) {
            Some(issue) => shape::issue_of(Frame::of(call), state, issue),
            None => shape::issue(Frame::of(call), state, acts::pull(state, number)?),
        };
        Ok(json_reply(status, &body))
    })
}

async fn one(call: Call) -> Answer {
    entry(&call, call.number("number")?, 200)
}

#[derive(Debug, Deserialize)]
struct OpenInput {
    title: Option<String>,
    body: Option<String>,
    #[serde(default)]
    labels: Vec<LabelInput>,
}

async fn open(call: Call, Input(input): Input<OpenInput>) -> Answer {
    let title = input.title.unwrap_or_default();
    let names = names_of(input.labels);
    let (forge, viewer) = (&call.forge, &call.viewer);
    let issue = issues::open(forge, viewer, &call.repo, &title, input.body, &names)?;
    entry(&call, issue.number, 201)
}

#[derive(Debug, Deserialize)]
struct EditInput {
    title: Option<String>,
    #[serde(default, deserialize_with = "super::pulls::present")]
    body: Option<Option<String>>,
    state: Option<String>,
    state_reason: Option<String>,
    labels: Option<Vec<LabelInput>>,
}

async fn edit(call: Call, Input(input): Input<EditInput>) -> Answer {
    let number = call.number("number")?;
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
        labels::add(forge, viewer, repo, number, &names_of(list), true)?;
    }
    entry(&call, number, 200)
}

fn comments_where(call: &Call, fits: impl Fn(&IssueComment) -> bool) -> Answer {
    let since = call
        .query("since")
        .and_then(|t| t.parse::<jiff::Timestamp>().ok());
    call.read(|state| {
        let wanted = |c: &&IssueComment| fits(c) && since.is_none_or(|s| c.updated_at >= s);
        let found: Vec<&IssueComment> = state.issue_comments.iter().filter(wanted).collect();
        Ok(call.page(found, |c| shape::issue_comment(Frame::of(call), state, c)))
    })
}

async fn list_comments(call: Call) -> Answer {
    let number = call.number("number")?;
    call.read(|state| acts::is_locked(state, number).map(drop))?;
    comments_where(&call, |c| c.number == number)
}

async fn list_all_comments(call: Call) -> Answer {
    comments_where(&call, |_| true)
}

#[derive(Debug, Deserialize)]
struct BodyInput {
    #[serde(default)]
    body: String,
}

fn answer(call: &Call, comment: &IssueComment, status: u16) -> Answer {
    call.read(|state| {
        let body = shape::issue_comment(Frame::of(call), state, comment);
        Ok(json_reply(status, &body))
    })
}

async fn add_comment(call: Call, Input(input): Input<BodyInput>) -> Answer {
    let number = call.number("number")?;
    let comment = comments::add(&call.forge, &call.viewer, &call.repo, number, &input.body)?;
    answer(&call, &comment, 201)
}

async fn comment(call: Call) -> Answer {
    let id = call.number("id")?;
    let comment = call.read(|state| {
        let found = state.issue_comments.get(id).cloned();
        found.ok_or_else(ForgeError::not_found)
    })?;
    answer(&call, &comment, 200)
}

async fn edit_comment(call: Call, Input(input): Input<BodyInput>) -> Answer {
    let id = call.number("id")?;
    let comment = comments::edit(&call.forge, &call.viewer, &call.repo, id, &input.body)?;
    answer(&call, &comment, 200)
}

async fn delete_comment(call: Call) -> Answer {
    comments::delete(&call.forge, &call.viewer, &call.repo, call.number("id")?)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn labels_answer(call: &Call, labels: Vec<Label>) -> Answer {
    call.read(|state| {
        let list: Vec<Value> = labels
            .iter()
            .map(|l| shape::label(Frame::of(call), state, l))
            .collect();
        Ok(json_reply(200, &Value::from(list)))
    })
}

async fn list_labels(call: Call) -> Answer {
    let number = call.number("number")?;
    let labels = call.read(|state| {
        let on = match state.issues.get(number) {
            Some(issue) => &issue.labels,
            None => &acts::pull(state, number)?.labels,
        };
        let found = on.iter().filter_map(|k| state.meta.labels.get(k).cloned());
        Ok(found.collect())
    })?;
    labels_answer(&call, labels)
}

async fn all_labels(call: Call) -> Answer {
    call.read(|state| {
        let all: Vec<&Label> = state.meta.labels.values().collect();
        Ok(call.page(all, |l| shape::label(Frame::of(&call), state, l)))
    })
}

#[derive(Debug, Deserialize)]
struct LabelsInput {
    #[serde(default)]
    labels: Vec<LabelInput>,
}

/// GitHub takes names and objects with a name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum LabelInput {
    Name(String),
    Object { name: String },
}

fn names_of(labels: Vec<LabelInput>) -> Vec<String> {
    let name = |label| match label {
        LabelInput::Name(name) | LabelInput::Object { name } => name,
    };
    labels.into_iter().map(name).collect()
}

fn put_labels(call: &Call, input: LabelsInput, replace: bool) -> Answer {
    let names = names_of(input.labels);
    let number = call.number("number")?;
    let labels = labels::add(
        &call.forge,
        &call.viewer,
        &call.repo,
        number,
        &names,
        replace,
    )?;
    labels_answer(call, labels)
}

async fn add_labels(call: Call, Input(input): Input<LabelsInput>) -> Answer {
    put_labels(&call, input, false)
}

async fn set_labels(call: Call, Input(input): Input<LabelsInput>) -> Answer {
    put_labels(&call, input, true)
}

async fn remove_label(call: Call) -> Answer {
    let (number, name) = (call.number("number")?, call.arg("name")?);
    let labels = labels::remove(&call.forge, &call.viewer, &call.repo, number, Some(name))?;
    labels_answer(&call, labels)
}

async fn clear_labels(call: Call) -> Answer {
    labels::remove(
        &call.forge,
        &call.viewer,
        &call.repo,
        call.number("number")?,
        None,
    )?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn lock(call: Call) -> Answer {
    set_locked(&call, true)
}

async fn unlock(call: Call) -> Answer {
    set_locked(&call, false)
}

fn set_locked(call: &Call, locked: bool) -> Answer {
    let number = call.number("number")?;
    reviews::set_locked(&call.forge, &call.viewer, &call.repo, number, locked)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

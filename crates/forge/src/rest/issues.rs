//! The issue side of pull requests: conversation, labels, lock.

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
use crate::acts::{self, comments, labels, reviews};
use crate::error::ForgeError;
use crate::model::{IssueComment, Label, PullRequest, PullState};

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/issues", get(list))
        .route("/issues/{number}", get(one))
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
    call.read(|state| {
        let fits = |p: &&PullRequest| {
            let open = p.state == PullState::Open;
            let state_fits = match wanted.as_str() {
                "all" => true,
                "closed" => !open,
                _ => open,
            };
            state_fits && labels.iter().all(|l| p.labels.contains(*l))
        };
        let found: Vec<&PullRequest> = state.pulls.iter().rev().filter(fits).collect();
        Ok(call.page(found, |p| shape::issue(Frame::of(&call), state, p)))
    })
}

async fn one(call: Call) -> Answer {
    let number = call.number("number")?;
    call.read(|state| {
        let pull = acts::pull(state, number)?;
        Ok(json_reply(
            200,
            &shape::issue(Frame::of(&call), state, pull),
        ))
    })
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
    call.read(|state| acts::pull(state, number).map(drop))?;
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
        let pull = acts::pull(state, number)?;
        let found = pull
            .labels
            .iter()
            .filter_map(|k| state.meta.labels.get(k).cloned());
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

fn put_labels(call: &Call, input: LabelsInput, replace: bool) -> Answer {
    let names: Vec<String> = input
        .labels
        .into_iter()
        .map(|label| match label {
            LabelInput::Name(name) | LabelInput::Object { name } => name,
        })
        .collect();
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

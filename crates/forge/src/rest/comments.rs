//! Inline comments.

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use serde::Deserialize;

use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions;
use crate::actions::threads::{self, NewThread};
use crate::error::ForgeError;
use crate::model::{ReviewComment, Side};

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/pulls/comments", get(list_all))
        .route(
            "/pulls/comments/{id}",
            get(get_comment).patch(edit).delete(delete),
        )
        .route("/pulls/{number}/comments", get(list_for_pull).post(add))
        .route("/pulls/{number}/comments/{id}/replies", post(reply))
}

/// A comment as it comes in, alone or within a review.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct CommentInput {
    path: Option<String>,
    body: Option<String>,
    line: Option<u64>,
    side: Option<String>,
    start_line: Option<u64>,
    start_side: Option<String>,
    position: Option<u64>,
    subject_type: Option<String>,
    commit_id: Option<String>,
    in_reply_to: Option<u64>,
}

impl CommentInput {
    pub(super) fn to_new_thread(&self) -> Result<NewThread, ForgeError> {
        let missing =
            |field: &str| ForgeError::invalid("PullRequestReviewComment", field, "missing_field");
        let side = |text: &Option<String>, field: &str| match text.as_deref() {
            None => Ok(None),
            Some("LEFT") => Ok(Some(Side::Left)),
            Some("RIGHT") => Ok(Some(Side::Right)),
            Some(_) => Err(ForgeError::invalid(
                "PullRequestReviewComment",
                field,
                "invalid",
            )),
        };
        Ok(NewThread {
            path: self.path.clone().ok_or_else(|| missing("path"))?,
            body: self.body.clone().ok_or_else(|| missing("body"))?,
            line: self.line,
            side: side(&self.side, "side")?.unwrap_or(Side::Right),
            start_line: self.start_line,
            start_side: side(&self.start_side, "start_side")?,
            position: self.position,
            file_level: self.subject_type.as_deref() == Some("file"),
        })
    }
}

fn list_where(call: &RepoRequest, predicate: impl Fn(&ReviewComment) -> bool) -> HandlerResult {
    let since = call
        .query_param("since")
        .and_then(|t| t.parse::<jiff::Timestamp>().ok());
    let descending = call.query_param("direction").as_deref() == Some("desc");
    call.read(|state| {
        let is_wanted = |c: &&ReviewComment| {
            predicate(c)
                && state.is_comment_visible(c, call.viewer.id)
                && since.is_none_or(|s| c.updated_at >= s)
        };
        // A pending comment is nobody's business in lists, its author's neither.
        let is_submitted = |c: &&ReviewComment| {
            let review = state.reviews.get(c.review_id);
            review.is_none_or(|r| r.submitted_at.is_some())
        };
        let mut found: Vec<&ReviewComment> = state
            .review_comments
            .iter()
            .filter(is_wanted)
            .filter(is_submitted)
            .collect();
        if descending {
            found.reverse();
        }
        Ok(call.page_response(found, |c| {
            json_objects::review_comment_json(JsonContext::from_request(call), state, c)
        }))
    })
}

async fn list_for_pull(call: RepoRequest) -> HandlerResult {
    let number = call.number_param("number")?;
    call.read(|state| actions::pull(state, number).map(drop))?;
    list_where(&call, |c| c.number == number)
}

async fn list_all(call: RepoRequest) -> HandlerResult {
    list_where(&call, |_| true)
}

fn comment_response(call: &RepoRequest, comment: &ReviewComment, status: u16) -> HandlerResult {
    call.read(|state| {
        let body =
            json_objects::review_comment_json(JsonContext::from_request(call), state, comment);
        Ok(json_response(status, &body))
    })
}

async fn get_comment(call: RepoRequest) -> HandlerResult {
    let id = call.number_param("id")?;
    let comment = call.read(|state| threads::visible(state, &call.viewer, id))?;
    comment_response(&call, &comment, 200)
}

async fn add(call: RepoRequest, JsonBody(input): JsonBody<CommentInput>) -> HandlerResult {
    let number = call.number_param("number")?;
    if let Some(first) = input.in_reply_to {
        return reply_to(
            &call,
            number,
            first,
            input.body.as_deref().unwrap_or_default(),
        );
    }
    let commit = input.commit_id.as_deref().ok_or_else(|| {
        ForgeError::invalid("PullRequestReviewComment", "commit_id", "missing_field")
    })?;
    let new = input.to_new_thread()?;
    let comment = threads::add(
        &call.forge,
        &call.viewer,
        &call.repo,
        number,
        Some(commit),
        &new,
        false,
    )
    .await?;
    comment_response(&call, &comment, 201)
}

#[derive(Debug, Deserialize)]
struct BodyInput {
    #[serde(default)]
    body: String,
}

async fn reply(call: RepoRequest, JsonBody(input): JsonBody<BodyInput>) -> HandlerResult {
    reply_to(
        &call,
        call.number_param("number")?,
        call.number_param("id")?,
        &input.body,
    )
}

fn reply_to(call: &RepoRequest, number: u64, first: u64, body: &str) -> HandlerResult {
    let thread = call.read(|state| {
        let comment = threads::visible(state, &call.viewer, first)?;
        if comment.number != number {
            return Err(ForgeError::not_found());
        }
        Ok(comment.thread_id)
    })?;
    let comment = threads::reply(&call.forge, &call.viewer, &call.repo, thread, body, false)?;
    comment_response(call, &comment, 201)
}

async fn edit(call: RepoRequest, JsonBody(input): JsonBody<BodyInput>) -> HandlerResult {
    let id = call.number_param("id")?;
    let comment = threads::edit(&call.forge, &call.viewer, &call.repo, id, &input.body)?;
    comment_response(&call, &comment, 200)
}

async fn delete(call: RepoRequest) -> HandlerResult {
    threads::delete(
        &call.forge,
        &call.viewer,
        &call.repo,
        call.number_param("id")?,
    )?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

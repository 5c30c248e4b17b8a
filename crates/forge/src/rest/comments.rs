//! Inline comments.

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use serde::Deserialize;

use super::call::{Answer, Call, Input};
use super::reply::json_reply;
use super::shape::{self, Frame};
use crate::Forge;
use crate::acts;
use crate::acts::threads::{self, NewThread};
use crate::error::ForgeError;
use crate::model::{ReviewComment, Side};

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/pulls/comments", get(list_all))
        .route("/pulls/comments/{id}", get(one).patch(edit).delete(delete))
        .route("/pulls/{number}/comments", get(list).post(add))
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
    pub(super) fn thread(&self) -> Result<NewThread, ForgeError> {
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

fn list_where(call: &Call, fits: impl Fn(&ReviewComment) -> bool) -> Answer {
    let since = call
        .query("since")
        .and_then(|t| t.parse::<jiff::Timestamp>().ok());
    let descending = call.query("direction").as_deref() == Some("desc");
    call.read(|state| {
        let wanted = |c: &&ReviewComment| {
            fits(c)
                && state.comment_visible(c, call.viewer.id)
                && since.is_none_or(|s| c.updated_at >= s)
        };
        // A pending comment is nobody's business in lists, its author's neither.
        let submitted = |c: &&ReviewComment| {
            let review = state.reviews.get(c.review_id);
            review.is_none_or(|r| r.submitted_at.is_some())
        };
        let mut found: Vec<&ReviewComment> = state
            .review_comments
            .iter()
            .filter(wanted)
            .filter(submitted)
            .collect();
        if descending {
            found.reverse();
        }
        Ok(call.page(found, |c| shape::review_comment(Frame::of(call), state, c)))
    })
}

async fn list(call: Call) -> Answer {
    let number = call.number("number")?;
    call.read(|state| acts::pull(state, number).map(drop))?;
    list_where(&call, |c| c.number == number)
}

async fn list_all(call: Call) -> Answer {
    list_where(&call, |_| true)
}

fn answer(call: &Call, comment: &ReviewComment, status: u16) -> Answer {
    call.read(|state| {
        let body = shape::review_comment(Frame::of(call), state, comment);
        Ok(json_reply(status, &body))
    })
}

async fn one(call: Call) -> Answer {
    let id = call.number("id")?;
    let comment = call.read(|state| threads::visible(state, &call.viewer, id))?;
    answer(&call, &comment, 200)
}

async fn add(call: Call, Input(input): Input<CommentInput>) -> Answer {
    let number = call.number("number")?;
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
    let new = input.thread()?;
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
    answer(&call, &comment, 201)
}

#[derive(Debug, Deserialize)]
struct BodyInput {
    #[serde(default)]
    body: String,
}

async fn reply(call: Call, Input(input): Input<BodyInput>) -> Answer {
    reply_to(
        &call,
        call.number("number")?,
        call.number("id")?,
        &input.body,
    )
}

fn reply_to(call: &Call, number: u64, first: u64, body: &str) -> Answer {
    let thread = call.read(|state| {
        let comment = threads::visible(state, &call.viewer, first)?;
        if comment.number != number {
            return Err(ForgeError::not_found());
        }
        Ok(comment.thread_id)
    })?;
    let comment = threads::reply(&call.forge, &call.viewer, &call.repo, thread, body, false)?;
    answer(call, &comment, 201)
}

async fn edit(call: Call, Input(input): Input<BodyInput>) -> Answer {
    let id = call.number("id")?;
    let comment = threads::edit(&call.forge, &call.viewer, &call.repo, id, &input.body)?;
    answer(&call, &comment, 200)
}

async fn delete(call: Call) -> Answer {
    threads::delete(&call.forge, &call.viewer, &call.repo, call.number("id")?)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

//! Reviews.

use axum::Router;
use axum::routing::{get, post, put};
use serde::Deserialize;

use super::call::{Answer, Call, Input};
use super::comments::CommentInput;
use super::reply::json_reply;
use super::shape::{self, Frame};
use crate::Forge;
use crate::acts;
use crate::acts::reviews::{self, NewReview, ReviewEvent};
use crate::error::ForgeError;
use crate::model::{Review, ReviewComment, ReviewState};

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/pulls/{number}/reviews", get(list).post(create))
        .route(
            "/pulls/{number}/reviews/{id}",
            get(one).put(edit).delete(delete),
        )
        .route("/pulls/{number}/reviews/{id}/comments", get(comments))
        .route("/pulls/{number}/reviews/{id}/events", post(submit))
        .route("/pulls/{number}/reviews/{id}/dismissals", put(dismiss))
}

async fn list(call: Call) -> Answer {
    let number = call.number("number")?;
    call.read(|state| {
        acts::pull(state, number)?;
        let seen = |r: &&Review| {
            r.number == number && (r.state != ReviewState::Pending || r.author == call.viewer.id)
        };
        let found: Vec<&Review> = state.reviews.iter().filter(seen).collect();
        Ok(call.page(found, |r| shape::review(Frame::of(&call), state, r)))
    })
}

fn answer(call: &Call, review: &Review) -> Answer {
    call.read(|state| {
        Ok(json_reply(
            200,
            &shape::review(Frame::of(call), state, review),
        ))
    })
}

fn ids(call: &Call) -> Result<(u64, u64), ForgeError> {
    Ok((call.number("number")?, call.number("id")?))
}

fn event(text: Option<&str>) -> Result<Option<ReviewEvent>, ForgeError> {
    match text {
        None | Some("" | "PENDING") => Ok(None),
        Some(text) => ReviewEvent::parse(text)
            .map(Some)
            .ok_or_else(|| ForgeError::invalid("PullRequestReview", "event", "invalid")),
    }
}

#[derive(Debug, Deserialize)]
struct CreateInput {
    commit_id: Option<String>,
    body: Option<String>,
    event: Option<String>,
    #[serde(default)]
    comments: Vec<CommentInput>,
}

async fn create(call: Call, Input(input): Input<CreateInput>) -> Answer {
    let new = NewReview {
        commit: input.commit_id,
        body: input.body.unwrap_or_default(),
        event: event(input.event.as_deref())?,
        comments: input
            .comments
            .iter()
            .map(CommentInput::thread)
            .collect::<Result<_, _>>()?,
    };
    let number = call.number("number")?;
    let review = reviews::create(&call.forge, &call.viewer, &call.repo, number, new).await?;
    answer(&call, &review)
}

async fn one(call: Call) -> Answer {
    let (number, id) = ids(&call)?;
    let review = call.read(|state| reviews::visible(state, &call.viewer, number, id))?;
    answer(&call, &review)
}

#[derive(Debug, Deserialize)]
struct EditInput {
    #[serde(default)]
    body: String,
}

async fn edit(call: Call, Input(input): Input<EditInput>) -> Answer {
    let ids = ids(&call)?;
    let review = reviews::edit_body(&call.forge, &call.viewer, &call.repo, ids, &input.body)?;
    answer(&call, &review)
}

async fn delete(call: Call) -> Answer {
    let (number, id) = ids(&call)?;
    let review = reviews::delete_pending(&call.forge, &call.viewer, &call.repo, number, id)?;
    answer(&call, &review)
}

async fn comments(call: Call) -> Answer {
    let (number, id) = ids(&call)?;
    call.read(|state| {
        reviews::visible(state, &call.viewer, number, id)?;
        let of = state.review_comments.iter().filter(|c| c.review_id == id);
        let found: Vec<&ReviewComment> = of.collect();
        Ok(call.page(found, |c| {
            shape::comment_of_review(Frame::of(&call), state, c)
        }))
    })
}

#[derive(Debug, Deserialize)]
struct SubmitInput {
    body: Option<String>,
    event: Option<String>,
}

async fn submit(call: Call, Input(input): Input<SubmitInput>) -> Answer {
    let event = event(input.event.as_deref())?
        .ok_or_else(|| ForgeError::invalid("PullRequestReview", "event", "missing_field"))?;
    let ids = ids(&call)?;
    let body = input.body.as_deref();
    let review = reviews::submit(&call.forge, &call.viewer, &call.repo, ids, event, body)?;
    answer(&call, &review)
}

#[derive(Debug, Deserialize)]
struct DismissInput {
    #[serde(default)]
    message: String,
}

async fn dismiss(call: Call, Input(input): Input<DismissInput>) -> Answer {
    let ids = ids(&call)?;
    let review = reviews::dismiss(&call.forge, &call.viewer, &call.repo, ids, &input.message)?;
    answer(&call, &review)
}

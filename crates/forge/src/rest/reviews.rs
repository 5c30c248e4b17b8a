//! Reviews.

use axum::Router;
use axum::routing::{get, post, put};
use serde::Deserialize;

use super::comments::CommentInput;
use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions;
use crate::actions::reviews::{self, NewReview, ReviewEvent};
use crate::error::ForgeError;
use crate::model::{Review, ReviewComment, ReviewState};

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route(
            "/pulls/{number}/reviews",
            get(list_reviews).post(create_review),
        )
        .route(
            "/pulls/{number}/reviews/{id}",
            get(get_review).put(edit_review).delete(delete_review),
        )
        .route("/pulls/{number}/reviews/{id}/comments", get(list_comments))
        .route("/pulls/{number}/reviews/{id}/events", post(submit_review))
        .route(
            "/pulls/{number}/reviews/{id}/dismissals",
            put(dismiss_review),
        )
}

async fn list_reviews(call: RepoRequest) -> HandlerResult {
    let number = call.number_param("number")?;
    call.read(|state| {
        actions::pull(state, number)?;
        let seen = |r: &&Review| {
            r.number == number && (r.state != ReviewState::Pending || r.author == call.viewer.id)
        };
        let found: Vec<&Review> = state.reviews.iter().filter(seen).collect();
        Ok(call.page_response(found, |r| {
            json_objects::review_json(JsonContext::from_request(&call), state, r)
        }))
    })
}

fn review_response(call: &RepoRequest, review: &Review) -> HandlerResult {
    call.read(|state| {
        Ok(json_response(
            200,
            &json_objects::review_json(JsonContext::from_request(call), state, review),
        ))
    })
}

fn review_ids(call: &RepoRequest) -> Result<(u64, u64), ForgeError> {
    Ok((call.number_param("number")?, call.number_param("id")?))
}

fn parse_event(text: Option<&str>) -> Result<Option<ReviewEvent>, ForgeError> {
    match text {
        None | Some("" | "PENDING") => Ok(None),
        Some(text) => ReviewEvent::parse(text)
            .map(Some)
            .ok_or_else(|| ForgeError::invalid("PullRequestReview", "event", "invalid")),
    }
}

#[derive(Debug, Deserialize)]
struct CreateReviewInput {
    commit_id: Option<String>,
    body: Option<String>,
    event: Option<String>,
    #[serde(default)]
    comments: Vec<CommentInput>,
}

async fn create_review(
    call: RepoRequest,
    JsonBody(input): JsonBody<CreateReviewInput>,
) -> HandlerResult {
    let new = NewReview {
        commit: input.commit_id,
        body: input.body.unwrap_or_default(),
        event: parse_event(input.event.as_deref())?,
        comments: input
            .comments
            .iter()
            .map(CommentInput::to_new_thread)
            .collect::<Result<_, _>>()?,
    };
    let number = call.number_param("number")?;
    let review = reviews::create(&call.forge, &call.viewer, &call.repo, number, new).await?;
    review_response(&call, &review)
}

async fn get_review(call: RepoRequest) -> HandlerResult {
    let (number, id) = review_ids(&call)?;
    let review = call.read(|state| reviews::visible(state, &call.viewer, number, id))?;
    review_response(&call, &review)
}

#[derive(Debug, Deserialize)]
struct EditReviewInput {
    #[serde(default)]
    body: String,
}

async fn edit_review(
    call: RepoRequest,
    JsonBody(input): JsonBody<EditReviewInput>,
) -> HandlerResult {
    let ids = review_ids(&call)?;
    let review = reviews::edit_body(&call.forge, &call.viewer, &call.repo, ids, &input.body)?;
    review_response(&call, &review)
}

async fn delete_review(call: RepoRequest) -> HandlerResult {
    let (number, id) = review_ids(&call)?;
    let review = reviews::delete_pending(&call.forge, &call.viewer, &call.repo, number, id)?;
    review_response(&call, &review)
}

async fn list_comments(call: RepoRequest) -> HandlerResult {
    let (number, id) = review_ids(&call)?;
    call.read(|state| {
        reviews::visible(state, &call.viewer, number, id)?;
        let of = state.review_comments.iter().filter(|c| c.review_id == id);
        let found: Vec<&ReviewComment> = of.collect();
        Ok(call.page_response(found, |c| {
            json_objects::comment_of_review_json(JsonContext::from_request(&call), state, c)
        }))
    })
}

#[derive(Debug, Deserialize)]
struct SubmitReviewInput {
    body: Option<String>,
    event: Option<String>,
}

async fn submit_review(
    call: RepoRequest,
    JsonBody(input): JsonBody<SubmitReviewInput>,
) -> HandlerResult {
    let event = parse_event(input.event.as_deref())?
        .ok_or_else(|| ForgeError::invalid("PullRequestReview", "event", "missing_field"))?;
    let ids = review_ids(&call)?;
    let body = input.body.as_deref();
    let review = reviews::submit(&call.forge, &call.viewer, &call.repo, ids, event, body)?;
    review_response(&call, &review)
}

#[derive(Debug, Deserialize)]
struct DismissReviewInput {
    #[serde(default)]
    message: String,
}

async fn dismiss_review(
    call: RepoRequest,
    JsonBody(input): JsonBody<DismissReviewInput>,
) -> HandlerResult {
    let ids = review_ids(&call)?;
    let review = reviews::dismiss(&call.forge, &call.viewer, &call.repo, ids, &input.message)?;
    review_response(&call, &review)
}

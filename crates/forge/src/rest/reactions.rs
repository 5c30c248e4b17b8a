//! Reactions to issues, pull requests and comments.

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{delete, get};
use serde::Deserialize;
use serde_json::Value;

use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions::reactions;
use crate::error::ForgeError;
use crate::model::{Reaction, ReactionContent, ReactionSubject};

type SubjectOf = fn(u64) -> ReactionSubject;

const ON_ISSUE: SubjectOf = ReactionSubject::Issue;
const ON_ISSUE_COMMENT: SubjectOf = ReactionSubject::IssueComment;
const ON_REVIEW_COMMENT: SubjectOf = ReactionSubject::ReviewComment;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route(
            "/issues/{number}/reactions",
            get(|call| list(call, "number", ON_ISSUE))
                .post(|call, body| add(call, body, "number", ON_ISSUE)),
        )
        .route(
            "/issues/{number}/reactions/{reaction}",
            delete(|call| remove(call, "number", ON_ISSUE)),
        )
        .route(
            "/issues/comments/{id}/reactions",
            get(|call| list(call, "id", ON_ISSUE_COMMENT))
                .post(|call, body| add(call, body, "id", ON_ISSUE_COMMENT)),
        )
        .route(
            "/issues/comments/{id}/reactions/{reaction}",
            delete(|call| remove(call, "id", ON_ISSUE_COMMENT)),
        )
        .route(
            "/pulls/comments/{id}/reactions",
            get(|call| list(call, "id", ON_REVIEW_COMMENT))
                .post(|call, body| add(call, body, "id", ON_REVIEW_COMMENT)),
        )
        .route(
            "/pulls/comments/{id}/reactions/{reaction}",
            delete(|call| remove(call, "id", ON_REVIEW_COMMENT)),
        )
}

fn parse_content(text: &str) -> Option<ReactionContent> {
    serde_json::from_value(Value::from(text)).ok()
}

async fn list(call: RepoRequest, param: &'static str, on: SubjectOf) -> HandlerResult {
    let subject = on(call.number_param(param)?);
    let content = call.query_param("content").and_then(|c| parse_content(&c));
    call.read(|state| {
        reactions::require_subject(state, &call.viewer, subject)?;
        let found: Vec<&Reaction> = (state.reactions.iter())
            .filter(|r| r.subject == subject && content.is_none_or(|c| c == r.content))
            .collect();
        let context = JsonContext::from_request(&call);
        Ok(call.page_response(found, |r| json_objects::reaction_json(context, state, r)))
    })
}

#[derive(Debug, Deserialize)]
struct ReactionInput {
    content: Option<String>,
}

async fn add(
    call: RepoRequest,
    JsonBody(input): JsonBody<ReactionInput>,
    param: &'static str,
    on: SubjectOf,
) -> HandlerResult {
    let subject = on(call.number_param(param)?);
    let content = input.content.as_deref().and_then(parse_content);
    let content = content.ok_or_else(|| ForgeError::invalid("Reaction", "content", "invalid"))?;
    let (reaction, new) = reactions::add(&call.forge, &call.viewer, &call.repo, subject, content)?;
    call.read(|state| {
        let context = JsonContext::from_request(&call);
        let body = json_objects::reaction_json(context, state, &reaction);
        Ok(json_response(if new { 201 } else { 200 }, &body))
    })
}

async fn remove(call: RepoRequest, param: &'static str, on: SubjectOf) -> HandlerResult {
    let subject = on(call.number_param(param)?);
    let id = call.number_param("reaction")?;
    reactions::remove(&call.forge, &call.viewer, &call.repo, subject, id)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

//! GraphQL at `/api/graphql`: the part of GitHub's published schema that Collie, people and bots need.
//!
//! Names, arguments, enums and nullability are GitHub's. A request is answered with HTTP 200 even where a part of it is
//! refused; only bad credentials are a 401.

use std::sync::Arc;

use async_graphql::{Context, EmptySubscription, Schema};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Extension, Json, Router};
use serde_json::json;

use crate::Forge;
use crate::auth::{Credentials, add_scopes_header, add_version_header, credentials};
use crate::faults::RateLimitStatus;
use crate::model::{Account, RepoMeta};
use error::GraphQlError;
use operation::{MAX_NODES, Operation};
use scalars::Uri;

mod actors;
mod auto_merge;
mod checks;
mod comments;
mod commits;
mod connection;
mod enums;
mod error;
mod issues;
mod labels;
mod merge_mutations;
mod merge_queue;
mod merge_queue_events;
mod mutation;
mod nodes;
pub(crate) mod operation;
mod owned_repositories;
mod pull;
mod pull_status;
mod query;
mod repository;
mod review_mutations;
mod reviews;
mod scalars;
pub(crate) mod schema_limits;
mod threads;

type ForgeSchema = Schema<query::Query, mutation::Mutation, EmptySubscription>;

/// Who asks, and what they may spend.
struct RequestContext {
    forge: Forge,
    viewer: Account,
    base_url: String,
    quota: RateLimitStatus,
    node_count: u64,
    /// It changes something, which a token may where it is for the repository.
    is_mutation: bool,
}

impl RequestContext {
    /// The address of a page of the forge.
    fn web_url(&self, path: &str) -> Uri {
        Uri(format!("{}/{path}", self.base_url))
    }

    /// Whether the viewer can see a repository.
    fn can_see(&self, meta: &RepoMeta) -> bool {
        let covered = !self.is_mutation || self.viewer.token_covers(&meta.name);
        covered && meta.visible_to(&self.viewer)
    }
}

/// Returns the session of the running request.
fn request_context<'a>(ctx: &'a Context<'_>) -> &'a RequestContext {
    ctx.data_unchecked::<RequestContext>()
}

/// Builds the route; `Forge` comes as a clone in the state.
pub(crate) fn routes(forge: Forge) -> Router {
    let schema = Schema::build(
        query::Query,
        mutation::Mutation::default(),
        EmptySubscription,
    )
    .data(commits::GitCache::default())
    .finish();
    Router::new()
        .route("/api/graphql", post(handle_request))
        .with_state((forge, schema))
}

async fn handle_request(
    state: State<(Forge, ForgeSchema)>,
    operation: Option<Extension<Arc<Operation>>>,
    quota: Option<Extension<RateLimitStatus>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let forge = state.0.0.clone();
    let mut response = execute(state, operation, quota, &headers, body).await;
    add_scopes_header(&forge, &headers, response.headers_mut());
    add_version_header(&forge, response.headers_mut());
    response
}

async fn execute(
    State((forge, schema)): State<(Forge, ForgeSchema)>,
    operation: Option<Extension<Arc<Operation>>>,
    quota: Option<Extension<RateLimitStatus>>,
    headers: &HeaderMap,
    body: Bytes,
) -> Response {
    let Credentials::Valid(viewer) = credentials(&forge, headers) else {
        return bad_credentials();
    };
    let mut request: async_graphql::Request = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(_) => {
            let body = json!({
                "message": "Problems parsing JSON",
                "documentation_url": "https://docs.github.com/graphql",
            });
            return (StatusCode::BAD_REQUEST, Json(body)).into_response();
        }
    };
    if request.query.trim().is_empty() {
        return Json(json!({"errors": [{"message": "A query attribute must be specified and must be a string."}]}))
            .into_response();
    }
    let operation = match operation {
        Some(Extension(operation)) => operation,
        None => Arc::new(Operation::parse(&mut request)),
    };
    if operation.node_count > MAX_NODES {
        let message = format!(
            "This query requests up to {} possible nodes which exceeds the maximum limit of {MAX_NODES}.",
            operation.node_count
        );
        let error = json!({"type": "MAX_NODE_LIMIT_EXCEEDED", "message": message});
        return Json(json!({"errors": [error]})).into_response();
    }
    let base_url = forge.base_url();
    let request_context = RequestContext {
        forge,
        viewer,
        base_url,
        quota: quota.map_or_else(RateLimitStatus::unlimited, |Extension(quota)| quota),
        node_count: operation.node_count,
        is_mutation: request.query.trim_start().starts_with("mutation"),
    };
    let undefined = request_context
        .forge
        .schema_limits()
        .undefined_fields(&schema.sdl(), &request.query);
    if !undefined.is_empty() {
        return Json(json!({"errors": undefined})).into_response();
    }
    let response = schema.execute(request.data(request_context)).await;
    Json(error::response_body(response)).into_response()
}

fn bad_credentials() -> Response {
    let body = json!({
        "message": "Bad credentials",
        "documentation_url": "https://docs.github.com/graphql",
    });
    (StatusCode::UNAUTHORIZED, Json(body)).into_response()
}

/// Turns the forge's refusal into GraphQL's.
impl From<crate::ForgeError> for GraphQlError {
    fn from(error: crate::ForgeError) -> Self {
        let message = error.to_string();
        match error {
            crate::ForgeError::Refused {
                status,
                message,
                errors,
            } => {
                let messages: Vec<String> = errors
                    .iter()
                    .map(|error| match error {
                        serde_json::Value::String(text) => text.clone(),
                        other => other["message"]
                            .as_str()
                            .map_or_else(|| other.to_string(), ToOwned::to_owned),
                    })
                    .collect();
                let message = if messages.is_empty() {
                    message
                } else {
                    messages.join(", ")
                };
                match status {
                    403 => Self::forbidden(message),
                    404 => Self::not_found(message),
                    _ => Self::unprocessable(message),
                }
            }
            crate::ForgeError::NoSuchRepo(_) => Self::not_found(message),
            _ => Self::new("INTERNAL", message),
        }
    }
}

/// What a resolver returns when the forge itself may refuse.
fn into_graphql_result<T>(outcome: Result<T, crate::ForgeError>) -> async_graphql::Result<T> {
    outcome.map_err(|error| GraphQlError::from(error).into())
}

/// Lets a nullable field fail alone: the error is reported at the field, and nothing but the field is null.
///
/// `async-graphql` takes the error of a `Result<Option<_>>` up to the nearest nullable parent, which GitHub doesn't.
async fn nullable<T>(
    field: impl Future<Output = async_graphql::Result<Option<T>>>,
) -> Option<async_graphql::Result<T>> {
    field.await.transpose()
}

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
use crate::auth::{Credentials, credentials, show_scopes};
use crate::faults::Quota;
use crate::model::{Account, RepoMeta};
use document::{NODE_LIMIT, Operation};
use error::Failure;
use scalars::Uri;

mod actors;
mod checks;
mod comments;
mod commits;
pub(crate) mod document;
mod enums;
mod error;
mod issues;
mod labels;
mod merging;
mod mutation;
mod nodes;
mod orders;
mod owned;
mod page;
mod pull;
mod query;
mod queue;
mod repository;
mod reviewing;
mod reviews;
mod scalars;
mod standing;
mod threads;

type ForgeSchema = Schema<query::Query, mutation::Mutation, EmptySubscription>;

/// Who asks, and what they may spend.
struct Session {
    forge: Forge,
    viewer: Account,
    base_url: String,
    quota: Quota,
    node_count: u64,
}

impl Session {
    /// The address of a page of the forge.
    fn web(&self, path: &str) -> Uri {
        Uri(format!("{}/{path}", self.base_url))
    }

    /// Whether the viewer can see a repository.
    fn sees(&self, meta: &RepoMeta) -> bool {
        meta.visible_to(&self.viewer)
    }
}

/// Returns the session of the running request.
fn session<'a>(ctx: &'a Context<'_>) -> &'a Session {
    ctx.data_unchecked::<Session>()
}

/// Builds the route; `Forge` comes as a clone in the state.
pub(crate) fn routes(forge: Forge) -> Router {
    let schema = Schema::build(
        query::Query,
        mutation::Mutation::default(),
        EmptySubscription,
    )
    .data(commits::Memory::default())
    .finish();
    Router::new()
        .route("/api/graphql", post(answer))
        .with_state((forge, schema))
}

/// Returns the schema as it is served, in GraphQL's schema language.
pub fn sdl() -> String {
    Schema::build(
        query::Query,
        mutation::Mutation::default(),
        EmptySubscription,
    )
    .finish()
    .sdl()
}

async fn answer(
    state: State<(Forge, ForgeSchema)>,
    operation: Option<Extension<Arc<Operation>>>,
    quota: Option<Extension<Quota>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let forge = state.0.0.clone();
    let mut answer = run(state, operation, quota, &headers, body).await;
    show_scopes(&forge, &headers, answer.headers_mut());
    answer
}

async fn run(
    State((forge, schema)): State<(Forge, ForgeSchema)>,
    operation: Option<Extension<Arc<Operation>>>,
    quota: Option<Extension<Quota>>,
    headers: &HeaderMap,
    body: Bytes,
) -> Response {
    let Credentials::Of(viewer) = credentials(&forge, headers) else {
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
        None => Arc::new(Operation::of(&mut request)),
    };
    if operation.node_count > NODE_LIMIT {
        let message = format!(
            "This query requests up to {} possible nodes which exceeds the maximum limit of {NODE_LIMIT}.",
            operation.node_count
        );
        let error = json!({"type": "MAX_NODE_LIMIT_EXCEEDED", "message": message});
        return Json(json!({"errors": [error]})).into_response();
    }
    let base_url = forge.base_url();
    let session = Session {
        forge,
        viewer,
        base_url,
        quota: quota.map_or_else(Quota::unlimited, |Extension(quota)| quota),
        node_count: operation.node_count,
    };
    let response = schema.execute(request.data(session)).await;
    Json(error::body(response)).into_response()
}

fn bad_credentials() -> Response {
    let body = json!({
        "message": "Bad credentials",
        "documentation_url": "https://docs.github.com/graphql",
    });
    (StatusCode::UNAUTHORIZED, Json(body)).into_response()
}

/// Turns the forge's refusal into GraphQL's.
impl From<crate::ForgeError> for Failure {
    fn from(error: crate::ForgeError) -> Self {
        let message = error.to_string();
        match error {
            crate::ForgeError::Refused {
                status,
                message,
                errors,
            } => {
                let words: Vec<String> = errors
                    .iter()
                    .map(|error| match error {
                        serde_json::Value::String(text) => text.clone(),
                        other => other["message"]
                            .as_str()
                            .map_or_else(|| other.to_string(), ToOwned::to_owned),
                    })
                    .collect();
                let message = if words.is_empty() {
                    message
                } else {
                    words.join(", ")
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
fn granted<T>(outcome: Result<T, crate::ForgeError>) -> async_graphql::Result<T> {
    outcome.map_err(|error| Failure::from(error).into())
}

/// Lets a nullable field fail alone: the error is reported at the field, and nothing but the field is null.
///
/// `async-graphql` takes the error of a `Result<Option<_>>` up to the nearest nullable parent, which GitHub doesn't.
async fn nullable<T>(
    field: impl Future<Output = async_graphql::Result<Option<T>>>,
) -> Option<async_graphql::Result<T>> {
    field.await.transpose()
}

//! Refusals in GitHub's form: a `type` beside the message, at the top of the error.

use async_graphql::Response;
use serde_json::{Map, Value, json};

/// A refusal with GitHub's word for its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GraphQlError {
    kind: &'static str,
    message: String,
}

impl GraphQlError {
    /// Builds a refusal of the given kind.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Nothing of that name, or nothing that the viewer may see.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new("NOT_FOUND", message)
    }

    /// The viewer may see it, and may not do that with it.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new("FORBIDDEN", message)
    }

    /// It can't be done as things stand.
    pub fn unprocessable(message: impl Into<String>) -> Self {
        Self::new("UNPROCESSABLE", message)
    }
}

/// Writes an answer as GitHub does: no `data` when the query never ran, and each refusal's `type` at the top level.
pub fn response_body(response: Response) -> Value {
    let mut response_body = Map::new();
    let was_executed = response.errors.iter().all(|error| !error.path.is_empty());
    if was_executed {
        response_body.insert(
            "data".to_owned(),
            serde_json::to_value(&response.data).unwrap_or(Value::Null),
        );
    }
    if !response.errors.is_empty() {
        let errors = response
            .errors
            .iter()
            .map(|error| {
                let mut error_object = Map::new();
                if let Some(failure) = error.source::<GraphQlError>() {
                    error_object.insert("type".to_owned(), json!(failure.kind));
                }
                if !error.path.is_empty() {
                    error_object.insert("path".to_owned(), json!(error.path));
                }
                error_object.insert("locations".to_owned(), json!(error.locations));
                error_object.insert("message".to_owned(), json!(error.message));
                Value::Object(error_object)
            })
            .collect();
        response_body.insert("errors".to_owned(), Value::Array(errors));
    }
    Value::Object(response_body)
}

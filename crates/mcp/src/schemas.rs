//! What the tools take and give, as JSON Schema.

use crate::words::McpWords;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::sync::Arc;

/// An object of a schema.
pub(crate) fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

fn pull(words: &McpWords) -> Value {
    json!({
        "type": "string",
        "pattern": r"^[^/\s#]+/[^/\s#]+#[1-9][0-9]*$",
        "description": words.plain("mcp-arg-pull_request"),
    })
}

/// Takes a pull request alone.
pub(crate) fn one_pull(words: &McpWords) -> Value {
    json!({
        "type": "object",
        "properties": { "pull_request": pull(words) },
        "required": ["pull_request"],
        "additionalProperties": false,
    })
}

/// Takes a pull request, or nothing for all.
pub(crate) fn maybe_pull(words: &McpWords) -> Value {
    let mut schema = one_pull(words);
    schema["required"] = json!([]);
    schema
}

/// Takes a pull request and a choice.
pub(crate) fn pull_and_flag(words: &McpWords, name: &str) -> Value {
    let mut schema = one_pull(words);
    schema["properties"][name] = json!({
        "type": "boolean",
        "default": false,
        "description": words.plain(&format!("mcp-arg-{name}")),
    });
    schema
}

/// Gives an object with these fields at least.
pub(crate) fn gives(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> = fields
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({ "type": "object", "properties": properties, "required": names })
}

/// A list of objects.
pub(crate) fn objects() -> Value {
    json!({ "type": "array", "items": { "type": "object" } })
}

/// An object or nothing.
pub(crate) fn maybe_object() -> Value {
    json!({ "type": ["object", "null"] })
}

/// A text.
pub(crate) fn string() -> Value {
    json!({ "type": "string" })
}

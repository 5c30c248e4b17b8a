//! The shape that an answer is asked to have.

use serde_json::Value;

/// The shape of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseSchema {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// A JSON schema of an object. OpenAI makes every property of it a required one; so what may be missing should also
    /// be allowed to be null.
    pub schema: Value,
}

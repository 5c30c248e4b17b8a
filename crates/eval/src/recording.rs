//! Recorded answers: what makes a run repeatable without a key.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// One answer of a service. The request is kept as its hash alone: it holds the code under review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedAnswer {
    /// [`request_hash`].
    pub request: String,
    /// How many requests of the same hash came before it in this run of the case.
    pub nth: u32,
    /// The HTTP status.
    pub status: u16,
    /// What the body is.
    pub content_type: String,
    /// How long it took until its end.
    pub ms: u64,
    /// The body.
    pub body: String,
}

/// What a request is known by: its path and its JSON, whatever the order of its members. A body that is no JSON is taken as it is.
pub fn request_hash(path: &str, body: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(path.as_bytes());
    hash.update(b"\n");
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => {
            let mut text = String::new();
            write_sorted(&value, &mut text);
            hash.update(text.as_bytes());
        }
        Err(_) => hash.update(body),
    }
    hex::encode(hash.finalize())
}

/// JSON with the members of objects in the order of their names.
fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in members {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_sorted(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(values) => {
            text.push('[');
            for value in values {
                write_sorted(value, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::request_hash;

    #[test]
    fn a_request_is_its_path_and_its_json_in_whatever_order() {
        let hash = request_hash("/v1/x", br#"{"a": [1, {"c": 2, "b": null}], "d": "e"}"#);
        assert_eq!(
            hash,
            request_hash("/v1/x", br#"{"d":"e","a":[1,{"b":null,"c":2}]}"#)
        );
        for (path, other) in [
            ("/v1/y", r#"{"a": [1, {"c": 2, "b": null}], "d": "e"}"#),
            ("/v1/x", r#"{"a": [1, {"c": 2, "b": null}], "d": "f"}"#),
            ("/v1/x", r#"{"a": [{"c": 2, "b": null}, 1], "d": "e"}"#),
            ("/v1/x", "no JSON"),
        ] {
            assert_ne!(hash, request_hash(path, other.as_bytes()), "{path} {other}");
        }
    }
}

//! Members of JSON objects, read one by one: what does not fit is told in words for the one who wrote it.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// An object of a strict schema; its members keep this order.
pub(super) fn object_schema(members: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> = members
        .iter()
        .map(|(name, schema)| ((*name).to_string(), schema.clone()))
        .collect();
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": names,
        "additionalProperties": false,
    })
}

/// Reads members of an object and gathers what is wrong with them, in words for the one who wrote it.
pub(super) struct MemberReader<'a> {
    pub(super) path: String,
    pub(super) object: &'a Map<String, Value>,
    pub(super) violations: &'a mut Vec<String>,
}

impl MemberReader<'_> {
    /// The member as a path from the top.
    pub(super) fn member_path(&self, member: &str) -> String {
        if self.path.is_empty() {
            member.to_string()
        } else {
            format!("{}.{member}", self.path)
        }
    }

    /// Notes that a member is not what was expected.
    pub(super) fn add_violation(&mut self, member: &str, expected: &str) {
        let found = match self.object.get(member) {
            None => "is missing".to_string(),
            Some(value) => {
                let text: String = value.to_string().chars().take(60).collect();
                format!("is {text}")
            }
        };
        let name = self.member_path(member);
        self.violations
            .push(format!("`{name}` {found}: expected {expected}"));
    }

    /// A text that says something.
    pub(super) fn required_text(&mut self, member: &str) -> String {
        match self.object.get(member).and_then(Value::as_str) {
            Some(text) if !text.trim().is_empty() => text.to_string(),
            Some(_) | None => {
                self.add_violation(member, "a text that is not empty");
                String::new()
            }
        }
    }

    /// A text, or nothing.
    pub(super) fn optional_text(&mut self, member: &str) -> Option<String> {
        match self.object.get(member) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
            Some(_) => {
                self.add_violation(member, "a text or null");
                None
            }
        }
    }

    /// One of some words.
    pub(super) fn enum_value<T: DeserializeOwned>(
        &mut self,
        member: &str,
        words: &str,
    ) -> Option<T> {
        let value = self.object.get(member).cloned();
        let read = value.and_then(|value| serde_json::from_value(value).ok());
        if read.is_none() {
            self.add_violation(member, &format!("one of {words}"));
        }
        read
    }

    /// A list of objects; an absent one is empty where it may be.
    pub(super) fn object_list(&mut self, member: &str, needed: bool) -> Vec<Map<String, Value>> {
        let items = match self.object.get(member) {
            Some(Value::Array(items)) => items,
            None | Some(Value::Null) if !needed => return Vec::new(),
            Some(_) | None => {
                self.add_violation(member, "a list");
                return Vec::new();
            }
        };
        let mut out = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item.as_object() {
                Some(object) => out.push(object.clone()),
                None => {
                    let name = self.member_path(member);
                    self.violations.push(format!("`{name}[{at}]` is no object"));
                }
            }
        }
        out
    }
}

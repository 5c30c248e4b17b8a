//! Finds the JSON in what an agent says: prose around it, fences, more than one block.

use super::review_answer::escalation_marks;
use crate::llm::{NoJsonObject, last_json_object};
use serde_json::Value;

/// The last JSON object in a text that has that member, such as `findings`. Names in `<!-- escalate: NAME -->` outside of it are added to its
/// `escalations`. The error is for the one who wrote the text.
pub fn extract_json(text: &str, member: &str) -> Result<Value, String> {
    let mut value = last_json_object(text, &[member]).map_err(|missing| match missing {
        NoJsonObject::Absent => {
            format!("there is no JSON object with `{member}`: end with one, in a `json` fence")
        }
        NoJsonObject::Truncated => {
            format!("the JSON object with `{member}` cannot be read: the text ends before it does")
        }
        NoJsonObject::Invalid(reason) => {
            format!("the JSON object with `{member}` cannot be read: {reason}")
        }
    })?;
    add_escalations(&mut value, text);
    Ok(value)
}

fn add_escalations(value: &mut Value, text: &str) {
    let names = escalation_marks(text);
    if names.is_empty() {
        return;
    }
    let Some(object) = value.as_object_mut() else {
        return;
    };
    let list = object
        .entry("escalations")
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.extend(names.into_iter().map(Value::String));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expect: Result<Value, &str>) {
        match (extract_json(text, "findings"), expect) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{text}: {found}"),
            (found, expected) => panic!("{text}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn the_answer_is_found_in_whatever_stands_around_it() {
        let one = json!({"findings": []});
        check("{\"findings\": []}", Ok(one.clone()));
        check(
            "I looked at `{x}`.\n\n```json\n{\"findings\": []}\n```\nDone.",
            Ok(one.clone()),
        );
        check(
            "{\"other\": 1} {\"findings\": [{\"a\": {}}]}",
            Ok(json!({"findings": [{"a": {}}]})),
        );
        // The last one counts: agents correct themselves.
        check(
            "{\"findings\": [1]}\nBetter:\n{\"findings\": []}",
            Ok(one.clone()),
        );
        check("fn a() { if b { c } }\n{\"findings\": []}", Ok(one));
        check(
            "Ask <!-- escalate: sam --> in.\n{\"findings\": [], \"escalations\": [\"priya\"]}",
            Ok(json!({"findings": [], "escalations": ["priya", "sam"]})),
        );
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        check("", Err("there is no JSON object with `findings`"));
        check("All good!", Err("end with one, in a `json` fence"));
        check("{\"findings\": [}", Err("cannot be read"));
        check("{\"findings\": [", Err("the text ends before it does"));
        check(&"{".repeat(5_000), Err("there is no JSON object"));
        check(&"[{\"a\":".repeat(5_000), Err("there is no JSON object"));
    }
}

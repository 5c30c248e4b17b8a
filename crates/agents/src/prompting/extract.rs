//! Finds the JSON in what an agent says: prose around it, fences, more than one block.

use super::review_answer::escalation_marks;
use serde_json::{Deserializer, Value};

/// Only the end of a longer text is looked at.
const MOST_BYTES: usize = 1 << 20;
/// Places where an object could begin that are tried.
const MOST_TRIES: usize = 2_000;

/// The last JSON object in a text that has that member, such as `findings`. Names in `<!-- escalate: NAME -->` outside of it are added to its
/// `escalations`. The error is for the one who wrote the text.
pub fn extract_json(text: &str, member: &str) -> Result<Value, String> {
    let text = last_bytes(text);
    let mut found: Option<Value> = None;
    let mut parse_error: Option<String> = None;
    let mut offset = 0;
    for _ in 0..MOST_TRIES {
        let Some(begin) = text[offset..].find('{').map(|next| offset + next) else {
            break;
        };
        let mut stream = Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                offset = begin + stream.byte_offset();
                if value.get(member).is_some() {
                    found = Some(value);
                }
            }
            Some(Err(error)) => {
                // Only an object that was meant to be the answer is worth a word.
                if text[begin..]
                    .chars()
                    .take(400)
                    .collect::<String>()
                    .contains(member)
                {
                    parse_error = Some(error.to_string());
                }
                offset = begin + 1;
            }
            None => break,
        }
    }
    match (found, parse_error) {
        (Some(mut value), _) => {
            add_escalations(&mut value, text);
            Ok(value)
        }
        (None, Some(error)) => Err(format!(
            "the JSON object with `{member}` cannot be read: {error}"
        )),
        (None, None) => Err(format!(
            "there is no JSON object with `{member}`: end with one, in a `json` fence"
        )),
    }
}

fn last_bytes(text: &str) -> &str {
    let mut begin = text.len().saturating_sub(MOST_BYTES);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    &text[begin..]
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
        check("{\"findings\": [", Err("cannot be read: EOF"));
        check(&"{".repeat(5_000), Err("there is no JSON object"));
        check(&"[{\"a\":".repeat(5_000), Err("there is no JSON object"));
    }
}

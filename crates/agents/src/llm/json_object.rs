//! Finds the JSON in what a model says: thinking, prose, fences, drafts, more than one object.

use serde_json::{Deserializer, Value};

/// Only the end of a longer text is looked at.
const MAX_BYTES: usize = 1 << 20;
/// Places where an object could begin that are tried.
const MAX_TRIES: usize = 2_000;
/// So far from its begin an object that cannot be read must name a wanted member to be taken for the answer.
const MAX_MEMBER_DISTANCE: usize = 400;
/// What thinking is put in where the service does not take it out.
const THINKING_TAGS: [(&str, &str); 3] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
];

/// Why a text has no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoJsonObject {
    /// None with a wanted member.
    Absent,
    /// It ends before the object does.
    Truncated,
    /// It is no JSON, for this reason.
    Invalid(String),
}

/// The last JSON object in a text that has one of these members; any object where none are named.
///
/// What was thought before the answer does not count, whether or not the model closed its thinking. An object that was meant to be the
/// answer, came last and cannot be read is an error: the draft before it is not what the model says.
pub(crate) fn last_json_object(text: &str, members: &[&str]) -> Result<Value, NoJsonObject> {
    let text = last_bytes(text);
    let spoken = without_thinking(text);
    // The template of some models opens the thinking itself, so that the answer has its end alone.
    let after_end = THINKING_TAGS
        .iter()
        .find_map(|(_, end)| Some(spoken.split_once(end)?.1));
    if let Some(Ok(value)) = after_end.map(|rest| find_last(rest, members)) {
        return Ok(value);
    }
    find_last(spoken, members)
}

/// The text after the thinking that it begins with.
fn without_thinking(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some((begin, end)) = THINKING_TAGS
        .iter()
        .find(|(begin, _)| rest.starts_with(begin))
    {
        rest = match rest[begin.len()..].split_once(end) {
            Some((_, after)) => after.trim_start(),
            None => "",
        };
    }
    rest
}

fn find_last(text: &str, members: &[&str]) -> Result<Value, NoJsonObject> {
    let mut last = Err(NoJsonObject::Absent);
    let mut offset = 0;
    for _ in 0..MAX_TRIES {
        let Some(begin) = text[offset..].find('{').map(|next| offset + next) else {
            break;
        };
        let mut stream = Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                offset = begin + stream.byte_offset();
                let wanted = |member: &&str| value.get(*member).is_some();
                if members.is_empty() || members.iter().any(wanted) {
                    last = Ok(value);
                }
            }
            Some(Err(error)) => {
                if looks_like_answer(&text[begin..], members) {
                    last = Err(if error.is_eof() {
                        NoJsonObject::Truncated
                    } else {
                        NoJsonObject::Invalid(error.to_string())
                    });
                }
                offset = begin + 1;
            }
            None => break,
        }
    }
    last
}

/// Whether an object that cannot be read was meant to be the answer.
fn looks_like_answer(text: &str, members: &[&str]) -> bool {
    let is_object = text[1..].trim_start().starts_with('"');
    let head: String = text.chars().take(MAX_MEMBER_DISTANCE).collect();
    let named = |member: &&str| head.contains(&format!("\"{member}\""));
    is_object && (members.is_empty() || members.iter().any(named))
}

fn last_bytes(text: &str) -> &str {
    let mut begin = text.len().saturating_sub(MAX_BYTES);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    &text[begin..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expect: Result<Value, NoJsonObject>) {
        assert_eq!(last_json_object(text, &["a"]), expect, "{text}");
    }

    #[test]
    fn the_object_of_an_answer_is_found_wherever_it_stands() {
        let a = || Ok(json!({"a": "}{"}));
        check(r#"{"a":"}{"}"#, a());
        check("```json\n{\"a\": \"}{\"}\n```", a());
        check("Here it is:\n{\"a\": \"}{\"}\nThat is {all}.", a());
        check("{\"b\": 1} {\"a\": 1} then {\"a\": \"}{\"}", a());
        check("{\"a\": \"}{\"}\nand {\"b\": 1}", a());
        check("nothing", Err(NoJsonObject::Absent));
        check("[1, 2]", Err(NoJsonObject::Absent));
        check(r#"{"a": [{"b": 1}"#, Err(NoJsonObject::Truncated));
        let invalid = "trailing comma at line 1 column 9".to_owned();
        check("{\"a\": 1,}", Err(NoJsonObject::Invalid(invalid)));
        assert_eq!(last_json_object("{\"b\": 1}", &[]), Ok(json!({"b": 1})));
    }

    #[test]
    fn thinking_is_no_answer() {
        let one = || Ok(json!({"a": 1}));
        check("<think>{\"a\": 2}</think>{\"a\": 1}", one());
        check(
            "\n<thinking>{</thinking>\n<think>{}</think> {\"a\": 1}",
            one(),
        );
        check("So {\"a\": 2}?</think>{\"a\": 1}", one());
        check("<think>{\"a\": 2}", Err(NoJsonObject::Absent));
        check("<think>{\"a\": 2}</think>No.", Err(NoJsonObject::Absent));
        // What only quotes such an end is an answer all the same.
        let quoted = "{\"a\": \"</think>\"}";
        check(quoted, Ok(json!({"a": "</think>"})));
    }

    #[test]
    fn a_draft_does_not_stand_for_an_answer_that_cannot_be_read() {
        check(
            "{\"a\": 1}\nBetter: {\"a\": 2",
            Err(NoJsonObject::Truncated),
        );
        check(
            "{\"a\": 1}\nAs in `{ a }` and {\"b\": }.",
            Ok(json!({"a": 1})),
        );
    }

    #[test]
    fn no_text_takes_long() {
        check(&"{".repeat(5_000), Err(NoJsonObject::Absent));
        check(&"[{\"b\":".repeat(5_000), Err(NoJsonObject::Absent));
    }
}

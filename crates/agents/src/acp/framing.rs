//! The lines that an agent writes, as far as they are messages.

use super::observer::{OutputFault, TurnObserver};
use super::output_tail::OutputTail;
use futures::{Stream, StreamExt};
use std::io;
use std::sync::Arc;
use tokio::process::ChildStdout;
use tokio::task::consume_budget;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};

/// The messages of an agent. What is none goes to the tail; what is too long, or broken, ends it.
pub(super) fn message_lines(
    stdout: ChildStdout,
    max_line_bytes: usize,
    observer: Arc<TurnObserver>,
    tail: OutputTail,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let lines = FramedRead::new(stdout, LinesCodec::new_with_max_length(max_line_bytes));
    lines.filter_map(move |line| {
        let message = parse_line(line, max_line_bytes, &observer, &tail);
        async {
            // Else a flood of messages would keep the deadlines from being looked at.
            consume_budget().await;
            message
        }
    })
}

pub(super) fn parse_line(
    line: Result<String, LinesCodecError>,
    max_line_bytes: usize,
    observer: &TurnObserver,
    tail: &OutputTail,
) -> Option<io::Result<String>> {
    let fault = match line {
        Ok(line) => {
            // A message is an object; a banner or a warning is not.
            let is_message = line.trim_start().starts_with('{');
            if !observer.count_line(line.len(), is_message) {
                return Some(Err(io::Error::other("too much")));
            }
            if !is_message {
                tail.push(line.as_bytes());
                tail.push(b"\n");
                return None;
            }
            let line = without_lone_surrogates(line);
            // Not `IgnoredAny`, which passes over strings without reading them.
            match serde_json::from_str::<serde_json::Value>(&line) {
                Ok(_) => return Some(Ok(line)),
                Err(error) => OutputFault::Unreadable {
                    reason: format!("it is no JSON: {error}"),
                },
            }
        }
        Err(LinesCodecError::MaxLineLengthExceeded) => OutputFault::TooMuch {
            what: "message",
            bound: max_line_bytes as u64,
        },
        Err(LinesCodecError::Io(error)) => OutputFault::Unreadable {
            reason: error.to_string(),
        },
    };
    observer.set_fault(fault);
    Some(Err(io::Error::other("broken off")))
}

/// Half of a pair, as an agent writes it that cut a text in the middle of a character, stands for nothing: it becomes U+FFFD.
fn without_lone_surrogates(line: String) -> String {
    const REPLACEMENT: &str = r"\ufffd";
    if !line.contains(r"\u") {
        return line;
    }
    let unit = |at: usize| {
        let digits = line.get(at..at + 6)?.strip_prefix(r"\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(line.len());
    let mut done = 0;
    while let Some(at) = line[done..].find('\\').map(|at| done + at) {
        out.push_str(&line[done..at]);
        let (whole, is_lone) = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(0xd800..=0xdfff), _) => (6, true),
            (Some(_), _) => (6, false),
            (None, _) => (
                1 + line[at + 1..].chars().next().map_or(0, char::len_utf8),
                false,
            ),
        };
        out.push_str(if is_lone {
            REPLACEMENT
        } else {
            &line[at..at + whole]
        });
        done = at + whole;
    }
    out.push_str(&line[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_is_replaced_and_a_whole_one_stays() {
        for (line, expect) in [
            (r#"{"a":"x\ud83d"}"#, r#"{"a":"x\ufffd"}"#),
            (
                r#"{"a":"\ude00\ud83d\ud83d\ude00"}"#,
                r#"{"a":"\ufffd\ufffd\ud83d\ude00"}"#,
            ),
            (
                r#"{"a":"\\ud83d \n \u00e9 \ud83dx"}"#,
                r#"{"a":"\\ud83d \n \u00e9 \ufffdx"}"#,
            ),
            (r#"{"a":"é\"#, r#"{"a":"é\"#),
            (r#"{"a":"\u12é"#, r#"{"a":"\u12é"#),
        ] {
            assert_eq!(without_lone_surrogates(line.to_owned()), expect);
        }
    }
}

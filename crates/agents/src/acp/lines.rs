//! The lines that an agent writes, as far as they are messages.

use super::heard::{Fault, Heard};
use super::tail::Tail;
use futures::{Stream, StreamExt};
use std::io;
use std::sync::Arc;
use tokio::process::ChildStdout;
use tokio::task::consume_budget;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};

/// The messages of an agent. What is none goes to the tail; what is too long, or broken, ends it.
pub(super) fn lines(
    stdout: ChildStdout,
    max: usize,
    heard: Arc<Heard>,
    tail: Tail,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let lines = FramedRead::new(stdout, LinesCodec::new_with_max_length(max));
    lines.filter_map(move |line| {
        let message = message(line, max, &heard, &tail);
        async {
            // Else a flood of messages would keep the deadlines from being looked at.
            consume_budget().await;
            message
        }
    })
}

fn message(
    line: Result<String, LinesCodecError>,
    max: usize,
    heard: &Heard,
    tail: &Tail,
) -> Option<io::Result<String>> {
    let fault = match line {
        Ok(line) => {
            // A message is an object; a banner or a warning is not.
            let is_message = line.trim_start().starts_with('{');
            if !heard.count(line.len(), is_message) {
                return Some(Err(io::Error::other("too much")));
            }
            if !is_message {
                tail.push(line.as_bytes());
                tail.push(b"\n");
                return None;
            }
            match serde_json::from_str::<serde::de::IgnoredAny>(&line) {
                Ok(_) => return Some(Ok(line)),
                Err(error) => Fault::Broken {
                    reason: format!("it is no JSON: {error}"),
                },
            }
        }
        Err(LinesCodecError::MaxLineLengthExceeded) => Fault::TooMuch {
            what: "message",
            bound: max as u64,
        },
        Err(LinesCodecError::Io(error)) => Fault::Broken {
            reason: error.to_string(),
        },
    };
    heard.give_up(fault);
    Some(Err(io::Error::other("broken off")))
}

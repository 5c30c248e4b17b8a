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

fn parse_line(
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
            match serde_json::from_str::<serde::de::IgnoredAny>(&line) {
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

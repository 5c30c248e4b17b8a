//! The end of an output that may be of any length.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes of an agent's error output that are kept.
const MAX_KEPT_BYTES: usize = 16 * 1024;
/// Lines of it that an error shows.
const MAX_LINES: usize = 12;
/// Characters of each of them.
const MAX_LINE_CHARS: usize = 400;

/// The last bytes of an agent's error output, and of what it printed where only messages belong.
#[derive(Clone, Default)]
pub(super) struct OutputTail(Arc<Mutex<Vec<u8>>>);

impl OutputTail {
    /// Adds to the end.
    pub(super) fn push(&self, more: &[u8]) {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(more);
        if bytes.len() > 2 * MAX_KEPT_BYTES {
            let surplus = bytes.len() - MAX_KEPT_BYTES;
            bytes.drain(..surplus);
        }
    }

    /// Reads a pipe to its end.
    pub(super) async fn drain(self, mut pipe: impl AsyncRead + Unpin) {
        let mut chunk = [0; 4096];
        // A pipe that cannot be read any more is at its end.
        while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
            self.push(&chunk[..count]);
        }
    }

    /// The last lines, without colours and other control characters.
    pub(super) fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let start = bytes.len().saturating_sub(MAX_KEPT_BYTES);
        let text = String::from_utf8_lossy(&bytes[start..]).into_owned();
        let plain = console::strip_ansi_codes(&text);
        let lines: Vec<String> = plain
            .lines()
            .map(|line| {
                line.chars()
                    .filter(|c| !c.is_control())
                    .take(MAX_LINE_CHARS)
                    .collect::<String>()
            })
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines[lines.len().saturating_sub(MAX_LINES)..].join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_shows_the_last_lines_in_plain_text() {
        let tail = OutputTail::default();
        for line in 0..10_000 {
            tail.push(format!("\u{1b}[31mline {line}\u{1b}[0m\r\n\n").as_bytes());
        }
        let text = tail.text();
        assert_eq!(text.lines().count(), MAX_LINES);
        assert!(
            text.starts_with("line 9988\n") && text.ends_with("\nline 9999"),
            "{text}"
        );
        tail.push("x".repeat(5000).as_bytes());
        assert_eq!(
            tail.text().lines().last().map(str::len),
            Some(MAX_LINE_CHARS)
        );
    }
}

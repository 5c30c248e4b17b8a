//! The end of every body that Collie posts: marker and token, and the limit above them (§8.1 to §8.3).

use super::pattern;
use crate::ids::ActionToken;
use crate::review::COMMENT_MARKER;
use regex::Regex;
use std::sync::LazyLock;

/// The most characters of one body; GitHub itself refuses more than 65,536.
pub const MAX_COMMENT_CHARS: usize = 60_000;
/// What stands where a body was cut off.
pub const TRUNCATION_MARK: &str = "[TRUNCATED_COMMENT]";
/// The most characters of a token.
const MAX_TOKEN_CHARS: usize = 200;

static FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ {0,3}(`{3,}|~{3,})([^`]*)$"));

/// The body with marker and token as its last two lines.
pub fn append_token(body: &str, token: &ActionToken) -> String {
    format!(
        "{}\n\n{COMMENT_MARKER}\n<!-- collie-action:{token} -->",
        body.trim_end()
    )
}

/// The token that a body ends with; nothing when it stands anywhere else, or is quoted, or lacks the marker above it.
///
/// Only trailing blanks may follow. Who wrote the body is for the caller to check (§7.1).
pub fn trailing_token(body: &str) -> Option<ActionToken> {
    split_footer(body).map(|(_, _, token)| token)
}

/// What stands above marker and token, these two lines, and the token.
fn split_footer(body: &str) -> Option<(&str, &str, ActionToken)> {
    let trimmed = body.trim_end();
    let (above, token_line) = trimmed.rsplit_once('\n')?;
    let token = token_of_line(token_line)?;
    let above = above.strip_suffix('\r').unwrap_or(above);
    let content = above.strip_suffix(COMMENT_MARKER)?;
    let alone = content.is_empty() || content.ends_with('\n');
    alone.then(|| (content, &trimmed[content.len()..], ActionToken::new(token)))
}

/// The token of a line that holds nothing else. By hand: it is asked of every body of every reading.
fn token_of_line(line: &str) -> Option<&str> {
    let token = line
        .strip_prefix("<!-- collie-action:")?
        .strip_suffix(" -->")?;
    let fits = |c: char| !c.is_whitespace() && c != '<' && c != '>';
    let is_token = !token.is_empty() && token.chars().all(fits);
    (is_token && token.chars().count() <= MAX_TOKEN_CHARS).then_some(token)
}

/// Cuts a body so that it has at most `max` characters, all included.
///
/// What is cut ends with [`TRUNCATED_COMMENT`], open code fences and `<details>` are closed before it, and marker and token stay last. A
/// `max` that leaves no room for marker and token gives these alone.
pub fn truncate_comment(body: &str, max: usize) -> String {
    if body.chars().count() <= max {
        return body.to_string();
    }
    let (content, tail) = match split_footer(body) {
        Some((content, tail, _)) => (content, format!("\n\n{tail}")),
        None => (body, String::new()),
    };
    let mut room = max;
    loop {
        let kept = cut_at_line_end(first_chars(content, room));
        let cut = format!("{kept}{}\n\n{TRUNCATION_MARK}{tail}", closing_markup(kept));
        let length = cut.chars().count();
        if length <= max {
            return cut;
        }
        if room == 0 {
            // Nothing fits but the end itself.
            return first_chars(
                if tail.is_empty() {
                    TRUNCATION_MARK
                } else {
                    tail.trim_start()
                },
                max,
            )
            .to_string();
        }
        room = room.saturating_sub(length - max);
    }
}

fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices()
        .nth(count)
        .map_or(text, |(end, _)| &text[..end])
}

/// Back to the end of the last whole line, unless that would cost much.
fn cut_at_line_end(text: &str) -> &str {
    match text.rfind('\n') {
        Some(end) if text.len() - end < 2_000 => text[..end].trim_end(),
        Some(_) | None => text.trim_end(),
    }
}

/// What closes the code fence and the `<details>` that are open at the end of `text`.
fn closing_markup(text: &str) -> String {
    let mut open: Option<&str> = None;
    let mut details = 0_usize;
    for line in text.lines() {
        let fence = FENCE
            .captures(line)
            .and_then(|found| Some((found.get(1)?.as_str(), found.get(2)?.as_str())));
        match (open, fence) {
            (None, Some((mark, _))) => open = Some(mark),
            (Some(mark), Some((end, info)))
                if end.starts_with(&mark[..1])
                    && end.len() >= mark.len()
                    && info.trim().is_empty() =>
            {
                open = None;
            }
            (None, None) => {
                details += line.matches("<details").count();
                details = details.saturating_sub(line.matches("</details>").count());
            }
            (Some(_), Some(_) | None) => {}
        }
    }
    let fence = open.map(|mark| format!("\n{mark}")).unwrap_or_default();
    format!("{fence}{}", "\n\n</details>".repeat(details))
}

//! Diffs out of whatever is posted (§8.3): people have the diff on the page already.

use super::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// What stands where a diff stood.
pub const DIFF_REDACTED: &str = "[DIFF REDACTED]";

static START: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"diff --git\b|^[> \t]*diff --(?:cc|combined) "));
static HUNK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^@@+ -\d+(?:,(\d+))? (?:-\d+(?:,\d+)? )*\+\d+(?:,(\d+))? @@"));
static FENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[> \t]*(`{3,}|~{3,})\s*([\w-]*)[^`]*$"));

/// Lines that stand between `diff --git` and the first hunk, or tell of one.
const HEADERS: [&str; 15] = [
    "index ",
    "--- ",
    "+++ ",
    "@@",
    "new file mode ",
    "deleted file mode ",
    "old mode ",
    "new mode ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "similarity index ",
    "dissimilarity index ",
    "Binary files ",
];

/// Replaces each diff, fenced or not, with [`DIFF_REDACTED`].
pub(super) fn redact_diffs(text: &str) -> String {
    if !text.contains("diff --") && !text.contains("--- ") {
        return text.to_string();
    }
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        if let Some(end) = fenced_diff(&lines, at) {
            out.push(format!("{}{DIFF_REDACTED}", quote_prefix(lines[at])));
            at = end;
        } else if let Some(found) = START.find(lines[at]) {
            let kept = &lines[at][..found.start()];
            let kept = if found.as_str().starts_with("diff") {
                kept
            } else {
                quote_prefix(lines[at])
            };
            out.push(format!("{kept}{DIFF_REDACTED}"));
            at = end_of_diff(&lines, at + 1, quote_prefix(kept));
        } else if is_bare_diff(&lines[at..]) {
            let prefix = quote_prefix(lines[at]);
            out.push(format!("{prefix}{DIFF_REDACTED}"));
            at = end_of_diff(&lines, at, prefix);
        } else {
            out.push(lines[at].to_string());
            at += 1;
        }
    }
    out.join("\n")
}

/// The `> ` and blanks that a line begins with.
fn quote_prefix(line: &str) -> &str {
    let rest = line.trim_start_matches(['>', ' ', '\t']);
    &line[..line.len() - rest.len()]
}

/// Where a fenced block ends that opens at `at` and is a diff as a whole.
fn fenced_diff(lines: &[&str], at: usize) -> Option<usize> {
    let open = FENCE.captures(lines[at])?;
    let mark = open.get(1)?.as_str();
    let first = lines[at + 1..]
        .iter()
        .find(|line| !line.trim_matches(['>', ' ', '\t', '\r']).is_empty())?;
    if START
        .find(first)
        .is_none_or(|found| found.start() != quote_prefix(first).len())
    {
        return None;
    }
    let closes = |line: &&str| {
        let line = line.trim_matches(['>', ' ', '\t', '\r']);
        line.len() >= mark.len() && line.chars().all(|c| mark.starts_with(c))
    };
    let length = lines[at + 1..].iter().position(closes);
    Some(length.map_or(lines.len(), |length| at + length + 2))
}

/// Whether these lines begin a diff without a `diff` line of its own.
fn is_bare_diff(lines: &[&str]) -> bool {
    let [old, new, hunk, ..] = lines else {
        return false;
    };
    let prefix = quote_prefix(old);
    let part = |line: &str, start: &str| {
        line.strip_prefix(prefix)
            .is_some_and(|line| line.starts_with(start))
    };
    part(old, "--- ")
        && part(new, "+++ ")
        && hunk
            .strip_prefix(prefix)
            .is_some_and(|line| HUNK.is_match(line))
}

/// The first line from `at` on that is no part of the diff.
fn end_of_diff(lines: &[&str], mut at: usize, prefix: &str) -> usize {
    let (mut old, mut new) = (0_u32, 0_u32);
    while at < lines.len() {
        let Some(line) = lines[at].strip_prefix(prefix).or_else(|| {
            // An editor may have cut trailing blanks off the prefix.
            (lines[at] == prefix.trim_end()).then_some("")
        }) else {
            break;
        };
        if let Some(hunk) = HUNK.captures(line) {
            let count = |group| {
                hunk.get(group)
                    .map_or(Some(1), |digits| digits.as_str().parse().ok())
                    .unwrap_or(0)
            };
            (old, new) = (count(1), count(2));
        } else if old + new > 0 {
            match line.chars().next() {
                None | Some(' ' | '\r') => {
                    (old, new) = (old.saturating_sub(1), new.saturating_sub(1))
                }
                Some('-') => old = old.saturating_sub(1),
                Some('+') => new = new.saturating_sub(1),
                Some('\\') => {}
                Some(_) if START.is_match(line) => (old, new) = (0, 0),
                Some(_) => break,
            }
        } else {
            let of_diff = START.is_match(line)
                || HEADERS.iter().any(|header| line.starts_with(header))
                || line.starts_with(['+', '-', ' ', '\\']) && !line.trim().is_empty()
                || line.starts_with("GIT binary patch");
            if !of_diff {
                break;
            }
        }
        at += 1;
    }
    at
}

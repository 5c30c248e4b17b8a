//! Secrets out of whatever leaves this machine (§8.3).

use super::diffs::redact_diffs;
use super::known_secrets::KnownSecrets;
use super::pattern;
use super::secret_scan::find_secrets;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What stands where a secret stood.
pub const REDACTED: &str = "[REDACTED]";

/// How far the end of a key block may be from its begin, in bytes.
const MAX_KEY_BYTES: usize = 20_000;
/// Each pass only ever removes text, so two are usual and this many are never needed.
const MAX_PASSES: usize = 64;

static KEY_BEGIN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
static KEY_END: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
/// What is left of a key block that was cut off after some lines, which may be numbered as prompts number them.
static KEY_LINES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"^(?:(?:\\n|[\s>"'+,\\|]|[0-9]{1,7}[ \t])*[A-Za-z0-9+/]{24,}={0,2})+"#)
});
/// What is left of a key block whose begin was cut off.
static KEY_REST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:[A-Za-z0-9+/]{24,}[\s+]+(?:[0-9]{1,7}[ \t+]+)?)*(?:[A-Za-z0-9+/]{2,}={0,2}[\s+]+(?:[0-9]{1,7}[ \t+]+)?)?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    )
});

/// Replaces secrets with [`REDACTED`] and diffs with [`DIFF_REDACTED`](super::DIFF_REDACTED).
///
/// `known_secrets` are literal values, see [`KnownSecrets::now`](super::KnownSecrets::now). Doing it twice changes nothing more.
pub fn redact(text: &str, known_secrets: &[String]) -> String {
    let replace = |_: &str| REDACTED.to_owned();
    redact_until_stable(text, known_secrets, redact_diffs, replace)
}

/// Replaces secrets as [`redact`] does, and leaves each line on its line: for code whose lines are counted.
pub fn redact_keeping_lines(text: &str, known_secrets: &[String]) -> String {
    let replace = |secret: &str| {
        let ends = secret.bytes().filter(|byte| *byte == b'\n').count();
        format!("{REDACTED}{}", "\n".repeat(ends))
    };
    redact_until_stable(text, known_secrets, str::to_owned, replace)
}

fn redact_until_stable(
    text: &str,
    known: &[String],
    prepare: impl Fn(&str) -> String,
    replace: impl Fn(&str) -> String,
) -> String {
    let known = KnownSecrets::of(known.iter().cloned()).now();
    let mut text = text.to_string();
    for _ in 0..MAX_PASSES {
        let next = one_pass(&prepare(&text), &known, &replace);
        if next == text {
            break;
        }
        text = next;
    }
    text
}

fn one_pass(text: &str, known: &[String], replace: &impl Fn(&str) -> String) -> String {
    let text = without_keys(text, replace);
    // A secret never reaches across a placeholder; so a placeholder can't become part of a secret.
    text.split(REDACTED)
        .map(|part| without_tokens(part, known, replace))
        .collect::<Vec<_>>()
        .join(REDACTED)
}

fn without_tokens<'a>(
    text: &'a str,
    known: &[String],
    replace: &impl Fn(&str) -> String,
) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for secret in known {
        if text.contains(secret.as_str()) {
            text = Cow::Owned(text.replace(secret.as_str(), &replace(secret)));
        }
    }
    if matches!(text, Cow::Owned(_)) {
        // What is left between the placeholders is looked at in the next pass.
        return text;
    }
    let found = find_secrets(text.as_bytes());
    if found.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for secret in found {
        let begin = char_start(&text, secret.range.start).max(done);
        let end = char_end(&text, secret.range.end).max(begin);
        out.push_str(&text[done..begin]);
        out.push_str(&replace(&text[begin..end]));
        done = end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// The begin of the character that this byte is of.
fn char_start(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The end of the character that ends at this byte or after it.
fn char_end(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

/// Takes private key blocks out, whole ones and what is left of cut ones.
fn without_keys(text: &str, replace: &impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = KEY_BEGIN.find(rest) {
        let inside = &rest[begin.end()..];
        let limit = KEY_BEGIN
            .find(inside)
            .map_or(inside.len(), |next| next.start());
        let end = KEY_END
            .find(&inside[..limit])
            .filter(|end| end.start() <= MAX_KEY_BYTES)
            .map(|end| end.end())
            .or_else(|| KEY_LINES.find(inside).map(|lines| lines.end()))
            .unwrap_or(0);
        out.push_str(&rest[..begin.start()]);
        out.push_str(&replace(&rest[begin.start()..begin.end() + end]));
        rest = &inside[end..];
    }
    out.push_str(rest);
    if !out.contains("PRIVATE KEY") {
        return out;
    }
    KEY_REST
        .replace_all(&out, |rest: &Captures<'_>| replace(&rest[0]))
        .into_owned()
}

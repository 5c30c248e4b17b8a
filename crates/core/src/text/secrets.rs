//! Secrets out of whatever leaves this machine (§8.3).

use super::diffs::redact_diffs;
use super::pattern;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// What stands where a secret stood.
pub const REDACTED: &str = "[REDACTED]";

/// A shorter literal would tear holes into ordinary words.
const MIN_SECRET_CHARS: usize = 6;
/// How far the end of a key block may be from its begin, in bytes.
const MAX_KEY_BYTES: usize = 20_000;
/// Each pass only ever removes text, so two are usual and this many are never needed.
const MAX_PASSES: usize = 64;

/// Forms of secrets. Where a pattern has a group, only the group is the secret.
static TOKENS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // AWS
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
        r#"(?i)aws[a-z0-9_ .-]{0,24}(?:secret|key)[a-z0-9_ .-]{0,24}["']?\s*[:=]+>?\s*["']?([A-Za-z0-9/+]{40})"#,
        // GitHub
        r"gh[pousr]_[A-Za-z0-9_]{16,}(?:[.-][A-Za-z0-9_-]+)*",
        r"github_pat_[A-Za-z0-9_]{20,}",
        // Slack
        r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}",
        r"xapp-[0-9]+-[A-Za-z0-9-]{10,}",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{16,})",
        // Google
        r"AIza[0-9A-Za-z_-]{35}",
        r"GOCSPX-[0-9A-Za-z_-]{20,}",
        r"ya29\.[0-9A-Za-z_-]{20,}",
        // Stripe
        r"\b[sr]k_(?:live|test)_[0-9A-Za-z]{10,}",
        r"\bwhsec_[0-9A-Za-z+/=]{20,}",
        // Anthropic, OpenAI and those that speak like it
        r"\bsk-(?:ant|proj|svcacct|admin|or-v1)-[0-9A-Za-z_-]{16,}",
        r"\bsk-[0-9A-Za-z]{32,}",
        // npm
        r"\bnpm_[0-9A-Za-z]{36}",
        r#"_authToken\s*=\s*["']?([^\s"'$]{8,})"#,
        // PyPI
        r"pypi-AgE[0-9A-Za-z_-]{16,}",
        // JWT, signed (3 parts) or encrypted (5)
        r"\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{4,}(?:\.[0-9A-Za-z_-]*){1,3}",
        // Whatever else is sent as a credential
        r"(?i)\bauthorization\s*:\s*(?:bearer|basic|token)\s+([0-9A-Za-z._~+/=-]{8,})",
        r"[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/@]{3,})@",
    ]
    .iter()
    .map(|form| pattern(form))
    .collect()
});

static KEY_BEGIN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
static KEY_END: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
/// What is left of a key block that was cut off after some lines.
static KEY_LINES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^(?:(?:\\n|[\s>"'+,\\|])*[A-Za-z0-9+/]{24,}={0,2})+"#));
/// What is left of a key block whose begin was cut off.
static KEY_REST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:[A-Za-z0-9+/]{24,}\s+)*(?:[A-Za-z0-9+/]{2,}={0,2}\s+)?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    )
});

/// Replaces secrets with [`REDACTED`] and diffs with [`DIFF_REDACTED`](super::DIFF_REDACTED).
///
/// `known_secrets` are literal values; those under 6 characters are left out. Doing it twice changes nothing more.
pub fn redact(text: &str, known_secrets: &[String]) -> String {
    let mut known: Vec<&str> = known_secrets
        .iter()
        .map(|secret| secret.trim())
        .filter(|secret| secret.chars().count() >= MIN_SECRET_CHARS)
        .collect();
    known.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
    let mut text = text.to_string();
    for _ in 0..MAX_PASSES {
        let next = one_pass(&text, &known);
        if next == text {
            break;
        }
        text = next;
    }
    text
}

fn one_pass(text: &str, known: &[&str]) -> String {
    let text = without_keys(&redact_diffs(text));
    // A secret never reaches across a placeholder; so a placeholder can't become part of a secret.
    text.split(REDACTED)
        .map(|part| without_tokens(part, known))
        .collect::<Vec<_>>()
        .join(REDACTED)
}

fn without_tokens<'a>(text: &'a str, known: &[&str]) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for secret in known {
        if text.contains(secret) {
            text = Cow::Owned(text.replace(secret, REDACTED));
        }
    }
    for form in TOKENS.iter() {
        if form.is_match(&text) {
            text = Cow::Owned(replace_secret(form, &text));
        }
    }
    text
}

/// Replaces the pattern's group, or all of it where it has none.
fn replace_secret(form: &Regex, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for found in form.captures_iter(text) {
        let Some(secret) = found.get(1).or_else(|| found.get(0)) else {
            continue;
        };
        if secret.as_str().contains(REDACTED) {
            continue;
        }
        out.push_str(&text[done..secret.start()]);
        out.push_str(REDACTED);
        done = secret.end();
    }
    out.push_str(&text[done..]);
    out
}

/// Takes private key blocks out, whole ones and what is left of cut ones.
fn without_keys(text: &str) -> String {
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
        out.push_str(REDACTED);
        rest = &inside[end..];
    }
    out.push_str(rest);
    KEY_REST.replace_all(&out, REDACTED).into_owned()
}

//! Secrets in plain text: tokens that a provider's own form gives away, and private keys.

use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use crate::lines::{LineIndex, quote};
use crate::matches::{FileInput, Match};
use crate::origin;
use crate::rule_file::{Head, Problem, read};

/// A kind of secret.
pub(crate) struct SecretRule {
    pub(crate) head: Head,
    regex: Regex,
    /// The least Shannon entropy, in bits a byte, of the secret part: below it is a placeholder.
    entropy: f64,
    /// What near the match says that it is no secret.
    unless: Option<Regex>,
}

/// How far around a match `unless` looks, in bytes.
const NEARBY: usize = 400;

#[derive(Deserialize)]
struct SecretKeys {
    regex: String,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    unless: Option<String>,
}

impl SecretRule {
    pub(crate) fn read(head: Head, yaml: &str) -> Result<Self, Problem> {
        let keys: SecretKeys = read(yaml)?;
        Ok(Self {
            head,
            regex: compile(&keys.regex)?,
            entropy: keys.entropy,
            unless: keys.unless.as_deref().map(compile).transpose()?,
        })
    }
}

fn compile(regex: &str) -> Result<Regex, Problem> {
    RegexBuilder::new(regex)
        .unicode(false)
        .build()
        .map_err(|error| Problem::new(error.to_string()))
}

/// Words that say that a value is made up.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "placeholder",
    "dummy",
    "fake",
    "sample",
    "redacted",
    "changeme",
    "your_",
    "your-",
    "yourtoken",
    "xxxx",
    "0000000",
    "123456789",
    "abcdefgh",
    "foobar",
    "deadbeef",
    "insert",
    "replace",
    "notreal",
    "not-a-real",
    "mock",
    "....",
    "<",
    "${",
    "{{",
];

/// Finds secrets on changed lines.
pub(crate) fn scan_secrets(
    rules: &[std::sync::Arc<SecretRule>],
    file: &FileInput<'_>,
    index: &LineIndex,
) -> Vec<Match> {
    let is_test = origin::is_test(file.path) || origin::is_vendored(file.path);
    let mut found = Vec::new();
    for rule in rules
        .iter()
        .filter(|rule| rule.head.metadata.tests.admits(is_test))
    {
        for captures in rule.regex.captures_iter(file.content) {
            if let Some(hit) = judge(rule, file, index, &captures) {
                found.push(hit);
            }
        }
    }
    found
}

fn judge(
    rule: &SecretRule,
    file: &FileInput<'_>,
    index: &LineIndex,
    captures: &Captures<'_>,
) -> Option<Match> {
    let whole = captures.get(0)?;
    let line = index.line_of(whole.start());
    let end_line = index.last_line_of(&whole.range());
    if !file.changed_lines.touches(line, end_line) {
        return None;
    }
    let secret = captures.name("secret").unwrap_or(whole);
    if is_placeholder(secret.as_bytes()) || entropy(secret.as_bytes()) < rule.entropy {
        return None;
    }
    let nearby =
        whole.start().saturating_sub(NEARBY)..(whole.end() + NEARBY).min(file.content.len());
    if rule
        .unless
        .as_ref()
        .is_some_and(|unless| unless.is_match(&file.content[nearby]))
    {
        return None;
    }
    Some(Match {
        rule_id: rule.head.id.clone(),
        priority: rule.head.priority(),
        category: rule.head.category(),
        path: file.path.to_owned(),
        line,
        end_line,
        column: index.column_of(whole.start()),
        title: rule.head.message.clone(),
        description: rule
            .head
            .note
            .clone()
            .unwrap_or_default()
            .trim_end()
            .to_owned(),
        suggestion: None,
        evidence: quote(file.content, index, line, end_line),
        fix: None,
    })
}

fn is_placeholder(secret: &[u8]) -> bool {
    let text = String::from_utf8_lossy(secret).to_lowercase();
    PLACEHOLDERS.iter().any(|word| text.contains(word))
}

/// Shannon entropy in bits a byte.
#[expect(
    clippy::cast_precision_loss,
    reason = "a secret is far shorter than 2^52 bytes"
)]
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f64;
    let sum: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f64 / total;
            share * share.log2()
        })
        .sum();
    -sum
}

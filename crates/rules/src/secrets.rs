//! Secrets in plain text: tokens that a provider's own form gives away, and private keys.

use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use crate::file_origin;
use crate::lines::{LineIndex, quote_lines};
use crate::rule_file::{RuleHeader, RuleProblem, read_yaml};
use crate::rule_match::{RuleMatch, ScanInput};

/// A kind of secret.
pub(crate) struct SecretRule {
    pub(crate) header: RuleHeader,
    regex: Regex,
    /// The least Shannon entropy, in bits a byte, of the secret part: below it is a placeholder.
    min_entropy: f64,
    /// What near the match says that it is no secret.
    unless: Option<Regex>,
}

/// How far around a match `unless` looks, in bytes.
const CONTEXT_BYTES: usize = 400;

#[derive(Deserialize)]
struct SecretKeys {
    regex: String,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    unless: Option<String>,
}

impl SecretRule {
    pub(crate) fn read(header: RuleHeader, yaml: &str) -> Result<Self, RuleProblem> {
        let keys: SecretKeys = read_yaml(yaml)?;
        Ok(Self {
            header,
            regex: compile_regex(&keys.regex)?,
            min_entropy: keys.entropy,
            unless: keys.unless.as_deref().map(compile_regex).transpose()?,
        })
    }
}

fn compile_regex(regex: &str) -> Result<Regex, RuleProblem> {
    RegexBuilder::new(regex)
        .unicode(false)
        .build()
        .map_err(|error| RuleProblem::new(error.to_string()))
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
    file: &ScanInput<'_>,
    index: &LineIndex,
) -> Vec<RuleMatch> {
    let is_test = file_origin::is_test_file(file.path) || file_origin::is_vendored(file.path);
    let mut found = Vec::new();
    for rule in rules
        .iter()
        .filter(|rule| rule.header.metadata.tests.includes(is_test))
    {
        for captures in rule.regex.captures_iter(file.content) {
            if let Some(found_match) = match_of_captures(rule, file, index, &captures) {
                found.push(found_match);
            }
        }
    }
    found
}

fn match_of_captures(
    rule: &SecretRule,
    file: &ScanInput<'_>,
    index: &LineIndex,
    captures: &Captures<'_>,
) -> Option<RuleMatch> {
    let whole = captures.get(0)?;
    let line = index.line_of(whole.start());
    let end_line = index.last_line_of(&whole.range());
    if !file.changed_lines.overlaps(line, end_line) {
        return None;
    }
    let secret = captures.name("secret").unwrap_or(whole);
    if is_placeholder(secret.as_bytes()) || entropy(secret.as_bytes()) < rule.min_entropy {
        return None;
    }
    let nearby = whole.start().saturating_sub(CONTEXT_BYTES)
        ..(whole.end() + CONTEXT_BYTES).min(file.content.len());
    if rule
        .unless
        .as_ref()
        .is_some_and(|unless| unless.is_match(&file.content[nearby]))
    {
        return None;
    }
    Some(RuleMatch {
        rule_id: rule.header.id.clone(),
        priority: rule.header.priority(),
        category: rule.header.category(),
        path: file.path.to_owned(),
        line,
        end_line,
        column: index.column_of(whole.start()),
        title: rule.header.message.clone(),
        description: rule
            .header
            .note
            .clone()
            .unwrap_or_default()
            .trim_end()
            .to_owned(),
        suggestion: None,
        evidence: quote_lines(file.content, index, line, end_line),
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

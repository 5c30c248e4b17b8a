//! Secrets in plain text, by the one table of `core`: tokens that a provider's own form gives away, private keys, and values beside a name.

use collie_core::text::{FoundSecret, SecretForm, find_secrets, is_placeholder, secret_forms};
use globset::GlobSet;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use crate::compile::glob_set;
use crate::file_origin;
use crate::lines::{LineIndex, quote_lines};
use crate::parsed_file::{ParsedFile, is_rust_test_at};
use crate::rule_error::nearest_word;
use crate::rule_file::{RuleHeader, RuleProblem, read_yaml};
use crate::rule_match::{RuleMatch, ScanInput};

/// What is said of some forms of secrets.
#[derive(Clone)]
pub(crate) struct SecretRule {
    pub(crate) header: RuleHeader,
    /// The ids of the forms.
    forms: BTreeSet<&'static str>,
    /// The forms that no other rule names.
    rest: Option<RestOfForms>,
    /// What near the match says that it is no secret.
    unless: Option<Regex>,
    /// Files that it does not look at.
    ignores: GlobSet,
}

/// How far around a match `unless` looks, in bytes.
const CONTEXT_BYTES: usize = 400;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SecretKeys {
    #[serde(default)]
    forms: Vec<String>,
    #[serde(default)]
    rest: Option<RestOfForms>,
    #[serde(default)]
    unless: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RestOfForms {
    /// Those whose value says by itself what it is.
    Tokens,
    /// Those whose value is a secret by the name beside it.
    Named,
}

impl RestOfForms {
    fn includes(self, form: &SecretForm) -> bool {
        form.tells_itself() == matches!(self, RestOfForms::Tokens)
    }
}

impl SecretRule {
    pub(crate) fn read(header: RuleHeader, yaml: &str) -> Result<Self, RuleProblem> {
        let keys: SecretKeys = read_yaml(yaml)?;
        let forms = keys.forms.iter().map(|id| form_id(id));
        Ok(Self {
            ignores: glob_set(&header.ignores)?,
            header,
            forms: forms.collect::<Result<_, _>>()?,
            rest: keys.rest,
            unless: keys.unless.as_deref().map(compile_regex).transpose()?,
        })
    }
}

fn form_id(id: &str) -> Result<&'static str, RuleProblem> {
    let mut known = secret_forms().map(|form| form.id);
    known.find(|known| *known == id).ok_or_else(|| {
        let mut problem = RuleProblem::new(format!("there is no form of secrets `{id}`"));
        problem.nearest = nearest_word(id, secret_forms().map(|form| form.id));
        problem
    })
}

/// Gives the rules for the rest what no other names.
pub(crate) fn assign_rest(rules: &mut [Arc<SecretRule>]) {
    let named: BTreeSet<&str> = rules
        .iter()
        .flat_map(|rule| rule.forms.iter().copied())
        .collect();
    for rule in rules.iter_mut().filter_map(Arc::get_mut) {
        if let Some(rest) = rule.rest {
            let others = secret_forms().filter(|form| rest.includes(form));
            let ids = others.map(|form| form.id);
            rule.forms.extend(ids.filter(|id| !named.contains(id)));
        }
    }
}

fn compile_regex(regex: &str) -> Result<Regex, RuleProblem> {
    RegexBuilder::new(regex)
        .unicode(false)
        .build()
        .map_err(|error| RuleProblem::new(error.to_string()))
}

/// Finds secrets on changed lines.
pub(crate) fn scan_secrets(
    rules: &[Arc<SecretRule>],
    file: &ScanInput<'_>,
    index: &LineIndex,
    document: Option<&ParsedFile>,
) -> Vec<RuleMatch> {
    let is_test_file = file_origin::is_test_file(file.path) || file.generated;
    let rule_of = |secret: &FoundSecret| {
        let is_test = is_test_file
            || document.is_some_and(|document| is_rust_test_at(document, secret.range.start));
        rules
            .iter()
            .filter(|rule| rule.header.metadata.tests.includes(is_test))
            .find(|rule| rule.forms.contains(secret.form.id))
            .filter(|rule| !rule.header.is_off())
            .filter(|rule| !rule.ignores.is_match(file.path))
            .filter(|_| {
                let is_sample = is_test || file_origin::is_prose(file.path);
                !is_sample || has_valid_checksum(secret, file.content) != Some(false)
            })
            .filter(|_| {
                !is_within_word(secret, file.content)
                    || has_valid_checksum(secret, file.content) == Some(true)
            })
            .filter(|rule| {
                let is_named = matches!(rule.rest, Some(RestOfForms::Named));
                !is_named || !is_no_random_value(file.content, secret)
            })
    };
    find_secrets(file.content)
        .iter()
        .filter_map(|secret| match_of_secret(rule_of(secret)?, file, index, secret))
        .collect()
}

/// Whether a letter or digit stands right before what looks like a token: `neighs_to_reference_pattern` is a name. Redaction and the gate take it for
/// one all the same, or whoever steals a token could hide it so.
fn is_within_word(secret: &FoundSecret, content: &[u8]) -> bool {
    let before = secret.range.start.checked_sub(1);
    let before = before.and_then(|at| content.get(at));
    secret.form.tells_itself() && before.is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether the last six characters of a token of GitHub or npm are the CRC-32 of those before them, in base 62
/// (<https://github.blog/engineering/behind-githubs-new-authentication-token-formats/>). None: such tokens have no checksum.
fn has_valid_checksum(secret: &FoundSecret, content: &[u8]) -> Option<bool> {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let value = &content[secret.range.clone()];
    let (_, value) = value.split_at_checked(4)?;
    let is_checksummed = [
        "github-pat",
        "github-oauth",
        "github-refresh-token",
        "npm-access-token",
    ];
    if !is_checksummed.contains(&secret.form.id) || value.len() != 36 {
        return None;
    }
    let (body, checksum) = value.split_at(30);
    let mut rest = crc32fast::hash(body);
    let mut expected = [b'0'; 6];
    for digit in expected.iter_mut().rev() {
        *digit = DIGITS[(rest % 62) as usize];
        rest /= 62;
    }
    Some(checksum == expected)
}

/// Whether a value beside a name opens nothing worth a word: a UUID, which names things far more often; a word with some digits; a password
/// spelled with signs; or what an address on this machine, or of a service beside it, is reached with.
fn is_no_random_value(content: &[u8], secret: &FoundSecret) -> bool {
    static WEAK: LazyLock<Regex> = LazyLock::new(|| {
        literal_regex(concat!(
            r"(?i)^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            r"|[a-z]{2,16}[-_]?[0-9]{0,6}|(?:[a-z]+[-_])+[0-9]{0,6}|.*p[a@4][s5$]{2}w[o0]r?d.*)$",
        ))
    });
    static LOCAL: LazyLock<Regex> = LazyLock::new(|| {
        literal_regex(
            r"(?i)^@(?:localhost|127\.|0\.0\.0\.0|\[|[$%{<]|[a-z0-9_-]+(?:[:/'\x22\s]|$))",
        )
    });
    let behind = &content[secret.range.end..];
    WEAK.is_match(&content[secret.range.clone()])
        || LOCAL.is_match(&behind[..behind.len().min(CONTEXT_BYTES)])
}

/// Whether only the beginning of a token is given, or one that says itself that nobody has signed it.
fn is_cut_off(content: &[u8], secret: &FoundSecret) -> bool {
    static UNSIGNED: LazyLock<Regex> = LazyLock::new(|| literal_regex(r"^eyJ[\w-]+\.[\w-]*\.$"));
    let behind = &content[secret.range.end..];
    behind.starts_with(b"...")
        || behind.starts_with("…".as_bytes())
        || content[secret.range.clone()].ends_with(b"...")
        || UNSIGNED.is_match(&content[secret.range.clone()])
}

/// Whether the key id of a signed address is meant, which is public: the signature beside it holds for a time, and for that address.
fn is_presigned(content: &[u8], secret: &FoundSecret) -> bool {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        literal_regex(
            r"(?i)(?:X-(?:Amz|Goog)-Credential|AWSAccessKeyId|GoogleAccessId|Credential)(?:=|%3D)$",
        )
    });
    let before = secret.range.start.saturating_sub(CONTEXT_BYTES)..secret.range.start;
    BEFORE.is_match(&content[before])
}

/// Whether the lines of a match, or the one above them, say in words that it is no secret, or allow it to a scanner for secrets.
fn says_it_is_none(content: &[u8], index: &LineIndex, first: usize, last: usize) -> bool {
    static NONE: LazyLock<Regex> = LazyLock::new(|| {
        literal_regex(concat!(
            r"(?i)\bnot an? (?:real |actual |valid |live )?(?:secret|key|token|credential|password)",
            r"|\b(?:fake|dummy|made[- ]up|invalid|revoked|expired|example|sample|placeholder|test(?:ing)?)[ _-](?:\w+[ _-]){0,2}(?:secret|key|token|credential|password)s?\b",
            r"|gitleaks:allow|allowlist (?:nextline )?secret|trufflehog:ignore|\bnosecret\b",
        ))
    });
    NONE.is_match(&content[index.bytes_of(first.saturating_sub(1).max(1), last)])
}

fn literal_regex(pattern: &str) -> Regex {
    compile_regex(pattern).expect("the pattern is a literal that the tests compile")
}

fn match_of_secret(
    rule: &SecretRule,
    file: &ScanInput<'_>,
    index: &LineIndex,
    secret: &FoundSecret,
) -> Option<RuleMatch> {
    let whole = secret.begin..secret.range.end;
    let line = index.line_of(whole.start);
    let end_line = index.last_line_of(&whole);
    if !file.changed_lines.overlaps(line, end_line) {
        return None;
    }
    if is_placeholder(&file.content[secret.range.clone()])
        || is_cut_off(file.content, secret)
        || is_presigned(file.content, secret)
        || says_it_is_none(file.content, index, line, end_line)
    {
        return None;
    }
    let nearby = whole.start.saturating_sub(CONTEXT_BYTES)
        ..(whole.end + CONTEXT_BYTES).min(file.content.len());
    if rule
        .unless
        .as_ref()
        .is_some_and(|unless| unless.is_match(&file.content[nearby]))
    {
        return None;
    }
    let column = index.column_of(whole.start);
    Some(RuleMatch {
        evidence: quote_lines(file.content, index, line, end_line),
        ..rule.header.match_at(file.path, line..=end_line, column)
    })
}

//! Finds secrets in a text, by the one table and by the values that are known.

use super::randomness::{entropy, is_mixed, is_random, kinds_of_characters};
use super::secret_forms::{COMPILED_FORMS, CompiledForm, SecretForm, ValueCheck};
use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::LazyLock;

/// A secret, and where it stands.
#[derive(Clone, Debug)]
pub struct FoundSecret {
    /// What it looks like.
    pub form: &'static SecretForm,
    /// Its bytes.
    pub range: Range<usize>,
    /// Where what tells it begins: the name beside it, the header above it.
    pub begin: usize,
}

/// Says which forms a text may have, in one pass over it.
struct Prefilter {
    keywords: AhoCorasick,
    /// For each keyword the forms that it belongs to.
    forms_of: Vec<Vec<usize>>,
}

static PREFILTER: LazyLock<Prefilter> = LazyLock::new(|| {
    let mut keywords: Vec<&str> = Vec::new();
    let mut forms_of: Vec<Vec<usize>> = Vec::new();
    for (at, compiled) in COMPILED_FORMS.iter().enumerate() {
        for keyword in compiled.form.keywords {
            match keywords.iter().position(|known| known == keyword) {
                Some(known) => forms_of[known].push(at),
                None => {
                    keywords.push(keyword);
                    forms_of.push(vec![at]);
                }
            }
        }
    }
    Prefilter {
        keywords: AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&keywords)
            .expect("the table is a literal that the tests compile"),
        forms_of,
    }
});

/// The forms whose keywords are in the text, with their places in the table.
fn candidates(text: &[u8]) -> Vec<(usize, &'static CompiledForm)> {
    let mut seen = vec![false; PREFILTER.forms_of.len()];
    let mut wanted = vec![false; COMPILED_FORMS.len()];
    for hit in PREFILTER.keywords.find_overlapping_iter(text) {
        let keyword = hit.pattern().as_usize();
        if !std::mem::replace(&mut seen[keyword], true) {
            for form in &PREFILTER.forms_of[keyword] {
                wanted[*form] = true;
            }
        }
    }
    COMPILED_FORMS
        .iter()
        .zip(wanted)
        .enumerate()
        .filter_map(|(rank, (form, wanted))| wanted.then_some((rank, form)))
        .collect()
}

/// All secrets of a text by their form, in the order in which they stand. What several forms say of overlapping places is one secret, of the
/// form that comes first in the table.
pub fn find_secrets(text: &[u8]) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    for (rank, compiled) in candidates(text) {
        find_form(compiled, text, &mut |secret| found.push((rank, secret)));
    }
    found.sort_by_key(|(rank, secret)| (secret.range.start, *rank));
    let mut merged: Vec<(usize, FoundSecret)> = Vec::with_capacity(found.len());
    for (rank, secret) in found {
        match merged.last_mut() {
            Some((last_rank, last)) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
                if rank < *last_rank {
                    (*last_rank, last.form, last.begin) = (rank, secret.form, secret.begin);
                }
            }
            Some(_) | None => merged.push((rank, secret)),
        }
    }
    merged.into_iter().map(|(_, secret)| secret).collect()
}

fn find_form(compiled: &CompiledForm, text: &[u8], found: &mut dyn FnMut(FoundSecret)) {
    let regex = compiled.regex();
    let mut from = 0;
    while from <= text.len() {
        let Some(captures) = regex.captures_at(text, from) else {
            return;
        };
        let Some((whole, secret)) = captures
            .get(0)
            .map(|whole| (whole, captures.get(1).unwrap_or(whole)))
        else {
            return;
        };
        if is_secret(compiled.form, text, whole.start(), secret.range()) {
            found(FoundSecret {
                form: compiled.form,
                range: secret.range(),
                begin: whole.start(),
            });
            from = secret.end().max(whole.start() + 1);
        } else {
            // What was taken for a value may be the name of the next one.
            from = secret.start().max(whole.start() + 1);
        }
    }
}

fn is_secret(form: &SecretForm, text: &[u8], begin: usize, secret: Range<usize>) -> bool {
    let value = &text[secret.clone()];
    let looks_like_one = match form.check {
        ValueCheck::None => true,
        ValueCheck::Mixed => is_mixed(value),
        ValueCheck::Random => is_random(value) && !names_no_secret(text, begin, secret.start),
        ValueCheck::Password => !is_password_word(value),
        ValueCheck::Strong(kinds) => {
            kinds_of_characters(value) >= kinds
                && value.iter().any(u8::is_ascii_digit)
                && !is_password_word(value)
                && !names_no_secret(text, begin, secret.start)
        }
    };
    looks_like_one && entropy(value) >= form.min_entropy
}

/// Names that have such a word and mean something else: what is public, what tells of a secret, what counts or points.
static NO_SECRET_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    bytes_pattern(
        r#"(?i)author(?:[^i]|$)|author(?:ity|ing)|public|pub[_-]?key|tokeniz|csrf|(?:secret|token|password|key|credentials?|auth)[_. -]?(?:ids?|ur[il]s?|endpoint|files?|path|dir|names?|length|len|size|types?|kind|version|hash|digest|checksum|sha\d*|fingerprint|label|alias|prefix|suffix|index|count|ttl|expir\w*|algorithm|alg|format|class|header|field|column|regex|pattern|position|offset|symbol|vault\w*)(?:[^a-z]|$)"#,
    )
});
/// How far before the word that says secret the name may begin.
const MAX_NAME_BYTES: usize = 40;

fn names_no_secret(text: &[u8], begin: usize, value: usize) -> bool {
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let before = &text[begin.saturating_sub(MAX_NAME_BYTES)..begin];
    let name = before.iter().rev().take_while(|byte| of_name(byte)).count();
    NO_SECRET_NAMES.is_match(&text[begin - name..value])
}

/// What examples have where a password goes: such a word, a variable, a row of stars.
static PASSWORD_WORD: LazyLock<Regex> = LazyLock::new(|| {
    bytes_pattern(
        r#"(?i)^(?:pass|pw|pwd|passwd|user|username|test|foo|bar|baz|admin|root|guest|postgres|hidden|change(?:me|it)|xyz|abc|port|[$<{\[%(*#:'"\\].*|[.x]+|(?:your|my|the|some)[_-]?\w*|.*(?:password|passwd|secret|token|\$\{|\{\{|%s).*)$"#,
    )
});

fn is_password_word(value: &[u8]) -> bool {
    PASSWORD_WORD.is_match(value)
}

fn bytes_pattern(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .unicode(false)
        .build()
        .expect("the pattern is a literal that the tests compile")
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

/// Whether a value that has the form of a secret says that it is none.
pub fn is_placeholder(secret: &[u8]) -> bool {
    let text = String::from_utf8_lossy(secret).to_lowercase();
    PLACEHOLDERS.iter().any(|word| text.contains(word))
}

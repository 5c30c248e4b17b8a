//! The one table of what a secret looks like: for rules, gates, prompts, redaction and commit messages (§8.3).
//!
//! The services' forms follow the default rules of gitleaks 8 (<https://github.com/gitleaks/gitleaks>, MIT, see `LICENSE-gitleaks` here): which
//! there are, and how long their values are. How a value beside a name is found and what counts as random is Collie's own.

mod beside_names;
mod general;
mod more_tokens;
mod tokens;

use regex::bytes::{Regex, RegexBuilder};
use std::sync::{LazyLock, OnceLock};

/// A kind of secret.
#[derive(Debug)]
pub struct SecretForm {
    /// Its name, the scanner's where it has one.
    pub id: &'static str,
    /// In lower case; one of them is in each text that has such a secret.
    pub(super) keywords: &'static [&'static str],
    pattern: Pattern,
    /// The least Shannon entropy of the secret, in bits a byte.
    pub(super) min_entropy: f64,
    /// What else the secret has to look like.
    pub(super) check: ValueCheck,
}

#[derive(Debug)]
enum Pattern {
    /// The first group, or all of it, is the secret.
    Whole(&'static str),
    /// A value of this pattern beside a name of that one.
    Beside {
        name: &'static str,
        value: &'static str,
    },
}

impl SecretForm {
    /// Whether the value says by itself what it is, and needs no name beside it.
    pub fn tells_itself(&self) -> bool {
        matches!(self.pattern, Pattern::Whole(_)) && self.check == ValueCheck::None
    }
}

/// What a value has to look like besides its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueCheck {
    /// Nothing else.
    None,
    /// No word: its kinds of characters change often.
    Mixed,
    /// As random as a generated key, and beside a name that means a secret.
    Random,
    /// No word that examples use for a password.
    Password,
    /// The same, of so many kinds of small letters, capitals, digits and signs, and beside a name that means a secret.
    Strong(usize),
}

const fn token(
    id: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    min_entropy: f64,
) -> SecretForm {
    SecretForm {
        id,
        keywords,
        pattern: Pattern::Whole(pattern),
        min_entropy,
        check: ValueCheck::None,
    }
}

const fn beside(
    id: &'static str,
    keywords: &'static [&'static str],
    name: &'static str,
    value: &'static str,
    min_entropy: f64,
) -> SecretForm {
    SecretForm {
        id,
        keywords,
        pattern: Pattern::Beside { name, value },
        min_entropy,
        check: ValueCheck::Mixed,
    }
}

/// All of them, those that say most first.
pub fn secret_forms() -> impl Iterator<Item = &'static SecretForm> {
    tokens::TOKENS
        .iter()
        .chain(more_tokens::MORE_TOKENS)
        .chain(general::GENERAL)
        .chain(beside_names::BESIDE_NAMES)
}

/// The form with that id.
pub fn secret_form(id: &str) -> Option<&'static SecretForm> {
    secret_forms().find(|form| form.id == id)
}

/// A form made ready to search with, which costs something: done when its keyword is first seen.
pub(super) struct CompiledForm {
    pub(super) form: &'static SecretForm,
    regex: OnceLock<Regex>,
}

impl CompiledForm {
    pub(super) fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compile(self.form))
    }
}

/// The table, each form compiled at most once.
pub(super) static COMPILED_FORMS: LazyLock<Vec<CompiledForm>> = LazyLock::new(|| {
    secret_forms()
        .map(|form| CompiledForm {
            form,
            regex: OnceLock::new(),
        })
        .collect()
});

/// How names and values stand beside each other: assignments, JSON, YAML, XML, arguments, with a type or without.
fn compile(form: &SecretForm) -> Regex {
    let pattern = match form.pattern {
        Pattern::Whole(pattern) => pattern.to_owned(),
        Pattern::Beside { name, value } => {
            let closing = r#"[ \t\w.-]{0,24}[\s'"\\\]]{0,4}"#;
            let annotation = r"(?::[ \t]*&?[a-z'_][\w<>&' ]{0,24})?";
            // After a comma only what is quoted: lists of names are full of them.
            let operator =
                r#"(?:(?:=|>|:{1,3}=|\|\||:|=>|\?=|\.=)[\x60'"\s=\\]{0,6}|,\s{0,4}\\?[\x60'"])"#;
            // Nor is it a value that is called.
            format!(r"(?i)(?:{name}){closing}{annotation}{operator}({value})(?:[^\w+/=(-]|$)")
        }
    };
    RegexBuilder::new(&pattern)
        .unicode(false)
        .build()
        .expect("the table is a literal that the tests compile")
}

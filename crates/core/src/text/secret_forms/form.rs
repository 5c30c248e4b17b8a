//! What a form of secrets is made of, and how it becomes something to search with.

use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// A kind of secret.
#[derive(Debug)]
pub struct SecretForm {
    /// Its name, the scanner's where it has one.
    pub id: &'static str,
    /// In lower case; one of them is in each text that has such a secret.
    pub(in crate::text) keywords: &'static [&'static str],
    pub(super) pattern: Pattern,
    /// The least Shannon entropy of the secret, in bits a byte.
    pub(in crate::text) min_entropy: f64,
    /// What else the secret has to look like.
    pub(in crate::text) check: ValueCheck,
}

#[derive(Debug)]
pub(super) enum Pattern {
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
pub(in crate::text) enum ValueCheck {
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

pub(super) const fn token(
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

pub(super) const fn beside(
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

/// A form made ready to search with, which costs something: done when its keyword is first seen.
pub(in crate::text) struct CompiledForm {
    pub(in crate::text) form: &'static SecretForm,
    pub(super) regex: OnceLock<Regex>,
}

impl CompiledForm {
    pub(in crate::text) fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compile(self.form))
    }
}

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

//! What is wrong with a configuration, said so that a person can put it right.

use super::wrong::{ENGLISH, Wrong};
use crate::words::Speech;
use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it was read.
    pub source: Source,
    /// The line, from 1; none outside files.
    pub line: Option<usize>,
    /// The key with the tables it lies in, such as `verify.commands`; empty when the text is no TOML, and for a variable.
    pub key: String,
    /// What is wrong and what was expected.
    pub wrong: Wrong,
}

/// Where a value was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, as errors call it.
    File(String),
    /// An environment variable.
    Variable(&'static str),
    /// All layers together.
    Together,
}

impl Problem {
    /// Says place and reason in a language.
    pub fn told(&self, speech: &Speech) -> String {
        let mut place = match &self.source {
            Source::File(name) => name.clone(),
            Source::Variable(name) => (*name).to_owned(),
            Source::Together => speech.plain("settings-place-together"),
        };
        if let Some(line) = self.line {
            let line = line.to_string();
            place = speech.text(
                "settings-place-line",
                &[("place", place.into()), ("line", line.into())],
            );
        }
        if !self.key.is_empty() {
            place.push_str(&format!(", `{}`", self.key));
        }
        let wrong = self.wrong.told(speech);
        speech.text(
            "settings-problem",
            &[("place", place.into()), ("wrong", wrong.into())],
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&ENGLISH))
    }
}

/// Everything that is wrong with a configuration, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.told(&ENGLISH))]
pub struct ConfigError {
    /// At least one.
    pub problems: Vec<Problem>,
}

impl ConfigError {
    /// Says all of it in a language, a line each.
    pub fn told(&self, speech: &Speech) -> String {
        let lines: Vec<_> = self.problems.iter().map(|p| p.told(speech)).collect();
        lines.join("\n")
    }

    /// One problem that no single place has.
    pub(crate) fn together(key: &str, wrong: Wrong) -> Self {
        let problem = Problem {
            source: Source::Together,
            line: None,
            key: key.to_owned(),
            wrong,
        };
        Self {
            problems: vec![problem],
        }
    }
}

/// The name that was probably meant, if one is near enough.
pub(crate) fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let typed = typed.to_ascii_lowercase().replace('-', "_");
    known
        .iter()
        .map(|name| (strsim::jaro_winkler(&typed, name), *name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

//! What is wrong with a configuration, said so that a person can put it right.

use super::error_kind::{ConfigErrorKind, ENGLISH};
use collie_i18n::Localizer;
use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Where it was read.
    pub source: ConfigSource,
    /// The line, from 1; none outside files.
    pub line: Option<usize>,
    /// The key with the tables it lies in, such as `verify.commands`; empty when the text is no TOML, and for a variable.
    pub key: String,
    /// What is wrong and what was expected.
    pub kind: ConfigErrorKind,
}

/// Where a value was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigSource {
    /// A file, as errors call it.
    File(String),
    /// An environment variable.
    Variable(&'static str),
    /// All layers together.
    AllLayers,
}

impl ConfigProblem {
    /// Says place and reason in a language.
    pub fn message(&self, localizer: &Localizer) -> String {
        let mut location = match &self.source {
            ConfigSource::File(name) => name.clone(),
            ConfigSource::Variable(name) => (*name).to_owned(),
            ConfigSource::AllLayers => localizer.plain("settings-place-together"),
        };
        if let Some(line) = self.line {
            let line = line.to_string();
            location = localizer.text(
                "settings-place-line",
                &[("place", location.into()), ("line", line.into())],
            );
        }
        if !self.key.is_empty() {
            location.push_str(&format!(", `{}`", self.key));
        }
        let reason = self.kind.message(localizer);
        localizer.text(
            "settings-problem",
            &[("place", location.into()), ("wrong", reason.into())],
        )
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(&ENGLISH))
    }
}

/// Everything that is wrong with a configuration, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message(&ENGLISH))]
pub struct ConfigError {
    /// At least one.
    pub problems: Vec<ConfigProblem>,
}

impl ConfigError {
    /// Says all of it in a language, a line each.
    pub fn message(&self, localizer: &Localizer) -> String {
        let lines: Vec<_> = self
            .problems
            .iter()
            .map(|problem| problem.message(localizer))
            .collect();
        lines.join("\n")
    }

    /// One problem that no single place has.
    pub(crate) fn of_all_layers(key: &str, kind: ConfigErrorKind) -> Self {
        let problem = ConfigProblem {
            source: ConfigSource::AllLayers,
            line: None,
            key: key.to_owned(),
            kind,
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

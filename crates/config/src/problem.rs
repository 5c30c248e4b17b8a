//! What is wrong with a configuration, said so that a person can put it right.

use super::error_kind::ConfigErrorKind;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::{TextArg, UserError};

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

impl From<&ConfigProblem> for UserError {
    /// Place and reason.
    fn from(problem: &ConfigProblem) -> Self {
        let name = match &problem.source {
            ConfigSource::File(name) => Some(name.clone()),
            ConfigSource::Variable(name) => Some((*name).to_owned()),
            ConfigSource::AllLayers => None,
        };
        let place = TextArg::Place {
            name,
            line: problem.line.map(|line| line as u64),
            key: problem.key.clone(),
        };
        UserError::new(ErrorCode::ConfigProblem)
            .with_arg("place", place)
            .with_arg("wrong", UserError::from(&problem.kind))
    }
}

/// Everything that is wrong with a configuration, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", UserError::from(self))]
pub struct ConfigError {
    /// At least one.
    pub problems: Vec<ConfigProblem>,
}

impl ConfigError {
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

impl From<&ConfigError> for UserError {
    fn from(error: &ConfigError) -> Self {
        let problems: Vec<UserError> = error.problems.iter().map(UserError::from).collect();
        UserError::new(ErrorCode::Configuration)
            .with_arg("problems", problems)
            .hint(ErrorHint::Configuration)
    }
}

impl From<ConfigError> for UserError {
    fn from(error: ConfigError) -> Self {
        Self::from(&error)
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

//! What a linter found.

use serde::{Deserialize, Serialize};

/// One thing that a linter found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file, relative to the root, with `/`.
    pub path: String,
    /// The first line, from 1.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The rule, as the linter calls it.
    pub code: Option<String>,
    /// What is wrong, in the linter's words.
    pub message: String,
    /// How bad it is.
    pub severity: Severity,
    /// A page about the rule.
    pub url: Option<String>,
    /// The edits that fix it, where the linter calls them safe.
    pub fix: Option<Vec<Edit>>,
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The code does not work.
    Error,
    /// The code may not work, or should be written in another way.
    Warning,
    /// A remark.
    Note,
}

/// A change of a file: the bytes `start..end` are replaced by a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edit {
    /// The first byte that is replaced.
    pub start: usize,
    /// The byte behind the last one that is replaced.
    pub end: usize,
    /// What stands there afterwards.
    pub text: String,
}

/// Why the output of a linter could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the linter's output could not be read: {problem}")]
pub struct ParseError {
    /// What is wrong with it.
    pub problem: String,
}

/// The most characters of a problem: an error may quote the output.
const MAX_PROBLEM_CHARS: usize = 200;

impl ParseError {
    pub(crate) fn new(problem: impl std::fmt::Display) -> Self {
        let problem = problem.to_string();
        Self {
            problem: problem.chars().take(MAX_PROBLEM_CHARS).collect(),
        }
    }
}

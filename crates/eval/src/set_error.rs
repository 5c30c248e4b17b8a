//! What can be wrong with a file of cases.

use collie_core::error_code::ErrorCode;
use collie_core::user_error::{TextArg, UserError};

/// A file of cases that cannot be used: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key}: {problem}")]
pub struct SetError {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The key that is wrong, with the case and the fault that it belongs to; empty where the parser does not tell.
    pub key: String,
    /// What is wrong.
    pub problem: SetProblem,
}

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetProblem {
    /// The parser's words: no TOML or JSON, an unknown key, a key that is missing, a value of another type.
    #[error("{0}")]
    Syntax(String),
    /// The set has no case.
    #[error("there is no case")]
    Empty,
    /// Two cases, or two faults of a case, have one name.
    #[error("`{0}` is there twice")]
    Duplicate(String),
    /// A name that cannot be part of a path.
    #[error("`{0}` has other characters than letters, digits, `-`, `_` and `.`")]
    BadId(String),
    /// No commit id.
    #[error("`{0}` is no commit id of 40 or 64 hex digits")]
    BadSha(String),
    /// No repository name.
    #[error("`{0}` is no OWNER/REPO")]
    BadRepository(String),
    /// Lines that are no two numbers from 1, the smaller first.
    #[error("lines are two numbers from 1, the smaller first")]
    BadLines,
    /// A path that leads out of the repository.
    #[error("`{0}` is no path inside the repository")]
    BadPath(String),
    /// Neither or more than one of base with head, folder and pull.
    #[error("a case has either `base` and `head`, or `folder`, or `pull`")]
    NoChange,
    /// A clean case with faults, or a case that is not said to be clean and has none.
    #[error("a case has either faults or `clean = true`")]
    CleanOrFaulty,
    /// Lines without the file that they are in.
    #[error("lines need a file")]
    LinesWithoutFile,
    /// A text that is empty.
    #[error("it is empty")]
    EmptyText,
}

impl SetProblem {
    /// What programs branch on, and the texts of both languages.
    fn code(&self) -> ErrorCode {
        match self {
            Self::Syntax(_) => ErrorCode::EvalSetSyntax,
            Self::Empty => ErrorCode::EvalSetEmpty,
            Self::Duplicate(_) => ErrorCode::EvalSetDuplicate,
            Self::BadId(_) => ErrorCode::EvalSetBadId,
            Self::BadSha(_) => ErrorCode::EvalSetBadSha,
            Self::BadRepository(_) => ErrorCode::EvalSetBadRepository,
            Self::BadLines => ErrorCode::EvalSetBadLines,
            Self::BadPath(_) => ErrorCode::EvalSetBadPath,
            Self::NoChange => ErrorCode::EvalSetNoChange,
            Self::CleanOrFaulty => ErrorCode::EvalSetCleanOrFaulty,
            Self::LinesWithoutFile => ErrorCode::EvalSetLinesWithoutFile,
            Self::EmptyText => ErrorCode::EvalSetEmptyText,
        }
    }
}

impl From<SetError> for UserError {
    fn from(error: SetError) -> Self {
        let place = TextArg::Place {
            name: Some(error.file),
            line: Some(error.line),
            key: error.key,
        };
        let wrong = UserError::new(error.problem.code()).with_arg("place", place);
        match error.problem {
            SetProblem::Syntax(text)
            | SetProblem::Duplicate(text)
            | SetProblem::BadId(text)
            | SetProblem::BadSha(text)
            | SetProblem::BadRepository(text)
            | SetProblem::BadPath(text) => wrong.with("value", text),
            SetProblem::Empty
            | SetProblem::BadLines
            | SetProblem::NoChange
            | SetProblem::CleanOrFaulty
            | SetProblem::LinesWithoutFile
            | SetProblem::EmptyText => wrong,
        }
    }
}

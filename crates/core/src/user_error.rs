//! What went wrong, as data: a code, values, hints. Words are put to it last, in the reader's language (`i18n`).
//!
//! Every error that a person may read becomes one of these, in the crate that it comes from; the journal keeps them as they are.

use crate::error_code::{ErrorCode, ErrorHint};
use crate::ids::{ParseNameError, Time};
use crate::lifecycle::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The name of the argument that stands below the sentence, whatever its text is.
pub const CAUSES: &str = "causes";

/// Something that went wrong, before it has words. The sentence is the text `problem-CODE`, each hint `problem-hint-HINT`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct UserError {
    /// What programs branch on.
    pub code: ErrorCode,
    /// What the texts take up, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, TextArg>,
    /// What can be done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<ErrorHint>,
}

/// A value that a text takes up, before the language says how it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextArg {
    /// A name, a path, an address, or foreign words that the sentence is made for.
    Text(String),
    /// Foreign words in brackets after what the sentence says; nothing when empty.
    Aside(String),
    /// A number, written as the language does.
    Number(u64),
    /// A number that no word of the sentence goes by.
    Count(u64),
    /// Money of a limit, in millionths of a dollar; written to the cent, rounded up.
    Cost(u64),
    /// A time, shown as time of day.
    Time(Time),
    /// A length of time, in milliseconds.
    Millis(u64),
    /// A state, by its name.
    State(State),
    /// Names in a row.
    Names(Vec<String>),
    /// A text of its own, by its key: for a word that belongs to the language, never to the value.
    Key(String),
    /// The nearest valid word, asked for in brackets; nothing when empty.
    Nearest(String),
    /// A place in a configuration.
    Place {
        /// A file or a variable; none for all layers together.
        name: Option<String>,
        /// The line, from 1; none outside files.
        line: Option<u64>,
        /// The key with the tables it lies in; may be empty.
        key: String,
    },
    /// What it came of, in words of its own.
    Cause(Box<UserError>),
    /// Several of them, a line each.
    Causes(Vec<UserError>),
}

impl UserError {
    /// A problem that needs no more words.
    pub fn new(code: ErrorCode) -> Self {
        Self {
            code,
            args: BTreeMap::new(),
            hints: Vec::new(),
        }
    }

    /// An error of which only its words are known, in whatever language they were written down.
    pub fn recorded(words: impl Into<String>) -> Self {
        Self::new(ErrorCode::Recorded).with("message", words.into())
    }

    /// Fills a text in.
    #[must_use]
    pub fn with(self, name: &str, text: impl ToString) -> Self {
        self.with_arg(name, TextArg::Text(text.to_string()))
    }

    /// Fills a value in that the language decides how to write.
    #[must_use]
    pub fn with_arg(mut self, name: &str, arg: impl Into<TextArg>) -> Self {
        self.args.insert(name.to_owned(), arg.into());
        self
    }

    /// Fills foreign words in, which stand in brackets; nothing when there are none.
    #[must_use]
    pub fn with_aside(self, name: &str, words: impl Into<String>) -> Self {
        self.with_arg(name, TextArg::Aside(words.into()))
    }

    /// Says also what else is wrong and may be the reason, a line each below the sentence.
    #[must_use]
    pub fn with_causes(self, causes: Vec<UserError>) -> Self {
        self.with_arg(CAUSES, causes)
    }

    /// Asks whether the nearest valid word was meant, if one is near.
    #[must_use]
    pub fn with_nearest(self, nearest: Option<impl ToString>) -> Self {
        let nearest = nearest.map_or_else(String::new, |word| word.to_string());
        self.with_arg("nearest", TextArg::Nearest(nearest))
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: ErrorHint) -> Self {
        self.hints.push(hint);
        self
    }
}

/// For logs: code and values. A person is given words (`i18n`).
impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())?;
        for (name, arg) in &self.args {
            write!(f, " {name}={arg:?}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UserError {}

impl From<Time> for TextArg {
    fn from(time: Time) -> Self {
        TextArg::Time(time)
    }
}

impl From<State> for TextArg {
    fn from(state: State) -> Self {
        TextArg::State(state)
    }
}

impl From<Duration> for TextArg {
    fn from(duration: Duration) -> Self {
        TextArg::Millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }
}

impl From<u32> for TextArg {
    fn from(number: u32) -> Self {
        TextArg::Number(number.into())
    }
}

impl From<u64> for TextArg {
    fn from(number: u64) -> Self {
        TextArg::Number(number)
    }
}

impl From<usize> for TextArg {
    fn from(number: usize) -> Self {
        TextArg::Number(u64::try_from(number).unwrap_or(u64::MAX))
    }
}

impl From<UserError> for TextArg {
    fn from(cause: UserError) -> Self {
        TextArg::Cause(Box::new(cause))
    }
}

impl From<Vec<UserError>> for TextArg {
    fn from(causes: Vec<UserError>) -> Self {
        TextArg::Causes(causes)
    }
}

impl From<Vec<String>> for TextArg {
    fn from(names: Vec<String>) -> Self {
        TextArg::Names(names)
    }
}

impl From<ParseNameError> for UserError {
    fn from(ParseNameError(name, _): ParseNameError) -> Self {
        UserError::new(ErrorCode::BadName).with("name", name)
    }
}

impl<'de> Deserialize<'de> for UserError {
    /// Reads also what was a sentence: state up to version 2 kept errors in English words.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Words(String),
            Error {
                code: ErrorCode,
                #[serde(default)]
                args: BTreeMap<String, TextArg>,
                #[serde(default)]
                hints: Vec<ErrorHint>,
            },
        }
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Words(words) => UserError::recorded(words),
            Stored::Error { code, args, hints } => UserError { code, args, hints },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_comes_back_from_json_as_it_was() {
        let cause = UserError::new(ErrorCode::Unreachable).with("host", "github.com");
        let error = UserError::new(ErrorCode::RateLimited)
            .with("host", "github.com")
            .with_arg("until", Time(5))
            .with_arg("after", Duration::from_secs(3))
            .with_aside("said", "no")
            .with_arg("cause", cause)
            .hint(ErrorHint::Network);
        let json = serde_json::to_string(&error).unwrap();
        assert_eq!(serde_json::from_str::<UserError>(&json).unwrap(), error);
    }

    #[test]
    fn a_sentence_of_an_earlier_version_is_kept_in_its_words() {
        let read: UserError = serde_json::from_str("\"no key\"").unwrap();
        assert_eq!(read, UserError::recorded("no key"));
    }
}

//! What of a pull request nobody was shown (§4.4), and why.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// A changed file that was not shown, or not wholly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnseenFile {
    /// Its path at the head; of a removed file, its last.
    pub path: String,
    /// Why.
    pub reason: UnseenReason,
}

/// Why a changed file was not shown, or not wholly.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    IntoStaticStr,
    strum::VariantArray,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum UnseenReason {
    /// Its content is no text: a NUL byte near its start.
    Binary,
    /// A package manager writes it.
    Lockfile,
    /// The base marks it as generated or vendored.
    Generated,
    /// A commit of another repository.
    Submodule,
    /// A symbolic link.
    Link,
    /// It is larger than what is read.
    TooLarge,
    /// More files changed than are read.
    TooMany,
    /// It cannot be read: a name that is no UTF-8, text where there was none, a parser that gave up.
    Unreadable,
    /// Its syntax is nested deeper than the rules go.
    Nesting,
    /// It did not fit into the prompt.
    NoRoom,
}

impl UnseenReason {
    /// The code, as it is written in JSON and in the Fluent key `unseen-reason-…`.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// Whether it is text that somebody has to look at. The others are only named (§4.4).
    pub fn needs_look(self) -> bool {
        match self {
            UnseenReason::Binary
            | UnseenReason::Lockfile
            | UnseenReason::Generated
            | UnseenReason::Submodule => false,
            UnseenReason::Link
            | UnseenReason::TooLarge
            | UnseenReason::TooMany
            | UnseenReason::Unreadable
            | UnseenReason::Nesting
            | UnseenReason::NoRoom => true,
        }
    }
}

//! What became of a repository's own linters in a review (§4.7). Nothing is decided on it: their findings count, and this is told to people.

use serde::{Deserialize, Serialize};

/// One linter that the base configures, on the files that changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinterRun {
    /// Its name: `ruff`, `clippy`, …
    pub name: String,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: LinterOutcome,
}

/// How a linter's run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum LinterOutcome {
    /// It ran.
    Ran {
        /// What it says of changed lines.
        findings: u32,
    },
    /// Its program is not on this machine.
    NotInstalled,
    /// It was ended after so long.
    TimedOut {
        /// How long it had.
        seconds: u32,
    },
    /// It could not be started, broke off, or said what cannot be read.
    Failed {
        /// The end of its own words, or the system's.
        message: String,
    },
}

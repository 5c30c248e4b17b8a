//! What somebody says of a finding.

use serde::{Deserialize, Serialize};

/// Who says it. Orders by weight: a person's word stands over a model's, a model's over that of place and words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Judge {
    /// Place and shared words.
    Place {
        /// The lines that were still one place.
        distance: u32,
    },
    /// A language model.
    Model {
        /// Provider and name.
        model: String,
        /// What tells the judge's prompt from another.
        prompt: String,
    },
    /// A person.
    Hand,
}

/// What a finding is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Judgement {
    /// It names this known fault.
    Fault {
        /// Which, by its name in the case.
        fault: String,
    },
    /// It names something that is wrong indeed, and that the case does not know of. It counts neither for nor against.
    Valid,
    /// It names nothing that is wrong.
    False,
}

/// What somebody says of one finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The case.
    pub case: String,
    /// The number of the run of this case, from 0.
    pub repeat: u32,
    /// The finding, by its name in the result.
    pub finding: String,
    /// Who says it.
    #[serde(flatten)]
    pub judge: Judge,
    /// What it is.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Why, where something was said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

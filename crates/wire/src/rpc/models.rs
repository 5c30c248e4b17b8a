//! Language models in the settings: their keys, which ones there are, and whether they answer (§15).
//!
//! A model is named by its table in `config.toml`: `llm`, `models.NAME`, `reviewers.NAME`. No key is ever sent to the page.

use serde::Serialize;
use ts_rs::TS;

/// Where the key of a model is, never what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ModelKeyView {
    /// The provider.
    pub provider: String,
    /// The host that the key is for, where it is not the provider's own.
    pub host: Option<String>,
    /// Where the key is taken from.
    pub source: ModelKeySource,
    /// The variable or the program, where it is one.
    pub name: Option<String>,
    /// The environment variables that may hold it; the first one that is set counts.
    pub variables: Vec<String>,
    /// Whether a key can be typed here: the settings do not say that it is elsewhere.
    pub editable: bool,
    /// Whether the keychain keeps one, be it the one that is taken or not.
    pub stored: bool,
    /// Why the keychain is of no use, in words.
    pub problem: Option<ModelKeyProblem>,
}

/// Why the keychain is of no use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ModelKeyProblem {
    /// Whether there is none at all, so that nothing can be typed.
    pub is_absent: bool,
    /// What is wrong, in the reader's language.
    pub message: String,
    /// What can be done.
    pub hints: Vec<String>,
}

/// Where the key of a model is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelKeySource {
    /// The system's keychain.
    Keychain,
    /// A variable of the environment.
    Variable,
    /// A program that prints it.
    Command,
    /// A file that another program keeps, such as a profile of AWS.
    File,
    /// Nowhere, and nothing is answered without one.
    Missing,
    /// Nowhere, and it is not needed.
    Unneeded,
}

/// A model of a service's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ListedModelView {
    /// What it is asked by.
    pub name: String,
    /// What people call it, where that is another name.
    pub title: Option<String>,
    /// The longest question that it reads, where the service says it.
    #[ts(type = "number | null")]
    pub context_tokens: Option<u64>,
}

/// What a real question to a model came to.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ModelTestView {
    /// The model that was asked: provider and name.
    pub model: String,
    /// The model as the service names it, where that is another name.
    pub answered_as: Option<String>,
    /// From the question to the end of the answer, in milliseconds.
    #[ts(type = "number")]
    pub latency_ms: u64,
    /// What was sent, in tokens.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// What came back, in tokens.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// In dollars; null where the model has no price.
    pub cost_usd: Option<f64>,
}

/// What reviews by a model may cost.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ExpectedCostView {
    /// A first review's prompt.
    pub first: CostRangeView,
    /// That of the review after a fix.
    pub next: CostRangeView,
    /// So many tokens of an answer cost [`Self::answer_usd`].
    #[ts(type = "number")]
    pub answer_tokens: u64,
    /// In dollars; none where the price is not known.
    pub answer_usd: Option<f64>,
}

/// The usual, from the least to the most.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CostRangeView {
    /// The least, in tokens.
    #[ts(type = "number")]
    pub tokens_least: u64,
    /// The most, in tokens.
    #[ts(type = "number")]
    pub tokens_most: u64,
    /// The least, in dollars; none where the price is not known.
    pub usd_least: Option<f64>,
    /// The most, in dollars.
    pub usd_most: Option<f64>,
}

//! How much a model is to think, in one scale for all providers.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray, VariantNames};

/// How much a model is to think before it answers. Which of these a model takes, its maker says; one that takes none refuses.
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
    VariantArray,
    VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as it can.
    Minimal,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    XHigh,
    /// As much as it can.
    Max,
}

impl Effort {
    /// All of them, the least first.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Their names.
    pub const NAMES: &[&str] = <Self as VariantNames>::VARIANTS;

    /// The name in configuration, which is also OpenAI's.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// As OpenRouter says it, whose scale ends at `xhigh` (<https://openrouter.ai/docs/use-cases/reasoning-tokens>).
    pub(in crate::llm) fn for_openrouter(self) -> &'static str {
        match self {
            Self::Max => Self::XHigh.name(),
            other => other.name(),
        }
    }

    /// As Ollama's `think` says it: off, or one of its levels; a model without levels takes each as on
    /// (<https://docs.ollama.com/api/chat>).
    pub(in crate::llm) fn for_ollama(self) -> serde_json::Value {
        match self {
            Self::None => false.into(),
            Self::Minimal | Self::Low => "low".into(),
            Self::Medium => "medium".into(),
            Self::High | Self::XHigh => "high".into(),
            Self::Max => "max".into(),
        }
    }
}

//! Webhooks of a repository.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// In which form a delivery carries its payload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookContent {
    /// As JSON.
    Json,
    /// As the field `payload` of a form: what GitHub takes where nothing is said.
    #[default]
    Form,
}

impl HookContent {
    /// GitHub's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Form => "form",
        }
    }
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    /// Database id, which each delivery carries as `X-GitHub-Hook-ID`.
    pub id: u64,
    /// Whether anything is sent.
    pub active: bool,
    /// The events that are sent; `*` is all.
    pub events: BTreeSet<String>,
    /// Where to: an address of this machine.
    pub url: String,
    /// In which form.
    #[serde(default)]
    pub content: HookContent,
    /// What deliveries are signed with.
    pub secret: Option<String>,
    /// Made at.
    pub created_at: Timestamp,
    /// Changed at.
    pub updated_at: Timestamp,
}

impl Hook {
    /// Whether an event is sent. A ping always is.
    pub fn wants(&self, event: &str) -> bool {
        let listed = self.events.contains("*") || self.events.contains(event);
        event == "ping" || (self.active && listed)
    }
}

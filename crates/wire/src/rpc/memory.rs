//! What people made of a repository's earlier findings, as the settings show it.

use collie_core::ids::Login;
use collie_core::review_memory::{MemoryEntry, MemoryVerdict};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The memory of one repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryView {
    /// Where its file is; none while nothing is remembered.
    pub file: Option<String>,
    /// What is remembered, the newest first.
    pub entries: Vec<MemoryEntryView>,
}

/// One judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryEntryView {
    /// Its id.
    pub id: String,
    /// What people made of the finding.
    pub verdict: MemoryVerdict,
    /// The finding's title.
    pub title: String,
    /// The file it was about; empty where it is about none.
    pub file: String,
    /// Why.
    pub reason: Option<String>,
    /// Who judged.
    pub by: Option<Login>,
    /// In which pull request.
    #[ts(type = "number | null")]
    pub pull: Option<u64>,
    /// When; RFC 3339.
    pub at: String,
    /// Until when it is heeded; RFC 3339. None: for ever.
    pub expires_at: Option<String>,
}

impl MemoryView {
    /// Of these entries, in the order in which they came about.
    pub fn new(file: Option<String>, entries: Vec<MemoryEntry>) -> Self {
        let newest_first = entries.into_iter().rev();
        Self {
            file,
            entries: newest_first.map(MemoryEntryView::from).collect(),
        }
    }
}

impl From<MemoryEntry> for MemoryEntryView {
    fn from(entry: MemoryEntry) -> Self {
        Self {
            id: entry.id,
            verdict: entry.verdict,
            title: entry.title,
            file: entry.file,
            reason: entry.reason,
            by: entry.by,
            pull: entry.pull,
            at: entry.at.rfc3339(),
            expires_at: entry.expires_at.map(|end| end.rfc3339()),
        }
    }
}

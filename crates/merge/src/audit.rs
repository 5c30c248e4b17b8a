//! What is written down of a merge (§9.6): the request before GitHub is asked, and what came of it.

use crate::completed_merge::CompletedMerge;
use crate::consent::ConfirmedMerge;
use crate::refusal::MergeRefusal;
use async_trait::async_trait;
use collie_core::ids::{RunId, Time};
use collie_engine::ports::{AuditAction, AuditEntry, JournalReader, StoreError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where audit entries go. Every [`JournalReader`] is one.
#[async_trait]
pub trait AuditSink: Send + Sync {
    /// Appends an entry; it is written on return.
    async fn append(&self, entry: &AuditEntry) -> Result<(), StoreError>;
}

#[async_trait]
impl AuditSink for Arc<dyn JournalReader> {
    async fn append(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.as_ref().audit(entry).await
    }
}

/// The entries of one click.
pub(crate) struct AuditTrail<'a> {
    pub run_id: &'a RunId,
    pub confirmed: &'a ConfirmedMerge,
}

impl AuditTrail<'_> {
    /// Before anything else.
    pub fn requested_entry(&self) -> AuditEntry {
        self.entry(AuditAction::MergeRequested, self.confirmed.at, &[])
    }

    /// After it is merged.
    pub fn completed_entry(&self, merged: &CompletedMerge) -> AuditEntry {
        let mut extra_details = vec![("merged_by", merged.by.to_string())];
        extra_details.extend(merged.commit.iter().map(|sha| ("commit", sha.to_string())));
        self.entry(AuditAction::MergeCompleted, merged.at, &extra_details)
    }

    /// After it was not.
    pub fn failed_entry(&self, why: &MergeRefusal, at: Time) -> AuditEntry {
        let extra_details = [
            ("code", why.code().to_string()),
            ("message", why.to_string()),
        ];
        self.entry(AuditAction::MergeFailed, at, &extra_details)
    }

    fn entry(&self, action: AuditAction, at: Time, extra_details: &[(&str, String)]) -> AuditEntry {
        let mut details = BTreeMap::from([
            ("head".to_string(), self.confirmed.head.to_string()),
            ("login".to_string(), self.confirmed.login.to_string()),
            (
                "method".to_string(),
                self.confirmed.method.as_str().to_string(),
            ),
        ]);
        details.extend(
            extra_details
                .iter()
                .map(|(key, value)| ((*key).to_string(), value.clone())),
        );
        AuditEntry {
            at,
            action,
            correlation_id: Some(self.run_id.clone()),
            subject: self.confirmed.pull.clone().into(),
            details,
        }
    }
}

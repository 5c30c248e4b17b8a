//! What is written down of a merge (§9.6): the request before GitHub is asked, and what came of it.

use crate::consent::Confirmed;
use crate::gate::Merged;
use crate::refusal::Refusal;
use async_trait::async_trait;
use collie_core::ids::{RunId, Time};
use collie_engine::ports::{AuditAction, AuditEntry, Journal, StoreError};
use std::collections::BTreeMap;

/// Where audit entries go. Every [`Journal`] is one.
#[async_trait]
pub trait Audit: Send + Sync {
    /// Appends an entry; it is written on return.
    async fn append(&self, entry: &AuditEntry) -> Result<(), StoreError>;
}

#[async_trait]
impl<T: Journal + ?Sized> Audit for T {
    async fn append(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.audit(entry).await
    }
}

/// The entries of one click.
pub(crate) struct Trail<'a> {
    pub run: &'a RunId,
    pub confirmed: &'a Confirmed,
}

impl Trail<'_> {
    /// Before anything else.
    pub fn requested(&self) -> AuditEntry {
        self.entry(AuditAction::MergeRequested, self.confirmed.at, &[])
    }

    /// After it is merged.
    pub fn completed(&self, merged: &Merged) -> AuditEntry {
        let mut more = vec![("merged_by", merged.by.to_string())];
        more.extend(merged.commit.iter().map(|sha| ("commit", sha.to_string())));
        self.entry(AuditAction::MergeCompleted, merged.at, &more)
    }

    /// After it was not.
    pub fn failed(&self, why: &Refusal, at: Time) -> AuditEntry {
        let more = [
            ("code", why.code().to_string()),
            ("message", why.to_string()),
        ];
        self.entry(AuditAction::MergeFailed, at, &more)
    }

    fn entry(&self, action: AuditAction, at: Time, more: &[(&str, String)]) -> AuditEntry {
        let mut details = BTreeMap::from([
            ("head".to_string(), self.confirmed.head.to_string()),
            ("login".to_string(), self.confirmed.login.to_string()),
            (
                "method".to_string(),
                self.confirmed.method.as_str().to_string(),
            ),
        ]);
        details.extend(
            more.iter()
                .map(|(key, value)| ((*key).to_string(), value.clone())),
        );
        AuditEntry {
            at,
            action,
            correlation_id: Some(self.run.clone()),
            pull: self.confirmed.pull.clone(),
            details,
        }
    }
}

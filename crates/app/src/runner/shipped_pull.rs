//! A pull request as the server has told of it.

use async_trait::async_trait;
use collie_agents::prompting::LinkedIssue;
use collie_core::event::SessionFailure;
use collie_core::review_memory::{MemoryEntry, RepositoryMemory};
use collie_core::snapshot::Snapshot;
use collie_engine::ports::{MemoryKey, PullRef, ReviewMemory, StoreError};
use collie_reviewers::PullReader;
use collie_runners::OfferedWork;

/// What came along with a session.
pub(super) struct ShippedPull {
    snapshot: Snapshot,
    issues: Vec<LinkedIssue>,
    memory: RepositoryMemory,
}

impl ShippedPull {
    pub(super) fn of(work: &OfferedWork) -> Self {
        Self {
            snapshot: work.snapshot.clone(),
            issues: work.issues.clone(),
            memory: RepositoryMemory {
                entries: work.memory.clone(),
            },
        }
    }
}

#[async_trait]
impl PullReader for ShippedPull {
    async fn snapshot(&self, _: &PullRef) -> Result<Snapshot, SessionFailure> {
        Ok(self.snapshot.clone())
    }

    async fn linked_issues(&self, _: &Snapshot) -> Vec<LinkedIssue> {
        self.issues.clone()
    }
}

#[async_trait]
impl ReviewMemory for ShippedPull {
    async fn read(&self, _: &MemoryKey) -> Result<RepositoryMemory, StoreError> {
        Ok(self.memory.clone())
    }

    /// Judgements are people's, and are made on the server.
    async fn record(&self, _: &MemoryKey, _: &MemoryEntry) -> Result<(), StoreError> {
        Ok(())
    }
}

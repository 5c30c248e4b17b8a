//! What people made of a repository's earlier findings, kept beside the journal: people read and edit it.

use super::StoreError;
use async_trait::async_trait;
use collie_core::ids::{RepoName, RepositoryId};
use collie_core::review_memory::{MemoryEntry, RepositoryMemory};

/// Which repository's memory is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryKey {
    /// Its identity; survives renames.
    pub id: RepositoryId,
    /// Its present name: what its file is called.
    pub name: RepoName,
}

/// Keeps judgements of people.
#[async_trait]
pub trait ReviewMemory: Send + Sync {
    /// Everything that is remembered of a repository.
    ///
    /// # Errors
    /// The file cannot be read, or not be understood: it is left as it is.
    async fn read(&self, key: &MemoryKey) -> Result<RepositoryMemory, StoreError>;

    /// Adds a judgement; the same one twice is one.
    ///
    /// # Errors
    /// As for [`ReviewMemory::read`], or the file cannot be written.
    async fn record(&self, key: &MemoryKey, entry: &MemoryEntry) -> Result<(), StoreError>;
}

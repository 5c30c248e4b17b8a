//! What people made of a repository's earlier findings, as a person reads and changes it.

use crate::engine_client::journal::{self, MemoryFiles};
use collie_config::DataFolder;
use collie_core::error_code::ErrorCode;
use collie_core::ids::RepoName;
use collie_core::review_memory::RepositoryMemory;
use collie_core::user_error::UserError;
use collie_engine::ports::MemoryKey;
use collie_github::GitHubClient;
use std::path::PathBuf;

/// The memory of one repository.
pub struct MemoryOf {
    files: MemoryFiles,
    key: MemoryKey,
}

impl MemoryOf {
    /// Finds a repository's memory by its present name.
    ///
    /// # Errors
    /// GitHub does not tell which repository bears that name.
    pub async fn find(
        data: &DataFolder,
        github: &GitHubClient,
        repo: &RepoName,
    ) -> Result<Self, UserError> {
        let found = github.default_branch(repo).await?;
        Ok(Self {
            files: journal::review_memory(data),
            key: MemoryKey {
                id: found.id,
                name: found.repo,
            },
        })
    }

    /// The repository's present name.
    pub fn repo(&self) -> &RepoName {
        &self.key.name
    }

    /// Its file; none while nothing is remembered.
    ///
    /// # Errors
    /// The data folder cannot be read.
    pub fn file(&self) -> Result<Option<PathBuf>, UserError> {
        Ok(self.files.file(&self.key)?)
    }

    /// Everything that is remembered.
    ///
    /// # Errors
    /// The file cannot be read or understood.
    pub fn load(&self) -> Result<RepositoryMemory, UserError> {
        Ok(self.files.load(&self.key)?)
    }

    /// Takes an entry out.
    ///
    /// # Errors
    /// There is no entry of that id, or the file cannot be changed.
    pub fn forget(&self, id: &str) -> Result<(), UserError> {
        if self.files.forget(&self.key, id)? {
            return Ok(());
        }
        Err(UserError::new(ErrorCode::NoMemoryEntry)
            .with("id", id)
            .with("repo", &self.key.name))
    }
}

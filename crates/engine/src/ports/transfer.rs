//! What carries the commits of a session to another machine, and its change back (§18.1).

use super::{CleanWorktree, GitError, GitRemote, PullRef};
use async_trait::async_trait;
use collie_core::ids::Sha;
use std::path::Path;

/// A pack that is larger, in bytes, stays where it is: only the machine that made the commit can push it.
pub const MAX_COMMIT_PACK: usize = 16 * 1024 * 1024;

/// Hands what a session works on to a runner, and lays what the runner did into the worktree that the gates judge.
#[async_trait]
pub trait ChangeTransfer: Send + Sync {
    /// Writes a bundle with the worktree's head, the base and those of the other commits that the clone has, each with its history.
    async fn bundle(
        &self,
        worktree: &CleanWorktree,
        base: &Sha,
        also: &[Sha],
        file: &Path,
    ) -> Result<(), GitError>;

    /// What differs between the worktree's files and its head, as a patch that git can apply; empty when nothing does. Ignored files are
    /// not looked at, as the gates do not.
    async fn change_of(&self, worktree: &CleanWorktree) -> Result<Vec<u8>, GitError>;

    /// Brings the worktree to its head, whatever was in it, and lays a patch on it, uncommitted. Nothing outside of the worktree and
    /// nothing in `.git` is written.
    ///
    /// # Errors
    /// [`GitError::Diverged`] when it does not apply there; the worktree is then at its head.
    async fn lay_change(&self, worktree: &CleanWorktree, patch: &[u8]) -> Result<(), GitError>;
}

/// Carries a commit of Collie's that is on no remote yet to the clone of another machine (§18.5): who made it may be gone by the time that
/// it is pushed.
#[async_trait]
pub trait CommitTransfer: Send + Sync {
    /// The commit with all that belongs to it and not to commits that every clone can fetch, as a pack that needs nothing else.
    async fn export_commit(
        &self,
        pull: &PullRef,
        commit: &Sha,
        known: &[&Sha],
    ) -> Result<Vec<u8>, GitError>;

    /// Whether the clone has it.
    async fn has_commit(&self, pull: &PullRef, commit: &Sha) -> Result<bool, GitError>;

    /// Brings it into the clone, which is made where there is none, beside what the head branch is at now.
    ///
    /// # Errors
    /// The pack does not hold it, or the remote cannot be read.
    async fn import_commit(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        pack: Vec<u8>,
    ) -> Result<(), GitError>;
}

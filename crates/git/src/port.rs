//! The engine's port, method by method.

use crate::Worktrees;
use crate::complete_commits::is_partial;
use crate::fetch::internal_ref;
use crate::git_command::GitCommand;
use crate::io_error::io_error;

use async_trait::async_trait;
use collie_core::code_context::{WordHits, WordSearch};
use collie_core::ids::{Login, Sha};
use collie_engine::TELEMETRY;
use collie_engine::ports::VerifyRun;
use collie_engine::ports::{
    CleanWorktree, CommitMessage, DiffFile, GateRefusal, Git, GitError, GitRemote, LineRange,
    MergedWorktree, PullRef, PushOutcome, Shield, ShieldedConfig, SyntaxChecker, VettedChange,
    VettedMerge, WorktreePurpose,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// Packs of a clone are joined when there are more.
const REPACK_THRESHOLD: usize = 40;

#[async_trait]
impl Git for Worktrees {
    async fn prepare(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        base: &Sha,
        purpose: WorktreePurpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        self.prepare_worktree(pull, remote, head, base, purpose)
            .await
    }

    async fn diff(&self, worktree: &CleanWorktree, base: &Sha) -> Result<Vec<DiffFile>, GitError> {
        self.diff_worktree(worktree, base).await
    }

    async fn changed_lines_since(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<Option<BTreeMap<String, Vec<LineRange>>>, GitError> {
        self.read_changed_lines_since(worktree, since).await
    }

    async fn changed_paths_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        base: &Sha,
    ) -> Result<Option<BTreeSet<String>>, GitError> {
        self.read_changed_paths_at(worktree, commit, base).await
    }

    async fn patch_of(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        max: usize,
    ) -> Result<Option<String>, GitError> {
        self.read_patch_of(worktree, commit, max).await
    }

    async fn file_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        path: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        self.complete_earlier(worktree, &worktree_paths.clone_dir, commit)
            .await?;
        self.read_file_at(&worktree_paths.clone_dir, commit, path, max)
            .await
    }

    async fn paths_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
    ) -> Result<Vec<String>, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        self.list_paths_at(&worktree_paths.clone_dir, commit).await
    }

    async fn search_words(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        search: &WordSearch,
    ) -> Result<WordHits, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        self.complete_earlier(worktree, &worktree_paths.clone_dir, commit)
            .await?;
        self.search_words_at(&worktree_paths.clone_dir, commit, search)
            .await
    }

    async fn commit_messages(
        &self,
        worktree: &CleanWorktree,
        max: usize,
    ) -> Result<Vec<String>, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        self.read_commit_messages(&worktree_paths.clone_dir, worktree, max)
            .await
    }

    async fn shield(
        &self,
        worktree: &CleanWorktree,
        base: &Sha,
        config: ShieldedConfig,
    ) -> Result<Shield, GitError> {
        self.shield_worktree(worktree, base, config).await
    }

    async fn unshield(&self, worktree: &CleanWorktree, shield: Shield) -> Result<(), GitError> {
        self.unshield_worktree(worktree, &shield).await
    }

    async fn files_at(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        folder: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        self.read_files_at(pull, remote, commit, folder).await
    }

    async fn vet(
        &self,
        worktree: &CleanWorktree,
        syntax: &dyn SyntaxChecker,
        verify: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<Result<Option<VettedChange>, GateRefusal>, GitError> {
        self.vet_worktree(worktree, syntax, verify, cancel).await
    }

    async fn commit(
        &self,
        change: &VettedChange,
        message: &CommitMessage,
    ) -> Result<Sha, GitError> {
        self.commit_change(change, message).await
    }

    async fn oscillates(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        own: &BTreeSet<Sha>,
    ) -> Result<bool, GitError> {
        self.commit_oscillates(worktree, commit, own).await
    }

    async fn push(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        heads: (&Sha, &Sha),
        by: Option<&Login>,
    ) -> Result<PushOutcome, GitError> {
        let span = tracing::info_span!(
            target: TELEMETRY,
            "git push",
            otel.kind = "client",
            otel.status_code = tracing::field::Empty,
            collie.outcome = tracing::field::Empty,
        );
        let pushed = self.push_commit(pull, remote, heads, by);
        let pushed = pushed.instrument(span.clone()).await;
        let outcome = match &pushed {
            Ok(PushOutcome::Done) => "done",
            Ok(PushOutcome::Moved { .. }) => "moved",
            Err(_) => "failed",
        };
        span.record("collie.outcome", outcome);
        if pushed.is_err() {
            span.record("otel.status_code", "ERROR");
        }
        pushed
    }

    async fn rebase(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        onto: &Sha,
        base: &Sha,
    ) -> Result<CleanWorktree, GitError> {
        self.rebase_commit(pull, remote, commit, onto, base).await
    }

    async fn merge_base_in(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        base: &Sha,
    ) -> Result<Option<MergedWorktree>, GitError> {
        self.merge_base_into_worktree(pull, remote, head, base)
            .await
    }

    async fn lay_merge(&self, merged: &MergedWorktree, commit: &Sha) -> Result<(), GitError> {
        self.check_out_merge_commit(merged, commit).await
    }

    async fn vet_merge(
        &self,
        merged: &MergedWorktree,
        syntax: &dyn SyntaxChecker,
        verify: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<Result<VettedMerge, GateRefusal>, GitError> {
        self.vet_merged_worktree(merged, syntax, verify, cancel)
            .await
    }

    async fn remote_head(&self, remote: &GitRemote) -> Result<Option<Sha>, GitError> {
        self.read_remote_head(remote).await
    }

    async fn clean_up(&self, pull: &PullRef) -> Result<(), GitError> {
        let clone_dir = self.clone_path(&pull.id);
        let lock = self.clone_lock(&clone_dir);
        let mut intact = lock.lock().await;
        for worktree_paths in self.all_worktree_paths(&pull.id)? {
            self.discard_worktree(&worktree_paths)?;
        }
        self.lazy.forget(&clone_dir);
        if !clone_dir.join("HEAD").is_file() {
            return Ok(());
        }
        self.open_clone(&clone_dir, &mut intact).await?;
        self.forget_refs(&clone_dir, pull).await?;
        self.cat_files.close(&clone_dir).await;
        if pack_count(&clone_dir)? > REPACK_THRESHOLD {
            if is_partial(&clone_dir) {
                // Joined packs would no longer be marked as incomplete; what is fetched anew is small.
                self.complete.forget(&clone_dir);
                self.discard(&clone_dir)?;
                return Ok(());
            }
            self.git
                .run(GitCommand::new(["repack", "-d", "-q", "--geometric=2"]).in_clone(&clone_dir))
                .await?;
        }
        *intact = true;
        Ok(())
    }
}

impl Worktrees {
    /// Removes what the clone kept for a pull request.
    async fn forget_refs(&self, clone_dir: &Path, pull: &PullRef) -> Result<(), GitError> {
        let below = internal_ref(&pull.id, "");
        let list = GitCommand::new([
            "for-each-ref",
            "--format=delete %(refname)",
            below.trim_end_matches('/'),
        ]);
        let output = self.git.run(list.in_clone(clone_dir)).await?;
        if !output.stdout.is_empty() {
            self.git
                .run(
                    GitCommand::new(["update-ref", "--stdin"])
                        .in_clone(clone_dir)
                        .input(output.stdout),
                )
                .await?;
        }
        Ok(())
    }
}

fn pack_count(clone_dir: &Path) -> Result<usize, GitError> {
    let folder = fs::read_dir(clone_dir.join("objects").join("pack"))
        .map_err(io_error("the clone could not be read"))?;
    Ok(folder
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "pack"))
        .count())
}

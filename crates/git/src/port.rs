//! The engine's port, method by method.

use crate::GitPlace;
use crate::call::Call;
use crate::fetch::own_ref;
use crate::place::io_error;
use async_trait::async_trait;
use collie_core::ids::Sha;
use collie_engine::ports::{
    CleanWorktree, CommitMessage, DiffFile, GateRefusal, Git, GitError, LineRange, PullRef,
    Purpose, PushOutcome, Remote, Shield, SyntaxJudge, VettedChange,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Packs of a clone are joined when there are more.
const MANY_PACKS: usize = 40;

#[async_trait]
impl Git for GitPlace {
    async fn prepare(
        &self,
        pull: &PullRef,
        remote: &Remote,
        head: &Sha,
        base: &Sha,
        purpose: Purpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        self.make_ready(pull, remote, head, base, purpose).await
    }

    async fn diff(&self, worktree: &CleanWorktree) -> Result<Vec<DiffFile>, GitError> {
        self.files_between(worktree).await
    }

    async fn lines_since(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<BTreeMap<String, Vec<LineRange>>, GitError> {
        self.changed_lines(worktree, since).await
    }

    async fn file_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        path: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let spot = self.spot_of(worktree)?;
        self.file_of(&spot.clone, commit, path, max).await
    }

    async fn paths_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
    ) -> Result<Vec<String>, GitError> {
        let spot = self.spot_of(worktree)?;
        self.paths_of(&spot.clone, commit).await
    }

    async fn shield(&self, worktree: &CleanWorktree, base: &Sha) -> Result<Shield, GitError> {
        self.raise(worktree, base).await
    }

    async fn unshield(&self, worktree: &CleanWorktree, shield: Shield) -> Result<(), GitError> {
        self.lower(worktree, &shield).await
    }

    async fn list_at(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
        folder: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        self.files_below(pull, remote, commit, folder).await
    }

    async fn vet(
        &self,
        worktree: &CleanWorktree,
        syntax: &dyn SyntaxJudge,
        verify: &[String],
        cancel: &CancellationToken,
    ) -> Result<Result<Option<VettedChange>, GateRefusal>, GitError> {
        self.judge(worktree, syntax, verify, cancel).await
    }

    async fn commit(
        &self,
        change: &VettedChange,
        message: &CommitMessage,
    ) -> Result<Sha, GitError> {
        self.make_commit(change, message).await
    }

    async fn oscillates(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        own: &BTreeSet<Sha>,
    ) -> Result<bool, GitError> {
        self.brings_back(worktree, commit, own).await
    }

    async fn push(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
        from: &Sha,
    ) -> Result<PushOutcome, GitError> {
        self.send(pull, remote, commit, from).await
    }

    async fn rebase(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
        onto: &Sha,
        base: &Sha,
    ) -> Result<CleanWorktree, GitError> {
        self.lay_on_top(pull, remote, commit, onto, base).await
    }

    async fn remote_head(&self, remote: &Remote) -> Result<Option<Sha>, GitError> {
        self.ask_head(remote).await
    }

    async fn clean_up(&self, pull: &PullRef) -> Result<(), GitError> {
        let clone = self.clone_of(&pull.id);
        let lock = self.lock_of(&clone);
        let mut sound = lock.lock().await;
        for spot in self.spots(&pull.id)? {
            self.discard_spot(&spot)?;
        }
        if !clone.join("HEAD").is_file() {
            return Ok(());
        }
        self.open_clone(&clone, &mut sound).await?;
        self.forget_refs(&clone, pull).await?;
        if packs(&clone)? > MANY_PACKS {
            self.caller
                .run(Call::new(["repack", "-d", "-q", "--geometric=2"]).in_clone(&clone))
                .await?;
        }
        *sound = true;
        Ok(())
    }
}

impl GitPlace {
    /// Removes what the clone kept for a pull request.
    async fn forget_refs(&self, clone: &Path, pull: &PullRef) -> Result<(), GitError> {
        let below = own_ref(&pull.id, "");
        let list = Call::new([
            "for-each-ref",
            "--format=delete %(refname)",
            below.trim_end_matches('/'),
        ]);
        let answer = self.caller.run(list.in_clone(clone)).await?;
        if !answer.out.is_empty() {
            self.caller
                .run(
                    Call::new(["update-ref", "--stdin"])
                        .in_clone(clone)
                        .input(answer.out),
                )
                .await?;
        }
        Ok(())
    }
}

fn packs(clone: &Path) -> Result<usize, GitError> {
    let folder = fs::read_dir(clone.join("objects").join("pack"))
        .map_err(io_error("the clone could not be read"))?;
    Ok(folder
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "pack"))
        .count())
}

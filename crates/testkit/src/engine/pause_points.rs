//! Ports that can be held at a point, so that a test can act, or pull the plug, at that very moment.

use crate::wait::WAIT_TIMEOUT;
use async_trait::async_trait;
use collie_core::code_context::{WordHits, WordSearch};
use collie_core::effect::CheckRun;
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::ids::{ActionToken, Login, LoopId, PullName, RepoName, Sha, ThreadId};
use collie_core::poll_budget::RateBudget;
use collie_core::snapshot::{Actor, ObserveFailure, Snapshot};
use collie_core::token_right::{RepositoryWrite, TokenRight};
use collie_core::user_error::UserError;
use collie_engine::ports::*;
use collie_engine::{EffectPorts, Ports};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// A moment in the engine's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PausePoint {
    /// A review is about to begin.
    Review,
    /// The fixer is about to begin.
    Fix,
    /// The fix is committed, and nobody has been told.
    Committed,
    /// Pull requests are about to be read.
    Poll,
    /// It is about to be asked what stands against a write.
    WriteObstacle,
    /// The push is about to begin.
    Push,
    /// The push is done, and nobody has been told.
    Pushed,
    /// A post is stored, and about to be sent.
    Post,
    /// A post has been sent, and nobody has been told.
    Posted,
    /// Worktrees are about to be removed.
    CleanUp,
}

/// A point that is held.
#[derive(Clone)]
pub struct Pause {
    reached: CancellationToken,
    open: CancellationToken,
}

impl Pause {
    /// Waits until the engine has come to the point.
    pub async fn wait_reached(&self) {
        tokio::time::timeout(WAIT_TIMEOUT, self.reached.cancelled())
            .await
            .expect("the engine comes to the point");
    }

    /// Lets the engine go on.
    pub fn release(&self) {
        self.open.cancel();
    }
}

/// Every hold of a test, and how much was at work at once.
#[derive(Default)]
pub struct PausePoints {
    pauses: Mutex<BTreeMap<PausePoint, Pause>>,
    working: AtomicUsize,
    peak: AtomicUsize,
}

impl PausePoints {
    /// Holds everybody who comes to the point from now on.
    pub fn pause_at(&self, point: PausePoint) -> Pause {
        let hold = Pause {
            reached: CancellationToken::new(),
            open: CancellationToken::new(),
        };
        self.lock().insert(point, hold.clone());
        hold
    }

    /// Forgets every hold; who is held stays so.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// The most reviews and fixes that ever were at work at once.
    pub fn max_concurrent(&self) -> usize {
        self.peak.load(Ordering::SeqCst)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<PausePoint, Pause>> {
        self.pauses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pause_here(&self, point: PausePoint) {
        let hold = self.lock().get(&point).cloned();
        if let Some(hold) = hold {
            hold.reached.cancel();
            hold.open.cancelled().await;
        }
    }

    /// Passes a point that a cancelled session leaves.
    async fn pause_here_unless(
        &self,
        point: PausePoint,
        cancel: &CancellationToken,
    ) -> Result<(), SessionFailure> {
        tokio::select! {
            () = self.pause_here(point) => Ok(()),
            () = cancel.cancelled() => Err(SessionFailure::transient(UserError::new(ErrorCode::Cancelled))),
        }
    }

    fn count_session(self: &Arc<Self>) -> SessionCount {
        let now = self.working.fetch_add(1, Ordering::SeqCst) + 1;
        self.peak.fetch_max(now, Ordering::SeqCst);
        SessionCount(self.clone())
    }
}

/// Somebody at work.
struct SessionCount(Arc<PausePoints>);

impl Drop for SessionCount {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Puts the holds before the real ports.
pub fn with_pause_points(ports: Ports, holds: &Arc<PausePoints>) -> Ports {
    let holds = holds.clone();
    let Ports { effects, journal } = ports;
    let effects = EffectPorts {
        github: Arc::new(PausingPort(effects.github, holds.clone())),
        git: Arc::new(PausingPort(effects.git, holds.clone())),
        reviewers: Arc::new(PausingPort(effects.reviewers, holds.clone())),
        fixer: Arc::new(PausingPort(effects.fixer, holds)),
        ..effects
    };
    Ports { effects, journal }
}

struct PausingPort<T: ?Sized>(Arc<T>, Arc<PausePoints>);

#[async_trait]
impl Reviewers for PausingPort<dyn Reviewers> {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        let _working = self.1.count_session();
        self.1.pause_here_unless(PausePoint::Review, cancel).await?;
        self.0.review(request, cancel).await
    }
}

#[async_trait]
impl Fixer for PausingPort<dyn Fixer> {
    async fn fix(
        &self,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        let _working = self.1.count_session();
        self.1.pause_here_unless(PausePoint::Fix, cancel).await?;
        self.0.fix(request, cancel).await
    }

    async fn forget_sessions(&self, id: &LoopId) -> std::io::Result<()> {
        self.0.forget_sessions(id).await
    }
}

#[async_trait]
impl GitHub for PausingPort<dyn GitHub> {
    async fn viewer(&self) -> Result<Actor, GitHubError> {
        self.0.viewer().await
    }

    async fn resolve_pull(&self, pull: &PullName) -> Result<ResolvedPull, GitHubError> {
        self.0.resolve_pull(pull).await
    }

    async fn open_pulls(&self, repo: &RepoName) -> Result<Vec<u64>, GitHubError> {
        self.0.open_pulls(repo).await
    }

    async fn observe(&self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>> {
        self.0.observe(pulls).await
    }

    async fn poll(&self, polls: &[PullPoll]) -> Vec<Result<Snapshot, ObserveFailure>> {
        self.1.pause_here(PausePoint::Poll).await;
        self.0.poll(polls).await
    }

    fn budgets(&self) -> Vec<RateBudget> {
        self.0.budgets()
    }

    async fn post(
        &self,
        pull: &PullRef,
        rendered: &RenderedPost,
        by: Option<&Login>,
    ) -> Result<u64, GitHubError> {
        self.1.pause_here(PausePoint::Post).await;
        let answer = self.0.post(pull, rendered, by).await;
        self.1.pause_here(PausePoint::Posted).await;
        answer
    }

    async fn find_post(
        &self,
        pull: &PullRef,
        token: &ActionToken,
    ) -> Result<Option<u64>, GitHubError> {
        self.0.find_post(pull, token).await
    }

    async fn resolve_thread(&self, pull: &PullRef, thread: &ThreadId) -> Result<(), GitHubError> {
        self.0.resolve_thread(pull, thread).await
    }

    async fn write_obstacle(&self, pull: &PullRef) -> Result<Option<WriteObstacle>, GitHubError> {
        self.1.pause_here(PausePoint::WriteObstacle).await;
        self.0.write_obstacle(pull).await
    }

    async fn lacking_rights(
        &self,
        repo: &RepoName,
        needed: &BTreeSet<RepositoryWrite>,
    ) -> Result<BTreeSet<TokenRight>, GitHubError> {
        self.0.lacking_rights(repo, needed).await
    }

    async fn rerun_check(&self, pull: &PullRef, run: &CheckRun) -> Result<(), GitHubError> {
        self.0.rerun_check(pull, run).await
    }

    async fn was_rerun(&self, pull: &PullRef, run: &CheckRun) -> Result<bool, GitHubError> {
        self.0.was_rerun(pull, run).await
    }

    fn git_url(&self, repo: &RepoName) -> String {
        self.0.git_url(repo)
    }
}

#[async_trait]
impl Git for PausingPort<dyn Git> {
    async fn prepare(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        base: &Sha,
        purpose: WorktreePurpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        self.0.prepare(pull, remote, head, base, purpose).await
    }

    async fn diff(&self, worktree: &CleanWorktree, base: &Sha) -> Result<Vec<DiffFile>, GitError> {
        self.0.diff(worktree, base).await
    }

    async fn changed_lines_since(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<Option<BTreeMap<String, Vec<LineRange>>>, GitError> {
        self.0.changed_lines_since(worktree, since).await
    }

    async fn changed_paths_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        base: &Sha,
    ) -> Result<Option<BTreeSet<String>>, GitError> {
        self.0.changed_paths_at(worktree, commit, base).await
    }

    async fn patch_of(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        max: usize,
    ) -> Result<Option<String>, GitError> {
        self.0.patch_of(worktree, commit, max).await
    }

    async fn file_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        path: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        self.0.file_at(worktree, commit, path, max).await
    }

    async fn paths_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
    ) -> Result<Vec<String>, GitError> {
        self.0.paths_at(worktree, commit).await
    }

    async fn search_words(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        search: &WordSearch,
    ) -> Result<WordHits, GitError> {
        self.0.search_words(worktree, commit, search).await
    }

    async fn commit_messages(
        &self,
        worktree: &CleanWorktree,
        max: usize,
    ) -> Result<Vec<String>, GitError> {
        self.0.commit_messages(worktree, max).await
    }

    async fn shield(
        &self,
        worktree: &CleanWorktree,
        base: &Sha,
        config: ShieldedConfig,
    ) -> Result<Shield, GitError> {
        self.0.shield(worktree, base, config).await
    }

    async fn unshield(&self, worktree: &CleanWorktree, shield: Shield) -> Result<(), GitError> {
        self.0.unshield(worktree, shield).await
    }

    async fn files_at(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        folder: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        self.0.files_at(pull, remote, commit, folder).await
    }

    async fn vet(
        &self,
        worktree: &CleanWorktree,
        syntax: &dyn SyntaxChecker,
        verify: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<Result<Option<VettedChange>, GateRefusal>, GitError> {
        self.0.vet(worktree, syntax, verify, cancel).await
    }

    async fn commit(
        &self,
        change: &VettedChange,
        message: &CommitMessage,
    ) -> Result<Sha, GitError> {
        let commit = self.0.commit(change, message).await;
        self.1.pause_here(PausePoint::Committed).await;
        commit
    }

    async fn oscillates(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        own: &BTreeSet<Sha>,
    ) -> Result<bool, GitError> {
        self.0.oscillates(worktree, commit, own).await
    }

    async fn push(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        heads: (&Sha, &Sha),
        by: Option<&Login>,
    ) -> Result<PushOutcome, GitError> {
        self.1.pause_here(PausePoint::Push).await;
        let outcome = self.0.push(pull, remote, heads, by).await;
        self.1.pause_here(PausePoint::Pushed).await;
        outcome
    }

    async fn rebase(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        onto: &Sha,
        base: &Sha,
    ) -> Result<CleanWorktree, GitError> {
        self.0.rebase(pull, remote, commit, onto, base).await
    }

    async fn merge_base_in(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        base: &Sha,
    ) -> Result<Option<MergedWorktree>, GitError> {
        self.0.merge_base_in(pull, remote, head, base).await
    }

    async fn lay_merge(&self, merged: &MergedWorktree, commit: &Sha) -> Result<(), GitError> {
        self.0.lay_merge(merged, commit).await
    }

    async fn vet_merge(
        &self,
        merged: &MergedWorktree,
        syntax: &dyn SyntaxChecker,
        verify: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<Result<VettedMerge, GateRefusal>, GitError> {
        self.0.vet_merge(merged, syntax, verify, cancel).await
    }

    async fn remote_head(&self, remote: &GitRemote) -> Result<Option<Sha>, GitError> {
        self.0.remote_head(remote).await
    }

    async fn clean_up(&self, pull: &PullRef) -> Result<(), GitError> {
        self.1.pause_here(PausePoint::CleanUp).await;
        self.0.clean_up(pull).await
    }
}

//! Ports that can be held at a point, so that a test can act, or pull the plug, at that very moment.

use async_trait::async_trait;
use collie_core::ids::{ActionToken, PullName, RepoName, Sha, ThreadId};
use collie_core::model::SessionFailure;
use collie_core::snapshot::{Actor, ObserveFailure, Snapshot};
use collie_engine::Ports;
use collie_engine::ports::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// A moment in the engine's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// A review is about to begin.
    Review,
    /// The fixer is about to begin.
    Fix,
    /// The fix is committed, and nobody has been told.
    Committed,
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
pub struct Hold {
    reached: CancellationToken,
    open: CancellationToken,
}

impl Hold {
    /// Waits until the engine has come to the point.
    pub async fn reached(&self) {
        tokio::time::timeout(super::PATIENCE, self.reached.cancelled())
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
pub struct Holds {
    armed: Mutex<BTreeMap<Point, Hold>>,
    working: AtomicUsize,
    most: AtomicUsize,
}

impl Holds {
    /// Holds everybody who comes to the point from now on.
    pub fn arm(&self, point: Point) -> Hold {
        let hold = Hold {
            reached: CancellationToken::new(),
            open: CancellationToken::new(),
        };
        self.all().insert(point, hold.clone());
        hold
    }

    /// Forgets every hold; who is held stays so.
    pub fn disarm(&self) {
        self.all().clear();
    }

    /// The most reviews and fixes that ever were at work at once.
    pub fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    fn all(&self) -> std::sync::MutexGuard<'_, BTreeMap<Point, Hold>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pass(&self, point: Point) {
        let hold = self.all().get(&point).cloned();
        if let Some(hold) = hold {
            hold.reached.cancel();
            hold.open.cancelled().await;
        }
    }

    /// Passes a point that a cancelled session leaves.
    async fn pass_unless(
        &self,
        point: Point,
        cancel: &CancellationToken,
    ) -> Result<(), SessionFailure> {
        tokio::select! {
            () = self.pass(point) => Ok(()),
            () = cancel.cancelled() => Err(SessionFailure::Transient { message: "cancelled".into() }),
        }
    }

    fn work(self: &Arc<Self>) -> Working {
        let now = self.working.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        Working(self.clone())
    }
}

/// Somebody at work.
struct Working(Arc<Holds>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Puts the holds before the real ports.
pub fn hold(ports: Ports, holds: &Arc<Holds>) -> Ports {
    let holds = holds.clone();
    Ports {
        github: Arc::new(Held(ports.github, holds.clone())),
        git: Arc::new(Held(ports.git, holds.clone())),
        reviewers: Arc::new(Held(ports.reviewers, holds.clone())),
        fixer: Arc::new(Held(ports.fixer, holds)),
        ..ports
    }
}

struct Held<T: ?Sized>(Arc<T>, Arc<Holds>);

#[async_trait]
impl Reviewers for Held<dyn Reviewers> {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewAnswer, SessionFailure> {
        let _working = self.1.work();
        self.1.pass_unless(Point::Review, cancel).await?;
        self.0.review(request, cancel).await
    }
}

#[async_trait]
impl Fixer for Held<dyn Fixer> {
    async fn fix(
        &self,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixAnswer, SessionFailure> {
        let _working = self.1.work();
        self.1.pass_unless(Point::Fix, cancel).await?;
        self.0.fix(request, cancel).await
    }
}

#[async_trait]
impl GitHub for Held<dyn GitHub> {
    async fn viewer(&self) -> Result<Actor, GitHubError> {
        self.0.viewer().await
    }

    async fn resolve(&self, pull: &PullName) -> Result<ResolvedPull, GitHubError> {
        self.0.resolve(pull).await
    }

    async fn open_pulls(&self, repo: &RepoName) -> Result<Vec<u64>, GitHubError> {
        self.0.open_pulls(repo).await
    }

    async fn observe(&self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>> {
        self.0.observe(pulls).await
    }

    async fn post(&self, pull: &PullRef, rendered: &Rendered) -> Result<u64, GitHubError> {
        self.1.pass(Point::Post).await;
        let answer = self.0.post(pull, rendered).await;
        self.1.pass(Point::Posted).await;
        answer
    }

    async fn find_posted(
        &self,
        pull: &PullRef,
        token: &ActionToken,
    ) -> Result<Option<u64>, GitHubError> {
        self.0.find_posted(pull, token).await
    }

    async fn resolve_thread(&self, pull: &PullRef, thread: &ThreadId) -> Result<(), GitHubError> {
        self.0.resolve_thread(pull, thread).await
    }

    fn git_url(&self, repo: &RepoName) -> String {
        self.0.git_url(repo)
    }
}

#[async_trait]
impl Git for Held<dyn Git> {
    async fn prepare(
        &self,
        pull: &PullRef,
        remote: &Remote,
        head: &Sha,
        base: &Sha,
        purpose: Purpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        self.0.prepare(pull, remote, head, base, purpose).await
    }

    async fn diff(&self, worktree: &CleanWorktree) -> Result<Vec<DiffFile>, GitError> {
        self.0.diff(worktree).await
    }

    async fn lines_since(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<BTreeMap<String, Vec<LineRange>>, GitError> {
        self.0.lines_since(worktree, since).await
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

    async fn shield(&self, worktree: &CleanWorktree, base: &Sha) -> Result<Shield, GitError> {
        self.0.shield(worktree, base).await
    }

    async fn unshield(&self, worktree: &CleanWorktree, shield: Shield) -> Result<(), GitError> {
        self.0.unshield(worktree, shield).await
    }

    async fn list_at(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
        folder: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        self.0.list_at(pull, remote, commit, folder).await
    }

    async fn vet(
        &self,
        worktree: &CleanWorktree,
        syntax: &dyn SyntaxJudge,
        verify: &[String],
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
        self.1.pass(Point::Committed).await;
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
        remote: &Remote,
        commit: &Sha,
        from: &Sha,
    ) -> Result<PushOutcome, GitError> {
        self.1.pass(Point::Push).await;
        let outcome = self.0.push(pull, remote, commit, from).await;
        self.1.pass(Point::Pushed).await;
        outcome
    }

    async fn rebase(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
        onto: &Sha,
        base: &Sha,
    ) -> Result<CleanWorktree, GitError> {
        self.0.rebase(pull, remote, commit, onto, base).await
    }

    async fn remote_head(&self, remote: &Remote) -> Result<Option<Sha>, GitError> {
        self.0.remote_head(remote).await
    }

    async fn clean_up(&self, pull: &PullRef) -> Result<(), GitError> {
        self.1.pass(Point::CleanUp).await;
        self.0.clean_up(pull).await
    }
}

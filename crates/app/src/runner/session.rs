//! One session of a runner: the clone, the work, and a heartbeat all the while.

use super::folder::RunnerFolder;
use super::shipped_pull::ShippedPull;
use crate::engine_client::local::disk_limits;
use async_trait::async_trait;
use collie_config::LiveConfig;
use collie_core::budget::BudgetExceeded;
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    BudgetAccount, ChangeTransfer as _, CleanWorktree, EarlierAttempt, FixRequest, Fixer as _, Git,
    GitError, GitRemote, PullRef, ReviewRequest, ReviewResponse, Reviewers as _, SessionMeter,
    VerifyPlan, WorktreePurpose,
};
use collie_git::{BUNDLE_HEAD, DiskLimitsSource, GitOptions, Worktrees};
use collie_reviewers::activity::ActivityRegistry;
use collie_reviewers::{KeySources, Panel, own_secrets};
use collie_runners::{
    ClaimedSession, ClientError, FailedSession, FixDone, FixWork, HandedIn, HeldSession,
    MAX_PATCH_BYTES, OfferedWork, ReviewDone, ReviewWork, SessionOutcome, SharedFile, Spent, Work,
    WorkKind, bytes_from_base64, bytes_to_base64,
};
use collie_sandbox::SandboxRunner;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long children get to end.
const CHILD_GRACE: Duration = Duration::from_secs(7);
/// Between two tries to hand something in.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// What sessions run on.
pub(super) struct SessionSetup<'a> {
    pub(super) config: &'a LiveConfig,
    pub(super) sandbox_supervisor: &'a Path,
    pub(super) keys: &'a KeySources,
}

/// How a session ended.
pub(super) enum SessionEnd {
    /// Its result was taken.
    HandedIn,
    /// It failed, and the server was told so.
    Failed(UserError),
    /// It is not wanted from this runner any more.
    Over,
    /// The runner stops: it was given back.
    GivenBack,
}

/// What is done, as people are told.
pub(super) fn kind_of(work: &OfferedWork) -> &'static str {
    match work.kind() {
        WorkKind::Review => "review",
        WorkKind::Fix => "fix",
    }
}

/// Counts what is spent, to be handed in: the limits are the server's.
#[derive(Default)]
struct SpentHere(Mutex<Vec<Spent>>);

#[async_trait]
impl BudgetAccount for SpentHere {
    async fn reserve(&self, _: Usage) -> Result<(), BudgetExceeded> {
        Ok(())
    }

    fn replace(&self, _: Usage, _: Usage) {}

    fn spend(&self, on: &str, usage: Usage) {
        let on = on.to_owned();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Spent { on, usage });
    }
}

/// Works on a session until it is done, over, or the runner is to stop; its folder is gone then.
pub(super) async fn run(
    setup: &SessionSetup<'_>,
    folder: &RunnerFolder,
    claimed: ClaimedSession,
    held: &HeldSession,
    stop: &CancellationToken,
) -> SessionEnd {
    let lease = Duration::from_millis(claimed.lease_ms);
    let spent = Arc::new(SpentHere::default());
    let meter = SessionMeter::with_account(spent.clone());
    let cancel = CancellationToken::new();
    // A task of its own, until the result has arrived: what works may keep its task busy for longer than a lease.
    let mut heart = AbortOnDropHandle::new(tokio::spawn(keep_alive(held.clone(), lease)));
    let outcome = {
        let working = work(setup, folder, &claimed.work, held, &meter, &cancel);
        tokio::pin!(working);
        tokio::select! {
            biased;
            done = &mut working => Some(done),
            over = &mut heart => {
                end_children(&cancel, working).await;
                tracing::info!(?over, "the session is over for this runner");
                return SessionEnd::Over;
            }
            () = stop.cancelled() => {
                end_children(&cancel, working).await;
                None
            }
        }
    };
    let (outcome, failure) = match outcome {
        None => (SessionOutcome::Returned, None),
        Some(Ok(outcome)) => (outcome, None),
        Some(Err(failure)) => {
            let error = error_of(&failure);
            (
                SessionOutcome::Failed(FailedSession { failure }),
                Some(error),
            )
        }
    };
    let given_back = matches!(outcome, SessionOutcome::Returned);
    let done = HandedIn {
        session: claimed.session,
        head: claimed.work.head,
        spent: std::mem::take(&mut *spent.0.lock().unwrap_or_else(PoisonError::into_inner)),
        refused_hosts: meter.refused_hosts(),
        outcome,
    };
    match hand_in(held, &done, lease, stop).await {
        Ok(()) if given_back => SessionEnd::GivenBack,
        Ok(()) => failure.map_or(SessionEnd::HandedIn, SessionEnd::Failed),
        Err(ClientError::Unexpected { status, message }) => {
            report_refusal(held, done, (status, message), lease, stop).await
        }
        Err(_) => SessionEnd::Over,
    }
}

/// What the server cannot use it is told of as a failure, so that the session goes on elsewhere at once.
async fn report_refusal(
    held: &HeldSession,
    done: HandedIn,
    (status, message): (u16, String),
    lease: Duration,
    stop: &CancellationToken,
) -> SessionEnd {
    let error = UserError::new(ErrorCode::RunnerServerAnswer)
        .with("url", "")
        .with("status", status)
        .with("message", message);
    let failure = SessionFailure::transient(error.clone());
    let outcome = SessionOutcome::Failed(FailedSession { failure });
    // Where the session is over already there is nobody to be told.
    let _ = hand_in(held, &HandedIn { outcome, ..done }, lease, stop).await;
    SessionEnd::Failed(error)
}

fn error_of(failure: &SessionFailure) -> UserError {
    match failure {
        SessionFailure::Transient { error }
        | SessionFailure::Permanent { error }
        | SessionFailure::Outage { error, .. }
        | SessionFailure::NoSandbox { error } => error.clone(),
        SessionFailure::OverBudget { .. } => UserError::new(ErrorCode::SessionOver),
        SessionFailure::HeadMismatch { .. } => UserError::new(ErrorCode::HeadMismatch),
    }
}

/// Lets children end.
async fn end_children(cancel: &CancellationToken, working: impl Future) {
    cancel.cancel();
    let _ = tokio::time::timeout(CHILD_GRACE, working).await;
}

/// Says that the runner is at it until nobody wants it to be; says why.
async fn keep_alive(held: HeldSession, lease: Duration) -> &'static str {
    let interval = (lease / 3).max(Duration::from_millis(200));
    let mut ends = Instant::now() + lease;
    loop {
        tokio::time::sleep(interval).await;
        match tokio::time::timeout(interval, held.heartbeat()).await {
            Ok(Ok(left)) => ends = Instant::now() + left,
            Ok(Err(ClientError::Over | ClientError::Refused(_))) => return "it was taken back",
            Ok(Err(_)) | Err(_) if Instant::now() >= ends => {
                return "the server was away for too long";
            }
            Ok(Err(error)) => tracing::info!(%error, "a heartbeat did not arrive"),
            Err(_) => {}
        }
    }
}

/// Hands in, again and again while the server is away and the lease may last.
async fn hand_in(
    held: &HeldSession,
    done: &HandedIn,
    lease: Duration,
    stop: &CancellationToken,
) -> Result<(), ClientError> {
    let ends = Instant::now() + lease;
    loop {
        match held.hand_in(done).await {
            Err(ClientError::Away(message)) if Instant::now() < ends => {
                tracing::info!(message, "the result did not arrive");
                if stop.is_cancelled() {
                    return Err(ClientError::Away(message));
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
            handed => return handed,
        }
    }
}

async fn work(
    setup: &SessionSetup<'_>,
    folder: &RunnerFolder,
    work: &OfferedWork,
    held: &HeldSession,
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Result<SessionOutcome, SessionFailure> {
    let io_failure = |error: std::io::Error| {
        let error = UserError::new(ErrorCode::CloneFailed).with_aside("message", error.to_string());
        SessionFailure::transient(error)
    };
    let claimed_at = Instant::now();
    let folder = folder.of_session().map_err(io_failure)?;
    let bundle = folder.path().join("session.bundle");
    let fetched = held.fetch_bundle(&bundle).await;
    fetched.map_err(|error| {
        let error =
            UserError::new(ErrorCode::GitUnreachable).with_aside("message", error.to_string());
        SessionFailure::transient(error)
    })?;
    let clone = SessionClone::make(setup, folder.path(), &bundle, work).await?;
    let panel = clone.panel(setup, folder.path(), work);
    let mut work = work.clone();
    work.take_time(claimed_at.elapsed());
    let work = &work;
    match &work.work {
        Work::Review(asked) => clone.review(&panel, work, asked, meter, cancel).await,
        Work::Fix(asked) => clone.fix(&panel, work, asked, meter, cancel).await,
    }
}

/// A clone made of the bundle of a session.
struct SessionClone {
    worktrees: Arc<Worktrees>,
    sandbox: SandboxRunner,
    worktree: CleanWorktree,
}

impl SessionClone {
    async fn make(
        setup: &SessionSetup<'_>,
        folder: &Path,
        bundle: &Path,
        work: &OfferedWork,
    ) -> Result<Self, SessionFailure> {
        let live = setup.config.clone();
        let sandbox = SandboxRunner::new(setup.sandbox_supervisor.to_owned());
        let options = GitOptions {
            known_secrets: own_secrets(setup.config),
            disk_limits: DiskLimitsSource::new(move || disk_limits(live.get().disk)),
            sandbox: sandbox.clone(),
            // The repository that the bundle is made into, and no other.
            allow_file_remotes: true,
            ..GitOptions::default()
        };
        let root = folder.join("git");
        let nobody = Arc::new(|| None);
        let worktrees = Worktrees::new(&root, nobody, None, options);
        let worktrees = Arc::new(worktrees.map_err(SessionFailure::transient)?);
        let repository = root.join("session.git");
        let made = worktrees.repository_of_bundle(bundle, &repository).await;
        made.map_err(SessionFailure::transient)?;
        // It is in the clone's remote by now.
        let _ = std::fs::remove_file(bundle);
        let url = format!("file://{}", repository.display());
        let remote = GitRemote {
            url: url.clone(),
            head_url: url,
            branch: BUNDLE_HEAD.into(),
            deleted_fork: None,
        };
        let pull = PullRef {
            id: work.loop_id.clone(),
            repo: work.repo.clone(),
        };
        let purpose = match &work.work {
            Work::Review(asked) => WorktreePurpose::Review(&asked.reviewer.name),
            Work::Fix(_) => WorktreePurpose::Fix,
        };
        let (head, base) = (&work.head, &work.base);
        let prepared = worktrees.prepare(&pull, &remote, head, base, purpose).await;
        let worktree = prepared.map_err(prepare_failure)?;
        if let Work::Review(asked) = &work.work
            && let Some(since) = &asked.since
        {
            // It brings the commit into the clone, where the bundle has it; what changed since then is told by it.
            let _ = worktrees.files_at(&pull, &remote, since, ".collie").await;
        }
        Ok(Self {
            worktrees,
            sandbox,
            worktree,
        })
    }

    fn panel(&self, setup: &SessionSetup<'_>, folder: &Path, work: &OfferedWork) -> Panel {
        let git: Arc<dyn Git> = self.worktrees.clone();
        let rules = Arc::new(collie_rules::RulesAdapter::new(git.clone()));
        let shipped = Arc::new(ShippedPull::of(work));
        let panel = Panel::elsewhere(
            setup.config.clone(),
            rules,
            git,
            (shipped.clone(), own_secrets(setup.config)),
            (folder.join("agents"), shipped),
            Arc::<ActivityRegistry>::default(),
            self.sandbox.clone(),
        );
        panel.with_keys(setup.keys.clone())
    }

    async fn review(
        &self,
        panel: &Panel,
        work: &OfferedWork,
        asked: &ReviewWork,
        meter: &SessionMeter,
        cancel: &CancellationToken,
    ) -> Result<SessionOutcome, SessionFailure> {
        let diff = self.worktrees.diff(&self.worktree, &work.base).await;
        let request = ReviewRequest {
            meter: meter.clone(),
            reviewer: asked.reviewer.clone(),
            worktree: self.worktree.clone(),
            author_may_write: asked.author_may_write,
            base: work.base.clone(),
            diff: diff.map_err(SessionFailure::transient)?,
            since: asked.since.clone(),
            known_findings: asked.known_findings.clone(),
            unseen: asked.unseen.clone(),
            doubted: asked.doubted.clone(),
            rules: files(&asked.rules)?,
            personas: files(&asked.personas)?,
            // Only the rules' linters need the repository's packages, and they review on the server.
            prepare: Vec::new(),
            policy: asked.policy.clone(),
            now: asked.now,
            time_left_ms: asked.time_left_ms,
        };
        let response = panel.review(request, cancel).await?;
        Ok(SessionOutcome::Review(Box::new(review_done(response))))
    }

    async fn fix(
        &self,
        panel: &Panel,
        work: &OfferedWork,
        asked: &FixWork,
        meter: &SessionMeter,
        cancel: &CancellationToken,
    ) -> Result<SessionOutcome, SessionFailure> {
        let diff = self.worktrees.diff(&self.worktree, &work.base).await;
        let tried = bytes_from_base64(&asked.tried).ok_or_else(unreadable)?;
        let laid = self.worktrees.lay_change(&self.worktree, &tried).await;
        laid.map_err(SessionFailure::transient)?;
        let attempts = asked.attempts.iter().map(|tried| EarlierAttempt {
            finding_id: tried.finding_id.clone(),
            patch: tried.patch.clone(),
            standing_reason: tried.standing_reason.clone(),
        });
        let request = FixRequest {
            meter: meter.clone(),
            worktree: self.worktree.clone(),
            resolves_merge: false,
            diff: diff.map_err(SessionFailure::transient)?,
            payload: asked.payload.clone(),
            rules: files(&asked.rules)?,
            attempts: attempts.collect(),
            refusal: asked.refusal.clone(),
            base: work.base.clone(),
            title: asked.title.clone(),
            author: asked.author.clone(),
            // The agent is told what its work must pass; it is run on the server alone.
            verify: VerifyPlan {
                commands: asked.verify_commands.clone(),
                ..VerifyPlan::default()
            },
        };
        let response = panel.fix(request, cancel).await?;
        let patch = self.worktrees.change_of(&self.worktree).await;
        let patch = patch.map_err(SessionFailure::transient)?;
        if patch.len() > MAX_PATCH_BYTES {
            let large = UserError::new(ErrorCode::PatchTooLarge);
            let large = large.with("mb", MAX_PATCH_BYTES >> 20);
            return Err(SessionFailure::transient(large));
        }
        Ok(SessionOutcome::Fix(Box::new(FixDone {
            result: response.result,
            patch: bytes_to_base64(&patch),
            independent: response.independent,
            summary: response.session,
        })))
    }
}

fn prepare_failure(error: GitError) -> SessionFailure {
    match error {
        GitError::HeadMismatch { found, .. } => SessionFailure::HeadMismatch { found },
        error => SessionFailure::transient(error),
    }
}

/// What the server sent is none of what servers send.
fn unreadable() -> SessionFailure {
    let error = UserError::new(ErrorCode::RequestMalformed).with("message", "base64");
    SessionFailure::transient(error)
}

fn files(shared: &[SharedFile]) -> Result<Vec<(String, Vec<u8>)>, SessionFailure> {
    let read = |file: &SharedFile| {
        let bytes = bytes_from_base64(&file.base64).ok_or_else(unreadable)?;
        Ok((file.path.clone(), bytes))
    };
    shared.iter().map(read).collect()
}

fn review_done(response: ReviewResponse) -> ReviewDone {
    ReviewDone {
        result: response.result,
        prompt_hash: response.prompt_hash,
        withdrawn: response.withdrawn,
        replacements: response.replacements,
        not_rechecked: response.not_rechecked,
        upheld: response.upheld,
        covered: response.covered,
        summary: response.session,
        unseen: response.unseen,
        second_looks: response.second_looks,
    }
}

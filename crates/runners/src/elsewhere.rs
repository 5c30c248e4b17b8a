//! The engine's reviewers and fixer where sessions may go to other machines: offered to runners first, done here otherwise.

use crate::handed_in::{
    FixDone, HandedIn, ReviewDone, SessionOutcome, bytes_from_base64, bytes_to_base64,
};
use crate::leases::WorkKind;
use crate::queue::{Arrival, RunnerQueue, Ticket};
use crate::work::{
    FixWork, OfferedWork, ReviewWork, SharedFile, TriedBefore, Work, time_left_after,
};
use async_trait::async_trait;
use collie_config::{LiveConfig, RunnersConfig, WithoutRunner};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::event::SessionFailure;
use collie_core::ids::{LoopId, Sha};
use collie_core::policy::ReviewerKind;
use collie_core::text::KnownSecrets;
use collie_core::usage::Usage;
use collie_core::user_error::{TextArg, UserError};
use collie_engine::ports::{
    ChangeTransfer, CleanWorktree, FixRequest, FixResponse, Fixer, GitError, MemoryKey,
    ReviewMemory, ReviewRequest, ReviewResponse, Reviewers, SessionMeter,
};
use collie_reviewers::activity::{Activity, ActivityRegistry, FIXER_NAME, WorkerHandle};
use collie_reviewers::{PullReader, redact_fix, redact_review};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// So many runners may take a session and go silent; then it is not offered any more.
const MAX_LOST: usize = 3;
/// No lease is shorter.
const MIN_LEASE: Duration = Duration::from_secs(1);

/// What sessions elsewhere are made of.
pub struct ElsewhereParts {
    /// Who reviews here.
    pub reviewers: Arc<dyn Reviewers>,
    /// Who fixes here.
    pub fixer: Arc<dyn Fixer>,
    /// Where sessions are offered.
    pub queue: Arc<RunnerQueue>,
    /// Carries commits there and changes back.
    pub transfer: Arc<dyn ChangeTransfer>,
    /// Reads pull requests.
    pub pulls: Arc<dyn PullReader>,
    /// What people made of earlier findings.
    pub memory: Arc<dyn ReviewMemory>,
    /// What may go elsewhere, as it is now.
    pub config: LiveConfig,
    /// Where it is shown.
    pub activities: Arc<ActivityRegistry>,
    /// What is kept out of the journal.
    pub known_secrets: KnownSecrets,
    /// Where bundles lie while they are offered.
    pub folder: PathBuf,
}

/// Reviewers and a fixer that hand sessions to runners.
pub struct Elsewhere(ElsewhereParts);

/// What is offered, and who asks for it.
struct Asked<'a> {
    name: &'a str,
    worktree: &'a CleanWorktree,
    base: &'a Sha,
    also: Vec<Sha>,
    meter: &'a SessionMeter,
    cancel: &'a CancellationToken,
}

/// How an offer ended.
enum Ended {
    /// A runner has handed it in.
    HandedIn(Box<Arrival>),
    /// Nobody took it: it is done here.
    Here,
}

impl Elsewhere {
    /// Begins with an empty folder of bundles: what a process before has offered is offered anew.
    pub fn new(parts: ElsewhereParts) -> Self {
        if let Err(error) = std::fs::remove_dir_all(&parts.folder)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "bundles of earlier sessions could not be removed");
        }
        Self(parts)
    }

    /// Whether such work is offered now: the user lets it, and somebody may take it.
    fn offers(&self, kind: WorkKind) -> bool {
        let runners = self.0.config.get().runners;
        let may = match kind {
            WorkKind::Review => runners.reviews,
            WorkKind::Fix => runners.fixes,
        };
        may && (runners.otherwise == WithoutRunner::Fail || self.0.queue.is_expected())
    }

    /// Offers a session until somebody has handed it in, or nobody takes it.
    async fn offer(&self, asked: &Asked<'_>, work: Work) -> Result<Ended, SessionFailure> {
        // Nobody knows what it will cost: something has to be left.
        for unknown in [Usage::default(), Usage::default().without_price()] {
            let reserved = asked.meter.reserve(unknown).await;
            drop(reserved.map_err(|exceeded| SessionFailure::OverBudget { exceeded })?);
        }
        let runners = self.0.config.get().runners;
        let worker = (self.0.activities).start_worker(
            &asked.worktree.pull().id,
            asked.name,
            "collie runner",
        );
        worker.set_activity(Activity::WaitingForRunner);
        let folder = self.bundle_folder().map_err(SessionFailure::transient)?;
        let bundle = folder.path().join("session.bundle");
        let made = self
            .0
            .transfer
            .bundle(asked.worktree, asked.base, &asked.also, &bundle);
        made.await.map_err(git_failure)?;
        let work = self.describe(asked, work).await?;
        let lease = Duration::from_millis(runners.lease_ms).max(MIN_LEASE);
        let ticket = self.0.queue.offer(work, bundle, lease);
        wait_for_runner(ticket, &runners, &worker, asked.cancel).await
    }

    fn bundle_folder(&self) -> Result<tempfile::TempDir, UserError> {
        let folder = &self.0.folder;
        let made = std::fs::create_dir_all(folder)
            .and_then(|()| tempfile::Builder::new().prefix("offer-").tempdir_in(folder));
        made.map_err(|error| {
            UserError::new(ErrorCode::CloneFailed)
                .with_aside("message", error.to_string())
                .hint(ErrorHint::DataFolder)
        })
    }

    /// What a runner has to know of the pull request.
    async fn describe(&self, asked: &Asked<'_>, work: Work) -> Result<OfferedWork, SessionFailure> {
        let pull = asked.worktree.pull();
        let snapshot = self.0.pulls.snapshot(pull).await?;
        let issues = self.0.pulls.linked_issues(&snapshot).await;
        let key = MemoryKey {
            id: pull.id.repository(),
            name: snapshot.repo.clone(),
        };
        let memory = match self.0.memory.read(&key).await {
            Ok(memory) => memory.entries,
            Err(error) => {
                tracing::warn!(%error, "what people made of earlier findings is not known to this session");
                Vec::new()
            }
        };
        Ok(OfferedWork {
            loop_id: pull.id.clone(),
            repo: pull.repo.clone(),
            head: asked.worktree.head().clone(),
            base: asked.base.clone(),
            snapshot,
            issues,
            memory,
            work,
        })
    }
}

/// Waits until a runner has handed the session in. Each time nobody holds it the wait for somebody begins anew.
async fn wait_for_runner(
    mut ticket: Ticket,
    runners: &RunnersConfig,
    worker: &Arc<WorkerHandle>,
    cancel: &CancellationToken,
) -> Result<Ended, SessionFailure> {
    let wait = Duration::from_millis(runners.wait_ms);
    let mut lost: Vec<String> = Vec::new();
    let mut held_by: Option<String> = None;
    let mut give_up = Instant::now() + wait;
    loop {
        let changed = ticket.changed();
        let holder = ticket.holder();
        let next = match &holder {
            Some((runner, ends)) => {
                worker.set_activity(Activity::RunningElsewhere {
                    runner: runner.clone(),
                });
                Instant::from_std(*ends)
            }
            None => {
                if let Some(runner) = held_by.take() {
                    tracing::info!(runner, "a runner holds its session no more");
                    lost.push(runner);
                    give_up = Instant::now() + wait;
                }
                worker.set_activity(Activity::WaitingForRunner);
                give_up
            }
        };
        if let Some((runner, _)) = holder {
            held_by = Some(runner);
        } else if (Instant::now() >= give_up || lost.len() >= MAX_LOST)
            && let Some(last) = ticket.take_back()
        {
            return without_runner(runners, &lost, last.map(|(_, failure)| failure));
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => {
                let cancelled = UserError::new(ErrorCode::Cancelled);
                return Err(SessionFailure::transient(cancelled));
            }
            arrival = ticket.arrival() => return Ok(Ended::HandedIn(Box::new(arrival))),
            () = changed => {}
            () = tokio::time::sleep_until(next) => {}
        }
    }
}

/// What becomes of a session that no runner has done.
fn without_runner(
    runners: &RunnersConfig,
    lost: &[String],
    failure: Option<SessionFailure>,
) -> Result<Ended, SessionFailure> {
    match runners.otherwise {
        WithoutRunner::Here => {
            tracing::info!(?lost, "no runner does the session: it is done here");
            return Ok(Ended::Here);
        }
        WithoutRunner::Fail => {}
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    let error =
        match lost {
            [] => UserError::new(ErrorCode::NoRunner)
                .with_arg("wait", TextArg::Millis(runners.wait_ms)),
            lost => UserError::new(ErrorCode::RunnersLost)
                .with_arg("names", TextArg::Names(lost.to_vec())),
        };
    Err(SessionFailure::transient(error.hint(ErrorHint::ServerDocs)))
}

fn git_failure(error: GitError) -> SessionFailure {
    SessionFailure::transient(error)
}

fn shared_files(files: &[(String, Vec<u8>)]) -> Vec<SharedFile> {
    let share = |(path, bytes): &(String, Vec<u8>)| SharedFile {
        path: path.clone(),
        base64: bytes_to_base64(bytes),
    };
    files.iter().map(share).collect()
}

/// Counts what the runner spent and was refused.
fn count(meter: &SessionMeter, done: &HandedIn) {
    for spent in &done.spent {
        meter.add(&spent.on, spent.usage);
    }
    meter.add_refused_hosts(done.refused_hosts.clone());
}

/// The outcome that a session cannot have by now: the queue has sorted it out.
fn unexpected(outcome: SessionOutcome) -> SessionFailure {
    match outcome {
        SessionOutcome::Failed(failed) => failed.failure,
        SessionOutcome::Returned | SessionOutcome::Review(_) | SessionOutcome::Fix(_) => {
            SessionFailure::transient(UserError::new(ErrorCode::SessionOtherWork))
        }
    }
}

fn review_work(request: &ReviewRequest) -> Work {
    Work::Review(Box::new(ReviewWork {
        reviewer: request.reviewer.clone(),
        author_may_write: request.author_may_write,
        since: request.since.clone(),
        known_findings: request.known_findings.clone(),
        unseen: request.unseen.clone(),
        doubted: request.doubted.clone(),
        rules: shared_files(&request.rules),
        personas: shared_files(&request.personas),
        policy: request.policy.clone(),
        now: request.now,
        time_left_ms: request.time_left_ms,
    }))
}

fn review_response(done: ReviewDone) -> ReviewResponse {
    ReviewResponse {
        result: done.result,
        prompt_hash: done.prompt_hash,
        withdrawn: done.withdrawn,
        replacements: done.replacements,
        not_rechecked: done.not_rechecked,
        upheld: done.upheld,
        covered: done.covered,
        session: done.summary,
        unseen: done.unseen,
        second_looks: done.second_looks,
    }
}

#[async_trait]
impl Reviewers for Elsewhere {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        // The rules look in a moment, and need nothing that a runner has.
        if request.reviewer.kind != ReviewerKind::Agent || !self.offers(WorkKind::Review) {
            return self.0.reviewers.review(request, cancel).await;
        }
        let asked_at = Instant::now();
        let asked = Asked {
            name: &request.reviewer.name,
            worktree: &request.worktree,
            base: &request.base,
            also: request.since.iter().cloned().collect(),
            meter: &request.meter,
            cancel,
        };
        let arrival = match self.offer(&asked, review_work(&request)).await? {
            Ended::HandedIn(arrival) => arrival,
            Ended::Here => {
                let request = ReviewRequest {
                    time_left_ms: time_left_after(request.time_left_ms, asked_at.elapsed()),
                    ..request
                };
                return self.0.reviewers.review(request, cancel).await;
            }
        };
        let Arrival {
            done,
            runner,
            verdict,
        } = *arrival;
        count(&request.meter, &done);
        // The runner may have gone: what it handed in counts all the same.
        let _ = verdict.send(Ok(()));
        tracing::info!(runner, "a review was handed in");
        let SessionOutcome::Review(done) = done.outcome else {
            return Err(unexpected(done.outcome));
        };
        let mut response = review_response(*done);
        redact_review(&mut response, &self.0.known_secrets);
        Ok(response)
    }
}

impl Elsewhere {
    async fn fix_work(&self, request: &FixRequest) -> Result<Work, SessionFailure> {
        let tried = self.0.transfer.change_of(&request.worktree).await;
        let tried = tried.map_err(git_failure)?;
        let before = request.attempts.iter().map(|attempt| TriedBefore {
            finding_id: attempt.finding_id.clone(),
            patch: attempt.patch.clone(),
            standing_reason: attempt.standing_reason.clone(),
        });
        Ok(Work::Fix(Box::new(FixWork {
            payload: request.payload.clone(),
            rules: shared_files(&request.rules),
            attempts: before.collect(),
            refusal: request.refusal.clone(),
            tried: bytes_to_base64(&tried),
            title: request.title.clone(),
            author: request.author.clone(),
            verify_commands: request.verify.commands.clone(),
        })))
    }

    /// Lays what a runner did into the worktree, where the gates judge it; tells the runner whether it could be laid there.
    async fn lay(
        &self,
        request: &FixRequest,
        done: FixDone,
        verdict: tokio::sync::oneshot::Sender<Result<(), UserError>>,
    ) -> Result<FixResponse, SessionFailure> {
        let patch = bytes_from_base64(&done.patch).unwrap_or_default();
        let laid = self.0.transfer.lay_change(&request.worktree, &patch).await;
        let unfit = UserError::new(ErrorCode::PatchUnfit);
        let (told, failure) = match laid {
            Ok(()) => (Ok(()), None),
            Err(GitError::Diverged) => {
                let failure = SessionFailure::transient(unfit.clone());
                (Err(unfit), Some(failure))
            }
            Err(error) => (Ok(()), Some(git_failure(error))),
        };
        // The runner may have gone.
        let _ = verdict.send(told);
        if let Some(failure) = failure {
            return Err(failure);
        }
        let mut response = FixResponse {
            result: done.result,
            session: done.summary,
            independent: done.independent,
        };
        redact_fix(&mut response, &self.0.known_secrets);
        Ok(response)
    }
}

#[async_trait]
impl Fixer for Elsewhere {
    async fn fix(
        &self,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        // What is checked out for a merge is no commit that could be carried anywhere.
        if request.resolves_merge || !self.offers(WorkKind::Fix) {
            return self.0.fixer.fix(request, cancel).await;
        }
        let asked = Asked {
            name: FIXER_NAME,
            worktree: &request.worktree,
            base: &request.base,
            also: Vec::new(),
            meter: &request.meter,
            cancel,
        };
        let work = self.fix_work(&request).await?;
        let arrival = match self.offer(&asked, work).await? {
            Ended::HandedIn(arrival) => arrival,
            Ended::Here => return self.0.fixer.fix(request, cancel).await,
        };
        let Arrival {
            done,
            runner,
            verdict,
        } = *arrival;
        count(&request.meter, &done);
        tracing::info!(runner, "a fix was handed in");
        match done.outcome {
            SessionOutcome::Fix(done) => self.lay(&request, *done, verdict).await,
            other => {
                let _ = verdict.send(Ok(()));
                Err(unexpected(other))
            }
        }
    }

    async fn forget_sessions(&self, id: &LoopId) -> std::io::Result<()> {
        self.0.fixer.forget_sessions(id).await
    }
}

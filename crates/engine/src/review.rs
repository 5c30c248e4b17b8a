//! One review session: a checkout of the head, the reviewer's look, and what it says held against the code.

use crate::effect_host::{EffectHost, pull_ref, remote, trust_of};
use crate::findings;
use crate::ports::{
    CleanWorktree, Clock, DiffFile, Git, GitError, GitRemote, PrepareStep, PullRef, ReviewRequest,
    Reviewers, SessionMeter, WorktreePurpose,
};
use crate::repository_files::{persona_files, rule_files};
use crate::session_deadline::with_deadline;
use crate::verify_plan::verify_plan;
use collie_core::coverage::UnseenFile;
use collie_core::effect::ReviewEffect;
use collie_core::error_code::ErrorCode;
use collie_core::event::{Outage, SessionFailure};
use collie_core::event::{Outcome, ReviewFinished, SecondLookScore};
use collie_core::finding::{Finding, Replacement, SourceType};
use collie_core::identity::fingerprints;
use collie_core::ids::{Fingerprint, Sha, ThreadId, Time};
use collie_core::loop_state::LoopState;
use collie_core::policy::{Policy, ReviewerKind, ReviewerSpec};
use collie_core::review::ReviewerResult;
use collie_core::session::SessionSummary;
use collie_core::tracked_finding::TrackedFinding;
use collie_core::usage::Usage;
use collie_core::user_error::{TextArg, UserError};
use std::collections::{BTreeMap, BTreeSet};
use tokio_util::sync::CancellationToken;

/// A file larger than that is not held against evidence.
const MAX_FILE: u64 = 8 * 1024 * 1024;

/// What one reviewer is to look at, and with what.
#[derive(Clone, Copy)]
pub struct ReviewTask<'a> {
    /// What its deadline goes by.
    pub clock: &'a dyn Clock,
    /// Where the checkout is made.
    pub git: &'a dyn Git,
    /// Who asks the reviewer.
    pub reviewers: &'a dyn Reviewers,
    /// The pull request.
    pub pull: &'a PullRef,
    /// Where its head branch lives.
    pub remote: &'a GitRemote,
    /// Who looks.
    pub reviewer: &'a ReviewerSpec,
    /// Whether the author may write to the repository, or is the signed-in account.
    pub author_may_write: bool,
    /// The head to look at.
    pub head: &'a Sha,
    /// The commit that the base branch is at.
    pub base: &'a Sha,
    /// The commit of the default branch that the repository's own rules and personas are read from; without it there are none.
    pub own_files: Option<&'a Sha>,
    /// The head that this reviewer saw last.
    pub since: Option<&'a Sha>,
    /// Findings that stand, rejections with reasons.
    pub known_findings: &'a [TrackedFinding],
    /// Files that this reviewer was not shown wholly before.
    pub unseen: &'a [UnseenFile],
    /// Findings of bots to be held against the code; where there are some, nothing else is looked for.
    pub doubted: &'a [Finding],
    /// What gets the repository's own packages into the checkout; only commands that may run.
    pub prepare: &'a [PrepareStep],
    /// What is gone by.
    pub policy: &'a Policy,
    /// Commits of fixes that Collie made here.
    pub own_commits: &'a BTreeSet<Sha>,
    /// When.
    pub now: Time,
    /// Where what it costs is counted.
    pub meter: &'a SessionMeter,
}

/// What a look came to, held against the code.
#[derive(Clone, Debug)]
pub struct ReviewOutcome {
    /// What the reviewer says; findings whose evidence does not stand at the head are out of it.
    pub result: ReviewerResult,
    /// What it cost.
    pub usage: Usage,
    /// Hash of the prompts that it was made with; none when there were none.
    pub prompt_hash: Option<String>,
    /// Earlier findings of its own that the reviewer takes back.
    pub withdrawn: BTreeSet<Fingerprint>,
    /// Earlier findings of its own that the reviewer could not be asked about.
    pub not_rechecked: BTreeSet<Fingerprint>,
    /// Ids of findings on a line that the diff shows.
    pub in_diff: BTreeSet<String>,
    /// Ids of findings on lines that the last fix wrote.
    pub introduced_by_fix: BTreeSet<String>,
    /// What can be put in place of a finding's lines, by its id; the diff shows all of them together.
    pub replacements: BTreeMap<String, Replacement>,
    /// Why earlier findings of its own still stand, in its words, by their ids in the result.
    pub upheld: BTreeMap<String, String>,
    /// Open threads of somebody trusted that say a finding already, by its id.
    pub covered: BTreeMap<String, ThreadId>,
    /// How the session went; none where there was none.
    pub session: Option<SessionSummary>,
    /// Changed files that the reviewer was not shown wholly up to this head.
    pub unseen: Vec<UnseenFile>,
    /// How far findings of bots stand, by their ids.
    pub second_looks: BTreeMap<String, SecondLookScore>,
}

impl ReviewOutcome {
    /// What it is for the loop that asked.
    pub fn into_finished(self, head: Sha) -> ReviewFinished {
        ReviewFinished {
            head,
            fingerprints: fingerprints(&self.result.findings),
            result: Box::new(self.result),
            in_diff: self.in_diff,
            introduced_by_fix: self.introduced_by_fix,
            usage: self.usage,
            prompt_hash: self.prompt_hash,
            withdrawn: self.withdrawn,
            replacements: self.replacements,
            not_rechecked: self.not_rechecked,
            upheld: self.upheld,
            covered: self.covered.keys().cloned().collect(),
            covered_by: self.covered,
            session: self.session.map(Box::new),
            unseen: self.unseen,
            second_looks: self.second_looks,
        }
    }
}

/// Path and text of each.
type NamedFiles = Vec<(String, Vec<u8>)>;

/// Lets one reviewer look, at most for `deadline_ms`. Ends soon after `cancel`.
pub async fn run_review(
    task: ReviewTask<'_>,
    deadline_ms: u64,
    cancel: &CancellationToken,
) -> Result<ReviewOutcome, SessionFailure> {
    let clock = task.clock;
    let ends_at = clock.now().plus(deadline_ms);
    with_deadline(clock, deadline_ms, cancel, |stop| {
        review_in_worktree(task, ends_at, stop)
    })
    .await
    .unwrap_or_else(|| Err(deadline_passed(ErrorCode::ReviewDeadline, deadline_ms)))
}

pub(crate) async fn run(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &ReviewEffect,
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Option<Outcome> {
    let prepare = match prepare_steps(host, state, &asked.reviewer).await {
        Ok(prepare) => prepare,
        Err(error) => return Some(Outcome::ReviewFailed(meter.failed(session_failure(error)))),
    };
    let task = ReviewTask {
        clock: host.ports().clock.as_ref(),
        git: host.ports().git.as_ref(),
        reviewers: host.ports().reviewers.as_ref(),
        pull: &pull_ref(state),
        remote: &remote(host.ports(), state),
        reviewer: &asked.reviewer,
        author_may_write: state.run.head.author_may_write,
        head: &asked.head,
        base: &asked.base,
        own_files: state.run.configuration.commit.as_ref(),
        since: asked.since.as_ref(),
        known_findings: &asked.known_findings,
        unseen: &asked.unseen,
        doubted: &asked.doubted,
        prepare: &prepare,
        policy: &state.run.configuration.policy,
        own_commits: &state.memory.fix_commits(),
        now: host.ports().clock.now(),
        meter,
    };
    let reviewed = run_review(task, host.config().review_deadline_ms, cancel).await;
    Some(match reviewed {
        Ok(outcome) => outcome.into_finished(asked.head.clone()).into(),
        Err(failure) => Outcome::ReviewFailed(meter.failed(failure)),
    })
}

/// What gets the repository's packages ready for its linters: of a collaborator's pull request, as far as the user trusts the commands.
async fn prepare_steps(
    host: &dyn EffectHost,
    state: &LoopState,
    reviewer: &ReviewerSpec,
) -> Result<Vec<PrepareStep>, GitError> {
    if reviewer.kind != ReviewerKind::Rules || !state.run.head.author_may_write {
        return Ok(Vec::new());
    }
    let plan = verify_plan(host, state).await?;
    let (permitted, _) = plan.permitted(&trust_of(host, state));
    Ok(permitted.prepare)
}

pub(crate) fn deadline_passed(code: ErrorCode, deadline_ms: u64) -> SessionFailure {
    let deadline = TextArg::Millis(deadline_ms);
    SessionFailure::transient(UserError::new(code).with_arg("deadline", deadline))
}

async fn review_in_worktree(
    task: ReviewTask<'_>,
    ends_at: Time,
    cancel: CancellationToken,
) -> Result<ReviewOutcome, SessionFailure> {
    let (git, pull, remote, base) = (task.git, task.pull, task.remote, task.base);
    let purpose = WorktreePurpose::Review(&task.reviewer.name);
    let worktree = git
        .prepare(pull, remote, task.head, base, purpose)
        .await
        .map_err(session_failure)?;
    let diff = git.diff(&worktree, base).await.map_err(session_failure)?;
    let own = own_files(task).await.map_err(session_failure)?;
    let (rules, personas) = own;
    let request = ReviewRequest {
        meter: task.meter.clone(),
        reviewer: task.reviewer.clone(),
        author_may_write: task.author_may_write,
        worktree: worktree.clone(),
        base: base.clone(),
        diff: diff.clone(),
        since: task.since.cloned(),
        known_findings: task.known_findings.to_vec(),
        unseen: task.unseen.to_vec(),
        doubted: task.doubted.to_vec(),
        rules,
        personas,
        prepare: task.prepare.to_vec(),
        policy: task.policy.clone(),
        now: task.now,
        time_left_ms: ends_at.since(task.clock.now()),
    };
    let answer = task.reviewers.review(request, &cancel).await?;
    let valid = answer.result.validated(pull.id.number);
    let result = valid.map_err(SessionFailure::transient)?;
    verify_findings(task, &worktree, &diff, result)
        .await
        .map(|(result, in_diff, by_fix)| ReviewOutcome {
            replacements: findings::applicable_replacements(
                &result.findings,
                answer.replacements,
                &diff,
            ),
            result,
            not_rechecked: answer.not_rechecked,
            upheld: answer.upheld,
            covered: answer.covered,
            usage: task.meter.total(),
            prompt_hash: answer.prompt_hash,
            withdrawn: answer.withdrawn,
            in_diff,
            introduced_by_fix: by_fix,
            session: answer.session,
            unseen: answer.unseen,
            second_looks: answer.second_looks,
        })
        .map_err(session_failure)
}

/// The repository's own rules and personas.
async fn own_files(task: ReviewTask<'_>) -> Result<(NamedFiles, NamedFiles), GitError> {
    let (git, pull, remote) = (task.git, task.pull, task.remote);
    let rules = rule_files(git, pull, remote, task.own_files).await?;
    let personas = persona_files(git, pull, remote, task.own_files).await?;
    Ok((rules, personas))
}

async fn verify_findings(
    task: ReviewTask<'_>,
    worktree: &CleanWorktree,
    diff: &[DiffFile],
    mut result: ReviewerResult,
) -> Result<(ReviewerResult, BTreeSet<String>, BTreeSet<String>), GitError> {
    let git = task.git;
    let mut files = BTreeMap::new();
    for finding in &result.findings {
        let quotes = finding.source.kind == SourceType::Agent && finding.evidence.is_some();
        if quotes && !finding.file.is_empty() && !files.contains_key(&finding.file) {
            let file = git
                .file_at(worktree, worktree.head(), &finding.file, MAX_FILE)
                .await?;
            files.insert(finding.file.clone(), file);
        }
    }
    let dropped = findings::drop_unsupported(&mut result, &files);
    if dropped > 0 {
        tracing::info!(
            dropped,
            "findings whose evidence does not stand at this head"
        );
    }
    let in_diff = findings::in_diff(&result.findings, diff);
    let by_fix = match task.since {
        Some(since) if task.own_commits.contains(worktree.head()) => findings::on_changed_lines(
            &result.findings,
            &git.changed_lines_since(worktree, since)
                .await?
                .unwrap_or_default(),
        ),
        Some(_) | None => BTreeSet::new(),
    };
    Ok((result, in_diff, by_fix))
}

/// What a failure of git means for a session.
pub(crate) fn session_failure(error: GitError) -> SessionFailure {
    match error {
        GitError::HeadMismatch { found, .. } => SessionFailure::HeadMismatch { found },
        GitError::Unreachable { .. } => {
            SessionFailure::outage(Outage::Unreachable { until: None }, error)
        }
        GitError::Failed { .. }
        | GitError::Io { .. }
        | GitError::WorktreeGone
        | GitError::DiskFull
        | GitError::Diverged
        | GitError::Account { .. }
        | GitError::Cancelled => SessionFailure::transient(error),
        GitError::NoSandbox { .. } => SessionFailure::not_sandboxed(error),
        GitError::PushRefused { .. }
        | GitError::SandboxStopped { .. }
        | GitError::PrepareFailed { .. }
        | GitError::VerifyNeedsNetwork { .. }
        | GitError::CheckoutTooLarge { .. }
        | GitError::InvalidRemote { .. }
        | GitError::GitUnavailable { .. } => SessionFailure::permanent(error),
    }
}

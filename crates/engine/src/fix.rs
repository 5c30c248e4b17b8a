//! One fix session: the fixer works, the gates judge, Collie commits. And the push (§6).

use crate::author_account::{committer, report_account};
use crate::backoff::backoff;
use crate::base_merge;
use crate::effect_host::{EffectHost, pull_ref, remote, trust_of};
use crate::independent_fixes::{Judge, judge_apart, refused_note};
use crate::ports::VerifyPlan;
use crate::ports::{
    CleanWorktree, CommitMessage, EarlierAttempt, FixRequest, GateRefusal, GitError, PushOutcome,
    SessionMeter, VerifyRun, VettedChange, WorktreePurpose,
};
use crate::post::wait_to_write;
use crate::repository_files::rule_files;
use crate::review::{deadline_passed, session_failure};
use crate::session_deadline::with_deadline;
use crate::verify_plan::verify_plan;
use collie_core::effect::Effect;
use collie_core::effect::{FixEffect, PushEffect, VerifyEffect};
use collie_core::error_code::ErrorCode;
use collie_core::event::{FixFinished, FixVerified, Outcome, PushFailed, Pushed, Rebased};
use collie_core::event::{PushFailure, SessionFailure};
use collie_core::fix::{FixAttempt, FixPayload, FixResult, Verification, note_codes};
use collie_core::ids::{EffectId, Sha};
use collie_core::loop_state::LoopState;
use collie_core::session::{SessionSummary, combine_sessions};
use collie_core::text::redact;
use tokio_util::sync::CancellationToken;

/// Refusals by the gates in a row after which the round's findings count as rejected (§6.3).
const GATE_ATTEMPTS: u32 = 3;

/// Of the patch of an earlier try.
const MAX_PATCH_BYTES: usize = 16 << 10;

/// Failures in a row, other than of the connection, after which a push is given up with git's words.
const PUSH_ATTEMPTS: u32 = 8;

/// What a session came to.
struct FixSessionResult {
    commit: Option<Sha>,
    result: FixResult,
    oscillates: bool,
    session: Option<SessionSummary>,
    verification: Verification,
    files: Vec<String>,
}

impl FixSessionResult {
    /// Of a session that left nothing to commit.
    fn without_commit(result: FixResult, session: Option<SessionSummary>) -> Self {
        Self {
            commit: None,
            result,
            oscillates: false,
            session,
            verification: Verification::Done,
            files: Vec::new(),
        }
    }

    fn with_session(self, session: Option<SessionSummary>, verification: Verification) -> Self {
        Self {
            session,
            verification,
            ..self
        }
    }
}

pub(crate) async fn run(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &FixEffect,
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Option<Outcome> {
    let deadline = host.config().fix_deadline_ms;
    let worked = with_deadline(host.ports().clock.as_ref(), deadline, cancel, |stop| {
        run_session(host, state, asked, meter, stop)
    })
    .await
    .unwrap_or_else(|| Err(deadline_passed(ErrorCode::FixDeadline, deadline)));
    Some(match worked {
        Ok(fixed) => Outcome::FixFinished(FixFinished {
            commit: fixed.commit,
            result: Box::new(fixed.result),
            oscillates: fixed.oscillates,
            usage: meter.total(),
            session: fixed.session.map(Box::new),
            verification: fixed.verification,
            refused_hosts: meter.refused_hosts().prepare,
            files: fixed.files,
        }),
        Err(failure) => Outcome::FixFailed(meter.failed(failure)),
    })
}

async fn run_session(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &FixEffect,
    meter: &SessionMeter,
    cancel: CancellationToken,
) -> Result<FixSessionResult, SessionFailure> {
    let payload = &asked.payload;
    let git = &host.ports().git;
    let (mut request, plan) = fix_request(host, state, asked, meter)
        .await
        .map_err(session_failure)?;
    let mut session: Option<SessionSummary> = None;
    for _ in 0..GATE_ATTEMPTS {
        let answer = host.ports().fixer.fix(request.clone(), &cancel).await?;
        session = combine_sessions(session, answer.session);
        let result = answer
            .result
            .validated(payload)
            .map_err(SessionFailure::transient)?;
        let syntax = host.ports().syntax.as_ref();
        let (verify, verification) = plan.clone().permitted(&trust_of(host, state));
        let verify = VerifyRun {
            plan: &verify,
            meter,
        };
        let vetted = git
            .vet(&request.worktree, syntax, verify, &cancel)
            .await
            .map_err(session_failure)?;
        let (change, result) = match vetted {
            Ok(None) => (
                None,
                reject_unchanged(result, payload, request.refusal.as_ref()),
            ),
            Ok(Some(change)) => (Some(change), result),
            Err(refused) => {
                tracing::info!(?refused, "a gate refused the fix");
                request.refusal = Some(refused.clone());
                if !answer.independent {
                    continue;
                }
                let judge = Judge {
                    host,
                    request: &request,
                    verify,
                    cancel: &cancel,
                };
                judge_apart(judge, result, refused).await?
            }
        };
        let Some(change) = change else {
            return Ok(FixSessionResult::without_commit(result, session));
        };
        let fixed = commit_fix(host, state, &change, result, payload).await?;
        return Ok(fixed.with_session(session, verification));
    }
    let result = reject_refused(payload, request.refusal.as_ref());
    Ok(FixSessionResult::without_commit(result, session))
}

/// What a session came to that left a change, which is committed.
async fn commit_fix(
    host: &dyn EffectHost,
    state: &LoopState,
    change: &VettedChange,
    result: FixResult,
    payload: &FixPayload,
) -> Result<FixSessionResult, SessionFailure> {
    let (commit, result, oscillates) = commit_change(host, state, change, result, payload).await?;
    Ok(FixSessionResult {
        commit: Some(commit),
        oscillates,
        files: change.paths().to_vec(),
        ..FixSessionResult::without_commit(result, None)
    })
}

/// Prepares a worktree at the head, and what the fixer gets with it before any gate has judged; with all verify commands there are.
async fn fix_request(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &FixEffect,
    meter: &SessionMeter,
) -> Result<(FixRequest, VerifyPlan), GitError> {
    let FixEffect {
        payload,
        head,
        base,
        ..
    } = asked;
    let git = &host.ports().git;
    let (pull, remote) = (pull_ref(state), remote(host.ports(), state));
    let worktree = git
        .prepare(&pull, &remote, head, base, WorktreePurpose::Fix)
        .await?;
    let diff = git.diff(&worktree, base).await?;
    let own_files = state.run.configuration.commit.as_ref();
    let rules = rule_files(git.as_ref(), &pull, &remote, own_files).await?;
    let plan = verify_plan(host, state).await?;
    let mut attempts = earlier_attempts(host, &worktree, payload).await?;
    attempts.extend(rejected_attempts(host, &worktree, asked).await?);
    let request = FixRequest {
        attempts,
        meter: meter.clone(),
        worktree,
        resolves_merge: false,
        diff,
        payload: payload.clone(),
        rules,
        refusal: asked.rejected.as_ref().map(|rejected| GateRefusal::Person {
            note: rejected.note.clone(),
        }),
        base: base.clone(),
        title: state.pull.title.clone(),
        author: state.pull.author.clone(),
        verify: plan.clone().permitted(&trust_of(host, state)).0,
    };
    Ok((request, plan))
}

/// What the latest tries on each issue changed. A commit that is gone from the clone tells nothing.
async fn earlier_attempts(
    host: &dyn EffectHost,
    worktree: &CleanWorktree,
    payload: &FixPayload,
) -> Result<Vec<EarlierAttempt>, GitError> {
    let mut attempts = Vec::new();
    for attempt in &payload.attempts {
        let FixAttempt {
            finding_id,
            commit,
            standing_reason,
        } = attempt;
        let git = &host.ports().git;
        let patch = git.patch_of(worktree, commit, MAX_PATCH_BYTES).await?;
        attempts.extend(patch.map(|patch| EarlierAttempt {
            finding_id: finding_id.clone(),
            patch,
            standing_reason: standing_reason.clone(),
        }));
    }
    Ok(attempts)
}

/// What a person did not let be pushed, as a try at each issue.
async fn rejected_attempts(
    host: &dyn EffectHost,
    worktree: &CleanWorktree,
    asked: &FixEffect,
) -> Result<Vec<EarlierAttempt>, GitError> {
    let Some(rejected) = &asked.rejected else {
        return Ok(Vec::new());
    };
    let git = &host.ports().git;
    let patch = git.patch_of(worktree, &rejected.commit, MAX_PATCH_BYTES);
    let Some(patch) = patch.await? else {
        return Ok(Vec::new());
    };
    let note = Some(rejected.note.clone()).filter(|note| !note.is_empty());
    let of_issue = |issue: &collie_core::finding::Finding| EarlierAttempt {
        finding_id: issue.id.clone(),
        patch: patch.clone(),
        standing_reason: note.clone(),
    };
    Ok(asked.payload.issues_to_fix.iter().map(of_issue).collect())
}

/// Commits; the commit, the account with it in its place, and whether it goes back to what was there before.
async fn commit_change(
    host: &dyn EffectHost,
    state: &LoopState,
    change: &VettedChange,
    result: FixResult,
    payload: &FixPayload,
) -> Result<(Sha, FixResult, bool), SessionFailure> {
    let message = commit_message(state, payload, &result);
    let git = &host.ports().git;
    let sha = git
        .commit(change, &message)
        .await
        .map_err(session_failure)?;
    let oscillates = git
        .oscillates(change.worktree(), &sha, &state.memory.fix_commits())
        .await
        .map_err(session_failure)?;
    let subject = redact(&message.subject, &[]);
    let result = result.with_commit(&sha, &subject);
    Ok((sha, result, oscillates))
}

/// `fix: …`, with trailers that name run and findings (§6.4).
fn commit_message(state: &LoopState, payload: &FixPayload, result: &FixResult) -> CommitMessage {
    let all = payload.issues_to_fix.iter().chain(&payload.optional_issues);
    let fixed: Vec<_> = all
        .filter(|f| {
            result
                .fixed_issues
                .iter()
                .any(|done| done.finding_id == f.id)
        })
        .collect();
    let subject = match fixed.as_slice() {
        [one] => format!("fix: {}", one.title),
        many => format!("fix: resolve {} findings", many.len()),
    };
    let line = |f: &&collie_core::finding::Finding| match f.line {
        Some(line) => format!("- {} ({}:{line})", f.title, f.file),
        None => format!("- {}", f.title),
    };
    let body = if fixed.len() > 1 {
        fixed.iter().map(line).collect::<Vec<_>>().join("\n")
    } else {
        String::new()
    };
    // A second try at one finding has a message of its own.
    let mut trailers = vec![
        ("Collie-Run".to_string(), state.run.id.to_string()),
        ("Collie-Round".to_string(), payload.round.to_string()),
    ];
    trailers.extend(
        fixed
            .iter()
            .map(|f| ("Collie-Finding".to_string(), f.id.clone())),
    );
    CommitMessage {
        subject,
        body,
        trailers,
        by: committer(state),
    }
}

/// The worktree is believed, not the fixer: what it calls fixed without a change is rejected. What a gate said before goes along.
fn reject_unchanged(
    result: FixResult,
    payload: &FixPayload,
    refusal: Option<&GateRefusal>,
) -> FixResult {
    let mut kept = FixResult::all_rejected(payload, &result.agent, note_codes::UNCHANGED);
    for rejection in &mut kept.rejected_issues {
        let own_rejection = result
            .rejected_issues
            .iter()
            .find(|r| r.finding_id == rejection.finding_id);
        if let Some(own_rejection) = own_rejection {
            rejection.reason.clone_from(&own_rejection.reason);
        }
        if let Some(refusal) = refusal {
            rejection.reason = refused_note(&rejection.reason, refusal);
        }
    }
    kept
}

/// The account of a session whose every try was refused.
fn reject_refused(payload: &FixPayload, refusal: Option<&GateRefusal>) -> FixResult {
    let reason = refusal.map(GateRefusal::note).unwrap_or_default();
    FixResult::all_rejected(payload, "gates", &reason)
}

/// Pushes once, as soon as nothing can merge by it. What is not asked for any more by then is not pushed.
async fn push_once(
    host: &dyn EffectHost,
    state: &LoopState,
    (effect, asked): (&EffectId, &PushEffect),
) -> Result<PushOutcome, GitError> {
    let (pull, remote) = (pull_ref(state), remote(host.ports(), state));
    wait_to_write(host, state, &Effect::Push(asked.clone())).await;
    let now = host.state(&state.id);
    if now.is_none_or(|now| !now.outbox.effects.contains_key(effect)) {
        return Err(GitError::Cancelled);
    }
    let PushEffect { commit, from, .. } = asked;
    let by = state.author_account();
    let heads = (commit, from);
    let git = &host.ports().git;
    git.push(&pull, &remote, heads, by.as_ref()).await
}

/// Pushes; where the remote moved on top of our base, lays the fix on top of it once.
pub(crate) async fn push(
    host: &dyn EffectHost,
    state: &LoopState,
    (effect, asked): (&EffectId, &PushEffect),
    cancel: &CancellationToken,
) -> Option<Outcome> {
    let PushEffect {
        commit, rebased, ..
    } = asked;
    let mut failures = 0;
    let mut faults = 0;
    let failure = loop {
        // A push that is dropped ends with its git. How far it came is seen on the remote by whoever asks next.
        let pushed = tokio::select! {
            biased;
            () = cancel.cancelled() => return None,
            pushed = push_once(host, state, (effect, asked)) => pushed,
        };
        let error = match pushed {
            Ok(PushOutcome::Done) => {
                return Some(Outcome::from(Pushed {
                    commit: commit.clone(),
                }));
            }
            Ok(PushOutcome::Moved { .. }) if *rebased => break PushFailure::Diverged,
            Ok(PushOutcome::Moved { head }) => {
                match rebase(host, state, commit, head, cancel).await {
                    Ok(Some(rebased)) => return Some(Outcome::from(rebased)),
                    // A new fix on the new head waits for a sandbox, and says so.
                    Ok(None) | Err(GitError::NoSandbox { .. }) => break PushFailure::Diverged,
                    Err(error) => error,
                }
            }
            Err(GitError::PushRefused { message }) => break PushFailure::Refused { message },
            Err(GitError::Diverged) => break PushFailure::Diverged,
            Err(error) => error,
        };
        tracing::warn!(%error, "the push did not go through");
        report_account(host, state, effect, &error)?;
        // An outage passes, and somebody can add a token; what git itself cannot do stays so.
        let passes = matches!(
            error,
            GitError::Unreachable { .. } | GitError::Cancelled | GitError::Account { .. }
        );
        faults = if passes { 0 } else { faults + 1 };
        if faults >= PUSH_ATTEMPTS {
            let message = error.words().to_owned();
            break PushFailure::Refused { message };
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => return None,
            () = backoff(host, failures) => {}
        }
        failures += 1;
    };
    Some(Outcome::from(PushFailed { failure }))
}

/// The fix on top of another head, through all gates again. None: it does not apply there, nothing is left of it, or its verify
/// commands are not those that were trusted.
async fn rebase(
    host: &dyn EffectHost,
    state: &LoopState,
    commit: &Sha,
    onto: Sha,
    cancel: &CancellationToken,
) -> Result<Option<Rebased>, GitError> {
    let Some(base) = state.run.head.base.as_ref() else {
        return Ok(None);
    };
    if state.memory.base_merges.contains(commit) {
        // A merge is made anew on what the branch is at now.
        return Ok(None);
    }
    let meter = SessionMeter::default();
    let done = recommit(host, state, commit, (&onto, base), &meter, cancel).await?;
    Ok(match done {
        (Some(_), Verification::Waiting { .. }) | (None, _) => None,
        (Some(commit), verification) => Some(Rebased {
            commit,
            onto,
            verification,
            refused_hosts: meter.refused_hosts().prepare,
        }),
    })
}

/// Passes a fix that waited for its verify commands through all gates again, and commits it anew.
pub(crate) async fn verify(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &VerifyEffect,
    cancel: &CancellationToken,
) -> Option<Outcome> {
    let deadline = host.config().fix_deadline_ms;
    let heads = (&asked.from, &asked.base);
    let meter = &SessionMeter::default();
    let verified = with_deadline(
        host.ports().clock.as_ref(),
        deadline,
        cancel,
        |stop| async move {
            let done = recommit(host, state, &asked.commit, heads, meter, &stop).await;
            done.map_err(session_failure)
        },
    )
    .await
    .unwrap_or_else(|| Err(deadline_passed(ErrorCode::FixDeadline, deadline)));
    Some(match verified {
        Ok((commit, verification)) => FixVerified {
            commit,
            verification,
            refused_hosts: meter.refused_hosts().prepare,
        }
        .into(),
        Err(failure) => Outcome::VerifyFailed(meter.failed(failure)),
    })
}

/// Lays a fix on a head, passes it through all gates and commits it anew; none when it does not apply there, or a gate refuses it.
/// While a person has to decide about its verify commands nothing is run, and the commit is the one it was.
async fn recommit(
    host: &dyn EffectHost,
    state: &LoopState,
    commit: &Sha,
    (onto, base): (&Sha, &Sha),
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Result<(Option<Sha>, Verification), GitError> {
    let Some(fix) = state.run.fixing.pending.as_ref() else {
        return Ok((None, Verification::Done));
    };
    let plan = verify_plan(host, state).await?;
    let (plan, verification) = plan.permitted(&trust_of(host, state));
    if matches!(verification, Verification::Waiting { .. }) {
        return Ok((Some(commit.clone()), verification));
    }
    let run = VerifyRun { plan: &plan, meter };
    if fix.merge.is_some() {
        let commit = base_merge::recommit(host, state, commit, run, cancel).await?;
        return Ok((commit, verification));
    }
    let git = &host.ports().git;
    let (pull, remote) = (pull_ref(state), remote(host.ports(), state));
    let laid = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(GitError::Cancelled),
        laid = git.rebase(&pull, &remote, commit, onto, base) => laid,
    };
    let worktree: CleanWorktree = match laid {
        Ok(worktree) => worktree,
        Err(GitError::Diverged) => return Ok((None, verification)),
        Err(error) => return Err(error),
    };
    let syntax = host.ports().syntax.as_ref();
    match git.vet(&worktree, syntax, run, cancel).await? {
        Ok(Some(change)) => {
            let message = commit_message(state, &fix.payload, &fix.result);
            let commit = git.commit(&change, &message).await?;
            Ok((Some(commit), verification))
        }
        Ok(None) => Ok((None, verification)),
        Err(refused) => {
            tracing::info!(?refused, "a gate refused the fix");
            Ok((None, verification))
        }
    }
}

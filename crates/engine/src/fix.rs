//! One fix session: the fixer works, the gates judge, Collie commits. And the push (§6).

use crate::outbox::{config_file, pause, rule_files, within};
use crate::ports::{
    CleanWorktree, CommitMessage, FixRequest, GateRefusal, GitError, Meter, OutboxEntry, Purpose,
    PushOutcome, VettedChange,
};
use crate::review::{deadline_passed, session_failure};
use crate::shared::Shared;
use collie_core::ids::{EffectId, Sha};
use collie_core::model::{Effect, Event, LoopState, PushFailure, SessionFailure};
use collie_core::session::{SessionAccount, joined};
use collie_core::shapes::{FixPayload, FixResult, FixSummary, RejectedIssue};
use tokio_util::sync::CancellationToken;

/// Refusals by the gates in a row after which the round's findings count as rejected (§6.3).
const ATTEMPTS: u32 = 3;

/// Failures in a row, other than of the connection, after which a push is given up with git's words.
const PUSH_TRIES: u32 = 8;

/// What a session came to.
struct Fixed {
    commit: Option<Sha>,
    result: FixResult,
    oscillates: bool,
    account: Option<SessionAccount>,
}

pub(crate) async fn run(
    shared: &Shared,
    state: &LoopState,
    entry: &OutboxEntry,
    cancel: &CancellationToken,
) -> Option<Event> {
    let effect = entry.id.clone();
    let deadline = shared.config.fix_deadline_ms;
    let meter = Meter::default();
    let worked = within(deadline, cancel, |stop| {
        work(shared, state, entry, &meter, stop)
    })
    .await;
    let usage = meter.total();
    Some(match worked {
        Some(Ok(fixed)) => Event::FixFinished {
            effect,
            commit: fixed.commit,
            result: Box::new(fixed.result),
            oscillates: fixed.oscillates,
            usage,
            account: fixed.account.map(Box::new),
        },
        Some(Err(failure)) => Event::FixFailed {
            effect,
            failure,
            usage,
        },
        None => Event::FixFailed {
            effect,
            usage,
            failure: deadline_passed("the fix", deadline),
        },
    })
}

async fn work(
    shared: &Shared,
    state: &LoopState,
    entry: &OutboxEntry,
    meter: &Meter,
    cancel: CancellationToken,
) -> Result<Fixed, SessionFailure> {
    let Effect::Fix {
        payload,
        head,
        base,
        ..
    } = &entry.effect
    else {
        return Err(SessionFailure::Permanent {
            message: "no fix was asked for".into(),
        });
    };
    let git = &shared.ports.git;
    let (pull, remote) = (Shared::pull(state), shared.remote(state));
    let worktree = git
        .prepare(&pull, &remote, head, base, Purpose::Fix)
        .await
        .map_err(session_failure)?;
    let diff = git.diff(&worktree).await.map_err(session_failure)?;
    let rules = rule_files(git.as_ref(), &pull, &remote, base)
        .await
        .map_err(session_failure)?;
    let verify = verify_commands(shared, state, base)
        .await
        .map_err(session_failure)?;
    let mut account: Option<SessionAccount> = None;
    let mut refusal: Option<GateRefusal> = None;
    for _ in 0..ATTEMPTS {
        let request = FixRequest {
            meter: meter.clone(),
            worktree: worktree.clone(),
            diff: diff.clone(),
            payload: payload.clone(),
            rules: rules.clone(),
            refusal: refusal.clone(),
            base: base.clone(),
            title: state.title.clone(),
            author: state.author.clone(),
            verify: verify.clone(),
        };
        let answer = shared.ports.fixer.fix(request, &cancel).await?;
        account = joined(account, answer.account);
        let result =
            answer
                .result
                .validated(payload)
                .map_err(|error| SessionFailure::Transient {
                    message: error.to_string(),
                })?;
        let judged = git
            .vet(&worktree, shared.ports.syntax.as_ref(), &verify, &cancel)
            .await
            .map_err(session_failure)?;
        match judged {
            Ok(None) => {
                let result = unchanged(result, payload, refusal.as_ref());
                return Ok(Fixed {
                    commit: None,
                    result,
                    oscillates: false,
                    account,
                });
            }
            Ok(Some(change)) => {
                let (commit, result, oscillates) =
                    commit(shared, state, &change, result, payload).await?;
                return Ok(Fixed {
                    commit: Some(commit),
                    result,
                    oscillates,
                    account,
                });
            }
            Err(refused) => {
                tracing::info!(?refused, "a gate refused the fix");
                refusal = Some(refused);
            }
        }
    }
    let reason = refusal
        .as_ref()
        .map(GateRefusal::to_string)
        .unwrap_or_default();
    Ok(Fixed {
        commit: None,
        result: rejected(payload, "gates", &reason),
        oscillates: false,
        account,
    })
}

async fn verify_commands(
    shared: &Shared,
    state: &LoopState,
    base: &Sha,
) -> Result<Vec<String>, GitError> {
    let file = config_file(shared, state, base).await?;
    Ok(shared.ports.policies.verify(&state.repo, file.as_deref()))
}

/// Commits; the commit, the account with it in its place, and whether it goes back to what was there before.
async fn commit(
    shared: &Shared,
    state: &LoopState,
    change: &VettedChange,
    result: FixResult,
    payload: &FixPayload,
) -> Result<(Sha, FixResult, bool), SessionFailure> {
    let message = message(state, payload, &result);
    let git = &shared.ports.git;
    let sha = git
        .commit(change, &message)
        .await
        .map_err(session_failure)?;
    let oscillates = git
        .oscillates(&change.worktree, &sha, &state.own_commits)
        .await
        .map_err(session_failure)?;
    let result = result.in_commit(&sha, &message.subject);
    Ok((sha, result, oscillates))
}

/// `fix: …`, with trailers that name run and findings (§6.4).
fn message(state: &LoopState, payload: &FixPayload, result: &FixResult) -> CommitMessage {
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
    let line = |f: &&collie_core::shapes::Finding| match f.line {
        Some(line) => format!("- {} ({}:{line})", f.title, f.file),
        None => format!("- {}", f.title),
    };
    let body = if fixed.len() > 1 {
        fixed.iter().map(line).collect::<Vec<_>>().join("\n")
    } else {
        String::new()
    };
    let mut trailers = vec![("Collie-Run".to_string(), state.run.to_string())];
    trailers.extend(
        fixed
            .iter()
            .map(|f| ("Collie-Finding".to_string(), f.id.clone())),
    );
    CommitMessage {
        subject: subject.chars().take(72).collect(),
        body,
        trailers,
    }
}

/// The worktree is believed, not the fixer: what it calls fixed without a change is rejected. What a gate said before goes along, behind
/// a colon.
fn unchanged(result: FixResult, payload: &FixPayload, refusal: Option<&GateRefusal>) -> FixResult {
    let mut kept = rejected(payload, &result.agent, "the fixer changed nothing");
    for rejection in &mut kept.rejected_issues {
        let said = result
            .rejected_issues
            .iter()
            .find(|r| r.finding_id == rejection.finding_id);
        if let Some(said) = said {
            rejection.reason.clone_from(&said.reason);
        }
        if let Some(refusal) = refusal {
            rejection.reason = format!("{}:{}", rejection.reason, refusal);
        }
    }
    kept
}

fn rejected(payload: &FixPayload, agent: &str, reason: &str) -> FixResult {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let reject = |f: &collie_core::shapes::Finding| RejectedIssue {
        finding_id: f.id.clone(),
        reason: reason.to_string(),
    };
    FixResult {
        agent: agent.to_string(),
        pr_number: payload.pr_number,
        summary: FixSummary {
            fixed: 0,
            rejected: count(payload.issues_to_fix.len()),
            deferred: count(payload.optional_issues.len()),
        },
        fixed_issues: Vec::new(),
        rejected_issues: payload.issues_to_fix.iter().map(reject).collect(),
        commits: Vec::new(),
    }
}

/// Pushes; where the remote moved on top of our base, lays the fix on top of it once.
pub(crate) async fn push(
    shared: &Shared,
    state: &LoopState,
    effect: &EffectId,
    (commit, from, rebased): (&Sha, &Sha, bool),
    cancel: &CancellationToken,
) -> Option<Event> {
    let (pull, remote) = (Shared::pull(state), shared.remote(state));
    let effect = effect.clone();
    let mut failures = 0;
    let mut faults = 0;
    let failure = loop {
        // A push that is dropped ends with its git. How far it came is seen on the remote by whoever asks next.
        let pushed = tokio::select! {
            () = cancel.cancelled() => return None,
            pushed = shared.ports.git.push(&pull, &remote, commit, from) => pushed,
        };
        let error = match pushed {
            Ok(PushOutcome::Done) => {
                return Some(Event::Pushed {
                    effect,
                    commit: commit.clone(),
                });
            }
            Ok(PushOutcome::Moved { .. }) if rebased => break PushFailure::Diverged,
            Ok(PushOutcome::Moved { head }) => {
                match rebase(shared, state, commit, &head, cancel).await {
                    Ok(Some(new)) => {
                        return Some(Event::Rebased {
                            effect,
                            commit: new,
                            onto: head,
                        });
                    }
                    Ok(None) => break PushFailure::Diverged,
                    Err(error) => error,
                }
            }
            Err(GitError::PushRefused { message }) => break PushFailure::Refused { message },
            Err(GitError::Diverged) => break PushFailure::Diverged,
            Err(error) => error,
        };
        tracing::warn!(%error, "the push did not go through");
        // An outage passes; what git itself cannot do stays so.
        let passes = matches!(error, GitError::Unreachable { .. } | GitError::Cancelled);
        faults = if passes { 0 } else { faults + 1 };
        if faults >= PUSH_TRIES {
            let message = error.to_string();
            break PushFailure::Refused { message };
        }
        tokio::select! {
            () = cancel.cancelled() => return None,
            () = pause(shared, failures) => {}
        }
        failures += 1;
    };
    Some(Event::PushFailed { effect, failure })
}

/// The fix on top of another head, through all gates again. None: it does not apply there, or nothing is left of it.
async fn rebase(
    shared: &Shared,
    state: &LoopState,
    commit: &Sha,
    onto: &Sha,
    cancel: &CancellationToken,
) -> Result<Option<Sha>, GitError> {
    let Some((base, fix)) = state.base.as_ref().zip(state.pending_fix.as_ref()) else {
        return Ok(None);
    };
    let git = &shared.ports.git;
    let (pull, remote) = (Shared::pull(state), shared.remote(state));
    let rebased = tokio::select! {
        () = cancel.cancelled() => return Err(GitError::Cancelled),
        rebased = git.rebase(&pull, &remote, commit, onto, base) => rebased,
    };
    let worktree: CleanWorktree = match rebased {
        Ok(worktree) => worktree,
        Err(GitError::Diverged) => return Ok(None),
        Err(error) => return Err(error),
    };
    let verify = verify_commands(shared, state, base).await?;
    match git
        .vet(&worktree, shared.ports.syntax.as_ref(), &verify, cancel)
        .await?
    {
        Ok(Some(change)) => {
            let message = message(state, &fix.asked, &fix.result);
            git.commit(&change, &message).await.map(Some)
        }
        Ok(None) | Err(_) => Ok(None),
    }
}

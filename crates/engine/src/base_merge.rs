//! Merges the base into the head branch: git first, the fixer where it conflicts, the gates, and a commit with both parents (§3.7).

use crate::author_account::committer;
use crate::effect_host::{EffectHost, pull_ref, remote, trust_of};
use crate::ports::{
    CommitMessage, FixRequest, GateRefusal, GitError, MergedWorktree, SessionMeter, VerifyPlan,
    VerifyRun, VettedMerge,
};
use crate::repository_files::rule_files;
use crate::review::{deadline_passed, session_failure};
use crate::session_deadline::with_deadline;
use crate::verify_plan::verify_plan;
use collie_core::base_merge::{LostLine, conflict_id, unexplained};
use collie_core::effect::MergeBaseEffect;
use collie_core::error_code::ErrorCode;
use collie_core::event::{BaseMergeRefused, BaseMerged, Outcome, SessionFailure};
use collie_core::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use collie_core::fix::{FixPayload, FixResult, FixSummary, Verification};
use collie_core::ids::Sha;
use collie_core::loop_state::LoopState;
use collie_core::session::{SessionSummary, combine_sessions};
use collie_core::user_error::UserError;
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;

/// Refusals by the gates in a row after which the merge is given up (§6.3).
const GATE_ATTEMPTS: u32 = 3;

/// Names of files or lines in one error.
const MAX_NAMED: usize = 20;

/// Who is named as the fixer of a merge that git did by itself.
const GIT: &str = "git";

/// A merge that came to its end.
enum Ended {
    /// It is committed.
    Committed(Box<BaseMerged>),
    /// A person has to do it.
    Refused {
        error: UserError,
        by_agent: bool,
        session: Option<Box<SessionSummary>>,
    },
}

impl Ended {
    fn refused(error: UserError) -> Self {
        Self::Refused {
            error,
            by_agent: false,
            session: None,
        }
    }
}

pub(crate) async fn run(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &MergeBaseEffect,
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Option<Outcome> {
    let deadline = host.config().fix_deadline_ms;
    let ended = with_deadline(host.ports().clock.as_ref(), deadline, cancel, |stop| {
        merge(host, state, asked, meter, stop)
    })
    .await
    .unwrap_or_else(|| Err(deadline_passed(ErrorCode::FixDeadline, deadline)));
    let (usage, refused_hosts) = (meter.total(), meter.refused_hosts().prepare);
    Some(match ended {
        Ok(Ended::Committed(merged)) => BaseMerged {
            usage,
            refused_hosts,
            ..*merged
        }
        .into(),
        Ok(Ended::Refused {
            error,
            by_agent,
            session,
        }) => BaseMergeRefused {
            error,
            by_agent,
            usage,
            session,
            refused_hosts,
        }
        .into(),
        Err(failure) => Outcome::BaseMergeFailed(meter.failed(failure)),
    })
}

async fn merge(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &MergeBaseEffect,
    meter: &SessionMeter,
    cancel: CancellationToken,
) -> Result<Ended, SessionFailure> {
    let git = &host.ports().git;
    let (pull, remote) = (pull_ref(state), remote(host.ports(), state));
    let merged = git
        .merge_base_in(&pull, &remote, &asked.head, &asked.base)
        .await
        .map_err(session_failure)?;
    let Some(merged) = merged else {
        return Ok(Ended::refused(UserError::new(ErrorCode::BaseMergeUpToDate)));
    };
    if let Some(error) = unresolvable(&merged, asked.by_agent) {
        return Ok(Ended::refused(error));
    }
    let plan = verify_plan(host, state).await.map_err(session_failure)?;
    if merged.conflicts.is_empty() {
        return commit_clean(host, state, asked, (&merged, plan), meter, &cancel).await;
    }
    resolve(host, state, asked, (&merged, plan), meter, &cancel).await
}

/// Why conflicts are not handed to a fixer; none where they are, or there are none.
fn unresolvable(merged: &MergedWorktree, by_agent: bool) -> Option<UserError> {
    let named = |code, paths: Vec<String>| {
        (!paths.is_empty()).then(|| UserError::new(code).with_arg("files", paths))
    };
    let paths = |with_texts: bool| {
        let conflicts = merged.conflicts.iter();
        let chosen = conflicts.filter(|conflict| with_texts || conflict.texts.is_none());
        let paths = chosen.map(|conflict| conflict.path.clone());
        paths.take(MAX_NAMED).collect::<Vec<String>>()
    };
    if by_agent {
        named(ErrorCode::BaseMergeUnresolvable, paths(false))
    } else {
        named(ErrorCode::BaseMergeConflicts, paths(true))
    }
}

/// Commits what git merged by itself, once it has passed the gates.
async fn commit_clean(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &MergeBaseEffect,
    (merged, plan): (&MergedWorktree, VerifyPlan),
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Result<Ended, SessionFailure> {
    let payload = payload(state, asked, merged);
    let result = account_of_git(&payload);
    let (verify, verification) = plan.permitted(&trust_of(host, state));
    let run = VerifyRun {
        plan: &verify,
        meter,
    };
    let vetted = match vet(host, merged, run, cancel).await? {
        Ok(vetted) if vetted.lost.is_empty() => vetted,
        Ok(vetted) => return Ok(Ended::refused(lines_lost(&vetted.lost))),
        Err(refusal) => return Ok(Ended::refused(refused(&refusal))),
    };
    let merge = Merge {
        merged,
        payload,
        result,
        session: None,
        verification,
    };
    commit(host, state, asked, &vetted, merge).await
}

/// Lets the fixer resolve what conflicts, until the gates have nothing against it.
async fn resolve(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &MergeBaseEffect,
    (merged, plan): (&MergedWorktree, VerifyPlan),
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Result<Ended, SessionFailure> {
    let mut request = fix_request(host, state, asked, (merged, &plan), meter)
        .await
        .map_err(session_failure)?;
    let mut session: Option<SessionSummary> = None;
    let mut error = UserError::new(ErrorCode::BaseMergeRejected).with_aside("message", "");
    for _ in 0..GATE_ATTEMPTS {
        let answer = host.ports().fixer.fix(request.clone(), cancel).await?;
        session = combine_sessions(session, answer.session);
        let result = answer
            .result
            .validated(&request.payload)
            .map_err(SessionFailure::transient)?;
        if let Some(rejected) = result.rejected_issues.first() {
            error = UserError::new(ErrorCode::BaseMergeRejected)
                .with_aside("message", rejected.reason.clone());
            break;
        }
        let (verify, verification) = plan.clone().permitted(&trust_of(host, state));
        let run = VerifyRun {
            plan: &verify,
            meter,
        };
        let refusal = match vet(host, merged, run, cancel).await? {
            Ok(vetted) => {
                let lines = unexplained(&vetted.lost, &result);
                if lines.is_empty() {
                    let merge = Merge {
                        merged,
                        payload: request.payload,
                        result,
                        session,
                        verification,
                    };
                    return commit(host, state, asked, &vetted, merge).await;
                }
                error = lines_lost(&lines);
                GateRefusal::LostLines { lines }
            }
            Err(refusal) => {
                error = refused(&refusal);
                refusal
            }
        };
        tracing::info!(?refusal, "a gate refused the merge");
        request.refusal = Some(refusal);
    }
    Ok(Ended::Refused {
        error,
        by_agent: true,
        session: session.map(Box::new),
    })
}

async fn vet(
    host: &dyn EffectHost,
    merged: &MergedWorktree,
    verify: VerifyRun<'_>,
    cancel: &CancellationToken,
) -> Result<Result<VettedMerge, GateRefusal>, SessionFailure> {
    let syntax = host.ports().syntax.as_ref();
    let vetted = host.ports().git.vet_merge(merged, syntax, verify, cancel);
    vetted.await.map_err(session_failure)
}

/// What the fixer gets: a finding for each file that conflicts.
async fn fix_request(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &MergeBaseEffect,
    (merged, plan): (&MergedWorktree, &VerifyPlan),
    meter: &SessionMeter,
) -> Result<FixRequest, GitError> {
    let git = &host.ports().git;
    let (pull, remote) = (pull_ref(state), remote(host.ports(), state));
    let own_files = state.run.configuration.commit.as_ref();
    Ok(FixRequest {
        meter: meter.clone(),
        worktree: merged.worktree.clone(),
        resolves_merge: true,
        diff: git.diff(&merged.worktree, &asked.base).await?,
        payload: payload(state, asked, merged),
        rules: rule_files(git.as_ref(), &pull, &remote, own_files).await?,
        attempts: Vec::new(),
        refusal: None,
        base: asked.base.clone(),
        title: state.pull.title.clone(),
        author: state.pull.author.clone(),
        verify: plan.clone().permitted(&trust_of(host, state)).0,
    })
}

fn payload(state: &LoopState, asked: &MergeBaseEffect, merged: &MergedWorktree) -> FixPayload {
    let conflict = |path: &str| Finding {
        id: conflict_id(path),
        priority: Priority::P1,
        category: "conflict".into(),
        file: path.to_owned(),
        line: None,
        title: path.to_owned(),
        description: instruction(&asked.base_ref),
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Rules,
            name: GIT.into(),
            review_id: None,
            timestamp: String::new(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::default(),
        evidence: None,
    };
    let conflicts = merged.conflicts.iter();
    FixPayload {
        pr_number: state.id.number,
        round: state.run.fixing.iteration + 1,
        issues_to_fix: conflicts.map(|found| conflict(&found.path)).collect(),
        optional_issues: Vec::new(),
        attempts: Vec::new(),
        replacements: std::collections::BTreeMap::new(),
        joined: std::collections::BTreeMap::new(),
        notes: Vec::new(),
        turn: None,
    }
}

/// What is asked of the fixer, which is English as its prompt is.
fn instruction(base_ref: &str) -> String {
    format!(
        "Merging `{base_ref}` into this branch conflicts in this file; the checkout holds the merge, with the places marked. Resolve each so that \
        what both branches meant works together, and leave no marker. Every line that either branch added has to stay. Where one cannot, quote \
        it word for word in the description of this finding, and say there why it is left out. Change nothing that does not conflict, unless \
        the merge would not work without it."
    )
}

fn account_of_git(payload: &FixPayload) -> FixResult {
    FixResult {
        agent: GIT.into(),
        pr_number: payload.pr_number,
        summary: FixSummary::default(),
        fixed_issues: Vec::new(),
        rejected_issues: Vec::new(),
        commits: Vec::new(),
    }
}

/// A merge that nothing is held against.
struct Merge<'a> {
    merged: &'a MergedWorktree,
    payload: FixPayload,
    result: FixResult,
    session: Option<SessionSummary>,
    verification: Verification,
}

async fn commit(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &MergeBaseEffect,
    vetted: &VettedMerge,
    merge: Merge<'_>,
) -> Result<Ended, SessionFailure> {
    let message = commit_message(
        state,
        (&asked.base_ref, &asked.base),
        &merge.payload,
        &merge.result,
        &vetted.lost,
    );
    let git = &host.ports().git;
    let commit = git
        .commit(&vetted.change, &message)
        .await
        .map_err(session_failure)?;
    let conflicts = merge.merged.conflicts.iter();
    Ok(Ended::Committed(Box::new(BaseMerged {
        conflicts: conflicts.map(|found| found.path.clone()).collect(),
        lost: vetted.lost.clone(),
        payload: Box::new(merge.payload),
        result: Box::new(merge.result.with_commit(&commit, &message.subject)),
        usage: collie_core::usage::Usage::default(),
        session: merge.session.map(Box::new),
        verification: merge.verification,
        refused_hosts: BTreeSet::new(),
        commit,
    })))
}

/// Names what was merged, how each conflict was resolved, and each line that is left out.
fn commit_message(
    state: &LoopState,
    (base_ref, base): (&str, &Sha),
    payload: &FixPayload,
    result: &FixResult,
    lost: &[LostLine],
) -> CommitMessage {
    let resolved = result.fixed_issues.iter().filter_map(|fixed| {
        let mut issues = payload.issues_to_fix.iter();
        let issue = issues.find(|issue| issue.id == fixed.finding_id)?;
        Some(format!("- {}: {}", issue.file, fixed.description))
    });
    let resolved: Vec<String> = resolved.collect();
    let lost: Vec<String> = lost.iter().map(|line| format!("- {line}")).collect();
    let section = |head: &str, lines: Vec<String>| {
        (!lines.is_empty()).then(|| format!("{head}\n{}", lines.join("\n")))
    };
    let sections = [
        section("Conflicts:", resolved),
        section("Lines left out:", lost),
    ];
    let body: Vec<String> = sections.into_iter().flatten().collect();
    CommitMessage {
        subject: format!("Merge {base_ref} into {}", state.pull.head_ref),
        body: body.join("\n\n"),
        trailers: vec![
            ("Collie-Run".to_string(), state.run.id.to_string()),
            ("Collie-Round".to_string(), payload.round.to_string()),
            ("Collie-Base".to_string(), base.to_string()),
        ],
        by: committer(state),
    }
}

/// Passes a merge that waited for its verify commands through all gates again, and commits it anew; none where a gate refuses it.
pub(crate) async fn recommit(
    host: &dyn EffectHost,
    state: &LoopState,
    commit: &Sha,
    verify: VerifyRun<'_>,
    cancel: &CancellationToken,
) -> Result<Option<Sha>, GitError> {
    let Some(pending) = state.run.fixing.pending.as_ref() else {
        return Ok(None);
    };
    let Some(merge) = pending.merge.as_ref() else {
        return Ok(None);
    };
    let git = &host.ports().git;
    let (pull, remote) = (pull_ref(state), remote(host.ports(), state));
    let merging = git.merge_base_in(&pull, &remote, &pending.from, &merge.base);
    let merged = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(GitError::Cancelled),
        merged = merging => merged?,
    };
    let Some(merged) = merged else {
        return Ok(None);
    };
    git.lay_merge(&merged, commit).await?;
    let syntax = host.ports().syntax.as_ref();
    match git.vet_merge(&merged, syntax, verify, cancel).await? {
        Ok(vetted) => {
            let of = (merge.base_ref.as_str(), &merge.base);
            let (payload, result) = (&pending.payload, &pending.result);
            let message = commit_message(state, of, payload, result, &vetted.lost);
            Ok(Some(git.commit(&vetted.change, &message).await?))
        }
        Err(refused) => {
            tracing::info!(?refused, "a gate refused the merge");
            Ok(None)
        }
    }
}

fn lines_lost(lines: &[LostLine]) -> UserError {
    let named = lines.iter().take(MAX_NAMED).map(LostLine::to_string);
    UserError::new(ErrorCode::BaseMergeLinesLost)
        .with_arg("count", lines.len())
        .with_arg("lines", named.collect::<Vec<String>>())
}

fn refused(refusal: &GateRefusal) -> UserError {
    let note = refusal.note();
    let (gate, about) = note.split_once(':').unwrap_or((&note, ""));
    let about = match refusal {
        GateRefusal::Tamper { locations } => {
            let paths = locations.iter().map(|place| place.path.as_str());
            let paths: BTreeSet<&str> = paths.collect();
            paths.into_iter().collect::<Vec<_>>().join(", ")
        }
        // What a command printed stays out.
        _ => about.lines().next().unwrap_or_default().to_owned(),
    };
    UserError::new(ErrorCode::BaseMergeRefused)
        .with("gate", gate)
        .with("about", about)
}

//! One review session: a checkout of the head, the reviewer's look, and what it says held against the code.

use crate::findings;
use crate::outbox::{persona_files, rule_files, within};
use crate::ports::{CleanWorktree, DiffFile, GitError, OutboxEntry, Purpose, ReviewRequest};
use crate::shared::Shared;
use collie_core::identity::fingerprints;
use collie_core::ids::Sha;
use collie_core::model::{Effect, Event, LoopState, SessionFailure, Usage};
use collie_core::shapes::{ReviewerResult, SourceType};
use std::collections::{BTreeMap, BTreeSet};
use tokio_util::sync::CancellationToken;

/// A file larger than that is not held against evidence.
const MAX_FILE: u64 = 8 * 1024 * 1024;

/// What a session came to.
struct Looked {
    result: ReviewerResult,
    usage: Usage,
    prompts: Option<String>,
    in_diff: BTreeSet<String>,
    by_fix: BTreeSet<String>,
}

pub(crate) async fn run(
    shared: &Shared,
    state: &LoopState,
    entry: &OutboxEntry,
    cancel: &CancellationToken,
) -> Option<Event> {
    let Effect::Review { head, .. } = &entry.effect else {
        return None;
    };
    let effect = entry.id.clone();
    let deadline = shared.config.review_deadline_ms;
    let looked = within(deadline, cancel, |stop| look(shared, state, entry, stop)).await;
    let failure = match looked {
        Some(Ok(looked)) => {
            return Some(Event::ReviewFinished {
                effect,
                head: head.clone(),
                fingerprints: fingerprints(&looked.result.findings),
                result: Box::new(looked.result),
                in_diff: looked.in_diff,
                by_fix: looked.by_fix,
                usage: looked.usage,
                prompts: looked.prompts,
            });
        }
        Some(Err(failure)) => failure,
        None => deadline_passed("the review", deadline),
    };
    Some(Event::ReviewFailed { effect, failure })
}

pub(crate) fn deadline_passed(what: &str, deadline_ms: u64) -> SessionFailure {
    SessionFailure::Transient {
        message: format!("{what} did not end within {} minutes", deadline_ms / 60_000),
    }
}

async fn look(
    shared: &Shared,
    state: &LoopState,
    entry: &OutboxEntry,
    cancel: CancellationToken,
) -> Result<Looked, SessionFailure> {
    let Effect::Review {
        reviewer,
        head,
        base,
        since,
        known,
        ..
    } = &entry.effect
    else {
        return Err(SessionFailure::Permanent {
            message: "no review was asked for".into(),
        });
    };
    let git = &shared.ports.git;
    let (pull, remote) = (Shared::pull(state), shared.remote(state));
    let worktree = git
        .prepare(&pull, &remote, head, base, Purpose::Review)
        .await
        .map_err(session_failure)?;
    let diff = git.diff(&worktree).await.map_err(session_failure)?;
    let rules = rule_files(shared, state, base)
        .await
        .map_err(session_failure)?;
    let personas = persona_files(shared, state, base)
        .await
        .map_err(session_failure)?;
    let request = ReviewRequest {
        reviewer: reviewer.clone(),
        worktree: worktree.clone(),
        base: base.clone(),
        diff: diff.clone(),
        since: since.clone(),
        known: known.clone(),
        rules,
        personas,
        policy: state.policy.clone(),
        now: shared.ports.clock.now(),
    };
    let answer = shared.ports.reviewers.review(request, &cancel).await?;
    let valid = answer.result.validated(state.id.number);
    let result = valid.map_err(|error| SessionFailure::Transient {
        message: error.to_string(),
    })?;
    hold_against(shared, state, &worktree, &diff, result, since.as_ref())
        .await
        .map(|(result, in_diff, by_fix)| Looked {
            result,
            usage: answer.usage,
            prompts: answer.prompts,
            in_diff,
            by_fix,
        })
        .map_err(session_failure)
}

async fn hold_against(
    shared: &Shared,
    state: &LoopState,
    worktree: &CleanWorktree,
    diff: &[DiffFile],
    mut result: ReviewerResult,
    since: Option<&Sha>,
) -> Result<(ReviewerResult, BTreeSet<String>, BTreeSet<String>), GitError> {
    let git = &shared.ports.git;
    let mut files = BTreeMap::new();
    for finding in &result.findings {
        let quotes = finding.source.kind == SourceType::Agent && finding.evidence.is_some();
        if quotes && !finding.file.is_empty() && !files.contains_key(&finding.file) {
            let file = git
                .file_at(worktree, &worktree.head, &finding.file, MAX_FILE)
                .await?;
            files.insert(finding.file.clone(), file);
        }
    }
    let dropped = findings::keep_standing(&mut result, &files);
    if dropped > 0 {
        tracing::info!(
            dropped,
            "findings whose evidence does not stand at this head"
        );
    }
    let in_diff = findings::in_diff(&result.findings, diff);
    let by_fix = match since {
        Some(since) if state.own_commits.contains(&worktree.head) => {
            findings::on_lines(&result.findings, &git.lines_since(worktree, since).await?)
        }
        Some(_) | None => BTreeSet::new(),
    };
    Ok((result, in_diff, by_fix))
}

/// What a failure of git means for a session.
pub(crate) fn session_failure(error: GitError) -> SessionFailure {
    let message = error.to_string();
    match error {
        GitError::HeadMismatch { found, .. } => SessionFailure::HeadMismatch { found },
        GitError::Failed { .. }
        | GitError::Unreachable { .. }
        | GitError::Io { .. }
        | GitError::Diverged
        | GitError::Cancelled => SessionFailure::Transient { message },
        GitError::PushRefused { .. } | GitError::NoGit { .. } => {
            SessionFailure::Permanent { message }
        }
    }
}

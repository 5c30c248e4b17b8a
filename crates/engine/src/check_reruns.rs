//! Has failed checks run once more, and no more than once: where it is not known whether GitHub was asked, that is looked for first (§8.2).

use crate::backoff::backoff;
use crate::effect_host::{EffectHost, pull_ref};
use crate::ports::{GitHubError, OutboxEntry, PullRef};
use crate::post::wait_to_write;
use crate::session_deadline::sleep;
use collie_core::effect::{CheckRun, RerunChecksEffect};
use collie_core::event::{ChecksRerun, Outcome};
use collie_core::loop_state::LoopState;
use std::collections::BTreeMap;

/// Has each run repeated; asked again until GitHub answers.
pub(crate) async fn run(
    host: &dyn EffectHost,
    state: &LoopState,
    entry: &OutboxEntry,
    asked: &RerunChecksEffect,
) -> Outcome {
    let mut refused = BTreeMap::new();
    for check in &asked.checks {
        if let Some(error) = rerun(host, state, entry, check).await {
            tracing::info!(%error, "a check cannot be run again");
            refused.insert(check.id, error.to_string());
        }
    }
    ChecksRerun { refused }.into()
}

/// Has one run repeated; gives what GitHub refuses it with.
async fn rerun(
    host: &dyn EffectHost,
    state: &LoopState,
    entry: &OutboxEntry,
    check: &CheckRun,
) -> Option<GitHubError> {
    let pull = pull_ref(state);
    let mut is_in_doubt = entry.in_doubt;
    let mut failures = 0;
    loop {
        let error = if is_in_doubt {
            match was_rerun(host, &pull, check).await {
                Ok(true) => return None,
                Ok(false) => {
                    is_in_doubt = false;
                    continue;
                }
                Err(error) => error,
            }
        } else {
            wait_to_write(host, state, &entry.effect).await;
            match host.ports().github.rerun_check(&pull, check).await {
                Ok(()) => return None,
                Err(error) => {
                    is_in_doubt = matches!(error, GitHubError::OutcomeUnknown { .. });
                    error
                }
            }
        };
        match error {
            GitHubError::RetryLater { until, .. } => host.ports().clock.sleep_until(until).await,
            GitHubError::OutcomeUnknown { .. }
            | GitHubError::App { .. }
            | GitHubError::Unauthorized { .. } => {
                backoff(host, failures).await;
                failures += 1;
            }
            GitHubError::Refused { .. }
            | GitHubError::Undeliverable { .. }
            | GitHubError::Account { .. }
            | GitHubError::ServerTooOld { .. }
            | GitHubError::NotFound { .. } => return Some(error),
        }
    }
}

/// Looks for a run that may have been asked for: after a delay and, since GitHub promises no read after write, once more.
async fn was_rerun(
    host: &dyn EffectHost,
    pull: &PullRef,
    check: &CheckRun,
) -> Result<bool, GitHubError> {
    for _ in 0..2 {
        sleep(host.ports().clock.as_ref(), host.config().doubt_delay_ms).await;
        if host.ports().github.was_rerun(pull, check).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

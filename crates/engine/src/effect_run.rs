//! Runs one effect to its answer, for whoever keeps the loops.

use crate::autonomy::wait_until_allowed;
use crate::backoff::backoff;
use crate::effect_host::{EffectHost, pull_ref, remote};
use crate::ports::{GitHubError, MemoryKey, OutboxEntry, SessionMeter};
use crate::repository_files::config_file;
use crate::session_deadline::{CHILD_GRACE_MS, sleep, unless};
use crate::{base_merge, check_reruns, fix, post, review};
use collie_core::effect::{CheckRightsEffect, Effect, RememberEffect};
use collie_core::error_code::ErrorCode;
use collie_core::event::{
    Answered, ConfigInvalid, ConfigLoaded, Event, Outcome, RemoteHead, RightsChecked,
    SessionCancelled, SessionFailed, SessionFailure,
};
use collie_core::ids::Sha;
use collie_core::loop_state::LoopState;
use collie_core::session::{AgentSession, RefusedHosts};
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;

/// Failures in a row after which a configuration that cannot be fetched is told as a blocker.
const CONFIG_ATTEMPTS: u32 = 5;
/// Questions about the token's rights that GitHub leaves without a clear answer, after which what was known stands.
const RIGHTS_ATTEMPTS: u32 = 5;
/// How often it is looked whether a loop's sessions have ended.
const CLEANUP_POLL_MS: u64 = 50;

/// Runs one effect to the event that answers it. None: it was cancelled and had cost nothing, or another has to answer it.
pub async fn run_effect(
    host: &dyn EffectHost,
    state: &LoopState,
    entry: &OutboxEntry,
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Option<Event> {
    if let Some(session) = &state.memory.fixer_session {
        meter.set_agent_session(session.clone());
    }
    let outcome = outcome(host, state, entry, meter, cancel).await?;
    let (effect, usage) = (entry.id.clone(), outcome.usage());
    let agent_session = agent_session_after(&entry.effect, meter);
    if !cancel.is_cancelled() {
        return Some(Event::Answered(Answered {
            effect,
            outcome,
            agent_session,
        }));
    }
    (!usage.is_nothing()).then_some(Event::SessionCancelled(SessionCancelled {
        effect,
        usage,
        agent_session,
    }))
}

/// What a session that broke off by a fault of the program comes to: without an answer its loop would wait for ever.
pub fn panic_outcome(effect: &Effect) -> Option<Outcome> {
    let failed = SessionFailed {
        failure: SessionFailure::transient(UserError::new(ErrorCode::SessionPanicked)),
        usage: Usage::default(),
        refused_hosts: RefusedHosts::default(),
    };
    match effect {
        Effect::Review(_) => Some(Outcome::ReviewFailed(failed)),
        Effect::Fix(_) => Some(Outcome::FixFailed(failed)),
        Effect::Verify(_) => Some(Outcome::VerifyFailed(failed)),
        Effect::MergeBase(_) => Some(Outcome::BaseMergeFailed(failed)),
        Effect::LoadConfig(_)
        | Effect::CheckRights(_)
        | Effect::Push(_)
        | Effect::ReadRemoteHead(_)
        | Effect::Post(_)
        | Effect::ResolveThread(_)
        | Effect::RerunChecks(_)
        | Effect::Remember(_)
        | Effect::CleanUp => None,
    }
}

/// What an effect comes to. A cancelled one comes to nothing, but for what it cost: it was taken out of the outbox, or will be repeated.
pub(crate) async fn outcome(
    host: &dyn EffectHost,
    state: &LoopState,
    entry: &OutboxEntry,
    meter: &SessionMeter,
    cancel: &CancellationToken,
) -> Option<Outcome> {
    match &entry.effect {
        // These stop by themselves once cancelled, and end their children first.
        Effect::Review(asked) => review::run(host, state, asked, meter, cancel).await,
        Effect::Fix(asked) => fix::run(host, state, asked, meter, cancel).await,
        Effect::Verify(asked) => fix::verify(host, state, asked, cancel).await,
        Effect::MergeBase(asked) => base_merge::run(host, state, asked, meter, cancel).await,
        Effect::Push(asked) => fix::push(host, state, (&entry.id, asked), cancel).await,
        Effect::LoadConfig(asked) => unless(cancel, load_config(host, state, &asked.commit)).await,
        Effect::CheckRights(asked) => {
            let work = async {
                // GitHub is asked by a write that it cannot carry out.
                wait_until_allowed(host, &state.id, &entry.effect).await;
                check_rights(host, state, asked).await
            };
            unless(cancel, work).await
        }
        Effect::ReadRemoteHead(_) => unless(cancel, read_remote_head(host, state)).await,
        Effect::RerunChecks(asked) => {
            unless(cancel, check_reruns::run(host, state, entry, asked)).await
        }
        Effect::Remember(asked) => unless(cancel, remember(host, state, asked)).await,
        Effect::CleanUp => unless(cancel, clean_up(host, state)).await,
        Effect::Post(_) => post::deliver(host, state, entry).await,
        Effect::ResolveThread(asked) => {
            Some(post::resolve_thread(host, state, &entry.effect, &asked.thread).await)
        }
    }
}

/// The session that the fixer's agent goes on with; none after what needs no fixer.
fn agent_session_after(effect: &Effect, meter: &SessionMeter) -> Option<AgentSession> {
    let by_fixer = matches!(effect, Effect::Fix(_) | Effect::MergeBase(_));
    meter.agent_session().filter(|_| by_fixer)
}

async fn load_config(host: &dyn EffectHost, state: &LoopState, commit: &Sha) -> Outcome {
    let commit = commit.clone();
    let mut failures = 0;
    let file = loop {
        match config_file(host, state, Some(&commit)).await {
            Ok(file) => break file,
            Err(error) => {
                tracing::warn!(%error, "the repository's configuration could not be read");
                failures += 1;
                if failures >= CONFIG_ATTEMPTS {
                    let error = error.into();
                    return ConfigInvalid { commit, error }.into();
                }
                backoff(host, failures - 1).await;
            }
        }
    };
    let source = &host.ports().policy_source;
    match source.policy(&state.pull.repo, file.as_deref()) {
        Ok(effective) => ConfigLoaded {
            commit,
            policy: Box::new(effective.policy),
            without_effect: effective.without_effect,
        }
        .into(),
        Err(error) => ConfigInvalid { commit, error }.into(),
    }
}

/// Asks what the token lacks. Where GitHub gives no clear answer nothing is claimed: a write that it refuses says so itself.
async fn check_rights(
    host: &dyn EffectHost,
    state: &LoopState,
    asked: &CheckRightsEffect,
) -> Outcome {
    let mut failures = 0;
    let checked = loop {
        let repo = &state.pull.repo;
        let error = match host
            .ports()
            .github
            .lacking_rights(repo, &asked.needed)
            .await
        {
            Ok(lacking) => {
                break RightsChecked {
                    lacking,
                    unanswered: false,
                };
            }
            Err(GitHubError::RetryLater { until, .. }) => {
                host.ports().clock.sleep_until(until).await;
                continue;
            }
            Err(error) => error,
        };
        tracing::warn!(%error, "what the token may write is not known");
        failures += 1;
        if failures >= RIGHTS_ATTEMPTS {
            break RightsChecked {
                lacking: BTreeSet::new(),
                unanswered: true,
            };
        }
        backoff(host, failures - 1).await;
    };
    checked.into()
}

async fn read_remote_head(host: &dyn EffectHost, state: &LoopState) -> Outcome {
    let remote = remote(host.ports(), state);
    let mut failures = 0;
    loop {
        match host.ports().git.remote_head(&remote).await {
            Ok(head) => return RemoteHead { head }.into(),
            Err(error) => {
                tracing::warn!(%error, "the remote branch could not be read");
                backoff(host, failures).await;
                failures += 1;
            }
        }
    }
}

/// Writes a judgement down. Where that cannot be done no loop waits for it: a file that the user is editing is named in the log.
async fn remember(host: &dyn EffectHost, state: &LoopState, asked: &RememberEffect) -> Outcome {
    let key = MemoryKey {
        id: state.id.repository(),
        name: state.pull.repo.clone(),
    };
    if let Err(error) = host.ports().review_memory.record(&key, &asked.entry).await {
        tracing::warn!(%error, "what people made of a finding was not written down");
    }
    Outcome::Remembered
}

async fn clean_up(host: &dyn EffectHost, state: &LoopState) -> Outcome {
    // Children that are being ended may still write into the worktree.
    let works = || host.is_working(&state.id);
    for _ in 0..CHILD_GRACE_MS / CLEANUP_POLL_MS {
        if !works() {
            break;
        }
        sleep(host.ports().clock.as_ref(), CLEANUP_POLL_MS).await;
    }
    // What is left on the disk is no reason to keep a finished run open.
    if let Err(error) = host.ports().git.clean_up(&pull_ref(state)).await {
        tracing::warn!(%error, "a worktree could not be removed");
    }
    if let Err(error) = host.ports().fixer.forget_sessions(&state.id).await {
        tracing::warn!(%error, "what was kept of an agent's sessions could not be removed");
    }
    Outcome::CleanedUp
}

//! Effects: begun when they are asked for, repeated after a crash, ended when nobody wants them any more.

use crate::autonomy::wait_until_allowed;
use crate::backoff::backoff;
use crate::ports::{GitHubError, MemoryKey, OutboxEntry, SessionMeter};
use crate::repository_files::config_file;
use crate::session_deadline::{CHILD_GRACE_MS, sleep};
use crate::shared::{EngineShared, RunningEffect};
use crate::slots::QueueKind;
use crate::{base_merge, branch_lock, check_reruns, fix, post, review};
use collie_core::effect::Effect;
use collie_core::effect::{
    CheckRightsEffect, FixEffect, MergeBaseEffect, RememberEffect, ReviewEffect, VerifyEffect,
};
use collie_core::error_code::ErrorCode;
use collie_core::event::{
    Answered, ConfigInvalid, ConfigLoaded, Outcome, RemoteHead, RightsChecked, SessionCancelled,
    SessionFailed,
};
use collie_core::event::{Event, SessionFailure};
use collie_core::ids::{EffectId, Sha};
use collie_core::loop_state::LoopState;
use collie_core::session::{AgentSession, RefusedHosts};
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Failures in a row after which a configuration that cannot be fetched is told as a blocker.
const CONFIG_ATTEMPTS: u32 = 5;
/// Questions about the token's rights that GitHub leaves without a clear answer, after which what was known stands.
const RIGHTS_ATTEMPTS: u32 = 5;
/// How often it is looked whether a loop's sessions have ended.
const CLEANUP_POLL_MS: u64 = 50;

/// Begins an effect, or lines it up.
pub(crate) fn schedule(shared: &Arc<EngineShared>, entry: OutboxEntry) {
    let cancel = shared.stop.child_token();
    let running = RunningEffect {
        cancel: cancel.clone(),
    };
    shared.tables().running.insert(entry.id.clone(), running);
    match &entry.effect {
        Effect::Review(ReviewEffect {
            since, not_before, ..
        }) => {
            let kind = if since.is_some() {
                QueueKind::Feedback
            } else {
                QueueKind::New
            };
            queue_at(shared, &entry, kind, *not_before, cancel);
        }
        Effect::Fix(FixEffect { not_before, .. })
        | Effect::Verify(VerifyEffect { not_before, .. })
        | Effect::MergeBase(MergeBaseEffect { not_before, .. }) => {
            queue_at(shared, &entry, QueueKind::Feedback, *not_before, cancel);
        }
        Effect::Post(_) | Effect::ResolveThread(_) => post::enqueue(shared, entry),
        Effect::LoadConfig(_)
        | Effect::CheckRights(_)
        | Effect::Push(_)
        | Effect::ReadRemoteHead(_)
        | Effect::RerunChecks(_)
        | Effect::Remember(_)
        | Effect::CleanUp => {
            let task = run(shared.clone(), entry, cancel);
            shared.tasks.spawn(task);
        }
    }
}

fn queue_at(
    shared: &Arc<EngineShared>,
    entry: &OutboxEntry,
    kind: QueueKind,
    not_before: collie_core::ids::Time,
    cancel: CancellationToken,
) {
    let (shared, id, effect) = (shared.clone(), entry.loop_id.clone(), entry.id.clone());
    let line_up = move |shared: &Arc<EngineShared>| {
        shared.tables().slots.enqueue(kind, id, effect);
        shared.wake_slots.notify_one();
    };
    let asked = entry.effect.clone();
    let is_allowed = shared.may_do(&entry.loop_id, &asked);
    let is_due = not_before <= shared.ports.clock.now();
    if is_due && is_allowed {
        return line_up(&shared);
    }
    let (keeper, loop_id) = (shared.clone(), entry.loop_id.clone());
    shared.tasks.spawn(async move {
        let may_begin = async {
            if !is_due {
                tokio::select! {
                    biased;
                    () = keeper.budget_changed(&loop_id) => {}
                    () = keeper.ports.clock.sleep_until(not_before) => {}
                }
            }
            wait_until_allowed(&keeper, &loop_id, &asked).await;
        };
        if unless(&cancel, may_begin).await.is_some() {
            line_up(&keeper);
        }
    });
}

/// Begins queued work as slots become free.
pub(crate) async fn fill_slots(shared: Arc<EngineShared>) {
    loop {
        loop {
            let Some(id) = branch_lock::next_work(&mut shared.tables()) else {
                break;
            };
            start_queued(&shared, &id);
        }
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => return,
            () = shared.wake_slots.notified() => {}
        }
    }
}

fn start_queued(shared: &Arc<EngineShared>, id: &EffectId) {
    let found = {
        let tables = shared.tables();
        let state = tables
            .loops
            .values()
            .find(|state| state.outbox.effects.contains_key(id))
            .cloned();
        state.zip(tables.running.get(id).map(|running| running.cancel.clone()))
    };
    let Some((state, cancel)) = found else {
        let mut tables = shared.tables();
        tables.slots.release(id);
        branch_lock::let_go(&mut tables, id);
        return;
    };
    let Some(effect) = state.outbox.effects.get(id) else {
        return;
    };
    let entry = crate::shared::outbox_entry(&state, id, effect);
    let failed = panic_outcome(&entry.effect);
    let loop_id = entry.loop_id.clone();
    let task = shared.tasks.spawn(run(shared.clone(), entry, cancel));
    let (keeper, id) = (shared.clone(), id.clone());
    shared.tasks.spawn(async move {
        if let (Err(error), Some(outcome)) = (task.await, failed)
            && error.is_panic()
        {
            keeper.submit_event(&loop_id, Event::answered(id.clone(), outcome));
        }
        let mut tables = keeper.tables();
        tables.slots.release(&id);
        branch_lock::let_go(&mut tables, &id);
        drop(tables);
        keeper.wake_slots.notify_one();
    });
}

/// What a session that broke off by a fault of the program comes to: without an answer its loop would wait for ever.
fn panic_outcome(effect: &Effect) -> Option<Outcome> {
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

/// Ends an effect that was taken out of the outbox.
pub(crate) fn drop_effect(shared: &Arc<EngineShared>, id: &EffectId) {
    let mut tables = shared.tables();
    if let Some(running) = tables.running.remove(id) {
        running.cancel.cancel();
    }
    // One that has begun keeps its slot until its children have ended.
    tables.slots.remove_queued(id);
    branch_lock::let_go(&mut tables, id);
    tables.in_doubt.remove(id);
    for queue in tables.post_queues.values_mut() {
        queue.retain(|entry| entry.id != *id);
    }
    drop(tables);
    shared.wake_slots.notify_one();
}

/// Runs one effect to its answer. A cancelled one brings none, but for what it cost: it was taken out of the outbox, or will be repeated.
async fn run(shared: Arc<EngineShared>, entry: OutboxEntry, cancel: CancellationToken) {
    let Some(state) = shared.state(&entry.loop_id) else {
        return;
    };
    let account = shared.spending.open(&entry.id, &state);
    shared.read_command_spending().await;
    let meter = SessionMeter::with_account(Arc::new(account));
    if let Some(session) = &state.memory.fixer_session {
        meter.set_agent_session(session.clone());
    }
    let outcome = match &entry.effect {
        // These stop by themselves once cancelled, and end their children first.
        Effect::Review(asked) => review::run(&shared, &state, asked, &meter, &cancel).await,
        Effect::Fix(asked) => fix::run(&shared, &state, asked, &meter, &cancel).await,
        Effect::Verify(asked) => fix::verify(&shared, &state, asked, &cancel).await,
        Effect::MergeBase(asked) => base_merge::run(&shared, &state, asked, &meter, &cancel).await,
        Effect::Push(asked) => fix::push(&shared, &state, (&entry.id, asked), &cancel).await,
        Effect::LoadConfig(asked) => {
            unless(&cancel, load_config(&shared, &state, &asked.commit)).await
        }
        Effect::CheckRights(asked) => {
            let work = async {
                // GitHub is asked by a write that it cannot carry out.
                wait_until_allowed(&shared, &state.id, &entry.effect).await;
                check_rights(&shared, &state, asked).await
            };
            unless(&cancel, work).await
        }
        Effect::ReadRemoteHead(_) => unless(&cancel, read_remote_head(&shared, &state)).await,
        Effect::RerunChecks(asked) => {
            unless(&cancel, check_reruns::run(&shared, &state, &entry, asked)).await
        }
        Effect::Remember(asked) => unless(&cancel, remember(&shared, &state, asked)).await,
        Effect::CleanUp => unless(&cancel, clean_up(&shared, &state)).await,
        // Lined up behind the others of their loop: see `post`.
        Effect::Post(_) | Effect::ResolveThread(_) => None,
    };
    let Some(outcome) = outcome else {
        return shared.spending.close(&entry.id);
    };
    let (effect, usage) = (entry.id, outcome.usage());
    if !cancel.is_cancelled() {
        let answered = Answered {
            effect,
            outcome,
            agent_session: agent_session_after(&entry.effect, &meter),
        };
        shared.submit_event(&entry.loop_id, Event::Answered(answered));
    } else if !usage.is_nothing() {
        let cancelled = SessionCancelled {
            effect,
            usage,
            agent_session: agent_session_after(&entry.effect, &meter),
        };
        shared.submit_event(&entry.loop_id, Event::SessionCancelled(cancelled));
    } else {
        shared.spending.close(&effect);
    }
}

/// The session that the fixer's agent goes on with; none after what needs no fixer.
fn agent_session_after(effect: &Effect, meter: &SessionMeter) -> Option<AgentSession> {
    let by_fixer = matches!(effect, Effect::Fix(_) | Effect::MergeBase(_));
    meter.agent_session().filter(|_| by_fixer)
}

/// What `work` comes to, unless it is cancelled first.
async fn unless<T>(cancel: &CancellationToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        done = work => Some(done),
    }
}

async fn load_config(shared: &EngineShared, state: &LoopState, commit: &Sha) -> Outcome {
    let commit = commit.clone();
    let mut failures = 0;
    let file = loop {
        match config_file(shared, state, Some(&commit)).await {
            Ok(file) => break file,
            Err(error) => {
                tracing::warn!(%error, "the repository's configuration could not be read");
                failures += 1;
                if failures >= CONFIG_ATTEMPTS {
                    let error = error.into();
                    return ConfigInvalid { commit, error }.into();
                }
                backoff(shared, failures - 1).await;
            }
        }
    };
    let source = &shared.ports.policy_source;
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
    shared: &EngineShared,
    state: &LoopState,
    asked: &CheckRightsEffect,
) -> Outcome {
    let mut failures = 0;
    let checked = loop {
        let repo = &state.pull.repo;
        let error = match shared
            .ports
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
                shared.ports.clock.sleep_until(until).await;
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
        backoff(shared, failures - 1).await;
    };
    checked.into()
}

async fn read_remote_head(shared: &EngineShared, state: &LoopState) -> Outcome {
    let remote = shared.remote(state);
    let mut failures = 0;
    loop {
        match shared.ports.git.remote_head(&remote).await {
            Ok(head) => return RemoteHead { head }.into(),
            Err(error) => {
                tracing::warn!(%error, "the remote branch could not be read");
                backoff(shared, failures).await;
                failures += 1;
            }
        }
    }
}

/// Writes a judgement down. Where that cannot be done no loop waits for it: a file that the user is editing is named in the log.
async fn remember(shared: &EngineShared, state: &LoopState, asked: &RememberEffect) -> Outcome {
    let key = MemoryKey {
        id: state.id.repository(),
        name: state.pull.repo.clone(),
    };
    if let Err(error) = shared.ports.review_memory.record(&key, &asked.entry).await {
        tracing::warn!(%error, "what people made of a finding was not written down");
    }
    Outcome::Remembered
}

async fn clean_up(shared: &EngineShared, state: &LoopState) -> Outcome {
    // Children that are being ended may still write into the worktree.
    let works = || shared.tables().slots.is_working(&state.id);
    for _ in 0..CHILD_GRACE_MS / CLEANUP_POLL_MS {
        if !works() {
            break;
        }
        sleep(shared.ports.clock.as_ref(), CLEANUP_POLL_MS).await;
    }
    // What is left on the disk is no reason to keep a finished run open.
    if let Err(error) = shared
        .ports
        .git
        .clean_up(&EngineShared::pull_ref(state))
        .await
    {
        tracing::warn!(%error, "a worktree could not be removed");
    }
    if let Err(error) = shared.ports.fixer.forget_sessions(&state.id).await {
        tracing::warn!(%error, "what was kept of an agent's sessions could not be removed");
    }
    Outcome::CleanedUp
}

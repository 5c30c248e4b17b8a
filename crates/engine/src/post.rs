//! Posting: in order for each loop, and never twice (§8.2).

use crate::autonomy::wait_until_allowed;
use crate::backoff::backoff;
use crate::ports::{GitHubError, OutboxEntry, PullRef, RenderedPost};
use crate::shared::EngineShared;
use collie_core::effect::Effect;
use collie_core::event::{Delivered, Delivery, Event, Outcome, PostRefused, ThreadResolved};
use collie_core::ids::{EffectId, ThreadId};
use collie_core::loop_state::LoopState;
use collie_core::post::{Post, PostContent};
use std::sync::Arc;

/// What GitHub says of something that is not there any more.
const NOT_FOUND: &str = "404 Not Found";

/// Lines a post up behind the others of its loop, and has them said if nobody does yet.
pub(crate) fn enqueue(shared: &Arc<EngineShared>, mut entry: OutboxEntry) {
    let id = entry.loop_id.clone();
    let mut tables = shared.tables();
    if entry.in_doubt {
        let body = entry.sending.take();
        tables.in_doubt.insert(entry.id.clone(), body);
    }
    let idle = !tables.post_queues.contains_key(&id);
    tables
        .post_queues
        .entry(id.clone())
        .or_default()
        .push(entry);
    drop(tables);
    if idle {
        let worker = shared.clone();
        shared.tasks.spawn(async move {
            while let Some(entry) = take_next(&worker, &id) {
                let task_shared = worker.clone();
                let task = async move { send_next(&task_shared, &entry).await };
                if let Err(error) = worker.tasks.spawn(task).await {
                    // The others are said all the same; this one is tried again by the next start.
                    tracing::error!(%error, "a post broke off by a fault in Collie");
                }
                if worker.stop.is_cancelled() {
                    return;
                }
            }
        });
    }
}

/// The next post; when there is none the queue is closed.
fn take_next(shared: &EngineShared, id: &collie_core::ids::LoopId) -> Option<OutboxEntry> {
    let mut tables = shared.tables();
    let queue = tables.post_queues.get_mut(id)?;
    if queue.is_empty() {
        tables.post_queues.remove(id);
        return None;
    }
    Some(queue.remove(0))
}

async fn send_next(shared: &Arc<EngineShared>, entry: &OutboxEntry) {
    let cancel = shared
        .tables()
        .running
        .get(&entry.id)
        .map(|running| running.cancel.clone());
    let (Some(state), Some(cancel)) = (shared.state(&entry.loop_id), cancel) else {
        return;
    };
    let work = async {
        match &entry.effect {
            Effect::Post(_) => deliver(shared, &state, entry).await,
            Effect::ResolveThread(asked) => {
                Some(resolve_thread(shared, &state, &entry.effect, &asked.thread).await)
            }
            Effect::LoadConfig(_)
            | Effect::CheckRights(_)
            | Effect::Review(_)
            | Effect::Fix(_)
            | Effect::Verify(_)
            | Effect::MergeBase(_)
            | Effect::Push(_)
            | Effect::ReadRemoteHead(_)
            | Effect::RerunChecks(_)
            | Effect::Remember(_)
            | Effect::CleanUp => None,
        }
    };
    // A post is never cut off in the middle by a drop: whether it arrived must be known. Only the engine's stop ends it, and then it
    // is in doubt. To resolve a thread is safe to repeat, and is no longer tried when nobody wants it.
    let unwanted = async {
        if matches!(entry.effect, Effect::ResolveThread(_)) {
            cancel.cancelled().await;
        } else {
            std::future::pending().await
        }
    };
    let outcome = tokio::select! {
        biased;
        () = shared.stop.cancelled() => None,
        () = unwanted => None,
        outcome = work => outcome,
    };
    if let (Some(outcome), false) = (outcome, cancel.is_cancelled()) {
        shared.submit_event(&entry.loop_id, Event::answered(entry.id.clone(), outcome));
    }
}

/// Resolves a thread; repeated until GitHub answers.
async fn resolve_thread(
    shared: &EngineShared,
    state: &LoopState,
    effect: &Effect,
    thread: &ThreadId,
) -> Outcome {
    let pull = EngineShared::pull_ref(state);
    let mut failures = 0;
    let refused = loop {
        wait_to_write(shared, state, effect).await;
        match shared.ports.github.resolve_thread(&pull, thread).await {
            Ok(()) => break None,
            Err(
                GitHubError::Refused { message, .. } | GitHubError::Undeliverable { message, .. },
            ) => {
                break Some(message);
            }
            Err(GitHubError::NotFound { .. }) => break Some(NOT_FOUND.to_owned()),
            Err(error @ (GitHubError::ServerTooOld { .. } | GitHubError::Account { .. })) => {
                break Some(error.to_string());
            }
            Err(GitHubError::RetryLater { until, .. }) => {
                shared.ports.clock.sleep_until(until).await
            }
            Err(
                GitHubError::OutcomeUnknown { .. }
                | GitHubError::App { .. }
                | GitHubError::Unauthorized { .. },
            ) => {
                backoff(shared, failures).await;
                failures += 1;
            }
        }
    };
    ThreadResolved { refused }.into()
}

/// Whether a post is not to be sent any more, since its run has ended: only what is in doubt gets settled (§10.1).
fn must_not_send(state: &LoopState, effect: &EffectId, post: &Post) -> bool {
    let last_word = post.content.is_last_word();
    state.outbox.unwanted.contains(effect) || (state.run.state.is_over() && !last_word)
}

async fn deliver(
    shared: &Arc<EngineShared>,
    state: &LoopState,
    entry: &OutboxEntry,
) -> Option<Outcome> {
    let Effect::Post(asked) = &entry.effect else {
        return None;
    };
    let (effect, post) = (&entry.id, &*asked.post);
    let pull = EngineShared::pull_ref(state);
    let before = shared.tables().in_doubt.get(effect).cloned();
    let mut doubt = before.is_some();
    let rendered = before
        .flatten()
        .unwrap_or_else(|| shared.ports.renderer.render(post));
    let mut failures = 0;
    let mut may_be_forgotten = state.may_have_said_more() && !doubt;
    let delivery = loop {
        if doubt || may_be_forgotten {
            match look(shared, &pull, post, doubt).await {
                Ok(Some(remote_id)) => break Delivery::Confirmed { remote_id },
                Ok(None) => may_be_forgotten = false,
                Err(error) => {
                    wait_after(shared, &error, &mut failures).await;
                    continue;
                }
            }
        }
        wait_to_write(shared, state, &entry.effect).await;
        // Read anew: the run may have ended while it waited.
        let now = shared.state(&state.id)?;
        if must_not_send(&now, effect, post) {
            break Delivery::Undeliverable {
                message: now.run.state.to_string(),
            };
        }
        let error = match send(shared, &pull, (effect, post), &rendered).await? {
            Ok(remote_id) => break Delivery::Confirmed { remote_id },
            Err(error) => error,
        };
        if let Some(message) = undeliverable(&error, &now, post) {
            // An earlier attempt may have landed after the look, before what stands against this one.
            let found = match doubt {
                true => find_in_doubt(shared, &pull, post).await,
                false => Ok(None),
            };
            match found {
                Ok(Some(remote_id)) => break Delivery::Confirmed { remote_id },
                Ok(None) => break Delivery::Undeliverable { message },
                Err(error) => wait_after(shared, &error, &mut failures).await,
            }
            continue;
        }
        // How a later attempt went says nothing about whether an earlier one arrived.
        doubt |= matches!(error, GitHubError::OutcomeUnknown { .. });
        tell_refusal(shared, &now, effect, &error);
        wait_after(shared, &error, &mut failures).await;
    };
    Some(Outcome::from(Delivered { delivery }))
}

/// Why a post can never arrive, in GitHub's words; none where it may arrive later.
fn undeliverable(error: &GitHubError, state: &LoopState, post: &Post) -> Option<String> {
    match error {
        GitHubError::Undeliverable { message, .. } => Some(message.clone()),
        GitHubError::NotFound { .. } => Some(NOT_FOUND.to_owned()),
        GitHubError::Refused { message, .. } => {
            // Comments on lines of a head that is gone help nobody any more.
            let is_outdated = match &post.content {
                PostContent::Inline { head, .. } | PostContent::PersonaReview { head, .. } => {
                    state.run.head.sha.as_ref() != Some(head)
                }
                PostContent::Review(_)
                | PostContent::Fix(_)
                | PostContent::Proof(_)
                | PostContent::Stop(_)
                | PostContent::Reply { .. }
                | PostContent::Addition { .. }
                | PostContent::DismissReview { .. }
                | PostContent::RequestRereview { .. }
                | PostContent::RequestBotReview { .. }
                | PostContent::Answers { .. }
                | PostContent::CommandReply { .. }
                | PostContent::BodyDispositions { .. } => false,
            };
            is_outdated.then(|| message.clone())
        }
        GitHubError::Unauthorized { .. }
        | GitHubError::Account { .. }
        | GitHubError::App { .. }
        | GitHubError::ServerTooOld { .. }
        | GitHubError::RetryLater { .. }
        | GitHubError::OutcomeUnknown { .. } => None,
    }
}

/// Has the loop say what stands against a post, unless it does.
fn tell_refusal(shared: &EngineShared, state: &LoopState, effect: &EffectId, error: &GitHubError) {
    let (message, account) = match error {
        GitHubError::Refused { message, .. } => (message.clone(), None),
        GitHubError::Account { trouble, .. } => (String::new(), Some(trouble.clone())),
        _ => return,
    };
    let refused = PostRefused {
        effect: effect.clone(),
        message,
        account,
    };
    report_refusal(shared, state, refused);
}

/// Has the loop say that a write is refused, unless it does.
pub(crate) fn report_refusal(shared: &EngineShared, state: &LoopState, refused: PostRefused) {
    if state.run.refused_post.as_ref() != Some(&refused) {
        shared.submit_event(&state.id, Event::PostRefused(refused));
    }
}

/// Waits until the write that comes next may be made: right before each there is.
pub(crate) async fn wait_to_write(shared: &EngineShared, state: &LoopState, effect: &Effect) {
    loop {
        wait_until_allowed(shared, &state.id, effect).await;
        wait_for_automation(shared, state).await;
        // The level may have been lowered meanwhile, or everything been paused.
        if shared.may_do(&state.id, effect) {
            return;
        }
    }
}

/// Waits until nothing can merge by what is written next (§11), or the run has ended. Where GitHub does not answer that, nothing is
/// written either; where it refuses to say, the write is refused as well, and says why.
async fn wait_for_automation(shared: &EngineShared, state: &LoopState) {
    let pull = EngineShared::pull_ref(state);
    let has_ended = || {
        shared
            .state(&state.id)
            .is_none_or(|now| now.run.state.is_terminal())
    };
    let mut waits = 0;
    while !has_ended() {
        match shared.ports.github.merge_automation(&pull).await {
            Ok(Some(automation)) => tracing::info!(?automation, "a write waits"),
            Err(GitHubError::RetryLater { until, .. }) => {
                shared.ports.clock.sleep_until(until).await;
                continue;
            }
            Err(
                error @ (GitHubError::OutcomeUnknown { .. }
                | GitHubError::Unauthorized { .. }
                | GitHubError::Account { .. }
                | GitHubError::App { .. }
                | GitHubError::ServerTooOld { .. }),
            ) => tracing::warn!(%error, "a write waits"),
            Ok(None)
            | Err(
                GitHubError::NotFound { .. }
                | GitHubError::Undeliverable { .. }
                | GitHubError::Refused { .. },
            ) => return,
        }
        backoff(shared, waits).await;
        waits += 1;
    }
}

/// Stores the body, then sends it. None: the journal could not be written, and nothing was sent.
async fn send(
    shared: &Arc<EngineShared>,
    pull: &PullRef,
    (effect, post): (&EffectId, &Post),
    rendered: &RenderedPost,
) -> Option<Result<u64, GitHubError>> {
    if let Err(error) = shared.ports.journal.mark_sending(effect, rendered).await {
        shared.stop_with_error(error);
        return None;
    }
    let by = post.by.as_ref();
    Some(shared.ports.github.post(pull, rendered, by).await)
}

/// Looks for a post: what is in doubt with patience; what was said before this run was said long ago, and one look tells.
async fn look(
    shared: &Arc<EngineShared>,
    pull: &PullRef,
    post: &Post,
    doubt: bool,
) -> Result<Option<u64>, GitHubError> {
    match doubt {
        true => find_in_doubt(shared, pull, post).await,
        false => shared.ports.github.find_post(pull, &post.token).await,
    }
}

/// Looks for a post that may have arrived: once after a delay and, since GitHub promises no read after write, once more.
async fn find_in_doubt(
    shared: &Arc<EngineShared>,
    pull: &PullRef,
    post: &Post,
) -> Result<Option<u64>, GitHubError> {
    for _ in 0..2 {
        let clock = &shared.ports.clock;
        clock
            .sleep_until(clock.now().plus(shared.config.doubt_delay_ms))
            .await;
        if let Some(id) = shared.ports.github.find_post(pull, &post.token).await? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

async fn wait_after(shared: &Arc<EngineShared>, error: &GitHubError, failures: &mut u32) {
    tracing::warn!(%error, "a post waits");
    match error {
        GitHubError::RetryLater { until, .. } => shared.ports.clock.sleep_until(*until).await,
        GitHubError::NotFound { .. }
        | GitHubError::Unauthorized { .. }
        | GitHubError::Account { .. }
        | GitHubError::App { .. }
        | GitHubError::Undeliverable { .. }
        | GitHubError::Refused { .. }
        | GitHubError::ServerTooOld { .. }
        | GitHubError::OutcomeUnknown { .. } => {
            backoff(shared, *failures).await;
            *failures += 1;
        }
    }
}

//! Posting, and never twice (§8.2).

use crate::autonomy::wait_until_allowed;
use crate::backoff::backoff;
use crate::effect_host::{EffectHost, pull_ref};
use crate::ports::{GitHubError, OutboxEntry, PullRef, RenderedPost, WriteObstacle};
use collie_core::effect::Effect;
use collie_core::event::{Delivered, Delivery, Event, Outcome, PostRefused, ThreadResolved};
use collie_core::ids::{EffectId, ThreadId};
use collie_core::loop_state::LoopState;
use collie_core::post::{Post, PostContent};

/// What GitHub says of something that is not there any more.
const NOT_FOUND: &str = "404 Not Found";

/// Resolves a thread; repeated until GitHub answers.
pub(crate) async fn resolve_thread(
    host: &dyn EffectHost,
    state: &LoopState,
    effect: &Effect,
    thread: &ThreadId,
) -> Outcome {
    let pull = pull_ref(state);
    let mut failures = 0;
    let refused = loop {
        wait_to_write(host, state, effect).await;
        match host.ports().github.resolve_thread(&pull, thread).await {
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
                host.ports().clock.sleep_until(until).await
            }
            Err(
                GitHubError::OutcomeUnknown { .. }
                | GitHubError::App { .. }
                | GitHubError::Unauthorized { .. },
            ) => {
                backoff(host, failures).await;
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

/// Says something unless it is there already, and tries until GitHub has it or never will.
pub(crate) async fn deliver(
    host: &dyn EffectHost,
    state: &LoopState,
    entry: &OutboxEntry,
) -> Option<Outcome> {
    let Effect::Post(asked) = &entry.effect else {
        return None;
    };
    let (effect, post) = (&entry.id, &*asked.post);
    let pull = pull_ref(state);
    let mut doubt = entry.in_doubt;
    let before = entry.sending.clone();
    let rendered = before.unwrap_or_else(|| host.ports().renderer.render(post));
    let mut failures = 0;
    let mut may_be_forgotten = state.may_have_said_more() && !doubt;
    let delivery = loop {
        if doubt || may_be_forgotten {
            match look(host, &pull, post, doubt).await {
                Ok(Some(remote_id)) => break Delivery::Confirmed { remote_id },
                Ok(None) => may_be_forgotten = false,
                Err(error) => {
                    wait_after(host, &error, &mut failures).await;
                    continue;
                }
            }
        }
        wait_to_write(host, state, &entry.effect).await;
        // Read anew: the run may have ended while it waited.
        let now = host.state(&state.id)?;
        if must_not_send(&now, effect, post) {
            break Delivery::Undeliverable {
                message: now.run.state.to_string(),
            };
        }
        let error = match send(host, &pull, (effect, post), &rendered).await? {
            Ok(remote_id) => break Delivery::Confirmed { remote_id },
            Err(error) => error,
        };
        if let Some(message) = undeliverable(&error, &now, post) {
            // An earlier attempt may have landed after the look, before what stands against this one.
            let found = match doubt {
                true => find_in_doubt(host, &pull, post).await,
                false => Ok(None),
            };
            match found {
                Ok(Some(remote_id)) => break Delivery::Confirmed { remote_id },
                Ok(None) => break Delivery::Undeliverable { message },
                Err(error) => wait_after(host, &error, &mut failures).await,
            }
            continue;
        }
        // How a later attempt went says nothing about whether an earlier one arrived.
        doubt |= matches!(error, GitHubError::OutcomeUnknown { .. });
        tell_refusal(host, &now, effect, &error);
        wait_after(host, &error, &mut failures).await;
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
fn tell_refusal(host: &dyn EffectHost, state: &LoopState, effect: &EffectId, error: &GitHubError) {
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
    report_refusal(host, state, refused);
}

/// Has the loop say that a write is refused, unless it does.
pub(crate) fn report_refusal(host: &dyn EffectHost, state: &LoopState, refused: PostRefused) {
    if state.run.refused_post.as_ref() != Some(&refused) {
        host.submit_event(&state.id, Event::PostRefused(refused));
    }
}

/// Waits until the write that comes next may be made: right before each there is.
pub(crate) async fn wait_to_write(host: &dyn EffectHost, state: &LoopState, effect: &Effect) {
    loop {
        wait_until_allowed(host, &state.id, effect).await;
        wait_for_obstacle(host, state, effect).await;
        // The level may have been lowered meanwhile, or everything been paused.
        if host.may_do(&state.id, effect) {
            return;
        }
    }
}

/// Waits until nothing can merge by what is written next (§11), or the run has ended. What was merged or closed is pushed to no more: its reading
/// ends the run. Where GitHub does not answer that, nothing is written either; where it refuses to say, the write is refused as well, and says why.
async fn wait_for_obstacle(host: &dyn EffectHost, state: &LoopState, effect: &Effect) {
    let pull = pull_ref(state);
    let has_ended = || {
        host.state(&state.id)
            .is_none_or(|now| now.run.state.is_terminal())
    };
    let mut waits = 0;
    while !has_ended() {
        match host.ports().github.write_obstacle(&pull).await {
            // Words are still read there.
            Ok(Some(WriteObstacle::Ended)) if !matches!(effect, Effect::Push(_)) => return,
            Ok(Some(obstacle)) => tracing::info!(?obstacle, "a write waits"),
            Err(GitHubError::RetryLater { until, .. }) => {
                host.ports().clock.sleep_until(until).await;
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
        backoff(host, waits).await;
        waits += 1;
    }
}

/// Stores the body, then sends it. None: it could not be stored, or may not be sent from here; nothing was sent.
async fn send(
    host: &dyn EffectHost,
    pull: &PullRef,
    (effect, post): (&EffectId, &Post),
    rendered: &RenderedPost,
) -> Option<Result<u64, GitHubError>> {
    let permit = host.mark_sending(effect, rendered).await?;
    let (github, by) = (&host.ports().github, post.by.as_ref());
    let sending = github.post(pull, rendered, by);
    let sent = permit.hold(host.ports().clock.as_ref(), sending).await;
    Some(sent.unwrap_or_else(|| {
        Err(GitHubError::OutcomeUnknown {
            host: pull.id.host.clone(),
            what: "a post".into(),
            message: "it took so long that somebody else may send it".into(),
        })
    }))
}

/// Looks for a post: what is in doubt with patience; what was said before this run was said long ago, and one look tells.
async fn look(
    host: &dyn EffectHost,
    pull: &PullRef,
    post: &Post,
    doubt: bool,
) -> Result<Option<u64>, GitHubError> {
    match doubt {
        true => find_in_doubt(host, pull, post).await,
        false => host.ports().github.find_post(pull, &post.token).await,
    }
}

/// Looks for a post that may have arrived: once after a delay and, since GitHub promises no read after write, once more.
async fn find_in_doubt(
    host: &dyn EffectHost,
    pull: &PullRef,
    post: &Post,
) -> Result<Option<u64>, GitHubError> {
    for _ in 0..2 {
        let clock = &host.ports().clock;
        clock
            .sleep_until(clock.now().plus(host.config().doubt_delay_ms))
            .await;
        if let Some(id) = host.ports().github.find_post(pull, &post.token).await? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

async fn wait_after(host: &dyn EffectHost, error: &GitHubError, failures: &mut u32) {
    tracing::warn!(%error, "a post waits");
    match error {
        GitHubError::RetryLater { until, .. } => host.ports().clock.sleep_until(*until).await,
        GitHubError::NotFound { .. }
        | GitHubError::Unauthorized { .. }
        | GitHubError::Account { .. }
        | GitHubError::App { .. }
        | GitHubError::Undeliverable { .. }
        | GitHubError::Refused { .. }
        | GitHubError::ServerTooOld { .. }
        | GitHubError::OutcomeUnknown { .. } => {
            backoff(host, *failures).await;
            *failures += 1;
        }
    }
}

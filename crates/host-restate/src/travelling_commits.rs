//! Commits of Collie's between workers: whoever made one may be gone by the time that it is pushed, and its clone with it.

use crate::ingress::IngressError;
use crate::loop_key::LoopKey;
use crate::runtime::Runtime;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use collie_core::effect::Effect;
use collie_core::event::{Answered, BaseMerged, Event, FixFinished, FixVerified, Outcome, Rebased};
use collie_core::ids::Sha;
use collie_core::loop_state::LoopState;
use collie_engine::ports::{GitError, MAX_COMMIT_PACK};
use collie_engine::{pull_ref, remote};

/// A commit that did not travel.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TravelError {
    /// Git could not pack or unpack it.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The ingress could not be asked.
    #[error(transparent)]
    Ingress(#[from] IngressError),
    /// What was kept is none.
    #[error("a kept commit is damaged: {0}")]
    Damaged(#[from] base64::DecodeError),
}

/// Brings the commit that an effect works on into this worker's clone, where it is not there and somebody kept it.
pub(crate) async fn bring(
    runtime: &Runtime,
    state: &LoopState,
    effect: &Effect,
) -> Result<(), TravelError> {
    let Some(commit) = effect.own_commit() else {
        return Ok(());
    };
    let pull = pull_ref(state);
    if runtime.commits.has_commit(&pull, commit).await? {
        return Ok(());
    }
    let key = LoopKey::from(state.id.clone());
    let Some(pack) = runtime.ingress.fetch_commit(&key, commit).await? else {
        tracing::warn!(commit = commit.short(), "a commit is nowhere to be had");
        return Ok(());
    };
    let pack = STANDARD.decode(pack)?;
    let from = remote(&runtime.ports, state);
    runtime
        .commits
        .import_commit(&pull, &from, commit, pack)
        .await?;
    tracing::info!(commit = commit.short(), "a commit came from another worker");
    Ok(())
}

/// Keeps the commit that an answer tells of, before it is told. One that cannot be packed stays here: this worker alone can push it.
pub(crate) async fn keep(
    runtime: &Runtime,
    state: &LoopState,
    effect: &Effect,
    event: &Event,
) -> Result<(), IngressError> {
    let Some(commit) = made(event) else {
        return Ok(());
    };
    let base = state.run.head.base.iter();
    let known: Vec<&Sha> = made_on(effect, event).into_iter().chain(base).collect();
    let pull = pull_ref(state);
    let pack = match runtime.commits.export_commit(&pull, commit, &known).await {
        Ok(pack) if pack.len() <= MAX_COMMIT_PACK => pack,
        Ok(pack) => {
            let (commit, bytes) = (commit.short(), pack.len());
            tracing::warn!(commit, bytes, "a commit is too large to travel");
            return Ok(());
        }
        Err(error) => {
            tracing::warn!(commit = commit.short(), %error, "a commit cannot travel");
            return Ok(());
        }
    };
    let (key, pack) = (LoopKey::from(state.id.clone()), STANDARD.encode(pack));
    runtime.ingress.keep_commit(&key, commit, pack).await
}

/// The commit that an answer tells of.
fn made(event: &Event) -> Option<&Sha> {
    let Event::Answered(Answered { outcome, .. }) = event else {
        return None;
    };
    match outcome {
        Outcome::FixFinished(FixFinished { commit, .. })
        | Outcome::FixVerified(FixVerified { commit, .. }) => commit.as_ref(),
        Outcome::BaseMerged(BaseMerged { commit, .. })
        | Outcome::Rebased(Rebased { commit, .. }) => Some(commit),
        _ => None,
    }
}

/// What of it every clone can fetch.
fn made_on<'a>(effect: &'a Effect, event: &'a Event) -> Option<&'a Sha> {
    if let Event::Answered(Answered {
        outcome: Outcome::Rebased(rebased),
        ..
    }) = event
    {
        return Some(&rebased.onto);
    }
    match effect {
        Effect::Fix(asked) => Some(&asked.head),
        Effect::Verify(asked) => Some(&asked.from),
        Effect::MergeBase(asked) => Some(&asked.head),
        _ => None,
    }
}

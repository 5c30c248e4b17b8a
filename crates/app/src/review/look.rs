//! Has the reviewers of one stage look, and makes one review of what they say.

use super::{Progress, ReviewError, Work};
use crate::clock::now;
use crate::home;
use crate::panel::Panel;
use crate::policies::ConfiguredPolicies;
use collie_core::ids::{EffectId, RunId};
use collie_core::model::{Effect, Event, LoopState, NewLoop, SessionFailure};
use collie_core::policy::{Policy, ReviewerKind, ReviewerSpec, StageSpec};
use collie_core::step::{OneReview, review_once};
use collie_engine::ports::{Git, GitHub as _, Meter, Policies as _, Remote, Reviewers};
use collie_engine::{EngineConfig, Look, look};
use collie_rules::RulesPanel;
use futures::future::join_all;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// Where the head branch lives.
fn remote(work: &Work) -> Remote {
    let snapshot = &work.snapshot;
    let head = snapshot.head_repo.as_ref().unwrap_or(&snapshot.repo);
    Remote {
        url: work.github.git_url(&snapshot.repo),
        head_url: work.github.git_url(head),
        branch: snapshot.head_ref.clone(),
    }
}

/// What is gone by: the user's configuration with the repository's file at the base over it, and of the panel one stage.
pub(super) async fn policy(
    work: &Work,
    git: &dyn Git,
    on_model: bool,
) -> Result<Policy, ReviewError> {
    const NAME: &str = ".collie.toml";
    let base = &work.snapshot.base;
    let files = git
        .list_at(&work.pull, &remote(work), base, NAME)
        .await
        .map_err(|error| ReviewError::Git {
            pull: work.name.clone(),
            error: Box::new(error),
        })?;
    let file = files.iter().find(|(path, _)| path == NAME);
    let mut policy = ConfiguredPolicies::new(work.config.clone())
        .policy(&work.snapshot.repo, file.map(|(_, text)| text.as_slice()))
        .map_err(|message| ReviewError::Policy {
            pull: work.name.clone(),
            message,
        })?;
    let on_model = on_model && work.config.get().llm.is_some();
    policy.stages = vec![stage(&policy.stages, on_model)];
    Ok(policy)
}

/// The first stage that somebody of the panel can be asked of, without people, who are not dispatched, and without escalations, which
/// would be another stage. A model that was named reads in any case.
fn stage(stages: &[StageSpec], on_model: bool) -> StageSpec {
    let asked = |stage: &StageSpec| -> Vec<ReviewerSpec> {
        let reviewers = stage.reviewers.iter();
        reviewers
            .filter(|seat| seat.kind != ReviewerKind::Human)
            .map(|seat| ReviewerSpec {
                may_escalate_to: BTreeSet::new(),
                ..seat.clone()
            })
            .collect()
    };
    let mut stages = stages.iter().map(asked);
    let first = stages.find(|reviewers| !reviewers.is_empty());
    let mut reviewers = first.unwrap_or_else(|| asked(&Policy::default().stages[0]));
    if on_model && reviewers.iter().all(|r| r.kind == ReviewerKind::Rules) {
        reviewers.insert(0, ReviewerSpec::agent("quinn"));
    }
    StageSpec { reviewers }
}

/// A review before it has words.
pub(super) struct Made {
    pub(super) review: OneReview,
    pub(super) reviewers: Vec<String>,
}

/// Has all reviewers of the stage look, side by side. One that fails fails the review.
pub(super) async fn look_all(
    work: &Work,
    git: &Arc<dyn Git>,
    policy: Policy,
    tell: &(dyn Fn(Progress<'_>) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<Made, ReviewError> {
    let panel = Panel::new(
        work.config.clone(),
        Arc::new(RulesPanel::new(git.clone())),
        git.clone(),
        work.github.clone(),
        home::agents(&work.data),
        work.activities.clone(),
    );
    let seats = policy.stages[0].reviewers.clone();
    let names: Vec<String> = seats.iter().map(|seat| seat.name.clone()).collect();
    tell(Progress::Reviewing(&names));
    let stop = cancel.child_token();
    let failed: OnceLock<(String, SessionFailure)> = OnceLock::new();
    let looks = seats.iter().map(|seat| async {
        match look_one(work, git.as_ref(), &panel, &policy, seat, &stop).await {
            Ok(said) => Some(said),
            Err(failure) => {
                // What the others say after it, stopped, is no reason.
                let _ = failed.set((seat.name.clone(), failure));
                stop.cancel();
                None
            }
        }
    });
    let said: Vec<(Effect, Event)> = join_all(looks).await.into_iter().flatten().collect();
    if let Some((reviewer, failure)) = failed.into_inner() {
        let pull = work.name.clone();
        return Err(if cancel.is_cancelled() {
            ReviewError::Stopped { pull }
        } else {
            let message = reason(failure);
            ReviewError::Reviewer {
                reviewer,
                pull,
                message,
            }
        });
    }
    let state = fresh(work, policy);
    Ok(Made {
        review: review_once(&state, &work.snapshot, &said, now()),
        reviewers: names,
    })
}

async fn look_one(
    work: &Work,
    git: &dyn Git,
    panel: &dyn Reviewers,
    policy: &Policy,
    seat: &ReviewerSpec,
    stop: &CancellationToken,
) -> Result<(Effect, Event), SessionFailure> {
    let (snapshot, now) = (&work.snapshot, now());
    let wanted = Look {
        git,
        reviewers: panel,
        pull: &work.pull,
        remote: &remote(work),
        reviewer: seat,
        head: &snapshot.head,
        base: &snapshot.base,
        since: None,
        known: &[],
        policy,
        own_commits: &BTreeSet::new(),
        now,
        meter: &Meter::default(),
    };
    let looked = look(wanted, EngineConfig::default().review_deadline_ms, stop).await?;
    let effect = Effect::Review {
        stage: 0,
        reviewer: seat.clone(),
        head: snapshot.head.clone(),
        base: snapshot.base.clone(),
        since: None,
        known: Vec::new(),
        not_before: now,
    };
    let id = EffectId::new(&seat.name);
    Ok((effect, looked.into_event(id, snapshot.head.clone())))
}

fn reason(failure: SessionFailure) -> String {
    match failure {
        SessionFailure::Transient { message } | SessionFailure::Permanent { message } => message,
        SessionFailure::HeadMismatch { .. } => {
            "its head moved meanwhile: start again, for the new head".to_owned()
        }
    }
}

/// A loop that has just begun. Its run is named for the head, so that a review of the same head is the same act (§8.2).
fn fresh(work: &Work, policy: Policy) -> LoopState {
    let snapshot = &work.snapshot;
    let new = NewLoop {
        id: work.pull.id.clone(),
        run: RunId::new(format!("review of {}", snapshot.head)),
        repo: snapshot.repo.clone(),
        title: snapshot.title.clone(),
        author: snapshot.author.as_ref().map(|a| a.login.clone()),
        url: snapshot.url.clone(),
        head_ref: snapshot.head_ref.clone(),
        base_ref: snapshot.base_ref.clone(),
        started_by: snapshot.viewer.login.clone(),
        policy,
    };
    LoopState::new(new, now())
}

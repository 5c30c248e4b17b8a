//! Has the reviewers of one stage look, and makes one review of what they say.

use super::context::ReviewContext;
use super::error::ReviewError;
use super::options::ReviewPanel;
use super::progress::ReviewProgress;
use crate::clock::{SystemClock, now};
use crate::engine_client::journal::review_memory;
use crate::engine_client::policies::ConfiguredPolicies;
use collie_config::data_paths;
use collie_core::effect::ReviewEffect;
use collie_core::event::ReviewFinished;
use collie_core::event::SessionFailure;
use collie_core::loop_state::{LoopState, NewLoop, PullRequest};
use collie_core::policy::{Policy, ReviewerKind, ReviewerSpec, ShippedPersona, StageSpec};
use collie_core::step::{EarlierLook, SingleReview, earlier_look, review_once, single_review_run};
use collie_engine::ports::{
    BudgetAccount, Git, GitHub as _, GitRemote, PolicySource as _, Reviewers, SessionMeter,
    WorktreePurpose,
};
use collie_engine::{EngineConfig, ReviewTask, run_review};
use collie_reviewers::Panel;
use collie_rules::RulesAdapter;
use collie_sandbox::SandboxRunner;
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// Where the head branch lives.
pub(super) fn remote_of(context: &ReviewContext) -> GitRemote {
    let snapshot = &context.snapshot;
    let head = snapshot.head_repo.as_ref();
    GitRemote {
        url: context.github.git_url(&snapshot.repo),
        head_url: context.github.git_url(head.unwrap_or(&snapshot.repo)),
        branch: snapshot.head_ref.clone(),
        deleted_fork: head.is_none().then_some(snapshot.number),
    }
}

/// Fetches head and base at once, before anybody asks for one of them alone. What is wrong with it the reviewers are told again.
pub(super) async fn fetch_first(context: &ReviewContext, git: &dyn Git) {
    if context.config.get().may_ask_agents() {
        // Worktrees have their files from the beginning, and this one nobody would read.
        return;
    }
    let snapshot = &context.snapshot;
    let purpose = WorktreePurpose::Review("collie");
    let fetched = git
        .prepare(
            &context.pull,
            &remote_of(context),
            &snapshot.head,
            &snapshot.base,
            purpose,
        )
        .await;
    if let Err(error) = fetched {
        tracing::info!(%error, "head and base could not be fetched");
    }
}

/// What is gone by: the user's configuration with the file of the repository's default branch over it, and of the panel one stage.
pub(super) async fn review_policy(
    context: &ReviewContext,
    git: &dyn Git,
    panel: ReviewPanel,
) -> Result<Policy, ReviewError> {
    const NAME: &str = ".collie.toml";
    let files = match &context.snapshot.default_head {
        Some(commit) => git
            .files_at(&context.pull, &remote_of(context), commit, NAME)
            .await
            .map_err(|error| ReviewError::Git {
                pull: context.name.clone(),
                error: Box::new(error),
            })?,
        None => Vec::new(),
    };
    let file = files.iter().find(|(path, _)| path == NAME);
    let effective = ConfiguredPolicies::new(context.config.clone())
        .policy(
            &context.snapshot.repo,
            file.map(|(_, text)| text.as_slice()),
        )
        .map_err(|error| ReviewError::Policy {
            pull: context.name.clone(),
            error,
        })?;
    let mut policy = effective.policy;
    let has_model = context.config.get().llm.is_some();
    policy.stages = vec![match panel {
        ReviewPanel::Configured => review_stage(&policy.stages, false),
        ReviewPanel::PreferModel => review_stage(&policy.stages, has_model),
        // Nothing else is askable in a panel of nobody.
        ReviewPanel::RulesAlone => review_stage(&[], false),
    }];
    Ok(policy)
}

/// The first stage that somebody of the panel can be asked of, without people, who are not dispatched, and without escalations, which
/// would be another stage. A model that was named reads in any case.
fn review_stage(stages: &[StageSpec], prefer_model: bool) -> StageSpec {
    let askable_reviewers = |stage: &StageSpec| -> Vec<ReviewerSpec> {
        let reviewers = stage.reviewers.iter();
        reviewers
            .filter(|seat| seat.kind != ReviewerKind::Human)
            .map(|seat| ReviewerSpec {
                may_escalate_to: BTreeSet::new(),
                ..seat.clone()
            })
            .collect()
    };
    let mut stages = stages.iter().map(askable_reviewers);
    let first = stages.find(|reviewers| !reviewers.is_empty());
    let mut reviewers = first.unwrap_or_else(|| askable_reviewers(&Policy::default().stages[0]));
    if prefer_model
        && reviewers
            .iter()
            .all(|reviewer| reviewer.kind == ReviewerKind::Rules)
    {
        reviewers.insert(0, ReviewerSpec::agent(ShippedPersona::Quinn.name()));
    }
    StageSpec { reviewers }
}

/// A review before it has words.
pub(super) struct DraftReview {
    pub(super) review: SingleReview,
    pub(super) reviewers: Vec<String>,
}

/// Has all reviewers of the stage look, side by side. One that fails fails the review.
pub(super) async fn run_reviewers(
    context: &ReviewContext,
    git: &Arc<dyn Git>,
    (policy, account): (Policy, Option<Arc<dyn BudgetAccount>>),
    on_progress: &(dyn Fn(ReviewProgress<'_>) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<DraftReview, ReviewError> {
    let panel = Panel::new(
        context.config.clone(),
        Arc::new(RulesAdapter::new(git.clone())),
        git.clone(),
        context.github.clone(),
        (
            data_paths::agent_sessions_folder(&context.data),
            Arc::new(review_memory(&context.data)),
        ),
        context.activities.clone(),
        SandboxRunner::new(collie_sandbox::own_program()),
    )
    .with_keys(context.keys.clone());
    let seats = policy.stages[0].reviewers.clone();
    let names: Vec<String> = seats.iter().map(|seat| seat.name.clone()).collect();
    let runners = runners(&panel, &seats).await;
    on_progress(ReviewProgress::Reviewing(&names));
    let stop = cancel.child_token();
    let failed: OnceLock<(String, SessionFailure)> = OnceLock::new();
    let runs = seats.iter().map(|seat| async {
        let runs_on = runners.get(&seat.name).map(String::as_str);
        match run_reviewer(
            context,
            git.as_ref(),
            &panel,
            (&policy, account.as_ref()),
            (seat, runs_on),
            &stop,
        )
        .await
        {
            Ok(said) => Some(said),
            Err(failure) => {
                // What the others say after it, stopped, is no reason.
                let _ = failed.set((seat.name.clone(), failure));
                stop.cancel();
                None
            }
        }
    });
    let results: Vec<(ReviewEffect, ReviewFinished)> =
        join_all(runs).await.into_iter().flatten().collect();
    if let Some((reviewer, failure)) = failed.into_inner() {
        let pull = context.name.clone();
        return Err(match failure {
            _ if cancel.is_cancelled() => ReviewError::Stopped { pull },
            SessionFailure::OverBudget { exceeded } => ReviewError::OverBudget {
                pull,
                exceeded: Box::new(exceeded),
            },
            other => ReviewError::Reviewer {
                reviewer,
                pull,
                error: Box::new(other.into_error()),
            },
        });
    }
    let state = new_loop_state(context, policy);
    Ok(DraftReview {
        review: review_once(&state, &context.snapshot, &results, &runners, now()),
        reviewers: names,
    })
}

/// What each reviewer runs on, where it is a model or an agent.
async fn runners(panel: &Panel, seats: &[ReviewerSpec]) -> BTreeMap<String, String> {
    let mut runners = BTreeMap::new();
    for seat in seats.iter().filter(|seat| seat.kind == ReviewerKind::Agent) {
        if let Some(runs_on) = panel.runs_on(&seat.name).await {
            runners.insert(seat.name.clone(), runs_on);
        }
    }
    runners
}

async fn run_reviewer(
    context: &ReviewContext,
    git: &dyn Git,
    panel: &dyn Reviewers,
    (policy, account): (&Policy, Option<&Arc<dyn BudgetAccount>>),
    (seat, runs_on): (&ReviewerSpec, Option<&str>),
    stop: &CancellationToken,
) -> Result<(ReviewEffect, ReviewFinished), SessionFailure> {
    let (snapshot, now) = (&context.snapshot, now());
    let EarlierLook {
        since,
        unseen,
        findings: known_findings,
    } = match seat.kind {
        ReviewerKind::Agent => earlier_look(snapshot, &seat.name, runs_on),
        ReviewerKind::Rules | ReviewerKind::Human => EarlierLook::default(),
    };
    let request = ReviewTask {
        clock: &SystemClock,
        git,
        reviewers: panel,
        pull: &context.pull,
        remote: &remote_of(context),
        reviewer: seat,
        author_may_write: snapshot.is_by_collaborator(),
        head: &snapshot.head,
        base: &snapshot.base,
        own_files: snapshot.default_head.as_ref(),
        since: since.as_ref(),
        known_findings: &known_findings,
        unseen: &unseen,
        doubted: &[],
        prepare: &[],
        policy,
        own_commits: &BTreeSet::new(),
        now,
        meter: &account.map_or_else(SessionMeter::default, |account| {
            SessionMeter::with_account(account.clone())
        }),
    };
    let outcome = run_review(request, EngineConfig::default().review_deadline_ms, stop).await?;
    let asked = ReviewEffect {
        stage: 0,
        reviewer: seat.clone(),
        head: snapshot.head.clone(),
        base: snapshot.base.clone(),
        since,
        known_findings,
        unseen,
        doubted: Vec::new(),
        not_before: now,
    };
    Ok((asked, outcome.into_finished(snapshot.head.clone())))
}

/// A loop that has just begun.
pub(super) fn new_loop_state(context: &ReviewContext, policy: Policy) -> LoopState {
    let snapshot = &context.snapshot;
    let new = NewLoop {
        id: context.pull.id.clone(),
        pull: PullRequest {
            repo: snapshot.repo.clone(),
            title: snapshot.title.clone(),
            author: snapshot.author.as_ref().map(|a| a.login.clone()),
            url: snapshot.url.clone(),
            head_ref: snapshot.head_ref.clone(),
            base_ref: snapshot.base_ref.clone(),
        },
        run: single_review_run(&snapshot.head),
        started_by: snapshot.viewer.login.clone(),
        policy,
    };
    LoopState::new(new, now())
}

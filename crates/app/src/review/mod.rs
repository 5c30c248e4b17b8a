//! One review of a pull request, without a loop and without a fix (§14, `collie review`).
//!
//! Reviewers, evidence, consensus, words and tokens are those of a loop. The checkout is its own, so that it gets in nobody's way:
//! an engine may work on the same data folder meanwhile.

mod place;
mod say;

use crate::assemble::{Wiring, private};
use crate::clock::now;
use crate::config::{Config, LiveConfig, host_of};
use crate::home;
use crate::panel::Panel;
use crate::policies::ConfiguredPolicies;
use crate::words::Words;
use collie_core::consensus::Consensus;
use collie_core::ids::{EffectId, Login, PullName, RunId, Sha};
use collie_core::model::{
    Effect, Event, LoopState, NewLoop, SessionFailure, TrackedFinding, Usage,
};
use collie_core::policy::{Policy, ReviewerKind, ReviewerSpec, StageSpec};
use collie_core::snapshot::{ObserveFailure, PullState, Snapshot};
use collie_core::step::{OneReview, review_once};
use collie_engine::ports::{
    Git, GitError, GitHub, GitHubError, Policies as _, PullRef, Remote, RenderedInline, Reviewers,
    StoreError,
};
use collie_engine::{EngineConfig, Look, look};
use collie_github::{ConnectError, GitHubClient};
use collie_rules::RulesPanel;
use collie_store::{DataFolder, OpenError};
use futures::future::join_all;
use place::Place;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// Readings of a pull request whose head moves meanwhile.
const READINGS: usize = 3;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Of which pull request.
    pub pull: PullName,
    /// Nothing is written on GitHub, nor anybody asked whether it may be.
    pub dry_run: bool,
    /// The model was named for this review: it reads whatever the configuration has personas run on.
    pub on_model: bool,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// The pull request is read.
    Reading,
    /// The reviewers of these names look.
    Reviewing(&'a [String]),
    /// The review is posted.
    Posting,
}

/// What became of the review on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posted {
    /// It was posted under this number.
    Now(u64),
    /// One of this head was posted before, under this number; nothing was added.
    Before(u64),
    /// Nothing was to be posted.
    Nothing,
}

/// A review that was made.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// The pull request, under its present name.
    pub pull: PullName,
    /// Where a person reads it.
    pub url: String,
    /// The head that was reviewed.
    pub head: Sha,
    /// Who looked.
    pub reviewers: Vec<String>,
    /// What they agree on.
    pub consensus: Consensus,
    /// Everything that counts, the most urgent first; each with what goes on its line, where something does.
    pub findings: Vec<(TrackedFinding, Option<RenderedInline>)>,
    /// The review's own text, complete.
    pub body: String,
    /// What goes on lines, in the order of file and line.
    pub comments: Vec<RenderedInline>,
    /// What it cost.
    pub usage: Usage,
    /// What became of it on GitHub.
    pub posted: Posted,
}

/// Why there is no review.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// GitHub cannot be reached, or nobody is signed in.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// GitHub does not know it, or did not answer.
    #[error(transparent)]
    GitHub(#[from] GitHubError),
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(#[from] OpenError),
    /// The audit log cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The checkout cannot be made.
    #[error("{pull} could not be checked out: {error}")]
    Git {
        /// The pull request.
        pull: PullName,
        /// Git's words.
        error: GitError,
    },
    /// The folder of the checkout cannot be used.
    #[error("cannot use {what} for the checkout: {source}; see that it can be written")]
    Place {
        /// Which: a path of this machine.
        what: String,
        /// The system's words.
        source: std::io::Error,
    },
    /// It is closed or merged.
    #[error("{pull} is {state}: only an open pull request is reviewed")]
    NotOpen {
        /// The pull request.
        pull: PullName,
        /// `closed` or `merged`.
        state: &'static str,
    },
    /// The login is not allowed (§9.1).
    #[error(
        "{pull}: @{login} may not post reviews here, since allowed_users does not name that login; --dry-run posts nothing and needs no permission"
    )]
    Denied {
        /// The pull request.
        pull: PullName,
        /// Who is signed in.
        login: Login,
    },
    /// GitHub takes no second review beside an unsubmitted one.
    #[error(
        "{pull}: @{login} has an unsubmitted review on it, and GitHub takes no other beside it: submit or discard it, then start again"
    )]
    Unsubmitted {
        /// The pull request.
        pull: PullName,
        /// Who is signed in.
        login: Login,
    },
    /// The repository's own configuration has a fault.
    #[error("{pull}: the configuration at its base cannot be used: {message}")]
    Policy {
        /// The pull request.
        pull: PullName,
        /// File, line, key and what is wrong.
        message: String,
    },
    /// A reviewer failed.
    #[error("{reviewer} could not review {pull}: {message}")]
    Reviewer {
        /// Who.
        reviewer: String,
        /// What.
        pull: PullName,
        /// Why.
        message: String,
    },
    /// Asked to stop.
    #[error("the review of {pull} was stopped; nothing was posted")]
    Stopped {
        /// The pull request.
        pull: PullName,
    },
}

/// Everything that a review works with.
struct Work {
    config: LiveConfig,
    github: Arc<GitHubClient>,
    data: DataFolder,
    pull: PullRef,
    snapshot: Snapshot,
    name: PullName,
}

/// Reviews once, and posts the review unless that was not wanted. Ends soon after `cancel`, but not while it posts.
pub async fn review(
    wiring: Wiring,
    asked: &Asked,
    tell: &(dyn Fn(Progress<'_>) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<Reviewed, ReviewError> {
    tell(Progress::Reading);
    let stopped = || ReviewError::Stopped {
        pull: asked.pull.clone(),
    };
    let work = tokio::select! {
        work = read(wiring, asked) => work?,
        () = cancel.cancelled() => return Err(stopped()),
    };
    let place = Place::take(&work.data)?;
    let git: Arc<dyn Git> = Arc::new(place.git(&work)?);
    let made = tokio::select! {
        policy = policy(&work, git.as_ref(), asked.on_model) => {
            look_all(&work, &git, policy?, tell, cancel).await
        }
        () = cancel.cancelled() => Err(stopped()),
    };
    if let Err(error) = git.clean_up(&work.pull).await {
        tracing::warn!(%error, "the checkout of a review stays behind");
    }
    let made = made?;
    if cancel.is_cancelled() {
        return Err(stopped());
    }
    let words = Words::live(
        work.config.clone(),
        private(&work.config.get(), &work.github),
    );
    let rendered = say::render(&words, &made.review, &work.snapshot.head);
    let posted = if asked.dry_run {
        Posted::Nothing
    } else {
        tell(Progress::Posting);
        say::post(&work, &made.review.report.token, &rendered).await?
    };
    Ok(Reviewed {
        pull: work.name,
        url: work.snapshot.url,
        head: work.snapshot.head,
        reviewers: made.reviewers,
        consensus: made.review.consensus,
        findings: rendered.beside(made.review.findings),
        body: rendered.body,
        comments: rendered.comments.into_iter().map(|(_, c)| c).collect(),
        usage: made.review.usage,
        posted,
    })
}

/// Reads the pull request and sees that it may be reviewed, and the review be posted.
async fn read(wiring: Wiring, asked: &Asked) -> Result<Work, ReviewError> {
    let mut config = (*wiring.config.get()).clone();
    if asked.on_model && config.llm.is_some() {
        for own in config.reviewers.values_mut() {
            (own.runs_on, own.model) = (None, None);
        }
    }
    let data = DataFolder::at(&config.home)?;
    data.create()?;
    let github = crate::connect::github(&config, &wiring.tokens).await?;
    let pull = github.resolve(&asked.pull).await?.pull;
    let name = PullName {
        repo: pull.repo.clone(),
        number: pull.id.number,
    };
    let snapshot = observe(github.as_ref(), &pull, &name, &config).await?;
    let state = match snapshot.state {
        PullState::Open => None,
        PullState::Closed => Some("closed"),
        PullState::Merged => Some("merged"),
    };
    if let Some(state) = state {
        return Err(ReviewError::NotOpen { pull: name, state });
    }
    let work = Work {
        config: LiveConfig::new(config),
        github,
        data,
        pull,
        snapshot,
        name,
    };
    if !asked.dry_run {
        say::may_post(&work).await?;
    }
    Ok(work)
}

async fn observe(
    github: &GitHubClient,
    pull: &PullRef,
    name: &PullName,
    config: &Config,
) -> Result<Snapshot, ReviewError> {
    let (host, what) = (host_of(&config.api_url), name.to_string());
    let unclear = |message: &str| GitHubError::Unclear {
        host: host.clone(),
        what: format!("reading {what}"),
        message: message.to_owned(),
    };
    let mut last = unclear("there was no answer");
    for _ in 0..READINGS {
        let read = github.observe(std::slice::from_ref(pull)).await;
        last = match read.into_iter().next() {
            Some(Ok(snapshot)) => return Ok(snapshot),
            Some(Err(ObserveFailure::Moved)) => unclear("its head moves: start again"),
            Some(Err(failure)) => {
                return Err(told(failure, &host, &what, &unclear).into());
            }
            None => break,
        };
    }
    Err(last.into())
}

fn told(
    failure: ObserveFailure,
    host: &str,
    what: &str,
    unclear: &impl Fn(&str) -> GitHubError,
) -> GitHubError {
    let (host, what) = (host.to_owned(), what.to_owned());
    match failure {
        ObserveFailure::Unreachable { message } => unclear(&message),
        ObserveFailure::Moved => unclear("its head moves: start again"),
        ObserveFailure::Unauthorized => GitHubError::Unauthorized { host },
        ObserveFailure::NotFound => GitHubError::NotFound { what, host },
        ObserveFailure::Forbidden { message } => GitHubError::Refused {
            host,
            what: format!("reading {what}"),
            message,
        },
        ObserveFailure::RateLimited { until } | ObserveFailure::BreakerOpen { until } => {
            GitHubError::Wait { host, until }
        }
    }
}

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
async fn policy(work: &Work, git: &dyn Git, on_model: bool) -> Result<Policy, ReviewError> {
    const NAME: &str = ".collie.toml";
    let base = &work.snapshot.base;
    let files = git
        .list_at(&work.pull, &remote(work), base, NAME)
        .await
        .map_err(|error| ReviewError::Git {
            pull: work.name.clone(),
            error,
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
struct Made {
    review: OneReview,
    reviewers: Vec<String>,
}

/// Has all reviewers of the stage look, side by side. One that fails fails the review.
async fn look_all(
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

//! One review of a pull request, without a loop and without a fix (§14, `collie review`).
//!
//! Reviewers, evidence, consensus, words and tokens are those of a loop. The checkout is its own, so that it gets in nobody's way:
//! an engine may work on the same data folder meanwhile.

mod checkout;
mod post;
mod prepare;
mod run_reviewers;

use crate::engine_client::journal::OpenError;
use crate::engine_client::local::{EngineSetup, redactor};
use checkout::ReviewCheckout;
use collie_config::{DataFolder, DataFolderError, LiveConfig};
use collie_core::consensus::Consensus;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, PullName, Sha};
use collie_core::snapshot::Snapshot;
use collie_core::tracked_finding::TrackedFinding;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    Git, GitError, GitHubError, PullRef, RenderedInlineComment, StoreError,
};
use collie_github::{ConnectError, GitHubClient};
use collie_i18n::Renderer;
use collie_reviewers::activity::ActivityRegistry;
use run_reviewers::{review_policy, run_reviewers};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What is asked.
#[derive(Clone, Debug)]
pub struct ReviewOptions {
    /// Of which pull request.
    pub pull: PullName,
    /// Nothing is written on GitHub, nor anybody asked whether it may be.
    pub dry_run: bool,
    /// The model was named for this review: it reads whatever the configuration has personas run on.
    pub prefer_model: bool,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub enum ReviewProgress<'a> {
    /// The pull request is read.
    Reading,
    /// The reviewers of these names look.
    Reviewing(&'a [String]),
    /// The review is posted.
    Posting,
}

/// What became of the review on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostOutcome {
    /// It was posted under this number.
    Posted(u64),
    /// One of this head was posted before, under this number; nothing was added.
    AlreadyPosted(u64),
    /// Nothing was to be posted.
    NotPosted,
}

/// A review that was made.
#[derive(Clone, Debug)]
pub struct CompletedReview {
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
    pub findings: Vec<(TrackedFinding, Option<RenderedInlineComment>)>,
    /// The review's own text, complete.
    pub body: String,
    /// What goes on lines, in the order of file and line.
    pub comments: Vec<RenderedInlineComment>,
    /// What it cost.
    pub usage: Usage,
    /// What became of it on GitHub.
    pub posted: PostOutcome,
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
    Folder(#[from] DataFolderError),
    /// The audit log's folder cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The audit log cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The checkout cannot be made.
    #[error("{pull} could not be checked out: {error}")]
    Git {
        /// The pull request.
        pull: PullName,
        /// Git's words.
        error: Box<GitError>,
    },
    /// The folder of the checkout cannot be used.
    #[error("cannot use {what} for the checkout: {source}; see that it can be written")]
    Checkout {
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
    PendingReview {
        /// The pull request.
        pull: PullName,
        /// Who is signed in.
        login: Login,
    },
    /// The repository's own configuration has a fault.
    #[error("{pull}: the configuration at its base cannot be used: {error}")]
    Policy {
        /// The pull request.
        pull: PullName,
        /// File, line, key and what is wrong.
        error: UserError,
    },
    /// A reviewer failed.
    #[error("{reviewer} could not review {pull}: {error}")]
    Reviewer {
        /// Who.
        reviewer: String,
        /// What.
        pull: PullName,
        /// Why.
        error: Box<UserError>,
    },
    /// Asked to stop.
    #[error("the review of {pull} was stopped; nothing was posted")]
    Stopped {
        /// The pull request.
        pull: PullName,
    },
}

impl From<ReviewError> for UserError {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Connect(error) => error.into(),
            ReviewError::GitHub(error) => error.into(),
            ReviewError::Folder(error) => error.into(),
            ReviewError::Open(error) => error.into(),
            ReviewError::Store(error) => error.into(),
            ReviewError::Git { pull, error } => UserError::new(ErrorCode::ReviewCheckout)
                .with("pull", pull)
                .with_arg("cause", UserError::from(*error))
                .hint(ErrorHint::Doctor),
            ReviewError::Checkout { what, source } => UserError::new(ErrorCode::Folder)
                .with("folder", what)
                .with("message", source)
                .hint(ErrorHint::DataFolder),
            ReviewError::NotOpen { pull, state } => UserError::new(ErrorCode::ReviewNotOpen)
                .with("pull", pull)
                .with("state", state),
            ReviewError::Denied { pull, login } => UserError::new(ErrorCode::ReviewDenied)
                .with("pull", pull)
                .with("login", login)
                .hint(ErrorHint::Allow)
                .hint(ErrorHint::DryRun),
            ReviewError::PendingReview { pull, login } => UserError::new(ErrorCode::ReviewPending)
                .with("pull", pull)
                .with("login", login),
            ReviewError::Policy { pull, error } => UserError::new(ErrorCode::ReviewPolicy)
                .with("pull", pull)
                .with_arg("cause", error),
            ReviewError::Reviewer {
                reviewer,
                pull,
                error,
            } => UserError::new(ErrorCode::ReviewFailed)
                .with("reviewer", reviewer)
                .with("pull", pull)
                .with_arg("cause", *error)
                .hint(ErrorHint::Doctor),
            ReviewError::Stopped { pull } => {
                UserError::new(ErrorCode::ReviewStopped).with("pull", pull)
            }
        }
    }
}

/// Everything that a review works with.
struct ReviewContext {
    config: LiveConfig,
    activities: Arc<ActivityRegistry>,
    github: Arc<GitHubClient>,
    data: DataFolder,
    pull: PullRef,
    snapshot: Snapshot,
    name: PullName,
}

/// Reviews once, and posts the review unless that was not wanted. Ends soon after `cancel`, but not while it posts.
pub async fn review(
    setup: EngineSetup,
    options: &ReviewOptions,
    on_progress: &(dyn Fn(ReviewProgress<'_>) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<CompletedReview, ReviewError> {
    on_progress(ReviewProgress::Reading);
    let stopped = || ReviewError::Stopped {
        pull: options.pull.clone(),
    };
    let context = tokio::select! {
        work = prepare::prepare(setup, options) => work?,
        () = cancel.cancelled() => return Err(stopped()),
    };
    let checkout = ReviewCheckout::acquire(&context.data)?;
    let git: Arc<dyn Git> = Arc::new(checkout.worktrees(&context)?);
    let draft = tokio::select! {
        policy = review_policy(&context, git.as_ref(), options.prefer_model) => {
            run_reviewers(&context, &git, policy?, on_progress, cancel).await
        }
        () = cancel.cancelled() => Err(stopped()),
    };
    if let Err(error) = git.clean_up(&context.pull).await {
        tracing::warn!(%error, "the checkout of a review stays behind");
    }
    let made = draft?;
    if cancel.is_cancelled() {
        return Err(stopped());
    }
    let live = context.config.clone();
    let renderer = Renderer::live(
        move || live.language(),
        redactor(&context.config.get(), &context.github),
    );
    let rendered = post::render_review(&renderer, &made.review, &context.snapshot.head);
    let posted = if options.dry_run {
        PostOutcome::NotPosted
    } else {
        on_progress(ReviewProgress::Posting);
        post::post_review(&context, &made.review.report.token, &rendered).await?
    };
    Ok(CompletedReview {
        pull: context.name,
        url: context.snapshot.url,
        head: context.snapshot.head,
        reviewers: made.reviewers,
        consensus: made.review.consensus,
        findings: rendered.with_comments(made.review.findings),
        body: rendered.body,
        comments: rendered.comments.into_iter().map(|(_, c)| c).collect(),
        usage: made.review.usage,
        posted,
    })
}

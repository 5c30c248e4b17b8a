//! Why one review came to nothing.

use crate::engine_client::journal::OpenError;
use collie_config::DataFolderError;
use collie_core::budget::BudgetExceeded;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, PullName};
use collie_core::user_error::UserError;
use collie_engine::ports::{GitError, GitHubError, StoreError};
use collie_github::ConnectError;

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
    /// What may be spent does not pay for it (§15).
    #[error("{pull}: {exceeded}; raise the limit under [budget], or wait where it is one of a day")]
    OverBudget {
        /// What.
        pull: PullName,
        /// Which limit.
        exceeded: Box<BudgetExceeded>,
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
            ReviewError::OverBudget { pull, exceeded } => {
                UserError::from(*exceeded).with("pull", pull)
            }
            ReviewError::Stopped { pull } => {
                UserError::new(ErrorCode::ReviewStopped).with("pull", pull)
            }
        }
    }
}

//! GitHub, without any way to merge (§11).

use async_trait::async_trait;
use collie_core::effect::CheckRun;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{ActionToken, Login, LoopId, PullName, RepoName, ThreadId, Time};
use collie_core::own_accounts::{AccountTrouble, AppProblem};
use collie_core::poll_budget::RateBudget;
use collie_core::post::RenderedPost;
use collie_core::snapshot::{Actor, ObserveFailure, Snapshot};
use collie_core::text::UntrustedText;
use collie_core::token_right::{RepositoryWrite, TokenRight};
use collie_core::user_error::UserError;
use std::collections::BTreeSet;

/// Where a pull request is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRef {
    /// Its identity.
    pub id: LoopId,
    /// The repository's name, as last seen.
    pub repo: RepoName,
}

/// A pull request that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullPoll {
    /// Which.
    pub pull: PullRef,
    /// How thoroughly.
    pub depth: PollDepth,
    /// A person has asked for it just now: it is paid from their share of the budget. All of one call are, or none is.
    pub by_person: bool,
}

/// How thoroughly a pull request is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollDepth {
    /// What changed since the last reading; everything where something did.
    Changes,
    /// The same, where GitHub has said that something did: of a few, everything is read at once, which costs no more than to look.
    Reported,
    /// Everything: something may be written after it.
    Everything,
}

/// What is known of a pull request before a loop is made of it.
#[derive(Clone, Debug)]
pub struct ResolvedPull {
    /// Where it is.
    pub pull: PullRef,
    /// Its title.
    pub title: UntrustedText,
    /// Who opened it.
    pub author: Option<Actor>,
    /// Where a person reads it.
    pub url: String,
    /// Its head branch.
    pub head_ref: String,
    /// Its base branch.
    pub base_ref: String,
}

/// A call to GitHub that did not succeed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GitHubError {
    /// No such repository or pull request, or the token may not see it.
    #[error("{what} was not found on {host}: check the name, and that the token may see it")]
    NotFound {
        /// `owner/repo` or `owner/repo#n`.
        what: String,
        /// The host.
        host: String,
        /// Other accounts that could be used, which may see it.
        other_accounts: Vec<Login>,
    },
    /// 401.
    #[error(
        "{host} does not accept the token: sign in again, with `gh auth login` or a new GITHUB_TOKEN"
    )]
    Unauthorized {
        /// The host.
        host: String,
    },
    /// The GitHub App that Collie acts as gets no token (§18.2). Nothing was written.
    #[error(
        "the GitHub App gets no token of {host} ({}): see to its installation and its key",
        problem.name()
    )]
    App {
        /// The host.
        host: String,
        /// Why.
        problem: AppProblem,
    },
    /// An account of its own cannot be used (§18.2). Nothing was written.
    #[error(
        "nothing can be written as @{} on {host} ({}): add its token again with `collie account add`",
        trouble.login,
        trouble.problem.name()
    )]
    Account {
        /// The host.
        host: String,
        /// Which account, and why.
        trouble: AccountTrouble,
    },
    /// It can never be written: what it answers is deleted, its lines are not there, or the conversation is locked.
    #[error("{host} has no place for {what}: {message}")]
    Undeliverable {
        /// The host.
        host: String,
        /// What was tried.
        what: String,
        /// GitHub's words.
        message: String,
    },
    /// Refused, until somebody lifts what stands against it: a 403 that is no rate limit, a 422.
    #[error("{host} refused {what}: {message}")]
    Refused {
        /// The host.
        host: String,
        /// What was tried.
        what: String,
        /// GitHub's words.
        message: String,
    },
    /// The server does not know a field without which this cannot be read.
    #[error(
        "{host} (version {version}) does not know {field}, which Collie needs: update the server"
    )]
    ServerTooOld {
        /// The host.
        host: String,
        /// The field, as `Type.field`.
        field: String,
        /// The server's version; empty where it does not tell.
        version: String,
    },
    /// A rate limit, or the breaker.
    #[error("{host} asks to wait before the next call")]
    RetryLater {
        /// The host.
        host: String,
        /// Until then.
        until: Time,
    },
    /// It is not known whether the call took effect: a cut connection, a timeout, a 5xx.
    #[error("{what} on {host} got no clear answer: {message}")]
    OutcomeUnknown {
        /// The host.
        host: String,
        /// What was tried.
        what: String,
        /// What came back.
        message: String,
    },
}

impl From<GitHubError> for UserError {
    fn from(error: GitHubError) -> Self {
        match error {
            GitHubError::NotFound {
                what,
                host,
                other_accounts,
            } => {
                let error = UserError::new(ErrorCode::NotFound)
                    .with("what", what)
                    .with("host", host)
                    .hint(ErrorHint::Access);
                let logins = other_accounts.iter().map(|login| format!("@{login}"));
                let logins: Vec<String> = logins.collect();
                match logins.is_empty() {
                    true => error,
                    false => error
                        .with("accounts", logins.join(", "))
                        .hint(ErrorHint::OtherAccount),
                }
            }
            GitHubError::Unauthorized { host } => UserError::new(ErrorCode::Unauthorized)
                .with("host", host)
                .hint(ErrorHint::SignIn),
            GitHubError::App { host, problem } => UserError::new(ErrorCode::AppUnusable)
                .with("host", host)
                .with("problem", problem.name())
                .hint(ErrorHint::CheckApp),
            GitHubError::Account { host, trouble } => UserError::new(ErrorCode::AccountUnusable)
                .with("host", host)
                .with("login", trouble.login.as_str())
                .with("problem", trouble.problem.name())
                .hint(ErrorHint::AddAccount),
            GitHubError::Undeliverable { host, message, .. }
            | GitHubError::Refused { host, message, .. } => UserError::new(ErrorCode::Refused)
                .with("host", host)
                .with("message", message)
                .hint(ErrorHint::Rights),
            GitHubError::ServerTooOld {
                host,
                field,
                version,
            } => UserError::new(ErrorCode::ServerTooOld)
                .with("host", host)
                .with("field", field)
                .with("version", version)
                .hint(ErrorHint::UpdateServer),
            GitHubError::RetryLater { host, until } => UserError::new(ErrorCode::Wait)
                .with("host", host)
                .with_arg("until", until),
            GitHubError::OutcomeUnknown { host, message, .. } => {
                UserError::new(ErrorCode::Unreachable)
                    .with("host", host)
                    .with("message", message)
                    .hint(ErrorHint::Network)
            }
        }
    }
}

/// What stands against a write on a pull request, as it is right before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteObstacle {
    /// Auto-merge is switched on: it may be merged by what is written.
    AutoMerge,
    /// A merge queue holds it: the same.
    MergeQueue,
    /// It was merged or closed: there is nothing to push to.
    Ended,
}

/// GitHub, without any way to merge.
#[async_trait]
pub trait GitHub: Send + Sync {
    /// The account that Collie acts as.
    async fn viewer(&self) -> Result<Actor, GitHubError>;

    /// Finds a pull request by the name that a person typed.
    async fn resolve_pull(&self, pull: &PullName) -> Result<ResolvedPull, GitHubError>;

    /// Numbers of the open pull requests of a repository that are no drafts, oldest first.
    async fn open_pulls(&self, repo: &RepoName) -> Result<Vec<u64>, GitHubError>;

    /// Reads all of many pull requests; one answer each, in order. Failed checks come with annotations and log tail.
    async fn observe(&self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>>;

    /// The same for pull requests that are watched: what has not changed need not be read again (§3.2).
    async fn poll(&self, polls: &[PullPoll]) -> Vec<Result<Snapshot, ObserveFailure>> {
        let pulls: Vec<PullRef> = polls.iter().map(|poll| poll.pull.clone()).collect();
        self.observe(&pulls).await
    }

    /// How the account's budgets stand, as the last answers told; none where the host has no limits, or nothing was answered yet.
    fn budgets(&self) -> Vec<RateBudget>;

    /// Posts, as an account of its own where one is named (§18.2), never as another instead; the answer is GitHub's number of the comment
    /// or review.
    async fn post(
        &self,
        pull: &PullRef,
        rendered: &RenderedPost,
        by: Option<&Login>,
    ) -> Result<u64, GitHubError>;

    /// Looks for a token at the end of a body of any account that Collie posts as, in comments, reviews and threads, read afresh and whole.
    async fn find_post(
        &self,
        pull: &PullRef,
        token: &ActionToken,
    ) -> Result<Option<u64>, GitHubError>;

    /// What the token lacks in a repository for these writes, as far as GitHub tells it without anything being written. What cannot be
    /// known is not in it.
    async fn lacking_rights(
        &self,
        repo: &RepoName,
        needed: &BTreeSet<RepositoryWrite>,
    ) -> Result<BTreeSet<TokenRight>, GitHubError>;

    /// What stands against writing now, read afresh (§11).
    async fn write_obstacle(&self, pull: &PullRef) -> Result<Option<WriteObstacle>, GitHubError>;

    /// Marks a thread resolved; safe to repeat.
    async fn resolve_thread(&self, pull: &PullRef, thread: &ThreadId) -> Result<(), GitHubError>;

    /// Has a failed check run once more; `Refused` where it cannot be, or the token may not. A second call may run it a second time.
    async fn rerun_check(&self, pull: &PullRef, run: &CheckRun) -> Result<(), GitHubError>;

    /// Whether a check that had failed was run again since: read afresh.
    async fn was_rerun(&self, pull: &PullRef, run: &CheckRun) -> Result<bool, GitHubError>;

    /// Where git fetches a repository from and pushes it to: no credentials in it.
    fn git_url(&self, repo: &RepoName) -> String;
}

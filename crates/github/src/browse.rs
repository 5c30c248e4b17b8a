//! What the desktop's views read from GitHub beside loops: repositories, lists, facts for the merge dialog, the account.
//!
//! Methods of [`GitHubClient`], not of the engine's port: the engine has no need of them. All of it is reading (§11).

mod access;
mod account;
pub(crate) mod default_branch;
pub(crate) mod issues;
mod listings;
mod merge_facts;

pub use crate::quota::{Quota, Quotas};
pub use crate::token_rights::TokenScopes;
pub use access::RepositoryAccess;
pub use account::SignInError;
pub use default_branch::DefaultBranch;
pub use issues::{IssueText, RepositoryVisibility};
pub use merge_facts::{MergeFacts, MergeState, Permission};

use crate::api_fault::ApiFault;
use crate::client::GitHubClient;
use collie_core::ids::{Login, LoopId, RepoName, Sha, Time};
use collie_engine::ports::GitHubError;

/// A repository of the signed-in account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositorySummary {
    /// `owner/name`.
    pub name: RepoName,
    /// Only those with access see it.
    pub private: bool,
    /// Nothing can be changed in it.
    pub archived: bool,
    /// The account may push to it.
    pub can_push: bool,
    /// How many pull requests are open, drafts included.
    pub open_pulls: u64,
    /// The last push; none for an empty repository.
    pub pushed_at: Option<Time>,
}

/// What is open in one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryListing {
    /// Its name now: another than the one asked for when it was renamed.
    pub repo: RepoName,
    /// GitHub's node id: a part of the identity of its loops (§2).
    pub repo_id: String,
    /// Open pull requests, newest first; at most 500.
    pub pulls: Vec<PullSummary>,
    /// How many are open.
    pub pulls_total: u64,
    /// Whether there are more pull requests than are listed.
    pub truncated: bool,
    /// Open issues, last changed first; at most 100.
    pub issues: Vec<IssueSummary>,
    /// How many are open.
    pub issues_total: u64,
    /// When it was asked for.
    pub read_at: Time,
}

/// An open pull request in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullSummary {
    /// The identity of its loop, the same as `resolve` gives.
    pub id: LoopId,
    /// Title.
    pub title: String,
    /// Who opened it; none for an account that is gone.
    pub author: Option<Author>,
    /// Not ready for review.
    pub draft: bool,
    /// The branch it comes from.
    pub head_ref: String,
    /// The commit it is at.
    pub head: Sha,
    /// The branch it goes into.
    pub base_ref: String,
    /// It comes from another repository, a fork.
    pub cross_repository: bool,
    /// Labels, in GitHub's order; at most 20.
    pub labels: Vec<LabelSummary>,
    /// GitHub merges it by itself once everything passes.
    pub auto_merge: bool,
    /// Opened at.
    pub created_at: Time,
    /// Last changed at.
    pub updated_at: Time,
    /// Its page.
    pub url: String,
}

/// An open issue in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueSummary {
    /// Number within the repository.
    pub number: u64,
    /// Title.
    pub title: String,
    /// Who opened it; none for an account that is gone.
    pub author: Option<Author>,
    /// Labels, in GitHub's order; at most 20.
    pub labels: Vec<LabelSummary>,
    /// How many comments it has.
    pub comments: u64,
    /// Last changed at.
    pub updated_at: Time,
    /// Its page.
    pub url: String,
}

/// Who opened something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The name, without `[bot]`.
    pub login: Login,
    /// An app.
    pub is_bot: bool,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSummary {
    /// Its name.
    pub name: String,
    /// Six hex digits.
    pub color: String,
}

impl GitHubClient {
    /// Makes a reading unless the breaker is open, and tells the breaker how it went.
    async fn read_unless_open<T>(
        &self,
        what: &str,
        reading: impl Future<Output = Result<T, ApiFault>>,
    ) -> Result<T, GitHubError> {
        let outcome = match self.breaker.open_until(self.api.clock.now()) {
            Some(until) => Err(ApiFault::BreakerOpen(until)),
            None => {
                let outcome = reading.await;
                self.breaker.record(&outcome, self.api.clock.now());
                outcome
            }
        };
        outcome.map_err(|fault| fault.into_read_error(self.host(), what))
    }
}

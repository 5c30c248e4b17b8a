//! What sessions are told of a pull request beside its code: read from GitHub, or brought along by who has read it (§18.1).

use crate::gather::{pull_unread, read_linked_issues};
use async_trait::async_trait;
use collie_agents::prompting::LinkedIssue;
use collie_config::LiveConfig;
use collie_core::event::SessionFailure;
use collie_core::snapshot::Snapshot;
use collie_engine::ports::{GitHub as _, PullRef};
use collie_github::GitHubClient;
use std::sync::Arc;

/// Reads a pull request for a session.
#[async_trait]
pub trait PullReader: Send + Sync {
    /// The pull request as GitHub shows it now.
    ///
    /// # Errors
    /// It cannot be read.
    async fn snapshot(&self, pull: &PullRef) -> Result<Snapshot, SessionFailure>;

    /// The issues that it names. One that cannot or may not be read is named as not read.
    async fn linked_issues(&self, snapshot: &Snapshot) -> Vec<LinkedIssue>;
}

/// Reads GitHub as the signed-in account.
pub struct GitHubPullReader {
    config: LiveConfig,
    github: Arc<GitHubClient>,
}

impl GitHubPullReader {
    /// Goes by the configuration as it is when something is read.
    pub fn new(config: LiveConfig, github: Arc<GitHubClient>) -> Self {
        Self { config, github }
    }
}

#[async_trait]
impl PullReader for GitHubPullReader {
    async fn snapshot(&self, pull: &PullRef) -> Result<Snapshot, SessionFailure> {
        let read = self.github.observe(std::slice::from_ref(pull)).await;
        match read.into_iter().next() {
            Some(Ok(snapshot)) => Ok(snapshot),
            Some(Err(failure)) => {
                tracing::warn!(repo = %pull.repo, ?failure, "the pull request could not be read for a review");
                Err(pull_unread(pull, Some(failure)))
            }
            None => Err(pull_unread(pull, None)),
        }
    }

    async fn linked_issues(&self, snapshot: &Snapshot) -> Vec<LinkedIssue> {
        read_linked_issues(&self.github, snapshot, &self.config.get()).await
    }
}

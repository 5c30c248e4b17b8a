//! What sessions are told of a pull request beside its code: read from GitHub, or brought along by who has read it (§18.1).

use async_trait::async_trait;
use collie_agents::prompting::{IssueRef, LinkedIssue, linked_issues};
use collie_config::{Config, LiveConfig, host_of};
use collie_core::error_code::ErrorCode;
use collie_core::event::{Outage, SessionFailure};
use collie_core::ids::RepoName;
use collie_core::snapshot::{ObserveFailure, Snapshot};
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, PullRef};
use collie_github::GitHubClient;
use collie_github::browse::IssueText;
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

/// The issues that it names. One that cannot or may not be read is named as not read: the review goes on without it.
async fn read_linked_issues(
    github: &GitHubClient,
    snapshot: &Snapshot,
    config: &Config,
) -> Vec<LinkedIssue> {
    let (body, title, branch) = (&snapshot.body, snapshot.title.as_raw(), &snapshot.head_ref);
    let host = host_of(&config.api_url);
    let mut issues = Vec::new();
    for named in linked_issues(body, title, branch, &snapshot.repo, &host) {
        if named.repo == snapshot.repo && named.number == snapshot.number {
            continue;
        }
        let text = read_issue(github, config, snapshot, &named).await;
        let read = text.is_some();
        let (title, body, state) = text
            .map(|issue| (issue.title, issue.body, issue.state))
            .unwrap_or_default();
        issues.push(LinkedIssue {
            repo: named.repo,
            number: named.number,
            title,
            body,
            state,
            link: named.link,
            read,
        });
    }
    issues
}

/// The text of an issue, if a pull request of this repository may have it read.
async fn read_issue(
    github: &GitHubClient,
    config: &Config,
    snapshot: &Snapshot,
    named: &IssueRef,
) -> Option<IssueText> {
    let own = &snapshot.repo;
    if !may_read_issues_of(github, config, own, &named.repo).await {
        return None;
    }
    let issue = match github.issue(&named.repo, named.number).await {
        Ok(issue) => issue,
        Err(error) => {
            tracing::info!(%error, "a linked issue was not read");
            return None;
        }
    };
    // It may have been moved on to a repository that nobody named.
    let moved = !issue.repo.eq_ignore_case(&named.repo);
    let allowed = !moved || may_read_issues_of(github, config, own, &issue.repo).await;
    allowed.then_some(issue)
}

/// Whether a pull request may have issues of a repository read: of its own, of one that the user allows, of a public one (§9.1).
async fn may_read_issues_of(
    github: &GitHubClient,
    config: &Config,
    own: &RepoName,
    repo: &RepoName,
) -> bool {
    let allowed = |repo: &RepoName| repo.eq_ignore_case(own) || config.reads_from(own, repo);
    if allowed(repo) {
        return true;
    }
    match github.visibility(repo).await {
        Ok(found) => found.public || allowed(&found.repo),
        Err(error) => {
            tracing::info!(%error, "whether a repository is public could not be told");
            false
        }
    }
}

/// What it means for a session that the pull request could not be read: an outage is no fault of the session.
fn pull_unread(pull: &PullRef, failure: Option<ObserveFailure>) -> SessionFailure {
    let pull = format!("{}#{}", pull.repo, pull.id.number);
    let error = UserError::new(ErrorCode::PullUnread).with("pull", pull);
    let outage = match failure {
        Some(ObserveFailure::Unreachable { .. }) => Outage::Unreachable { until: None },
        Some(ObserveFailure::BreakerOpen { until }) => Outage::Unreachable { until: Some(until) },
        Some(ObserveFailure::RateLimited { until }) => Outage::RateLimited { until },
        Some(ObserveFailure::Unauthorized) => Outage::Unauthorized,
        Some(
            ObserveFailure::Forbidden { .. }
            | ObserveFailure::App { .. }
            | ObserveFailure::ServerTooOld { .. }
            | ObserveFailure::NotFound
            | ObserveFailure::Moved,
        )
        | None => return SessionFailure::transient(error),
    };
    SessionFailure::outage(outage, error)
}

#[cfg(test)]
mod tests {
    use super::pull_unread;
    use collie_core::event::{Outage, SessionFailure};
    use collie_core::ids::{LoopId, RepoName, Time};
    use collie_core::snapshot::ObserveFailure;
    use collie_engine::ports::PullRef;

    #[test]
    fn an_outage_while_a_pull_request_is_read_is_no_failure_of_the_session() {
        let pull = PullRef {
            id: LoopId {
                host: "github.com".into(),
                repo_id: "r".into(),
                number: 1,
            },
            repo: RepoName::parse("acme/web").unwrap(),
        };
        let outage = |failure| match pull_unread(&pull, failure) {
            SessionFailure::Outage { outage, .. } => Some(outage),
            _ => None,
        };
        let until = Time(5);
        let message = String::new;
        let unreachable = ObserveFailure::Unreachable { message: message() };
        for (failure, expect) in [
            (unreachable, Outage::Unreachable { until: None }),
            (
                ObserveFailure::BreakerOpen { until },
                Outage::Unreachable { until: Some(until) },
            ),
            (
                ObserveFailure::RateLimited { until },
                Outage::RateLimited { until },
            ),
            (ObserveFailure::Unauthorized, Outage::Unauthorized),
        ] {
            assert_eq!(outage(Some(failure)), Some(expect));
        }
        let forbidden = ObserveFailure::Forbidden { message: message() };
        for failure in [Some(forbidden), Some(ObserveFailure::NotFound), None] {
            assert_eq!(outage(failure), None);
        }
    }
}

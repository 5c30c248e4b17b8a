//! The event that a GitHub workflow runs for: which pull request it is about, and whether the run has secrets.

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{PullName, RepoName};
use collie_core::user_error::UserError;
use serde::Deserialize;
use std::path::Path;

/// A workflow that this account causes runs as one of a fork does: with a token that may only read, and no secret
/// ([Dependabot on Actions](https://docs.github.com/en/code-security/reference/supply-chain-security/troubleshoot-dependabot/dependabot-on-actions)).
const DEPENDABOT: &str = "dependabot[bot]";

/// An event, as far as it matters here.
pub struct WorkflowEvent {
    name: String,
    actor: String,
    repository: RepoName,
    payload: Payload,
}

#[derive(Default, Deserialize)]
struct Payload {
    pull_request: Option<Pull>,
    issue: Option<Issue>,
}

#[derive(Deserialize)]
struct Pull {
    number: u64,
    head: Side,
    base: Side,
}

#[derive(Deserialize)]
struct Side {
    /// None where the fork was deleted.
    repo: Option<Repo>,
}

#[derive(Deserialize)]
struct Repo {
    id: u64,
}

#[derive(Deserialize)]
struct Issue {
    number: u64,
    /// There where the issue is a pull request.
    pull_request: Option<serde::de::IgnoredAny>,
}

impl WorkflowEvent {
    /// Reads the event of `GITHUB_EVENT_PATH`.
    ///
    /// # Errors
    /// The file cannot be read or is no event; the repository is no name.
    pub fn read(path: &Path, name: &str, repository: &str, actor: &str) -> Result<Self, UserError> {
        let unusable = |message: String| {
            UserError::new(ErrorCode::ActionEvent)
                .with("path", path.display())
                .with("message", message)
                .hint(ErrorHint::ActionDocs)
        };
        let text = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
        let payload = serde_json::from_slice(&text).map_err(|error| unusable(error.to_string()))?;
        Ok(Self {
            name: name.to_owned(),
            actor: actor.to_owned(),
            repository: RepoName::parse(repository)?,
            payload,
        })
    }

    /// The pull request of this number, else the one that the event is about.
    ///
    /// # Errors
    /// There is neither.
    pub fn pull(&self, number: Option<u64>) -> Result<PullName, UserError> {
        let payload = &self.payload;
        let of_pull = payload.pull_request.as_ref().map(|pull| pull.number);
        let issue = payload.issue.as_ref();
        let of_issue = issue.filter(|issue| issue.pull_request.is_some());
        let of_issue = of_issue.map(|issue| issue.number);
        let number = number.or(of_pull).or(of_issue).ok_or_else(|| {
            UserError::new(ErrorCode::ActionNoPull)
                .with("event", &self.name)
                .hint(ErrorHint::ActionDocs)
        })?;
        Ok(PullName {
            repo: self.repository.clone(),
            number,
        })
    }

    /// Whether GitHub gives the run no secret and a token that may only read: what a fork or Dependabot causes, save under
    /// `pull_request_target`
    /// ([events](https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request)).
    pub fn has_no_secrets(&self) -> bool {
        let is_of_pull =
            self.name.starts_with("pull_request") && self.name != "pull_request_target";
        is_of_pull && (self.actor == DEPENDABOT || self.is_from_fork())
    }

    fn is_from_fork(&self) -> bool {
        let Some(pull) = &self.payload.pull_request else {
            return false;
        };
        let id = |side: &Side| side.repo.as_ref().map(|repo| repo.id);
        id(&pull.head).is_none() || id(&pull.head) != id(&pull.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn event(name: &str, actor: &str, payload: Value) -> Result<WorkflowEvent, UserError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("event.json");
        std::fs::write(&path, payload.to_string()).unwrap();
        WorkflowEvent::read(&path, name, "acme/app", actor)
    }

    fn pull(head: Value) -> Value {
        json!({"pull_request": {"number": 4, "head": {"repo": head}, "base": {"repo": {"id": 1}}}})
    }

    #[test]
    fn forks_and_dependabot_have_no_secrets() {
        let check = |name: &str, actor: &str, head: Value, expect: bool| {
            let event = event(name, actor, pull(head.clone())).unwrap();
            assert_eq!(event.has_no_secrets(), expect, "{name} {actor} {head}");
        };
        check("pull_request", "kim", json!({"id": 1}), false);
        check("pull_request", "kim", json!({"id": 2}), true);
        check("pull_request", "kim", Value::Null, true);
        check("pull_request", DEPENDABOT, json!({"id": 1}), true);
        check("pull_request_review", "kim", json!({"id": 2}), true);
        check("pull_request_target", "kim", json!({"id": 2}), false);
        check("workflow_dispatch", DEPENDABOT, json!({"id": 1}), false);
    }

    #[test]
    fn the_pull_request_is_the_events_or_the_one_that_is_named() {
        let name = |payload: Value, number: Option<u64>| {
            let event = event("issue_comment", "kim", payload).unwrap();
            event
                .pull(number)
                .map(|pull| pull.to_string())
                .map_err(|error| error.code)
        };
        assert_eq!(name(pull(json!({"id": 1})), None), Ok("acme/app#4".into()));
        assert_eq!(
            name(pull(json!({"id": 1})), Some(9)),
            Ok("acme/app#9".into())
        );
        let comment = json!({"issue": {"number": 7, "pull_request": {"url": "…"}}});
        assert_eq!(name(comment, None), Ok("acme/app#7".into()));
        let issue = json!({"issue": {"number": 7}});
        assert_eq!(name(issue, None), Err(ErrorCode::ActionNoPull));
    }

    #[test]
    fn what_is_no_event_is_an_error() {
        for bad in [
            json!([]),
            json!("x"),
            json!({"pull_request": {"number": -1}}),
        ] {
            let error = event("pull_request", "kim", bad).err().unwrap();
            assert_eq!(error.code, ErrorCode::ActionEvent);
        }
        let missing = WorkflowEvent::read(Path::new("/nowhere"), "push", "acme/app", "");
        assert_eq!(missing.err().unwrap().code, ErrorCode::ActionEvent);
    }
}

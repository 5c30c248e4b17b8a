//! Payloads, with what GitHub's have.

use serde_json::{Value, json};

use super::events::Happened;
use crate::Forge;
use crate::clock::format_time;
use crate::model::{
    AccountId, CheckRun, CommitStatus, IssueComment, PullRequest, RepoName, RepoState, Review,
    ReviewComment, ReviewThread, Sha,
};
use crate::node::{NodeKind, node_id_in};
use crate::rest::json_objects::{
    self, JsonContext, check_run_json, issue_comment_json, issue_json, merge_objects,
    pull_as_issue_json, pull_json, pull_summary_json, repo_full_json, repo_minimal_json,
    review_comment_json, review_json, status_json, suite_facts_json,
};
use crate::shipped_accounts::MERGE_QUEUE_BOT;

/// Where a payload wants facts of a commit, which git has.
const COMMIT_FIELD: &str = "head_commit";

/// Makes payloads of one state of a repository.
pub(super) struct Payloads<'a> {
    context: JsonContext<'a>,
    pub(super) state: &'a RepoState,
}

impl<'a> Payloads<'a> {
    pub(super) fn new(forge: &'a Forge, state: &'a RepoState, base_url: &'a str) -> Self {
        let context = JsonContext::new(forge, &state.meta.name, base_url);
        Self { context, state }
    }

    fn happened(&self, event: &'static str, by: AccountId, payload: Value) -> Happened {
        let common = json!({
            "repository": repo_full_json(self.context, self.state, None),
            "sender": self.account(by),
        });
        let payload = merge_objects(common, payload);
        Happened { event, payload }
    }

    pub(super) fn account(&self, id: AccountId) -> Value {
        self.context.account_by_id(id)
    }

    /// Who did what a pull request's timeline tells last; its author where it tells nothing.
    pub(super) fn last_actor(&self, pull: &PullRequest) -> AccountId {
        let events = self.state.events.iter().rev();
        let mut own = events.filter(|event| event.number == pull.number);
        own.next().map_or(pull.author, |event| event.actor)
    }

    pub(super) fn label(&self, name: &str) -> Value {
        let label = self.state.meta.labels.get(name);
        label.map_or(Value::Null, |label| {
            json_objects::label_json(self.context, self.state, label)
        })
    }

    pub(super) fn pull(
        &self,
        pull: &PullRequest,
        action: &str,
        by: AccountId,
        more: Value,
    ) -> Happened {
        let payload = json!({
            "action": action,
            "number": pull.number,
            "pull_request": pull_json(self.context, self.state, pull),
        });
        self.happened("pull_request", by, merge_objects(payload, more))
    }

    fn pull_part(&self, number: u64) -> Option<Value> {
        let pull = self.state.pulls.get(number)?;
        Some(pull_summary_json(self.context, self.state, pull))
    }

    pub(super) fn comment(&self, action: &str, comment: &IssueComment) -> Option<Happened> {
        let pull = self.state.pulls.get(comment.number);
        let of_pull = pull.map(|pull| pull_as_issue_json(self.context, self.state, pull));
        let issue = self.state.issues.get(comment.number);
        let issue = issue.map(|issue| issue_json(self.context, self.state, issue));
        let payload = json!({
            "action": action,
            "issue": of_pull.or(issue)?,
            "comment": issue_comment_json(self.context, self.state, comment),
        });
        Some(self.happened("issue_comment", comment.author, payload))
    }

    pub(super) fn review(&self, action: &str, review: &Review) -> Option<Happened> {
        let mut shown = review_json(self.context, self.state, review);
        // A webhook writes it in small letters, the API in capitals.
        shown["state"] = json!(review.state.as_str().to_lowercase());
        let payload = json!({
            "action": action,
            "review": shown,
            "pull_request": self.pull_part(review.number)?,
        });
        Some(self.happened("pull_request_review", review.author, payload))
    }

    pub(super) fn review_comment(&self, action: &str, comment: &ReviewComment) -> Option<Happened> {
        let payload = json!({
            "action": action,
            "comment": review_comment_json(self.context, self.state, comment),
            "pull_request": self.pull_part(comment.number)?,
        });
        Some(self.happened("pull_request_review_comment", comment.author, payload))
    }

    pub(super) fn thread(
        &self,
        action: &str,
        thread: &ReviewThread,
        by: AccountId,
    ) -> Option<Happened> {
        let comments = self.state.review_comments.iter();
        let own = comments.filter(|comment| comment.thread_id == thread.id);
        let comments: Vec<Value> = own
            .map(|comment| review_comment_json(self.context, self.state, comment))
            .collect();
        let node = node_id_in(NodeKind::ReviewThread, self.state.meta.id, thread.id);
        let payload = json!({
            "action": action,
            "thread": {"node_id": node, "comments": comments},
            "pull_request": self.pull_part(thread.number)?,
        });
        Some(self.happened("pull_request_review_thread", by, payload))
    }

    pub(super) fn check_run(&self, action: &str, run: &CheckRun) -> Happened {
        let shown = check_run_json(self.context, self.state, run);
        let payload = json!({"action": action, "check_run": shown});
        self.happened("check_run", run.app, payload)
    }

    pub(super) fn check_suite(&self, runs: &[&CheckRun]) -> Option<Happened> {
        let first = runs.first()?;
        let mut suite = suite_facts_json(self.context, self.state, runs);
        suite[COMMIT_FIELD] = json!({"id": first.head_sha});
        let payload = json!({"action": "completed", "check_suite": suite});
        Some(self.happened("check_suite", first.app, payload))
    }

    /// The run of a workflow; none where the checks are of no workflow.
    pub(super) fn workflow_run(&self, action: &str, runs: &[&CheckRun]) -> Option<Happened> {
        let first = runs.first()?;
        let workflow = first.workflow.as_ref()?;
        let suite = suite_facts_json(self.context, self.state, runs);
        let url = self
            .context
            .api_url(&format!("/actions/runs/{}", first.suite_id));
        let facts = json!({
            "id": first.suite_id,
            "node_id": suite["node_id"],
            "name": workflow.name,
            "path": format!(".github/workflows/{}", workflow.file),
            "event": workflow.event,
            "run_number": 1,
            "run_attempt": 1,
            "check_suite_id": first.suite_id,
            "check_suite_node_id": suite["node_id"],
            "check_suite_url": suite["url"],
            "head_branch": suite["head_branch"],
            "head_sha": first.head_sha,
            "head_commit": {"id": first.head_sha},
            "status": suite["status"],
            "conclusion": suite["conclusion"],
            "pull_requests": suite["pull_requests"],
            "created_at": suite["created_at"],
            "updated_at": suite["updated_at"],
            "run_started_at": suite["created_at"],
            "url": url,
            "jobs_url": format!("{url}/jobs"),
            "logs_url": format!("{url}/logs"),
            "html_url": self.context.web_url(&format!("/actions/runs/{}", first.suite_id)),
            "repository": repo_minimal_json(self.context, self.state),
            "head_repository": repo_minimal_json(self.context, self.state),
        });
        let payload = json!({
            "action": action,
            "workflow_run": facts,
            "workflow": {"name": workflow.name, "path": format!(".github/workflows/{}", workflow.file), "state": "active"},
        });
        Some(self.happened("workflow_run", first.app, payload))
    }

    pub(super) fn status(&self, status: &CommitStatus) -> Happened {
        let shown = status_json(self.context, self.state, status);
        let pulls = self.state.pulls.iter();
        let branches: Vec<Value> = pulls
            .filter(|pull| pull.head_sha == status.sha && pull.head_fork.is_none())
            .map(|pull| json!({"name": pull.head_ref, "commit": {"sha": status.sha}, "protected": false}))
            .collect();
        let payload = json!({
            "id": status.id,
            "sha": status.sha,
            "name": self.state.meta.name.to_string(),
            "target_url": status.target_url,
            "context": status.context,
            "description": status.description,
            "state": status.state.as_str(),
            "commit": {"sha": status.sha},
            "branches": branches,
            "created_at": shown["created_at"],
            "updated_at": shown["updated_at"],
        });
        self.happened("status", status.creator, payload)
    }

    pub(super) fn merge_group(&self, pull: &PullRequest, commit: &Sha) -> Happened {
        let base = &pull.base_ref;
        let payload = json!({
            "action": "checks_requested",
            "merge_group": {
                "head_sha": commit,
                "head_ref": format!("refs/heads/gh-readonly-queue/{base}/pr-{}-{}", pull.number, pull.base_sha),
                "base_ref": format!("refs/heads/{base}"),
                "base_sha": pull.base_sha,
                "head_commit": {"id": commit, "timestamp": format_time(pull.updated_at)},
            },
        });
        self.happened("merge_group", MERGE_QUEUE_BOT, payload)
    }
}

/// Adds what git knows of the commits that a payload names.
pub(super) async fn complete(forge: &Forge, repo: &RepoName, mut payload: Value) -> Value {
    for part in ["check_suite", "workflow_run", "merge_group"] {
        let id = payload[part][COMMIT_FIELD]["id"].as_str();
        let Some(id) = id.and_then(Sha::new) else {
            continue;
        };
        let Ok(git) = forge.git(repo) else { continue };
        if let Ok(commit) = git.commit(&id).await {
            payload[part][COMMIT_FIELD] = json_objects::head_commit_json(&commit);
        }
    }
    payload
}

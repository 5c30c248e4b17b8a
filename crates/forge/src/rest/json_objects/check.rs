//! Check runs and statuses.

use serde_json::{Value, json};

use super::{JsonContext, repo_minimal_json};
use crate::clock::format_time;
use crate::git_dir::Commit;
use crate::model::{
    Annotation, CheckRun, CheckStatus, CommitStatus, Conclusion, RepoState, Sha, StatusState,
};
use crate::node::{NodeKind, node_id, node_id_in};
use crate::shipped_accounts;

/// GitHub's `check-run`.
pub(crate) fn check_run_json(context: JsonContext<'_>, state: &RepoState, run: &CheckRun) -> Value {
    let url = context.api_url(&format!("/check-runs/{}", run.id));
    let html = context.web_url(&format!("/actions/runs/{}/job/{}", run.suite_id, run.id));
    let pulls = state
        .pulls
        .get(run.number)
        .filter(|p| p.head_sha == run.head_sha);
    let side = |name: &str, sha: &Sha| {
        json!({
            "ref": name,
            "sha": sha,
            "repo": {"id": state.meta.id, "url": context.api_url(""), "name": context.repo.name()},
        })
    };
    let pulls = pulls.map(|p| {
        json!({
            "url": context.api_url(&format!("/pulls/{}", p.number)),
            "id": p.id,
            "number": p.number,
            "head": side(&p.head_ref, &p.head_sha),
            "base": side(&p.base_ref, &p.base_sha),
        })
    });
    json!({
        "id": run.id,
        "name": run.name,
        "node_id": node_id_in(NodeKind::CheckRun, state.meta.id, run.id),
        "head_sha": run.head_sha,
        "external_id": "",
        "url": url,
        "html_url": html,
        "details_url": html,
        "status": run.status.as_str(),
        "conclusion": run.conclusion.map(|c| c.as_str()),
        "started_at": run.started_at.map(format_time),
        "completed_at": run.completed_at.map(format_time),
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": null,
            "annotations_count": run.annotations.len(),
            "annotations_url": format!("{url}/annotations"),
        },
        "check_suite": {"id": run.suite_id},
        "app": app_json(context, run.app),
        "pull_requests": pulls.into_iter().collect::<Vec<_>>(),
    })
}

/// GitHub's `integration`: the app behind a bot account.
fn app_json(context: JsonContext<'_>, bot: crate::model::AccountId) -> Value {
    let account = context.forge.account(bot);
    let id = shipped_accounts::app_id(bot);
    let slug = account.login.trim_end_matches("[bot]");
    let owner = context.account_by_id(bot);
    json!({
        "id": id,
        "slug": slug,
        "node_id": node_id(NodeKind::App, id),
        "client_id": format!("Iv1.{id:016x}"),
        "owner": owner,
        "name": slug,
        "description": "",
        "external_url": owner["html_url"],
        "html_url": owner["html_url"],
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
        "permissions": {"checks": "write", "metadata": "read", "pull_requests": "write"},
        "events": [],
    })
}

/// GitHub's `check-annotation`.
pub(crate) fn annotation_json(
    context: JsonContext<'_>,
    sha: &Sha,
    annotation: &Annotation,
) -> Value {
    json!({
        "path": annotation.path,
        "blob_href": context.web_url(&format!("/blob/{sha}/{}", super::encode_path(&annotation.path))),
        "start_line": annotation.line,
        "end_line": annotation.line,
        "start_column": null,
        "end_column": null,
        "annotation_level": annotation.level.as_str(),
        "title": null,
        "message": annotation.message,
        "raw_details": null,
    })
}

/// GitHub's `status`.
pub(crate) fn status_json(
    context: JsonContext<'_>,
    state: &RepoState,
    status: &CommitStatus,
) -> Value {
    let creator = context.account_by_id(status.creator);
    json!({
        "url": context.api_url(&format!("/statuses/{}", status.sha)),
        "avatar_url": creator["avatar_url"],
        "id": status.id,
        "node_id": node_id_in(NodeKind::StatusContext, state.meta.id, status.id),
        "state": status.state.as_str(),
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": format_time(status.created_at),
        "updated_at": format_time(status.updated_at),
        "creator": creator,
    })
}

/// GitHub's `combined-commit-status`: statuses only, check runs do not count.
pub(crate) fn combined_status_json(
    context: JsonContext<'_>,
    state: &RepoState,
    sha: &Sha,
    listed: Vec<Value>,
) -> Value {
    let statuses = state.latest_statuses(sha);
    let any = |wanted: &[StatusState]| statuses.iter().any(|s| wanted.contains(&s.state));
    let sum = if any(&[StatusState::Failure, StatusState::Error]) {
        "failure"
    } else if statuses.is_empty() || any(&[StatusState::Pending]) {
        "pending"
    } else {
        "success"
    };
    json!({
        "state": sum,
        "statuses": listed,
        "sha": sha,
        "total_count": statuses.len(),
        "repository": repo_minimal_json(context, state),
        "commit_url": context.api_url(&format!("/commits/{sha}")),
        "url": context.api_url(&format!("/commits/{sha}/status")),
    })
}

/// GitHub's `check-suite`; `runs` are its newest, at least one, on `commit`.
pub(crate) fn check_suite_json(
    context: JsonContext<'_>,
    state: &RepoState,
    runs: &[&CheckRun],
    commit: &Commit,
) -> Value {
    let mut suite = suite_facts_json(context, state, runs);
    suite["head_commit"] = head_commit_json(commit);
    suite
}

/// A commit as suites and runs of workflows show it.
pub(crate) fn head_commit_json(commit: &Commit) -> Value {
    json!({
        "id": commit.sha,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": commit.committer.date,
        "author": {"name": commit.author.name, "email": commit.author.email},
        "committer": {"name": commit.committer.name, "email": commit.committer.email},
    })
}

/// What of a check suite needs no look into git.
pub(crate) fn suite_facts_json(
    context: JsonContext<'_>,
    state: &RepoState,
    runs: &[&CheckRun],
) -> Value {
    let first = runs[0];
    let url = context.api_url(&format!("/check-suites/{}", first.suite_id));
    let pull = state.pulls.get(first.number);
    let head = |p: &crate::model::PullRequest| (p.head_ref.clone(), p.heads.clone());
    let (branch, heads) = pull.map(head).unzip();
    let heads: Vec<Sha> = heads.into_iter().flatten().map(|h| h.sha).collect();
    let at = heads.iter().position(|sha| *sha == first.head_sha);
    let before = at.and_then(|at| heads.get(at.checked_sub(1)?));
    let all = |status: CheckStatus| runs.iter().all(|r| r.status == status);
    let status = if all(CheckStatus::Completed) {
        CheckStatus::Completed
    } else if all(CheckStatus::Queued) {
        CheckStatus::Queued
    } else {
        CheckStatus::InProgress
    };
    let created = runs.iter().map(|r| r.created_at).min();
    let updated = runs
        .iter()
        .filter_map(|r| r.completed_at.or(r.started_at))
        .max();
    json!({
        "id": first.suite_id,
        "node_id": node_id_in(NodeKind::CheckSuite, state.meta.id, first.suite_id),
        "head_branch": branch,
        "head_sha": first.head_sha,
        "status": status.as_str(),
        "conclusion": suite_conclusion(runs).map(|c| c.as_str()),
        "url": url,
        "before": before,
        "after": first.head_sha,
        "pull_requests": check_run_json(context, state, first)["pull_requests"],
        "app": app_json(context, first.app),
        "repository": repo_minimal_json(context, state),
        "created_at": created.map(format_time),
        "updated_at": updated.or(created).map(format_time),
        "latest_check_runs_count": runs.len(),
        "check_runs_url": format!("{url}/check-runs"),
        "rerequestable": true,
        "runs_rerequestable": true,
    })
}

/// What a suite came to: the worst of its runs, once all are done.
fn suite_conclusion(runs: &[&CheckRun]) -> Option<Conclusion> {
    const WORST_FIRST: [Conclusion; 7] = [
        Conclusion::ActionRequired,
        Conclusion::TimedOut,
        Conclusion::Failure,
        Conclusion::Cancelled,
        Conclusion::Success,
        Conclusion::Neutral,
        Conclusion::Skipped,
    ];
    let all: Option<Vec<Conclusion>> = runs.iter().map(|r| r.conclusion).collect();
    let all = all?;
    WORST_FIRST.into_iter().find(|c| all.contains(c))
}

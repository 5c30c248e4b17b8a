//! Repositories and their rules.

use serde_json::{Value, json};

use super::{JsonContext, merge_objects};
use crate::clock::format_time;
use crate::model::{
    Account, Issue, IssueState, Protection, PullRequest, PullState, RepoState, Role,
};
use crate::node::{NodeKind, node_id};

/// Sub-resources with an address of the form `KEY_url`.
const REPO_LINKS: [(&str, &str); 36] = [
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    (
        "notifications_url",
        "/notifications{?since,all,participating}",
    ),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
];

/// GitHub's `minimal-repository`.
pub(crate) fn repo_minimal_json(context: JsonContext<'_>, state: &RepoState) -> Value {
    let meta = &*state.meta;
    let mut out = json!({
        "id": meta.id,
        "node_id": node_id(NodeKind::Repository, meta.id),
        "name": meta.name.name(),
        "full_name": meta.name.to_string(),
        "owner": context.account_by_id(meta.owner),
        "private": meta.private,
        "html_url": context.web_url(""),
        "description": meta.description,
        "fork": meta.fork_of.is_some(),
        "url": context.api_url(""),
    });
    for (key, path) in REPO_LINKS {
        out[key] = Value::from(context.api_url(path));
    }
    out
}

/// GitHub's `full-repository`, of which `repository` is a part.
pub(crate) fn repo_full_json(
    context: JsonContext<'_>,
    state: &RepoState,
    viewer: Option<&Account>,
) -> Value {
    let meta = &*state.meta;
    let open = open_issue_count(state);
    let clone = context.web_url(".git");
    let more = json!({
        "clone_url": clone,
        "git_url": clone,
        "ssh_url": clone,
        "svn_url": context.web_url(""),
        "mirror_url": null,
        "homepage": null,
        "language": null,
        "license": null,
        "default_branch": meta.default_branch,
        "visibility": if meta.private { "private" } else { "public" },
        "forks": 0,
        "forks_count": 0,
        "stargazers_count": 0,
        "watchers": 0,
        "watchers_count": 0,
        "network_count": 0,
        "subscribers_count": 0,
        "open_issues": open,
        "open_issues_count": open,
        "size": 0,
        "topics": [],
        "has_issues": true,
        "has_projects": false,
        "has_downloads": false,
        "has_wiki": false,
        "has_pages": false,
        "has_discussions": false,
        "archived": meta.archived,
        "disabled": false,
        "allow_forking": true,
        "is_template": false,
        "web_commit_signoff_required": false,
        "pushed_at": format_time(meta.pushed_at),
        "created_at": format_time(meta.created_at),
        "updated_at": format_time(meta.updated_at),
        "allow_merge_commit": meta.allow_merge_commit,
        "allow_squash_merge": meta.allow_squash_merge,
        "allow_rebase_merge": meta.allow_rebase_merge,
        "allow_auto_merge": meta.allow_auto_merge,
        "delete_branch_on_merge": false,
    });
    let mut out = merge_objects(repo_minimal_json(context, state), more);
    if let Some(viewer) = viewer {
        out["permissions"] = permissions_json(meta.role(viewer.id));
    }
    out
}

/// Counts what is open; to GitHub a pull request is an issue too.
fn open_issue_count(state: &RepoState) -> usize {
    let is_open = |pull: &&PullRequest| pull.state == PullState::Open;
    let pulls = state.pulls.iter().filter(is_open).count();
    let is_open = |issue: &&Issue| issue.state == IssueState::Open;
    pulls + state.issues.iter().filter(is_open).count()
}

/// What an account of a role may do.
pub(crate) fn permissions_json(role: Role) -> Value {
    let admin = role.permission() == "admin";
    let push = role.may_write();
    json!({"admin": admin, "maintain": admin, "push": push, "triage": push, "pull": true})
}

/// GitHub's `branch-protection`.
pub(crate) fn protection_json(context: JsonContext<'_>, branch: &str, rules: &Protection) -> Value {
    let url = context.api_url(&format!(
        "/branches/{}/protection",
        super::encode_path(branch)
    ));
    let enabled = |on: bool| json!({"enabled": on});
    let mut out = json!({
        "url": url,
        "enabled": true,
        "enforce_admins": {"url": format!("{url}/enforce_admins"), "enabled": rules.enforce_admins},
        "required_linear_history": enabled(false),
        "allow_force_pushes": enabled(false),
        "allow_deletions": enabled(false),
        "block_creations": enabled(false),
        "required_conversation_resolution": enabled(rules.require_conversation_resolution),
        "required_signatures": {"url": format!("{url}/required_signatures"), "enabled": false},
        "lock_branch": enabled(false),
        "allow_fork_syncing": enabled(false),
    });
    if !rules.required_checks.is_empty() || rules.strict {
        let checks = rules
            .required_checks
            .iter()
            .map(|c| json!({"context": c, "app_id": null}));
        out["required_status_checks"] = json!({
            "url": format!("{url}/required_status_checks"),
            "strict": rules.strict,
            "contexts_url": format!("{url}/required_status_checks/contexts"),
            "contexts": rules.required_checks,
            "checks": checks.collect::<Vec<_>>(),
        });
    }
    if rules.required_reviews > 0 {
        out["required_pull_request_reviews"] = json!({
            "url": format!("{url}/required_pull_request_reviews"),
            "dismiss_stale_reviews": false,
            "require_code_owner_reviews": false,
            "required_approving_review_count": rules.required_reviews,
            "require_last_push_approval": false,
        });
    }
    out
}

/// The rules that hold for a branch, as `rules/branches/BRANCH` lists them.
pub(crate) fn rules_json(state: &RepoState, branch: &str) -> Vec<Value> {
    let mut out = Vec::new();
    let rule = |kind: &str, parameters: Value| {
        json!({
            "type": kind,
            "ruleset_source_type": "Repository",
            "ruleset_source": state.meta.name.to_string(),
            "ruleset_id": state.meta.id,
            "parameters": parameters,
        })
    };
    if let Some(rules) = state.meta.protection.get(branch) {
        out.push(
            json!({"type": "non_fast_forward", "ruleset_source_type": "Repository",
            "ruleset_source": state.meta.name.to_string(), "ruleset_id": state.meta.id}),
        );
        if !rules.required_checks.is_empty() || rules.strict {
            let checks = rules.required_checks.iter().map(|c| json!({"context": c}));
            out.push(rule(
                "required_status_checks",
                json!({
                    "required_status_checks": checks.collect::<Vec<_>>(),
                    "strict_required_status_checks_policy": rules.strict,
                }),
            ));
        }
        if rules.required_reviews > 0 || rules.require_conversation_resolution {
            out.push(rule(
                "pull_request",
                json!({
                    "required_approving_review_count": rules.required_reviews,
                    "required_review_thread_resolution": rules.require_conversation_resolution,
                    "dismiss_stale_reviews_on_push": false,
                    "require_code_owner_review": false,
                    "require_last_push_approval": false,
                }),
            ));
        }
    }
    if state.meta.merge_queue.contains(branch) {
        out.push(rule(
            "merge_queue",
            json!({
                "check_response_timeout_minutes": 60,
                "grouping_strategy": "ALLGREEN",
                "max_entries_to_build": 5,
                "max_entries_to_merge": 5,
                "merge_method": "MERGE",
                "min_entries_to_merge": 1,
                "min_entries_to_merge_wait_minutes": 5,
            }),
        ));
    }
    out
}

//! Pull requests, also in their guise as issues.

use serde_json::{Value, json};

use super::{JsonContext, association, label_json, merge_objects, reactions_json, repo_full_json};
use crate::actions::merge::merge_state;
use crate::clock::format_time;
use crate::model::{MergeMethod, PullRequest, PullState, ReactionSubject, RepoState, Sha};
use crate::node::{NodeKind, node_id_in};

/// GitHub's `pull-request-simple`, as lists have it.
pub(crate) fn pull_summary_json(
    context: JsonContext<'_>,
    state: &RepoState,
    pull: &PullRequest,
) -> Value {
    let number = pull.number;
    let url = context.api_url(&format!("/pulls/{number}"));
    let issue = context.api_url(&format!("/issues/{number}"));
    let html = context.web_url(&format!("/pull/{number}"));
    let statuses = context.api_url(&format!("/statuses/{}", pull.head_sha));
    let review_comment = context.api_url("/pulls/comments{/number}");
    let common = common_fields(context, state, pull);
    let more = json!({
        "url": url,
        "id": pull.id,
        "node_id": node_id_in(NodeKind::PullRequest, state.meta.id, pull.id),
        "html_url": html,
        "diff_url": format!("{html}.diff"),
        "patch_url": format!("{html}.patch"),
        "issue_url": issue,
        "commits_url": format!("{url}/commits"),
        "review_comments_url": format!("{url}/comments"),
        "review_comment_url": review_comment,
        "comments_url": format!("{issue}/comments"),
        "statuses_url": statuses,
        "merged_at": pull.merged_at.map(format_time),
        "merge_commit_sha": pull.merge_commit_sha,
        "draft": pull.draft,
        "requested_reviewers": pull.requested_reviewers.iter().map(|id| context.account_by_id(*id)).collect::<Vec<_>>(),
        "requested_teams": [],
        "head": head_json(context, state, pull),
        "base": branch_json(context, state, &pull.base_ref, &pull.base_sha),
        "auto_merge": auto_merge_json(context, pull),
        "_links": {
            "self": {"href": url},
            "html": {"href": html},
            "issue": {"href": issue},
            "comments": {"href": format!("{issue}/comments")},
            "review_comments": {"href": format!("{url}/comments")},
            "review_comment": {"href": review_comment},
            "commits": {"href": format!("{url}/commits")},
            "statuses": {"href": statuses},
        },
    });
    merge_objects(common, more)
}

/// GitHub's `pull-request`.
pub(crate) fn pull_json(context: JsonContext<'_>, state: &RepoState, pull: &PullRequest) -> Value {
    let number = pull.number;
    let open = pull.state == PullState::Open;
    let more = json!({
        "merged": pull.state == PullState::Merged,
        "mergeable": if open { pull.git.mergeable } else { None },
        "rebaseable": if open { pull.git.mergeable } else { None },
        "mergeable_state": merge_state(state, pull).as_str(),
        "merged_by": context.optional_account(pull.merged_by),
        "comments": state.issue_comments.iter().filter(|c| c.number == number).count(),
        "review_comments": state.review_comments.iter().filter(|c| c.number == number).count(),
        "maintainer_can_modify": pull.head_fork.as_ref().is_some_and(|fork| fork.maintainer_can_modify),
        "commits": pull.git.commits,
        "additions": pull.git.additions,
        "deletions": pull.git.deletions,
        "changed_files": pull.git.changed_files,
    });
    merge_objects(pull_summary_json(context, state, pull), more)
}

/// GitHub's `issue` for a pull request.
pub(crate) fn pull_as_issue_json(
    context: JsonContext<'_>,
    state: &RepoState,
    pull: &PullRequest,
) -> Value {
    let number = pull.number;
    let url = context.api_url(&format!("/issues/{number}"));
    let html = context.web_url(&format!("/pull/{number}"));
    let more = json!({
        "url": url,
        "repository_url": context.api_url(""),
        "labels_url": format!("{url}/labels{{/name}}"),
        "comments_url": format!("{url}/comments"),
        "events_url": format!("{url}/events"),
        "timeline_url": format!("{url}/timeline"),
        "html_url": html,
        "id": pull.issue_id,
        "node_id": node_id_in(NodeKind::Issue, state.meta.id, pull.issue_id),
        "comments": state.issue_comments.iter().filter(|c| c.number == number).count(),
        "closed_by": context.optional_account(pull.closed_by),
        "state_reason": null,
        "reactions": reactions_json(state, ReactionSubject::Issue(number), &url),
        "draft": pull.draft,
        "pull_request": {
            "url": context.api_url(&format!("/pulls/{number}")),
            "html_url": html,
            "diff_url": format!("{html}.diff"),
            "patch_url": format!("{html}.patch"),
            "merged_at": pull.merged_at.map(format_time),
        },
    });
    merge_objects(common_fields(context, state, pull), more)
}

/// What a pull request and its issue share.
fn common_fields(context: JsonContext<'_>, state: &RepoState, pull: &PullRequest) -> Value {
    let labels = pull
        .labels
        .iter()
        .filter_map(|key| state.meta.labels.get(key));
    json!({
        "number": pull.number,
        "state": match pull.state {
            PullState::Open => "open",
            PullState::Closed | PullState::Merged => "closed",
        },
        "locked": pull.locked,
        "active_lock_reason": null,
        "title": pull.title,
        "user": context.account_by_id(pull.author),
        "body": pull.body,
        "labels": labels.map(|l| label_json(context, state, l)).collect::<Vec<_>>(),
        "milestone": null,
        "assignee": context.optional_account(pull.assignees.first().copied()),
        "assignees": pull.assignees.iter().map(|id| context.account_by_id(*id)).collect::<Vec<_>>(),
        "created_at": format_time(pull.created_at),
        "updated_at": format_time(pull.updated_at),
        "closed_at": pull.closed_at.map(format_time),
        "author_association": association(state, pull.author),
    })
}

/// The head, which may be in a fork; the repository of a deleted fork is null.
fn head_json(context: JsonContext<'_>, state: &RepoState, pull: &PullRequest) -> Value {
    let (name, sha) = (&pull.head_ref, &pull.head_sha);
    let Some(fork) = &pull.head_fork else {
        return branch_json(context, state, name, sha);
    };
    let context = context.of_repo(&fork.repo);
    let shape = |state: &RepoState| repo_full_json(context, state, None);
    let found = (!fork.deleted).then(|| context.forge.read(&fork.repo, shape).ok());
    json!({
        "label": format!("{}:{name}", fork.repo.owner()),
        "ref": name,
        "sha": sha,
        "user": context.account_by_id(fork.owner),
        "repo": found.flatten(),
    })
}

fn branch_json(context: JsonContext<'_>, state: &RepoState, name: &str, sha: &Sha) -> Value {
    json!({
        "label": format!("{}:{name}", context.repo.owner()),
        "ref": name,
        "sha": sha,
        "user": context.account_by_id(state.meta.owner),
        "repo": repo_full_json(context, state, None),
    })
}

fn auto_merge_json(context: JsonContext<'_>, pull: &PullRequest) -> Value {
    let Some(order) = &pull.auto_merge else {
        return Value::Null;
    };
    json!({
        "enabled_by": context.account_by_id(order.enabled_by),
        "merge_method": match order.method {
            MergeMethod::Merge => "merge",
            MergeMethod::Squash => "squash",
            MergeMethod::Rebase => "rebase",
        },
        "commit_title": order.commit_title.clone().unwrap_or_default(),
        "commit_message": order.commit_message.clone().unwrap_or_default(),
    })
}

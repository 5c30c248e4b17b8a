//! Comments and reviews.

use serde_json::{Value, json};

use super::{JsonContext, association, reactions_json};
use crate::clock::format_time;
use crate::model::{IssueComment, ReactionSubject, RepoState, Review, ReviewComment};
use crate::node::{NodeKind, node_id_in};

/// GitHub's `issue-comment`.
pub(crate) fn issue_comment_json(
    context: JsonContext<'_>,
    state: &RepoState,
    comment: &IssueComment,
) -> Value {
    let number = comment.number;
    let page = if state.issues.get(number).is_some() {
        "issues"
    } else {
        "pull"
    };
    let url = context.api_url(&format!("/issues/comments/{}", comment.id));
    json!({
        "reactions": reactions_json(state, ReactionSubject::IssueComment(comment.id), &url),
        "url": url,
        "html_url": context.web_url(&format!("/{page}/{number}#issuecomment-{}", comment.id)),
        "issue_url": context.api_url(&format!("/issues/{number}")),
        "id": comment.id,
        "node_id": node_id_in(NodeKind::IssueComment, state.meta.id, comment.id),
        "user": context.account_by_id(comment.author),
        "created_at": format_time(comment.created_at),
        "updated_at": format_time(comment.updated_at),
        "body": comment.body,
        "author_association": association(state, comment.author),
        "performed_via_github_app": null,
    })
}

/// GitHub's `pull-request-review`.
pub(crate) fn review_json(context: JsonContext<'_>, state: &RepoState, review: &Review) -> Value {
    let number = review.number;
    let html = context.web_url(&format!("/pull/{number}#pullrequestreview-{}", review.id));
    let pull = context.api_url(&format!("/pulls/{number}"));
    let mut out = json!({
        "id": review.id,
        "node_id": node_id_in(NodeKind::Review, state.meta.id, review.id),
        "user": context.account_by_id(review.author),
        "body": review.body,
        "state": review.state.as_str(),
        "html_url": html,
        "pull_request_url": pull,
        "author_association": association(state, review.author),
        "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
        "commit_id": review.commit_sha,
    });
    // GitHub leaves the field out while the review is pending.
    if let Some(at) = review.submitted_at {
        out["submitted_at"] = Value::from(format_time(at));
    }
    out
}

/// GitHub's `pull-request-review-comment`.
pub(crate) fn review_comment_json(
    context: JsonContext<'_>,
    state: &RepoState,
    comment: &ReviewComment,
) -> Value {
    let number = comment.number;
    let url = context.api_url(&format!("/pulls/comments/{}", comment.id));
    let html = context.web_url(&format!("/pull/{number}#discussion_r{}", comment.id));
    let pull_url = context.api_url(&format!("/pulls/{number}"));
    let thread = state.threads.get(comment.thread_id);
    let outdated = thread.is_none_or(|t| t.outdated);
    let head = state.pulls.get(number).map(|p| &p.head_sha);
    let commit = if outdated { None } else { head };
    let mut out = json!({
        "url": url,
        "pull_request_review_id": comment.review_id,
        "id": comment.id,
        "node_id": node_id_in(NodeKind::ReviewComment, state.meta.id, comment.id),
        "diff_hunk": comment.diff_hunk,
        "path": thread.map_or("", |t| t.path.as_str()),
        "commit_id": commit.unwrap_or(&comment.original_commit_sha),
        "original_commit_id": comment.original_commit_sha,
        "user": context.account_by_id(comment.author),
        "body": comment.body,
        "created_at": format_time(comment.created_at),
        "updated_at": format_time(comment.updated_at),
        "html_url": html,
        "pull_request_url": pull_url,
        "author_association": association(state, comment.author),
        "_links": {
            "self": {"href": url},
            "html": {"href": html},
            "pull_request": {"href": pull_url},
        },
        "reactions": reactions_json(state, ReactionSubject::ReviewComment(comment.id), &url),
        "start_line": thread.and_then(|t| t.start_line),
        "original_start_line": thread.and_then(|t| t.original_start_line),
        "start_side": thread.and_then(|t| t.start_side).map(|s| s.as_str()),
        "line": thread.and_then(|t| t.line),
        "original_line": thread.and_then(|t| t.original_line),
        "side": thread.map_or("RIGHT", |t| t.side.as_str()),
        "position": if outdated { None } else { comment.original_position },
        "original_position": comment.original_position.unwrap_or(1),
        "subject_type": if thread.is_some_and(|t| t.file_level) { "file" } else { "line" },
    });
    if let Some(first) = comment.in_reply_to {
        out["in_reply_to_id"] = Value::from(first);
    }
    // GitHub's description has no null here: what an outdated comment lacks is left out.
    if let Value::Object(fields) = &mut out {
        for name in ["line", "original_line", "position"] {
            if fields.get(name).is_some_and(Value::is_null) {
                fields.remove(name);
            }
        }
    }
    out
}

/// GitHub's `review-comment`, as the list of one review has it: here a missing position is null.
pub(crate) fn comment_of_review_json(
    context: JsonContext<'_>,
    state: &RepoState,
    comment: &ReviewComment,
) -> Value {
    let mut out = review_comment_json(context, state, comment);
    if out.get("position").is_none() {
        out["position"] = Value::Null;
    }
    out
}

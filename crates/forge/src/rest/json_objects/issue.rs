//! Issues that are no pull requests.

use serde_json::{Value, json};

use super::{JsonContext, association, label_json, reactions_json};
use crate::clock::format_time;
use crate::model::{Issue, IssueState, ReactionSubject, RepoState};
use crate::node::{NodeKind, node_id_in};

/// GitHub's `issue`.
pub(crate) fn issue_json(context: JsonContext<'_>, state: &RepoState, issue: &Issue) -> Value {
    let number = issue.number;
    let url = context.api_url(&format!("/issues/{number}"));
    let labels = issue
        .labels
        .iter()
        .filter_map(|key| state.meta.labels.get(key));
    let (standing, reason) = match issue.state {
        IssueState::Open => ("open", None),
        IssueState::Completed => ("closed", Some("completed")),
        IssueState::NotPlanned => ("closed", Some("not_planned")),
    };
    json!({
        "url": url,
        "repository_url": context.api_url(""),
        "labels_url": format!("{url}/labels{{/name}}"),
        "comments_url": format!("{url}/comments"),
        "events_url": format!("{url}/events"),
        "timeline_url": format!("{url}/timeline"),
        "html_url": context.web_url(&format!("/issues/{number}")),
        "id": issue.id,
        "node_id": node_id_in(NodeKind::Issue, state.meta.id, issue.id),
        "number": number,
        "state": standing,
        "state_reason": reason,
        "locked": issue.locked,
        "active_lock_reason": null,
        "title": issue.title,
        "user": context.account_by_id(issue.author),
        "body": issue.body,
        "labels": labels.map(|l| label_json(context, state, l)).collect::<Vec<_>>(),
        "milestone": null,
        "assignee": context.optional_account(issue.assignees.first().copied()),
        "assignees": issue.assignees.iter().map(|id| context.account_by_id(*id)).collect::<Vec<_>>(),
        "comments": state.issue_comments.iter().filter(|c| c.number == number).count(),
        "created_at": format_time(issue.created_at),
        "updated_at": format_time(issue.updated_at),
        "closed_at": issue.closed_at.map(format_time),
        "closed_by": context.optional_account(issue.closed_by),
        "author_association": association(state, issue.author),
        "reactions": reactions_json(state, ReactionSubject::Issue(number), &url),
    })
}

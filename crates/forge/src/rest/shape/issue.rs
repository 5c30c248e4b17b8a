//! Issues that are no pull requests.

use serde_json::{Value, json};

use super::{Frame, association, label};
use crate::clock::text;
use crate::model::{Issue, IssueState, RepoState};
use crate::node::{NodeKind, node_id_in};

/// GitHub's `issue`.
pub(crate) fn issue_of(frame: Frame<'_>, state: &RepoState, issue: &Issue) -> Value {
    let number = issue.number;
    let url = frame.api(&format!("/issues/{number}"));
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
        "repository_url": frame.api(""),
        "labels_url": format!("{url}/labels{{/name}}"),
        "comments_url": format!("{url}/comments"),
        "events_url": format!("{url}/events"),
        "timeline_url": format!("{url}/timeline"),
        "html_url": frame.web(&format!("/issues/{number}")),
        "id": issue.id,
        "node_id": node_id_in(NodeKind::Issue, state.meta.id, issue.id),
        "number": number,
        "state": standing,
        "state_reason": reason,
        "locked": issue.locked,
        "active_lock_reason": null,
        "title": issue.title,
        "user": frame.user(issue.author),
        "body": issue.body,
        "labels": labels.map(|l| label(frame, state, l)).collect::<Vec<_>>(),
        "milestone": null,
        "assignee": null,
        "assignees": [],
        "comments": state.issue_comments.iter().filter(|c| c.number == number).count(),
        "created_at": text(issue.created_at),
        "updated_at": text(issue.updated_at),
        "closed_at": issue.closed_at.map(text),
        "closed_by": frame.user_opt(issue.closed_by),
        "author_association": association(state, issue.author),
    })
}

//! What happened to an issue or pull request, in order.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    JsonContext, association, commit_json, issue_comment_json, merge_objects, review_json,
};
use crate::clock::format_time;
use crate::git_dir::Commit;
use crate::model::{EventKind, RepoState, TimelineEvent};
use crate::node::{NodeKind, node_id_in};

/// GitHub's `issue-event-for-issue`.
pub(crate) fn event_json(
    context: JsonContext<'_>,
    state: &RepoState,
    event: &TimelineEvent,
) -> Value {
    let commit = match &event.kind {
        EventKind::Merged { commit } | EventKind::HeadRefForcePushed { commit } => Some(commit),
        _ => None,
    };
    let common = json!({
        "id": event.id,
        "node_id": node_id_in(NodeKind::Event, state.meta.id, event.id),
        "url": context.api_url(&format!("/issues/events/{}", event.id)),
        "actor": context.account_by_id(event.actor),
        "event": event.kind.as_str(),
        "commit_id": commit,
        "commit_url": commit.map(|sha| context.api_url(&format!("/commits/{sha}"))),
        "created_at": format_time(event.created_at),
        "performed_via_github_app": null,
    });
    merge_objects(common, details_json(context, event))
}

fn details_json(context: JsonContext<'_>, event: &TimelineEvent) -> Value {
    let actor = || context.account_by_id(event.actor);
    match &event.kind {
        EventKind::Closed => json!({"state_reason": null}),
        EventKind::Labeled { name, color } | EventKind::Unlabeled { name, color } => {
            json!({"label": {"name": name, "color": color}})
        }
        EventKind::Assigned { assignee } | EventKind::Unassigned { assignee } => {
            json!({"assignee": context.account_by_id(*assignee), "assigner": actor()})
        }
        EventKind::ReviewRequested { reviewer } | EventKind::ReviewRequestRemoved { reviewer } => {
            let reviewer = context.account_by_id(*reviewer);
            json!({"review_requester": actor(), "requested_reviewer": reviewer})
        }
        EventKind::Renamed { from, to } => json!({"rename": {"from": from, "to": to}}),
        EventKind::Locked => json!({"lock_reason": null}),
        EventKind::Reopened
        | EventKind::Merged { .. }
        | EventKind::HeadRefForcePushed { .. }
        | EventKind::Unlocked
        | EventKind::AddedToMergeQueue
        | EventKind::RemovedFromMergeQueue { .. }
        | EventKind::ReadyForReview
        | EventKind::ConvertToDraft => json!({}),
    }
}

/// The timeline of an issue or pull request, oldest first; `commits` are the pull request's.
pub(crate) fn timeline_json(
    context: JsonContext<'_>,
    state: &RepoState,
    number: u64,
    commits: &[Commit],
) -> Vec<Value> {
    let mut told: Vec<(Timestamp, Value)> = Vec::new();
    for commit in commits {
        let at = commit.committer.date.parse().unwrap_or_default();
        told.push((at, committed_json(context, state, commit)));
    }
    for event in state.events.iter().filter(|e| e.number == number) {
        told.push((event.created_at, event_json(context, state, event)));
    }
    for comment in state.issue_comments.iter().filter(|c| c.number == number) {
        let actor = context.account_by_id(comment.author);
        let more = json!({"event": "commented", "actor": actor});
        let comment_json = issue_comment_json(context, state, comment);
        told.push((comment.created_at, merge_objects(comment_json, more)));
    }
    for review in state.reviews.iter().filter(|r| r.number == number) {
        // What is not submitted is its author's alone.
        let Some(at) = review.submitted_at else {
            continue;
        };
        let more = json!({
            "event": "reviewed",
            "state": review.state.as_str().to_lowercase(),
            "author_association": association(state, review.author),
        });
        told.push((at, merge_objects(review_json(context, state, review), more)));
    }
    told.sort_by_key(|(at, _)| *at);
    told.into_iter().map(|(_, entry)| entry).collect()
}

/// GitHub's `timeline-committed-event`: the commit as git has it, not as a comparison does.
fn committed_json(context: JsonContext<'_>, state: &RepoState, commit: &Commit) -> Value {
    let full = commit_json(context, state.meta.id, commit);
    let inner = &full["commit"];
    json!({
        "event": "committed",
        "sha": full["sha"],
        "node_id": full["node_id"],
        "url": inner["url"],
        "html_url": full["html_url"],
        "author": inner["author"],
        "committer": inner["committer"],
        "tree": inner["tree"],
        "message": inner["message"],
        "parents": full["parents"],
        "verification": inner["verification"],
    })
}

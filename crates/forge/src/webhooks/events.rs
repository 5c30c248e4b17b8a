//! What a change comes to, by GitHub's names: read from the rows that it touched, whoever touched them and however.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::payloads::Payloads;
use crate::Forge;
use crate::model::{
    AccountId, CheckRun, CheckStatus, IssueComment, PullRequest, PullState, RepoState, Review,
    ReviewComment, ReviewState, ReviewThread,
};

/// Something that webhooks are told.
#[derive(Debug)]
pub(crate) struct Happened {
    /// GitHub's name of the event.
    pub(crate) event: &'static str,
    /// What is sent.
    pub(crate) payload: Value,
}

/// What the change that is being made comes to.
pub(super) fn happened(forge: &Forge, state: &RepoState) -> Vec<Happened> {
    let base = forge.base_url();
    let told = Payloads::new(forge, state, &base);
    let mut all = Vec::new();
    for (before, now) in state.pulls.changes() {
        if let Some(now) = now {
            pull_events(&told, before, now, &mut all);
        }
    }
    for (before, now) in state.issue_comments.changes() {
        comment_event(&told, before, now, &mut all);
    }
    for (before, now) in state.reviews.changes() {
        if let Some(now) = now {
            review_events(&told, before, now, &mut all);
        }
    }
    for (before, now) in state.review_comments.changes() {
        review_comment_event(&told, before, now, &mut all);
    }
    for (before, now) in state.threads.changes() {
        if let Some(now) = now {
            thread_event(&told, before, now, &mut all);
        }
    }
    check_events(&told, &mut all);
    for (before, now) in state.statuses.changes() {
        if let (None, Some(now)) = (before, now) {
            all.push(told.status(now));
        }
    }
    all
}

fn pull_events(
    told: &Payloads<'_>,
    before: Option<&PullRequest>,
    now: &PullRequest,
    all: &mut Vec<Happened>,
) {
    let Some(before) = before else {
        all.push(told.pull(now, "opened", now.author, json!({})));
        return;
    };
    let pusher = now.heads.last().map_or(now.author, |head| head.by);
    let mut say =
        |action: &str, by: AccountId, more: Value| all.push(told.pull(now, action, by, more));
    if before.head_sha != now.head_sha {
        let more = json!({"before": before.head_sha, "after": now.head_sha});
        say("synchronize", pusher, more);
    }
    match (before.state, now.state) {
        (PullState::Open, PullState::Closed | PullState::Merged) => {
            say("closed", now.closed_by.unwrap_or(now.author), json!({}));
        }
        (PullState::Closed | PullState::Merged, PullState::Open) => {
            say("reopened", told.last_actor(now), json!({}));
        }
        _ => {}
    }
    match (before.draft, now.draft) {
        (true, false) => say("ready_for_review", told.last_actor(now), json!({})),
        (false, true) => say("converted_to_draft", told.last_actor(now), json!({})),
        _ => {}
    }
    let mut changes = json!({});
    if before.title != now.title {
        changes["title"] = json!({"from": before.title});
    }
    if before.body != now.body {
        changes["body"] = json!({"from": before.body.as_deref().unwrap_or_default()});
    }
    if before.base_ref != now.base_ref {
        changes["base"] =
            json!({"ref": {"from": before.base_ref}, "sha": {"from": before.base_sha}});
    }
    if changes != json!({}) {
        say("edited", told.last_actor(now), json!({"changes": changes}));
    }
    for name in now.labels.difference(&before.labels) {
        say(
            "labeled",
            told.last_actor(now),
            json!({"label": told.label(name)}),
        );
    }
    for name in before.labels.difference(&now.labels) {
        say(
            "unlabeled",
            told.last_actor(now),
            json!({"label": told.label(name)}),
        );
    }
    people_events(told, before, now, &mut say);
    match (before.locked, now.locked) {
        (false, true) => say("locked", told.last_actor(now), json!({})),
        (true, false) => say("unlocked", told.last_actor(now), json!({})),
        _ => {}
    }
    match (&before.auto_merge, &now.auto_merge) {
        (None, Some(order)) => say("auto_merge_enabled", order.enabled_by, json!({})),
        (Some(order), None) if now.state == PullState::Open => {
            say(
                "auto_merge_disabled",
                order.enabled_by,
                json!({"reason": ""}),
            );
        }
        _ => {}
    }
    queue_events(told, before, now, all);
}

/// Who is assigned and asked for a review.
fn people_events(
    told: &Payloads<'_>,
    before: &PullRequest,
    now: &PullRequest,
    say: &mut impl FnMut(&str, AccountId, Value),
) {
    let new = |old: &[AccountId], new: &[AccountId]| -> Vec<AccountId> {
        new.iter().filter(|id| !old.contains(id)).copied().collect()
    };
    let by = told.last_actor(now);
    for id in new(&before.assignees, &now.assignees) {
        say("assigned", by, json!({"assignee": told.account(id)}));
    }
    for id in new(&now.assignees, &before.assignees) {
        say("unassigned", by, json!({"assignee": told.account(id)}));
    }
    for id in new(&before.requested_reviewers, &now.requested_reviewers) {
        say(
            "review_requested",
            by,
            json!({"requested_reviewer": told.account(id)}),
        );
    }
    // Who has reviewed is not asked for any more either, and of that nothing is said.
    let has_reviewed = |id: AccountId| {
        told.state
            .reviews
            .changes()
            .any(|(_, now)| now.is_some_and(|review| review.author == id))
    };
    for id in new(&now.requested_reviewers, &before.requested_reviewers) {
        if !has_reviewed(id) {
            say(
                "review_request_removed",
                by,
                json!({"requested_reviewer": told.account(id)}),
            );
        }
    }
}

fn queue_events(
    told: &Payloads<'_>,
    before: &PullRequest,
    now: &PullRequest,
    all: &mut Vec<Happened>,
) {
    let head = |pull: &PullRequest| {
        pull.merge_queue_entry
            .as_ref()
            .and_then(|entry| entry.head_commit.clone())
    };
    match (&before.merge_queue_entry, &now.merge_queue_entry) {
        (None, Some(entry)) => all.push(told.pull(now, "enqueued", entry.enqueued_by, json!({}))),
        (Some(entry), None) => {
            let reason = if now.state == PullState::Merged {
                "MERGE"
            } else {
                "MANUAL"
            };
            all.push(told.pull(
                now,
                "dequeued",
                entry.enqueued_by,
                json!({"reason": reason}),
            ));
        }
        _ => {}
    }
    if let Some(commit) = head(now).filter(|commit| head(before).as_ref() != Some(commit)) {
        all.push(told.merge_group(now, &commit));
    }
}

fn comment_event(
    told: &Payloads<'_>,
    before: Option<&IssueComment>,
    now: Option<&IssueComment>,
    all: &mut Vec<Happened>,
) {
    let (action, comment) = match (before, now) {
        (None, Some(now)) => ("created", now),
        (Some(before), Some(now)) if before.body != now.body => ("edited", now),
        (Some(before), None) => ("deleted", before),
        _ => return,
    };
    all.extend(told.comment(action, comment));
}

fn review_events(
    told: &Payloads<'_>,
    before: Option<&Review>,
    now: &Review,
    all: &mut Vec<Happened>,
) {
    let was = before.map_or(ReviewState::Pending, |before| before.state);
    let action = match (was, now.state) {
        (_, ReviewState::Pending) => return,
        (ReviewState::Pending, _) => "submitted",
        (ReviewState::Dismissed, ReviewState::Dismissed) => return,
        (_, ReviewState::Dismissed) => "dismissed",
        _ if before.is_some_and(|before| before.body != now.body) => "edited",
        _ => return,
    };
    all.extend(told.review(action, now));
    if action != "submitted" {
        return;
    }
    // Its comments are seen by others from now on.
    let unchanged = |comment: &&ReviewComment| {
        !told
            .state
            .review_comments
            .changes()
            .any(|(_, now)| now.is_some_and(|now| now.id == comment.id))
    };
    let comments = told.state.review_comments.iter();
    let own = comments
        .filter(|comment| comment.review_id == now.id)
        .filter(unchanged);
    all.extend(own.filter_map(|comment| told.review_comment("created", comment)));
}

fn review_comment_event(
    told: &Payloads<'_>,
    before: Option<&ReviewComment>,
    now: Option<&ReviewComment>,
    all: &mut Vec<Happened>,
) {
    let (action, comment) = match (before, now) {
        (None, Some(now)) => ("created", now),
        (Some(before), Some(now)) if before.body != now.body => ("edited", now),
        (Some(before), None) => ("deleted", before),
        _ => return,
    };
    let review = told.state.reviews.get(comment.review_id);
    if review.is_none_or(|review| review.state != ReviewState::Pending) {
        all.extend(told.review_comment(action, comment));
    }
}

fn thread_event(
    told: &Payloads<'_>,
    before: Option<&ReviewThread>,
    now: &ReviewThread,
    all: &mut Vec<Happened>,
) {
    let was = before.and_then(|before| before.resolved_by);
    match (was, now.resolved_by) {
        (None, Some(by)) => all.extend(told.thread("resolved", now, by)),
        (Some(by), None) => all.extend(told.thread("unresolved", now, by)),
        _ => {}
    }
}

/// Runs of checks, and the suites and workflows that begin and end with them.
fn check_events(told: &Payloads<'_>, all: &mut Vec<Happened>) {
    let mut ended: BTreeSet<u64> = BTreeSet::new();
    let mut begun: BTreeSet<u64> = BTreeSet::new();
    for (before, now) in told.state.check_runs.changes() {
        let Some(now) = now else { continue };
        let was_over = before.is_some_and(|before| before.status == CheckStatus::Completed);
        if before.is_none() {
            all.push(told.check_run("created", now));
            begun.insert(now.suite_id);
        }
        if now.status == CheckStatus::Completed && !was_over {
            all.push(told.check_run("completed", now));
            ended.insert(now.suite_id);
        }
    }
    let runs_of = |suite: u64| -> Vec<&CheckRun> {
        let any = told
            .state
            .check_runs
            .iter()
            .find(|run| run.suite_id == suite);
        let newest = any.map(|run| told.state.latest_check_runs(&run.head_sha));
        let newest = newest.unwrap_or_default().into_iter();
        newest.filter(|run| run.suite_id == suite).collect()
    };
    for suite in begun {
        let runs = runs_of(suite);
        if runs.iter().all(|run| run.status != CheckStatus::Completed) {
            all.extend(told.workflow_run("requested", &runs));
        }
    }
    for suite in ended {
        let runs = runs_of(suite);
        if runs.iter().all(|run| run.status == CheckStatus::Completed) {
            all.extend(told.check_suite(&runs));
            all.extend(told.workflow_run("completed", &runs));
        }
    }
}

//! Gives GitHub's answers their meaning. Every enum value is named; what GitHub adds later never counts as good news.

use crate::api_fault::{self, ApiFault};
use crate::nodes::{
    AccountNode, CheckContextNode, CheckNameNode, CheckRunNode, CommentNode, CommitStatusNode,
    FileNode, ReviewNode, ThreadNode,
};
use collie_core::ids::{AccountId, Login, Sha, ThreadId, Time};
use collie_core::review::Association;
use collie_core::snapshot::{
    Actor, ChangedFile, Check, CheckConclusion, CheckStatus, CheckWorkflow, Comment, FileChange,
    Mergeable, PullState, Review, ReviewVerdict, Thread,
};
use std::collections::BTreeMap;

/// The account; none for one that was deleted, or that has no number to know it by.
pub(crate) fn actor(account: &AccountNode) -> Option<Actor> {
    let id = AccountId(account.database_id?);
    // A token of an app sees itself as `User` with the suffix that GraphQL leaves out elsewhere.
    let (login, suffixed) = match account.login.strip_suffix("[bot]") {
        Some(login) => (login, true),
        None => (account.login.as_str(), false),
    };
    Some(Actor {
        id,
        login: Login::new(login),
        is_bot: suffixed || account.kind == "Bot",
    })
}

fn author(account: Option<&AccountNode>) -> Option<Actor> {
    account.and_then(actor)
}

/// Whether a permission that GitHub names lets its account write.
pub(crate) fn grants_write(permission: Option<&str>) -> bool {
    matches!(permission, Some("WRITE" | "MAINTAIN" | "ADMIN"))
}

/// Milliseconds of an RFC 3339 text; none when it is none.
pub(crate) fn parse_time(text: &str) -> Option<Time> {
    text.parse::<jiff::Timestamp>()
        .ok()
        .map(|at| Time(at.as_millisecond()))
}

/// An unknown one counts as an outsider's.
pub(crate) fn parse_association(text: &str) -> Association {
    match text {
        "OWNER" => Association::Owner,
        "MEMBER" => Association::Member,
        "COLLABORATOR" => Association::Collaborator,
        "CONTRIBUTOR" => Association::Contributor,
        "FIRST_TIME_CONTRIBUTOR" => Association::FirstTimeContributor,
        "FIRST_TIMER" => Association::FirstTimer,
        "MANNEQUIN" => Association::Mannequin,
        _ => Association::None,
    }
}

/// None for a state that GitHub has added since: nothing can be decided from it.
pub(crate) fn parse_pull_state(text: &str) -> Option<PullState> {
    match text {
        "OPEN" => Some(PullState::Open),
        "CLOSED" => Some(PullState::Closed),
        "MERGED" => Some(PullState::Merged),
        _ => None,
    }
}

/// An unknown one is not computed yet.
pub(crate) fn parse_mergeable(text: &str) -> Mergeable {
    match text {
        "MERGEABLE" => Mergeable::Yes,
        "CONFLICTING" => Mergeable::Conflicting,
        _ => Mergeable::Unknown,
    }
}

/// An unknown one is not done.
fn parse_check_status(text: &str) -> CheckStatus {
    match text {
        "QUEUED" => CheckStatus::Queued,
        "IN_PROGRESS" => CheckStatus::InProgress,
        "COMPLETED" => CheckStatus::Completed,
        "WAITING" => CheckStatus::Waiting,
        "REQUESTED" => CheckStatus::Requested,
        _ => CheckStatus::Pending,
    }
}

/// An unknown one asks for a person: it has not passed, and nothing says that there is something to fix.
fn parse_check_conclusion(text: &str) -> CheckConclusion {
    match text {
        "SUCCESS" => CheckConclusion::Success,
        "FAILURE" => CheckConclusion::Failure,
        "NEUTRAL" => CheckConclusion::Neutral,
        "CANCELLED" => CheckConclusion::Cancelled,
        "SKIPPED" => CheckConclusion::Skipped,
        "TIMED_OUT" => CheckConclusion::TimedOut,
        "STALE" => CheckConclusion::Stale,
        "STARTUP_FAILURE" => CheckConclusion::StartupFailure,
        _ => CheckConclusion::ActionRequired,
    }
}

/// A commit status as a check; an unknown state is not done.
fn parse_status_state(text: &str) -> (CheckStatus, Option<CheckConclusion>) {
    match text {
        "SUCCESS" => (CheckStatus::Completed, Some(CheckConclusion::Success)),
        "ERROR" | "FAILURE" => (CheckStatus::Completed, Some(CheckConclusion::Failure)),
        _ => (CheckStatus::Pending, None),
    }
}

/// An unknown one is a mere remark.
pub(crate) fn parse_verdict(text: &str) -> ReviewVerdict {
    match text {
        "APPROVED" => ReviewVerdict::Approved,
        "CHANGES_REQUESTED" => ReviewVerdict::ChangesRequested,
        "DISMISSED" => ReviewVerdict::Dismissed,
        "PENDING" => ReviewVerdict::Pending,
        _ => ReviewVerdict::Commented,
    }
}

/// A file; an unknown change is one all the same.
pub(crate) fn file(node: FileNode) -> ChangedFile {
    let change = match node.change_type.as_str() {
        "ADDED" => FileChange::Added,
        "MODIFIED" => FileChange::Modified,
        "DELETED" => FileChange::Deleted,
        "RENAMED" => FileChange::Renamed,
        "COPIED" => FileChange::Copied,
        _ => FileChange::Changed,
    };
    ChangedFile {
        path: node.path,
        change,
        additions: node.additions,
        deletions: node.deletions,
    }
}

/// Leaves out the statuses that a later one of the same context and creator has replaced (§3.3). Where it cannot be told which
/// is later, both stay.
pub(crate) fn without_superseded_statuses(nodes: Vec<CheckContextNode>) -> Vec<CheckContextNode> {
    let mut newest: BTreeMap<StatusKey, Time> = BTreeMap::new();
    for (key, at) in nodes.iter().filter_map(dated_status) {
        let known = newest.entry(key).or_insert(at);
        *known = (*known).max(at);
    }
    let is_current = |node: &CheckContextNode| {
        dated_status(node).is_none_or(|(key, at)| newest.get(&key).is_none_or(|last| at >= *last))
    };
    nodes.into_iter().filter(is_current).collect()
}

/// A status is known by its context and its creator.
type StatusKey = (String, Option<u64>);

fn dated_status(node: &CheckContextNode) -> Option<(StatusKey, Time)> {
    let CheckContextNode::StatusContext(status) = node else {
        return None;
    };
    let creator = status
        .creator
        .as_ref()
        .and_then(|account| account.database_id);
    let at = parse_time(status.created_at.as_deref()?)?;
    Some(((status.context.clone(), creator), at))
}

/// A check, and the slug of the app that reported it, whose account has yet to be found.
pub(crate) fn check(node: CheckContextNode) -> (Check, Option<String>) {
    match node {
        CheckContextNode::CheckRun(run) => check_run(run),
        CheckContextNode::StatusContext(status) => (commit_status(status), None),
        CheckContextNode::Other => (
            Check {
                id: 0,
                name: "unknown kind of check".into(),
                status: CheckStatus::Pending,
                conclusion: None,
                url: None,
                completed_at: None,
                reporter: None,
                summary: None,
                annotations: Vec::new(),
                log_tail: None,
                app_id: None,
                workflow: None,
            },
            None,
        ),
    }
}

fn check_run(node: CheckRunNode) -> (Check, Option<String>) {
    let conclusion = node.conclusion.as_deref().map(parse_check_conclusion);
    let (status, conclusion) = match (parse_check_status(&node.status), conclusion) {
        (CheckStatus::Completed, Some(conclusion)) => (CheckStatus::Completed, Some(conclusion)),
        // Done without saying how is not done.
        (CheckStatus::Completed, None) => (CheckStatus::Pending, None),
        (running, _) => (running, None),
    };
    let id = node
        .database_id
        .or_else(|| node.url.as_deref().and_then(trailing_number));
    let parts: Vec<&str> = [&node.title, &node.summary]
        .into_iter()
        .filter_map(|part| part.as_deref().map(str::trim))
        .filter(|part| !part.is_empty())
        .collect();
    let (app, workflow) = node
        .check_suite
        .map(|suite| (suite.app, suite.workflow_run))
        .unwrap_or_default();
    let check = Check {
        id: id.unwrap_or(0),
        name: node.name,
        status,
        conclusion,
        url: node.details_url.or(node.url),
        completed_at: node.completed_at.as_deref().and_then(parse_time),
        reporter: None,
        summary: (!parts.is_empty()).then(|| parts.join("\n\n")),
        annotations: Vec::new(),
        log_tail: None,
        app_id: app.as_ref().and_then(|app| app.database_id),
        workflow: workflow.map(|run| CheckWorkflow {
            path: run.workflow.resource_path,
            name: run.workflow.name,
            event: run.event,
        }),
    };
    (check, app.map(|app| app.slug))
}

/// A check run's page ends in its number, whatever `databaseId` says.
fn trailing_number(url: &str) -> Option<u64> {
    let path = url.split(['?', '#']).next()?;
    path.rsplit('/').next()?.parse().ok()
}

fn commit_status(node: CommitStatusNode) -> Check {
    let (status, conclusion) = parse_status_state(&node.state);
    let done = conclusion.is_some();
    Check {
        id: 0,
        name: node.context,
        status,
        conclusion,
        url: node.target_url.filter(|url| !url.is_empty()),
        completed_at: node
            .created_at
            .as_deref()
            .filter(|_| done)
            .and_then(parse_time),
        reporter: author(node.creator.as_ref()),
        summary: node.description.filter(|text| !text.is_empty()),
        annotations: Vec::new(),
        log_tail: None,
        app_id: None,
        workflow: None,
    }
}

/// The name of a check; none for a kind that is not known.
pub(crate) fn check_name(node: CheckNameNode) -> Option<String> {
    match node {
        CheckNameNode::CheckRun { name } => Some(name),
        CheckNameNode::StatusContext { context } => Some(context),
        CheckNameNode::Other => None,
    }
}

/// A comment; none for one that is not published.
pub(crate) fn comment(node: CommentNode) -> Result<Option<Comment>, ApiFault> {
    if node.state.as_deref() == Some("PENDING") {
        return Ok(None);
    }
    Ok(Some(Comment {
        id: parse_database_id(node.full_database_id.as_deref())?,
        author: author(node.author.as_ref()),
        body: node.body,
        created_at: parse_time(&node.created_at)
            .ok_or_else(|| invalid_value("time of a comment", &node.created_at))?,
        updated_at: node.updated_at,
        commit: node
            .original_commit
            .and_then(|commit| Sha::parse(&commit.oid).ok()),
    }))
}

/// A review, published or the viewer's own draft.
pub(crate) fn review(node: ReviewNode) -> Result<Review, ApiFault> {
    Ok(Review {
        id: parse_database_id(node.full_database_id.as_deref())?,
        author: author(node.author.as_ref()),
        association: parse_association(&node.author_association),
        verdict: parse_verdict(&node.state),
        commit: node.commit.and_then(|commit| Sha::parse(&commit.oid).ok()),
        body: node.body,
        submitted_at: node.submitted_at.as_deref().and_then(parse_time),
        updated_at: node.updated_at,
    })
}

/// A thread with all its comments; none when none of them is published.
pub(crate) fn thread(
    node: ThreadNode,
    more_comments: Vec<CommentNode>,
) -> Result<Option<Thread>, ApiFault> {
    let mut comments = Vec::new();
    for node in node
        .comments
        .nodes
        .into_iter()
        .flatten()
        .chain(more_comments)
    {
        comments.extend(comment(node)?);
    }
    Ok((!comments.is_empty()).then(|| Thread {
        id: ThreadId::new(node.id),
        path: node.path,
        line: node.line,
        resolved: node.is_resolved,
        resolved_by: author(node.resolved_by.as_ref()).filter(|_| node.is_resolved),
        outdated: node.is_outdated,
        comments,
    }))
}

/// GitHub's number of a comment or review. Without it nothing can be answered: the reading is none.
fn parse_database_id(text: Option<&str>) -> Result<u64, ApiFault> {
    let text = text.unwrap_or("");
    text.parse()
        .map_err(|_| invalid_value("number of a comment", text))
}

/// Reads a commit id that must be one.
pub(crate) fn parse_sha(text: &str) -> Result<Sha, ApiFault> {
    Sha::parse(text).map_err(|_| invalid_value("commit id", text))
}

/// What to say of a value that makes no sense.
pub(crate) fn invalid_value(what: &str, found: &str) -> ApiFault {
    ApiFault::InvalidResponse(api_fault::truncate_message(&format!(
        "GitHub's {what} could not be read: `{found}`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(statuses: &[(&str, &str, u64, Option<&str>)]) -> Vec<(String, CheckStatus)> {
        let node = |(context, state, creator, at): &(&str, &str, u64, Option<&str>)| {
            let creator = json!({"__typename": "User", "login": "ci", "databaseId": creator});
            serde_json::from_value(json!({
                "__typename": "StatusContext", "context": context, "state": state, "createdAt": at, "creator": creator,
            }))
            .expect("a status")
        };
        let nodes = without_superseded_statuses(statuses.iter().map(node).collect());
        let of = |node| check(node).0;
        let checks = nodes.into_iter().map(of);
        checks.map(|check| (check.name, check.status)).collect()
    }

    #[test]
    fn of_statuses_of_one_context_and_creator_the_newest_counts() {
        use CheckStatus::{Completed, Pending};
        let (early, late) = (Some("2024-01-01T00:00:00Z"), Some("2024-01-01T00:00:01Z"));
        let found = names(&[("ci", "FAILURE", 1, early), ("ci", "PENDING", 1, late)]);
        assert_eq!(found, [("ci".into(), Pending)]);
        let found = names(&[("ci", "PENDING", 1, late), ("ci", "FAILURE", 1, early)]);
        assert_eq!(found, [("ci".into(), Pending)], "whatever their order");
        // Another creator's and another context's are other checks.
        let both = [("ci".into(), Completed), ("ci".into(), Pending)];
        assert_eq!(
            names(&[("ci", "FAILURE", 1, early), ("ci", "PENDING", 2, late)]),
            both
        );
        assert_eq!(
            names(&[("ci", "FAILURE", 1, early), ("lint", "ERROR", 1, late)]).len(),
            2
        );
        // Nobody knows which of these is the later one.
        assert_eq!(
            names(&[("ci", "FAILURE", 1, early), ("ci", "PENDING", 1, early)]),
            both
        );
        assert_eq!(
            names(&[("ci", "FAILURE", 1, early), ("ci", "PENDING", 1, None)]),
            both
        );
    }
}

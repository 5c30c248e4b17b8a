//! `node(id)`: anything by its global id.

use std::sync::Arc;

use async_graphql::{Context, ID, Interface, Result};

use super::actors::{Bot, User};
use super::auto_merge::MergeQueueEntry;
use super::checks::{App, CheckRun, CheckSuite, StatusContext};
use super::comments::{Conversation, IssueComment};
use super::commits::{BranchProtectionRule, Commit, PullRequestCommit, Ref};
use super::error::GraphQlError;
use super::issues::Issue;
use super::labels::Label;
use super::pull::PullRequest;
use super::repository::Repository;
use super::request_context;
use super::reviews::{PullRequestReview, ReviewRequest};
use super::threads::{PullRequestReviewComment, PullRequestReviewThread};
use crate::model::{AccountId, AccountKind, PullRequest as PullRow, RepoState, ReviewState};
use crate::node::{self, NodeKind, parse_node_id};

/// Anything that has a global id.
#[derive(Clone, Interface)]
#[graphql(field(name = "id", ty = "ID"))]
pub enum Node {
    /// A GitHub App.
    App(App),
    /// A bot.
    Bot(Bot),
    /// The rules of a branch.
    BranchProtectionRule(BranchProtectionRule),
    /// A check run.
    CheckRun(CheckRun),
    /// A check suite.
    CheckSuite(CheckSuite),
    /// A commit.
    Commit(Commit),
    /// An issue.
    Issue(Issue),
    /// A conversation comment.
    IssueComment(IssueComment),
    /// A label.
    Label(Label),
    /// A place in the merge queue.
    MergeQueueEntry(MergeQueueEntry),
    /// A pull request.
    PullRequest(PullRequest),
    /// A commit of a pull request.
    PullRequestCommit(PullRequestCommit),
    /// A review.
    PullRequestReview(PullRequestReview),
    /// An inline comment.
    PullRequestReviewComment(PullRequestReviewComment),
    /// A thread.
    PullRequestReviewThread(PullRequestReviewThread),
    /// A branch.
    Ref(Ref),
    /// A repository.
    Repository(Repository),
    /// A review that somebody was asked for.
    ReviewRequest(ReviewRequest),
    /// A commit status.
    StatusContext(StatusContext),
    /// A person.
    User(User),
}

/// Finds anything that the viewer may see by its global id.
pub fn node_of(ctx: &Context<'_>, id: &ID) -> Result<Node> {
    find_node(ctx, id).ok_or_else(|| {
        GraphQlError::not_found(format!(
            "Could not resolve to a node with the global id of '{}'.",
            id.as_str()
        ))
        .into()
    })
}

/// Finds a pull request by its global id.
pub fn pull_of(ctx: &Context<'_>, id: &ID) -> Result<PullRequest> {
    match node_of(ctx, id)? {
        Node::PullRequest(pull) => Ok(pull),
        _ => Err(GraphQlError::not_found(format!(
            "Could not resolve to PullRequest node with the global id of '{}'.",
            id.as_str()
        ))
        .into()),
    }
}

/// Finds a thread by its global id.
pub fn thread_of(ctx: &Context<'_>, id: &ID) -> Result<PullRequestReviewThread> {
    match node_of(ctx, id)? {
        Node::PullRequestReviewThread(thread) => Ok(thread),
        _ => Err(GraphQlError::not_found(format!(
            "Could not resolve to PullRequestReviewThread node with the global id of '{}'.",
            id.as_str()
        ))
        .into()),
    }
}

fn find_node(ctx: &Context<'_>, id: &ID) -> Option<Node> {
    let node = parse_node_id(id)?;
    match node.repo {
        None => find_global_node(ctx, &node),
        Some(repo) => {
            let repository = repository_by_id(ctx, repo)?;
            let viewer = request_context(ctx).viewer.id;
            repository
                .read_state(ctx, |state| find_node_in(&repository, state, &node, viewer))
                .ok()?
        }
    }
}

/// Finds what stands by itself.
fn find_global_node(ctx: &Context<'_>, node: &node::Node) -> Option<Node> {
    match node.kind {
        NodeKind::User | NodeKind::Bot => {
            let account = request_context(ctx).forge.account(AccountId(node.id));
            (account.id.0 == node.id).then_some(())?;
            Some(match account.kind {
                AccountKind::User => Node::User(User(account)),
                AccountKind::Bot => Node::Bot(Bot(account)),
            })
        }
        NodeKind::Repository => repository_by_id(ctx, node.id).map(Node::Repository),
        _ => None,
    }
}

fn repository_by_id(ctx: &Context<'_>, id: u64) -> Option<Repository> {
    let name = request_context(ctx).forge.repo_by_id(id)?;
    Repository::find(ctx, name.owner(), name.name())
}

/// Finds what is in a repository.
fn find_node_in(
    repository: &Repository,
    state: &RepoState,
    node: &node::Node,
    viewer: AccountId,
) -> Option<Node> {
    let id = node.id;
    match node.kind {
        NodeKind::PullRequest => {
            find_pull(repository, state, |pull| pull.id == id).map(Node::PullRequest)
        }
        NodeKind::Issue => match state.issues.iter().find(|issue| issue.id == id) {
            Some(row) => Some(Node::Issue(repository.to_issue(row))),
            None => find_pull(repository, state, |pull| pull.issue_id == id).map(Node::PullRequest),
        },
        NodeKind::MergeQueueEntry => {
            find_merge_queue_entry(repository, state, id).map(Node::MergeQueueEntry)
        }
        NodeKind::IssueComment => find_issue_comment(repository, state, id).map(Node::IssueComment),
        NodeKind::Review => find_review(repository, state, id, viewer).map(Node::PullRequestReview),
        NodeKind::ReviewThread => {
            find_thread(repository, state, id, viewer).map(Node::PullRequestReviewThread)
        }
        NodeKind::ReviewComment => {
            find_review_comment(repository, state, id, viewer).map(Node::PullRequestReviewComment)
        }
        NodeKind::CheckRun => {
            let row = state.check_runs.get(id)?;
            Some(Node::CheckRun(CheckRun::of(repository, row)))
        }
        NodeKind::CheckSuite => {
            let row = state.check_runs.iter().find(|run| run.suite_id == id)?;
            Some(Node::CheckSuite(CheckSuite {
                run: CheckRun::of(repository, row),
            }))
        }
        NodeKind::StatusContext => {
            let row = state.statuses.get(id)?;
            Some(Node::StatusContext(StatusContext::of(repository, row)))
        }
        NodeKind::Label => {
            let row = state.meta.labels.values().find(|label| label.id == id)?;
            Some(Node::Label(Label {
                repository: repository.clone(),
                row: Arc::new(row.clone()),
            }))
        }
        NodeKind::User
        | NodeKind::Bot
        | NodeKind::App
        | NodeKind::Repository
        | NodeKind::Reaction
        | NodeKind::Event
        | NodeKind::MergeQueue => None,
    }
}

fn find_pull(
    repository: &Repository,
    state: &RepoState,
    is_wanted: impl Fn(&PullRow) -> bool,
) -> Option<PullRequest> {
    state
        .pulls
        .iter()
        .find(|pull| is_wanted(pull))
        .map(|row| repository.to_pull_request(row))
}

fn pull_by_number(repository: &Repository, state: &RepoState, number: u64) -> Option<PullRequest> {
    let row = state.pulls.get(number)?;
    Some(repository.to_pull_request(row))
}

fn find_merge_queue_entry(
    repository: &Repository,
    state: &RepoState,
    id: u64,
) -> Option<MergeQueueEntry> {
    let queued_pull = find_pull(repository, state, |pull| {
        pull.merge_queue_entry
            .as_ref()
            .is_some_and(|entry| entry.id == id)
    })?;
    MergeQueueEntry::of(&queued_pull)
}

fn find_issue_comment(repository: &Repository, state: &RepoState, id: u64) -> Option<IssueComment> {
    let row = state.issue_comments.get(id)?;
    Some(IssueComment {
        conversation: Conversation::of(repository, state, row.number)?,
        row: Arc::new(row.clone()),
    })
}

/// Finds a review that the viewer may see: a pending one is its author's alone.
fn find_review(
    repository: &Repository,
    state: &RepoState,
    id: u64,
    viewer: AccountId,
) -> Option<PullRequestReview> {
    let row = state.reviews.get(id)?;
    (row.state != ReviewState::Pending || row.author == viewer).then_some(())?;
    Some(PullRequestReview {
        pull: pull_by_number(repository, state, row.number)?,
        row: Arc::new(row.clone()),
    })
}

/// Finds a thread of which the viewer may see a comment.
fn find_thread(
    repository: &Repository,
    state: &RepoState,
    id: u64,
    viewer: AccountId,
) -> Option<PullRequestReviewThread> {
    let row = state.threads.get(id)?;
    (!state.thread_comments(id, viewer).is_empty()).then_some(())?;
    Some(PullRequestReviewThread {
        pull: pull_by_number(repository, state, row.number)?,
        row: Arc::new(row.clone()),
    })
}

/// Finds an inline comment that the viewer may see.
fn find_review_comment(
    repository: &Repository,
    state: &RepoState,
    id: u64,
    viewer: AccountId,
) -> Option<PullRequestReviewComment> {
    let row = state.review_comments.get(id)?;
    state.is_comment_visible(row, viewer).then_some(())?;
    let pull = pull_by_number(repository, state, row.number)?;
    PullRequestReviewComment::of(&pull, state, row)
}

//! Threads of inline comments.

use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result};

use super::actors::{Actor, User};
use super::commits::Commit;
use super::connection::{Connection, ConnectionNode, PageArgs};
use super::enums::{
    CommentAuthorAssociation, DiffSide, PullRequestReviewCommentState,
    PullRequestReviewThreadSubjectType,
};
use super::pull::PullRequest;
use super::repository::Repository;
use super::reviews::PullRequestReview;
use super::scalars::{BigInt, DateTime, Uri, to_graphql_int};
use super::{into_graphql_result, nullable, request_context};
use crate::model::{self, Account, AccountKind, RepoState, ReviewState};
use crate::node::{NodeKind, node_id_in};

/// A thread of inline comments.
#[derive(Clone)]
pub struct PullRequestReviewThread {
    /// Where it hangs.
    pub pull: PullRequest,
    /// The thread.
    pub row: Arc<model::ReviewThread>,
}

impl ConnectionNode for PullRequestReviewThread {
    const NAME: &'static str = "PullRequestReviewThread";

    fn key(&self) -> String {
        self.row.id.to_string()
    }
}

/// Whether an account may write on the conversation.
pub fn may_comment(pull: &PullRequest, account: &Account) -> bool {
    !pull.row.locked || pull.repository.meta.role(account.id).may_write()
}

fn subject_type_of(file_level: bool) -> PullRequestReviewThreadSubjectType {
    if file_level {
        PullRequestReviewThreadSubjectType::File
    } else {
        PullRequestReviewThreadSubjectType::Line
    }
}

impl PullRequestReviewThread {
    /// Whether the viewer may resolve it: who can write, the author, and a bot in a thread that it began.
    fn viewer_may_resolve(&self, ctx: &Context<'_>) -> Result<bool> {
        let viewer = &request_context(ctx).viewer;
        if self.pull.repository.meta.role(viewer.id).may_write()
            || self.pull.row.author == viewer.id
        {
            return Ok(true);
        }
        into_graphql_result(self.pull.read_state(ctx, |state| {
            let comments = state.thread_comments(self.row.id, viewer.id);
            viewer.kind == AccountKind::Bot
                && comments
                    .first()
                    .is_some_and(|first| first.author == viewer.id)
        }))
    }
}

#[Object]
impl PullRequestReviewThread {
    async fn comments(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
        skip: Option<i32>,
    ) -> Result<Connection<PullRequestReviewComment>> {
        let viewer = request_context(ctx).viewer.id;
        let skip = usize::try_from(skip.unwrap_or(0)).unwrap_or(0);
        let comments = into_graphql_result(self.pull.read_state(ctx, |state| {
            state
                .thread_comments(self.row.id, viewer)
                .into_iter()
                .skip(skip)
                .filter_map(|comment| PullRequestReviewComment::of(&self.pull, state, comment))
                .collect()
        }))?;
        Connection::paginate(
            ctx,
            PageArgs {
                after,
                before,
                first,
                last,
            },
            comments,
        )
    }

    async fn diff_side(&self) -> DiffSide {
        self.row.side.into()
    }

    pub async fn id(&self) -> ID {
        node_id_in(
            NodeKind::ReviewThread,
            self.pull.repository.meta.id,
            self.row.id,
        )
        .into()
    }

    async fn is_collapsed(&self) -> bool {
        self.row.resolved_by.is_some() || self.row.outdated
    }

    async fn is_outdated(&self) -> bool {
        self.row.outdated
    }

    async fn is_resolved(&self) -> bool {
        self.row.resolved_by.is_some()
    }

    async fn line(&self) -> Option<i64> {
        self.row.line.map(to_graphql_int)
    }

    async fn original_line(&self) -> Option<i64> {
        self.row.original_line.map(to_graphql_int)
    }

    async fn original_start_line(&self) -> Option<i64> {
        self.row.original_start_line.map(to_graphql_int)
    }

    async fn path(&self) -> String {
        self.row.path.clone()
    }

    async fn pull_request(&self) -> PullRequest {
        self.pull.clone()
    }

    pub async fn repository(&self) -> Repository {
        self.pull.repository.clone()
    }

    async fn resolved_by(&self, ctx: &Context<'_>) -> Option<User> {
        self.row
            .resolved_by
            .map(|account| User(request_context(ctx).forge.account(account)))
    }

    async fn start_diff_side(&self) -> Option<DiffSide> {
        self.row.start_side.map(Into::into)
    }

    async fn start_line(&self) -> Option<i64> {
        self.row.start_line.map(to_graphql_int)
    }

    async fn subject_type(&self) -> PullRequestReviewThreadSubjectType {
        subject_type_of(self.row.file_level)
    }

    async fn viewer_can_reply(&self, ctx: &Context<'_>) -> bool {
        may_comment(&self.pull, &request_context(ctx).viewer)
    }

    async fn viewer_can_resolve(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.row.resolved_by.is_none() && self.viewer_may_resolve(ctx)?)
    }

    async fn viewer_can_unresolve(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.row.resolved_by.is_some() && self.viewer_may_resolve(ctx)?)
    }
}

/// One inline comment.
#[derive(Clone)]
pub struct PullRequestReviewComment {
    pull: PullRequest,
    row: Arc<model::ReviewComment>,
    thread: Arc<model::ReviewThread>,
    review: Option<Arc<model::Review>>,
}

impl ConnectionNode for PullRequestReviewComment {
    const NAME: &'static str = "PullRequestReviewComment";

    fn key(&self) -> String {
        self.row.id.to_string()
    }
}

impl PullRequestReviewComment {
    /// Puts a comment together with its thread and its review.
    pub fn of(pull: &PullRequest, state: &RepoState, row: &model::ReviewComment) -> Option<Self> {
        Some(Self {
            pull: pull.clone(),
            row: Arc::new(row.clone()),
            thread: Arc::new(state.threads.get(row.thread_id)?.clone()),
            review: state.reviews.get(row.review_id).cloned().map(Arc::new),
        })
    }

    fn web_path(&self) -> String {
        format!("{}#discussion_r{}", self.pull.path(), self.row.id)
    }
}

#[Object]
impl PullRequestReviewComment {
    async fn author(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.row.author))
    }

    async fn author_association(&self) -> CommentAuthorAssociation {
        self.pull.repository.meta.role(self.row.author).into()
    }

    async fn body(&self) -> String {
        self.row.body.clone()
    }

    async fn body_text(&self) -> String {
        self.row.body.clone()
    }

    async fn commit(&self) -> Option<Commit> {
        let sha = if self.thread.outdated {
            &self.row.original_commit_sha
        } else {
            &self.pull.row.head_sha
        };
        Some(Commit::unloaded(&self.pull.repository, sha))
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.into()
    }

    #[graphql(
        deprecation = "`databaseId` will be removed because it does not support 64-bit signed integer identifiers. Use `fullDatabaseId` instead. Removal on 2024-07-01 UTC."
    )]
    async fn database_id(&self) -> Option<i64> {
        Some(to_graphql_int(self.row.id))
    }

    async fn diff_hunk(&self) -> String {
        self.row.diff_hunk.clone()
    }

    async fn drafted_at(&self) -> DateTime {
        self.row.created_at.into()
    }

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(self.row.id.into())
    }

    pub async fn id(&self) -> ID {
        node_id_in(
            NodeKind::ReviewComment,
            self.pull.repository.meta.id,
            self.row.id,
        )
        .into()
    }

    async fn is_minimized(&self) -> bool {
        self.row.minimized.is_some()
    }

    async fn last_edited_at(&self) -> Option<DateTime> {
        (self.row.updated_at != self.row.created_at).then(|| self.row.updated_at.into())
    }

    async fn line(&self) -> Option<i64> {
        self.thread.line.map(to_graphql_int)
    }

    async fn minimized_reason(&self) -> Option<String> {
        self.row.minimized.clone()
    }

    async fn original_commit(&self) -> Option<Commit> {
        Some(Commit::unloaded(
            &self.pull.repository,
            &self.row.original_commit_sha,
        ))
    }

    async fn original_line(&self) -> Option<i64> {
        self.thread.original_line.map(to_graphql_int)
    }

    async fn original_start_line(&self) -> Option<i64> {
        self.thread.original_start_line.map(to_graphql_int)
    }

    async fn outdated(&self) -> bool {
        self.thread.outdated
    }

    async fn path(&self) -> String {
        self.thread.path.clone()
    }

    async fn published_at(&self) -> Option<DateTime> {
        match &self.review {
            Some(review) => review.submitted_at.map(Into::into),
            None => Some(self.row.created_at.into()),
        }
    }

    async fn pull_request(&self) -> PullRequest {
        self.pull.clone()
    }

    async fn pull_request_review(&self) -> Option<PullRequestReview> {
        self.review.clone().map(|row| PullRequestReview {
            pull: self.pull.clone(),
            row,
        })
    }

    async fn reply_to(&self, ctx: &Context<'_>) -> Option<Result<PullRequestReviewComment>> {
        nullable(async move {
            let Some(id) = self.row.in_reply_to else {
                return Ok(None);
            };
            into_graphql_result(self.pull.read_state(ctx, |state| {
                let row = state.review_comments.get(id)?;
                Self::of(&self.pull, state, row)
            }))
        })
        .await
    }

    pub async fn repository(&self) -> Repository {
        self.pull.repository.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.web_path()))
    }

    async fn start_line(&self) -> Option<i64> {
        self.thread.start_line.map(to_graphql_int)
    }

    async fn state(&self) -> PullRequestReviewCommentState {
        match &self.review {
            Some(review) if review.state == ReviewState::Pending => {
                PullRequestReviewCommentState::Pending
            }
            Some(_) | None => PullRequestReviewCommentState::Submitted,
        }
    }

    async fn subject_type(&self) -> PullRequestReviewThreadSubjectType {
        subject_type_of(self.thread.file_level)
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.into()
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.web_path())
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        request_context(ctx).viewer.id == self.row.author
    }
}

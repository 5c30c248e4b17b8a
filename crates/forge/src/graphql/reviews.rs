//! Reviews, and who was asked for one.

use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result, Union};

use super::actors::{Actor, Bot, User};
use super::commits::Commit;
use super::connection::{Connection, ConnectionNode, PageArgs};
use super::enums::{CommentAuthorAssociation, PullRequestReviewState};
use super::pull::PullRequest;
use super::repository::Repository;
use super::scalars::{BigInt, DateTime, Uri, to_graphql_int};
use super::threads::PullRequestReviewComment;
use super::{into_graphql_result, request_context};
use crate::model::{self, AccountId, AccountKind};
use crate::node::{NodeKind, node_id_in};

/// A review.
#[derive(Clone)]
pub struct PullRequestReview {
    /// What is reviewed.
    pub pull: PullRequest,
    /// The review.
    pub row: Arc<model::Review>,
}

impl ConnectionNode for PullRequestReview {
    const NAME: &'static str = "PullRequestReview";

    fn key(&self) -> String {
        self.row.id.to_string()
    }
}

impl PullRequestReview {
    fn path(&self) -> String {
        format!("{}#pullrequestreview-{}", self.pull.path(), self.row.id)
    }
}

#[Object]
impl PullRequestReview {
    async fn author(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.row.author))
    }

    async fn author_association(&self) -> CommentAuthorAssociation {
        self.pull.repository.meta.role(self.row.author).into()
    }

    async fn author_can_push_to_repository(&self) -> bool {
        self.pull.repository.meta.role(self.row.author).may_write()
    }

    async fn body(&self) -> String {
        self.row.body.clone()
    }

    async fn body_text(&self) -> String {
        self.row.body.clone()
    }

    async fn comments(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Connection<PullRequestReviewComment>> {
        let viewer = request_context(ctx).viewer.id;
        let comments = into_graphql_result(self.pull.read_state(ctx, |state| {
            state
                .review_comments
                .iter()
                .filter(|comment| {
                    comment.review_id == self.row.id && state.is_comment_visible(comment, viewer)
                })
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

    async fn commit(&self) -> Option<Commit> {
        Some(Commit::unloaded(
            &self.pull.repository,
            &self.row.commit_sha,
        ))
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

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(self.row.id.into())
    }

    pub async fn id(&self) -> ID {
        node_id_in(NodeKind::Review, self.pull.repository.meta.id, self.row.id).into()
    }

    async fn is_minimized(&self) -> bool {
        false
    }

    async fn last_edited_at(&self) -> Option<DateTime> {
        let published = self.row.submitted_at.unwrap_or(self.row.created_at);
        (self.row.updated_at > published).then(|| self.row.updated_at.into())
    }

    async fn published_at(&self) -> Option<DateTime> {
        self.row.submitted_at.map(Into::into)
    }

    async fn pull_request(&self) -> PullRequest {
        self.pull.clone()
    }

    pub async fn repository(&self) -> Repository {
        self.pull.repository.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    async fn state(&self) -> PullRequestReviewState {
        self.row.state.into()
    }

    async fn submitted_at(&self) -> Option<DateTime> {
        self.row.submitted_at.map(Into::into)
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.into()
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        request_context(ctx).viewer.id == self.row.author
    }
}

/// A review that somebody was asked for.
#[derive(Clone)]
pub struct ReviewRequest {
    /// What is to be reviewed.
    pub pull: PullRequest,
    /// By whom.
    pub reviewer: AccountId,
}

/// Whom a review can be asked of; the forge has no teams.
#[derive(Clone, Union)]
pub enum RequestedReviewer {
    /// A person.
    User(User),
    /// A bot.
    Bot(Bot),
}

impl ConnectionNode for ReviewRequest {
    const NAME: &'static str = "ReviewRequest";

    fn key(&self) -> String {
        self.reviewer.0.to_string()
    }
}

#[Object]
impl ReviewRequest {
    async fn as_code_owner(&self) -> bool {
        false
    }

    pub async fn id(&self) -> ID {
        format!("RR_{}_{}", self.pull.row.id, self.reviewer.0).into()
    }

    async fn pull_request(&self) -> PullRequest {
        self.pull.clone()
    }

    async fn requested_reviewer(&self, ctx: &Context<'_>) -> Option<RequestedReviewer> {
        let account = request_context(ctx).forge.account(self.reviewer);
        Some(match account.kind {
            AccountKind::User => RequestedReviewer::User(User(account)),
            AccountKind::Bot => RequestedReviewer::Bot(Bot(account)),
        })
    }
}

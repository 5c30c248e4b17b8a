//! Conversation comments.

use std::sync::Arc;

use async_graphql::{Context, ID, Object};

use super::actors::Actor;
use super::enums::CommentAuthorAssociation;
use super::page::Listed;
use super::pull::PullRequest;
use super::repository::Repository;
use super::scalars::{BigInt, DateTime, Uri, int};
use super::session;
use crate::model;
use crate::node::{NodeKind, node_id_in};

/// A comment on the conversation of a pull request.
#[derive(Clone)]
pub struct IssueComment {
    /// The conversation.
    pub pull: PullRequest,
    /// The comment.
    pub row: Arc<model::IssueComment>,
}

impl Listed for IssueComment {
    const NAME: &'static str = "IssueComment";

    fn key(&self) -> String {
        self.row.id.to_string()
    }
}

impl IssueComment {
    fn path(&self) -> String {
        format!("{}#issuecomment-{}", self.pull.path(), self.row.id)
    }
}

#[Object]
impl IssueComment {
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

    async fn created_at(&self) -> DateTime {
        self.row.created_at.into()
    }

    async fn database_id(&self) -> Option<i64> {
        Some(int(self.row.id))
    }

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(self.row.id.into())
    }

    pub async fn id(&self) -> ID {
        node_id_in(
            NodeKind::IssueComment,
            self.pull.repository.meta.id,
            self.row.id,
        )
        .into()
    }

    async fn includes_created_edit(&self) -> bool {
        self.row.updated_at != self.row.created_at
    }

    async fn is_minimized(&self) -> bool {
        self.row.minimized.is_some()
    }

    async fn last_edited_at(&self) -> Option<DateTime> {
        (self.row.updated_at != self.row.created_at).then(|| self.row.updated_at.into())
    }

    async fn minimized_reason(&self) -> Option<String> {
        self.row.minimized.clone()
    }

    async fn published_at(&self) -> Option<DateTime> {
        Some(self.row.created_at.into())
    }

    async fn pull_request(&self) -> Option<PullRequest> {
        Some(self.pull.clone())
    }

    pub async fn repository(&self) -> Repository {
        self.pull.repository.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.into()
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        session(ctx).web(&self.path())
    }

    async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
        session(ctx).viewer.id == self.row.author
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        session(ctx).viewer.id == self.row.author
    }
}

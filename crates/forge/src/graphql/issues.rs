//! Issues that are no pull requests.

use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result};

use super::actors::Actor;
use super::comments::{Conversation, IssueComment, IssueCommentOrder, comments_of};
use super::connection::{Connection, ConnectionNode, PageArgs};
use super::enums::{CommentAuthorAssociation, IssueState};
use super::labels::Label;
use super::repository::Repository;
use super::scalars::{BigInt, DateTime, Uri, to_graphql_int};
use super::{nullable, request_context};
use crate::model;
use crate::node::{NodeKind, node_id_in};

/// An issue.
#[derive(Clone)]
pub struct Issue {
    /// Where it is.
    pub repository: Repository,
    /// What was known of it when the request came to it.
    pub row: Arc<model::Issue>,
}

impl Issue {
    /// Its page on the forge.
    pub fn path(&self) -> String {
        format!("{}/issues/{}", self.repository.meta.name, self.row.number)
    }
}

impl ConnectionNode for Issue {
    const NAME: &'static str = "Issue";

    fn key(&self) -> String {
        self.row.number.to_string()
    }
}

#[Object]
impl Issue {
    async fn author(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.row.author))
    }

    async fn author_association(&self) -> CommentAuthorAssociation {
        self.repository.meta.role(self.row.author).into()
    }

    async fn body(&self) -> String {
        self.row.body.clone().unwrap_or_default()
    }

    async fn closed(&self) -> bool {
        self.row.state != model::IssueState::Open
    }

    async fn closed_at(&self) -> Option<DateTime> {
        self.row.closed_at.map(Into::into)
    }

    async fn comments(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
        order_by: Option<IssueCommentOrder>,
    ) -> Result<Connection<IssueComment>> {
        let bounds = PageArgs {
            after,
            before,
            first,
            last,
        };
        comments_of(ctx, &Conversation::Issue(self.clone()), bounds, order_by)
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.into()
    }

    async fn database_id(&self) -> Option<i64> {
        Some(to_graphql_int(self.row.id))
    }

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(self.row.id.into())
    }

    pub async fn id(&self) -> ID {
        node_id_in(NodeKind::Issue, self.repository.meta.id, self.row.id).into()
    }

    async fn labels(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Option<Result<Connection<Label>>> {
        nullable(async move {
            let known = &self.repository.meta.labels;
            let labels = self.row.labels.iter().filter_map(|key| known.get(key));
            let labels = labels.map(|label| Label {
                repository: self.repository.clone(),
                row: Arc::new(label.clone()),
            });
            let bounds = PageArgs {
                after,
                before,
                first,
                last,
            };
            Connection::paginate(ctx, bounds, labels.collect()).map(Some)
        })
        .await
    }

    async fn locked(&self) -> bool {
        self.row.locked
    }

    async fn number(&self) -> i64 {
        to_graphql_int(self.row.number)
    }

    pub async fn repository(&self) -> Repository {
        self.repository.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    async fn state(&self) -> IssueState {
        self.row.state.into()
    }

    async fn title(&self) -> String {
        self.row.title.clone()
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.into()
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }
}

//! Conversation comments.

use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, Object, Result};

use super::actors::Actor;
use super::connection::{Connection, ConnectionNode, PageArgs};
use super::enums::{CommentAuthorAssociation, IssueCommentOrderField, OrderDirection};
use super::issues::Issue;
use super::pull::PullRequest;
use super::repository::Repository;
use super::scalars::{BigInt, DateTime, Uri, to_graphql_int};
use super::{into_graphql_result, request_context};
use crate::model::{self, RepoState};
use crate::node::{NodeKind, node_id_in};

/// What is talked about.
#[derive(Clone)]
pub enum Conversation {
    /// An issue.
    Issue(Issue),
    /// A pull request.
    Pull(PullRequest),
}

impl Conversation {
    /// The conversation of this number, if there is one.
    pub fn of(repository: &Repository, state: &RepoState, number: u64) -> Option<Self> {
        let pull = state
            .pulls
            .get(number)
            .map(|row| repository.to_pull_request(row));
        let issue = state.issues.get(number).map(|row| repository.to_issue(row));
        pull.map(Self::Pull).or(issue.map(Self::Issue))
    }

    /// Where it is.
    pub fn repository(&self) -> &Repository {
        match self {
            Self::Issue(issue) => &issue.repository,
            Self::Pull(pull) => &pull.repository,
        }
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        match self {
            Self::Issue(issue) => issue.row.number,
            Self::Pull(pull) => pull.row.number,
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Issue(issue) => issue.path(),
            Self::Pull(pull) => pull.path(),
        }
    }
}

/// How comments of a conversation are sorted.
#[derive(InputObject)]
pub struct IssueCommentOrder {
    /// Which way.
    direction: OrderDirection,
    /// By what.
    field: IssueCommentOrderField,
}

/// Lists the comments of a conversation, oldest first unless another order is asked for.
pub fn comments_of(
    ctx: &Context<'_>,
    conversation: &Conversation,
    page_args: PageArgs,
    order: Option<IssueCommentOrder>,
) -> Result<Connection<IssueComment>> {
    let mut comments: Vec<IssueComment> =
        into_graphql_result(conversation.repository().read_state(ctx, |state| {
            state
                .issue_comments
                .iter()
                .filter(|comment| comment.number == conversation.number())
                .map(|comment| IssueComment {
                    conversation: conversation.clone(),
                    row: Arc::new(comment.clone()),
                })
                .collect()
        }))?;
    if let Some(IssueCommentOrder {
        direction,
        field: IssueCommentOrderField::UpdatedAt,
    }) = order
    {
        comments.sort_by_key(|comment| comment.row.updated_at);
        if direction == OrderDirection::Desc {
            comments.reverse();
        }
    }
    Connection::paginate(ctx, page_args, comments)
}

/// A comment on the conversation of an issue or pull request.
#[derive(Clone)]
pub struct IssueComment {
    /// The conversation.
    pub conversation: Conversation,
    /// The comment.
    pub row: Arc<model::IssueComment>,
}

impl ConnectionNode for IssueComment {
    const NAME: &'static str = "IssueComment";

    fn key(&self) -> String {
        self.row.id.to_string()
    }
}

impl IssueComment {
    fn path(&self) -> String {
        format!("{}#issuecomment-{}", self.conversation.path(), self.row.id)
    }
}

#[Object]
impl IssueComment {
    async fn author(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.row.author))
    }

    async fn author_association(&self) -> CommentAuthorAssociation {
        self.conversation
            .repository()
            .meta
            .role(self.row.author)
            .into()
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
        Some(to_graphql_int(self.row.id))
    }

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(self.row.id.into())
    }

    pub async fn id(&self) -> ID {
        node_id_in(
            NodeKind::IssueComment,
            self.conversation.repository().meta.id,
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
        match &self.conversation {
            Conversation::Pull(pull) => Some(pull.clone()),
            Conversation::Issue(_) => None,
        }
    }

    pub async fn repository(&self) -> Repository {
        self.conversation.repository().clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.into()
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }

    async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
        request_context(ctx).viewer.id == self.row.author
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        request_context(ctx).viewer.id == self.row.author
    }
}

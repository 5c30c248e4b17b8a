//! What can be changed over GraphQL.

use async_graphql::{Context, ID, InputObject, MergedObject, Object, Result, SimpleObject};

use super::comments::{Conversation as Talk, IssueComment};
use super::error::Failure;
use super::merging::Merging;
use super::nodes::{Node, node_of, pull_of, thread_of};
use super::page::Edge;
use super::pull::PullRequest;
use super::repository::Repository;
use super::reviewing::Reviewing;
use super::{granted, nullable, session};
use crate::acts::comments;
use crate::acts::pulls::{self, PullEdit};
use crate::acts::threads;

/// GitHub's `Mutation`.
#[derive(MergedObject, Default)]
pub struct Mutation(Conversation, Reviewing, Merging);

/// Comments, threads, and the pull request's own state.
#[derive(Default)]
pub struct Conversation;

/// Defines the payloads that hold one object beside the client's mark.
macro_rules! payloads {
    ($($(#[doc = $doc:literal])+ $name:ident { $field:ident: $type:ty })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(SimpleObject)]
            pub struct $name {
                pub(super) client_mutation_id: Option<String>,
                pub(super) $field: Option<$type>,
            }
        )+
    };
}
pub(super) use payloads;

/// Defines the inputs that name one object beside the client's mark.
macro_rules! inputs {
    ($($(#[doc = $doc:literal])+ $name:ident { $field:ident })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(InputObject)]
            pub struct $name {
                pub(super) client_mutation_id: Option<String>,
                pub(super) $field: ID,
            }
        )+
    };
}
pub(super) use inputs;

payloads! {
    /// A closed pull request.
    ClosePullRequestPayload { pull_request: PullRequest }
    /// A pull request that is a draft now.
    ConvertPullRequestToDraftPayload { pull_request: PullRequest }
    /// A pull request that is no draft any more.
    MarkPullRequestReadyForReviewPayload { pull_request: PullRequest }
    /// A pull request that is open again.
    ReopenPullRequestPayload { pull_request: PullRequest }
    /// A resolved thread.
    ResolveReviewThreadPayload { thread: super::threads::PullRequestReviewThread }
    /// A thread that is open again.
    UnresolveReviewThreadPayload { thread: super::threads::PullRequestReviewThread }
}

inputs! {
    /// What to close.
    ClosePullRequestInput { pull_request_id }
    /// What to make a draft.
    ConvertPullRequestToDraftInput { pull_request_id }
    /// What is ready.
    MarkPullRequestReadyForReviewInput { pull_request_id }
    /// What to open again.
    ReopenPullRequestInput { pull_request_id }
    /// What to resolve.
    ResolveReviewThreadInput { thread_id }
    /// What to open again.
    UnresolveReviewThreadInput { thread_id }
}

/// A comment on the conversation.
#[derive(InputObject)]
pub struct AddCommentInput {
    body: String,
    client_mutation_id: Option<String>,
    subject_id: ID,
}

/// The comment that was added.
#[derive(SimpleObject)]
pub struct AddCommentPayload {
    client_mutation_id: Option<String>,
    comment_edge: Option<Edge<IssueComment>>,
    subject: Option<Node>,
}

/// Reads a pull request anew, as it is after a change.
pub fn again(ctx: &Context<'_>, pull: &PullRequest) -> Result<PullRequest> {
    let name = &pull.repository.meta.name;
    let gone = || {
        Failure::not_found(format!(
            "Could not resolve to a Repository with the name '{name}'."
        ))
    };
    let repository = Repository::named(ctx, name.owner(), name.name()).ok_or_else(gone)?;
    let number = pull.row.number;
    let row = granted(repository.look(ctx, |state| state.pulls.get(number).cloned()))?
        .ok_or_else(gone)?;
    Ok(repository.pull(&row))
}

/// Changes a pull request's own state.
async fn edit(ctx: &Context<'_>, id: &ID, change: PullEdit) -> Result<Option<PullRequest>> {
    let pull = pull_of(ctx, id)?;
    let session = session(ctx);
    let name = &pull.repository.meta.name;
    granted(
        pulls::edit(
            &session.forge,
            &session.viewer,
            name,
            pull.row.number,
            change,
        )
        .await,
    )?;
    again(ctx, &pull).map(Some)
}

/// Resolves a thread, or opens it again.
fn settle(
    ctx: &Context<'_>,
    id: &ID,
    resolved: bool,
) -> Result<Option<super::threads::PullRequestReviewThread>> {
    let thread = thread_of(ctx, id)?;
    let session = session(ctx);
    let name = &thread.pull.repository.meta.name;
    granted(threads::resolve(
        &session.forge,
        &session.viewer,
        name,
        thread.row.id,
        resolved,
    ))?;
    thread_of(ctx, id).map(Some)
}

#[Object]
impl Conversation {
    async fn add_comment(
        &self,
        ctx: &Context<'_>,
        input: AddCommentInput,
    ) -> Option<Result<AddCommentPayload>> {
        nullable(async move {
            let subject = node_of(ctx, &input.subject_id)?;
            let about = match &subject {
                Node::PullRequest(pull) => Talk::Pull(pull.clone()),
                Node::Issue(issue) => Talk::Issue(issue.clone()),
                _ => return Err(Failure::unprocessable("The subject takes no comments.").into()),
            };
            let session = session(ctx);
            let row = granted(comments::add(
                &session.forge,
                &session.viewer,
                &about.repository().meta.name,
                about.number(),
                &input.body,
            ))?;
            let subject = node_of(ctx, &input.subject_id)?;
            let place = granted(about.repository().look(ctx, |state| {
                state
                    .issue_comments
                    .iter()
                    .filter(|comment| comment.number == row.number && comment.id < row.id)
                    .count()
            }))?;
            let comment = IssueComment {
                about,
                row: row.into(),
            };
            Ok(Some(AddCommentPayload {
                client_mutation_id: input.client_mutation_id,
                comment_edge: Some(Edge::new(place, comment)),
                subject: Some(subject),
            }))
        })
        .await
    }

    async fn close_pull_request(
        &self,
        ctx: &Context<'_>,
        input: ClosePullRequestInput,
    ) -> Option<Result<ClosePullRequestPayload>> {
        nullable(async move {
            let change = PullEdit {
                open: Some(false),
                ..PullEdit::default()
            };
            Ok(Some(ClosePullRequestPayload {
                pull_request: edit(ctx, &input.pull_request_id, change).await?,
                client_mutation_id: input.client_mutation_id,
            }))
        })
        .await
    }

    async fn convert_pull_request_to_draft(
        &self,
        ctx: &Context<'_>,
        input: ConvertPullRequestToDraftInput,
    ) -> Option<Result<ConvertPullRequestToDraftPayload>> {
        nullable(async move {
            let change = PullEdit {
                draft: Some(true),
                ..PullEdit::default()
            };
            Ok(Some(ConvertPullRequestToDraftPayload {
                pull_request: edit(ctx, &input.pull_request_id, change).await?,
                client_mutation_id: input.client_mutation_id,
            }))
        })
        .await
    }

    async fn mark_pull_request_ready_for_review(
        &self,
        ctx: &Context<'_>,
        input: MarkPullRequestReadyForReviewInput,
    ) -> Option<Result<MarkPullRequestReadyForReviewPayload>> {
        nullable(async move {
            let change = PullEdit {
                draft: Some(false),
                ..PullEdit::default()
            };
            Ok(Some(MarkPullRequestReadyForReviewPayload {
                pull_request: edit(ctx, &input.pull_request_id, change).await?,
                client_mutation_id: input.client_mutation_id,
            }))
        })
        .await
    }

    async fn reopen_pull_request(
        &self,
        ctx: &Context<'_>,
        input: ReopenPullRequestInput,
    ) -> Option<Result<ReopenPullRequestPayload>> {
        nullable(async move {
            let change = PullEdit {
                open: Some(true),
                ..PullEdit::default()
            };
            Ok(Some(ReopenPullRequestPayload {
                pull_request: edit(ctx, &input.pull_request_id, change).await?,
                client_mutation_id: input.client_mutation_id,
            }))
        })
        .await
    }

    async fn resolve_review_thread(
        &self,
        ctx: &Context<'_>,
        input: ResolveReviewThreadInput,
    ) -> Option<Result<ResolveReviewThreadPayload>> {
        nullable(async move {
            Ok(Some(ResolveReviewThreadPayload {
                thread: settle(ctx, &input.thread_id, true)?,
                client_mutation_id: input.client_mutation_id,
            }))
        })
        .await
    }

    async fn unresolve_review_thread(
        &self,
        ctx: &Context<'_>,
        input: UnresolveReviewThreadInput,
    ) -> Option<Result<UnresolveReviewThreadPayload>> {
        nullable(async move {
            Ok(Some(UnresolveReviewThreadPayload {
                thread: settle(ctx, &input.thread_id, false)?,
                client_mutation_id: input.client_mutation_id,
            }))
        })
        .await
    }
}

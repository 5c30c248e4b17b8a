//! What can be changed over GraphQL.

use async_graphql::{Context, ID, InputObject, MergedObject, Object, Result, SimpleObject};

use super::comments::{Conversation as Talk, IssueComment};
use super::connection::Edge;
use super::error::GraphQlError;
use super::merge_mutations::MergeMutations;
use super::nodes::{Node, node_of, pull_of, thread_of};
use super::pull::PullRequest;
use super::repository::Repository;
use super::review_mutations::ReviewMutations;
use super::{into_graphql_result, nullable, request_context};
use crate::actions::comments;
use crate::actions::pulls::{self, PullEdit};
use crate::actions::threads;
use crate::token_permissions;

/// GitHub's `Mutation`.
#[derive(MergedObject, Default)]
pub struct Mutation(ConversationMutations, ReviewMutations, MergeMutations);

/// Comments, threads, and the pull request's own state.
#[derive(Default)]
pub struct ConversationMutations;

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
pub fn reload_pull(ctx: &Context<'_>, pull: &PullRequest) -> Result<PullRequest> {
    let name = &pull.repository.meta.name;
    let not_found = || {
        GraphQlError::not_found(format!(
            "Could not resolve to a Repository with the name '{name}'."
        ))
    };
    let repository = Repository::find(ctx, name.owner(), name.name()).ok_or_else(not_found)?;
    let number = pull.row.number;
    let row =
        into_graphql_result(repository.read_state(ctx, |state| state.pulls.get(number).cloned()))?
            .ok_or_else(not_found)?;
    Ok(repository.to_pull_request(&row))
}

/// To resolve a thread GitHub wants the permission to write contents, not that of pull requests
/// ([discussion](https://github.com/orgs/community/discussions/44650)).
fn may_resolve(ctx: &Context<'_>) -> Result<()> {
    let context = request_context(ctx);
    let token = context.forge.tokens().get(&context.viewer.login);
    let viewer = &context.viewer;
    if token.may_write("contents") && viewer.token_may("contents", true) {
        return Ok(());
    }
    let words = match viewer.limits {
        Some(_) => token_permissions::OF_APP,
        None => token_permissions::NOT_ACCESSIBLE,
    };
    Err(GraphQlError::forbidden(words).into())
}

/// Changes a pull request's own state.
async fn edit_pull(ctx: &Context<'_>, id: &ID, change: PullEdit) -> Result<Option<PullRequest>> {
    let pull = pull_of(ctx, id)?;
    let request_context = request_context(ctx);
    let name = &pull.repository.meta.name;
    into_graphql_result(
        pulls::edit(
            &request_context.forge,
            &request_context.viewer,
            name,
            pull.row.number,
            change,
        )
        .await,
    )?;
    reload_pull(ctx, &pull).map(Some)
}

/// Resolves a thread, or opens it again.
fn set_thread_resolved(
    ctx: &Context<'_>,
    id: &ID,
    resolved: bool,
) -> Result<Option<super::threads::PullRequestReviewThread>> {
    let thread = thread_of(ctx, id)?;
    let request_context = request_context(ctx);
    let name = &thread.pull.repository.meta.name;
    into_graphql_result(threads::resolve(
        &request_context.forge,
        &request_context.viewer,
        name,
        thread.row.id,
        resolved,
    ))?;
    thread_of(ctx, id).map(Some)
}

#[Object]
impl ConversationMutations {
    async fn add_comment(
        &self,
        ctx: &Context<'_>,
        input: AddCommentInput,
    ) -> Option<Result<AddCommentPayload>> {
        nullable(async move {
            let subject = node_of(ctx, &input.subject_id)?;
            let conversation = match &subject {
                Node::PullRequest(pull) => Talk::Pull(pull.clone()),
                Node::Issue(issue) => Talk::Issue(issue.clone()),
                _ => {
                    return Err(
                        GraphQlError::unprocessable("The subject takes no comments.").into(),
                    );
                }
            };
            let request_context = request_context(ctx);
            let row = into_graphql_result(comments::add(
                &request_context.forge,
                &request_context.viewer,
                &conversation.repository().meta.name,
                conversation.number(),
                &input.body,
            ))?;
            let subject = node_of(ctx, &input.subject_id)?;
            let index = into_graphql_result(conversation.repository().read_state(ctx, |state| {
                state
                    .issue_comments
                    .iter()
                    .filter(|comment| comment.number == row.number && comment.id < row.id)
                    .count()
            }))?;
            let comment = IssueComment {
                conversation,
                row: row.into(),
            };
            Ok(Some(AddCommentPayload {
                client_mutation_id: input.client_mutation_id,
                comment_edge: Some(Edge::new(index, comment)),
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
                pull_request: edit_pull(ctx, &input.pull_request_id, change).await?,
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
                pull_request: edit_pull(ctx, &input.pull_request_id, change).await?,
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
                pull_request: edit_pull(ctx, &input.pull_request_id, change).await?,
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
                pull_request: edit_pull(ctx, &input.pull_request_id, change).await?,
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
            may_resolve(ctx)?;
            Ok(Some(ResolveReviewThreadPayload {
                thread: set_thread_resolved(ctx, &input.thread_id, true)?,
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
            may_resolve(ctx)?;
            Ok(Some(UnresolveReviewThreadPayload {
                thread: set_thread_resolved(ctx, &input.thread_id, false)?,
                client_mutation_id: input.client_mutation_id,
            }))
        })
        .await
    }
}

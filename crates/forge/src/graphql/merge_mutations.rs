//! Merging over GraphQL, at once or later: a person's part.

use async_graphql::{Context, ID, InputObject, Object, Result, SimpleObject};

use super::actors::Actor;
use super::auto_merge::MergeQueueEntry;
use super::enums::PullRequestMergeMethod;
use super::error::GraphQlError;
use super::mutation::{inputs, payloads, reload_pull};
use super::nodes::{Node, node_of, pull_of};
use super::pull::PullRequest;
use super::scalars::GitObjectId;
use super::{RequestContext, into_graphql_result, nullable, request_context};
use crate::actions::merge::{self, MergeParams, MergeState};
use crate::actions::{merge_queue, pull as pull_in, pull_mut, require_write, touch};
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{AutoMerge, PullState};

/// Merging, auto-merge and the merge queue.
#[derive(Default)]
pub struct MergeMutations;

/// Defines the inputs that say how to merge.
macro_rules! merge_inputs {
    ($($(#[doc = $doc:literal])+ $name:ident)+) => {
        $(
            $(#[doc = $doc])+
            #[derive(InputObject)]
            pub struct $name {
                author_email: Option<String>,
                client_mutation_id: Option<String>,
                commit_body: Option<String>,
                commit_headline: Option<String>,
                expected_head_oid: Option<GitObjectId>,
                #[graphql(default_with = "Some(PullRequestMergeMethod::Merge)")]
                merge_method: Option<PullRequestMergeMethod>,
                pull_request_id: ID,
            }
        )+
    };
}

merge_inputs! {
    /// How to merge at once.
    MergePullRequestInput
    /// How to merge once everything passes.
    EnablePullRequestAutoMergeInput
}

/// Defines the payloads that say who did it.
macro_rules! deeds {
    ($($(#[doc = $doc:literal])+ $name:ident)+) => {
        $(
            $(#[doc = $doc])+
            #[derive(SimpleObject)]
            pub struct $name {
                actor: Option<Actor>,
                client_mutation_id: Option<String>,
                pull_request: Option<PullRequest>,
            }
        )+
    };
}

deeds! {
    /// A merged pull request.
    MergePullRequestPayload
    /// A pull request that will merge by itself.
    EnablePullRequestAutoMergePayload
    /// A pull request that will not merge by itself any more.
    DisablePullRequestAutoMergePayload
}

inputs! {
    /// What shall not merge by itself.
    DisablePullRequestAutoMergeInput { pull_request_id }
    /// What to take out of the queue: an entry's id, or a pull request's.
    DequeuePullRequestInput { id }
}

/// What to put into the queue.
#[derive(InputObject)]
pub struct EnqueuePullRequestInput {
    client_mutation_id: Option<String>,
    expected_head_oid: Option<GitObjectId>,
    jump: Option<bool>,
    pull_request_id: ID,
}

payloads! {
    /// The place in the queue.
    EnqueuePullRequestPayload { merge_queue_entry: MergeQueueEntry }
    /// The place that was given up.
    DequeuePullRequestPayload { merge_queue_entry: MergeQueueEntry }
}

fn viewer_actor(request_context: &RequestContext) -> Option<Actor> {
    Some(Actor::from(request_context.viewer.clone()))
}

/// Fails when the head is not the one that the client saw.
fn require_head(pull: &PullRequest, expected: Option<&GitObjectId>) -> Result<()> {
    match expected {
        Some(oid) if oid.0 != pull.row.head_sha.as_str() => Err(GraphQlError::unprocessable(
            format!("Head sha didn't match expected value {}.", oid.0),
        )
        .into()),
        Some(_) | None => Ok(()),
    }
}

/// Changes what is to happen with an open pull request.
fn change_open_pull(
    request_context: &RequestContext,
    pull: &PullRequest,
    change: impl FnOnce(&mut crate::model::RepoState, u64) -> Result<(), ForgeError>,
) -> Result<()> {
    let number = pull.row.number;
    into_graphql_result(
        request_context
            .forge
            .change(&pull.repository.meta.name, |state| {
                require_write(state, &request_context.viewer)?;
                if pull_in(state, number)?.state != PullState::Open {
                    return Err(ForgeError::unprocessable("Pull request is closed"));
                }
                change(state, number)?;
                touch(state, number);
                Ok(())
            }),
    )
}

#[Object]
impl MergeMutations {
    async fn merge_pull_request(
        &self,
        ctx: &Context<'_>,
        input: MergePullRequestInput,
    ) -> Option<Result<MergePullRequestPayload>> {
        nullable(async move {
            let pull = pull_of(ctx, &input.pull_request_id)?;
            require_head(&pull, input.expected_head_oid.as_ref())?;
            let request_context = request_context(ctx);
            let params = MergeParams {
                method: input
                    .merge_method
                    .unwrap_or(PullRequestMergeMethod::Merge)
                    .into(),
                sha: input.expected_head_oid.map(|oid| oid.0),
                title: input.commit_headline,
                message: input.commit_body,
            };
            let name = &pull.repository.meta.name;
            into_graphql_result(
                merge::merge(
                    &request_context.forge,
                    &request_context.viewer,
                    name,
                    pull.row.number,
                    params,
                )
                .await,
            )?;
            Ok(Some(MergePullRequestPayload {
                actor: viewer_actor(request_context),
                client_mutation_id: input.client_mutation_id,
                pull_request: Some(reload_pull(ctx, &pull)?),
            }))
        })
        .await
    }

    async fn enable_pull_request_auto_merge(
        &self,
        ctx: &Context<'_>,
        input: EnablePullRequestAutoMergeInput,
    ) -> Option<Result<EnablePullRequestAutoMergePayload>> {
        nullable(async move {
            let pull = pull_of(ctx, &input.pull_request_id)?;
            require_head(&pull, input.expected_head_oid.as_ref())?;
            let request_context = request_context(ctx);
            let wanted = AutoMerge {
                enabled_by: request_context.viewer.id,
                enabled_at: now(),
                method: input
                    .merge_method
                    .unwrap_or(PullRequestMergeMethod::Merge)
                    .into(),
                commit_title: input.commit_headline,
                commit_message: input.commit_body,
            };
            change_open_pull(request_context, &pull, |state, number| {
                if !state.meta.allow_auto_merge {
                    return Err(ForgeError::unprocessable(
                        "Pull request Auto merge is not allowed for this repository",
                    ));
                }
                if merge::merge_state(state, pull_in(state, number)?) == MergeState::Clean {
                    return Err(ForgeError::unprocessable(
                        "Pull request Pull request is in clean status",
                    ));
                }
                pull_mut(state, number)?.auto_merge = Some(wanted);
                Ok(())
            })?;
            Ok(Some(EnablePullRequestAutoMergePayload {
                actor: viewer_actor(request_context),
                client_mutation_id: input.client_mutation_id,
                pull_request: Some(reload_pull(ctx, &pull)?),
            }))
        })
        .await
    }

    async fn disable_pull_request_auto_merge(
        &self,
        ctx: &Context<'_>,
        input: DisablePullRequestAutoMergeInput,
    ) -> Option<Result<DisablePullRequestAutoMergePayload>> {
        nullable(async move {
            let pull = pull_of(ctx, &input.pull_request_id)?;
            let request_context = request_context(ctx);
            change_open_pull(request_context, &pull, |state, number| {
                match pull_mut(state, number)?.auto_merge.take() {
                    Some(_) => Ok(()),
                    None => Err(ForgeError::unprocessable(
                        "Can't disable auto-merge for this pull request.",
                    )),
                }
            })?;
            Ok(Some(DisablePullRequestAutoMergePayload {
                actor: viewer_actor(request_context),
                client_mutation_id: input.client_mutation_id,
                pull_request: Some(reload_pull(ctx, &pull)?),
            }))
        })
        .await
    }

    async fn enqueue_pull_request(
        &self,
        ctx: &Context<'_>,
        input: EnqueuePullRequestInput,
    ) -> Option<Result<EnqueuePullRequestPayload>> {
        nullable(async move {
            let pull = pull_of(ctx, &input.pull_request_id)?;
            require_head(&pull, input.expected_head_oid.as_ref())?;
            let request_context = request_context(ctx);
            let (name, number) = (&pull.repository.meta.name, pull.row.number);
            let (forge, viewer) = (&request_context.forge, &request_context.viewer);
            into_graphql_result(merge_queue::enqueue(forge, viewer, name, number).await)?;
            let pull = reload_pull(ctx, &pull)?;
            Ok(Some(EnqueuePullRequestPayload {
                client_mutation_id: input.client_mutation_id,
                merge_queue_entry: MergeQueueEntry::of(&pull),
            }))
        })
        .await
    }

    async fn dequeue_pull_request(
        &self,
        ctx: &Context<'_>,
        input: DequeuePullRequestInput,
    ) -> Option<Result<DequeuePullRequestPayload>> {
        nullable(async move {
            let entry = match node_of(ctx, &input.id)? {
                Node::MergeQueueEntry(entry) => Some(entry),
                Node::PullRequest(pull) => MergeQueueEntry::of(&pull),
                _ => None,
            };
            let Some(entry) = entry else {
                return Err(GraphQlError::unprocessable(
                    "The pull request is not in the merge queue.",
                )
                .into());
            };
            let request_context = request_context(ctx);
            let (forge, viewer) = (&request_context.forge, &request_context.viewer);
            let pull = &entry.pull;
            change_open_pull(request_context, pull, |state, number| {
                merge_queue::remove(forge, state, number, viewer.id, "manual")
            })?;
            Ok(Some(DequeuePullRequestPayload {
                client_mutation_id: input.client_mutation_id,
                merge_queue_entry: Some(entry),
            }))
        })
        .await
    }
}

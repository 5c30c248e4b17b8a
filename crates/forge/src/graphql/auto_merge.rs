//! Standing orders to merge: auto-merge and the merge queue.

use async_graphql::{Context, ID, Object, Result};

use super::actors::Actor;
use super::commits::Commit;
use super::enums::{MergeQueueEntryState, PullRequestMergeMethod};
use super::into_graphql_result;
use super::merge_queue::MergeQueue;
use super::pull::PullRequest;
use super::scalars::DateTime;
use crate::model::{AutoMerge, MergeQueuePosition};
use crate::node::{NodeKind, node_id_in};

/// A standing order to merge once everything passes.
#[derive(Clone)]
pub struct AutoMergeRequest {
    pull: PullRequest,
    order: AutoMerge,
}

impl AutoMergeRequest {
    /// The order on a pull request, if there is one.
    pub fn of(pull: &PullRequest) -> Option<Self> {
        pull.row.auto_merge.clone().map(|order| Self {
            pull: pull.clone(),
            order,
        })
    }
}

#[Object]
impl AutoMergeRequest {
    async fn commit_body(&self) -> Option<String> {
        self.order.commit_message.clone()
    }

    async fn commit_headline(&self) -> Option<String> {
        self.order.commit_title.clone()
    }

    async fn enabled_at(&self) -> Option<DateTime> {
        Some(self.order.enabled_at.into())
    }

    async fn enabled_by(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.order.enabled_by))
    }

    async fn merge_method(&self) -> PullRequestMergeMethod {
        self.order.method.into()
    }

    async fn pull_request(&self) -> PullRequest {
        self.pull.clone()
    }
}

/// A place in the merge queue.
#[derive(Clone)]
pub struct MergeQueueEntry {
    /// What waits.
    pub pull: PullRequest,
    entry: MergeQueuePosition,
}

impl MergeQueueEntry {
    /// The place of a pull request, if it has one.
    pub fn of(pull: &PullRequest) -> Option<Self> {
        pull.row.merge_queue_entry.clone().map(|entry| Self {
            pull: pull.clone(),
            entry,
        })
    }
}

#[Object]
impl MergeQueueEntry {
    async fn enqueued_at(&self) -> DateTime {
        self.entry.enqueued_at.into()
    }

    async fn enqueuer(&self, ctx: &Context<'_>) -> Actor {
        Actor::of(ctx, self.entry.enqueued_by)
    }

    async fn head_commit(&self) -> Option<Commit> {
        let commit = self.entry.head_commit.as_ref()?;
        Some(Commit::unloaded(&self.pull.repository, commit))
    }

    pub async fn id(&self) -> ID {
        node_id_in(
            NodeKind::MergeQueueEntry,
            self.pull.repository.meta.id,
            self.entry.id,
        )
        .into()
    }

    async fn position(&self, ctx: &Context<'_>) -> Result<i64> {
        let before = into_graphql_result(self.pull.read_state(ctx, |state| {
            state
                .pulls
                .iter()
                .filter(|pull| pull.base_ref == self.pull.row.base_ref)
                .filter_map(|pull| pull.merge_queue_entry.as_ref())
                .filter(|entry| {
                    (entry.enqueued_at, entry.id) < (self.entry.enqueued_at, self.entry.id)
                })
                .count()
        }))?;
        Ok(i64::try_from(before).unwrap_or(i64::MAX).saturating_add(1))
    }

    async fn merge_queue(&self) -> Option<MergeQueue> {
        MergeQueue::of(&self.pull.repository, &self.pull.row.base_ref)
    }

    async fn pull_request(&self) -> Option<PullRequest> {
        Some(self.pull.clone())
    }

    async fn state(&self) -> MergeQueueEntryState {
        match self.entry.head_commit {
            Some(_) => MergeQueueEntryState::AwaitingChecks,
            None => MergeQueueEntryState::Unmergeable,
        }
    }
}

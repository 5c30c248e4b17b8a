//! What the timeline of a pull request tells of its merge queue.

use async_graphql::{Context, ID, Object, Union};

use super::actors::{Actor, User};
use super::commits::Commit;
use super::connection::ConnectionNode;
use super::enums::PullRequestTimelineItemsItemType as ItemType;
use super::merge_queue::MergeQueue;
use super::pull::PullRequest;
use super::request_context;
use super::scalars::DateTime;
use crate::model::{AccountId, AccountKind, EventKind, RepoState, TimelineEvent};
use crate::node::{NodeKind, node_id_in};

/// Something that the timeline of a pull request tells.
#[derive(Clone, Union)]
pub enum PullRequestTimelineItems {
    /// It was queued.
    Added(AddedToMergeQueueEvent),
    /// It was taken out.
    Removed(RemovedFromMergeQueueEvent),
}

/// A pull request was put into a merge queue.
#[derive(Clone)]
pub struct AddedToMergeQueueEvent {
    pull: PullRequest,
    row: TimelineEvent,
}

/// A pull request was taken out of a merge queue.
#[derive(Clone)]
pub struct RemovedFromMergeQueueEvent {
    pull: PullRequest,
    row: TimelineEvent,
}

impl PullRequestTimelineItems {
    /// What of the wanted sorts happened to a pull request, oldest first.
    pub fn of(pull: &PullRequest, state: &RepoState, wanted: Option<&[ItemType]>) -> Vec<Self> {
        let is_wanted = |sort| wanted.is_none_or(|wanted| wanted.contains(&sort));
        let events = state.events.iter();
        let own = events.filter(|event| event.number == pull.row.number);
        own.filter_map(|row| {
            let (pull, row) = (pull.clone(), row.clone());
            match row.kind {
                EventKind::AddedToMergeQueue if is_wanted(ItemType::AddedToMergeQueueEvent) => {
                    Some(Self::Added(AddedToMergeQueueEvent { pull, row }))
                }
                EventKind::RemovedFromMergeQueue { .. }
                    if is_wanted(ItemType::RemovedFromMergeQueueEvent) =>
                {
                    Some(Self::Removed(RemovedFromMergeQueueEvent { pull, row }))
                }
                _ => None,
            }
        })
        .collect()
    }
}

impl ConnectionNode for PullRequestTimelineItems {
    const NAME: &'static str = "PullRequestTimelineItems";

    fn key(&self) -> String {
        match self {
            Self::Added(event) => event.row.id.to_string(),
            Self::Removed(event) => event.row.id.to_string(),
        }
    }
}

fn event_id(pull: &PullRequest, row: &TimelineEvent) -> ID {
    node_id_in(NodeKind::Event, pull.repository.meta.id, row.id).into()
}

fn user(ctx: &Context<'_>, id: AccountId) -> Option<User> {
    let account = request_context(ctx).forge.account(id);
    (account.kind == AccountKind::User).then_some(User(account))
}

#[Object]
impl AddedToMergeQueueEvent {
    async fn actor(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.row.actor))
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.into()
    }

    async fn enqueuer(&self, ctx: &Context<'_>) -> Option<User> {
        user(ctx, self.row.actor)
    }

    async fn id(&self) -> ID {
        event_id(&self.pull, &self.row)
    }

    async fn merge_queue(&self) -> Option<MergeQueue> {
        MergeQueue::of(&self.pull.repository, &self.pull.row.base_ref)
    }

    async fn pull_request(&self) -> Option<PullRequest> {
        Some(self.pull.clone())
    }
}

#[Object]
impl RemovedFromMergeQueueEvent {
    async fn actor(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.row.actor))
    }

    async fn before_commit(&self) -> Option<Commit> {
        let EventKind::RemovedFromMergeQueue { commit, .. } = &self.row.kind else {
            return None;
        };
        let commit = commit.as_ref()?;
        Some(Commit::unloaded(&self.pull.repository, commit))
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.into()
    }

    async fn enqueuer(&self, ctx: &Context<'_>) -> Option<User> {
        let EventKind::RemovedFromMergeQueue { enqueuer, .. } = &self.row.kind else {
            return None;
        };
        user(ctx, *enqueuer)
    }

    async fn id(&self) -> ID {
        event_id(&self.pull, &self.row)
    }

    async fn merge_queue(&self) -> Option<MergeQueue> {
        MergeQueue::of(&self.pull.repository, &self.pull.row.base_ref)
    }

    async fn pull_request(&self) -> Option<PullRequest> {
        Some(self.pull.clone())
    }

    async fn reason(&self) -> Option<String> {
        let EventKind::RemovedFromMergeQueue { reason, .. } = &self.row.kind else {
            return None;
        };
        Some(reason.clone())
    }
}

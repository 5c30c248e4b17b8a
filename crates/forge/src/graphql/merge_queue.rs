//! Merge queues of branches.

use async_graphql::{Context, ID, Object, Result};
use sha2::{Digest as _, Sha256};

use super::auto_merge::MergeQueueEntry;
use super::connection::{Connection, ConnectionNode, PageArgs};
use super::enums::{IssueOrderField, OrderDirection, PullRequestState};
use super::repository::{IssueOrder, PullRequestFilter, Repository};
use super::request_context;
use super::scalars::Uri;
use crate::node::{NodeKind, node_id_in};

/// The queue through which a branch takes pull requests.
#[derive(Clone)]
pub struct MergeQueue {
    repository: Repository,
    branch: String,
}

impl MergeQueue {
    /// The queue of a branch, if it has one.
    pub fn of(repository: &Repository, branch: &str) -> Option<Self> {
        let has = repository.meta.merge_queue.contains(branch);
        has.then(|| Self {
            repository: repository.clone(),
            branch: branch.to_owned(),
        })
    }

    fn path(&self) -> String {
        format!("{}/queue/{}", self.repository.meta.name, self.branch)
    }
}

impl ConnectionNode for MergeQueueEntry {
    const NAME: &'static str = "MergeQueueEntry";

    fn key(&self) -> String {
        self.pull.row.number.to_string()
    }
}

#[Object]
impl MergeQueue {
    async fn entries(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<Connection<MergeQueueEntry>>> {
        let open = PullRequestFilter {
            base: Some(self.branch.clone()),
            states: Some(vec![PullRequestState::Open]),
            order: Some(IssueOrder {
                direction: OrderDirection::Asc,
                field: IssueOrderField::CreatedAt,
            }),
            ..PullRequestFilter::default()
        };
        let pulls = self.repository.list_pulls(ctx, &open)?;
        let mut waiting: Vec<_> = pulls
            .iter()
            .filter(|pull| pull.row.merge_queue_entry.is_some())
            .collect();
        waiting.sort_by_key(|pull| {
            let entry = pull.row.merge_queue_entry.as_ref();
            entry.map(|entry| (entry.enqueued_at, entry.id))
        });
        let entries = waiting.into_iter().filter_map(MergeQueueEntry::of);
        let bounds = PageArgs {
            after,
            before,
            first,
            last,
        };
        Connection::paginate(ctx, bounds, entries.collect()).map(Some)
    }

    async fn id(&self) -> ID {
        // A queue has no number of its own here: its branch gives it one that stays.
        let hash = Sha256::digest(self.branch.as_bytes());
        let number = hash.iter().take(4).fold(0, |n, b| n << 8 | u64::from(*b));
        node_id_in(NodeKind::MergeQueue, self.repository.meta.id, number).into()
    }

    async fn repository(&self) -> Option<Repository> {
        Some(self.repository.clone())
    }

    async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }
}

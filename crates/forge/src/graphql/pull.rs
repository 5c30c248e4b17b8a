//! Pull requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result};

use super::actors::{Actor, RepositoryOwner, User};
use super::auto_merge::{AutoMergeRequest, MergeQueueEntry};
use super::checks::StatusCheckRollup;
use super::comments::{Conversation, IssueComment, IssueCommentOrder, comments_of};
use super::commits::{
    Commit, PullRequestChangedFile, PullRequestCommit, Ref, commits_of, files_of,
};
use super::connection::{Connection, ConnectionNode, PageArgs};
use super::enums::{
    CommentAuthorAssociation, MergeStateStatus, MergeableState, PullRequestReviewDecision,
    PullRequestReviewState, PullRequestState, PullRequestTimelineItemsItemType,
};
use super::issues::Issue;
use super::labels::Label;
use super::merge_queue::MergeQueue;
use super::merge_queue_events::PullRequestTimelineItems;
use super::pull_status;
use super::repository::Repository;
use super::reviews::{PullRequestReview, ReviewRequest};
use super::scalars::{BigInt, DateTime, GitObjectId, Uri, to_graphql_int};
use super::threads::PullRequestReviewThread;
use super::{into_graphql_result, nullable, request_context};
use crate::ForgeError;
use crate::model::{self, AccountId, PullState, RepoState, ReviewState};
use crate::node::{NodeKind, node_id_in};

/// A pull request.
#[derive(Clone)]
pub struct PullRequest {
    /// Where it is.
    pub repository: Repository,
    /// What was known of it when the request came to it.
    pub row: Arc<model::PullRequest>,
}

impl ConnectionNode for PullRequest {
    const NAME: &'static str = "PullRequest";

    fn key(&self) -> String {
        self.row.number.to_string()
    }
}

impl PullRequest {
    /// Its page on the forge.
    pub fn path(&self) -> String {
        format!("{}/pull/{}", self.repository.meta.name, self.row.number)
    }

    /// Looks at the state of its repository.
    pub fn read_state<R>(
        &self,
        ctx: &Context<'_>,
        query: impl FnOnce(&RepoState) -> R,
    ) -> Result<R, ForgeError> {
        self.repository.read_state(ctx, query)
    }

    /// Shows a branch of it: both are there as long as it is open, afterwards git is asked.
    async fn find_branch(
        &self,
        ctx: &Context<'_>,
        name: &str,
        open: &model::Sha,
    ) -> Result<Option<Ref>> {
        let target = match self.row.state {
            PullState::Open => Some(open.clone()),
            PullState::Closed | PullState::Merged => {
                let git = into_graphql_result(
                    request_context(ctx).forge.git(&self.repository.meta.name),
                )?;
                into_graphql_result(git.branch(name).await)?
            }
        };
        Ok(target.map(|target| Ref {
            repository: self.repository.clone(),
            name: name.to_owned(),
            target,
        }))
    }

    /// The fork that it comes from; nothing where that is gone, or the viewer may not see it.
    fn head_in_fork(&self, ctx: &Context<'_>) -> Option<Repository> {
        let fork = self.row.head_fork.as_ref().filter(|fork| !fork.deleted)?;
        Repository::find(ctx, fork.repo.owner(), fork.repo.name())
    }

    /// Its reviews that the viewer may see, oldest first.
    fn visible_reviews(&self, ctx: &Context<'_>) -> Result<Vec<PullRequestReview>> {
        let viewer = request_context(ctx).viewer.id;
        into_graphql_result(self.read_state(ctx, |state| {
            state
                .reviews
                .iter()
                .filter(|review| review.number == self.row.number)
                .filter(|review| review.state != ReviewState::Pending || review.author == viewer)
                .map(|review| PullRequestReview {
                    pull: self.clone(),
                    row: Arc::new(review.clone()),
                })
                .collect()
        }))
    }

    /// Its threads that the viewer may see, oldest first.
    fn visible_threads(&self, ctx: &Context<'_>) -> Result<Vec<PullRequestReviewThread>> {
        let viewer = request_context(ctx).viewer.id;
        into_graphql_result(self.read_state(ctx, |state| {
            let visible: std::collections::BTreeSet<u64> = state
                .review_comments
                .iter()
                .filter(|comment| {
                    comment.number == self.row.number && state.is_comment_visible(comment, viewer)
                })
                .map(|comment| comment.thread_id)
                .collect();
            visible
                .into_iter()
                .filter_map(|id| state.threads.get(id))
                .map(|thread| PullRequestReviewThread {
                    pull: self.clone(),
                    row: Arc::new(thread.clone()),
                })
                .collect()
        }))
    }
}

#[Object]
impl PullRequest {
    async fn additions(&self) -> i64 {
        to_graphql_int(self.row.git.additions)
    }

    async fn author(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.row.author))
    }

    async fn author_association(&self) -> CommentAuthorAssociation {
        self.repository.meta.role(self.row.author).into()
    }

    async fn auto_merge_request(&self) -> Option<AutoMergeRequest> {
        AutoMergeRequest::of(self)
    }

    async fn base_ref(&self, ctx: &Context<'_>) -> Option<Result<Ref>> {
        nullable(async move {
            self.find_branch(ctx, &self.row.base_ref, &self.row.base_sha)
                .await
        })
        .await
    }

    async fn base_ref_name(&self) -> String {
        self.row.base_ref.clone()
    }

    async fn base_ref_oid(&self) -> GitObjectId {
        GitObjectId(self.row.base_sha.to_string())
    }

    async fn base_repository(&self) -> Option<Repository> {
        Some(self.repository.clone())
    }

    async fn body(&self) -> String {
        self.row.body.clone().unwrap_or_default()
    }

    async fn body_text(&self) -> String {
        self.row.body.clone().unwrap_or_default()
    }

    async fn changed_files(&self) -> i64 {
        to_graphql_int(self.row.git.changed_files)
    }

    async fn closed(&self) -> bool {
        self.row.state != PullState::Open
    }

    async fn closed_at(&self) -> Option<DateTime> {
        self.row.closed_at.map(Into::into)
    }

    async fn closing_issues_references(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Option<Result<Connection<Issue>>> {
        nullable(async move {
            Connection::paginate(
                ctx,
                PageArgs {
                    after,
                    before,
                    first,
                    last,
                },
                Vec::new(),
            )
            .map(Some)
        })
        .await
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
        comments_of(ctx, &Conversation::Pull(self.clone()), bounds, order_by)
    }

    async fn commits(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Connection<PullRequestCommit>> {
        let commits = commits_of(ctx, self).await?;
        let commits = commits
            .iter()
            .map(|sha| PullRequestCommit {
                pull: self.clone(),
                sha: sha.clone(),
            })
            .collect();
        Connection::paginate(
            ctx,
            PageArgs {
                after,
                before,
                first,
                last,
            },
            commits,
        )
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

    async fn deletions(&self) -> i64 {
        to_graphql_int(self.row.git.deletions)
    }

    async fn files(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Option<Result<Connection<PullRequestChangedFile>>> {
        nullable(async move {
            let files = files_of(ctx, self).await?;
            Connection::paginate(
                ctx,
                PageArgs {
                    after,
                    before,
                    first,
                    last,
                },
                files,
            )
            .map(Some)
        })
        .await
    }

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(self.row.id.into())
    }

    async fn head_ref(&self, ctx: &Context<'_>) -> Option<Result<Ref>> {
        nullable(async move {
            let (name, sha) = (&self.row.head_ref, &self.row.head_sha);
            match &self.row.head_fork {
                None => self.find_branch(ctx, name, sha).await,
                Some(_) => match self.head_in_fork(ctx) {
                    Some(fork) => fork.find_branch(ctx, name).await,
                    None => Ok(None),
                },
            }
        })
        .await
    }

    async fn head_ref_name(&self) -> String {
        self.row.head_ref.clone()
    }

    async fn head_ref_oid(&self) -> GitObjectId {
        GitObjectId(self.row.head_sha.to_string())
    }

    async fn head_repository(&self, ctx: &Context<'_>) -> Option<Repository> {
        match &self.row.head_fork {
            None => Some(self.repository.clone()),
            Some(_) => self.head_in_fork(ctx),
        }
    }

    async fn head_repository_owner(&self, ctx: &Context<'_>) -> Option<RepositoryOwner> {
        let owner = match &self.row.head_fork {
            None => self.repository.meta.owner,
            Some(fork) => fork.owner,
        };
        let owner = request_context(ctx).forge.account(owner);
        Some(RepositoryOwner::User(User(owner)))
    }

    pub async fn id(&self) -> ID {
        node_id_in(NodeKind::PullRequest, self.repository.meta.id, self.row.id).into()
    }

    async fn is_cross_repository(&self) -> bool {
        self.row.head_fork.is_some()
    }

    async fn is_draft(&self) -> bool {
        self.row.draft
    }

    async fn is_in_merge_queue(&self) -> bool {
        self.row.merge_queue_entry.is_some()
    }

    async fn is_merge_queue_enabled(&self) -> bool {
        self.repository
            .meta
            .merge_queue
            .contains(&self.row.base_ref)
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
            let labels = self
                .row
                .labels
                .iter()
                .filter_map(|key| self.repository.meta.labels.get(key))
                .map(|label| Label {
                    repository: self.repository.clone(),
                    row: Arc::new(label.clone()),
                })
                .collect();
            Connection::paginate(
                ctx,
                PageArgs {
                    after,
                    before,
                    first,
                    last,
                },
                labels,
            )
            .map(Some)
        })
        .await
    }

    async fn latest_reviews(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Option<Result<Connection<PullRequestReview>>> {
        nullable(async move {
            let mut latest: BTreeMap<AccountId, PullRequestReview> = BTreeMap::new();
            for review in self.visible_reviews(ctx)? {
                if review.row.state != ReviewState::Pending {
                    latest.insert(review.row.author, review);
                }
            }
            let mut reviews: Vec<_> = latest.into_values().collect();
            reviews.sort_by_key(|review| review.row.id);
            Connection::paginate(
                ctx,
                PageArgs {
                    after,
                    before,
                    first,
                    last,
                },
                reviews,
            )
            .map(Some)
        })
        .await
    }

    async fn locked(&self) -> bool {
        self.row.locked
    }

    async fn maintainer_can_modify(&self) -> bool {
        let fork = self.row.head_fork.as_ref();
        fork.is_some_and(|fork| fork.maintainer_can_modify)
    }

    async fn merge_commit(&self) -> Option<Commit> {
        let sha = self.row.merge_commit_sha.as_ref()?;
        (self.row.state == PullState::Merged).then(|| Commit::unloaded(&self.repository, sha))
    }

    async fn merge_queue(&self) -> Option<MergeQueue> {
        MergeQueue::of(&self.repository, &self.row.base_ref)
    }

    async fn merge_queue_entry(&self) -> Option<MergeQueueEntry> {
        MergeQueueEntry::of(self)
    }

    async fn merge_state_status(&self, ctx: &Context<'_>) -> Result<MergeStateStatus> {
        into_graphql_result(self.read_state(ctx, |state| {
            pull_status::merge_state_status(state, &self.row)
        }))
    }

    async fn mergeable(&self) -> MergeableState {
        match (self.row.state, self.row.git.mergeable) {
            (PullState::Open, Some(true)) => MergeableState::Mergeable,
            (PullState::Open, Some(false)) => MergeableState::Conflicting,
            (PullState::Open, None) | (PullState::Closed | PullState::Merged, _) => {
                MergeableState::Unknown
            }
        }
    }

    async fn merged(&self) -> bool {
        self.row.state == PullState::Merged
    }

    async fn merged_at(&self) -> Option<DateTime> {
        self.row.merged_at.map(Into::into)
    }

    async fn merged_by(&self, ctx: &Context<'_>) -> Option<Actor> {
        self.row.merged_by.map(|account| Actor::of(ctx, account))
    }

    async fn number(&self) -> i64 {
        to_graphql_int(self.row.number)
    }

    async fn permalink(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }

    pub async fn repository(&self) -> Repository {
        self.repository.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    async fn review_decision(
        &self,
        ctx: &Context<'_>,
    ) -> Option<Result<PullRequestReviewDecision>> {
        nullable(async move {
            into_graphql_result(
                self.read_state(ctx, |state| pull_status::review_decision(state, &self.row)),
            )
        })
        .await
    }

    async fn review_requests(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Option<Result<Connection<ReviewRequest>>> {
        nullable(async move {
            let requests = self
                .row
                .requested_reviewers
                .iter()
                .map(|reviewer| ReviewRequest {
                    pull: self.clone(),
                    reviewer: *reviewer,
                })
                .collect();
            Connection::paginate(
                ctx,
                PageArgs {
                    after,
                    before,
                    first,
                    last,
                },
                requests,
            )
            .map(Some)
        })
        .await
    }

    async fn review_threads(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Connection<PullRequestReviewThread>> {
        let threads = self.visible_threads(ctx)?;
        Connection::paginate(
            ctx,
            PageArgs {
                after,
                before,
                first,
                last,
            },
            threads,
        )
    }

    #[expect(clippy::too_many_arguments, reason = "they are GitHub's")]
    async fn reviews(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        author: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
        states: Option<Vec<PullRequestReviewState>>,
    ) -> Option<Result<Connection<PullRequestReview>>> {
        nullable(async move {
            let by = author.map(|login| {
                request_context(ctx)
                    .forge
                    .account_by_login(&login)
                    .map(|account| account.id)
            });
            let mut reviews = self.visible_reviews(ctx)?;
            reviews.retain(|review| {
                by.is_none_or(|by| by == Some(review.row.author))
                    && states
                        .as_ref()
                        .is_none_or(|states| states.contains(&review.row.state.into()))
            });
            Connection::paginate(
                ctx,
                PageArgs {
                    after,
                    before,
                    first,
                    last,
                },
                reviews,
            )
            .map(Some)
        })
        .await
    }

    async fn state(&self) -> PullRequestState {
        self.row.state.into()
    }

    async fn status_check_rollup(&self, ctx: &Context<'_>) -> Option<Result<StatusCheckRollup>> {
        nullable(async move { StatusCheckRollup::of(ctx, &self.repository, &self.row.head_sha) })
            .await
    }

    async fn timeline_items(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        item_types: Option<Vec<PullRequestTimelineItemsItemType>>,
        last: Option<i32>,
    ) -> Result<Connection<PullRequestTimelineItems>> {
        let wanted = item_types.as_deref();
        let told = self.read_state(ctx, |state| {
            PullRequestTimelineItems::of(self, state, wanted)
        });
        let bounds = PageArgs {
            after,
            before,
            first,
            last,
        };
        Connection::paginate(ctx, bounds, into_graphql_result(told)?)
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

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        request_context(ctx).viewer.id == self.row.author
    }
}

//! Repositories.

use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, Object, Result};

use super::actors::{RepositoryOwner, User};
use super::commits::{Commit, GitObject, Ref};
use super::connection::{Connection, PageArgs};
use super::enums::{
    IssueOrderField, IssueState, OrderDirection, PullRequestMergeMethod, PullRequestState,
    RepositoryPermission, RepositoryVisibility,
};
use super::error::GraphQlError;
use super::issues::Issue;
use super::labels::Label;
use super::merge_queue::MergeQueue;
use super::pull::PullRequest;
use super::scalars::{DateTime, GitObjectId, Uri, to_graphql_int};
use super::{into_graphql_result, nullable, request_context};
use crate::ForgeError;
use crate::model::{self, RepoMeta, RepoName, RepoState, Sha};
use crate::node::{NodeKind, node_id};

/// A repository that the viewer can see.
#[derive(Clone)]
pub struct Repository {
    /// What was known of it when the request came to it.
    pub meta: Arc<RepoMeta>,
}

/// How a list of issues or pull requests is sorted.
#[derive(Debug, Clone, Copy, InputObject)]
pub struct IssueOrder {
    /// Which way.
    pub direction: OrderDirection,
    /// By what.
    pub field: IssueOrderField,
}

impl Repository {
    /// Finds a repository by its name; nothing where the viewer may not see it.
    pub fn find(ctx: &Context<'_>, owner: &str, name: &str) -> Option<Self> {
        let request_context = request_context(ctx);
        let name = RepoName::new(owner, name).ok()?;
        let meta = request_context
            .forge
            .read(&name, |state| (*state.meta).clone())
            .ok()?;
        request_context.can_see(&meta).then(|| Self {
            meta: Arc::new(meta),
        })
    }

    /// Looks at its state.
    pub fn read_state<R>(
        &self,
        ctx: &Context<'_>,
        query: impl FnOnce(&RepoState) -> R,
    ) -> Result<R, ForgeError> {
        request_context(ctx).forge.read(&self.meta.name, query)
    }

    /// Shows one of its pull requests.
    pub fn to_pull_request(&self, row: &model::PullRequest) -> PullRequest {
        PullRequest {
            repository: self.clone(),
            row: Arc::new(row.clone()),
        }
    }

    /// Shows one of its issues.
    pub fn to_issue(&self, row: &model::Issue) -> Issue {
        Issue {
            repository: self.clone(),
            row: Arc::new(row.clone()),
        }
    }

    /// Resolves a branch by its name, with or without `refs/heads/`.
    pub async fn find_branch(&self, ctx: &Context<'_>, name: &str) -> Result<Option<Ref>> {
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        let git = into_graphql_result(request_context(ctx).forge.git(&self.meta.name))?;
        let target = into_graphql_result(git.branch(name).await)?;
        Ok(target.map(|target| Ref {
            repository: self.clone(),
            name: name.to_owned(),
            target,
        }))
    }

    /// Lists its pull requests.
    pub fn list_pulls(
        &self,
        ctx: &Context<'_>,
        filter: &PullRequestFilter,
    ) -> Result<Vec<PullRequest>> {
        let mut pulls: Vec<PullRequest> = into_graphql_result(self.read_state(ctx, |state| {
            state
                .pulls
                .iter()
                .filter(|pull| filter.matches(pull))
                .map(|pull| self.to_pull_request(pull))
                .collect()
        }))?;
        if let Some(order) = filter.order {
            match order.field {
                IssueOrderField::UpdatedAt => {
                    pulls.sort_by_key(|pull| (pull.row.updated_at, pull.row.number))
                }
                IssueOrderField::CreatedAt | IssueOrderField::Comments => {
                    pulls.sort_by_key(|pull| (pull.row.created_at, pull.row.number));
                }
            }
            if order.direction == OrderDirection::Desc {
                pulls.reverse();
            }
        }
        Ok(pulls)
    }
}

/// Which pull requests of a repository are wanted.
#[derive(Default)]
pub struct PullRequestFilter {
    /// Into this branch.
    pub base: Option<String>,
    /// From this branch.
    pub head: Option<String>,
    /// With any of these labels.
    pub labels: Option<Vec<String>>,
    /// In any of these states.
    pub states: Option<Vec<PullRequestState>>,
    /// Sorted so; by number otherwise.
    pub order: Option<IssueOrder>,
}

impl PullRequestFilter {
    fn matches(&self, pull: &model::PullRequest) -> bool {
        let state: PullRequestState = pull.state.into();
        self.base.as_ref().is_none_or(|base| *base == pull.base_ref)
            && self.head.as_ref().is_none_or(|head| *head == pull.head_ref)
            && self
                .states
                .as_ref()
                .is_none_or(|states| states.is_empty() || states.contains(&state))
            && self.labels.as_ref().is_none_or(|labels| {
                labels
                    .iter()
                    .any(|label| pull.labels.contains(&label.to_lowercase()))
            })
    }
}

#[Object]
impl Repository {
    async fn auto_merge_allowed(&self) -> bool {
        self.meta.allow_auto_merge
    }

    async fn created_at(&self) -> DateTime {
        self.meta.created_at.into()
    }

    async fn database_id(&self) -> Option<i64> {
        Some(to_graphql_int(self.meta.id))
    }

    async fn default_branch_ref(&self, ctx: &Context<'_>) -> Option<Result<Ref>> {
        nullable(async move { self.find_branch(ctx, &self.meta.default_branch).await }).await
    }

    async fn delete_branch_on_merge(&self) -> bool {
        false
    }

    async fn description(&self) -> Option<String> {
        self.meta.description.clone()
    }

    pub async fn id(&self) -> ID {
        node_id(NodeKind::Repository, self.meta.id).into()
    }

    async fn is_archived(&self) -> bool {
        self.meta.archived
    }

    async fn is_disabled(&self) -> bool {
        false
    }

    async fn is_fork(&self) -> bool {
        self.meta.fork_of.is_some()
    }

    async fn is_private(&self) -> bool {
        self.meta.private
    }

    async fn issue(&self, ctx: &Context<'_>, number: i32) -> Option<Result<Issue>> {
        nullable(async move {
            let found = into_graphql_result(self.read_state(ctx, |state| {
                let row = state.issues.get(u64::try_from(number).ok()?)?;
                Some(self.to_issue(row))
            }))?;
            found.map(Some).ok_or_else(|| {
                GraphQlError::not_found(format!(
                    "Could not resolve to an Issue with the number of {number}."
                ))
                .into()
            })
        })
        .await
    }

    #[expect(clippy::too_many_arguments, reason = "they are GitHub's")]
    async fn issues(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        labels: Option<Vec<String>>,
        last: Option<i32>,
        order_by: Option<IssueOrder>,
        states: Option<Vec<IssueState>>,
    ) -> Result<Connection<Issue>> {
        let fits = |issue: &&model::Issue| {
            let on = |label: &String| issue.labels.contains(&label.to_lowercase());
            states
                .as_ref()
                .is_none_or(|some| some.is_empty() || some.contains(&issue.state.into()))
                && labels.as_ref().is_none_or(|some| some.iter().any(on))
        };
        let mut found: Vec<(u64, Issue)> = into_graphql_result(self.read_state(ctx, |state| {
            let talk = |number| {
                state
                    .issue_comments
                    .iter()
                    .filter(move |c| c.number == number)
            };
            let fitting = state.issues.iter().filter(fits);
            fitting
                .map(|row| (talk(row.number).count() as u64, self.to_issue(row)))
                .collect()
        }))?;
        if let Some(order) = order_by {
            match order.field {
                IssueOrderField::UpdatedAt => {
                    found.sort_by_key(|(_, one)| (one.row.updated_at, one.row.number));
                }
                IssueOrderField::CreatedAt => {}
                IssueOrderField::Comments => found.sort_by_key(|(comments, _)| *comments),
            }
            if order.direction == OrderDirection::Desc {
                found.reverse();
            }
        }
        let bounds = PageArgs {
            after,
            before,
            first,
            last,
        };
        let issues = found.into_iter().map(|(_, issue)| issue).collect();
        Connection::paginate(ctx, bounds, issues)
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
                .meta
                .labels
                .values()
                .map(|label| Label {
                    repository: self.clone(),
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

    async fn merge_commit_allowed(&self) -> bool {
        self.meta.allow_merge_commit
    }

    async fn merge_queue(&self, branch: Option<String>) -> Option<MergeQueue> {
        let branch = branch.filter(|name| !name.is_empty());
        MergeQueue::of(self, branch.as_deref().unwrap_or(&self.meta.default_branch))
    }

    async fn name(&self) -> String {
        self.meta.name.name().to_owned()
    }

    async fn name_with_owner(&self) -> String {
        self.meta.name.to_string()
    }

    async fn object(
        &self,
        ctx: &Context<'_>,
        expression: Option<String>,
        oid: Option<GitObjectId>,
    ) -> Option<Result<GitObject>> {
        nullable(async move {
            let Some(revision) = oid.map(|oid| oid.0).or(expression) else {
                return Err(GraphQlError::new(
                    "ARGUMENT_REQUIRED",
                    "You must provide an `expression` or an `oid`.",
                )
                .into());
            };
            let git = into_graphql_result(request_context(ctx).forge.git(&self.meta.name))?;
            let sha: Option<Sha> = into_graphql_result(git.commit_id(&revision).await)?;
            Ok(sha.map(|sha| GitObject::Commit(Commit::unloaded(self, &sha))))
        })
        .await
    }

    async fn owner(&self, ctx: &Context<'_>) -> RepositoryOwner {
        RepositoryOwner::User(User(request_context(ctx).forge.account(self.meta.owner)))
    }

    async fn pull_request(&self, ctx: &Context<'_>, number: i32) -> Option<Result<PullRequest>> {
        nullable(async move {
            let found = into_graphql_result(self.read_state(ctx, |state| {
                let row = state.pulls.get(u64::try_from(number).ok()?)?;
                Some(self.to_pull_request(row))
            }))?;
            match found {
                Some(pull) => Ok(Some(pull)),
                None => Err(GraphQlError::not_found(format!(
                    "Could not resolve to a PullRequest with the number of {number}."
                ))
                .into()),
            }
        })
        .await
    }

    #[expect(clippy::too_many_arguments, reason = "they are GitHub's")]
    async fn pull_requests(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        base_ref_name: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        head_ref_name: Option<String>,
        labels: Option<Vec<String>>,
        last: Option<i32>,
        order_by: Option<IssueOrder>,
        states: Option<Vec<PullRequestState>>,
    ) -> Result<Connection<PullRequest>> {
        let wanted = PullRequestFilter {
            base: base_ref_name,
            head: head_ref_name,
            labels,
            states,
            order: order_by,
        };
        let pulls = self.list_pulls(ctx, &wanted)?;
        Connection::paginate(
            ctx,
            PageArgs {
                after,
                before,
                first,
                last,
            },
            pulls,
        )
    }

    async fn pushed_at(&self) -> Option<DateTime> {
        Some(self.meta.pushed_at.into())
    }

    async fn rebase_merge_allowed(&self) -> bool {
        self.meta.allow_rebase_merge
    }

    #[graphql(name = "ref")]
    async fn branch_named(&self, ctx: &Context<'_>, qualified_name: String) -> Option<Result<Ref>> {
        nullable(async move {
            if qualified_name.starts_with("refs/") && !qualified_name.starts_with("refs/heads/") {
                return Ok(None);
            }
            self.find_branch(ctx, &qualified_name).await
        })
        .await
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.meta.name))
    }

    async fn squash_merge_allowed(&self) -> bool {
        self.meta.allow_squash_merge
    }

    async fn updated_at(&self) -> DateTime {
        self.meta.updated_at.into()
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.meta.name.to_string())
    }

    async fn viewer_can_administer(&self, ctx: &Context<'_>) -> bool {
        self.meta.role(request_context(ctx).viewer.id) == model::Role::Owner
    }

    async fn viewer_default_merge_method(&self) -> PullRequestMergeMethod {
        if self.meta.allow_merge_commit {
            PullRequestMergeMethod::Merge
        } else if self.meta.allow_squash_merge {
            PullRequestMergeMethod::Squash
        } else {
            PullRequestMergeMethod::Rebase
        }
    }

    async fn viewer_permission(&self, ctx: &Context<'_>) -> Option<RepositoryPermission> {
        let viewer = &request_context(ctx).viewer;
        let role = self.meta.role(viewer.id);
        // A token that may not write, does not, whoever it acts as.
        let may_write = viewer.token_may("contents", true) && viewer.token_covers(&self.meta.name);
        Some(match role.may_write() && !may_write {
            true => RepositoryPermission::Read,
            false => role.into(),
        })
    }

    async fn visibility(&self) -> RepositoryVisibility {
        if self.meta.private {
            RepositoryVisibility::Private
        } else {
            RepositoryVisibility::Public
        }
    }
}

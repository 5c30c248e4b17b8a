//! The root of every query.

use async_graphql::{Context, ID, Object, Result, SimpleObject};
use jiff::Timestamp;

use super::actors::{RepositoryOwner, User};
use super::error::GraphQlError;
use super::nodes::{Node, node_of};
use super::repository::Repository;
use super::scalars::{DateTime, to_graphql_int};
use super::{nullable, request_context};
use crate::model::AccountKind;

/// GitHub's `Query`.
pub struct Query;

/// Where the viewer stands with the limit on GraphQL points.
#[derive(SimpleObject)]
pub struct RateLimit {
    cost: i64,
    limit: i64,
    node_count: i64,
    remaining: i64,
    reset_at: DateTime,
    used: i64,
}

#[Object]
impl Query {
    async fn node(&self, ctx: &Context<'_>, id: ID) -> Option<Result<Node>> {
        nullable(async move { node_of(ctx, &id).map(Some) }).await
    }

    async fn nodes(&self, ctx: &Context<'_>, ids: Vec<ID>) -> Vec<Option<Result<Node>>> {
        ids.iter().map(|id| Some(node_of(ctx, id))).collect()
    }

    async fn rate_limit(
        &self,
        ctx: &Context<'_>,
        #[graphql(default_with = "Some(false)")] _dry_run: Option<bool>,
    ) -> Option<RateLimit> {
        let request_context = request_context(ctx);
        let quota = &request_context.quota;
        Some(RateLimit {
            cost: to_graphql_int(quota.cost),
            limit: to_graphql_int(quota.limit),
            node_count: to_graphql_int(request_context.node_count),
            remaining: to_graphql_int(quota.remaining()),
            reset_at: Timestamp::from_second(quota.reset)
                .unwrap_or_default()
                .into(),
            used: to_graphql_int(quota.used),
        })
    }

    pub async fn repository(
        &self,
        ctx: &Context<'_>,
        #[graphql(default_with = "Some(true)")] _follow_renames: Option<bool>,
        name: String,
        owner: String,
    ) -> Option<Result<Repository>> {
        nullable(async move {
            match Repository::find(ctx, &owner, &name) {
                Some(repository) => Ok(Some(repository)),
                None => Err(GraphQlError::not_found(format!(
                    "Could not resolve to a Repository with the name '{owner}/{name}'."
                ))
                .into()),
            }
        })
        .await
    }

    async fn repository_owner(&self, ctx: &Context<'_>, login: String) -> Option<RepositoryOwner> {
        person(ctx, &login).map(RepositoryOwner::User)
    }

    async fn user(&self, ctx: &Context<'_>, login: String) -> Option<Result<User>> {
        nullable(async move {
            match person(ctx, &login) {
                Some(user) => Ok(Some(user)),
                None => Err(GraphQlError::not_found(format!(
                    "Could not resolve to a User with the login of '{login}'."
                ))
                .into()),
            }
        })
        .await
    }

    async fn viewer(&self, ctx: &Context<'_>) -> User {
        User(request_context(ctx).viewer.clone())
    }
}

fn person(ctx: &Context<'_>, login: &str) -> Option<User> {
    request_context(ctx)
        .forge
        .account_by_login(login)
        .filter(|account| {
            account.kind == AccountKind::User && account.login.eq_ignore_ascii_case(login)
        })
        .map(User)
}

//! The repositories of an account.

use async_graphql::{Context, InputObject};

use super::connection::ConnectionNode;
use super::enums::{
    OrderDirection, RepositoryAffiliation, RepositoryOrderField, RepositoryPrivacy,
};
use super::repository::Repository;
use super::request_context;
use crate::model::{AccountId, RepoMeta, Role};

/// How a list of repositories is sorted.
#[derive(Debug, Clone, Copy, InputObject)]
pub struct RepositoryOrder {
    direction: OrderDirection,
    field: RepositoryOrderField,
}

/// Which repositories are wanted.
pub struct RepositoryFilter {
    /// What the viewer is to them.
    pub viewer_affiliations: Option<Vec<RepositoryAffiliation>>,
    /// What the account is to them.
    pub account_affiliations: Vec<RepositoryAffiliation>,
    /// Only archived ones, or none of these.
    pub archived: Option<bool>,
    /// Only private or public ones.
    pub privacy: Option<RepositoryPrivacy>,
    /// How they are sorted; by name otherwise.
    pub order: Option<RepositoryOrder>,
}

impl ConnectionNode for Repository {
    const NAME: &'static str = "Repository";

    fn key(&self) -> String {
        self.meta.id.to_string()
    }
}

/// What an account is to a repository; nothing where it has no role.
fn affiliation(meta: &RepoMeta, account: AccountId) -> Option<RepositoryAffiliation> {
    if meta.owner == account {
        return Some(RepositoryAffiliation::Owner);
    }
    match meta.role(account) {
        Role::None => None,
        Role::Reader | Role::Member => Some(RepositoryAffiliation::OrganizationMember),
        Role::Collaborator | Role::Owner => Some(RepositoryAffiliation::Collaborator),
    }
}

/// Lists the repositories of an account that the viewer may see.
pub fn repositories_of(
    ctx: &Context<'_>,
    account: AccountId,
    filter: &RepositoryFilter,
) -> Vec<Repository> {
    let request_context = request_context(ctx);
    let is_wanted = |meta: &RepoMeta| {
        let has_affiliation = |of, list: &[RepositoryAffiliation]| {
            affiliation(meta, of).is_some_and(|one| list.contains(&one))
        };
        let privacy = match filter.privacy {
            Some(RepositoryPrivacy::Private) => meta.private,
            Some(RepositoryPrivacy::Public) => !meta.private,
            None => true,
        };
        has_affiliation(account, &filter.account_affiliations)
            && filter
                .viewer_affiliations
                .as_ref()
                .is_none_or(|list| has_affiliation(request_context.viewer.id, list))
            && filter.archived.is_none_or(|on| on == meta.archived)
            && privacy
    };
    let mut repositories: Vec<Repository> = request_context
        .forge
        .repos()
        .iter()
        .filter_map(|name| Repository::find(ctx, name.owner(), name.name()))
        .filter(|repository| is_wanted(&repository.meta))
        .collect();
    if let Some(order) = filter.order {
        match order.field {
            RepositoryOrderField::CreatedAt => repositories.sort_by_key(|one| one.meta.created_at),
            RepositoryOrderField::PushedAt => repositories.sort_by_key(|one| one.meta.pushed_at),
            RepositoryOrderField::UpdatedAt => repositories.sort_by_key(|one| one.meta.updated_at),
            // Nobody gives stars here.
            RepositoryOrderField::Name | RepositoryOrderField::Stargazers => {}
        }
        if order.direction == OrderDirection::Desc {
            repositories.reverse();
        }
    }
    repositories
}

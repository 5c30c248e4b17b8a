//! The repositories of an account.

use async_graphql::{Context, InputObject};

use super::enums::{
    OrderDirection, RepositoryAffiliation, RepositoryOrderField, RepositoryPrivacy,
};
use super::page::Listed;
use super::repository::Repository;
use super::session;
use crate::model::{AccountId, RepoMeta, Role};

/// How a list of repositories is sorted.
#[derive(Debug, Clone, Copy, InputObject)]
pub struct RepositoryOrder {
    direction: OrderDirection,
    field: RepositoryOrderField,
}

/// Which repositories are wanted.
pub struct WantedRepositories {
    /// What the viewer is to them.
    pub of_viewer: Option<Vec<RepositoryAffiliation>>,
    /// What the account is to them.
    pub of_account: Vec<RepositoryAffiliation>,
    /// Only archived ones, or none of these.
    pub archived: Option<bool>,
    /// Only private or public ones.
    pub privacy: Option<RepositoryPrivacy>,
    /// How they are sorted; by name otherwise.
    pub order: Option<RepositoryOrder>,
}

impl Listed for Repository {
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
        Role::Member => Some(RepositoryAffiliation::OrganizationMember),
        Role::Collaborator | Role::Owner => Some(RepositoryAffiliation::Collaborator),
    }
}

/// Lists the repositories of an account that the viewer may see.
pub fn repositories_of(
    ctx: &Context<'_>,
    account: AccountId,
    wanted: &WantedRepositories,
) -> Vec<Repository> {
    let session = session(ctx);
    let fits = |meta: &RepoMeta| {
        let is = |of, list: &[RepositoryAffiliation]| {
            affiliation(meta, of).is_some_and(|one| list.contains(&one))
        };
        let privacy = match wanted.privacy {
            Some(RepositoryPrivacy::Private) => meta.private,
            Some(RepositoryPrivacy::Public) => !meta.private,
            None => true,
        };
        is(account, &wanted.of_account)
            && wanted
                .of_viewer
                .as_ref()
                .is_none_or(|list| is(session.viewer.id, list))
            && wanted.archived.is_none_or(|on| on == meta.archived)
            && privacy
    };
    let mut found: Vec<Repository> = session
        .forge
        .repos()
        .iter()
        .filter_map(|name| Repository::named(ctx, name.owner(), name.name()))
        .filter(|repository| fits(&repository.meta))
        .collect();
    if let Some(order) = wanted.order {
        match order.field {
            RepositoryOrderField::CreatedAt => found.sort_by_key(|one| one.meta.created_at),
            RepositoryOrderField::PushedAt => found.sort_by_key(|one| one.meta.pushed_at),
            RepositoryOrderField::UpdatedAt => found.sort_by_key(|one| one.meta.updated_at),
            // Nobody gives stars here.
            RepositoryOrderField::Name | RepositoryOrderField::Stargazers => {}
        }
        if order.direction == OrderDirection::Desc {
            found.reverse();
        }
    }
    found
}

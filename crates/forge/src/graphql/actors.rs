//! Who acts: people and bots.
#![expect(
    clippy::duplicated_attributes,
    reason = "fields of an interface may well have one type"
)]

use async_graphql::{Context, ID, Interface, Object, Result};

use super::connection::{Connection, PageArgs};
use super::enums::{RepositoryAffiliation, RepositoryPrivacy};
use super::owned_repositories::{RepositoryFilter, RepositoryOrder, repositories_of};
use super::repository::Repository;
use super::request_context;
use super::scalars::{Uri, to_graphql_int};
use crate::model::{Account, AccountId, AccountKind};
use crate::node::{NodeKind, node_id};

/// Anyone who can act.
#[derive(Clone, Interface)]
#[graphql(
    field(
        name = "avatar_url",
        ty = "Uri",
        arg(name = "size", ty = "Option<i32>")
    ),
    field(name = "login", ty = "String"),
    field(name = "resource_path", ty = "Uri"),
    field(name = "url", ty = "Uri")
)]
pub enum Actor {
    /// A person.
    User(User),
    /// A GitHub App's bot.
    Bot(Bot),
}

/// A person.
#[derive(Clone)]
pub struct User(pub Account);

/// A GitHub App's bot. GraphQL shows its login without the `[bot]` that REST has.
#[derive(Clone)]
pub struct Bot(pub Account);

/// Whoever owns repositories.
#[derive(Clone, Interface)]
#[graphql(
    field(
        name = "avatar_url",
        ty = "Uri",
        arg(name = "size", ty = "Option<i32>")
    ),
    field(name = "id", ty = "ID"),
    field(name = "login", ty = "String"),
    field(name = "resource_path", ty = "Uri"),
    field(name = "url", ty = "Uri"),
    field(
        name = "repository",
        ty = "Option<Repository>",
        arg(
            name = "follow_renames",
            ty = "Option<bool>",
            default_with = "Some(true)"
        ),
        arg(name = "name", ty = "String")
    )
)]
pub enum RepositoryOwner {
    /// A person.
    User(User),
}

impl Actor {
    /// The actor with this id.
    pub fn of(ctx: &Context<'_>, id: AccountId) -> Self {
        Self::from(request_context(ctx).forge.account(id))
    }
}

impl From<Account> for Actor {
    fn from(account: Account) -> Self {
        match account.kind {
            AccountKind::User => Self::User(User(account)),
            AccountKind::Bot => Self::Bot(Bot(account)),
        }
    }
}

#[Object]
impl User {
    pub async fn avatar_url(&self, ctx: &Context<'_>, _size: Option<i32>) -> Uri {
        avatar(ctx, &self.0)
    }

    async fn database_id(&self) -> Option<i64> {
        Some(to_graphql_int(self.0.id.0))
    }

    async fn email(&self) -> String {
        String::new()
    }

    pub async fn id(&self) -> ID {
        node_id(NodeKind::User, self.0.id.0).into()
    }

    async fn is_viewer(&self, ctx: &Context<'_>) -> bool {
        request_context(ctx).viewer.id == self.0.id
    }

    pub async fn login(&self) -> String {
        self.0.login.clone()
    }

    async fn name(&self) -> Option<String> {
        self.0.name.clone()
    }

    #[expect(clippy::too_many_arguments, reason = "they are GitHub's")]
    async fn repositories(
        &self,
        ctx: &Context<'_>,
        affiliations: Option<Vec<Option<RepositoryAffiliation>>>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        is_archived: Option<bool>,
        last: Option<i32>,
        order_by: Option<RepositoryOrder>,
        #[graphql(
            default_with = "Some(vec![Some(RepositoryAffiliation::Owner), Some(RepositoryAffiliation::Collaborator)])"
        )]
        owner_affiliations: Option<Vec<Option<RepositoryAffiliation>>>,
        privacy: Option<RepositoryPrivacy>,
    ) -> Result<Connection<Repository>> {
        let each = |list: Vec<Option<RepositoryAffiliation>>| list.into_iter().flatten().collect();
        let wanted = RepositoryFilter {
            viewer_affiliations: affiliations.map(each),
            account_affiliations: owner_affiliations.map_or_else(Vec::new, each),
            archived: is_archived,
            privacy,
            order: order_by,
        };
        let found = repositories_of(ctx, self.0.id, &wanted);
        let bounds = PageArgs {
            after,
            before,
            first,
            last,
        };
        Connection::paginate(ctx, bounds, found)
    }

    pub async fn repository(
        &self,
        ctx: &Context<'_>,
        #[graphql(default_with = "Some(true)")] _follow_renames: Option<bool>,
        name: String,
    ) -> Option<Repository> {
        Repository::find(ctx, &self.0.login, &name)
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.0.login))
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.0.login)
    }
}

#[Object]
impl Bot {
    pub async fn avatar_url(&self, ctx: &Context<'_>, _size: Option<i32>) -> Uri {
        avatar(ctx, &self.0)
    }

    async fn database_id(&self) -> Option<i64> {
        Some(to_graphql_int(self.0.id.0))
    }

    pub async fn id(&self) -> ID {
        node_id(NodeKind::Bot, self.0.id.0).into()
    }

    pub async fn login(&self) -> String {
        slug(&self.0)
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/apps/{}", slug(&self.0)))
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&format!("apps/{}", slug(&self.0)))
    }
}

/// A bot's login without `[bot]`, which is also its app's slug.
pub fn slug(account: &Account) -> String {
    account
        .login
        .strip_suffix("[bot]")
        .unwrap_or(&account.login)
        .to_owned()
}

fn avatar(ctx: &Context<'_>, account: &Account) -> Uri {
    request_context(ctx).web_url(&format!("avatars/u/{}?v=4", account.id.0))
}

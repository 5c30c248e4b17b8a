//! GitHub accounts of personas and of authors' agents (§18.2): how a token is checked, kept, replaced and removed. None is ever read back.

mod key;
mod vault;

pub use key::{AccountKey, KEY_FILE_VARIABLE, KEY_VARIABLE, KeyPlace, OLD_KEY_VARIABLE};
pub use vault::{AccountVault, KeptAccount};

use crate::clock::SystemClock;
use crate::engine_client::journal::open_account_store;
use collie_config::{Config, DataFolder};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, RepoName};
use collie_core::own_accounts::AccountProblem;
use collie_core::snapshot::Actor;
use collie_core::user_error::UserError;
use collie_engine::ports::{Clock as _, GitHub as _, GitHubError};
use collie_github::browse::SignInError;
use collie_github::{GitHubClient, GitHubConfig, Token, TokenSource};
use std::sync::Arc;

/// The accounts of a data folder, beside a running engine or without one.
///
/// # Errors
/// The journal cannot be opened.
pub async fn open_vault(folder: &DataFolder) -> Result<AccountVault, UserError> {
    open_vault_with(folder, KeyPlace::of_machine()).await
}

/// The same with a key that is kept elsewhere.
///
/// # Errors
/// The journal cannot be opened.
pub async fn open_vault_with(
    folder: &DataFolder,
    place: KeyPlace,
) -> Result<AccountVault, UserError> {
    let store = open_account_store(folder).await.map_err(UserError::from)?;
    Ok(AccountVault::new(store, place))
}

/// An account whose token was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedAccount {
    /// It.
    pub account: Actor,
    /// Repositories that its token does not see.
    pub unseen: Vec<RepoName>,
}

/// Checks a token with GitHub and keeps it: whose it is, that it is not the account's that Collie acts as, which merges, and which of
/// these repositories it sees.
///
/// # Errors
/// GitHub does not accept it, it is another account's, or it cannot be kept.
pub async fn add_account(
    vault: &AccountVault,
    (config, main): (&Config, &Arc<GitHubClient>),
    (login, token): (&Login, &Token),
    repositories: &[RepoName],
) -> Result<AddedAccount, UserError> {
    let settings = GitHubConfig::new(config.api_url.clone(), TokenSource::Given(token.clone()));
    let client = GitHubClient::connect(settings, Arc::new(SystemClock)).await?;
    let account = client.sign_in().await.map_err(|error| match error {
        SignInError::BadToken { host } => UserError::new(ErrorCode::AccountUnusable)
            .with("host", host)
            .with("login", login.as_str())
            .with("problem", AccountProblem::Refused.name())
            .hint(ErrorHint::NewToken),
        other => other.into(),
    })?;
    if account.login != *login {
        return Err(UserError::new(ErrorCode::AccountMismatch)
            .with("login", login.as_str())
            .with("found", account.login.as_str()));
    }
    if account.id == main.viewer().await?.id {
        return Err(UserError::new(ErrorCode::AccountIsMain).with("login", account.login.as_str()));
    }
    let mut unseen = Vec::new();
    for repo in repositories {
        match client.visibility(repo).await {
            Ok(_) => {}
            Err(GitHubError::NotFound { .. } | GitHubError::Refused { .. }) => {
                unseen.push(repo.clone());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let now = SystemClock.now();
    vault.add(client.host(), &account, (token, now)).await?;
    Ok(AddedAccount { account, unseen })
}

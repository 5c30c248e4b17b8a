//! Connects to GitHub as the person who is signed in.

pub mod keychain;
pub mod model_keys;

use crate::clock::SystemClock;
use collie_config::{Config, host_of};
use collie_github::{ConnectError, GitHubClient, GitHubConfig, TokenSource, TokenWithOrigin};
use keychain::Keychain;
use std::sync::Arc;

/// Where a person's token comes from (§9.4): `gh auth token`, `GITHUB_TOKEN`, the keychain, in this order.
pub async fn token_source(config: &Config) -> TokenSource {
    let host = host_of(&config.api_url);
    let looked_up = looked_up(config);
    let found = looked_up.find(&host).await;
    token_source_from_lookup(looked_up, found, &host, &Keychain::system()).await
}

/// The source that looks in the first two places, for the account that the configuration names.
pub fn looked_up(config: &Config) -> TokenSource {
    match &config.account {
        Some(login) => TokenSource::LookUpAs(login.clone()),
        None => TokenSource::LookUp,
    }
}

/// As [`token_source`], with what the first two places had. The keychain is asked, and perhaps a person to unlock it, only
/// where they had nothing. One that fails counts as empty, and says so in the log.
pub async fn token_source_from_lookup(
    looked_up: TokenSource,
    found: Option<TokenWithOrigin>,
    host: &str,
    keychain: &Keychain,
) -> TokenSource {
    if found.is_some() {
        return looked_up;
    }
    match keychain.load(host).await {
        Ok(Some(token)) => TokenSource::Given(token),
        Ok(None) => looked_up,
        Err(error) => {
            tracing::warn!(%error, host, "no token could be taken from the keychain");
            looked_up
        }
    }
}

/// Sets the client up; no request is made yet.
pub async fn github_client(
    config: &Config,
    tokens: &TokenSource,
) -> Result<Arc<GitHubClient>, ConnectError> {
    let settings = GitHubConfig::new(config.api_url.clone(), tokens.clone());
    GitHubClient::connect(settings, Arc::new(SystemClock))
        .await
        .map(Arc::new)
}

//! Connects to GitHub as the person who is signed in.

use crate::clock::SystemClock;
use crate::config::Config;
use collie_github::{ConnectError, GitHubClient, GitHubConfig, TokenSource};
use std::sync::Arc;

/// Where a person's token comes from (§9.4).
pub fn token_source() -> TokenSource {
    TokenSource::LookUp
}

/// Sets the client up; no request is made yet.
pub async fn github(
    config: &Config,
    tokens: &TokenSource,
) -> Result<Arc<GitHubClient>, ConnectError> {
    let settings = GitHubConfig::new(config.api_url.clone(), tokens.clone());
    GitHubClient::connect(settings, Arc::new(SystemClock))
        .await
        .map(Arc::new)
}

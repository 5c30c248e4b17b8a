//! Connects to GitHub as the person who is signed in.

mod git_credentials;
pub mod keychain;
pub mod model_keys;

use crate::clock::SystemClock;
use collie_config::{Config, host_of};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_github::{
    AppCredentials, ConnectError, GitHubClient, GitHubConfig, TokenSource, TokenWithOrigin,
};
pub(crate) use git_credentials::GitCredentials;
use keychain::Keychain;
use secrecy::SecretString;
use std::sync::Arc;

/// The key of the GitHub App, as PEM.
const APP_KEY_VARIABLE: &str = "COLLIE_APP_KEY";

/// Where a person's token comes from (§9.4): what `gh` would use (on github.com `GH_TOKEN` or `GITHUB_TOKEN`, else what it has stored),
/// `GITHUB_TOKEN` for any other host, the keychain, in this order.
pub async fn token_source(config: &Config) -> TokenSource {
    let host = host_of(&config.api_url);
    let looked_up = looked_up(config);
    let found = looked_up.find(&host).await;
    token_source_from_lookup(looked_up, found, &host, &Keychain::system()).await
}

/// Where the token of loops comes from: of the GitHub App that the configuration names (§18.2), else a person's. What people do, they do with
/// their own: a request, a merge.
///
/// # Errors
/// The App's key cannot be used.
pub async fn loop_token_source(config: &Config) -> Result<TokenSource, UserError> {
    let Some(app) = &config.app else {
        return Ok(token_source(config).await);
    };
    let place = match &app.key_file {
        Some(file) => file.display().to_string(),
        None => APP_KEY_VARIABLE.to_owned(),
    };
    let unusable = |message: String| {
        UserError::new(ErrorCode::AppKey)
            .with("where", place.clone())
            .with("message", message)
            .hint(ErrorHint::CheckApp)
    };
    let pem: SecretString = match &app.key_file {
        Some(file) => {
            let read = std::fs::read_to_string(file);
            read.map_err(|error| unusable(error.to_string()))?.into()
        }
        None => {
            let set = collie_hardening::variable(APP_KEY_VARIABLE).unwrap_or_default();
            // One line, as some places keep secrets.
            set.replace("\\n", "\n").into()
        }
    };
    let credentials = AppCredentials::new(&app.id, app.account.clone(), &pem);
    let credentials = credentials.map_err(|error| unusable(error.to_string()))?;
    Ok(TokenSource::App(credentials))
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

//! What git signs in with: what the client of GitHub has, and of a GitHub App the token of the repository alone.

use async_trait::async_trait;
use collie_git::RemoteCredentials;
use collie_github::{GitHubClient, Token};
use secrecy::SecretString;
use std::sync::Arc;

/// The tokens of a client.
pub(crate) struct GitCredentials(pub(crate) Arc<GitHubClient>);

#[async_trait]
impl RemoteCredentials for GitCredentials {
    async fn for_remote(&self, url: &str) -> Option<SecretString> {
        self.0.git_token(url).await.map(Token::into_secret)
    }

    fn in_use(&self) -> Vec<SecretString> {
        let tokens = self.0.tokens().into_iter();
        tokens.map(Token::into_secret).collect()
    }
}

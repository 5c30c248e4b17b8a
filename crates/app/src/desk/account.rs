//! Who may be signed in: what is found on this machine, what is typed.

use super::memory::Way;
use super::{Desk, Problem, lock};
use crate::keychain;
use collie_core::ids::Login;
use collie_github::{GitHubClient, Token, TokenOrigin, TokenSource};
use collie_wire::rpc::{AccountSource, GhView, Topic};
use std::sync::Arc;

/// What was found to sign in with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub gh_installed: bool,
    pub token: Option<AccountSource>,
    pub login: Option<Login>,
    pub keychain: bool,
}

impl Found {
    pub fn view(&self) -> GhView {
        GhView {
            installed: self.gh_installed,
            token: self.token,
            login: self.login.as_ref().map(ToString::to_string),
            keychain: self.keychain,
        }
    }
}

/// A token to work with.
pub(super) struct Credentials {
    pub source: AccountSource,
    pub tokens: TokenSource,
}

impl Desk {
    /// Looks for `gh`, a token and a keychain; then asks GitHub whose the token is. Each finding is shown at once.
    pub(super) async fn look_around(&self) {
        let host = match self.configuration() {
            Ok(config) => crate::config::host_of(&config.api_url),
            Err(_) => "github.com".to_owned(),
        };
        let (gh, found, keychain) = tokio::join!(
            crate::doctor::version_of("gh"),
            async { TokenSource::LookUp.find(&host).await },
            keychain::available(),
        );
        let source = found.as_ref().map(|found| source_of(found.origin));
        *lock(&self.shared.found) = Found {
            gh_installed: gh.is_some(),
            token: source,
            login: None,
            keychain,
        };
        self.session_changed();
        let Some(found) = found else { return };
        let login = self.whose(TokenSource::Given(found.token)).await;
        if let Ok((_, login)) = login {
            lock(&self.shared.found).login = Some(login);
            self.session_changed();
        }
    }

    /// Asks GitHub whose a token is.
    async fn whose(&self, tokens: TokenSource) -> Result<(Arc<GitHubClient>, Login), Problem> {
        let config = self.configuration()?;
        let github = crate::connect::github(&config, &tokens).await?;
        let login = github.sign_in().await?.login;
        Ok((github, login))
    }

    /// The token for the way a person signs in.
    pub(super) async fn credentials(&self, way: Way) -> Result<Credentials, Problem> {
        let config = self.configuration()?;
        let host = crate::config::host_of(&config.api_url);
        match way {
            Way::Found => {
                let found = TokenSource::LookUp.find(&host).await;
                let found = found.ok_or_else(|| no_token(&host))?;
                Ok(Credentials {
                    source: source_of(found.origin),
                    tokens: TokenSource::LookUp,
                })
            }
            Way::Keychain => {
                let kept = keychain::load(&host).await?;
                let token = kept.ok_or_else(|| no_token(&host))?;
                Ok(Credentials {
                    source: AccountSource::Keychain,
                    tokens: TokenSource::Given(token),
                })
            }
            Way::Demo => Err(Problem::new("demo_has_no_token")),
        }
    }

    /// Checks a typed token with GitHub and keeps it. Without a keychain it is kept until the app ends.
    pub(super) async fn take_typed(
        &self,
        typed: &str,
        api_url: Option<&str>,
    ) -> Result<Credentials, Problem> {
        let token = Token::new(typed.trim())
            .ok_or_else(|| Problem::new("token_shape").hint("new_token"))?;
        let before = self.configuration()?.api_url;
        if let Some(url) = api_url {
            self.set_api_url(Some(url.trim())).await?;
        }
        let checked = self.whose(TokenSource::Given(token.clone())).await;
        let (_, login) = match checked {
            Ok(known) => known,
            Err(problem) => {
                // An address that leads nowhere is not kept.
                if api_url.is_some() {
                    self.set_api_url(Some(&before)).await?;
                }
                return Err(problem);
            }
        };
        tracing::info!(%login, "signed in with a typed token");
        let host = crate::config::host_of(&self.configuration()?.api_url);
        let source = match keychain::store(&host, &token).await {
            Ok(()) => AccountSource::Keychain,
            Err(error) => {
                tracing::warn!(%error, "the token is kept in memory only");
                AccountSource::Memory
            }
        };
        Ok(Credentials {
            source,
            tokens: TokenSource::Given(token),
        })
    }

    /// Puts the signed-in account on the list of those who may start loops.
    pub(super) async fn allow_me(&self) -> Result<(), Problem> {
        let work = self.work()?;
        let login = work
            .login()
            .ok_or_else(|| Problem::new("login_unknown").hint("network"))?;
        self.change_settings(|ground, environment| {
            super::settings::allow(ground, environment, &login)
        })
        .await?;
        self.stale(vec![Topic::Session, Topic::Settings]);
        Ok(())
    }
}

fn no_token(host: &str) -> Problem {
    Problem::new("no_token").with("host", host).hint("sign_in")
}

fn source_of(origin: TokenOrigin) -> AccountSource {
    match origin {
        TokenOrigin::Gh => AccountSource::Gh,
        TokenOrigin::Environment => AccountSource::Environment,
        TokenOrigin::Given => AccountSource::Memory,
    }
}

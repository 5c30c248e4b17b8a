//! Who may be signed in: what is found on this machine, what is typed.

use super::memory::Way;
use super::{Desk, Problem, lock};
use crate::config::Config;
use crate::keychain;
use collie_core::ids::Login;
use collie_github::{Token, TokenOrigin, TokenSource};
use collie_wire::rpc::{AccountSource, GhView, Topic};

/// What was found to sign in with.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub gh_installed: bool,
    pub token: Option<AccountSource>,
    pub login: Option<Login>,
    pub keychain: bool,
    /// What was opened last since the app began, to be opened once more.
    pub last: Option<Last>,
}

/// How the desk was opened.
#[derive(Clone, Debug)]
pub(super) enum Last {
    /// By what the next start of the app finds again.
    Way(Way),
    /// With a typed token that nothing but the app's memory keeps; it is for this host alone.
    Typed { host: String, token: Token },
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
        {
            let mut known = lock(&self.shared.found);
            known.gh_installed = gh.is_some();
            known.token = source;
            known.login = None;
            known.keychain = keychain;
        }
        self.session_changed();
        let Some(found) = found else { return };
        let Ok(config) = self.configuration() else {
            return;
        };
        if let Ok(login) = whose(&config, found.token).await {
            lock(&self.shared.found).login = Some(login);
            self.session_changed();
        }
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

    /// Checks a typed token with GitHub, at the address that it is typed for. Nothing is kept yet.
    pub(super) async fn check_typed(
        &self,
        typed: &str,
        api_url: Option<&str>,
    ) -> Result<Token, Problem> {
        let token =
            Token::new(typed).ok_or_else(|| Problem::new("token_shape").hint("new_token"))?;
        let mut config = self.configuration()?;
        // The environment has the last word on the address, and is what holds afterwards.
        let fixed = (self.shared.options.environment)("GITHUB_API_URL").is_some();
        if let Some(url) = api_url.filter(|_| !fixed) {
            config.api_url = url.trim().to_owned();
        }
        let login = whose(&config, token.clone()).await?;
        tracing::info!(%login, "a typed token is good");
        Ok(token)
    }

    /// Keeps a typed token and its address. Without a keychain the token is kept until the app ends.
    pub(super) async fn keep_typed(
        &self,
        token: Token,
        api_url: Option<&str>,
    ) -> Result<Credentials, Problem> {
        if let Some(url) = api_url {
            self.set_api_url(Some(url.trim())).await?;
        }
        let host = crate::config::host_of(&self.configuration()?.api_url);
        let (source, last) = match keychain::store(&host, &token).await {
            Ok(()) => (AccountSource::Keychain, Last::Way(Way::Keychain)),
            Err(error) => {
                tracing::warn!(%error, "the token is kept in memory only");
                let token = token.clone();
                (AccountSource::Memory, Last::Typed { host, token })
            }
        };
        lock(&self.shared.found).last = Some(last);
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

/// Asks GitHub whose a token is.
async fn whose(config: &Config, token: Token) -> Result<Login, Problem> {
    let github = crate::connect::github(config, &TokenSource::Given(token)).await?;
    Ok(github.sign_in().await?.login)
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

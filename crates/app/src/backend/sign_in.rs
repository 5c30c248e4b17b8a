//! Who may be signed in: what is found on this machine, what is typed.

use super::backend_state::Backend;
use super::locking::lock;
use super::remembered_login::SignInMethod;
use super::sign_in_state::LastSignIn;
use collie_config::Config;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::Login;
use collie_core::user_error::UserError;
use collie_github::{Token, TokenOrigin, TokenSource};
use collie_wire::rpc::{AccountSource, Topic};

/// A token to work with.
pub(super) struct Credentials {
    pub source: AccountSource,
    pub tokens: TokenSource,
}

impl Backend {
    /// Looks for `gh`, a token and a keychain; then asks GitHub whose the token is. Each finding is shown at once.
    pub(super) async fn detect_accounts(&self) {
        let config = self.configuration();
        let look_up = async {
            match &config {
                Ok(config) => self.shared.options.credentials.look_up(config).await,
                Err(_) => None,
            }
        };
        let (gh, found, keychain) = tokio::join!(
            crate::doctor::program_version("gh"),
            look_up,
            self.shared.options.keychain.available(),
        );
        let source = found.as_ref().map(|found| account_source(found.origin));
        {
            let mut detected = lock(&self.shared.sign_in);
            detected.gh_installed = gh.is_some() && self.shared.options.credentials.is_machine();
            detected.token_source = source;
            detected.login = None;
            detected.keychain_available = keychain;
        }
        self.send_session_if_changed();
        let Some(found) = found else { return };
        let Ok(config) = config else { return };
        if let Ok(login) = login_of_token(&config, found.token).await {
            lock(&self.shared.sign_in).login = Some(login);
            self.send_session_if_changed();
        }
    }

    /// Under which name the keychain keeps the token of the account.
    pub(super) fn keychain_entry(&self) -> Result<String, UserError> {
        let host = collie_config::host_of(&self.configuration()?.api_url);
        Ok(self.shared.options.credentials.keychain_entry(&host))
    }

    /// The token for the way a person signs in.
    pub(super) async fn credentials(&self, method: SignInMethod) -> Result<Credentials, UserError> {
        let config = self.configuration()?;
        let host = collie_config::host_of(&config.api_url);
        match method {
            SignInMethod::Detected => {
                let found = self.shared.options.credentials.look_up(&config).await;
                let found = found.ok_or_else(|| no_token(&host))?;
                Ok(Credentials {
                    source: account_source(found.origin),
                    tokens: crate::auth::looked_up(&config),
                })
            }
            SignInMethod::Keychain => {
                let entry = self.keychain_entry()?;
                let stored = self.shared.options.keychain.load(&entry).await?;
                let token = stored.ok_or_else(|| no_token(&host))?;
                Ok(Credentials {
                    source: AccountSource::Keychain,
                    tokens: TokenSource::Given(token),
                })
            }
            SignInMethod::App => Ok(Credentials {
                source: AccountSource::Memory,
                tokens: crate::auth::loop_token_source(&config).await?,
            }),
            SignInMethod::Demo => Err(UserError::new(ErrorCode::DemoHasNoToken)),
        }
    }

    /// Checks a typed token with GitHub, at the address that it is typed for. Nothing is kept yet.
    pub(super) async fn verify_token(
        &self,
        typed: &str,
        api_url: Option<&str>,
    ) -> Result<Token, UserError> {
        let token = Token::new(typed)
            .ok_or_else(|| UserError::new(ErrorCode::TokenShape).hint(ErrorHint::NewToken))?;
        let mut config = self.configuration()?;
        // The environment has the last word on the address, and is what holds afterwards.
        let set_by_environment = (self.shared.options.environment)("GITHUB_API_URL").is_some();
        if let Some(url) = api_url.filter(|_| !set_by_environment) {
            config.api_url = url.trim().to_owned();
        }
        let login = login_of_token(&config, token.clone()).await?;
        tracing::info!(%login, "a typed token is good");
        Ok(token)
    }

    /// Keeps a typed token and its address. Without a keychain the token is kept until the app ends.
    pub(super) async fn store_token(
        &self,
        token: Token,
        api_url: Option<&str>,
    ) -> Result<Credentials, UserError> {
        if let Some(url) = api_url {
            self.set_api_url(Some(url.trim())).await?;
        }
        let host = collie_config::host_of(&self.configuration()?.api_url);
        let keychain = &self.shared.options.keychain;
        let (source, last) = match keychain.store(&self.keychain_entry()?, &token).await {
            Ok(()) => (
                AccountSource::Keychain,
                LastSignIn::Method(SignInMethod::Keychain),
            ),
            Err(error) => {
                tracing::warn!(%error, "the token is kept in memory only");
                let token = token.clone();
                (AccountSource::Memory, LastSignIn::Token { host, token })
            }
        };
        lock(&self.shared.sign_in).last = Some(last);
        Ok(Credentials {
            source,
            tokens: TokenSource::Given(token),
        })
    }

    /// Puts the signed-in account on the list of those who may start loops.
    pub(super) async fn allow_me(&self) -> Result<(), UserError> {
        let session = self.session()?;
        let login = session
            .login()
            .ok_or_else(|| UserError::new(ErrorCode::LoginUnknown).hint(ErrorHint::Network))?;
        self.change_settings(|target, environment| {
            super::settings::allow_login(target, environment, &login)
        })
        .await?;
        self.send_stale(vec![Topic::Session, Topic::Settings]);
        Ok(())
    }
}

/// Asks GitHub whose a token is.
async fn login_of_token(config: &Config, token: Token) -> Result<Login, UserError> {
    let github = crate::auth::github_client(config, &TokenSource::Given(token)).await?;
    Ok(github.sign_in().await?.login)
}

fn no_token(host: &str) -> UserError {
    UserError::new(ErrorCode::NoToken)
        .with("host", host)
        .hint(ErrorHint::SignIn)
}

fn account_source(origin: TokenOrigin) -> AccountSource {
    match origin {
        TokenOrigin::Gh => AccountSource::Gh,
        TokenOrigin::Environment => AccountSource::Environment,
        TokenOrigin::Given => AccountSource::Memory,
    }
}

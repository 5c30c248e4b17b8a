//! Which credentials an account may sign in with.

use super::account_name::AccountName;
use crate::auth::looked_up;
use collie_config::{Config, host_of};
use collie_github::{TokenSource, TokenWithOrigin};

/// The credentials that an account may sign in with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CredentialScope {
    /// Those of the person whose machine it is: `gh`, `GITHUB_TOKEN`, and the keychain's token of the host.
    Machine,
    /// Only what was typed in for this account; the keychain keeps it under the account's name.
    Account(AccountName),
}

impl CredentialScope {
    /// Whether the account is that of the person whose machine it is.
    pub(super) fn is_machine(&self) -> bool {
        *self == CredentialScope::Machine
    }

    /// What this machine has for the host, outside the keychain.
    pub(super) async fn look_up(&self, config: &Config) -> Option<TokenWithOrigin> {
        match self.token_source(config) {
            Some(tokens) => tokens.find(&host_of(&config.api_url)).await,
            None => None,
        }
    }

    /// Where tokens are looked up; none where there is no such place.
    pub(super) fn token_source(&self, config: &Config) -> Option<TokenSource> {
        match self {
            CredentialScope::Machine => Some(looked_up(config)),
            CredentialScope::Account(_) => None,
        }
    }

    /// Under which name the keychain keeps the token of a host.
    pub(super) fn keychain_entry(&self, host: &str) -> String {
        match self {
            CredentialScope::Machine => host.to_owned(),
            CredentialScope::Account(name) => format!("{name}@{host}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_account_of_its_own_has_neither_the_machines_tokens_nor_its_place_in_the_keychain() {
        let ana = CredentialScope::Account(AccountName::parse("ana").unwrap());
        let kim = CredentialScope::Account(AccountName::parse("kim").unwrap());
        assert_eq!(
            CredentialScope::Machine.keychain_entry("github.com"),
            "github.com"
        );
        assert_eq!(ana.keychain_entry("github.com"), "ana@github.com");
        assert_eq!(kim.keychain_entry("github.com"), "kim@github.com");
        let config = Config::resolve("/".into(), &[]).unwrap();
        assert!(CredentialScope::Machine.token_source(&config).is_some());
        assert!(ana.token_source(&config).is_none());
        assert_eq!(ana.look_up(&config).await, None);
    }
}

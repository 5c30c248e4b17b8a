//! GitHub accounts of personas and of authors' agents: where their tokens lie, and how they are used (§18.2).

use super::StoreError;
use async_trait::async_trait;
use collie_core::ids::{AccountId, Login, Time};
use collie_core::own_accounts::{AccountProblem, OwnAccount};
use secrecy::SecretString;
use std::collections::BTreeSet;
use std::fmt;

/// An account with its token, for one post or push.
#[derive(Clone, Debug)]
pub struct AccountToken {
    /// The account.
    pub id: AccountId,
    /// Its name.
    pub login: Login,
    /// Its token.
    pub token: SecretString,
}

/// Gives tokens of accounts of their own, for their posts and pushes alone.
#[async_trait]
pub trait AccountTokens: Send + Sync + fmt::Debug {
    /// The accounts of a host whose tokens are kept, or were.
    ///
    /// # Errors
    /// The journal cannot be read.
    async fn known(&self, host: &str) -> Result<BTreeSet<OwnAccount>, StoreError>;

    /// The token of an account as it is kept now; why there is none. An outage of the journal counts as one that cannot be opened.
    async fn token(&self, host: &str, login: &Login) -> Result<AccountToken, AccountProblem>;
}

/// Nobody has an account of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAccounts;

#[async_trait]
impl AccountTokens for NoAccounts {
    async fn known(&self, _: &str) -> Result<BTreeSet<OwnAccount>, StoreError> {
        Ok(BTreeSet::new())
    }

    async fn token(&self, _: &str, _: &Login) -> Result<AccountToken, AccountProblem> {
        Err(AccountProblem::Missing)
    }
}

/// An account as it lies in the journal: its token encrypted, or gone.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedAccount {
    /// The host that it is of, as in a loop's identity.
    pub host: String,
    /// The account.
    pub id: AccountId,
    /// Its name, as GitHub said when the token was added.
    pub login: Login,
    /// Which key opens it, told by something that gives nothing of the key away.
    pub key_id: String,
    /// The token, encrypted; none once it was removed. The account stays known: what it has said is Collie's own.
    pub sealed: Option<Vec<u8>>,
    /// When this token was added.
    pub added_at: Time,
}

impl fmt::Debug for SealedAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedAccount")
            .field("host", &self.host)
            .field("id", &self.id)
            .field("login", &self.login)
            .finish_non_exhaustive()
    }
}

/// Where sealed tokens lie. It is written beside a running engine, which reads it anew for each post.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// All accounts, those without a token included.
    async fn sealed_accounts(&self) -> Result<Vec<SealedAccount>, StoreError>;

    /// Adds an account, or puts its new token in place of the old one.
    async fn keep_account(&self, account: &SealedAccount) -> Result<(), StoreError>;

    /// Takes the token of an account out; whether there was one.
    async fn forget_account(&self, host: &str, id: AccountId) -> Result<bool, StoreError>;

    /// Puts tokens under another key, all of them or none. None are changed, and the answer is false, where one of them is not what it was
    /// before any more.
    async fn reseal_accounts(
        &self,
        resealed: &[(SealedAccount, SealedAccount)],
    ) -> Result<bool, StoreError>;
}

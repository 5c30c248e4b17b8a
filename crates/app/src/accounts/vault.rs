//! Tokens of accounts of their own (§18.2): encrypted in the journal, decrypted for one post or push, never handed out otherwise.

use super::key::{AccountKey, KeyPlace};
use async_trait::async_trait;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{AccountId, Login, Time};
use collie_core::own_accounts::{AccountProblem, OwnAccount};
use collie_core::snapshot::Actor;
use collie_core::user_error::UserError;
use collie_engine::ports::{AccountStore, AccountToken, AccountTokens, SealedAccount, StoreError};
use collie_github::Token;
use secrecy::{ExposeSecret as _, SecretString};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// An account whose token is kept, without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAccount {
    /// The host.
    pub host: String,
    /// The account.
    pub id: AccountId,
    /// Its name.
    pub login: Login,
    /// When its token was added.
    pub added_at: Time,
    /// Its token can be decrypted with the key at hand.
    pub usable: bool,
}

/// The accounts of one data folder.
pub struct AccountVault {
    store: Arc<dyn AccountStore>,
    place: KeyPlace,
    keys: tokio::sync::Mutex<Vec<AccountKey>>,
    /// Tokens that were decrypted: what is posted and logged must not hold them.
    opened: Mutex<Vec<SecretString>>,
}

impl fmt::Debug for AccountVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountVault")
            .field("key", &self.place)
            .finish_non_exhaustive()
    }
}

impl AccountVault {
    /// Accounts that lie in `store`, under the key that is kept at `place`.
    pub fn new(store: Arc<dyn AccountStore>, place: KeyPlace) -> Self {
        Self {
            store,
            place,
            keys: tokio::sync::Mutex::default(),
            opened: Mutex::default(),
        }
    }

    /// Tokens that this process has decrypted, for redaction (§8.3).
    pub fn known_tokens(&self) -> Vec<String> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened
            .iter()
            .map(|token| token.expose_secret().to_owned())
            .collect()
    }

    /// Decrypts every token of a host once, so that each is known to redaction from the start. What cannot be decrypted is left.
    pub async fn open_all(&self, host: &str) {
        match self.store.sealed_accounts().await {
            Ok(rows) => {
                for row in rows.iter().filter(|row| row.host == host) {
                    if row.sealed.is_some() && self.open(row).await.is_none() {
                        tracing::warn!(login = %row.login, "the token of an account cannot be decrypted");
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the accounts of personas cannot be read"),
        }
    }

    /// All accounts whose tokens are kept.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn list(&self) -> Result<Vec<KeptAccount>, UserError> {
        let mut kept = Vec::new();
        for row in self.store.sealed_accounts().await? {
            if row.sealed.is_some() {
                kept.push(KeptAccount {
                    usable: self.open(&row).await.is_some(),
                    host: row.host,
                    id: row.id,
                    login: row.login,
                    added_at: row.added_at,
                });
            }
        }
        Ok(kept)
    }

    /// Keeps the token of an account, in place of one that is there. Where there is no key yet, one is made.
    ///
    /// # Errors
    /// There is no place for a key, or the journal cannot be written.
    pub async fn add(
        &self,
        host: &str,
        account: &Actor,
        (token, now): (&Token, Time),
    ) -> Result<(), UserError> {
        let key = self.key_to_seal_with().await?;
        let whose = (host, account.id, &account.login);
        let sealed = key.seal(whose, token.expose());
        let row = SealedAccount {
            host: host.to_owned(),
            id: account.id,
            login: account.login.clone(),
            key_id: key.name(),
            sealed: Some(sealed.ok_or_else(|| unsealed(&account.login))?),
            added_at: now,
        };
        Ok(self.store.keep_account(&row).await?)
    }

    /// Takes the token of an account out.
    ///
    /// # Errors
    /// There is none, or the journal cannot be written.
    pub async fn remove(&self, host: &str, login: &Login) -> Result<(), UserError> {
        let unknown = || {
            UserError::new(ErrorCode::AccountUnknown)
                .with("host", host)
                .with("login", login.as_str())
        };
        let row = self.find(host, login).await?.ok_or_else(unknown)?;
        match self.store.forget_account(host, row.id).await? {
            true => Ok(()),
            false => Err(unknown()),
        }
    }

    /// Puts all tokens under a new key, all of them or none; how many there are. The old key is gone once that is done. A crash on the way
    /// leaves both keys, and tokens that one of them opens.
    ///
    /// # Errors
    /// A token cannot be decrypted, the key cannot be written, or somebody changed a token meanwhile.
    pub async fn rotate_key(&self) -> Result<usize, UserError> {
        self.settle_rotation().await?;
        let rows = self.store.sealed_accounts().await?;
        let is_first = self.place.keys().await?.is_empty();
        let next = match &self.place {
            // Whoever set it has made it.
            KeyPlace::Environment { .. } => self.key_to_seal_with().await?,
            KeyPlace::File(_) | KeyPlace::Keychain(_) => AccountKey::generate(),
        };
        let mut resealed = Vec::new();
        for row in rows.into_iter().filter(|row| row.sealed.is_some()) {
            let token = self.open(&row).await.ok_or_else(|| unsealed(&row.login))?;
            let sealed = next.seal((&row.host, row.id, &row.login), token.expose_secret());
            let after = SealedAccount {
                key_id: next.name(),
                sealed: Some(sealed.ok_or_else(|| unsealed(&row.login))?),
                ..row.clone()
            };
            resealed.push((row, after));
        }
        self.place.keep_next(&next, is_first).await?;
        if !self.store.reseal_accounts(&resealed).await? {
            return Err(UserError::new(ErrorCode::AccountsChanged).hint(ErrorHint::AgainNow));
        }
        if !is_first {
            self.place.promote(&next).await?;
        }
        *self.keys.lock().await = Vec::new();
        Ok(resealed.len())
    }

    /// Ends a rotation that a crash broke off: where tokens lie under the next key, that is the one in use.
    async fn settle_rotation(&self) -> Result<(), UserError> {
        let keys = self.place.keys().await?;
        let [_, next] = keys.as_slice() else {
            return Ok(());
        };
        let name = next.name();
        let rows = self.store.sealed_accounts().await?;
        if rows
            .iter()
            .any(|row| row.sealed.is_some() && row.key_id == name)
        {
            self.place.promote(next).await?;
        }
        Ok(())
    }

    async fn key_to_seal_with(&self) -> Result<AccountKey, UserError> {
        self.settle_rotation().await?;
        if let Some(key) = self.place.keys().await?.into_iter().next() {
            return Ok(key);
        }
        let key = AccountKey::generate();
        self.place.keep_next(&key, true).await?;
        Ok(key)
    }

    async fn find(&self, host: &str, login: &Login) -> Result<Option<SealedAccount>, StoreError> {
        let rows = self.store.sealed_accounts().await?;
        let mut rows = rows
            .into_iter()
            .filter(|row| row.host == host && row.sealed.is_some());
        Ok(rows.find(|row| row.login == *login))
    }

    /// The token in a row; none where no key at hand opens it.
    async fn open(&self, row: &SealedAccount) -> Option<SecretString> {
        let mut keys = self.keys.lock().await;
        if !keys.iter().any(|key| key.name() == row.key_id) {
            match self.place.keys().await {
                Ok(found) => *keys = found,
                Err(error) => {
                    tracing::warn!(
                        code = error.code.as_str(),
                        "the key for tokens cannot be read"
                    );
                }
            }
        }
        let key = keys.iter().find(|key| key.name() == row.key_id)?;
        let token = key.open((&row.host, row.id, &row.login), row.sealed.as_deref()?)?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if !opened
            .iter()
            .any(|known| known.expose_secret() == token.expose_secret())
        {
            opened.push(token.clone());
        }
        Some(token)
    }
}

fn unsealed(login: &Login) -> UserError {
    UserError::new(ErrorCode::AccountSealed)
        .with("login", login.as_str())
        .hint(ErrorHint::AccountKey)
}

#[async_trait]
impl AccountTokens for AccountVault {
    async fn known(&self, host: &str) -> Result<BTreeSet<OwnAccount>, StoreError> {
        let rows = self.store.sealed_accounts().await?;
        let known = rows.into_iter().filter(|row| row.host == host);
        Ok(known
            .map(|row| OwnAccount {
                id: row.id,
                login: row.login,
                active: row.sealed.is_some(),
            })
            .collect())
    }

    async fn token(&self, host: &str, login: &Login) -> Result<AccountToken, AccountProblem> {
        let found = self.find(host, login).await.map_err(|error| {
            tracing::warn!(%error, "the accounts of personas cannot be read");
            AccountProblem::Sealed
        })?;
        let row = found.ok_or(AccountProblem::Missing)?;
        let token = self.open(&row).await.ok_or(AccountProblem::Sealed)?;
        Ok(AccountToken {
            id: row.id,
            login: row.login,
            token,
        })
    }
}

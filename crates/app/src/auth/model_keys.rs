//! The keys of language models in the keychain (§15): where the settings put them, and where every command finds them.

use super::keychain::{Keychain, KeychainError};
use async_trait::async_trait;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_reviewers::{KeySources, KeyStore, Secret};
use std::sync::Arc;

/// Gives the name under which the keychain keeps what is called so here.
type EntryName = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// The keys of one account in a keychain.
#[derive(Clone)]
pub struct ModelKeys {
    keychain: Keychain,
    entry: EntryName,
}

impl ModelKeys {
    /// Keys whose entries are named so.
    pub fn new(keychain: Keychain, entry: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self {
            keychain,
            entry: Arc::new(entry),
        }
    }

    /// Keeps a key, in place of one that is there.
    pub async fn store(&self, name: &str, key: &Secret) -> Result<(), UserError> {
        let entry = (self.entry)(name);
        let stored = self.keychain.store_secret(&entry, key.expose()).await;
        stored.map_err(key_error)
    }

    /// Takes a key out; one that is not there is no error.
    pub async fn forget(&self, name: &str) -> Result<(), UserError> {
        let entry = (self.entry)(name);
        self.keychain.forget(&entry).await.map_err(key_error)
    }
}

#[async_trait]
impl KeyStore for ModelKeys {
    async fn load_key(&self, name: &str) -> Result<Option<Secret>, UserError> {
        let entry = (self.entry)(name);
        let loaded = self.keychain.load_secret(&entry).await;
        Ok(loaded.map_err(key_error)?.and_then(|key| Secret::new(&key)))
    }
}

/// What the person whose machine it is has: the environment of this process, then the system's keychain.
pub fn machine_keys() -> KeySources {
    let keys = ModelKeys::new(Keychain::system(), str::to_owned);
    KeySources::of_environment().with_store(Arc::new(keys))
}

/// What is wrong with the keychain, with what else works for a model's key.
fn key_error(error: KeychainError) -> UserError {
    let hint = match error {
        KeychainError::Missing { .. } => ErrorHint::ModelKeyElsewhere,
        KeychainError::Locked | KeychainError::Refused { .. } => ErrorHint::ModelKeychain,
    };
    match error {
        KeychainError::Missing { .. } => UserError::new(ErrorCode::NoKeychain),
        KeychainError::Locked => UserError::new(ErrorCode::KeychainLocked),
        KeychainError::Refused { reason } => {
            UserError::new(ErrorCode::Keychain).with("message", reason)
        }
    }
    .hint(hint)
}

//! The accounts of one host: each has a backend of its own, with its data folder, engine, updates and language.

use super::account_name::AccountName;
use super::{Backend, BackendOptions};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An account of this name is there already.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is an account `{0}` already: give each a name of its own")]
pub struct AccountExists(pub AccountName);

/// The accounts of a host. Each one's backend is opened when it is first asked for.
#[derive(Default)]
pub struct Accounts {
    accounts: Mutex<BTreeMap<AccountName, Arc<Account>>>,
}

struct Account {
    options: BackendOptions,
    /// Held while it is closed, so that it is not opened again before its engine has let go of the data folder.
    backend: tokio::sync::Mutex<Option<Backend>>,
}

impl Accounts {
    /// Adds an account. Nothing is opened yet.
    pub fn add(&self, name: AccountName, options: BackendOptions) -> Result<(), AccountExists> {
        match self.lock().entry(name) {
            Entry::Occupied(there) => Err(AccountExists(there.key().clone())),
            Entry::Vacant(free) => {
                free.insert(Arc::new(Account {
                    options,
                    backend: tokio::sync::Mutex::new(None),
                }));
                Ok(())
            }
        }
    }

    /// The names of all accounts, in order.
    pub fn names(&self) -> Vec<AccountName> {
        self.lock().keys().cloned().collect()
    }

    /// The backend of an account, opened if it is not open; none when there is no such account.
    ///
    /// Call it inside a tokio runtime.
    pub async fn backend(&self, name: &AccountName) -> Option<Backend> {
        let account = self.lock().get(name).cloned()?;
        let mut backend = account.backend.lock().await;
        let opened = backend.get_or_insert_with(|| Backend::open(account.options.clone()));
        Some(opened.clone())
    }

    /// Closes the backend of an account, if it is open. The account stays, and is opened when it is next asked for.
    pub async fn close(&self, name: &AccountName) {
        let account = self.lock().get(name).cloned();
        if let Some(account) = account {
            account.close().await;
        }
    }

    /// Takes an account out, and closes its backend. What lies in its data folder stays.
    pub async fn remove(&self, name: &AccountName) {
        let account = self.lock().remove(name);
        if let Some(account) = account {
            account.close().await;
        }
    }

    /// Takes all accounts out, and closes them side by side.
    pub async fn close_all(&self) {
        let accounts = std::mem::take(&mut *self.lock());
        futures::future::join_all(accounts.values().map(|account| account.close())).await;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<AccountName, Arc<Account>>> {
        // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Account {
    async fn close(&self) {
        let mut backend = self.backend.lock().await;
        if let Some(backend) = backend.take() {
            backend.close().await;
        }
    }
}

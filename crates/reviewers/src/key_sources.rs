//! Where keys of language models may be, and those that this process has come to know.

use async_trait::async_trait;
use collie_agents::llm::Secret;
use collie_core::user_error::UserError;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A place that keeps keys of services: the system's keychain.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// The key that is kept under a name; none when none is.
    async fn load_key(&self, name: &str) -> Result<Option<Secret>, UserError>;
}

type VariableSource = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Where keys, and the secrets of headers, are looked up. Cheap to clone.
#[derive(Clone)]
pub struct KeySources {
    variables: VariableSource,
    store: Option<Arc<dyn KeyStore>>,
}

impl fmt::Debug for KeySources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeySources")
            .field("has_store", &self.store.is_some())
            .finish_non_exhaustive()
    }
}

impl KeySources {
    /// An environment, and no keychain.
    pub fn new(variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self {
            variables: Arc::new(variables),
            store: None,
        }
    }

    /// The environment of this process, and no keychain.
    pub fn of_environment() -> Self {
        Self::new(collie_hardening::variable)
    }

    /// Looks there as well, after the environment.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn KeyStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// A variable of the environment.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name)
    }

    pub(crate) fn variable_key(&self, name: &str) -> Option<Secret> {
        self.variable(name).and_then(|value| Secret::new(&value))
    }

    pub(crate) async fn stored_key(&self, name: &str) -> Result<Option<Secret>, UserError> {
        match &self.store {
            Some(store) => store.load_key(name).await,
            None => Ok(None),
        }
    }
}

/// Where a key was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// A program prints it. It was not run.
    Command(String),
    /// This variable of the environment.
    Variable(String),
    /// This file, and what of it.
    File(String),
    /// The keychain.
    Keychain,
}

/// How many keys are remembered, those that were used last: a program may print another one each hour.
const MAX_KNOWN_KEYS: usize = 64;

static KNOWN_KEYS: Mutex<VecDeque<Secret>> = Mutex::new(VecDeque::new());

/// Notes a key that this process has come to know, so that it is kept out of every text (§8.3).
pub fn remember_key(key: &Secret) {
    let mut known = KNOWN_KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|other| other != key);
    known.push_front(key.clone());
    known.truncate(MAX_KNOWN_KEYS);
}

/// Every key that this process has come to know from a program, a keychain or a person.
pub(crate) fn remembered_keys() -> Vec<String> {
    let known = KNOWN_KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    known.iter().map(|key| key.expose().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_remembered_those_used_last_first() {
        for nth in 0..=MAX_KNOWN_KEYS {
            remember_key(&Secret::new(&format!("remembered-Zebrafink-{nth}")).unwrap());
        }
        remember_key(&Secret::new("remembered-Zebrafink-9").unwrap());
        let known = remembered_keys();
        assert!(known.len() <= MAX_KNOWN_KEYS);
        assert_eq!(known[0], "remembered-Zebrafink-9");
    }
}

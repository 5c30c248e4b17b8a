//! What became of tokens: revoked ones, and the scopes that the others show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use axum::http::HeaderValue;
use serde::{Deserialize, Serialize};

use crate::error::ForgeError;
use crate::store;

/// The token of one login. What is not set is as on a fresh forge: good, and of a kind without scopes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TokenState {
    /// It is not accepted any more.
    pub(crate) revoked: bool,
    /// A classic token's scopes, as `X-OAuth-Scopes` tells them; none for other kinds.
    pub(crate) scopes: Option<BTreeSet<String>>,
    /// A fine-grained token's permissions to write, by GitHub's names; none for other kinds, which may write all.
    pub(crate) permissions: Option<BTreeSet<String>>,
}

impl TokenState {
    /// Whether the token's permissions let it write there.
    pub(crate) fn may_write(&self, permission: &str) -> bool {
        let permissions = self.permissions.as_ref();
        permissions.is_none_or(|granted| granted.contains(permission))
    }

    /// The value of `X-OAuth-Scopes`, where there is one.
    pub(crate) fn scopes_header(&self) -> Option<HeaderValue> {
        let scopes: Vec<&str> = self.scopes.as_ref()?.iter().map(String::as_str).collect();
        HeaderValue::from_str(&scopes.join(", ")).ok()
    }
}

/// The tokens that were changed, by login in small letters; they survive a restart.
#[derive(Debug)]
pub(crate) struct TokenStore {
    path: PathBuf,
    states: RwLock<BTreeMap<String, TokenState>>,
}

impl TokenStore {
    /// Reads what is kept under a root.
    pub(crate) fn load(root: &Path) -> Result<Self, ForgeError> {
        let path = root.join("tokens.json");
        let states = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| ForgeError::Corrupt {
                path: path.clone(),
                line: e.line(),
                why: e.to_string(),
            })?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(e) => return Err(ForgeError::io("read", path)(e)),
        };
        Ok(Self {
            path,
            states: RwLock::new(states),
        })
    }

    /// The token of a login.
    pub(crate) fn get(&self, login: &str) -> TokenState {
        let states = self.states.read().unwrap_or_else(PoisonError::into_inner);
        states
            .get(&login.to_ascii_lowercase())
            .cloned()
            .unwrap_or_default()
    }

    /// Changes the token of a login; on an error nothing has changed.
    pub(crate) fn set(&self, login: &str, state: TokenState) -> Result<(), ForgeError> {
        let mut states = self.states.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = states.clone();
        changed.insert(login.to_ascii_lowercase(), state);
        let bytes = serde_json::to_vec_pretty(&changed).expect("tokens are plain data");
        store::write_atomically(&self.path, &bytes)?;
        *states = changed;
        Ok(())
    }
}

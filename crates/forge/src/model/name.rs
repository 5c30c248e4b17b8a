//! Ids, names and accounts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::ForgeError;

/// The database id of an account, the same in every repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(pub u64);

/// A full commit id: 40 lower-case hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sha(String);

impl Sha {
    /// Takes 40 hex digits; anything else is `None`.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit()))
            .then(|| Self(text.to_ascii_lowercase()))
    }

    /// The 40 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `owner/name`, compared without regard to letter case, as GitHub does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoName {
    owner: String,
    name: String,
}

impl RepoName {
    /// Checks both parts: letters, digits, `-`, `_` and `.`, not starting with a dot.
    pub fn new(owner: &str, name: &str) -> Result<Self, ForgeError> {
        let fine = |part: &str| {
            !part.is_empty()
                && part.len() <= 100
                && !part.starts_with('.')
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        if fine(owner) && fine(name) && !name.to_ascii_lowercase().ends_with(".git") {
            Ok(Self {
                owner: owner.to_owned(),
                name: name.to_owned(),
            })
        } else {
            Err(ForgeError::BadRepoName(format!("{owner}/{name}")))
        }
    }

    /// The login that owns the repository.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The name without its owner.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key under which the repository is found: lower case.
    pub fn key(&self) -> String {
        self.to_string().to_ascii_lowercase()
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl FromStr for RepoName {
    type Err = ForgeError;

    fn from_str(text: &str) -> Result<Self, ForgeError> {
        match text.split_once('/') {
            Some((owner, name)) => Self::new(owner, name),
            None => Err(ForgeError::BadRepoName(text.to_owned())),
        }
    }
}

impl TryFrom<String> for RepoName {
    type Error = ForgeError;

    fn try_from(text: String) -> Result<Self, ForgeError> {
        text.parse()
    }
}

impl From<RepoName> for String {
    fn from(name: RepoName) -> Self {
        name.to_string()
    }
}

/// What kind of actor an account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountKind {
    /// A person.
    User,
    /// A GitHub App's bot.
    Bot,
}

/// A person or a bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Stable id.
    pub id: AccountId,
    /// The login as GitHub's REST shows it (`coderabbitai[bot]` for an app's bot).
    pub login: String,
    /// Person or bot.
    pub kind: AccountKind,
    /// The display name.
    pub name: Option<String>,
    /// What the token that it acts with is limited to; none where that may all that the account may.
    #[serde(skip)]
    pub limits: Option<Arc<TokenLimits>>,
}

/// What the token of an App's installation is limited to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenLimits {
    /// Repositories by `owner/name` in small letters; none: all that the installation has.
    pub repositories: Option<BTreeSet<String>>,
    /// `read` or `write` by GitHub's names; what is not among them may not be done.
    pub permissions: BTreeMap<String, String>,
}

impl TokenLimits {
    /// Whether a permission is there, to write where that is wanted.
    pub fn may(&self, permission: &str, write: bool) -> bool {
        let level = self.permissions.get(permission);
        level.is_some_and(|level| !write || level != "read")
    }
}

impl Account {
    /// Whether the token that it acts with is for a repository at all.
    pub fn token_covers(&self, repo: &RepoName) -> bool {
        let limits = self.limits.as_ref();
        let repositories = limits.and_then(|limits| limits.repositories.as_ref());
        repositories.is_none_or(|all| all.contains(&repo.to_string().to_ascii_lowercase()))
    }

    /// Whether that token has a permission, to write where that is wanted.
    pub fn token_may(&self, permission: &str, write: bool) -> bool {
        let limits = self.limits.as_ref();
        limits.is_none_or(|limits| limits.may(permission, write))
    }
}

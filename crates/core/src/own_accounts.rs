//! GitHub accounts of their own: of personas, and of the agents that authors work with (§18.2).

use crate::ids::{AccountId, Login};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Who speaks as an account of its own, as the user's configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountPolicy {
    /// Accounts of personas, by the persona's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub personas: BTreeMap<String, PersonaAccount>,
    /// Accounts that fixes of a pull request are pushed and reported as, by the login of its author.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub authors: BTreeMap<Login, Login>,
}

impl AccountPolicy {
    /// Whether nobody has an account of its own.
    pub fn is_empty(&self) -> bool {
        self.personas.is_empty() && self.authors.is_empty()
    }

    /// Whether a persona posts as this account. The account of an author's agent may be the author's own, who is listened to until its token
    /// is kept here.
    pub fn names(&self, login: &Login) -> bool {
        let mut personas = self.personas.values();
        personas.any(|account| account.login == *login)
    }
}

/// The account of a persona, and what its reviews may say.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PersonaAccount {
    /// The account's name.
    pub login: Login,
    /// Its reviews may approve.
    #[serde(default)]
    pub may_approve: bool,
    /// Its reviews may request changes.
    #[serde(default)]
    pub may_request_changes: bool,
}

/// An account whose token Collie keeps, or kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OwnAccount {
    /// The number that identifies it.
    pub id: AccountId,
    /// Its name, as GitHub said when its token was added.
    pub login: Login,
    /// Its token is still kept. One without has said things that stay Collie's own.
    pub active: bool,
}

/// Why nothing can be said as an account.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AccountProblem {
    /// No token of it was added, or it was removed.
    Missing,
    /// GitHub does not accept its token.
    Refused,
    /// It may not see the repository.
    NoAccess,
    /// Its token lies there under a key that is not at hand.
    Sealed,
}

impl AccountProblem {
    /// All of them.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Its name, as it is written in JSON and in Fluent arguments.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An account that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AccountTrouble {
    /// Which.
    pub login: Login,
    /// Why.
    pub problem: AccountProblem,
}

/// Why a GitHub App cannot act where it is installed.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AppProblem {
    /// GitHub does not accept what its key signed: another App's key, or one that was deleted.
    KeyRefused,
    /// It is not installed there, or not any more.
    NotInstalled,
    /// Its installation is suspended.
    Suspended,
}

impl AppProblem {
    /// All of them.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Its name, as it is written in JSON and in Fluent arguments.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

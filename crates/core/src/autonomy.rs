//! How far Collie goes by itself (§13.7): the levels, and what a person chose. What is held
//! back by it is in [`crate::held`].

use crate::ids::{Login, Sha};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// How far Collie goes by itself. The stricter one is the lesser.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Autonomy {
    /// It reviews and fixes locally, and sends GitHub nothing.
    Observe,
    /// It posts; each push waits for a person.
    Ask,
    /// It posts and pushes. What loops of older versions did.
    #[default]
    Push,
}

/// The label that makes Collie observe a pull request, whatever else is set.
pub const OBSERVE_LABEL: &str = "collie:observe";

impl Autonomy {
    /// All of them, the strictest first.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Their names.
    pub const NAMES: &[&str] = <Self as VariantNames>::VARIANTS;

    /// Its name, as settings and JSON write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it is what states of older versions have.
    pub fn is_push(&self) -> bool {
        *self == Autonomy::Push
    }

    /// Whether this kind of write to GitHub may be made without asking.
    pub fn allows(self, write: GitHubWrite) -> bool {
        match (self, write) {
            (Autonomy::Observe, _) | (Autonomy::Ask, GitHubWrite::Push) => false,
            (Autonomy::Ask, GitHubWrite::Conversation) | (Autonomy::Push, _) => true,
        }
    }
}

/// What an effect writes to GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHubWrite {
    /// Comments, reviews, replies, resolved threads, checks that are run again, requests to bots and people.
    Conversation,
    /// Commits.
    Push,
}

/// What a person chose for a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ChosenAutonomy {
    /// The level.
    pub level: Autonomy,
    /// What the settings said when they were last told; another word of theirs is taken up, the same one is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configured: Option<Autonomy>,
}

impl ChosenAutonomy {
    /// Whether it is what states of older versions have.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A push that a person has approved: of this commit on this head, and of nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ApprovedPush {
    /// The commit.
    pub commit: Sha,
    /// The head that it was made on.
    pub head: Sha,
    /// Who.
    pub by: Login,
}

//! A repository's own settings: roles, rules, labels.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::hook::Hook;
use super::name::{Account, AccountId, AccountKind, RepoName};

/// What an account may do in one repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// No role: may read a public repository and comment.
    None,
    /// A member of the owning organisation who may only read, by its base permission.
    Reader,
    /// May push, resolve and merge.
    Collaborator,
    /// A member of the owning organisation; may do what a collaborator may.
    Member,
    /// Owns the repository.
    Owner,
}

impl Role {
    /// GitHub's `author_association` for the role.
    pub fn association(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Collaborator => "COLLABORATOR",
            Self::Reader | Self::Member => "MEMBER",
            Self::Owner => "OWNER",
        }
    }

    /// GitHub's legacy permission name: `admin`, `write` or `read`.
    pub fn permission(self) -> &'static str {
        match self {
            Self::None | Self::Reader => "read",
            Self::Collaborator | Self::Member => "write",
            Self::Owner => "admin",
        }
    }

    /// Whether the role may push, resolve threads and merge.
    pub fn may_write(self) -> bool {
        match self {
            Self::None | Self::Reader => false,
            Self::Collaborator | Self::Member | Self::Owner => true,
        }
    }
}

/// The rules of a protected branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Protection {
    /// Names of checks or status contexts that must pass before a merge.
    pub required_checks: Vec<String>,
    /// Whether the branch must be up to date with its base before a merge.
    pub strict: bool,
    /// Number of approving reviews that a merge needs; 0 for none.
    pub required_reviews: u32,
    /// Whether every conversation must be resolved before a merge.
    pub require_conversation_resolution: bool,
    /// Whether the rules hold for owners too.
    pub enforce_admins: bool,
}

/// A label of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Database id.
    pub id: u64,
    /// Name, as first written.
    pub name: String,
    /// Six hex digits.
    pub color: String,
    /// What it is for.
    pub description: Option<String>,
}

/// What belongs to the repository itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepoMeta {
    /// Database id.
    pub id: u64,
    /// `owner/name`.
    pub name: RepoName,
    /// The account that owns it.
    pub owner: AccountId,
    /// The repository that it was forked from.
    #[serde(default)]
    pub fork_of: Option<RepoName>,
    /// Whether only those with a role (and bots) can see it.
    pub private: bool,
    /// Whether nothing can be changed in it.
    #[serde(default)]
    pub archived: bool,
    /// The branch that HEAD points at.
    pub default_branch: String,
    /// One line about it.
    pub description: Option<String>,
    /// When it was imported.
    pub created_at: Timestamp,
    /// Last push.
    pub pushed_at: Timestamp,
    /// Last change of the metadata.
    pub updated_at: Timestamp,
    /// Roles; whoever is missing has none.
    pub roles: BTreeMap<AccountId, Role>,
    /// Protected branches by name.
    pub protection: BTreeMap<String, Protection>,
    /// Branches that merge through a queue.
    #[serde(default)]
    pub merge_queue: BTreeSet<String>,
    /// Whether merge commits are allowed.
    pub allow_merge_commit: bool,
    /// Whether squash merges are allowed.
    pub allow_squash_merge: bool,
    /// Whether rebase merges are allowed.
    pub allow_rebase_merge: bool,
    /// Whether pull requests may be set to merge by themselves.
    pub allow_auto_merge: bool,
    /// Labels by lower-case name.
    #[serde(default)]
    pub labels: BTreeMap<String, Label>,
    /// Number of the next pull request.
    pub next_number: u64,
    /// Where issues were moved to, by the number that they had here: the path below `/repos/`.
    #[serde(default)]
    pub moved_issues: BTreeMap<u64, String>,
    /// Webhooks by id.
    #[serde(default)]
    pub hooks: BTreeMap<u64, Hook>,
    /// The script of the bots that play in this repository; its form belongs to `bots`.
    #[serde(default)]
    pub bots: serde_json::Value,
}

impl RepoMeta {
    /// The role of an account here.
    pub fn role(&self, account: AccountId) -> Role {
        self.roles.get(&account).copied().unwrap_or(Role::None)
    }

    /// Whether the account can see the repository at all. Bots count as installed apps, where their token is for it.
    pub fn visible_to(&self, account: &Account) -> bool {
        let is_known = account.kind == AccountKind::Bot || self.role(account.id) > Role::None;
        !self.private || (is_known && account.token_covers(&self.name))
    }
}

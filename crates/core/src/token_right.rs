//! What a token must be allowed for what Collie writes, and what it lacks (§2, §9.1).

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// What Collie writes in a repository.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RepositoryWrite {
    /// Comments, replies and reviews.
    Posts,
    /// Commits on the head branch, and that a thread is resolved, which GitHub
    /// [grants with the same permission](https://github.com/orgs/community/discussions/44650).
    Pushes,
}

/// A right that a token lacks, as GitHub names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenRight {
    /// The permission *Pull requests* of a fine-grained token or an app.
    PullRequests,
    /// The permission *Contents* of such.
    Contents,
    /// The scope `repo` of a classic token.
    RepoScope,
}

impl TokenRight {
    /// What GitHub calls it where a person grants it, in every language.
    pub fn label(self) -> &'static str {
        match self {
            TokenRight::PullRequests => "Pull requests (Read and write)",
            TokenRight::Contents => "Contents (Read and write)",
            TokenRight::RepoScope => "repo",
        }
    }

    /// What GitHub calls it in its answers.
    pub fn name(self) -> &'static str {
        match self {
            TokenRight::PullRequests => "pull_requests=write",
            TokenRight::Contents => "contents=write",
            TokenRight::RepoScope => "repo",
        }
    }

    /// Whether it is a classic token's: these have scopes, all others have permissions.
    pub fn is_scope(self) -> bool {
        match self {
            TokenRight::RepoScope => true,
            TokenRight::PullRequests | TokenRight::Contents => false,
        }
    }
}

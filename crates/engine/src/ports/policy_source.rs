//! Configuration.

use collie_core::ids::{Login, RepoName};
use collie_core::policy::Policy;
use collie_core::user_error::UserError;

/// Merges the user's configuration with the repository's, as of its base (§12).
pub trait PolicySource: Send + Sync {
    /// `files` are `.collie.toml` when it is there. The error names file, line, key, and what was expected.
    fn policy(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> Result<Policy, UserError>;

    /// Commands that a fix must pass, from the same file.
    fn verify_commands(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> Vec<String>;

    /// Whether this login may start loops (§9.1).
    fn may_start(&self, login: &Login) -> bool;
}

//! Configuration.

use collie_core::ids::{Login, RepoName};
use collie_core::policy::Policy;
use collie_core::user_error::UserError;

/// What a fix must pass besides the gates (§6.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyPlan {
    /// Commands, run one after the other in the worktree.
    pub commands: Vec<String>,
    /// The user runs what this repository's pull requests bring without a sandbox (§9.5).
    pub unsandboxed: bool,
}

/// Merges the user's configuration with the repository's, as of its base (§12).
pub trait PolicySource: Send + Sync {
    /// `files` are `.collie.toml` when it is there. The error names file, line, key, and what was expected.
    fn policy(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> Result<Policy, UserError>;

    /// What a fix must pass, from the same file.
    fn verify_plan(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> VerifyPlan;

    /// Whether this login may start loops (§9.1).
    fn may_start(&self, login: &Login) -> bool;
}

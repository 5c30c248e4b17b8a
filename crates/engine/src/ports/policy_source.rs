//! Configuration.

use collie_core::fix::Verification;
use collie_core::ids::{AccountId, Login, RepoName};
use collie_core::policy::Policy;
use collie_core::trust::{RepositoryTrust, VerifyPermission};
use collie_core::user_error::UserError;
use std::collections::BTreeSet;

/// What a fix must pass besides the gates (§6.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyPlan {
    /// Commands, run one after the other in the worktree.
    pub commands: Vec<String>,
    /// Those of them that the repository names, and the user's own configuration does not: they run once they are trusted.
    pub repository_commands: Vec<String>,
    /// The user runs what this repository's pull requests bring without a sandbox (§9.5).
    pub unsandboxed: bool,
}

impl VerifyPlan {
    /// What of it may run by what the user has decided, and what that means for a fix.
    #[must_use]
    pub fn permitted(mut self, trust: &RepositoryTrust) -> (Self, Verification) {
        let commands = std::mem::take(&mut self.repository_commands);
        match trust.verify_permission(&commands) {
            VerifyPermission::Run => (self, Verification::Done),
            VerifyPermission::Skip => {
                self.commands.retain(|command| !commands.contains(command));
                (self, Verification::Skipped { commands })
            }
            VerifyPermission::Ask => {
                self.commands.clear();
                (self, Verification::Waiting { commands })
            }
        }
    }
}

/// What a loop goes by.
#[derive(Clone, Debug)]
pub struct EffectivePolicy {
    /// The user's settings, as the repository tightens them.
    pub policy: Policy,
    /// Keys of `.collie.toml` that had no effect.
    pub without_effect: BTreeSet<String>,
}

/// Merges the user's configuration with the repository's, as of its default branch (§12), and knows whom its names stand for (§9.1).
pub trait PolicySource: Send + Sync {
    /// `collie_toml` is the repository's file when it is there. The error names file, line, key, and what was expected.
    fn policy(
        &self,
        repo: &RepoName,
        collie_toml: Option<&[u8]>,
    ) -> Result<EffectivePolicy, UserError>;

    /// The account that a login of the configuration stands for: the one that bore it when it was first seen, which is `seen` where that
    /// is now. Durable on return.
    fn pin_account(&self, login: &Login, seen: AccountId) -> Result<AccountId, UserError>;

    /// What a fix must pass, from the same file.
    fn verify_plan(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> VerifyPlan;

    /// Whether this login may start loops (§9.1).
    fn may_start(&self, login: &Login) -> bool;
}

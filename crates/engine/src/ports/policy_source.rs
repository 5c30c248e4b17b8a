//! Configuration.

use collie_core::autonomy::Autonomy;
use collie_core::budget::Budget;
use collie_core::fix::Verification;
use collie_core::ids::{AccountId, Login, RepoName};
use collie_core::policy::Policy;
use collie_core::trust::{PREPARE_LINE, RepositoryTrust, VerifyPermission};
use collie_core::user_error::UserError;
use std::collections::BTreeSet;

/// What a fix must pass besides the gates (§6.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyPlan {
    /// What is run before the commands, with a way to a few hosts.
    pub prepare: Vec<PrepareStep>,
    /// Commands, run one after the other in the worktree.
    pub commands: Vec<String>,
    /// What of it the repository names, and the user's own configuration does not: lines of steps ([`PrepareStep::line`]), then commands.
    /// They run once they are trusted.
    pub repository_commands: Vec<String>,
    /// The user runs what this repository's pull requests bring without a sandbox (§9.5).
    pub unsandboxed: bool,
}

/// A command that gets ready what the verify commands need (§6.3 e).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrepareStep {
    /// The command.
    pub command: String,
    /// The hosts that it reaches, each of them named by the user: `registry.npmjs.org:443`.
    pub hosts: Vec<String>,
}

impl PrepareStep {
    /// As it is shown to a person, and trusted: the command with its hosts. No verify command looks like it.
    pub fn line(&self) -> String {
        let hosts: String = (self.hosts.iter()).map(|host| format!(" {host}")).collect();
        format!("{PREPARE_LINE}{hosts}] {}", self.command)
    }
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
                self.prepare.retain(|step| !commands.contains(&step.line()));
                (self, Verification::Skipped { commands })
            }
            VerifyPermission::Ask => {
                self.commands.clear();
                self.prepare.clear();
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

    /// How far the user's settings let Collie go by itself in a repository; none where they say nothing of it (§13.7).
    fn autonomy(&self, repo: &RepoName) -> Option<Autonomy>;

    /// Whether this login may start loops (§9.1).
    fn may_start(&self, login: &Login) -> bool;

    /// What the user lets models and agents spend, as it is now (§15).
    fn budget(&self) -> Budget;
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::trust::TrustDecision;

    fn plan(hosts: &[&str]) -> VerifyPlan {
        let step = |command: &str, hosts: &[&str]| PrepareStep {
            command: command.into(),
            hosts: hosts.iter().map(ToString::to_string).collect(),
        };
        let (own, repository) = (step("make deps", &["a:443"]), step("npm ci", hosts));
        VerifyPlan {
            repository_commands: vec![repository.line(), "npm test".into()],
            prepare: vec![own, repository],
            commands: vec!["make lint".into(), "npm test".into()],
            ..VerifyPlan::default()
        }
    }

    fn trust(decision: TrustDecision) -> RepositoryTrust {
        let mut trust = RepositoryTrust::default();
        trust.decide(&decision);
        trust
    }

    #[test]
    fn what_prepares_is_trusted_with_its_hosts_and_a_change_asks_again() {
        let commands = plan(&["r:443"]).repository_commands;
        assert_eq!(commands[0], "[prepare r:443] npm ci");
        let trust = trust(TrustDecision::TrustCommands { commands });
        let (all, verification) = plan(&["r:443"]).permitted(&trust);
        assert_eq!((all.prepare.len(), verification), (2, Verification::Done));
        for changed in [&["r:443", "evil:443"] as &[&str], &["evil:443"], &[]] {
            let (none, verification) = plan(changed).permitted(&trust);
            assert!(none.prepare.is_empty() && none.commands.is_empty());
            assert!(
                matches!(verification, Verification::Waiting { .. }),
                "{changed:?}"
            );
        }
    }

    #[test]
    fn what_is_skipped_is_the_repositorys_alone() {
        let (left, _) = plan(&["r:443"]).permitted(&trust(TrustDecision::SkipVerification));
        let lines: Vec<String> = left.prepare.iter().map(PrepareStep::line).collect();
        assert_eq!(
            (lines, left.commands),
            (
                vec!["[prepare a:443] make deps".into()],
                vec!["make lint".into()]
            )
        );
    }
}

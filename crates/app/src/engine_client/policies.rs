//! Answers the engine's questions about configuration.

use collie_config::{Config, ConfigFileKind, ConfigLayer, LiveConfig, tighten};
use collie_core::ids::{Login, RepoName};
use collie_core::policy::Policy;
use collie_core::user_error::UserError;
use collie_engine::ports::{PolicySource, VerifyPlan};

/// The user's configuration as it is when asked, with each repository's file laid over it.
#[derive(Clone, Debug)]
pub struct ConfiguredPolicies {
    live: LiveConfig,
}

impl ConfiguredPolicies {
    /// Rests on the user's configuration; what is put into force later holds from the next question on.
    pub fn new(live: LiveConfig) -> Self {
        Self { live }
    }
}

fn effective_policy(
    config: &Config,
    file: Option<&[u8]>,
) -> Result<(Policy, Vec<String>), UserError> {
    let Some(bytes) = file else {
        return Ok((config.policy.clone(), config.verify.clone()));
    };
    ConfigLayer::from_bytes(".collie.toml", bytes, ConfigFileKind::Repository)
        .and_then(|layer| tighten(config, &layer))
        .map_err(UserError::from)
}

impl PolicySource for ConfiguredPolicies {
    fn policy(&self, _repo: &RepoName, collie_toml: Option<&[u8]>) -> Result<Policy, UserError> {
        effective_policy(&self.live.get(), collie_toml).map(|(policy, _)| policy)
    }

    fn verify_plan(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> VerifyPlan {
        // A file that cannot be read stops the loop through `policy`; until it does, the user's own commands hold.
        let config = self.live.get();
        let commands = effective_policy(&config, collie_toml)
            .map_or_else(|_| config.verify.clone(), |(_, verify)| verify);
        let own = |command: &&String| config.verify.contains(command);
        VerifyPlan {
            repository_commands: commands.iter().filter(|c| !own(c)).cloned().collect(),
            commands,
            unsandboxed: config.runs_unsandboxed(repo),
        }
    }

    fn may_start(&self, login: &Login) -> bool {
        self.live.get().policy.allowed_users.contains(login)
    }
}

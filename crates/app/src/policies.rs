//! Answers the engine's questions about configuration.

use crate::config::{Config, FileKind, Layer, tighten};
use collie_core::ids::{Login, RepoName};
use collie_core::policy::Policy;
use collie_engine::ports::Policies;

/// The user's configuration, with each repository's file laid over it.
#[derive(Clone, Debug)]
pub struct ConfiguredPolicies {
    config: Config,
}

impl ConfiguredPolicies {
    /// Rests on the user's configuration.
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    fn merged(&self, file: Option<&[u8]>) -> Result<(Policy, Vec<String>), String> {
        let Some(bytes) = file else {
            return Ok((self.config.policy.clone(), self.config.verify.clone()));
        };
        let text = std::str::from_utf8(bytes).map_err(|error| {
            format!(
                ".collie.toml is not UTF-8 after byte {}",
                error.valid_up_to()
            )
        })?;
        Layer::from_toml(".collie.toml", text, FileKind::Repository)
            .and_then(|layer| tighten(&self.config, &layer))
            .map_err(|error| error.to_string())
    }
}

impl Policies for ConfiguredPolicies {
    fn policy(&self, _repo: &RepoName, collie_toml: Option<&[u8]>) -> Result<Policy, String> {
        self.merged(collie_toml).map(|(policy, _)| policy)
    }

    fn verify(&self, _repo: &RepoName, collie_toml: Option<&[u8]>) -> Vec<String> {
        // A file that cannot be read stops the loop through `policy`; until it does, the user's own commands hold.
        self.merged(collie_toml)
            .map_or_else(|_| self.config.verify.clone(), |(_, verify)| verify)
    }

    fn may_start(&self, login: &Login) -> bool {
        self.config.policy.allowed_users.contains(login)
    }
}

//! Answers the engine's questions about configuration.

use super::account_pins::AccountPins;
use collie_agents::acp::HostPattern;
use collie_config::{Config, ConfigFileKind, ConfigLayer, LiveConfig, Tightened, host_of, tighten};
use collie_core::autonomy::Autonomy;
use collie_core::budget::Budget;
use collie_core::ids::{AccountId, Login, RepoName};
use collie_core::user_error::UserError;
use collie_engine::ports::{EffectivePolicy, PolicySource, PrepareStep, VerifyPlan};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The user's configuration as it is when asked, with each repository's file laid over it.
#[derive(Clone, Debug)]
pub struct ConfiguredPolicies {
    live: LiveConfig,
    pins: Arc<AccountPins>,
}

impl ConfiguredPolicies {
    /// Rests on the user's configuration; what is put into force later holds from the next question on.
    pub fn new(live: LiveConfig) -> Self {
        let pins = Arc::new(AccountPins::new(&live.get().home));
        Self { live, pins }
    }
}

fn effective_policy(config: &Config, file: Option<&[u8]>) -> Result<Tightened, UserError> {
    let Some(bytes) = file else {
        return Ok(Tightened {
            policy: config.policy.clone(),
            verify: config.verify.clone(),
            prepare: None,
            without_effect: BTreeSet::new(),
        });
    };
    ConfigLayer::from_bytes(".collie.toml", bytes, ConfigFileKind::Repository)
        .and_then(|layer| tighten(config, &layer))
        .map_err(UserError::from)
}

/// What a fix must pass in a repository with this file, by the user's configuration.
///
/// # Errors
/// The file cannot be understood.
pub fn verify_plan(
    config: &Config,
    repo: &RepoName,
    collie_toml: Option<&[u8]>,
) -> Result<VerifyPlan, UserError> {
    let Tightened {
        verify, prepare, ..
    } = effective_policy(config, collie_toml)?;
    let mut plan = users_plan(config, repo);
    if let Some((command, hosts)) = prepare {
        let step = prepare_step(command, &hosts);
        plan.repository_commands.push(step.line());
        plan.prepare.push(step);
    }
    let own = |command: &&String| config.verify.contains(command);
    let more = verify.iter().filter(|command| !own(command));
    plan.repository_commands.extend(more.cloned());
    plan.commands = verify;
    Ok(plan)
}

/// What the user's own configuration says.
fn users_plan(config: &Config, repo: &RepoName) -> VerifyPlan {
    let prepare = config.prepare.clone();
    let prepare = prepare.map(|command| prepare_step(command, &config.prepare_hosts));
    VerifyPlan {
        prepare: prepare.into_iter().collect(),
        commands: config.verify.clone(),
        repository_commands: Vec::new(),
        unsandboxed: config.runs_unsandboxed(repo),
    }
}

fn prepare_step(command: String, hosts: &[HostPattern]) -> PrepareStep {
    let hosts = hosts.iter().map(ToString::to_string).collect();
    PrepareStep { command, hosts }
}

impl PolicySource for ConfiguredPolicies {
    fn policy(
        &self,
        _repo: &RepoName,
        collie_toml: Option<&[u8]>,
    ) -> Result<EffectivePolicy, UserError> {
        let tightened = effective_policy(&self.live.get(), collie_toml)?;
        Ok(EffectivePolicy {
            policy: tightened.policy,
            without_effect: tightened.without_effect,
        })
    }

    fn pin_account(&self, login: &Login, seen: AccountId) -> Result<AccountId, UserError> {
        let host = host_of(&self.live.get().api_url);
        self.pins.pin(&host, login, seen)
    }

    fn verify_plan(&self, repo: &RepoName, collie_toml: Option<&[u8]>) -> VerifyPlan {
        // A file that cannot be read stops the loop through `policy`; until it does, the user's own commands hold.
        let config = self.live.get();
        verify_plan(&config, repo, collie_toml).unwrap_or_else(|_| users_plan(&config, repo))
    }

    fn autonomy(&self, repo: &RepoName) -> Option<Autonomy> {
        self.live.get().autonomy_of(repo)
    }

    fn budget(&self) -> Budget {
        self.live.get().budget
    }

    fn may_start(&self, login: &Login) -> bool {
        self.live.get().policy.allowed_users.contains(login)
    }
}

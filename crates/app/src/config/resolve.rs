//! From layers to what Collie goes by.

use super::desktop::{Desktop, WatchedRepository};
use super::layer::{FileKind, Layer};
use super::models::{
    AGENTS, AgentSettings, FixerSettings, LlmLayer, LlmSettings, ReviewerSettings,
};
use super::problem::{ConfigError, nearest};
use super::wrong::Wrong;
use collie_core::ids::{AccountId, Login};
use collie_core::policy::{KnownBot, Policy, ReviewerKind, ReviewerSpec};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Where github.com answers.
pub const GITHUB_API_URL: &str = "https://api.github.com";

/// What a reviewer runs on that is a language model.
pub const LLM: &str = "llm";

/// The fixer that is built in.
pub const RULES: &str = "rules";

/// Under this, github.com is not asked (§2).
const LEAST_POLL_GITHUB_MS: u64 = 15_000;

/// The user's configuration, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The data folder.
    pub home: PathBuf,
    /// Where GitHub's REST API answers, without a slash at the end.
    pub api_url: String,
    /// The language of what people read: `en` or `fr`.
    pub language: &'static str,
    /// How many loops work at once.
    pub slots: usize,
    /// What every loop goes by unless its repository tightens it.
    pub policy: Policy,
    /// Commands that every fix must pass.
    pub verify: Vec<String>,
    /// The language model that reviewers run on, if one is set up.
    pub llm: Option<LlmSettings>,
    /// Coding agents beside those that Collie knows, or with another command.
    pub agents: BTreeMap<String, AgentSettings>,
    /// What personas run on.
    pub reviewers: BTreeMap<String, ReviewerSettings>,
    /// Who fixes.
    pub fixer: FixerSettings,
    /// The desktop app's repositories, in the order shown (§13.1).
    pub repositories: Vec<WatchedRepository>,
    /// How the desktop app behaves.
    pub desktop: Desktop,
}

/// The shipped registry of bots (§3.4).
pub fn known_bots() -> Vec<KnownBot> {
    Layer::from_toml("bots.toml", include_str!("bots.toml"), FileKind::User)
        .expect("the shipped registry is read by a test")
        .bots
}

impl Config {
    /// Merges layers, the later over the earlier: the user's file, the environment, the flags.
    pub fn resolve(home: PathBuf, layers: &[Layer]) -> Result<Self, ConfigError> {
        let mut config = Self {
            home,
            api_url: GITHUB_API_URL.to_owned(),
            language: "en",
            slots: 3,
            policy: Policy {
                bots: known_bots(),
                ..Policy::default()
            },
            verify: Vec::new(),
            llm: None,
            agents: BTreeMap::new(),
            reviewers: BTreeMap::new(),
            fixer: FixerSettings::default(),
            repositories: Vec::new(),
            desktop: Desktop::default(),
        };
        let mut llm = LlmLayer::default();
        for layer in layers {
            config.lay(layer)?;
            llm.lay(&layer.llm);
        }
        config.llm = llm
            .complete()
            .map_err(|(key, wrong)| ConfigError::together(key, wrong))?;
        config.check_agents()?;
        if layers.iter().all(|layer| layer.stages.is_none()) && config.reader("quinn").is_some() {
            let first = &mut config.policy.stages[0].reviewers;
            first.insert(0, ReviewerSpec::agent("quinn"));
        }
        config.allow_escalations();
        if host_of(&config.api_url) == "github.com"
            && config.policy.poll_interval_ms < LEAST_POLL_GITHUB_MS
        {
            return Err(ConfigError::together("poll_interval", Wrong::PollTooFast));
        }
        Ok(config)
    }

    /// What a persona runs on: what its table says, else the model, else the agent that fixes. None: nothing is set up for it.
    pub fn reader(&self, persona: &str) -> Option<&str> {
        let own = self.reviewers.get(persona);
        let own = own.and_then(|settings| settings.runs_on.as_deref());
        let model = self.llm.as_ref().map(|_| LLM);
        let fixer = self.fixer.runs_on.as_deref().filter(|name| *name != RULES);
        own.or(model).or(fixer)
    }

    /// Every name of an agent must be one.
    fn check_agents(&self) -> Result<(), ConfigError> {
        let mut known: Vec<&str> = AGENTS.to_vec();
        for (name, agent) in &self.agents {
            if agent.command.is_empty() && !AGENTS.contains(&name.as_str()) {
                let key = format!("agents.{name}");
                return Err(ConfigError::together(&key, Wrong::AgentWithoutCommand));
            }
            known.push(name);
        }
        let check = |key: &str, name: &str, also: &'static str| {
            if name == also || known.contains(&name) {
                return Ok(());
            }
            let mut near = known.clone();
            near.push(also);
            let wrong = Wrong::NoAgent {
                name: name.to_owned(),
                near: nearest(name, &near).map(str::to_owned),
            };
            Err(ConfigError::together(key, wrong))
        };
        for (name, reviewer) in &self.reviewers {
            let key = format!("reviewers.{name}.runs_on");
            match reviewer.runs_on.as_deref() {
                Some(LLM) if self.llm.is_none() => {
                    return Err(ConfigError::together(&key, Wrong::LlmIncomplete));
                }
                Some(runs_on) => check(&key, runs_on, LLM)?,
                None => {}
            }
        }
        if let Some(runs_on) = &self.fixer.runs_on {
            check("fixer.runs_on", runs_on, RULES)?;
        }
        for agent in self.fixer.by_author.values() {
            check("fixer.by_author", agent, RULES)?;
        }
        Ok(())
    }

    /// Gives each persona of the panel the personas that it may ask in: those that its table names, else those that its own file does.
    /// Quinn's names Sam (§4.1). A persona of a repository's base has to be named in a table.
    fn allow_escalations(&mut self) {
        let (personas, _) = crate::panel::personas(&self.home);
        let seats = self
            .policy
            .stages
            .iter_mut()
            .flat_map(|stage| &mut stage.reviewers);
        for seat in seats.filter(|seat| seat.kind == ReviewerKind::Agent) {
            let own = self.reviewers.get(&seat.name);
            let wanted = own.and_then(|settings| settings.escalates_to.clone());
            let usual = || {
                let persona = personas.iter().find(|persona| persona.name == seat.name);
                persona.map_or_else(Vec::new, |persona| persona.may_escalate_to.clone())
            };
            seat.may_escalate_to = wanted.unwrap_or_else(usual).into_iter().collect();
        }
    }

    fn lay(&mut self, layer: &Layer) -> Result<(), ConfigError> {
        if let Some(url) = &layer.github_api_url {
            self.api_url.clone_from(url);
        }
        if let Some(language) = layer.language {
            self.language = language;
        }
        if let Some(slots) = layer.slots {
            self.slots = usize::try_from(slots).expect("at most 64, which fits");
        }
        if let Some(commands) = &layer.verify {
            self.verify.clone_from(commands);
        }
        self.agents.extend(layer.agents.clone());
        self.reviewers.extend(layer.reviewers.clone());
        set(&mut self.fixer, layer.fixer.clone());
        set(&mut self.repositories, layer.repositories.clone());
        set(&mut self.desktop.theme, layer.theme);
        set(&mut self.desktop.notifications, layer.notifications);
        set(&mut self.desktop.keep_running, layer.keep_running);
        let policy = &mut self.policy;
        add_bots(&mut policy.bots, &layer.bots);
        set(&mut policy.max_iterations, layer.max_iterations);
        set(&mut policy.ci_timeout_ms, layer.ci_check_timeout);
        set(&mut policy.bot_timeout_ms, layer.external_bot_timeout);
        set(&mut policy.poll_interval_ms, layer.poll_interval);
        set(
            &mut policy.ready_poll_interval_ms,
            layer.ready_poll_interval,
        );
        set(&mut policy.red_collect_ms, layer.collect_failures_for);
        set(&mut policy.no_checks_grace_ms, layer.no_checks_grace);
        set(&mut policy.max_restarts, layer.max_restarts);
        set(&mut policy.session_retries, layer.session_retries);
        set(&mut policy.comment_threshold, layer.comment_threshold);
        set(&mut policy.max_comments, layer.max_comments);
        set(&mut policy.strictness, layer.strictness);
        set(&mut policy.ignored_checks, layer.ignored_checks.clone());
        set(&mut policy.allowed_users, layer.allowed_users.clone());
        set(&mut policy.ignore_label, layer.ignore_label.clone());
        set(&mut policy.stages, layer.stages.clone());
        if let Some(names) = &layer.expected_bots {
            policy.expected_bots = expected(names, &policy.bots)?;
        }
        Ok(())
    }
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// Adds bots to the registry; one with a known account replaces the entry.
fn add_bots(bots: &mut Vec<KnownBot>, more: &[KnownBot]) {
    let mut by_id: BTreeMap<AccountId, KnownBot> = bots.drain(..).map(|b| (b.id, b)).collect();
    by_id.extend(more.iter().map(|b| (b.id, b.clone())));
    bots.extend(by_id.into_values());
}

fn expected(names: &[Login], bots: &[KnownBot]) -> Result<BTreeSet<AccountId>, ConfigError> {
    names
        .iter()
        .map(|name| {
            bots.iter()
                .find(|bot| bot.login == *name)
                .map(|bot| bot.id)
                .ok_or_else(|| {
                    let known: Vec<&str> = bots.iter().map(|bot| bot.login.as_str()).collect();
                    let wrong = Wrong::UnknownBot {
                        login: name.to_string(),
                        near: nearest(name.as_str(), &known).map(str::to_owned),
                    };
                    ConfigError::together("expected_bots", wrong)
                })
        })
        .collect()
}

/// Lays a repository's file over the user's policy: it may tighten, never widen (§12). Limits take the lower
/// value and polling the slower one, allowed users are those whom both allow, commands to verify add up.
pub fn tighten(config: &Config, file: &Layer) -> Result<(Policy, Vec<String>), ConfigError> {
    let mut strict = config.clone();
    strict.lay(file)?;
    strict.allow_escalations();
    let (user, policy) = (&config.policy, &mut strict.policy);
    policy.max_iterations = policy.max_iterations.min(user.max_iterations);
    policy.max_restarts = policy.max_restarts.min(user.max_restarts);
    policy.max_comments = policy.max_comments.min(user.max_comments);
    policy.session_retries = policy.session_retries.min(user.session_retries);
    policy.poll_interval_ms = policy.poll_interval_ms.max(user.poll_interval_ms);
    policy.ready_poll_interval_ms = policy
        .ready_poll_interval_ms
        .max(user.ready_poll_interval_ms);
    policy.allowed_users = policy
        .allowed_users
        .intersection(&user.allowed_users)
        .cloned()
        .collect();
    let mut verify = config.verify.clone();
    let more = file
        .verify
        .iter()
        .flatten()
        .filter(|command| !config.verify.contains(command));
    verify.extend(more.cloned());
    Ok((strict.policy, verify))
}

/// The host that people know an API address by: `github.com`, `ghe.example.com`, `127.0.0.1:4000`.
pub fn host_of(api_url: &str) -> String {
    let rest = api_url.split_once("://").map_or(api_url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest).to_ascii_lowercase();
    if host == "api.github.com" {
        "github.com".to_owned()
    } else {
        host
    }
}

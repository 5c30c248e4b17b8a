//! From layers to what Collie goes by.

use super::desktop::{DesktopConfig, WatchedRepository};
use super::error_kind::ConfigErrorKind;
use super::layer::{ConfigLayer, DiskLayer};
use super::llm_settings::{LlmLayer, LlmSettings};
use super::mcp_servers::McpServerSettings;
use super::models::{
    AGENTS, AgentSettings, AppLayer, AppSettings, FixerSettings, ReviewerSettings,
};
use super::persona_files::load_personas;
use super::problem::{ConfigError, ConfigProblem, ConfigSource, nearest};
use super::runners::RunnersConfig;
use collie_agents::acp::HostPattern;
use collie_core::autonomy::Autonomy;
use collie_core::bots::shipped_bots;
use collie_core::budget::{Budget, BudgetLimit};
use collie_core::ids::{AccountId, Login, RepoName};
use collie_core::own_accounts::{AccountPolicy, PersonaAccount};
use collie_core::policy::{KnownBot, Policy, ReviewerKind, ReviewerSpec, ShippedPersona};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Where github.com answers.
pub const GITHUB_API_URL: &str = "https://api.github.com";

/// What a reviewer runs on that is a language model.
pub const RUNS_ON_LLM: &str = "llm";

/// The fixer that is built in.
pub const RUNS_ON_RULES: &str = "rules";

/// Under this, github.com is not asked (§2).
const MIN_GITHUB_POLL_MS: u64 = 15_000;

/// `[disk]`: how much a pull request may write to the disk (§9.5), and how long what it was decided from stays there (§10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskConfig {
    /// The files of one checkout together, in megabytes (2^20 bytes).
    pub checkout_mb: u32,
    /// Files and folders of one checkout.
    pub checkout_files: u32,
    /// What a sandboxed program leaves in its folders together, in megabytes.
    pub sandbox_mb: u32,
    /// For how many days a run can be replayed after it ended.
    pub replay_days: u32,
}

impl DiskConfig {
    fn apply(&mut self, layer: DiskLayer) {
        set_if_some(&mut self.checkout_mb, layer.checkout_mb);
        set_if_some(&mut self.checkout_files, layer.checkout_files);
        set_if_some(&mut self.sandbox_mb, layer.sandbox_mb);
        set_if_some(&mut self.replay_days, layer.replay_days);
    }
}

impl Default for DiskConfig {
    fn default() -> Self {
        Self {
            checkout_mb: 2_048,
            checkout_files: 500_000,
            sandbox_mb: 20_480,
            replay_days: 30,
        }
    }
}

/// The user's configuration, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The data folder.
    pub home: PathBuf,
    /// Where GitHub's REST API answers, without a slash at the end.
    pub api_url: String,
    /// Whose token of `gh` is used; none for the account that `gh` uses itself.
    pub account: Option<Login>,
    /// The GitHub App that loops act as (§18.2); none: a person's account.
    pub app: Option<AppSettings>,
    /// The language of what people read: `en` or `fr`.
    pub language: &'static str,
    /// Whether a repository's own linters review too.
    pub linters: bool,
    /// How many loops work at once.
    pub slots: usize,
    /// What every loop goes by unless its repository tightens it.
    pub policy: Policy,
    /// Commands that every fix must pass.
    pub verify: Vec<String>,
    /// What is run before them, with a network of `prepare_hosts`.
    pub prepare: Option<String>,
    /// The hosts that it reaches. A repository's own reaches none but these.
    pub prepare_hosts: Vec<HostPattern>,
    /// How much a pull request may write to the disk.
    pub disk: DiskConfig,
    /// Which sessions may go to runners on other machines.
    pub runners: RunnersConfig,
    /// What models and agents may spend.
    pub budget: Budget,
    /// The language model that reviewers run on, if one is set up.
    pub llm: Option<LlmSettings>,
    /// Those that take over when another does not answer, by name.
    pub models: BTreeMap<String, LlmSettings>,
    /// What the layers say of them.
    pub model_layers: BTreeMap<String, LlmLayer>,
    /// The language models of personas that say something of theirs.
    pub persona_models: BTreeMap<String, LlmSettings>,
    /// Coding agents beside those that Collie knows, or with another command.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Servers of tools that agents are handed on.
    pub mcp_servers: BTreeMap<String, McpServerSettings>,
    /// What personas run on.
    pub reviewers: BTreeMap<String, ReviewerSettings>,
    /// Who fixes.
    pub fixer: FixerSettings,
    /// `autonomy`, where it is set: what holds for repositories that say nothing themselves.
    pub autonomy: Option<Autonomy>,
    /// The desktop app's repositories, in the order shown (§13.1).
    pub repositories: Vec<WatchedRepository>,
    /// How the desktop app behaves.
    pub desktop: DesktopConfig,
}

impl Config {
    /// Whether the user runs what pull requests of this repository bring without a sandbox.
    pub fn runs_unsandboxed(&self, repo: &RepoName) -> bool {
        let mut listed = self.repositories.iter();
        listed.any(|watched| watched.unsandboxed && watched.name.eq_ignore_case(repo))
    }

    /// How far Collie goes by itself in a repository, as the user set it; none where nothing is said of it. A repository that is listed
    /// without a level was so before there were levels, and Collie pushed there.
    pub fn autonomy_of(&self, repo: &RepoName) -> Option<Autonomy> {
        let mut listed = self.repositories.iter();
        let watched = listed.find(|watched| watched.name.eq_ignore_case(repo));
        let own = watched.and_then(|watched| watched.autonomy);
        let level = own.or(self.autonomy);
        let level = level.or(watched.map(|_| Autonomy::Push))?;
        Some(level.min(self.policy.max_autonomy))
    }

    /// Whether the user lets pull requests of `repo` have issues of `other` read.
    pub fn reads_from(&self, repo: &RepoName, other: &RepoName) -> bool {
        let mut listed = self.repositories.iter();
        listed.any(|watched| {
            let mut sources = watched.read_from.iter();
            watched.name.eq_ignore_case(repo) && sources.any(|name| name.eq_ignore_case(other))
        })
    }

    /// Merges layers, the later over the earlier: the user's file, the environment, the flags.
    pub fn resolve(home: PathBuf, layers: &[ConfigLayer]) -> Result<Self, ConfigError> {
        let mut config = Self {
            home,
            api_url: GITHUB_API_URL.to_owned(),
            account: None,
            app: None,
            language: "en",
            linters: true,
            slots: 3,
            policy: Policy {
                bots: shipped_bots()
                    .iter()
                    .map(|shipped| shipped.bot.clone())
                    .collect(),
                ..Policy::default()
            },
            verify: Vec::new(),
            prepare: None,
            prepare_hosts: Vec::new(),
            disk: DiskConfig::default(),
            runners: RunnersConfig::default(),
            budget: Budget::default(),
            llm: None,
            models: BTreeMap::new(),
            model_layers: BTreeMap::new(),
            persona_models: BTreeMap::new(),
            agents: BTreeMap::new(),
            mcp_servers: BTreeMap::new(),
            reviewers: BTreeMap::new(),
            fixer: FixerSettings::default(),
            autonomy: None,
            repositories: Vec::new(),
            desktop: DesktopConfig::default(),
        };
        let mut llm = LlmLayer::default();
        for layer in layers {
            config.apply_layer(layer)?;
            llm.apply(&layer.llm);
        }
        config.resolve_models(&llm, layers)?;
        config.check_agents()?;
        if layers.iter().all(|layer| layer.stages.is_none()) {
            config.seat_quinn();
        }
        config.allow_escalations();
        config.assign_accounts();
        let intervals = [
            ("poll_interval", config.policy.poll_interval_ms),
            ("ready_poll_interval", config.policy.ready_poll_interval_ms),
        ];
        for (key, interval) in intervals {
            if host_of(&config.api_url) == "github.com" && interval < MIN_GITHUB_POLL_MS {
                let kind = ConfigErrorKind::PollTooFast;
                return Err(ConfigError::of_all_layers(key, kind));
            }
        }
        Ok(config)
    }

    /// Gives Quinn a seat in the stage that there is when nobody names any, where it has something to run on.
    fn seat_quinn(&mut self) {
        let quinn = ShippedPersona::Quinn.name();
        if self.runner_of(quinn).is_some() {
            let first = &mut self.policy.stages[0].reviewers;
            first.insert(0, ReviewerSpec::agent(quinn));
        }
    }

    /// Makes models of what all layers say of them: of all personas, of one, and of those that take over.
    fn resolve_models(
        &mut self,
        llm: &LlmLayer,
        layers: &[ConfigLayer],
    ) -> Result<(), ConfigError> {
        let resolved = |table: &str, layer: &LlmLayer| {
            let wrong = |(key, kind)| ConfigError::of_all_layers(&format!("{table}.{key}"), kind);
            layer.resolve().map_err(wrong)
        };
        self.llm = resolved("llm", llm)?;
        for (name, layer) in layers.iter().flat_map(|layer| &layer.models) {
            let table = format!("models.{name}");
            let Some(settings) = resolved(&table, layer)? else {
                let key = format!("{table}.provider");
                return Err(ConfigError::of_all_layers(
                    &key,
                    ConfigErrorKind::LlmIncomplete,
                ));
            };
            self.models.insert(name.clone(), settings);
            self.model_layers.insert(name.clone(), layer.clone());
        }
        for (name, settings) in &self.reviewers {
            let own = settings.own_llm();
            if own == LlmLayer::default() {
                continue;
            }
            let merged = llm.for_persona(&own);
            let told = match (&self.llm, own.provider) {
                // Without any provider there is nothing that it could be of; `runs_on` says the rest.
                (None, None) => None,
                _ => resolved(&format!("reviewers.{name}"), &merged)?,
            };
            self.persona_models
                .extend(told.map(|told| (name.clone(), told)));
        }
        self.check_fallbacks()
    }

    /// What all layers together say of the model of a table: `llm`, `models.NAME` or `reviewers.NAME`. The model may be missing, nothing else that a
    /// service cannot be asked without.
    pub fn model_of_table(
        layers: &[ConfigLayer],
        table: &str,
    ) -> Result<LlmSettings, Box<ConfigProblem>> {
        let mut llm = LlmLayer::default();
        for layer in layers {
            llm.apply(&layer.llm);
        }
        let later_first = || layers.iter().rev();
        let layer = match table.split_once('.') {
            Some(("models", name)) => later_first()
                .find_map(|layer| layer.models.get(name))
                .cloned()
                .unwrap_or_default(),
            Some(("reviewers", name)) => {
                let own = later_first().find_map(|layer| layer.reviewers.get(name));
                own.map_or_else(|| llm.clone(), |own| llm.for_persona(&own.own_llm()))
            }
            _ => llm,
        };
        layer.resolve_service().map_err(|(key, kind)| {
            Box::new(ConfigProblem {
                source: ConfigSource::AllLayers,
                line: None,
                key: format!("{table}.{key}"),
                kind,
            })
        })
    }

    /// Every name of a model that takes over must be one.
    fn check_fallbacks(&self) -> Result<(), ConfigError> {
        let personas = self.persona_models.iter();
        let personas = personas.map(|(name, model)| (format!("reviewers.{name}"), model));
        let all = self.llm.iter().map(|model| ("llm".to_owned(), model));
        let known: Vec<&str> = self.models.keys().map(String::as_str).collect();
        for (table, model) in all.chain(personas) {
            for name in &model.fallback {
                if !known.contains(&name.as_str()) {
                    let kind = ConfigErrorKind::UnknownModel {
                        name: name.clone(),
                        near: nearest(name, &known).map(str::to_owned),
                    };
                    let key = format!("{table}.fallback");
                    return Err(ConfigError::of_all_layers(&key, kind));
                }
            }
        }
        Ok(())
    }

    /// The language model of a persona: its own, else the one of all.
    pub fn model_of(&self, persona: &str) -> Option<&LlmSettings> {
        self.persona_models.get(persona).or(self.llm.as_ref())
    }

    /// Every language model that is set up.
    pub fn all_models(&self) -> impl Iterator<Item = &LlmSettings> {
        let others = self.models.values().chain(self.persona_models.values());
        self.llm.iter().chain(others)
    }

    /// What a persona runs on: what its table says, else the model, else the agent that fixes. None: nothing is set up for it.
    pub fn runner_of(&self, persona: &str) -> Option<&str> {
        let own = self.reviewers.get(persona);
        let own = own.and_then(|settings| settings.runs_on.as_deref());
        let model = self.model_of(persona).map(|_| RUNS_ON_LLM);
        let fixer = self
            .fixer
            .runs_on
            .as_deref()
            .filter(|name| *name != RUNS_ON_RULES);
        own.or(model).or(fixer)
    }

    /// Whether a reviewer may be an agent.
    pub fn may_ask_agents(&self) -> bool {
        let any = self.reviewers.keys().map(String::as_str).chain([""]);
        let mut runners = any.filter_map(|persona| self.runner_of(persona));
        runners.any(|runner| runner != RUNS_ON_LLM && runner != RUNS_ON_RULES)
    }

    /// Every name of an agent must be one.
    fn check_agents(&self) -> Result<(), ConfigError> {
        let mut known: Vec<&str> = AGENTS.to_vec();
        for (name, agent) in &self.agents {
            if agent.command.is_empty() && !AGENTS.contains(&name.as_str()) {
                let key = format!("agents.{name}");
                return Err(ConfigError::of_all_layers(
                    &key,
                    ConfigErrorKind::AgentWithoutCommand,
                ));
            }
            known.push(name);
        }
        let check = |key: &str, name: &str, also: &'static str| {
            if name == also || known.contains(&name) {
                return Ok(());
            }
            let mut near = known.clone();
            near.push(also);
            let kind = ConfigErrorKind::UnknownAgent {
                name: name.to_owned(),
                near: nearest(name, &near).map(str::to_owned),
            };
            Err(ConfigError::of_all_layers(key, kind))
        };
        for (name, reviewer) in &self.reviewers {
            let key = format!("reviewers.{name}.runs_on");
            match reviewer.runs_on.as_deref() {
                Some(RUNS_ON_LLM) if self.model_of(name).is_none() => {
                    return Err(ConfigError::of_all_layers(
                        &key,
                        ConfigErrorKind::LlmIncomplete,
                    ));
                }
                Some(runs_on) => check(&key, runs_on, RUNS_ON_LLM)?,
                None => {}
            }
            let verdicts = [reviewer.may_approve, reviewer.may_request_changes];
            if reviewer.account.is_none() && verdicts.contains(&Some(true)) {
                let key = format!("reviewers.{name}.account");
                let kind = ConfigErrorKind::VerdictWithoutAccount;
                return Err(ConfigError::of_all_layers(&key, kind));
            }
        }
        if let Some(runs_on) = &self.fixer.runs_on {
            check("fixer.runs_on", runs_on, RUNS_ON_RULES)?;
        }
        for agent in self.fixer.by_author.values() {
            check("fixer.by_author", agent, RUNS_ON_RULES)?;
        }
        Ok(())
    }

    /// Gives each persona of the panel the personas that it may ask in: those that its table names, else those that its own file does.
    /// Quinn's names Sam (§4.1). A persona of a repository's base has to be named in a table.
    pub(crate) fn allow_escalations(&mut self) {
        let (personas, _) = load_personas(&self.home);
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

    /// Says in the policy who speaks as a GitHub account of its own (§18.2).
    fn assign_accounts(&mut self) {
        let account = |(name, settings): (&String, &ReviewerSettings)| {
            let account = PersonaAccount {
                login: settings.account.clone()?,
                may_approve: settings.may_approve.unwrap_or(false),
                may_request_changes: settings.may_request_changes.unwrap_or(false),
            };
            Some((name.clone(), account))
        };
        self.policy.accounts = AccountPolicy {
            personas: self.reviewers.iter().filter_map(account).collect(),
            authors: self.fixer.accounts.clone(),
        };
    }

    /// How much a pull request may write to the disk, and models and agents may spend.
    fn apply_limits(&mut self, layer: &ConfigLayer) {
        self.disk.apply(layer.disk);
        self.runners.apply(&layer.runners);
        overlay_budget(&mut self.budget.pull_request, layer.budget.pull_request);
        overlay_budget(&mut self.budget.day, layer.budget.day);
        overlay_budget(&mut self.budget.total, layer.budget.total);
    }

    fn apply_layer(&mut self, layer: &ConfigLayer) -> Result<(), ConfigError> {
        if let Some(url) = &layer.github_api_url {
            self.api_url.clone_from(url);
        }
        if let Some(account) = &layer.github_account {
            self.account = Some(account.clone());
        }
        let AppLayer {
            id,
            account,
            key_file,
        } = &layer.app;
        if layer.app != AppLayer::default() {
            let (Some(id), Some(account)) = (id.clone(), account.clone()) else {
                let kind = ConfigErrorKind::AppIncomplete;
                return Err(ConfigError::of_all_layers("app", kind));
            };
            let key_file = key_file.clone();
            self.app = Some(AppSettings {
                id,
                account,
                key_file,
            });
        }
        set_if_some(&mut self.language, layer.language);
        set_if_some(&mut self.linters, layer.linters);
        if let Some(slots) = layer.slots {
            self.slots = usize::try_from(slots).expect("at most 64, which fits");
        }
        if layer.prepare.command.is_some() {
            self.prepare.clone_from(&layer.prepare.command);
        }
        set_if_some(&mut self.prepare_hosts, layer.prepare.hosts.clone());
        self.apply_limits(layer);
        self.autonomy = layer.autonomy.or(self.autonomy);
        if let Some(commands) = &layer.verify {
            self.verify.clone_from(commands);
        }
        self.agents.extend(layer.agents.clone());
        self.mcp_servers.extend(layer.mcp_servers.clone());
        self.reviewers.extend(layer.reviewers.clone());
        set_if_some(&mut self.fixer, layer.fixer.clone());
        set_if_some(&mut self.repositories, layer.repositories.clone());
        set_if_some(&mut self.desktop.theme, layer.theme);
        set_if_some(&mut self.desktop.notifications, layer.notifications);
        set_if_some(&mut self.desktop.keep_running, layer.keep_running);
        set_if_some(&mut self.desktop.new_repositories, layer.new_repositories);
        let policy = &mut self.policy;
        add_bots(&mut policy.bots, &layer.bots);
        set_if_some(&mut policy.max_iterations, layer.max_iterations);
        set_if_some(&mut policy.ci_timeout_ms, layer.ci_check_timeout);
        set_if_some(&mut policy.bot_timeout_ms, layer.external_bot_timeout);
        set_if_some(&mut policy.poll_interval_ms, layer.poll_interval);
        set_if_some(
            &mut policy.ready_poll_interval_ms,
            layer.ready_poll_interval,
        );
        set_if_some(&mut policy.red_collect_ms, layer.collect_failures_for);
        set_if_some(&mut policy.no_checks_grace_ms, layer.no_checks_grace);
        set_if_some(&mut policy.max_restarts, layer.max_restarts);
        set_if_some(&mut policy.session_retries, layer.session_retries);
        set_if_some(&mut policy.comment_threshold, layer.comment_threshold);
        set_if_some(&mut policy.max_comments, layer.max_comments);
        set_if_some(&mut policy.strictness, layer.strictness);
        set_if_some(&mut policy.unseen, layer.unseen);
        set_if_some(&mut policy.max_autonomy, layer.autonomy);
        set_if_some(&mut policy.merge_base, layer.merge_base);
        set_if_some(&mut policy.fix, layer.fix);
        set_if_some(&mut policy.fix_suggestions, layer.fix_suggestions);
        set_if_some(&mut policy.ignored_checks, layer.ignored_checks.clone());
        set_if_some(&mut policy.allowed_users, layer.allowed_users.clone());
        set_if_some(&mut policy.ignore_label, layer.ignore_label.clone());
        set_if_some(&mut policy.stages, layer.stages.clone());
        if let Some(names) = &layer.expected_bots {
            policy.expected_bots = expected_bot_ids(names, &policy.bots)?;
        }
        Ok(())
    }
}

/// Each limit that the layer says replaces the one before.
fn overlay_budget(limit: &mut BudgetLimit, layer: BudgetLimit) {
    limit.cost_micros = layer.cost_micros.or(limit.cost_micros);
    limit.tokens = layer.tokens.or(limit.tokens);
}

fn set_if_some<T>(target: &mut T, value: Option<T>) {
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

pub(crate) fn expected_bot_ids(
    names: &[Login],
    bots: &[KnownBot],
) -> Result<BTreeSet<AccountId>, ConfigError> {
    names
        .iter()
        .map(|name| {
            bots.iter()
                .find(|bot| bot.login == *name)
                .map(|bot| bot.id)
                .ok_or_else(|| {
                    let known: Vec<&str> = bots.iter().map(|bot| bot.login.as_str()).collect();
                    let kind = ConfigErrorKind::UnknownBot {
                        login: name.to_string(),
                        near: nearest(name.as_str(), &known).map(str::to_owned),
                    };
                    ConfigError::of_all_layers("expected_bots", kind)
                })
        })
        .collect()
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

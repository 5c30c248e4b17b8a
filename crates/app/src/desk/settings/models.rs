//! The settings of language models, agents, personas and fixers (§4.1, §6.1, §15), and what each may be set to.

use super::table::{Setting, choice, number, setting, share, some};
use crate::config::{
    AGENTS, AgentSettings, CONTEXT_TOKENS, Config, FixerSettings, LLM, LlmSettings, MAX_TOKENS,
    PERSONAS, PROVIDERS, RULES, ReviewerSettings, USUAL_CONTEXT_TOKENS, USUAL_MAX_TOKENS,
};
use crate::panel;
use collie_agents::llm::Provider;
use collie_core::ids::Login;
use collie_core::policy::ReviewerKind;
use collie_wire::rpc::{
    AgentSetting, AuthorSetting, PersonaOffer, PersonaSetting, ProviderKey, SettingGroup,
    SettingKind,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The settings of the page, in the order shown.
pub(super) fn models() -> Vec<Setting> {
    let mut all = llm();
    all.extend(who());
    all
}

fn llm() -> Vec<Setting> {
    use SettingGroup::Models;
    vec![
        setting(
            "llm.provider",
            Models,
            choice(PROVIDERS),
            |l| some(l.llm.provider),
            |c| of_llm(c, |llm| json!(llm.provider)),
        )
        .variable("LLM_PROVIDER"),
        setting(
            "llm.model",
            Models,
            SettingKind::Text,
            |l| some(l.llm.model.as_ref()),
            |c| of_llm(c, |llm| json!(llm.model)),
        )
        .variable("LLM_MODEL"),
        setting(
            "llm.url",
            Models,
            SettingKind::Text,
            |l| some(l.llm.url.as_ref()),
            |c| of_llm(c, |llm| json!(llm.url)),
        )
        .variable("LLM_API_URL"),
        setting(
            "llm.temperature",
            Models,
            SettingKind::Decimal { most: 2 },
            |l| l.llm.temperature.map(share),
            |c| of_llm(c, |llm| json!(llm.temperature.map(share))),
        ),
        setting(
            "llm.max_tokens",
            Models,
            number(MAX_TOKENS),
            |l| some(l.llm.max_tokens),
            |c| of_llm(c, |llm| json!(llm.max_tokens)),
        )
        .usual(USUAL_MAX_TOKENS),
        setting(
            "llm.context_tokens",
            Models,
            number(CONTEXT_TOKENS),
            |l| some(l.llm.context_tokens),
            |c| of_llm(c, |llm| json!(llm.context_tokens)),
        )
        .usual(USUAL_CONTEXT_TOKENS),
    ]
}

/// A setting of the model; null while none is set up.
fn of_llm(config: &Config, setting: impl Fn(&LlmSettings) -> Value) -> Value {
    config.llm.as_ref().map_or(Value::Null, setting)
}

fn who() -> Vec<Setting> {
    use SettingGroup::Models;
    let runs = || SettingKind::Runner {
        options: Vec::new(),
    };
    let authors_kind = SettingKind::Authors {
        options: Vec::new(),
    };
    vec![
        setting(
            "fixer.runs_on",
            Models,
            runs(),
            |l| some(l.fixer.as_ref().and_then(|fixer| fixer.runs_on.as_ref())),
            |c| json!(c.fixer.runs_on.as_deref().unwrap_or(RULES)),
        ),
        setting(
            "fixer.by_author",
            Models,
            authors_kind,
            |l| l.fixer.as_ref().and_then(said_authors),
            |c| authors(&c.fixer.by_author),
        )
        .unordered(),
        setting(
            "reviewers",
            Models,
            SettingKind::Personas {
                options: Vec::new(),
                personas: Vec::new(),
            },
            |l| (!l.reviewers.is_empty()).then(|| personas(&l.reviewers)),
            |c| personas(&c.reviewers),
        ),
        setting(
            "agents",
            Models,
            SettingKind::Agents {
                known: AGENTS.iter().map(|name| (*name).to_owned()).collect(),
            },
            |l| (!l.agents.is_empty()).then(|| agents(&l.agents)),
            |c| agents(&c.agents),
        ),
    ]
}

fn said_authors(fixer: &FixerSettings) -> Option<Value> {
    (!fixer.by_author.is_empty()).then(|| authors(&fixer.by_author))
}

fn authors(by_author: &BTreeMap<Login, String>) -> Value {
    let rows = by_author.iter().map(|(login, runs_on)| AuthorSetting {
        login: login.as_str().to_owned(),
        runs_on: runs_on.clone(),
    });
    json!(rows.collect::<Vec<_>>())
}

fn personas(reviewers: &BTreeMap<String, ReviewerSettings>) -> Value {
    let rows = reviewers.iter().map(|(name, settings)| PersonaSetting {
        name: name.clone(),
        runs_on: settings.runs_on.clone(),
        model: settings.model.clone(),
        escalates_to: settings.escalates_to.clone(),
    });
    json!(rows.collect::<Vec<_>>())
}

fn agents(agents: &BTreeMap<String, AgentSettings>) -> Value {
    let rows = agents.iter().map(|(name, settings)| AgentSetting {
        name: name.clone(),
        command: settings.command.clone(),
        env: settings.env.clone(),
    });
    json!(rows.collect::<Vec<_>>())
}

/// What the settings may be set to here: this depends on the agents and personas that the user has.
pub(super) struct Offers {
    agents: Vec<String>,
    personas: Vec<PersonaOffer>,
    wrong: Vec<String>,
}

impl Offers {
    /// The agents and personas of a configuration, with the persona files of the data folder.
    pub(super) fn of(config: Option<&Config>, home: &Path) -> Self {
        let agents = match config {
            Some(config) => panel::agents(config)
                .into_iter()
                .map(|agent| agent.id)
                .collect(),
            None => AGENTS.iter().map(|name| (*name).to_owned()).collect(),
        };
        let (described, wrong) = panel::personas(home);
        let asks_in = |name: &str| {
            let found = described.iter().find(|persona| persona.name == name);
            found.map_or_else(Vec::new, |persona| persona.may_escalate_to.clone())
        };
        let title = |name: &str| {
            let found = described.iter().find(|persona| persona.name == name)?;
            (!PERSONAS.contains(&name)).then(|| found.title.clone())
        };
        let personas = names(
            config,
            described.iter().map(|persona| persona.name.as_str()),
        )
        .into_iter()
        .map(|name| PersonaOffer {
            title: title(&name),
            asks_in: asks_in(&name),
            runs_on: config.and_then(|c| c.reader(&name).map(str::to_owned)),
            name,
        })
        .collect();
        Self {
            agents,
            personas,
            wrong,
        }
    }

    /// A kind with what it offers here.
    pub(super) fn fill(&self, kind: SettingKind) -> SettingKind {
        let beside = |first: &str| {
            let mut options = vec![first.to_owned()];
            options.extend(self.agents.iter().cloned());
            options
        };
        match kind {
            SettingKind::Stages { .. } => SettingKind::Stages {
                personas: self.personas.clone(),
                wrong: self.wrong.clone(),
            },
            SettingKind::Runner { .. } => SettingKind::Runner {
                options: beside(RULES),
            },
            SettingKind::Authors { .. } => SettingKind::Authors {
                options: beside(RULES),
            },
            SettingKind::Personas { .. } => SettingKind::Personas {
                options: beside(LLM),
                personas: self.personas.clone(),
            },
            SettingKind::Agents { .. }
            | SettingKind::Toggle
            | SettingKind::Number { .. }
            | SettingKind::Share
            | SettingKind::Decimal { .. }
            | SettingKind::Duration
            | SettingKind::Text
            | SettingKind::Choice { .. }
            | SettingKind::Logins
            | SettingKind::Texts
            | SettingKind::Bots
            | SettingKind::Repositories => kind,
        }
    }
}

/// Shipped personas, then those with a file, then those that the configuration names: a repository may describe them.
fn names<'a>(config: Option<&'a Config>, described: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = PERSONAS.iter().map(|name| (*name).to_owned()).collect();
    let seats = config
        .into_iter()
        .flat_map(|config| &config.policy.stages)
        .flat_map(|stage| &stage.reviewers)
        .filter(|seat| seat.kind == ReviewerKind::Agent)
        .map(|seat| seat.name.as_str());
    let set_up = config
        .into_iter()
        .flat_map(|config| config.reviewers.keys().map(String::as_str));
    for name in described.chain(seats).chain(set_up) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Where the key of each provider is taken from, in the environment that counts.
pub(super) fn keys(environment: &dyn Fn(&str) -> Option<String>) -> Vec<ProviderKey> {
    let known = PROVIDERS.iter().filter_map(|(name, _)| {
        let provider: Provider = name.parse().ok()?;
        let variables = provider.key_variables();
        let holds = |variable: &&&str| {
            let only = |name: &str| environment(name).filter(|_| name == **variable);
            provider.find_key(only).is_some()
        };
        Some(ProviderKey {
            provider: (*name).to_owned(),
            variables: variables.iter().map(|name| (*name).to_owned()).collect(),
            found: variables.iter().find(holds).map(|name| (*name).to_owned()),
            needed: provider.needs_key(),
        })
    });
    known.collect()
}

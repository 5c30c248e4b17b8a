//! The settings of language models, agents, personas and fixers (§4.1, §6.1, §15), and what each may be set to.

use super::header_edit::header_rows;
use super::mcp_settings::mcp_setting;
use super::setting::{
    Setting, choice_kind, number_kind, optional_value, path_texts, permille_value, setting,
};
use collie_agents::llm::Effort;
use collie_config::{
    AGENTS, AgentSettings, CONTEXT_TOKENS, Config, DEFAULT_CONTEXT_TOKENS, DEFAULT_MAX_TOKENS,
    EFFORTS, FixerSettings, LlmLayer, LlmSettings, MAX_TOKENS, PERSONAS, PROVIDERS, RUNS_ON_LLM,
    RUNS_ON_RULES, ReviewerSettings, load_personas,
};
use collie_core::ids::Login;
use collie_core::policy::ReviewerKind;
use collie_core::user_error::UserError;
use collie_i18n::Localizer;
use collie_wire::rpc::{
    AgentSetting, AuthorSetting, ModelOptions, ModelSetting, PersonaOption, PersonaSetting,
    SettingGroup, SettingKind,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The settings of the page, in the order shown.
pub(super) fn model_settings() -> Vec<Setting> {
    let mut all = llm_settings();
    all.extend(llm_options());
    all.extend(fallback_settings());
    all.extend(runner_settings());
    all
}

fn llm_settings() -> Vec<Setting> {
    use SettingGroup::Models;
    vec![
        setting(
            "llm.provider",
            Models,
            choice_kind(PROVIDERS),
            |layer| optional_value(layer.llm.provider),
            |config| of_llm(config, |llm| json!(llm.provider)),
        )
        .variable("LLM_PROVIDER"),
        setting(
            "llm.model",
            Models,
            SettingKind::Text,
            |layer| optional_value(layer.llm.model.as_ref()),
            |config| of_llm(config, |llm| json!(llm.model)),
        )
        .variable("LLM_MODEL"),
        setting(
            "llm.url",
            Models,
            SettingKind::Text,
            |layer| optional_value(layer.llm.url.as_ref()),
            |config| of_llm(config, |llm| json!(llm.url)),
        )
        .variable("LLM_API_URL"),
        setting(
            "llm.key_variable",
            Models,
            SettingKind::Text,
            |layer| optional_value(layer.llm.key_variable.as_ref()),
            |config| of_llm(config, |llm| json!(llm.key_variable)),
        ),
        setting(
            "llm.key_command",
            Models,
            SettingKind::Program,
            |layer| optional_value(layer.llm.key_command.as_ref()),
            |config| of_llm(config, |llm| list_value(&llm.key_command)),
        ),
    ]
}

/// How the model is asked.
fn llm_options() -> Vec<Setting> {
    use SettingGroup::Models;
    vec![
        setting(
            "llm.effort",
            Models,
            choice_kind(EFFORTS),
            |layer| layer.llm.effort.map(effort_value),
            |config| of_llm(config, |llm| json!(llm.effort.map(effort_value))),
        ),
        setting(
            "llm.temperature",
            Models,
            SettingKind::Decimal { max: 2 },
            |layer| layer.llm.temperature.map(permille_value),
            |config| of_llm(config, |llm| json!(llm.temperature.map(permille_value))),
        ),
        setting(
            "llm.max_tokens",
            Models,
            number_kind(MAX_TOKENS),
            |layer| optional_value(layer.llm.max_tokens),
            |config| of_llm(config, |llm| json!(llm.max_tokens)),
        )
        .fallback(DEFAULT_MAX_TOKENS),
        setting(
            "llm.context_tokens",
            Models,
            number_kind(CONTEXT_TOKENS),
            |layer| optional_value(layer.llm.context_tokens),
            |config| of_llm(config, |llm| json!(llm.context_tokens)),
        )
        .fallback(DEFAULT_CONTEXT_TOKENS),
        setting(
            "llm.headers",
            Models,
            SettingKind::Headers,
            |layer| {
                let headers = layer.llm.headers.as_ref();
                headers.map(|headers| json!(header_rows(headers)))
            },
            |config| of_llm(config, |llm| list_value(&header_rows(&llm.headers))),
        ),
    ]
}

/// Who takes over from the model.
fn fallback_settings() -> Vec<Setting> {
    use SettingGroup::Models;
    vec![
        setting(
            "llm.fallback",
            Models,
            SettingKind::ModelNames,
            |layer| optional_value(layer.llm.fallback.as_ref()),
            |config| of_llm(config, |llm| list_value(&llm.fallback)),
        ),
        setting(
            "models",
            Models,
            SettingKind::Models {
                providers: provider_words(),
                efforts: effort_words(),
            },
            |layer| (!layer.models.is_empty()).then(|| model_values(&layer.models)),
            |config| model_values(&config.model_layers),
        ),
    ]
}

/// A list; null where it is empty, which is silence.
fn list_value<T: Serialize>(list: &[T]) -> Value {
    match list.is_empty() {
        true => Value::Null,
        false => json!(list),
    }
}

fn effort_value(effort: Effort) -> Value {
    json!(effort_word(effort))
}

fn effort_word(effort: Effort) -> String {
    let found = EFFORTS.iter().find(|(_, meant)| *meant == effort);
    found.map_or_else(String::new, |(name, _)| (*name).to_owned())
}

fn provider_words() -> Vec<String> {
    PROVIDERS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect()
}

fn effort_words() -> Vec<String> {
    EFFORTS.iter().map(|(name, _)| (*name).to_owned()).collect()
}

fn model_values(models: &BTreeMap<String, LlmLayer>) -> Value {
    let rows = models.iter().map(|(name, layer)| ModelSetting {
        name: name.clone(),
        model: layer.model.clone(),
        options: model_options(layer),
    });
    json!(rows.collect::<Vec<_>>())
}

/// What a layer says of a model besides its name.
fn model_options(layer: &LlmLayer) -> ModelOptions {
    let headers = layer.headers.as_ref().map(header_rows);
    ModelOptions {
        provider: layer.provider.map(str::to_owned),
        url: layer.url.clone(),
        effort: layer.effort.map(effort_word),
        temperature: layer.temperature.map(permille_value),
        max_tokens: layer.max_tokens.map(|tokens| json!(tokens)),
        context_tokens: layer.context_tokens.map(|tokens| json!(tokens)),
        key_variable: layer.key_variable.clone(),
        key_command: layer.key_command.clone().unwrap_or_default(),
        headers: headers.unwrap_or_default(),
    }
}

/// A setting of the model; null while none is set up.
fn of_llm(config: &Config, setting: impl Fn(&LlmSettings) -> Value) -> Value {
    config.llm.as_ref().map_or(Value::Null, setting)
}

fn runner_settings() -> Vec<Setting> {
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
            |layer| {
                optional_value(
                    layer
                        .fixer
                        .as_ref()
                        .and_then(|fixer| fixer.runs_on.as_ref()),
                )
            },
            |config| json!(config.fixer.runs_on.as_deref().unwrap_or(RUNS_ON_RULES)),
        ),
        setting(
            "fixer.by_author",
            Models,
            authors_kind,
            |layer| layer.fixer.as_ref().and_then(configured_authors),
            |config| author_values(&config.fixer.by_author),
        )
        .unordered(),
        setting(
            "reviewers",
            Models,
            SettingKind::Personas {
                options: Vec::new(),
                personas: Vec::new(),
                providers: provider_words(),
                efforts: effort_words(),
            },
            |layer| (!layer.reviewers.is_empty()).then(|| persona_values(&layer.reviewers)),
            |config| persona_values(&config.reviewers),
        ),
        setting(
            "agents",
            Models,
            SettingKind::Agents {
                known: AGENTS.iter().map(|name| (*name).to_owned()).collect(),
                efforts: effort_words(),
            },
            |layer| (!layer.agents.is_empty()).then(|| agent_values(&layer.agents)),
            |config| agent_values(&config.agents),
        ),
        mcp_setting(),
    ]
}

fn configured_authors(fixer: &FixerSettings) -> Option<Value> {
    (!fixer.by_author.is_empty()).then(|| author_values(&fixer.by_author))
}

fn author_values(by_author: &BTreeMap<Login, String>) -> Value {
    let rows = by_author.iter().map(|(login, runs_on)| AuthorSetting {
        login: login.as_str().to_owned(),
        runs_on: runs_on.clone(),
    });
    json!(rows.collect::<Vec<_>>())
}

fn persona_values(reviewers: &BTreeMap<String, ReviewerSettings>) -> Value {
    let rows = reviewers.iter().map(|(name, settings)| PersonaSetting {
        name: name.clone(),
        runs_on: settings.runs_on.clone(),
        model: settings.model.clone(),
        escalates_to: settings.escalates_to.clone(),
        options: model_options(&settings.llm),
        fallback: settings.llm.fallback.clone(),
    });
    json!(rows.collect::<Vec<_>>())
}

fn agent_values(agents: &BTreeMap<String, AgentSettings>) -> Value {
    let rows = agents.iter().map(|(name, settings)| AgentSetting {
        name: name.clone(),
        command: settings.command.clone(),
        env: settings.env.clone(),
        hosts: settings.hosts.iter().map(ToString::to_string).collect(),
        readable: path_texts(&settings.readable),
        state: path_texts(&settings.state),
        model: settings.model.clone(),
        effort: settings.effort.map(effort_word),
    });
    json!(rows.collect::<Vec<_>>())
}

/// What the settings may be set to here: this depends on the agents and personas that the user has.
pub(super) struct SettingOptions {
    agents: Vec<String>,
    personas: Vec<PersonaOption>,
    invalid_personas: Vec<UserError>,
}

impl SettingOptions {
    /// The agents and personas of a configuration, with the persona files of the data folder.
    pub(super) fn of(config: Option<&Config>, home: &Path) -> Self {
        let agents = match config {
            Some(config) => collie_reviewers::agent_specs(config)
                .into_iter()
                .map(|agent| agent.id)
                .collect(),
            None => AGENTS.iter().map(|name| (*name).to_owned()).collect(),
        };
        let (described, invalid_personas) = load_personas(home);
        let default_escalates_to = |name: &str| {
            let found = described.iter().find(|persona| persona.name == name);
            found.map_or_else(Vec::new, |persona| persona.may_escalate_to.clone())
        };
        let title = |name: &str| {
            let found = described.iter().find(|persona| persona.name == name)?;
            (!PERSONAS.contains(&name)).then(|| found.title.clone())
        };
        let personas = persona_names(
            config,
            described.iter().map(|persona| persona.name.as_str()),
        )
        .into_iter()
        .map(|name| PersonaOption {
            title: title(&name),
            default_escalates_to: default_escalates_to(&name),
            runs_on: config.and_then(|config| config.runner_of(&name).map(str::to_owned)),
            name,
        })
        .collect();
        Self {
            agents,
            personas,
            invalid_personas,
        }
    }

    /// A kind with what it offers here.
    pub(super) fn fill(&self, kind: SettingKind, localizer: &Localizer) -> SettingKind {
        let beside = |first: &str| {
            let mut options = vec![first.to_owned()];
            options.extend(self.agents.iter().cloned());
            options
        };
        match kind {
            SettingKind::Stages { .. } => SettingKind::Stages {
                personas: self.personas.clone(),
                persona_problems: self
                    .invalid_personas
                    .iter()
                    .map(|error| localizer.error_text(error))
                    .collect(),
            },
            SettingKind::Runner { .. } => SettingKind::Runner {
                options: beside(RUNS_ON_RULES),
            },
            SettingKind::Authors { .. } => SettingKind::Authors {
                options: beside(RUNS_ON_RULES),
            },
            SettingKind::Personas {
                providers, efforts, ..
            } => SettingKind::Personas {
                options: beside(RUNS_ON_LLM),
                personas: self.personas.clone(),
                providers,
                efforts,
            },
            SettingKind::Models { .. }
            | SettingKind::Headers
            | SettingKind::Program
            | SettingKind::ModelNames
            | SettingKind::Agents { .. }
            | SettingKind::McpServers { .. }
            | SettingKind::Toggle
            | SettingKind::Number { .. }
            | SettingKind::Fraction
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
fn persona_names<'a>(
    config: Option<&'a Config>,
    described: impl Iterator<Item = &'a str>,
) -> Vec<String> {
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

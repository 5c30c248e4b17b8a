//! From configuration to models, agents and personas.

use crate::key_sources::{KeySources, remembered_keys};
use crate::models::{build_model, model_chain, secret_variables};
use collie_agents::acp::{AgentSpec, known_agents};
use collie_agents::llm::Model;
use collie_agents::prompting::{Persona, parse_personas};
use collie_config::{AgentSettings, Config, RUNS_ON_LLM, RUNS_ON_RULES, user_persona_files};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::ids::Login;
use collie_core::policy::ReviewerKind;
use collie_core::session::{TakeOver, TakeOverReason};
use collie_core::user_error::UserError;
use std::fmt;
use std::path::Path;

/// What a persona runs on.
#[derive(Clone)]
pub(super) enum PersonaRunner {
    /// Language models, of which the first answers as long as it can be had, with the most tokens that one request may have.
    Model {
        models: Vec<Model>,
        context_tokens: u32,
        /// Who answers in place of one that has no key.
        taken_over: Option<TakeOver>,
    },
    /// A coding agent.
    Agent(Box<AgentSpec>),
}

impl fmt::Display for PersonaRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PersonaRunner::Model { models, .. } => match models.first() {
                Some(model) => write!(f, "{model}"),
                None => Ok(()),
            },
            PersonaRunner::Agent(spec) => f.write_str(&spec.name),
        }
    }
}

/// Room for an agent's prompt, in tokens: it reads whole files by itself.
pub(super) const AGENT_PROMPT_TOKENS: u32 = 60_000;

/// What a persona runs on.
pub(super) async fn persona_runner(
    config: &Config,
    persona: &str,
    keys: &KeySources,
) -> Result<PersonaRunner, SessionFailure> {
    match config.runner_of(persona) {
        Some(RUNS_ON_LLM) => model_runner(config, persona, keys).await,
        Some(agent) => {
            let mut spec = require_agent_spec(config, agent)?;
            if let Some(own) = config.reviewers.get(persona) {
                spec.model = own.model.clone().or(spec.model);
                spec.effort = own.llm.effort.or(spec.effort);
            }
            Ok(PersonaRunner::Agent(Box::new(spec)))
        }
        None => Err(setup_failure(ErrorCode::PersonaWithoutRunner, persona)),
    }
}

async fn model_runner(
    config: &Config,
    persona: &str,
    keys: &KeySources,
) -> Result<PersonaRunner, SessionFailure> {
    let settings = config
        .model_of(persona)
        .ok_or_else(|| setup_failure(ErrorCode::PersonaWithoutModel, persona))?;
    let chain = model_chain(config, settings);
    let mut models = Vec::new();
    let mut without_key = None;
    let mut taken_over = None;
    for settings in &chain {
        match build_model(settings, keys).await {
            Ok(model) => {
                if models.is_empty() && without_key.is_some() {
                    taken_over = Some(TakeOver {
                        model: model.to_string(),
                        reason: TakeOverReason::KeyRefused,
                    });
                }
                models.push(model);
            }
            Err(failure) => without_key = without_key.or(Some(failure)),
        }
    }
    if let (true, Some(failure)) = (models.is_empty(), without_key) {
        return Err(failure);
    }
    // A prompt fits all of them, so that each can take over.
    let context_tokens = chain.iter().map(|settings| settings.context_tokens).min();
    Ok(PersonaRunner::Model {
        models,
        context_tokens: context_tokens.unwrap_or(settings.context_tokens),
        taken_over,
    })
}

/// Who fixes what this author opened: the agent that wrote it, else the one for all, else the rules.
pub(super) fn fixer_for_author<'c>(config: &'c Config, author: Option<&Login>) -> &'c str {
    let own = author.and_then(|author| config.fixer.by_author.get(author));
    own.or(config.fixer.runs_on.as_ref())
        .map_or(RUNS_ON_RULES, String::as_str)
}

/// An agent by its name in the configuration; one that is not set up is a failure for good.
pub(super) fn require_agent_spec(config: &Config, name: &str) -> Result<AgentSpec, SessionFailure> {
    agent_spec(config, name).ok_or_else(|| setup_failure(ErrorCode::AgentUnknown, name))
}

/// An agent by its name in the configuration.
pub fn agent_spec(config: &Config, name: &str) -> Option<AgentSpec> {
    let shipped = known_agents().into_iter().find(|spec| spec.id == name);
    let spec = match config.agents.get(name) {
        Some(own) => Some(with_user_settings(shipped, name, own)),
        None => shipped,
    };
    let servers = config.mcp_servers.iter();
    let mcp_servers = servers.map(|(name, server)| server.spec(name)).collect();
    spec.map(|spec| AgentSpec {
        mcp_servers,
        ..spec
    })
}

/// All agents: those that Collie knows, then the user's own.
pub fn agent_specs(config: &Config) -> Vec<AgentSpec> {
    let shipped: Vec<String> = known_agents().into_iter().map(|spec| spec.id).collect();
    let own = config.agents.keys().filter(|name| !shipped.contains(name));
    shipped
        .iter()
        .chain(own)
        .filter_map(|name| agent_spec(config, name))
        .collect()
}

fn with_user_settings(shipped: Option<AgentSpec>, name: &str, own: &AgentSettings) -> AgentSpec {
    let mut spec = shipped.unwrap_or_else(|| AgentSpec {
        id: name.to_owned(),
        name: name.to_owned(),
        ..AgentSpec::default()
    });
    if !own.command.is_empty() {
        spec.command.clone_from(&own.command);
        // Another program has other ways to tell its version.
        spec.version_args.clear();
    }
    spec.env_allowed.extend(own.env.iter().cloned());
    spec.hosts.extend(own.hosts.iter().cloned());
    spec.readable.extend(own.readable.iter().cloned());
    spec.state_folders.extend(own.state.iter().cloned());
    spec.model.clone_from(&own.model);
    spec.effort = own.effort;
    spec
}

/// Whether somebody of the panel, or the fixer, runs on this agent.
pub fn uses_agent(config: &Config, agent: &str) -> bool {
    let seats = config
        .policy
        .stages
        .iter()
        .flat_map(|stage| &stage.reviewers);
    let mut personas = seats.filter(|seat| seat.kind == ReviewerKind::Agent);
    personas.any(|seat| config.runner_of(&seat.name) == Some(agent))
        || config.fixer.runs_on.as_deref() == Some(agent)
        || config.fixer.by_author.values().any(|name| name == agent)
}

/// What models, agents and MCP servers log in with, as this process knows it: none of it may be posted (§8.3).
pub(super) fn secret_values(config: &Config) -> Vec<String> {
    let keys = config.all_models().flat_map(secret_variables);
    let logins = agent_specs(config)
        .into_iter()
        .flat_map(|spec| spec.login_hints.env);
    let servers = config.mcp_servers.iter().flat_map(|(name, server)| {
        let spec = server.spec(name);
        let variables = spec.variables().into_iter().map(str::to_owned);
        variables.collect::<Vec<_>>()
    });
    keys.chain(logins)
        .chain(servers)
        .filter_map(|name| collie_hardening::variable(&name))
        .chain(remembered_keys())
        // A short value would blot out words that are no secret.
        .filter(|value| value.len() >= 8)
        .collect()
}

/// A persona: shipped, from the user's `personas/*.md`, or from the base's `.collie/personas/*.md`; the later the stronger.
pub(super) fn load_persona(
    home: &Path,
    base: &[(String, Vec<u8>)],
    name: &str,
) -> Result<Persona, SessionFailure> {
    let mut files =
        user_persona_files(&home.join("personas")).map_err(SessionFailure::permanent)?;
    files.extend(
        base.iter()
            .map(|(path, bytes)| (path.clone(), String::from_utf8_lossy(bytes).into_owned())),
    );
    let (personas, errors) = parse_personas(&files);
    if let Some(found) = personas.into_iter().find(|persona| persona.name == name) {
        return Ok(found);
    }
    let unknown = UserError::new(ErrorCode::PersonaUnknown).with("name", name);
    let wrong: Vec<UserError> = errors.into_iter().map(UserError::from).collect();
    Err(SessionFailure::permanent(match wrong.is_empty() {
        true => unknown,
        false => unknown.with_causes(wrong),
    }))
}

/// Something that is not set up as `name`, which no other try mends.
fn setup_failure(code: ErrorCode, name: &str) -> SessionFailure {
    SessionFailure::permanent(UserError::new(code).with("name", name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_agents::llm::Effort;
    use collie_config::{ConfigFileKind, ConfigLayer};

    fn config(text: &str) -> Config {
        let layer = ConfigLayer::from_toml("config.toml", text, ConfigFileKind::User).unwrap();
        Config::resolve("/home".into(), &[layer]).unwrap()
    }

    #[tokio::test]
    async fn an_agent_has_the_model_of_its_table_and_a_persona_its_own() {
        let config = config(
            r#"
            [agents.codex]
            model = "gpt-6"
            effort = "low"
            [reviewers.quinn]
            runs_on = "codex"
            [reviewers.sam]
            runs_on = "codex"
            effort = "high"
            [reviewers.priya]
            runs_on = "gemini"
            model = "gemini-3-pro"
            [mcp.docs]
            url = "https://mcp.example.com"
            used_by = ["reviewers"]
            "#,
        );
        let check = async |persona, model: Option<&str>, effort| {
            let keys = KeySources::new(|_| None);
            let Ok(PersonaRunner::Agent(spec)) = persona_runner(&config, persona, &keys).await
            else {
                panic!("{persona} runs on an agent");
            };
            assert_eq!(
                (spec.model.as_deref(), spec.effort),
                (model, effort),
                "{persona}"
            );
            assert_eq!(spec.mcp_servers[0].name, "docs");
        };
        check("quinn", Some("gpt-6"), Some(Effort::Low)).await;
        check("sam", Some("gpt-6"), Some(Effort::High)).await;
        check("priya", Some("gemini-3-pro"), None).await;
    }

    #[test]
    fn what_a_server_logs_in_with_is_a_secret_that_is_known() {
        // Every process has one; as a key it would be told apart from a path by nothing.
        let (name, value) = ("PATH", std::env::var("PATH").unwrap());
        let text =
            format!("[mcp.docs]\ncommand = [\"x\"]\nenv = [\"{name}\"]\nused_by = [\"fixer\"]");
        assert!(secret_values(&config(&text)).contains(&value));
        assert!(!secret_values(&config("")).contains(&value));
    }
}

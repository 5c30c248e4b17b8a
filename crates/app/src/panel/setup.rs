//! From configuration to models, agents and personas.

use crate::config::{AgentSettings, Config, LLM, LlmSettings, RULES};
use collie_agents::acp::{AgentSpec, known};
use collie_agents::llm::{Model, Provider};
use collie_agents::reading::{Persona, PersonaError, load};
use collie_core::ids::Login;
use collie_core::model::SessionFailure;
use collie_core::policy::ReviewerKind;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

/// What a persona runs on.
pub(super) enum Reader {
    /// A language model, with the most tokens that one request may have.
    Model {
        model: Box<Model>,
        context_tokens: u32,
    },
    /// A coding agent.
    Agent(Box<AgentSpec>),
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reader::Model { model, .. } => write!(f, "{model}"),
            Reader::Agent(spec) => f.write_str(&spec.name),
        }
    }
}

/// Room for an agent's prompt, in tokens: it reads whole files by itself.
pub(super) const AGENT_TOKENS: u32 = 60_000;

/// What a persona runs on.
pub(super) fn reader(config: &Config, persona: &str) -> Result<Reader, SessionFailure> {
    match config.reader(persona) {
        Some(LLM) => model(config, persona),
        Some(agent) => spec(config, agent).map(|spec| Reader::Agent(Box::new(spec))),
        None => Err(permanent(format!(
            "{persona} has nothing to run on: set up [llm] with `provider` and `model`, or an agent as [fixer] `runs_on`"
        ))),
    }
}

fn model(config: &Config, persona: &str) -> Result<Reader, SessionFailure> {
    let settings = config.llm.as_ref().ok_or_else(|| {
        permanent(format!(
            "{persona} runs on the language model, and none is set up: [llm] needs `provider` and `model`"
        ))
    })?;
    let own = config.reviewers.get(persona);
    let name = own.and_then(|settings| settings.model.clone());
    Ok(Reader::Model {
        model: Box::new(model_of(settings, name.as_deref())?),
        context_tokens: settings.context_tokens,
    })
}

/// A model with the key that the environment holds for it.
pub(crate) fn model_of(
    settings: &LlmSettings,
    name: Option<&str>,
) -> Result<Model, SessionFailure> {
    let provider: Provider = settings
        .provider
        .parse()
        .map_err(|error| permanent(format!("{error}")))?;
    Ok(Model {
        url: settings.url.clone(),
        key: provider.find_key(|name| std::env::var(name).ok()),
        temperature: settings.temperature.map(|t| f64::from(t) / 1000.0),
        max_tokens: Some(settings.max_tokens),
        ..Model::new(provider, name.unwrap_or(&settings.model))
    })
}

/// Who fixes what this author opened: the agent that wrote it, else the one for all, else the rules.
pub(super) fn fixer<'c>(config: &'c Config, author: Option<&Login>) -> &'c str {
    let own = author.and_then(|author| config.fixer.by_author.get(author));
    own.or(config.fixer.runs_on.as_ref())
        .map_or(RULES, String::as_str)
}

/// An agent by its name in the configuration; one that is not set up is a failure for good.
pub(super) fn spec(config: &Config, name: &str) -> Result<AgentSpec, SessionFailure> {
    spec_of(config, name).ok_or_else(|| {
        permanent(format!(
            "{name} is no agent that Collie knows: set it up as [agents.{name}] with its `command`"
        ))
    })
}

/// An agent by its name in the configuration.
pub fn spec_of(config: &Config, name: &str) -> Option<AgentSpec> {
    let shipped = known().into_iter().find(|spec| spec.id == name);
    match config.agents.get(name) {
        Some(own) => Some(laid_over(shipped, name, own)),
        None => shipped,
    }
}

/// All agents: those that Collie knows, then the user's own.
pub fn agents(config: &Config) -> Vec<AgentSpec> {
    let shipped: Vec<String> = known().into_iter().map(|spec| spec.id).collect();
    let own = config.agents.keys().filter(|name| !shipped.contains(name));
    shipped
        .iter()
        .chain(own)
        .filter_map(|name| spec_of(config, name))
        .collect()
}

fn laid_over(shipped: Option<AgentSpec>, name: &str, own: &AgentSettings) -> AgentSpec {
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
    spec
}

/// The variables of which one must hold the key of a model, when none does.
pub fn missing_key(settings: &LlmSettings) -> Option<&'static [&'static str]> {
    let provider: Provider = settings.provider.parse().ok()?;
    let found = provider.find_key(|name| std::env::var(name).ok());
    (provider.needs_key() && found.is_none()).then(|| provider.key_variables())
}

/// Whether somebody of the panel, or the fixer, runs on this agent.
pub fn uses(config: &Config, agent: &str) -> bool {
    let seats = config
        .policy
        .stages
        .iter()
        .flat_map(|stage| &stage.reviewers);
    let mut personas = seats.filter(|seat| seat.kind == ReviewerKind::Agent);
    personas.any(|seat| config.reader(&seat.name) == Some(agent))
        || config.fixer.runs_on.as_deref() == Some(agent)
        || config.fixer.by_author.values().any(|name| name == agent)
}

/// What models and agents log in with, as this process knows it: none of it may be posted (§8.3).
pub fn secrets(config: &Config) -> Vec<String> {
    let provider = config
        .llm
        .as_ref()
        .and_then(|llm| llm.provider.parse::<Provider>().ok());
    let keys = provider
        .into_iter()
        .flat_map(|provider| provider.key_variables().iter().copied());
    let logins = agents(config).into_iter().flat_map(|spec| spec.login.env);
    keys.map(str::to_owned)
        .chain(logins)
        .filter_map(|name| std::env::var(name).ok())
        // A short value would blot out words that are no secret.
        .filter(|value| value.len() >= 8)
        .collect()
}

/// A persona: shipped, from the user's `personas/*.md`, or from the base's `.collie/personas/*.md`; the later the stronger.
pub(super) fn persona(
    home: &Path,
    base: &[(String, Vec<u8>)],
    name: &str,
) -> Result<Persona, SessionFailure> {
    let mut files = own_files(&home.join("personas")).map_err(permanent)?;
    files.extend(
        base.iter()
            .map(|(path, bytes)| (path.clone(), String::from_utf8_lossy(bytes).into_owned())),
    );
    let (personas, errors) = load(&files);
    if let Some(found) = personas.into_iter().find(|persona| persona.name == name) {
        return Ok(found);
    }
    let wrong: Vec<String> = errors.iter().map(PersonaError::to_string).collect();
    let also = if wrong.is_empty() {
        String::new()
    } else {
        format!("; {}", wrong.join("; "))
    };
    Err(permanent(format!(
        "there is no persona “{name}”: write it as personas/{name}.md in the data folder, or .collie/personas/{name}.md in the repository{also}"
    )))
}

/// The personas that ship and the user's own, and what is wrong with the files of the latter.
pub fn personas(home: &Path) -> (Vec<Persona>, Vec<String>) {
    let (files, unreadable) = match own_files(&home.join("personas")) {
        Ok(files) => (files, None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    let (personas, errors) = load(&files);
    let wrong = errors.iter().map(PersonaError::to_string);
    (personas, unreadable.into_iter().chain(wrong).collect())
}

fn own_files(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let unreadable = |error: std::io::Error| format!("the folder personas cannot be read: {error}");
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|kind| kind == "md") {
            let text = std::fs::read_to_string(&path).map_err(unreadable)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            files.push((format!("personas/{name}"), text));
        }
    }
    files.sort();
    Ok(files)
}

pub(super) fn permanent(message: String) -> SessionFailure {
    SessionFailure::Permanent { message }
}

//! Which models and agents review and fix (§6.1, §15): `[llm]`, `[agents.NAME]`, `[reviewers.NAME]`, `[fixer]`.

use super::error_kind::{ConfigErrorKind, DisplayedValue};
use super::table_reader::{TableReader, TomlFile};
use super::values::{
    Bounds, ValueResult, number, one_of, parse_login, string, strings, temperature, url,
};

use collie_agents::acp::{HostPattern, KnownAgent};
use collie_agents::llm::Provider;
use collie_core::ids::Login;
use collie_core::policy::ShippedPersona;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use toml::de::{DeTable, DeValue};

/// The providers of language models, as `provider` names them.
pub const PROVIDERS: &[(&str, &str)] = &each_by_name::<{ Provider::NAMES.len() }>(Provider::NAMES);

/// The coding agents that Collie knows how to start (§6.1).
pub const AGENTS: &[&str] = KnownAgent::NAMES;

/// The personas that come with Collie (§4.1).
pub const PERSONAS: &[&str] = ShippedPersona::NAMES;

/// Words that mean themselves, as [`one_of`] takes them.
const fn each_by_name<const N: usize>(names: &[&'static str]) -> [(&'static str, &'static str); N] {
    let mut pairs = [("", ""); N];
    let mut at = 0;
    while at < N {
        pairs[at] = (names[at], names[at]);
        at += 1;
    }
    pairs
}

/// `llm.max_tokens`.
pub const MAX_TOKENS: Bounds = Bounds::new(256, 200_000);
/// `llm.context_tokens`.
pub const CONTEXT_TOKENS: Bounds = Bounds::new(2_000, 2_000_000);

/// The longest answer where nobody says, in tokens.
pub const DEFAULT_MAX_TOKENS: u32 = 8_000;
/// The largest request where nobody says, in tokens.
pub const DEFAULT_CONTEXT_TOKENS: u32 = 60_000;

/// `[llm]` as one layer says it; `None` is silence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlmLayer {
    /// `provider`.
    pub provider: Option<&'static str>,
    /// `model`.
    pub model: Option<String>,
    /// `url`.
    pub url: Option<String>,
    /// `temperature`, in thousandths.
    pub temperature: Option<u16>,
    /// `max_tokens`.
    pub max_tokens: Option<u32>,
    /// `context_tokens`.
    pub context_tokens: Option<u32>,
}

/// A language model, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmSettings {
    /// One of [`PROVIDERS`].
    pub provider: &'static str,
    /// The provider's name for the model. There is no default.
    pub model: String,
    /// Where it answers; the provider's own address when none.
    pub url: Option<String>,
    /// In thousandths; the provider's own when none.
    pub temperature: Option<u16>,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// The largest request, in tokens.
    pub context_tokens: u32,
}

/// A coding agent that speaks ACP over its standard input and output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// The program and its arguments; those that Collie knows when empty.
    pub command: Vec<String>,
    /// Variables that it gets of Collie's own environment, to log in with.
    pub env: Vec<String>,
    /// Hosts that it reaches beside those of its model (§9.5).
    pub hosts: Vec<HostPattern>,
    /// Files and folders of this machine that it may read.
    pub readable: Vec<PathBuf>,
    /// Folders below its home where it keeps its sessions; the rest of its home goes with the turn.
    pub state: Vec<PathBuf>,
}

/// What a persona runs on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewerSettings {
    /// `llm`, or an agent.
    pub runs_on: Option<String>,
    /// Another model of the same provider.
    pub model: Option<String>,
    /// Personas that it may ask in.
    pub escalates_to: Option<Vec<String>>,
}

/// Who fixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixerSettings {
    /// `rules`, or an agent.
    pub runs_on: Option<String>,
    /// The agent that wrote the pull request fixes it, by the author's login.
    pub by_author: BTreeMap<Login, String>,
}

impl LlmLayer {
    /// Reads `[llm]`.
    pub(crate) fn read(&mut self, file: &mut TomlFile<'_>, section: &mut TableReader<'_, '_>) {
        self.provider = section.read(file, "provider", one_of(PROVIDERS));
        self.model = section.read(file, "model", string);
        self.url = section.read(file, "url", url);
        self.temperature = section.read(file, "temperature", temperature);
        self.max_tokens = section.read(file, "max_tokens", number(MAX_TOKENS));
        self.context_tokens = section.read(file, "context_tokens", number(CONTEXT_TOKENS));
    }

    /// Lays a later layer over this one.
    pub(crate) fn apply(&mut self, over: &Self) {
        fn set<T: Clone>(under: &mut Option<T>, over: &Option<T>) {
            if over.is_some() {
                under.clone_from(over);
            }
        }
        if over.provider.is_some() && over.provider != self.provider {
            // The address was another provider's.
            self.url = None;
        }
        set(&mut self.provider, &over.provider);
        set(&mut self.model, &over.model);
        set(&mut self.url, &over.url);
        set(&mut self.temperature, &over.temperature);
        set(&mut self.max_tokens, &over.max_tokens);
        set(&mut self.context_tokens, &over.context_tokens);
    }

    /// The model, if one is set up. One half alone is wrong: neither has a default. The error names the key that is missing.
    pub(crate) fn resolve(&self) -> Result<Option<LlmSettings>, (&'static str, ConfigErrorKind)> {
        let (provider, model) = match (self.provider, &self.model) {
            (Some(provider), Some(model)) => (provider, model.clone()),
            (None, None) => return Ok(None),
            (Some(_), None) => return Err(("llm.model", ConfigErrorKind::LlmIncomplete)),
            (None, Some(_)) => return Err(("llm.provider", ConfigErrorKind::LlmIncomplete)),
        };
        if provider == Provider::Compatible.name() && self.url.is_none() {
            return Err(("llm.url", ConfigErrorKind::LlmWithoutUrl));
        }
        Ok(Some(LlmSettings {
            provider,
            model,
            url: self.url.clone(),
            temperature: self.temperature,
            max_tokens: self.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
            context_tokens: self.context_tokens.unwrap_or(DEFAULT_CONTEXT_TOKENS),
        }))
    }
}

/// Reads a table of tables, such as `[agents.NAME]`; those with a problem are left out.
pub(crate) fn read_named_tables<T>(
    file: &mut TomlFile<'_>,
    top: &mut TableReader<'_, '_>,
    key: &'static str,
    read: impl Fn(&mut TomlFile<'_>, &mut TableReader<'_, '_>) -> T,
) -> BTreeMap<String, T> {
    let Some(entry) = top.take(key) else {
        return BTreeMap::new();
    };
    let Some(table) = entry.value.as_table() else {
        file.add_problem(
            entry.span.start,
            &entry.key,
            ConfigErrorKind::NotATable(key),
        );
        return BTreeMap::new();
    };
    read_each(file, &entry.key, table, |file, full, at, value| {
        let Some(table) = value.as_table() else {
            file.add_problem(at, full, ConfigErrorKind::NotATable(key));
            return None;
        };
        let mut section = TableReader::new(full, table);
        let read = read(file, &mut section);
        section.finish(file);
        Some(read)
    })
}

fn read_each<T>(
    file: &mut TomlFile<'_>,
    prefix: &str,
    table: &DeTable<'_>,
    mut read: impl FnMut(&mut TomlFile<'_>, &str, usize, &toml::de::DeValue<'_>) -> Option<T>,
) -> BTreeMap<String, T> {
    let mut all = BTreeMap::new();
    for (key, value) in table {
        let name = key.get_ref().to_string();
        let full = format!("{prefix}.{name}");
        if !is_name(&name) {
            file.add_problem(key.span().start, &full, ConfigErrorKind::InvalidName(name));
        } else if let Some(value) = read(file, &full, value.span().start, value.get_ref()) {
            all.insert(name, value);
        }
    }
    all
}

/// Whether a text can be the name of a persona or an agent: lower-case letters, digits and dashes, at most 40.
pub(crate) fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=40).contains(&text.len()) && text.chars().all(fits)
}

/// Reads `[agents.NAME]`.
pub(crate) fn read_agent(
    file: &mut TomlFile<'_>,
    section: &mut TableReader<'_, '_>,
) -> AgentSettings {
    AgentSettings {
        command: section.read(file, "command", strings).unwrap_or_default(),
        env: section.read(file, "env", strings).unwrap_or_default(),
        hosts: section.read(file, "hosts", hosts).unwrap_or_default(),
        readable: section
            .read(file, "readable", absolute_paths)
            .unwrap_or_default(),
        state: section
            .read(file, "state", paths_below_home)
            .unwrap_or_default(),
    }
}

pub(crate) fn hosts(value: &DeValue<'_>) -> ValueResult<Vec<HostPattern>> {
    let parse = |text: String| text.parse().map_err(|_| ConfigErrorKind::InvalidHost(text));
    strings(value)?.into_iter().map(parse).collect()
}

fn absolute_paths(value: &DeValue<'_>) -> ValueResult<Vec<PathBuf>> {
    let parse = |text: String| match Path::new(&text).is_absolute() {
        true => Ok(text.into()),
        false => Err(ConfigErrorKind::RelativePath(text)),
    };
    strings(value)?.into_iter().map(parse).collect()
}

fn paths_below_home(value: &DeValue<'_>) -> ValueResult<Vec<PathBuf>> {
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    let parse = |text: String| match !text.is_empty() && Path::new(&text).components().all(is_name)
    {
        true => Ok(text.into()),
        false => Err(ConfigErrorKind::NotBelowHome(text)),
    };
    strings(value)?.into_iter().map(parse).collect()
}

/// Reads `[reviewers.NAME]`.
pub(crate) fn read_reviewer(
    file: &mut TomlFile<'_>,
    section: &mut TableReader<'_, '_>,
) -> ReviewerSettings {
    ReviewerSettings {
        runs_on: section.read(file, "runs_on", string),
        model: section.read(file, "model", string),
        escalates_to: section.read(file, "escalates_to", strings),
    }
}

/// Reads `[fixer]`.
pub(crate) fn read_fixer(
    file: &mut TomlFile<'_>,
    section: &mut TableReader<'_, '_>,
) -> FixerSettings {
    let runs_on = section.read(file, "runs_on", string);
    let by_author = section.take("by_author").map(|entry| {
        let Some(table) = entry.value.as_table() else {
            file.add_problem(
                entry.span.start,
                &entry.key,
                ConfigErrorKind::NotATable("fixer.by_author"),
            );
            return BTreeMap::new();
        };
        let mut agents = BTreeMap::new();
        for (key, value) in table {
            let read =
                parse_login(key.get_ref()).and_then(|who| Ok((who, string(value.get_ref())?)));
            match read {
                Ok((who, agent)) => {
                    agents.insert(who, agent);
                }
                Err(kind) => file.add_problem(value.span().start, &entry.key, kind),
            }
        }
        agents
    });
    FixerSettings {
        runs_on,
        by_author: by_author.unwrap_or_default(),
    }
}

/// A maximum of tokens as text.
pub fn parse_max_tokens(text: &str) -> Result<u32, ConfigErrorKind> {
    let bounds = MAX_TOKENS;
    let number = text.trim().parse().ok();
    number
        .filter(|number| bounds.contains(*number))
        .ok_or_else(|| ConfigErrorKind::OutOfRange {
            value: DisplayedValue::quoted(text),
            least: bounds.least,
            most: bounds.most,
        })
}

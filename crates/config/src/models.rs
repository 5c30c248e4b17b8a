//! Who reviews and fixes on what (§6.1): `[agents.NAME]`, `[reviewers.NAME]`, `[fixer]`.

use super::error_kind::{ConfigErrorKind, DisplayedValue};
use super::llm_settings::{EFFORTS, LlmLayer, MAX_TOKENS};
use super::table_reader::{TableReader, TomlFile};
use super::values::{ValueResult, boolean, login, one_of, parse_login, string, strings};

use collie_agents::acp::{HostPattern, KnownAgent};
use collie_agents::llm::Effort;
use collie_core::ids::Login;
use collie_core::policy::ShippedPersona;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use toml::de::{DeTable, DeValue};

/// The coding agents that Collie knows how to start (§6.1).
pub const AGENTS: &[&str] = KnownAgent::NAMES;

/// The personas that come with Collie (§4.1).
pub const PERSONAS: &[&str] = ShippedPersona::NAMES;

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
    /// Its model, as it calls it itself; its own choice when none.
    pub model: Option<String>,
    /// How much that thinks; its own default when none.
    pub effort: Option<Effort>,
}

/// What a persona runs on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewerSettings {
    /// `llm`, or an agent.
    pub runs_on: Option<String>,
    /// Another model: of the agent, or of the same provider unless [`Self::llm`] names one.
    pub model: Option<String>,
    /// What else is other for it than `[llm]` says; its model is [`Self::model`].
    pub llm: LlmLayer,
    /// Personas that it may ask in.
    pub escalates_to: Option<Vec<String>>,
    /// The GitHub account that it posts as (§18.2).
    pub account: Option<Login>,
    /// Reviews of that account may approve.
    pub may_approve: Option<bool>,
    /// Reviews of that account may request changes.
    pub may_request_changes: Option<bool>,
}

/// The GitHub App that loops act as (§18.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppSettings {
    /// Its id or client id.
    pub id: String,
    /// The account that has installed it.
    pub account: Login,
    /// The file with its key; none where that is in the environment.
    pub key_file: Option<PathBuf>,
}

/// What a layer says of the App.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppLayer {
    /// `id`.
    pub id: Option<String>,
    /// `account`.
    pub account: Option<Login>,
    /// `key_file`.
    pub key_file: Option<PathBuf>,
}

/// Who fixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixerSettings {
    /// `rules`, or an agent.
    pub runs_on: Option<String>,
    /// The agent that wrote the pull request fixes it, by the author's login.
    pub by_author: BTreeMap<Login, String>,
    /// The GitHub account that fixes are pushed and reported as, by the author's login (§18.2).
    pub accounts: BTreeMap<Login, Login>,
}

/// Reads a table of tables, such as `[agents.NAME]`; those with a problem are left out.
pub(crate) fn read_named_tables<T>(
    file: &mut TomlFile<'_>,
    top: &mut TableReader<'_, '_>,
    key: &'static str,
    read: impl Fn(&mut TomlFile<'_>, &mut TableReader<'_, '_>) -> T,
) -> BTreeMap<String, T> {
    read_named_tables_if(file, top, key, |file, section| Ok(read(file, section)))
}

/// The same of tables that may be wrong as a whole.
pub(crate) fn read_named_tables_if<T>(
    file: &mut TomlFile<'_>,
    top: &mut TableReader<'_, '_>,
    key: &'static str,
    read: impl Fn(&mut TomlFile<'_>, &mut TableReader<'_, '_>) -> Result<T, ConfigErrorKind>,
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
        let problems = file.problem_count();
        let read = read(file, &mut section);
        section.finish(file);
        match read {
            Ok(read) => Some(read),
            // What is wrong with one of its keys says more.
            Err(_) if file.problem_count() > problems => None,
            Err(kind) => {
                file.add_problem(at, full, kind);
                None
            }
        }
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
        model: section.read(file, "model", string),
        effort: section.read(file, "effort", one_of(EFFORTS)),
    }
}

pub(crate) fn hosts(value: &DeValue<'_>) -> ValueResult<Vec<HostPattern>> {
    let parse = |text: String| text.parse().map_err(|_| ConfigErrorKind::InvalidHost(text));
    strings(value)?.into_iter().map(parse).collect()
}

pub(crate) fn absolute_paths(value: &DeValue<'_>) -> ValueResult<Vec<PathBuf>> {
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
    let mut llm = LlmLayer::default();
    llm.read(file, section);
    ReviewerSettings {
        runs_on: section.read(file, "runs_on", string),
        model: llm.model.take(),
        llm,
        escalates_to: section.read(file, "escalates_to", strings),
        account: section.read(file, "account", login),
        may_approve: section.read(file, "may_approve", boolean),
        may_request_changes: section.read(file, "may_request_changes", boolean),
    }
}

/// Reads `[app]`.
pub(crate) fn read_app(file: &mut TomlFile<'_>, section: &mut TableReader<'_, '_>) -> AppLayer {
    AppLayer {
        id: section.read(file, "id", string),
        account: section.read(file, "account", login),
        key_file: section.read(file, "key_file", absolute_path),
    }
}

fn absolute_path(value: &DeValue<'_>) -> ValueResult<PathBuf> {
    let text = string(value)?;
    match Path::new(&text).is_absolute() {
        true => Ok(text.into()),
        false => Err(ConfigErrorKind::RelativePath(text)),
    }
}

/// Reads `[models.NAME]`.
pub(crate) fn read_model(file: &mut TomlFile<'_>, section: &mut TableReader<'_, '_>) -> LlmLayer {
    let mut layer = LlmLayer::default();
    layer.read_one(file, section);
    layer
}

impl ReviewerSettings {
    /// What it says of its model.
    pub(crate) fn own_llm(&self) -> LlmLayer {
        LlmLayer {
            model: self.model.clone(),
            ..self.llm.clone()
        }
    }
}

/// Reads `[fixer]`.
pub(crate) fn read_fixer(
    file: &mut TomlFile<'_>,
    section: &mut TableReader<'_, '_>,
) -> FixerSettings {
    let runs_on = section.read(file, "runs_on", string);
    let by_author = read_by_author(file, section, "by_author", "fixer.by_author", string);
    let accounts = read_by_author(file, section, "accounts", "fixer.accounts", login);
    FixerSettings {
        runs_on,
        by_author,
        accounts,
    }
}

/// Reads a table that says something of each author.
fn read_by_author<T>(
    file: &mut TomlFile<'_>,
    section: &mut TableReader<'_, '_>,
    key: &'static str,
    full: &'static str,
    read: impl Fn(&DeValue<'_>) -> ValueResult<T>,
) -> BTreeMap<Login, T> {
    let Some(entry) = section.take(key) else {
        return BTreeMap::new();
    };
    let Some(table) = entry.value.as_table() else {
        file.add_problem(
            entry.span.start,
            &entry.key,
            ConfigErrorKind::NotATable(full),
        );
        return BTreeMap::new();
    };
    let mut all = BTreeMap::new();
    for (author, value) in table {
        let said = parse_login(author.get_ref()).and_then(|who| Ok((who, read(value.get_ref())?)));
        match said {
            Ok((who, said)) => {
                all.insert(who, said);
            }
            Err(kind) => file.add_problem(value.span().start, &entry.key, kind),
        }
    }
    all
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

//! Which language models are asked, and how (§15): `[llm]`, `[models.NAME]`, and what `[reviewers.NAME]` says of a model.

use super::error_kind::ConfigErrorKind;
use super::table_reader::{TableReader, TomlFile};
use super::values::{
    Bounds, ValueResult, each_by_name, number, one_of, string, strings, temperature, url,
};
use collie_agents::llm::{Effort, ExtraHeader, Provider, default_max_tokens};
use collie_core::text::redact;
use std::collections::BTreeMap;
use toml::de::DeValue;

/// The providers of language models, as `provider` names them.
pub const PROVIDERS: &[(&str, &str)] = &each_by_name::<{ Provider::NAMES.len() }>(Provider::NAMES);

/// How much a model is to think, as `effort` names it.
pub const EFFORTS: &[(&str, Effort)] = &efforts::<{ Effort::ALL.len() }>();

const fn efforts<const N: usize>() -> [(&'static str, Effort); N] {
    let mut pairs = [("", Effort::None); N];
    let mut at = 0;
    while at < N {
        pairs[at] = (Effort::NAMES[at], Effort::ALL[at]);
        at += 1;
    }
    pairs
}

/// `llm.max_tokens`.
pub const MAX_TOKENS: Bounds = Bounds::new(256, 200_000);
/// `llm.context_tokens`.
pub const CONTEXT_TOKENS: Bounds = Bounds::new(2_000, 2_000_000);

/// The longest answer where nobody says, in tokens; a model that is known to think has more ([`default_max_tokens`]).
pub const DEFAULT_MAX_TOKENS: u32 = 8_000;
/// The largest request where nobody says, in tokens.
pub const DEFAULT_CONTEXT_TOKENS: u32 = 60_000;

/// Where the value of a header comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderSource {
    /// The file, where everybody may read it.
    Value(String),
    /// A variable of the environment: it is a secret.
    Variable(String),
}

/// A language model as one layer says it; `None` is silence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlmLayer {
    /// `provider`.
    pub provider: Option<&'static str>,
    /// `model`.
    pub model: Option<String>,
    /// `url`.
    pub url: Option<String>,
    /// `headers`.
    pub headers: Option<BTreeMap<String, HeaderSource>>,
    /// `key_variable`.
    pub key_variable: Option<String>,
    /// `key_command`.
    pub key_command: Option<Vec<String>>,
    /// `effort`.
    pub effort: Option<Effort>,
    /// `temperature`, in thousandths.
    pub temperature: Option<u16>,
    /// `max_tokens`.
    pub max_tokens: Option<u32>,
    /// `context_tokens`.
    pub context_tokens: Option<u32>,
    /// `fallback`: names of `[models.NAME]`.
    pub fallback: Option<Vec<String>>,
}

/// A language model, complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlmSettings {
    /// One of [`PROVIDERS`].
    pub provider: &'static str,
    /// The provider's name for the model. There is no default.
    pub model: String,
    /// Where it answers; the provider's own address when none.
    pub url: Option<String>,
    /// What goes along with each request.
    pub headers: BTreeMap<String, HeaderSource>,
    /// The variable that holds the key; the provider's usual ones when none.
    pub key_variable: Option<String>,
    /// A program that prints the key, with its arguments; it comes before any variable.
    pub key_command: Vec<String>,
    /// How much it thinks; its own default when none.
    pub effort: Option<Effort>,
    /// In thousandths; the provider's own when none.
    pub temperature: Option<u16>,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// The largest request, in tokens.
    pub context_tokens: u32,
    /// Those of `[models.NAME]` that are asked when it does not answer, the first first.
    pub fallback: Vec<String>,
}

impl LlmLayer {
    /// Reads `[llm]`, or another table of its keys.
    pub(crate) fn read(&mut self, file: &mut TomlFile<'_>, section: &mut TableReader<'_, '_>) {
        self.read_one(file, section);
        self.fallback = section.read(file, "fallback", one_or_more);
    }

    /// Reads `[models.NAME]`, which takes over for others and has nobody that takes over for it.
    pub(crate) fn read_one(&mut self, file: &mut TomlFile<'_>, section: &mut TableReader<'_, '_>) {
        self.provider = section.read(file, "provider", one_of(PROVIDERS));
        self.model = section.read(file, "model", string);
        self.url = section.read(file, "url", url);
        self.headers = section.read(file, "headers", headers);
        self.key_variable = section.read(file, "key_variable", variable);
        self.key_command = section.read(file, "key_command", program);
        self.effort = section.read(file, "effort", one_of(EFFORTS));
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
            // Address, key and headers were another provider's, and what its models take for an effort.
            self.url = None;
            self.headers = None;
            self.key_variable = None;
            self.key_command = None;
            self.effort = None;
        }
        if over.key_variable.is_some() {
            self.key_command = None;
        }
        set(&mut self.provider, &over.provider);
        set(&mut self.model, &over.model);
        set(&mut self.url, &over.url);
        set(&mut self.headers, &over.headers);
        set(&mut self.key_variable, &over.key_variable);
        set(&mut self.key_command, &over.key_command);
        set(&mut self.effort, &over.effort);
        set(&mut self.temperature, &over.temperature);
        set(&mut self.max_tokens, &over.max_tokens);
        set(&mut self.context_tokens, &over.context_tokens);
        set(&mut self.fallback, &over.fallback);
    }

    /// Lays what a persona says over what holds for all: a model of another provider is not the one that it means.
    pub(crate) fn for_persona(&self, own: &Self) -> Self {
        let mut merged = self.clone();
        if own.provider.is_some() && own.provider != self.provider {
            merged.model = None;
        }
        merged.apply(own);
        merged
    }

    /// The service that would be asked, with a model or without: to list models, one need not know any.
    pub(crate) fn resolve_service(&self) -> Result<LlmSettings, (&'static str, ConfigErrorKind)> {
        let mut with_model = self.clone();
        let model = with_model.model.get_or_insert_default().clone();
        let resolved = with_model.resolve()?;
        resolved
            .map(|settings| LlmSettings { model, ..settings })
            .ok_or(("provider", ConfigErrorKind::LlmIncomplete))
    }

    /// The model, if one is set up. One half alone is wrong: neither has a default. The error names the key that is missing.
    pub(crate) fn resolve(&self) -> Result<Option<LlmSettings>, (&'static str, ConfigErrorKind)> {
        let (provider, model) = match (self.provider, &self.model) {
            (Some(provider), Some(model)) => (provider, model.clone()),
            (None, None) => return Ok(None),
            (Some(_), None) => return Err(("model", ConfigErrorKind::LlmIncomplete)),
            (None, Some(_)) => return Err(("provider", ConfigErrorKind::LlmIncomplete)),
        };
        let needs_url = |known: &&Provider| known.name() == provider && known.needs_url();
        if self.url.is_none()
            && let Some(known) = Provider::ALL.iter().find(needs_url)
        {
            return Err(("url", ConfigErrorKind::LlmWithoutUrl(*known)));
        }
        let max_tokens = || default_max_tokens(&model, self.effort);
        Ok(Some(LlmSettings {
            provider,
            max_tokens: self.max_tokens.unwrap_or_else(max_tokens),
            model,
            url: self.url.clone(),
            headers: self.headers.clone().unwrap_or_default(),
            key_variable: self.key_variable.clone(),
            key_command: self.key_command.clone().unwrap_or_default(),
            effort: self.effort,
            temperature: self.temperature,
            context_tokens: self.context_tokens.unwrap_or(DEFAULT_CONTEXT_TOKENS),
            fallback: self.fallback.clone().unwrap_or_default(),
        }))
    }
}

/// One name, or a list of them.
fn one_or_more(value: &DeValue<'_>) -> ValueResult<Vec<String>> {
    match value.as_str() {
        Some(_) => Ok(vec![string(value)?]),
        None => strings(value),
    }
}

/// The name of a variable. What else stands there may be a key, so that it is not said back.
pub(crate) fn variable(value: &DeValue<'_>) -> ValueResult<String> {
    let name = string(value)?;
    let is_name = name.len() <= 100
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && redact(&name, &[]) == name;
    match is_name {
        true => Ok(name),
        false => Err(ConfigErrorKind::NotAVariable),
    }
}

/// A program with its arguments.
pub(crate) fn program(value: &DeValue<'_>) -> ValueResult<Vec<String>> {
    let words = strings(value)?;
    match words.is_empty() {
        true => Err(ConfigErrorKind::NotAString(
            super::error_kind::DisplayedValue::Array,
        )),
        false => Ok(words),
    }
}

/// Headers by name: a text, or `{ variable = "NAME" }`.
pub(crate) fn headers(value: &DeValue<'_>) -> ValueResult<BTreeMap<String, HeaderSource>> {
    let table = value
        .as_table()
        .ok_or(ConfigErrorKind::NotATable("headers"))?;
    let mut all = BTreeMap::new();
    for (name, value) in table {
        let name = name.get_ref().to_string();
        let source = header_source(&name, value.get_ref())?;
        all.insert(name, source);
    }
    Ok(all)
}

fn header_source(name: &str, value: &DeValue<'_>) -> ValueResult<HeaderSource> {
    let invalid = || ConfigErrorKind::InvalidHeader(name.to_owned());
    if let Some(table) = value.as_table() {
        let named = table.get("variable").filter(|_| table.len() == 1);
        let named = named.ok_or_else(invalid)?;
        ExtraHeader::plain(name, "x").map_err(|_| invalid())?;
        return Ok(HeaderSource::Variable(variable(named.get_ref())?));
    }
    let text = value.as_str().ok_or_else(invalid)?;
    ExtraHeader::plain(name, text).map_err(|_| invalid())?;
    if names_secret(name) || redact(text, &[]) != text {
        return Err(ConfigErrorKind::HeaderHoldsSecret(name.to_owned()));
    }
    Ok(HeaderSource::Value(text.to_owned()))
}

/// Whether a header of this name holds a secret, so that no file should.
fn names_secret(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [
        "authorization",
        "key",
        "token",
        "secret",
        "cookie",
        "password",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

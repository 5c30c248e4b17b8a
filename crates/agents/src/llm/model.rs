//! Which model is asked, where, and with whose key.

use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use strum::{IntoStaticStr, VariantArray, VariantNames};

/// Who runs the model, which decides the form of the requests.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Provider {
    /// OpenAI's own service: Responses for GPT-5 and later, chat completions for what is older.
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama, on this machine unless an address is given.
    Ollama,
    /// Any other service that speaks OpenAI's chat completions; it needs an address.
    Compatible,
}

/// The variable that holds the key of whatever service is configured.
const COMMON_KEY_VARIABLE: &str = "LLM_API_KEY";

impl Provider {
    /// All of them, in the order shown.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Their names.
    pub const NAMES: &[&str] = <Self as VariantNames>::VARIANTS;

    /// The name in configuration and on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The environment variables that may hold the key; the first one that is set counts.
    pub fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY", COMMON_KEY_VARIABLE],
            Self::Anthropic => &["ANTHROPIC_API_KEY", COMMON_KEY_VARIABLE],
            Self::Gemini => &["GEMINI_API_KEY", COMMON_KEY_VARIABLE],
            Self::Ollama | Self::Compatible => &[COMMON_KEY_VARIABLE],
        }
    }

    /// Whether nothing is answered without a key.
    pub fn needs_key(self) -> bool {
        match self {
            Self::OpenAi | Self::Anthropic | Self::Gemini => true,
            Self::Ollama | Self::Compatible => false,
        }
    }

    /// Finds the key in the environment as the caller sees it; a value that no header can hold is none.
    pub fn find_key(self, look_up: impl Fn(&str) -> Option<String>) -> Option<Secret> {
        self.key_variables()
            .iter()
            .find_map(|name| Secret::new(&look_up(name)?))
    }

    /// The address that is asked when none is given.
    pub(super) fn default_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1/"),
            Self::Anthropic => Some("https://api.anthropic.com/v1/"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta/"),
            Self::Ollama => Some("http://localhost:11434/v1/"),
            Self::Compatible => None,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no provider has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no provider of language models: {}", hint(*.nearest))]
pub struct UnknownProvider {
    /// What was written.
    pub given: String,
    /// What was probably meant.
    pub nearest: Option<Provider>,
}

impl From<UnknownProvider> for UserError {
    fn from(error: UnknownProvider) -> Self {
        let known: Vec<String> = Provider::ALL.iter().map(ToString::to_string).collect();
        UserError::new(ErrorCode::ProviderUnknown)
            .with("name", error.given)
            .with("known", known.join(", "))
            .with_nearest(error.nearest)
    }
}

fn hint(nearest: Option<Provider>) -> String {
    match nearest {
        Some(provider) => format!("did you mean `{provider}`?"),
        None => {
            let names: Vec<_> = Provider::ALL.iter().map(|p| format!("`{p}`")).collect();
            format!("take one of {}", names.join(", "))
        }
    }
}

/// Names that people use for a provider, and that are too far from ours to be typing errors.
const ALIASES: [(&str, Provider); 8] = [
    ("claude", Provider::Anthropic),
    ("google", Provider::Gemini),
    ("vertex", Provider::Gemini),
    ("gpt", Provider::OpenAi),
    ("chatgpt", Provider::OpenAi),
    ("local", Provider::Ollama),
    ("openai-compatible", Provider::Compatible),
    ("openrouter", Provider::Compatible),
];

/// How alike a typing error is to what was meant, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.75;

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Self, UnknownProvider> {
        if let Some(provider) = Self::ALL.iter().copied().find(|p| p.name() == text) {
            return Ok(provider);
        }
        let lower = text.to_lowercase();
        let names = Self::ALL.iter().map(|p| (p.name(), *p));
        let nearest = names
            .chain(ALIASES)
            .map(|(name, provider)| (strsim::jaro_winkler(name, &lower), provider))
            .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, provider)| provider);
        Err(UnknownProvider {
            given: text.to_owned(),
            nearest,
        })
    }
}

/// A key. It is never shown: not in `Debug`, not in an error, not in a log; its memory is wiped once it is dropped.
#[derive(Clone)]
pub struct Secret(SecretString);

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Secret {}

impl Secret {
    /// Wraps a key; none when it is empty or holds what no HTTP header may hold.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(text.into()))
    }

    /// The key itself: for the header of a request, and for redaction (§8.3).
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

/// What comes after the root.
const REQUEST_PATHS: [&str; 5] = [
    "/chat/completions",
    "/responses",
    "/messages",
    "/models",
    "/api/chat",
];

/// A model, and all that a request to it needs besides the words. There is no default (§15).
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Who runs it.
    pub provider: Provider,
    /// Its name there, such as `claude-sonnet-5-5`.
    pub name: String,
    /// Where the service is, when not at the provider's usual address.
    pub url: Option<String>,
    /// The key; Ollama and compatible services may need none.
    pub key: Option<Secret>,
    /// From 0 to 2; many newer models refuse any but their own.
    pub temperature: Option<f64>,
    /// The longest answer, thinking included.
    pub max_tokens: Option<u32>,
}

impl Model {
    /// A model at its provider's usual address, without a key.
    pub fn new(provider: Provider, name: &str) -> Self {
        Self {
            provider,
            name: name.to_owned(),
            url: None,
            key: None,
            temperature: None,
            max_tokens: None,
        }
    }

    /// The root of the service, with a slash at its end; the error says what is wrong with the one given.
    ///
    /// What people paste is put right: the path of the request itself is cut off, and a bare host gets the usual path. Only
    /// that of a compatible service is anybody's guess.
    pub(super) fn base_url(&self) -> Result<reqwest::Url, String> {
        let given = match (&self.url, self.provider.default_url()) {
            (Some(url), _) => url.trim(),
            (None, Some(usual)) => usual,
            (None, None) => return Err("none is given".to_owned()),
        };
        let mut url = reqwest::Url::parse(given).map_err(|e| e.to_string())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err("it is neither http nor https".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it holds a login".to_owned());
        }
        let path = url.path().trim_end_matches('/');
        let path = REQUEST_PATHS
            .iter()
            .find_map(|end| path.strip_suffix(end))
            .unwrap_or(path);
        let path = match (self.provider, path) {
            (Provider::OpenAi | Provider::Anthropic, "") => "/v1".to_owned(),
            (Provider::Gemini, "") => "/v1beta".to_owned(),
            (Provider::Ollama, "" | "/api") => "/v1".to_owned(),
            _ => path.to_owned(),
        };
        url.set_path(&format!("{path}/"));
        Ok(url)
    }
}

/// Provider and name, as people name it: no address, no key.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}

//! Who runs models: their names, where they answer, and which variables hold their keys.

use super::secret::Secret;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
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
    /// OpenAI's models at Microsoft: chat completions of a resource, or of one deployment with its `api-version`.
    Azure,
    /// OpenRouter, which hands on to many others: chat completions.
    OpenRouter,
    /// Amazon Bedrock: the Converse API with a Bedrock API key.
    Bedrock,
    /// Google Vertex AI: Gemini and Claude, with an OAuth access token.
    Vertex,
    /// Ollama's own API, on this machine unless an address is given.
    Ollama,
    /// vLLM's server: chat completions, on this machine unless an address is given.
    Vllm,
    /// `llama-server` of llama.cpp: chat completions, on this machine unless an address is given.
    LlamaCpp,
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
            Self::Azure => &["AZURE_OPENAI_API_KEY", COMMON_KEY_VARIABLE],
            Self::OpenRouter => &["OPENROUTER_API_KEY", COMMON_KEY_VARIABLE],
            Self::Bedrock => &["AWS_BEARER_TOKEN_BEDROCK", COMMON_KEY_VARIABLE],
            Self::Vertex => &["GOOGLE_OAUTH_ACCESS_TOKEN", COMMON_KEY_VARIABLE],
            Self::Vllm => &["VLLM_API_KEY", COMMON_KEY_VARIABLE],
            Self::LlamaCpp => &["LLAMA_API_KEY", COMMON_KEY_VARIABLE],
            Self::Ollama => &["OLLAMA_API_KEY", COMMON_KEY_VARIABLE],
            Self::Compatible => &[COMMON_KEY_VARIABLE],
        }
    }

    /// Finds the key in the environment as the caller sees it; a value that no header can hold is none.
    pub fn find_key(self, look_up: impl Fn(&str) -> Option<String>) -> Option<Secret> {
        self.key_variables()
            .iter()
            .find_map(|name| Secret::new(&look_up(name)?))
    }

    /// Whether nothing is answered without a key.
    pub fn needs_key(self) -> bool {
        match self {
            Self::OpenAi
            | Self::Anthropic
            | Self::Gemini
            | Self::Azure
            | Self::OpenRouter
            | Self::Bedrock
            | Self::Vertex => true,
            Self::Ollama | Self::Vllm | Self::LlamaCpp | Self::Compatible => false,
        }
    }

    /// Whether it has no address of its own that could be asked without being told one.
    pub fn needs_url(self) -> bool {
        matches!(self, Self::Compatible | Self::Azure)
    }

    /// The address that is asked when none is given. That of Bedrock and of Vertex AI names a region and a project, which
    /// their makers' own variables tell.
    pub fn usual_url(self, look_up: impl Fn(&str) -> Option<String>) -> Option<String> {
        let first = |names: &[&str]| {
            let found = names.iter().find_map(|name| look_up(name))?;
            let found = found.trim();
            (!found.is_empty()).then(|| found.to_owned())
        };
        match self {
            Self::Bedrock => {
                let region = first(&["AWS_REGION", "AWS_DEFAULT_REGION"])?;
                Some(format!("https://bedrock-runtime.{region}.amazonaws.com/"))
            }
            Self::Vertex => {
                let project = first(&["GOOGLE_CLOUD_PROJECT"])?;
                let location =
                    first(&["GOOGLE_CLOUD_LOCATION"]).unwrap_or_else(|| "global".to_owned());
                let host = match location.as_str() {
                    "global" => "aiplatform.googleapis.com".to_owned(),
                    region => format!("{region}-aiplatform.googleapis.com"),
                };
                Some(format!(
                    "https://{host}/v1/projects/{project}/locations/{location}/"
                ))
            }
            _ => self.default_url().map(str::to_owned),
        }
    }

    /// The address that is asked when none is given and no variable is needed for it.
    pub(super) fn default_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1/"),
            Self::Anthropic => Some("https://api.anthropic.com/v1/"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta/"),
            Self::OpenRouter => Some("https://openrouter.ai/api/v1/"),
            Self::Ollama => Some("http://localhost:11434/"),
            Self::Vllm => Some("http://localhost:8000/v1/"),
            Self::LlamaCpp => Some("http://localhost:8080/v1/"),
            Self::Azure | Self::Bedrock | Self::Vertex | Self::Compatible => None,
        }
    }

    /// What to give where an address is missing.
    pub(super) fn missing_url(self) -> &'static str {
        match self {
            Self::Azure => {
                "none is given: that of the resource, such as https://NAME.openai.azure.com, or of a deployment with its api-version"
            }
            Self::Bedrock => "none is given: set AWS_REGION, or the `url` of a region",
            Self::Vertex => {
                "none is given: set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or a `url` that names both"
            }
            _ => "none is given",
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
const ALIASES: [(&str, Provider); 12] = [
    ("claude", Provider::Anthropic),
    ("google", Provider::Gemini),
    ("vertex-ai", Provider::Vertex),
    ("gpt", Provider::OpenAi),
    ("chatgpt", Provider::OpenAi),
    ("azure-openai", Provider::Azure),
    ("aws", Provider::Bedrock),
    ("amazon", Provider::Bedrock),
    ("llama.cpp", Provider::LlamaCpp),
    ("llama-server", Provider::LlamaCpp),
    ("local", Provider::Ollama),
    ("openai-compatible", Provider::Compatible),
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

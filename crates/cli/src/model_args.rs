//! The flags that choose a language model, for every command that asks one.

use clap::Args;
use collie_config::{ConfigLayer, LlmLayer, PROVIDERS, parse_url};
use collie_core::user_error::UserError;

/// Flags that choose a language model.
#[derive(Clone, Debug, Args)]
pub struct ModelArgs {
    /// The provider of the language model; else LLM_PROVIDER, else the configured one.
    #[arg(long, value_name = "NAME", value_parser = provider_name_parser())]
    pub llm_provider: Option<String>,
    /// The provider's name for the model; else LLM_MODEL, else the configured one.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub model: Option<String>,
    /// Where the provider answers, if not at its own address; else LLM_API_URL, else the configured one.
    #[arg(long, value_name = "URL", value_parser = parse_model_url)]
    pub llm_url: Option<String>,
    /// The temperature, from 0 to 2.
    #[arg(long, value_name = "NUMBER", value_parser = parse_temperature)]
    pub temperature: Option<u16>,
    /// The longest answer of the model, in tokens.
    #[arg(long, value_name = "TOKENS", value_parser = parse_max_tokens)]
    pub max_tokens: Option<u32>,
}

/// Takes the name of a provider.
pub fn provider_name_parser() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(PROVIDERS.iter().map(|(name, _)| *name))
}

fn parse_max_tokens(text: &str) -> Result<u32, UserError> {
    collie_config::parse_max_tokens(text).map_err(|kind| UserError::from(&kind))
}

/// Reads the address of a service.
pub fn parse_model_url(text: &str) -> Result<String, UserError> {
    parse_url(text).map_err(|kind| UserError::from(&kind))
}

fn parse_temperature(text: &str) -> Result<u16, UserError> {
    collie_config::parse_temperature(text).map_err(|kind| UserError::from(&kind))
}

/// A provider as the configuration names it.
pub fn known_provider(name: &str) -> Option<&'static str> {
    let found = PROVIDERS.iter().find(|(known, _)| *known == name);
    found.map(|(_, provider)| *provider)
}

impl ModelArgs {
    /// What the flags say of the model, as the last layer of the configuration.
    pub fn layer(&self) -> ConfigLayer {
        ConfigLayer {
            llm: LlmLayer {
                provider: self.llm_provider.as_deref().and_then(known_provider),
                model: self.model.clone(),
                url: self.llm_url.clone(),
                temperature: self.temperature,
                max_tokens: self.max_tokens,
                ..LlmLayer::default()
            },
            ..ConfigLayer::default()
        }
    }

    /// Whether the flags choose a model.
    pub fn names_model(&self) -> bool {
        self.llm_provider.is_some() || self.model.is_some()
    }

    /// Whether some flag is about the model.
    pub fn has_model_flag(&self) -> bool {
        self.layer().llm != LlmLayer::default()
    }
}

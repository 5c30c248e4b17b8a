//! Which model is asked, where, and with whose key.

use super::effort::Effort;
use super::google_login::GoogleLogin;
use super::provider::Provider;
use super::secret::{ExtraHeader, Secret};
use std::fmt;

/// A service: who runs it, where it is, and what it wants with each request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelTarget {
    /// Who runs it.
    pub provider: Provider,
    /// Where the service is, when not at the provider's usual address.
    pub url: Option<String>,
    /// The key; local and compatible services may need none.
    pub key: Option<Secret>,
    /// A login that gives a key for each request, in place of one.
    pub login: Option<GoogleLogin>,
    /// What goes along with each request, after the provider's own headers.
    pub headers: Vec<ExtraHeader>,
}

impl ModelTarget {
    /// The service of a provider at its usual address, without a key.
    pub fn new(provider: Provider) -> Self {
        Self {
            provider,
            url: None,
            key: None,
            login: None,
            headers: Vec::new(),
        }
    }
}

/// A model, and all that a request to it needs besides the words. There is no default (§15).
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Who runs it.
    pub provider: Provider,
    /// Its name there, such as `claude-sonnet-5-5`; at Azure, that of the deployment.
    pub name: String,
    /// Where the service is, when not at the provider's usual address.
    pub url: Option<String>,
    /// The key; local and compatible services may need none.
    pub key: Option<Secret>,
    /// A login that gives a key for each request, in place of one.
    pub login: Option<GoogleLogin>,
    /// What goes along with each request, after the provider's own headers.
    pub headers: Vec<ExtraHeader>,
    /// How much it thinks; its own default when none.
    pub effort: Option<Effort>,
    /// From 0 to 2; many newer models refuse any but their own.
    pub temperature: Option<f64>,
    /// The longest answer, thinking included.
    pub max_tokens: Option<u32>,
}

impl Model {
    /// A model at its provider's usual address, without a key.
    pub fn new(provider: Provider, name: &str) -> Self {
        Self::at(ModelTarget::new(provider), name)
    }

    /// A model of a service.
    pub fn at(target: ModelTarget, name: &str) -> Self {
        let ModelTarget {
            provider,
            url,
            key,
            login,
            headers,
        } = target;
        Self {
            provider,
            name: name.to_owned(),
            url,
            key,
            login,
            headers,
            effort: None,
            temperature: None,
            max_tokens: None,
        }
    }

    /// The service that it is asked of.
    pub fn target(&self) -> ModelTarget {
        ModelTarget {
            provider: self.provider,
            url: self.url.clone(),
            key: self.key.clone(),
            login: self.login.clone(),
            headers: self.headers.clone(),
        }
    }
}

/// Provider and name, as people name it: no address, no key.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}

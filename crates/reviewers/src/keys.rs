//! Where the keys of language models come from: a program, a variable of the environment, the keychain (§15).

use crate::aws_keys;
use crate::google_keys;
use crate::key_sources::{KeyOrigin, KeySources};
use collie_agents::llm::{GoogleLogin, Provider, Secret};
use collie_config::{LlmSettings, host_of};
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;

/// What looking for a key came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLookup {
    /// Where it is; none where there is none.
    pub origin: Option<KeyOrigin>,
    /// Whether nothing is answered without one.
    pub needed: bool,
    /// The variables that may hold it.
    pub variables: Vec<String>,
    /// Why the keychain could not be asked, where it had to be.
    pub store_error: Option<UserError>,
}

impl KeyLookup {
    /// Whether a model cannot be asked for want of a key.
    pub fn is_missing(&self) -> bool {
        self.needed && self.origin.is_none()
    }
}

/// The name under which the keychain keeps the key of a model's service: its provider and, where that is not the provider's own, its host, so that a key
/// is sent nowhere but where it was typed for. None where the settings say that the key is elsewhere.
pub fn key_entry(settings: &LlmSettings) -> Option<String> {
    if settings.key_variable.is_some() || !settings.key_command.is_empty() {
        return None;
    }
    let provider: Provider = settings.provider.parse().ok()?;
    Some(match service_host(settings, provider) {
        Some(host) => format!("model:{provider}@{host}"),
        None => format!("model:{provider}"),
    })
}

/// The host of a service that is not at its provider's usual address.
pub fn key_host(settings: &LlmSettings) -> Option<String> {
    service_host(settings, settings.provider.parse().ok()?)
}

fn service_host(settings: &LlmSettings, provider: Provider) -> Option<String> {
    let bare = |url: &str| {
        let host = host_of(url);
        host.split(['?', '#']).next().unwrap_or_default().to_owned()
    };
    let host = bare(settings.url.as_deref()?);
    let usual = provider.usual_url(|_| None).map(|url| bare(&url));
    (usual.as_ref() != Some(&host)).then_some(host)
}

/// Looks for the key of a model in the order in which it is taken: what the settings name, the variables of the provider, the keychain. No program is run.
pub async fn look_up_key(settings: &LlmSettings, keys: &KeySources) -> KeyLookup {
    let provider = settings.provider.parse::<Provider>().ok();
    let needed = provider.is_some_and(Provider::needs_key) && local_key(settings).is_none();
    let usual = provider.map_or(&[][..], Provider::key_variables);
    let mut lookup = KeyLookup {
        origin: None,
        needed: needed || settings.key_variable.is_some(),
        variables: match &settings.key_variable {
            Some(name) => vec![name.clone()],
            None => usual
                .iter()
                .chain(login_variables(provider))
                .map(|name| (*name).to_owned())
                .collect(),
        },
        store_error: None,
    };
    if let Some(program) = settings.key_command.first() {
        lookup.origin = Some(KeyOrigin::Command(program.clone()));
        return lookup;
    }
    match find_key(settings, keys).await {
        Ok(found) => lookup.origin = found.map(|(origin, _)| origin),
        Err(error) => lookup.store_error = Some(error),
    }
    lookup
}

/// What a model is asked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoundKey {
    /// A key, or a token that was made of a login.
    Key(Secret),
    /// A login that gives a token for each request.
    Login(GoogleLogin),
}

/// The key of a model that no program prints, and where it was.
pub(crate) async fn find_key(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Option<(KeyOrigin, FoundKey)>, UserError> {
    let provider = settings.provider.parse::<Provider>()?;
    let named = settings.key_variable.as_deref();
    let variables: Vec<&str> = match named {
        Some(name) => vec![name],
        None => provider.key_variables().to_vec(),
    };
    let in_variable = variables
        .into_iter()
        .find_map(|name| Some((name, keys.variable_key(name)?)));
    if let Some((name, key)) = in_variable {
        let origin = KeyOrigin::Variable(name.to_owned());
        return Ok(Some((origin, FoundKey::Key(key))));
    }
    let Some(entry) = key_entry(settings) else {
        return Ok(None);
    };
    if let Some(found) = named_login(provider, settings, keys).await? {
        return Ok(Some(found));
    }
    let has_login = matches!(provider, Provider::Bedrock | Provider::Vertex);
    let stored = keys.stored_key(&entry).await;
    match stored {
        Ok(Some(key)) => return Ok(Some((KeyOrigin::Keychain, FoundKey::Key(key)))),
        Err(error) if !(has_login && is_absent(&error)) => return Err(error),
        Ok(None) | Err(_) => {}
    }
    if let Some(found) = common_login(provider, settings, keys).await? {
        return Ok(Some(found));
    }
    // Why there is no key, where it may be the keychain.
    stored.map(|_| None)
}

/// A login that a variable holds, or names.
async fn named_login(
    provider: Provider,
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Option<(KeyOrigin, FoundKey)>, UserError> {
    match provider {
        Provider::Bedrock => {
            let found = aws_keys::of_variables(settings, keys)?;
            Ok(found.map(|(origin, token)| (origin, FoundKey::Key(token))))
        }
        Provider::Vertex => {
            let found = google_keys::of_variable(settings, keys).await?;
            Ok(found.map(|(origin, login)| (origin, FoundKey::Login(login))))
        }
        _ => Ok(None),
    }
}

/// A login that lies on this machine for all tools.
async fn common_login(
    provider: Provider,
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Option<(KeyOrigin, FoundKey)>, UserError> {
    match provider {
        Provider::Bedrock => {
            let found = aws_keys::of_profile(settings, keys).await?;
            Ok(found.map(|(origin, token)| (origin, FoundKey::Key(token))))
        }
        Provider::Vertex => {
            let found = match google_keys::of_gcloud(settings, keys).await? {
                None => google_keys::of_metadata_server(settings, keys)?,
                found => found,
            };
            Ok(found.map(|(origin, login)| (origin, FoundKey::Login(login))))
        }
        _ => Ok(None),
    }
}

/// What else may be set where a login stands for a key.
fn login_variables(provider: Option<Provider>) -> &'static [&'static str] {
    match provider {
        Some(Provider::Bedrock) => &aws_keys::AWS_VARIABLES,
        Some(Provider::Vertex) => &google_keys::GOOGLE_VARIABLES,
        _ => &[],
    }
}

/// Whether the keychain keeps a key for the service of a model, be it the one that is taken or not.
pub async fn is_key_stored(settings: &LlmSettings, keys: &KeySources) -> Result<bool, UserError> {
    match key_entry(settings) {
        Some(entry) => Ok(keys.stored_key(&entry).await?.is_some()),
        None => Ok(false),
    }
}

/// What stands for a key where a service of this machine is asked, which may need none: a gateway, recorded answers. The form of the requests
/// has a place for one.
pub(crate) fn local_key(settings: &LlmSettings) -> Option<Secret> {
    let url = settings.url.as_deref()?;
    let hosts = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let local = hosts
        .iter()
        .filter_map(|host| url.strip_prefix(host))
        .any(|rest| matches!(rest.bytes().next(), None | Some(b':' | b'/')));
    local.then(|| Secret::new("none")).flatten()
}

/// Whether a keychain is missing rather than out of order: then a key is looked for as if there were none.
pub(crate) fn is_absent(error: &UserError) -> bool {
    error.code == ErrorCode::NoKeychain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_sources::KeyStore;
    use async_trait::async_trait;
    use std::sync::Arc;

    fn settings(provider: &'static str, url: Option<&str>) -> LlmSettings {
        LlmSettings {
            provider,
            model: "m".into(),
            url: url.map(str::to_owned),
            ..LlmSettings::default()
        }
    }

    /// A keychain with keys by name; one that fails with a code otherwise.
    struct Kept(Result<Vec<(&'static str, &'static str)>, ErrorCode>);

    #[async_trait]
    impl KeyStore for Kept {
        async fn load_key(&self, name: &str) -> Result<Option<Secret>, UserError> {
            let kept = self.0.as_ref().map_err(|code| UserError::new(*code))?;
            let found = kept.iter().find(|(known, _)| *known == name);
            Ok(found.and_then(|(_, key)| Secret::new(key)))
        }
    }

    fn sources(variables: &'static [(&str, &str)], kept: Kept) -> KeySources {
        let value = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        KeySources::new(value).with_store(Arc::new(kept))
    }

    #[test]
    fn a_key_is_kept_for_its_provider_and_for_a_host_of_its_own() {
        let entry = |provider, url| key_entry(&settings(provider, url));
        assert_eq!(entry("openai", None).as_deref(), Some("model:openai"));
        let own = Some("https://api.openai.com/v1");
        assert_eq!(entry("openai", own).as_deref(), Some("model:openai"));
        for url in [
            "https://Gate.example.com:8443/v1?x=1",
            "https://gate.example.com:8443?x",
        ] {
            let entry = entry("openai", Some(url));
            assert_eq!(
                entry.as_deref(),
                Some("model:openai@gate.example.com:8443"),
                "{url}"
            );
        }
        let mut named = settings("openai", None);
        named.key_variable = Some("TEAM_KEY".into());
        assert_eq!(key_entry(&named), None);
        named.key_variable = None;
        named.key_command = vec!["pass".into()];
        assert_eq!(key_entry(&named), None);
    }

    #[tokio::test]
    async fn the_environment_comes_before_the_keychain_and_what_is_named_before_both() {
        const ENVIRONMENT: &[(&str, &str)] = &[("OPENAI_API_KEY", "from-variable")];
        let kept = || Kept(Ok(vec![("model:openai", "kept"), ("model:gemini", "kept")]));
        let origin = async |settings: &LlmSettings| {
            let lookup = look_up_key(settings, &sources(ENVIRONMENT, kept())).await;
            assert_eq!(lookup.store_error, None);
            lookup.origin
        };
        let openai = settings("openai", None);
        let variable = KeyOrigin::Variable("OPENAI_API_KEY".into());
        assert_eq!(origin(&openai).await, Some(variable));
        assert!(
            is_key_stored(&openai, &sources(ENVIRONMENT, kept()))
                .await
                .unwrap()
        );
        let gemini = settings("gemini", None);
        assert_eq!(origin(&gemini).await, Some(KeyOrigin::Keychain));
        assert_eq!(origin(&settings("anthropic", None)).await, None);
        let elsewhere = settings("openai", Some("https://gate.example.com"));
        let without_variable = look_up_key(&elsewhere, &sources(&[], kept())).await;
        assert!(
            without_variable.is_missing(),
            "a key of another host is no key"
        );
        let named = LlmSettings {
            key_variable: Some("OTHER".into()),
            ..settings("gemini", None)
        };
        assert_eq!(origin(&named).await, None);
        let command = LlmSettings {
            key_command: vec!["/no/such/program".into()],
            ..gemini
        };
        let program = KeyOrigin::Command("/no/such/program".into());
        assert_eq!(origin(&command).await, Some(program));
    }

    #[tokio::test]
    async fn a_keychain_that_refuses_is_told_of() {
        let locked = || Kept(Err(ErrorCode::KeychainLocked));
        let lookup = look_up_key(&settings("openai", None), &sources(&[], locked())).await;
        assert!(lookup.is_missing());
        let code = lookup.store_error.map(|error| error.code);
        assert_eq!(code, Some(ErrorCode::KeychainLocked));
        // It is not asked where a variable has the key already.
        const ENVIRONMENT: &[(&str, &str)] = &[("OPENAI_API_KEY", "from-variable")];
        let lookup = look_up_key(&settings("openai", None), &sources(ENVIRONMENT, locked())).await;
        assert_eq!(lookup.store_error, None);
    }
}

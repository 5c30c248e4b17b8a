//! From the configuration of language models to models that can be asked: keys and headers out of variables, programs and the keychain.

use crate::aws_keys;
use crate::key_sources::{KeySources, remember_key};
use crate::keys::{FoundKey, find_key, is_absent, local_key};
use collie_agents::llm::{
    ExtraHeader, GoogleLogin, ListedModel, Llm, Model, ModelTarget, ModelTest, Provider, Secret,
};
use collie_config::{Config, HeaderSource, LlmSettings};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::user_error::UserError;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// How long a program that prints a key may take.
const KEY_COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// A model, and those that take over from it, in order.
pub(crate) fn model_chain<'c>(config: &'c Config, first: &'c LlmSettings) -> Vec<&'c LlmSettings> {
    let next = first.fallback.iter();
    let next = next.filter_map(|name| config.models.get(name));
    std::iter::once(first).chain(next).collect()
}

/// A model with its key and headers.
pub async fn build_model(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Model, SessionFailure> {
    let failure = |error: UserError| match error.code {
        // Somebody may unlock it meanwhile.
        ErrorCode::KeychainLocked => SessionFailure::transient(error),
        _ => SessionFailure::permanent(error),
    };
    let target = model_target(settings, keys).await.map_err(failure)?;
    Ok(configured(settings, target))
}

fn configured(settings: &LlmSettings, target: ModelTarget) -> Model {
    Model {
        effort: settings.effort,
        temperature: settings.temperature.map(|t| f64::from(t) / 1000.0),
        max_tokens: Some(settings.max_tokens),
        ..Model::at(target, &settings.model)
    }
}

/// A model as the settings name it, without its key.
pub(super) fn unkeyed_model(settings: &LlmSettings) -> Result<Model, UserError> {
    let provider = settings.provider.parse::<Provider>();
    let target = ModelTarget::new(provider.map_err(UserError::from)?);
    Ok(configured(settings, target))
}

/// The service of a model, with what it wants of each request.
pub async fn model_target(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<ModelTarget, UserError> {
    let provider: Provider = settings
        .provider
        .parse::<Provider>()
        .map_err(UserError::from)?;
    let label = label(provider, &settings.model);
    let found = match &settings.key_command[..] {
        [program, args @ ..] => Some(FoundKey::Key(key_of_command(&label, program, args).await?)),
        [] => key_of_sources(settings, provider, keys).await?,
    };
    if let (None, Some(name)) = (&found, &settings.key_variable) {
        let error = UserError::new(ErrorCode::LlmNoKey);
        return Err(error.with("model", label).with("variables", name));
    }
    let (key, login) = match found {
        Some(FoundKey::Key(key)) => (Some(key), None),
        Some(FoundKey::Login(login)) => (None, Some(login)),
        None => (local_key(settings), None),
    };
    if let Some(key) = &key {
        remember_key(key);
    }
    let variable = |name: &str| keys.variable(name);
    let mut headers = Vec::new();
    for (name, source) in &settings.headers {
        headers.push(header(&label, name, source, &variable)?);
    }
    let is_project_named = headers
        .iter()
        .any(|header| header.name().eq_ignore_ascii_case(QUOTA_PROJECT_HEADER));
    if let Some(project) = login.as_ref().and_then(GoogleLogin::quota_project)
        && !is_project_named
        && let Ok(header) = ExtraHeader::plain(QUOTA_PROJECT_HEADER, project)
    {
        headers.push(header);
    }
    let own_project = login.as_ref().and_then(GoogleLogin::project);
    let url_variable = |name: &str| {
        let own_project = own_project.filter(|_| name == "GOOGLE_CLOUD_PROJECT");
        variable(name).or_else(|| own_project.map(str::to_owned))
    };
    Ok(ModelTarget {
        provider,
        url: settings
            .url
            .clone()
            .or_else(|| provider.usual_url(url_variable)),
        key,
        login,
        headers,
    })
}

/// Names the project whose quota a person's login uses.
const QUOTA_PROJECT_HEADER: &str = "x-goog-user-project";

/// How a model is named to people, or its service where no model is.
fn label(provider: Provider, model: &str) -> String {
    match model {
        "" => provider.to_string(),
        model => format!("{provider}/{model}"),
    }
}

/// The key of a variable or the keychain, or a login. One that is out of order is an error only where there has to be a key.
async fn key_of_sources(
    settings: &LlmSettings,
    provider: Provider,
    keys: &KeySources,
) -> Result<Option<FoundKey>, UserError> {
    match find_key(settings, keys).await {
        Ok(found) => Ok(found.map(|(_, key)| key)),
        Err(error) if is_absent(&error) => Ok(None),
        // A login was named: nothing else is meant.
        Err(error) if error.code == ErrorCode::LlmLoginUnusable => Err(error),
        Err(error) if !provider.needs_key() || local_key(settings).is_some() => {
            tracing::warn!(code = ?error.code, %provider, "the keychain could not be asked for a key");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn header(
    label: &str,
    name: &str,
    source: &HeaderSource,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<ExtraHeader, UserError> {
    let made = match source {
        HeaderSource::Value(value) => ExtraHeader::plain(name, value).ok(),
        HeaderSource::Variable(of) => {
            variable(of).and_then(|value| ExtraHeader::secret(name, value.trim()).ok())
        }
    };
    let of = match source {
        HeaderSource::Value(_) => name,
        HeaderSource::Variable(of) => of,
    };
    made.ok_or_else(|| {
        UserError::new(ErrorCode::LlmNoHeader)
            .with("model", label)
            .with("name", name)
            .with("variable", of)
    })
}

/// What a program prints, such as `gcloud auth print-access-token`. What it says on the side is for its own user: it may hold the key.
async fn key_of_command(label: &str, program: &str, args: &[String]) -> Result<Secret, UserError> {
    let failed = |reason: String| {
        UserError::new(ErrorCode::LlmKeyCommand)
            .with("model", label)
            .with("program", program)
            .with_aside("message", reason)
    };
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(KEY_COMMAND_TIMEOUT, command.output());
    let output = match output.await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Err(_) => {
            let seconds = KEY_COMMAND_TIMEOUT.as_secs();
            return Err(failed(format!("nothing within {seconds} s")));
        }
    };
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    let key = String::from_utf8_lossy(&output.stdout);
    Secret::new(&key).ok_or_else(|| failed("it printed no key".to_owned()))
}

/// The variables that hold what a model is asked with and nobody may see.
pub(crate) fn secret_variables(settings: &LlmSettings) -> Vec<String> {
    let own = settings.key_variable.iter().cloned();
    let provider = settings.provider.parse::<Provider>().ok();
    let usual = provider.into_iter().flat_map(Provider::key_variables);
    let headers = settings.headers.values().filter_map(|source| match source {
        HeaderSource::Variable(name) => Some(name.clone()),
        HeaderSource::Value(_) => None,
    });
    let login = match provider {
        Some(Provider::Bedrock) => &aws_keys::AWS_SECRETS[..],
        _ => &[],
    };
    own.chain(usual.chain(login).map(|name| (*name).to_owned()))
        .chain(headers)
        .collect()
}

/// The models that the service of these settings says it has.
pub async fn list_models(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Vec<ListedModel>, UserError> {
    let target = model_target(settings, keys).await?;
    let listed = Llm::default().list_models(&target).await;
    listed.map_err(UserError::from)
}

/// Asks a model once, for real, and says what that took.
pub async fn test_model(
    config: &Config,
    settings: &LlmSettings,
    keys: &KeySources,
    cancel: &CancellationToken,
) -> Result<ModelTest, UserError> {
    let prices = crate::usage::load_prices(config)?;
    let target = model_target(settings, keys).await?;
    let model = configured(settings, target);
    let day = jiff::Timestamp::now()
        .to_zoned(jiff::tz::TimeZone::UTC)
        .date();
    let tested = Llm::default().test(&model, &prices, day, cancel).await;
    tested.map_err(|failed| UserError::from(failed.failure))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn settings(provider: &'static str) -> LlmSettings {
        LlmSettings {
            provider,
            model: "m".into(),
            ..LlmSettings::default()
        }
    }

    fn environment(name: &str) -> Option<String> {
        match name {
            "TEAM_KEY" => Some("team-key-Zebrafink".into()),
            "OPENAI_API_KEY" => Some("usual-key-Zebrafink".into()),
            "GATEWAY" => Some("gateway-Zebrafink".into()),
            _ => None,
        }
    }

    async fn target(settings: &LlmSettings) -> Result<ModelTarget, UserError> {
        model_target(settings, &KeySources::new(environment)).await
    }

    fn key(target: &ModelTarget) -> Option<&str> {
        target.key.as_ref().map(Secret::expose)
    }

    #[tokio::test]
    async fn a_key_comes_from_the_variable_that_is_named_and_from_no_other() {
        let mut named = settings("openai");
        assert_eq!(
            key(&target(&named).await.unwrap()),
            Some("usual-key-Zebrafink")
        );
        named.key_variable = Some("TEAM_KEY".into());
        assert_eq!(
            key(&target(&named).await.unwrap()),
            Some("team-key-Zebrafink")
        );
        named.key_variable = Some("OTHER".into());
        let missing = target(&named).await.unwrap_err();
        assert_eq!(missing.code, ErrorCode::LlmNoKey);
        let lookup = crate::keys::look_up_key(&named, &KeySources::new(environment)).await;
        assert!(lookup.is_missing());
        assert_eq!(lookup.variables, ["OTHER"]);
    }

    #[tokio::test]
    async fn a_program_prints_the_key_or_says_why_not_without_what_it_printed() {
        let mut told = settings("vertex");
        told.key_command = ["echo", "ya29.token-Zebrafink"].map(str::to_owned).to_vec();
        assert_eq!(
            key(&target(&told).await.unwrap()),
            Some("ya29.token-Zebrafink")
        );
        for command in [
            vec!["sh", "-c", "echo token-Zebrafink; exit 3"],
            vec!["echo", "two words"],
            vec!["true"],
            vec!["/no/such/program"],
        ] {
            told.key_command = command.into_iter().map(str::to_owned).collect();
            let failed = target(&told).await.unwrap_err();
            assert_eq!(failed.code, ErrorCode::LlmKeyCommand);
            let shown = format!("{failed:?}");
            assert!(
                !shown.contains("Zebrafink") && !shown.contains("two words"),
                "{shown}"
            );
        }
    }

    #[tokio::test]
    async fn what_a_program_printed_is_a_known_secret_from_then_on() {
        let config = collie_config::Config::resolve("home".into(), &[]).unwrap();
        let known = || crate::setup::secret_values(&config);
        let mut told = settings("vertex");
        for token in ["ya29.first-Zebrafink", "ya29.second-Zebrafink"] {
            assert!(!known().contains(&token.to_owned()));
            told.key_command = ["echo", token].map(str::to_owned).to_vec();
            target(&told).await.unwrap();
            assert!(known().contains(&token.to_owned()));
        }
        assert!(
            known().contains(&"ya29.first-Zebrafink".to_owned()),
            "it may hold still"
        );
    }

    #[tokio::test]
    async fn headers_come_from_the_file_or_from_variables_which_are_secrets() {
        let mut with = settings("openai");
        with.headers = BTreeMap::from([
            ("X-Team".to_owned(), HeaderSource::Value("reviews".into())),
            (
                "X-Gateway".to_owned(),
                HeaderSource::Variable("GATEWAY".into()),
            ),
        ]);
        let asked = target(&with).await.unwrap();
        let secrets: Vec<_> = asked
            .headers
            .iter()
            .map(|h| (h.name(), h.secret_value()))
            .collect();
        assert_eq!(
            secrets,
            [("X-Gateway", Some("gateway-Zebrafink")), ("X-Team", None)]
        );
        assert!(!format!("{asked:?}").contains("Zebrafink"));
        assert!(
            secret_variables(&with).contains(&"GATEWAY".to_owned()),
            "it is kept out of every text"
        );
        with.headers
            .insert("X-Other".into(), HeaderSource::Variable("MISSING".into()));
        assert_eq!(
            target(&with).await.unwrap_err().code,
            ErrorCode::LlmNoHeader
        );
    }

    #[tokio::test]
    async fn regions_come_from_the_environment_where_no_address_is_given() {
        let variable = |name: &str| (name == "AWS_REGION").then(|| "eu-west-1".to_owned());
        let keys = KeySources::new(variable);
        let asked = model_target(&settings("bedrock"), &keys).await.unwrap();
        let url = asked.url.unwrap();
        assert!(url.contains("eu-west-1"), "{url}");
    }

    #[test]
    fn those_that_take_over_follow_in_their_order() {
        let mut config = collie_config::Config::resolve("home".into(), &[]).unwrap();
        config.models = ["a", "b"]
            .map(|name| (name.to_owned(), settings("ollama")))
            .into();
        let first = LlmSettings {
            fallback: vec!["b".into(), "a".into()],
            ..settings("openai")
        };
        let order: Vec<_> = model_chain(&config, &first)
            .iter()
            .map(|s| s.provider)
            .collect();
        assert_eq!(order, ["openai", "ollama", "ollama"]);
    }
}

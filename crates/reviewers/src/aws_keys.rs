//! An AWS login in place of Bedrock's key: the variables of an access key, or a profile of the shared credentials file.

use crate::key_sources::{KeyOrigin, KeySources, remember_key};
use collie_agents::llm::{AwsCredentials, Secret};
use collie_config::LlmSettings;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use std::path::PathBuf;
use std::time::SystemTime;

/// The variable whose access key is taken, together with those beside it.
pub const AWS_ACCESS_KEY: &str = "AWS_ACCESS_KEY_ID";

/// What to set where there is no login.
pub(crate) const AWS_VARIABLES: [&str; 2] = [AWS_ACCESS_KEY, "AWS_PROFILE"];

/// All variables of a login that hold secrets.
pub(crate) const AWS_SECRETS: [&str; 3] =
    [AWS_ACCESS_KEY, "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

const REGION_VARIABLES: [&str; 2] = ["AWS_REGION", "AWS_DEFAULT_REGION"];

/// The token of an access key in the environment.
pub(crate) fn of_variables(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Option<(KeyOrigin, Secret)>, UserError> {
    let value = |name: &str| keys.variable(name).and_then(|value| Secret::new(&value));
    let [id, secret, session] = AWS_SECRETS.map(value);
    let (Some(access_key_id), Some(secret_access_key)) = (id, secret) else {
        return Ok(None);
    };
    let credentials = AwsCredentials {
        access_key_id,
        secret_access_key,
        session_token: session,
    };
    let origin = KeyOrigin::Variable(AWS_ACCESS_KEY.to_owned());
    token(settings, keys, &credentials).map(|token| Some((origin, token)))
}

/// The token of an access key in the shared credentials file.
pub(crate) async fn of_profile(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Option<(KeyOrigin, Secret)>, UserError> {
    let Some(path) = credentials_file(keys) else {
        return Ok(None);
    };
    // One that is not there, or is not for us to read, is no login.
    let Ok(file) = tokio::fs::read_to_string(&path).await else {
        return Ok(None);
    };
    let named = ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"];
    let profile = first(keys, &named).unwrap_or_else(|| "default".to_owned());
    let Some(credentials) = AwsCredentials::from_profile(&file, &profile) else {
        return Ok(None);
    };
    let origin = KeyOrigin::File(format!("{} [{profile}]", path.display()));
    token(settings, keys, &credentials).map(|token| Some((origin, token)))
}

fn credentials_file(keys: &KeySources) -> Option<PathBuf> {
    if let Some(path) = first(keys, &["AWS_SHARED_CREDENTIALS_FILE"]) {
        return Some(PathBuf::from(path));
    }
    let home = first(keys, &["HOME", "USERPROFILE"])?;
    Some(PathBuf::from(home).join(".aws").join("credentials"))
}

fn first(keys: &KeySources, names: &[&str]) -> Option<String> {
    let mut values = names.iter().filter_map(|name| keys.variable(name));
    values.find(|value| !value.trim().is_empty())
}

fn token(
    settings: &LlmSettings,
    keys: &KeySources,
    credentials: &AwsCredentials,
) -> Result<Secret, UserError> {
    remember_key(&credentials.secret_access_key);
    if let Some(session) = &credentials.session_token {
        remember_key(session);
    }
    let missing = || {
        UserError::new(ErrorCode::LlmNoKey)
            .with("model", format!("bedrock/{}", settings.model))
            .with("variables", REGION_VARIABLES.join(" or "))
    };
    let region = region(settings, keys).ok_or_else(missing)?;
    let token = credentials.bedrock_token(&region, SystemTime::now());
    token.ok_or_else(missing)
}

/// The region that signs: that of the address, where it names one; a proxy's does not.
fn region(settings: &LlmSettings, keys: &KeySources) -> Option<String> {
    let of_url = settings.url.as_deref().and_then(|url| {
        let (_, rest) = url.split_once("bedrock-runtime.")?;
        let (region, _) = rest.split_once('.')?;
        Some(region.to_owned())
    });
    of_url.or_else(|| first(keys, &REGION_VARIABLES).map(|name| name.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{FoundKey, find_key, look_up_key};
    use std::collections::BTreeMap;

    const KEY: [(&str, &str); 3] = [
        ("AWS_ACCESS_KEY_ID", "AKIDVARIABLE"),
        ("AWS_SECRET_ACCESS_KEY", "zebrafink-secret"),
        ("AWS_REGION", "eu-central-1"),
    ];

    fn bedrock(url: Option<&str>) -> LlmSettings {
        LlmSettings {
            provider: "bedrock",
            model: "amazon.nova-pro-v1:0".into(),
            url: url.map(str::to_owned),
            ..LlmSettings::default()
        }
    }

    fn sources(variables: &[(&str, &str)]) -> KeySources {
        let variables: BTreeMap<String, String> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        KeySources::new(move |name| variables.get(name).cloned())
    }

    /// Whose access key signed for which region.
    fn signed_for(found: &FoundKey) -> String {
        use base64::Engine as _;
        let FoundKey::Key(token) = found else {
            panic!("it is signed here");
        };
        let encoded = token.expose().strip_prefix("bedrock-api-key-").unwrap();
        let request = base64::engine::general_purpose::STANDARD.decode(encoded);
        let request = String::from_utf8(request.unwrap()).unwrap();
        let (_, credential) = request.split_once("X-Amz-Credential=").unwrap();
        let parts: Vec<&str> = credential.split('&').next().unwrap().split("%2F").collect();
        format!("{} in {}", parts[0], parts[2])
    }

    #[tokio::test]
    async fn an_access_key_in_the_environment_is_a_key_of_bedrock_after_a_bearer_token() {
        let keys = sources(&KEY);
        let (origin, token) = find_key(&bedrock(None), &keys).await.unwrap().unwrap();
        assert_eq!(origin, KeyOrigin::Variable("AWS_ACCESS_KEY_ID".into()));
        assert_eq!(signed_for(&token), "AKIDVARIABLE in eu-central-1");
        let elsewhere = bedrock(Some("https://bedrock-runtime.us-west-2.amazonaws.com"));
        let (_, token) = find_key(&elsewhere, &keys).await.unwrap().unwrap();
        assert_eq!(signed_for(&token), "AKIDVARIABLE in us-west-2");
        let bearer = [
            KEY[0],
            KEY[1],
            KEY[2],
            ("AWS_BEARER_TOKEN_BEDROCK", "bearer"),
        ];
        let (origin, _) = find_key(&bedrock(None), &sources(&bearer))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            origin,
            KeyOrigin::Variable("AWS_BEARER_TOKEN_BEDROCK".into())
        );
        let openai = LlmSettings {
            provider: "openai",
            ..bedrock(None)
        };
        assert_eq!(find_key(&openai, &keys).await.unwrap(), None);
        let named = LlmSettings {
            key_variable: Some("TEAM".into()),
            ..bedrock(None)
        };
        assert_eq!(
            find_key(&named, &keys).await.unwrap(),
            None,
            "nothing else is looked at"
        );
    }

    #[tokio::test]
    async fn a_profile_of_the_shared_file_is_one_too() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".aws");
        std::fs::create_dir(&folder).unwrap();
        let file = "[default]\naws_access_key_id = AKIDDEFAULT\naws_secret_access_key = s\n[team]\naws_access_key_id = AKIDTEAM\naws_secret_access_key = s\n";
        std::fs::write(folder.join("credentials"), file).unwrap();
        let home = home.path().to_str().unwrap();
        for (profile, expected) in [
            ("", Some("AKIDDEFAULT")),
            ("team", Some("AKIDTEAM")),
            ("none", None),
        ] {
            let keys = sources(&[("HOME", home), ("AWS_PROFILE", profile), KEY[2]]);
            let found = find_key(&bedrock(None), &keys).await.unwrap();
            let signer = found.as_ref().map(|(_, token)| signed_for(token));
            assert_eq!(
                signer,
                expected.map(|id| format!("{id} in eu-central-1")),
                "{profile}"
            );
            let lookup = look_up_key(&bedrock(None), &keys).await;
            assert_eq!(lookup.is_missing(), expected.is_none());
            assert!(lookup.variables.contains(&"AWS_PROFILE".to_owned()));
            if let Some((KeyOrigin::File(place), _)) = found {
                assert!(place.contains("credentials"), "{place}");
            }
        }
    }

    #[tokio::test]
    async fn without_a_region_nothing_is_signed_and_it_is_said_what_to_set() {
        let refused = find_key(&bedrock(None), &sources(&KEY[..2]))
            .await
            .unwrap_err();
        assert_eq!(refused.code, ErrorCode::LlmNoKey);
        assert!(format!("{refused:?}").contains("AWS_REGION"), "{refused:?}");
        assert!(!format!("{refused:?}").contains("zebrafink"));
    }
}

//! A Google login in place of Vertex AI's token: what Google's tools call application default credentials.
//!
//! The places and their order are Google's (<https://cloud.google.com/docs/authentication/application-default-credentials>), with the
//! keychain before what lies around for all tools (docs/decisions/0039).

use crate::key_sources::{KeyOrigin, KeySources, remember_key};
use collie_agents::llm::{GoogleCredentials, GoogleLogin, InvalidGoogleCredentials};
use collie_config::LlmSettings;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The variable that names the file of a login.
pub const GOOGLE_CREDENTIALS_FILE: &str = "GOOGLE_APPLICATION_CREDENTIALS";

/// The variable that names a metadata server. Without it none is looked for: to ask one where there is none takes seconds.
pub const GOOGLE_METADATA_HOST: &str = "GCE_METADATA_HOST";

/// What to set where there is no login.
pub(crate) const GOOGLE_VARIABLES: [&str; 2] = [GOOGLE_CREDENTIALS_FILE, GOOGLE_METADATA_HOST];

/// The file that `gcloud auth application-default login` writes.
const WELL_KNOWN_FILE: &str = "application_default_credentials.json";

/// The longest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How many logins keep their token, those that were used last.
const MAX_LOGINS: usize = 16;

/// Logins that were used, with the tokens that they have: each review finds its login anew.
static LOGINS: Mutex<VecDeque<GoogleLogin>> = Mutex::new(VecDeque::new());

/// The login of the file that a variable names. One that is named and cannot be used is an error: nothing else is meant.
pub(crate) async fn of_variable(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Option<(KeyOrigin, GoogleLogin)>, UserError> {
    let Some(path) = first(keys, &[GOOGLE_CREDENTIALS_FILE]) else {
        return Ok(None);
    };
    let path = PathBuf::from(path);
    let read = read_file(&path).await;
    let text =
        read.map_err(|error| unusable(settings, &path.display().to_string(), &error.to_string()))?;
    of_file(settings, &path, &text).map(Some)
}

/// The login that gcloud keeps for all programs of a person.
pub(crate) async fn of_gcloud(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Option<(KeyOrigin, GoogleLogin)>, UserError> {
    let Some(path) = gcloud_file(keys) else {
        return Ok(None);
    };
    match read_file(&path).await {
        Ok(text) => of_file(settings, &path, &text).map(Some),
        // One that is not there, or is not for us to read, is no login.
        Err(_) => Ok(None),
    }
}

/// The login of the machine, where its metadata server is named.
pub(crate) fn of_metadata_server(
    settings: &LlmSettings,
    keys: &KeySources,
) -> Result<Option<(KeyOrigin, GoogleLogin)>, UserError> {
    let Some(host) = first(keys, &[GOOGLE_METADATA_HOST]) else {
        return Ok(None);
    };
    let credentials = GoogleCredentials::metadata_server(&host)
        .map_err(|error| unusable(settings, GOOGLE_METADATA_HOST, &error.to_string()))?;
    let origin = KeyOrigin::Variable(GOOGLE_METADATA_HOST.to_owned());
    Ok(Some((origin, known_login(credentials, host))))
}

fn of_file(
    settings: &LlmSettings,
    path: &Path,
    text: &str,
) -> Result<(KeyOrigin, GoogleLogin), UserError> {
    let place = path.display().to_string();
    let credentials =
        GoogleCredentials::from_json(text).map_err(|error: InvalidGoogleCredentials| {
            unusable(settings, &place, &error.to_string())
        })?;
    Ok((
        KeyOrigin::File(place.clone()),
        known_login(credentials, place),
    ))
}

/// The login with the token that it has from before, where it is the same still.
fn known_login(credentials: GoogleCredentials, origin: String) -> GoogleLogin {
    let login = GoogleLogin::new(credentials, origin, remember_key);
    let mut logins = LOGINS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = logins.iter().position(|known| *known == login);
    let login = known.and_then(|at| logins.remove(at)).unwrap_or(login);
    logins.push_front(login.clone());
    logins.truncate(MAX_LOGINS);
    login
}

async fn read_file(path: &Path) -> io::Result<String> {
    if tokio::fs::metadata(path).await?.len() > MAX_FILE_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it is too large",
        ));
    }
    tokio::fs::read_to_string(path).await
}

fn gcloud_file(keys: &KeySources) -> Option<PathBuf> {
    if let Some(folder) = first(keys, &["CLOUDSDK_CONFIG"]) {
        return Some(PathBuf::from(folder).join(WELL_KNOWN_FILE));
    }
    let folder = match first(keys, &["APPDATA"]).filter(|_| cfg!(windows)) {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(first(keys, &["HOME"])?).join(".config"),
    };
    Some(folder.join("gcloud").join(WELL_KNOWN_FILE))
}

fn first(keys: &KeySources, names: &[&str]) -> Option<String> {
    let mut values = names.iter().filter_map(|name| keys.variable(name));
    values.find(|value| !value.trim().is_empty())
}

fn unusable(settings: &LlmSettings, origin: &str, said: &str) -> UserError {
    UserError::new(ErrorCode::LlmLoginUnusable)
        .with("model", format!("vertex/{}", settings.model))
        .with("origin", origin)
        .with_aside("message", said.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_sources::KeyStore;
    use crate::keys::{FoundKey, find_key, look_up_key};
    use crate::models::model_target;
    use async_trait::async_trait;
    use collie_agents::llm::Secret;
    use collie_fake_llm::GoogleAccount;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

    fn vertex() -> LlmSettings {
        LlmSettings {
            provider: "vertex",
            model: "gemini-3.8-flash".into(),
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

    struct Kept;

    #[async_trait]
    impl KeyStore for Kept {
        async fn load_key(&self, _: &str) -> Result<Option<Secret>, UserError> {
            Ok(Secret::new("kept-Zebrafink"))
        }
    }

    /// A home with gcloud's login of a person, and the key file of a program beside it.
    fn home() -> (tempfile::TempDir, String, String) {
        let home = tempfile::tempdir().unwrap();
        let gcloud = home.path().join(".config").join("gcloud");
        std::fs::create_dir_all(&gcloud).unwrap();
        let user = GoogleAccount::new().user_file(TOKEN_URL).to_string();
        std::fs::write(gcloud.join(WELL_KNOWN_FILE), user).unwrap();
        let key_file = home.path().join("key.json");
        let account = GoogleAccount::new().key_file(TOKEN_URL).to_string();
        std::fs::write(&key_file, account).unwrap();
        let [home_path, key_file] =
            [home.path(), &key_file].map(|path| path.to_str().unwrap().to_owned());
        (home, home_path, key_file)
    }

    async fn origin(keys: &KeySources) -> Option<KeyOrigin> {
        let lookup = look_up_key(&vertex(), keys).await;
        assert_eq!(lookup.store_error, None);
        assert!(
            lookup
                .variables
                .contains(&GOOGLE_CREDENTIALS_FILE.to_owned())
        );
        lookup.origin
    }

    #[tokio::test]
    async fn what_is_named_comes_before_the_keychain_and_what_lies_around_after_it() {
        let (_home, home, file) = home();
        let variable = |name: &str| Some(KeyOrigin::Variable(name.to_owned()));
        let all = [
            ("GOOGLE_OAUTH_ACCESS_TOKEN", "ya29.set"),
            (GOOGLE_CREDENTIALS_FILE, file.as_str()),
            ("HOME", home.as_str()),
            (GOOGLE_METADATA_HOST, "metadata.google.internal"),
        ];
        let kept = |variables: &[_]| sources(variables).with_store(Arc::new(Kept));
        assert_eq!(
            origin(&kept(&all)).await,
            variable("GOOGLE_OAUTH_ACCESS_TOKEN")
        );
        assert_eq!(
            origin(&kept(&all[1..])).await,
            Some(KeyOrigin::File(file.clone()))
        );
        assert_eq!(origin(&kept(&all[2..])).await, Some(KeyOrigin::Keychain));
        let well_known = format!("{home}/.config/gcloud/{WELL_KNOWN_FILE}");
        assert_eq!(
            origin(&sources(&all[2..])).await,
            Some(KeyOrigin::File(well_known.clone()))
        );
        let moved = [("CLOUDSDK_CONFIG", format!("{home}/.config/gcloud"))];
        let moved = moved
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        assert_eq!(
            origin(&sources(&moved)).await,
            Some(KeyOrigin::File(well_known))
        );
        assert_eq!(
            origin(&sources(&all[3..])).await,
            variable(GOOGLE_METADATA_HOST)
        );
        assert_eq!(origin(&sources(&[])).await, None);
        let gemini = LlmSettings {
            provider: "gemini",
            ..vertex()
        };
        assert_eq!(find_key(&gemini, &sources(&all[1..])).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_login_stands_for_a_key_and_tells_its_project() {
        let (_home, home, file) = home();
        let named = sources(&[(GOOGLE_CREDENTIALS_FILE, &file)]);
        let target = model_target(&vertex(), &named).await.unwrap();
        assert_eq!(target.key, None);
        let global = "https://aiplatform.googleapis.com/v1/projects/ours/locations/global/";
        assert_eq!(target.url.as_deref(), Some(global));
        assert_eq!(target.headers, [], "a program's own project has the quota");
        let again = model_target(&vertex(), &named).await.unwrap();
        assert_eq!(target.login, again.login, "its token is kept");
        let person = sources(&[("HOME", &home), ("GOOGLE_CLOUD_PROJECT", "theirs")]);
        let target = model_target(&vertex(), &person).await.unwrap();
        let headers: Vec<_> = target.headers.iter().map(|header| header.name()).collect();
        assert_eq!(headers, ["x-goog-user-project"]);
        assert!(target.url.unwrap().contains("/projects/theirs/"));
        let known = crate::key_sources::remembered_keys();
        for secret in ["client-secret-Zebrafink", "1//refresh-token-Zebrafink"] {
            assert!(
                known.contains(&secret.to_owned()),
                "it is kept out of every text"
            );
        }
    }

    #[tokio::test]
    async fn a_login_that_is_named_and_cannot_be_used_is_told_of_and_nothing_else_is_taken() {
        let (_home, home, file) = home();
        std::fs::write(
            &file,
            r#"{"type": "service_account", "private_key": "Zebrafink"}"#,
        )
        .unwrap();
        let missing = format!("{home}/missing.json");
        for (named, expected) in [(&file, "client_email"), (&missing, "No such file")] {
            let keys = sources(&[(GOOGLE_CREDENTIALS_FILE, named), ("HOME", &home)]);
            let refused = find_key(&vertex(), &keys).await.unwrap_err();
            assert_eq!(refused.code, ErrorCode::LlmLoginUnusable);
            let shown = format!("{refused:?}");
            assert!(shown.contains(expected) && shown.contains(named), "{shown}");
            assert!(!shown.contains("Zebrafink"), "{shown}");
        }
        let keys = sources(&[(GOOGLE_METADATA_HOST, "http://x/y")]);
        let refused = find_key(&vertex(), &keys).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::LlmLoginUnusable);
    }

    #[tokio::test]
    async fn the_same_login_is_found_again_with_its_token() {
        let (_home, _, file) = home();
        let keys = sources(&[(GOOGLE_CREDENTIALS_FILE, &file)]);
        let login = async || match find_key(&vertex(), &keys).await.unwrap() {
            Some((_, FoundKey::Login(login))) => login,
            other => panic!("{other:?}"),
        };
        let first = login().await;
        assert!(first.shares_token_with(&login().await));
        let user = GoogleAccount::new().user_file(TOKEN_URL).to_string();
        std::fs::write(&file, user).unwrap();
        assert!(
            !first.shares_token_with(&login().await),
            "another login lies there now"
        );
    }
}

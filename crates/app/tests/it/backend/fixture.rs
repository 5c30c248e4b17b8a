//! A forge with a repository, and a backend that is signed in to it by a typed token.

use collie_app::auth::keychain::Keychain;
use collie_app::backend::{Backend, BackendOptions, CredentialScope, HostEnv};
use collie_config::DataFolder;
use collie_testkit::forge::{COLLIE, ForgeFixture};
use collie_testkit::git::write_files;
use collie_testkit::repository::{PullContent, PullFixture, RepositoryFixture};
use collie_testkit::wait::wait_until;
use collie_wire::ErrorView;
use collie_wire::rpc::{Command, Update};
use serde_json::{Value, json};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The repository of most tests.
pub const REPO: &str = "octo/app";

/// A forge and a data folder beside it.
pub struct BackendFixture(ForgeFixture);

impl Deref for BackendFixture {
    type Target = ForgeFixture;

    fn deref(&self) -> &ForgeFixture {
        &self.0
    }
}

/// A pull request without a fault.
pub fn clean_pull(branch: &str) -> PullFixture {
    PullFixture::new(branch).with_file("app.js", PullContent::Clean.text())
}

impl BackendFixture {
    /// A forge with the repository, whose only check passes at once, and one pull request a change, from `topic-1` on.
    pub async fn new(changes: &[PullContent]) -> Self {
        Self::with_check("true", changes).await
    }

    /// The same with another check.
    pub async fn with_check(check: &str, changes: &[PullContent]) -> Self {
        let repository = RepositoryFixture::new(REPO).with_check(check);
        Self(ForgeFixture::start(&repository.with_topics(changes)).await)
    }

    /// A forge with this repository, which is named as [`REPO`].
    pub async fn on(repository: &RepositoryFixture) -> Self {
        Self(ForgeFixture::start(repository).await)
    }

    /// Sends a mutation about a pull request, whose id is `$id`.
    pub async fn mutate(&self, login: &str, number: u64, mutation: &str) {
        let query = format!("mutation($id: ID!) {{ {mutation} {{ clientMutationId }} }}");
        self.graphql_about_pull(login, number, &query).await;
    }

    pub async fn set_token_state(&self, login: &str, state: Value) {
        let mut body = json!({"login": login});
        body.as_object_mut()
            .unwrap()
            .extend(state.as_object().unwrap().clone());
        self.call(COLLIE, "POST", "/_forge/tokens", Some(body))
            .await;
    }

    /// The data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Writes `config.toml`: quick polls, and this.
    pub fn configure(&self, more: &str) {
        self.configure_folder(&self.data_folder(), more);
    }

    /// The same in another data folder.
    pub fn configure_folder(&self, folder: &Path, more: &str) {
        let config = format!(
            "poll_interval = \"300ms\"\nready_poll_interval = \"500ms\"\nno_checks_grace = \"1s\"\ngithub_api_url = \"{}\"\n{more}",
            self.api_url()
        );
        write_files(folder, &[("config.toml", config)]);
    }

    /// Opens a backend on the data folder.
    pub async fn open_backend(&self) -> TestClient {
        TestClient::open(&self.data_folder()).await
    }

    /// Opens a backend, signed in as somebody who may start loops.
    pub async fn open_signed_in(&self, more: &str) -> TestClient {
        self.configure(&format!(
            "allowed_users = [\"{COLLIE}\"]\nautonomy = \"push\"\n{more}"
        ));
        let client = self.open_backend().await;
        client.sign_in(self, COLLIE).await;
        client
    }
}

/// What a machine without a Secret Service has.
pub fn no_keychain() -> Keychain {
    let open = || {
        let reason = "no bus".into();
        Err(keyring_core::Error::PlatformFailure(reason))
    };
    Keychain::with_store(Arc::new(open), Duration::from_secs(20))
}

/// A backend and everything it has told.
pub struct TestClient {
    pub backend: Backend,
    pub updates: Arc<Mutex<Vec<Update>>>,
}

impl TestClient {
    /// Opens a backend and waits until it stands.
    pub async fn open(folder: &Path) -> Self {
        Self::open_in(folder, Arc::new(|_: &str| None)).await
    }

    /// The same in an environment.
    pub async fn open_in(folder: &Path, environment: HostEnv) -> Self {
        Self::open_with(folder, environment, no_keychain()).await
    }

    /// The same with a keychain.
    pub async fn open_with(folder: &Path, environment: HostEnv, keychain: Keychain) -> Self {
        let backend = Backend::open(BackendOptions {
            folder: DataFolder::at(folder).unwrap(),
            environment,
            credentials: CredentialScope::Machine,
            keychain,
            language: "en",
            runners: None,
            elsewhere: None,
            can_merge: false,
            demo_if_new: false,
        });
        Self::on(backend).await
    }

    /// Takes a backend that is open, and waits until it stands.
    pub async fn on(backend: Backend) -> Self {
        let updates_seen = Arc::new(Mutex::new(Vec::new()));
        let (mut updates, recorded) = (backend.subscribe(), updates_seen.clone());
        tokio::spawn(async move {
            while let Ok(update) = updates.recv().await {
                recorded.lock().unwrap().push(update);
            }
        });
        let client = Self {
            backend,
            updates: updates_seen,
        };
        client
            .wait_for_session("a standing", |session| session["phase"] != "starting")
            .await;
        client
    }

    /// Signs in with the token of a login of the forge.
    pub async fn sign_in(&self, fixture: &BackendFixture, login: &str) {
        let token = format!("forge-{login}");
        self.try_sign_in(&token, &fixture.api_url()).await.unwrap();
        self.wait_for_session("an account", |session| session["account"]["login"] == login)
            .await;
    }

    pub async fn try_sign_in(&self, token: &str, url: &str) -> Result<Value, ErrorView> {
        let command = Command::SignIn {
            token: token.to_owned(),
            api_url: Some(url.to_owned()),
        };
        self.backend.run(command).await
    }

    /// Carries a command out that must succeed.
    pub async fn run_command(&self, command: Command) -> Value {
        self.backend
            .run(command.clone())
            .await
            .unwrap_or_else(|error| panic!("{command:?}: {error:?}"))
    }

    /// Carries a command out that must be refused.
    pub async fn run_refused(&self, command: Command) -> ErrorView {
        let done = self.backend.run(command.clone()).await;
        done.expect_err(&format!("{command:?} is refused"))
    }

    pub async fn session(&self) -> Value {
        self.run_command(Command::Session).await
    }

    pub async fn start_loop(&self, number: u64) {
        self.run_command(Command::Start {
            key: pull_key(number),
        })
        .await;
    }

    /// A loop as the UI is shown it; null when there is none.
    pub async fn loop_view(&self, key: &str) -> Value {
        find_entry(&self.run_command(Command::Loops).await, "key", key)
    }

    /// Waits until an answer is as wanted, and gives it.
    pub async fn wait_until(
        &self,
        what: &str,
        ask: Command,
        fits: impl Fn(&Value) -> bool,
    ) -> Value {
        let answered = wait_until(what, async || {
            let answer = self.run_command(ask.clone()).await;
            if fits(&answer) {
                Ok(answer)
            } else {
                Err(answer)
            }
        });
        answered.await
    }

    pub async fn wait_for_session(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.wait_until(what, Command::Session, fits).await
    }

    /// Waits until a loop is in a state.
    pub async fn wait_for_state(&self, number: u64, state: &str) -> Value {
        let key = pull_key(number);
        let there = self
            .wait_until(&format!("{key} {state}"), Command::Loops, |loops| {
                find_entry(loops, "key", &key)["state"] == state
            })
            .await;
        find_entry(&there, "key", &key)
    }

    /// Waits until the listing of a repository is as wanted.
    pub async fn wait_for_listing(
        &self,
        repo: &str,
        what: &str,
        fits: impl Fn(&Value) -> bool,
    ) -> Value {
        let ask = Command::Listing {
            repo: repo.to_owned(),
        };
        self.wait_until(what, ask, fits).await
    }

    /// Waits until the updates are as wanted.
    pub async fn wait_for_updates(&self, what: &str, fits: impl Fn(&[Update]) -> bool) {
        wait_until(what, async || fits(&self.updates.lock().unwrap())).await;
    }
}

/// The entry of a list whose field says this; null when there is none.
pub fn find_entry(list: &Value, field: &str, value: &str) -> Value {
    let entries = list.as_array().unwrap();
    entries
        .iter()
        .find(|entry| entry[field] == value)
        .cloned()
        .unwrap_or(Value::Null)
}

/// The key of a pull request of the repository.
pub fn pull_key(number: u64) -> String {
    format!("{REPO}#{number}")
}

/// Whether a problem has this code, a sentence and something to do.
pub fn assert_problem(problem: &Value, code: &str) {
    assert_eq!(problem["code"], code, "{problem:#}");
    let message = problem["message"].as_str().unwrap();
    assert!(
        !message.is_empty() && !message.contains("problem-"),
        "{message}"
    );
    let hints = problem["hints"].as_array().unwrap();
    assert!(!hints.is_empty(), "no way out: {problem:#}");
    for hint in hints {
        assert!(!hint.as_str().unwrap().contains("problem-hint"), "{hint}");
    }
}

/// An error as an answer.
pub fn as_value(error: &ErrorView) -> Value {
    serde_json::to_value(error).unwrap()
}

/// The diagnostics of this whole program so far: a process has one log.
pub fn log_text() -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(log_folder().join("logs")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        text += &String::from_utf8_lossy(&bytes);
    }
    text
}

/// Writes diagnostics from now on, unless it has begun.
pub fn log_folder() -> &'static std::path::Path {
    static FOLDER: std::sync::LazyLock<tempfile::TempDir> = std::sync::LazyLock::new(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let data = collie_config::DataFolder::at(folder.path()).unwrap();
        collie_app::logging::init(&data).unwrap();
        folder
    });
    FOLDER.path()
}

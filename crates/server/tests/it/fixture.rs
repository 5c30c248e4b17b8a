//! A forge, a data folder, and a server on both.

use collie_app::auth::keychain::Keychain;
use collie_app::backend::{AccountName, Backend, BackendOptions, CredentialScope};
use collie_config::{ConfigLayer, DataFolder};
use collie_core::ids::{PullName, Time};
use collie_server::{Server, ServerOptions, WallClock};
use collie_testkit::forge::{COLLIE, ForgeFixture};
use collie_testkit::git::write_files;
use collie_testkit::repository::RepositoryFixture;
use collie_testkit::wait::wait_until;
use hmac::{Hmac, KeyInit as _, Mac as _};
use keyring_core::{CredentialStore, mock};
use reqwest::RequestBuilder;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde_json::{Value, json};
use sha2::Sha256;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What GitHub signs with.
pub const SECRET: &str = "only GitHub and the server know it";
/// The app by which people may sign in by a code.
pub const CLIENT_ID: &str = "Iv1.0123456789abcdef";
/// Who may write in the repository.
pub const WRITER: &str = "ana";
/// The account that the server's keychain has the token of.
const ACCOUNT: &str = "server";

/// A clock that a test turns.
#[derive(Clone, Default)]
pub struct TurnedClock(Arc<AtomicI64>);

impl TurnedClock {
    /// Turns it by so many milliseconds.
    pub fn turn(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    fn wall(&self) -> WallClock {
        let by = self.0.clone();
        WallClock::new(move || Time(collie_app::clock::now().0 + by.load(Ordering::SeqCst)))
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    /// The cookie that it sets, as a browser sends it back.
    pub fn cookie(&self) -> String {
        let cookie = self.headers["set-cookie"].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    #[track_caller]
    pub fn check(&self, status: u16, code: &str) {
        let found = (self.status, self.body["code"].as_str().unwrap_or_default());
        assert_eq!(found, (status, code), "{self:?}");
    }
}

/// What a server is to go by.
#[derive(Clone)]
pub struct Settings {
    pub session_lifetime: Duration,
    pub access_ttl: Duration,
    /// What `config.toml` says more.
    pub config: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            session_lifetime: Duration::from_secs(3_600),
            access_ttl: Duration::from_secs(60),
            config: "poll_interval = \"1h\"\nready_poll_interval = \"1h\"\n".to_owned(),
        }
    }
}

/// A server that can be stopped, and started again on the same folder.
pub struct TestServer {
    pub forge: Arc<ForgeFixture>,
    home: PathBuf,
    pub clock: TurnedClock,
    pub settings: Settings,
    pub http: reqwest::Client,
    pub url: String,
    pub backend: Backend,
    stop: CancellationToken,
    serving: Option<JoinHandle<()>>,
}

impl Deref for TestServer {
    type Target = ForgeFixture;

    fn deref(&self) -> &ForgeFixture {
        &self.forge
    }
}

impl TestServer {
    pub async fn start(repository: &RepositoryFixture, settings: Settings) -> Self {
        let forge = ForgeFixture::start(repository).await;
        let roles = json!({"roles": {WRITER: "member", COLLIE: "member"}});
        forge.change_repository(roles).await;
        let home = forge.root().parent().unwrap().join("home");
        Self::on(Arc::new(forge), home, settings).await
    }

    /// Another server on the same forge, with a data folder of its own.
    pub async fn beside(&self, settings: Settings) -> Self {
        let home = self.home.with_file_name("beside");
        Self::on(self.forge.clone(), home, settings).await
    }

    async fn on(forge: Arc<ForgeFixture>, home: PathBuf, settings: Settings) -> Self {
        let clock = TurnedClock::default();
        let (backend, url, stop, serving) = serve(&forge, &home, &settings, &clock).await;
        Self {
            forge,
            home,
            clock,
            settings,
            http: reqwest::Client::new(),
            url,
            backend,
            stop,
            serving: Some(serving),
        }
    }

    /// Stops the server and its engine.
    pub async fn stop(&mut self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            serving.await.unwrap();
        }
        self.backend.close().await;
    }

    /// Starts it again on the same folder.
    pub async fn start_again(&mut self) {
        let (backend, url, stop, serving) =
            serve(&self.forge, &self.home, &self.settings, &self.clock).await;
        (self.backend, self.url, self.stop, self.serving) = (backend, url, stop, Some(serving));
    }

    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Answer {
            status,
            headers,
            body,
        }
    }

    pub fn get(&self, login: &str, path: &str) -> RequestBuilder {
        let request = self.http.get(format!("{}{path}", self.url));
        request.bearer_auth(format!("forge-{login}"))
    }

    /// A command of the page, with a cookie.
    pub async fn page(&self, cookie: &str, command: Value) -> Answer {
        let request = self.http.post(format!("{}/rpc", self.url));
        let request = request
            .header("cookie", cookie)
            .header("x-collie-request", "1")
            .header("sec-fetch-site", "same-origin")
            .header("origin", &self.url);
        self.send(request.json(&command)).await
    }

    /// Signs somebody in; gives their cookie.
    pub async fn sign_in(&self, login: &str) -> String {
        let args = json!({"token": format!("forge-{login}"), "api_url": null});
        let answer = self
            .page("", json!({"command": "sign_in", "args": args}))
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.cookie()
    }

    pub async fn event(&self, number: u64, event: Value) -> Answer {
        let path = format!("{}/pr/{}/{number}/event", self.url, self.repo());
        let request = self.http.post(path).bearer_auth(format!("forge-{WRITER}"));
        self.send(request.json(&event)).await
    }

    pub async fn start_loop(&self, number: u64) {
        let event = json!({"id": format!("start {number}"), "type": "start"});
        let answer = self.event(number, event).await;
        assert_eq!(answer.status, 202, "{answer:?}");
    }

    /// The loop of a pull request as the API shows it, without asking as often as only a program would; null where there is none.
    pub fn status(&self, number: u64) -> Value {
        let pull = PullName::parse(&format!("{}#{number}", self.repo())).unwrap();
        let found = self.backend.loop_of_pull(&pull);
        found.map_or(Value::Null, |found| {
            serde_json::to_value(found.view).unwrap()
        })
    }

    pub async fn wait_for_state(&self, number: u64, wanted: &str) -> Value {
        wait_until(&format!("#{number} to be {wanted}"), async || {
            let status = self.status(number);
            match status["state"] == wanted {
                true => Ok(status),
                false => Err(format!("{} {}", status["state"], status["blocker"])),
            }
        })
        .await
    }

    /// A signed delivery.
    pub fn delivery(&self, event: &str, id: &str, body: &str) -> RequestBuilder {
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        let digits = hex::encode(mac.finalize().into_bytes());
        (self.http.post(format!("{}/webhooks/github", self.url)))
            .header("content-type", "application/json")
            .header("x-github-event", event)
            .header("x-github-delivery", id)
            .header("x-hub-signature-256", format!("sha256={digits}"))
            .body(body.to_owned())
    }

    pub fn data_folder(&self) -> PathBuf {
        self.home.clone()
    }
}

type Running = (Backend, String, CancellationToken, JoinHandle<()>);

async fn serve(
    forge: &ForgeFixture,
    home: &Path,
    settings: &Settings,
    clock: &TurnedClock,
) -> Running {
    let store: Arc<CredentialStore> = mock::Store::new().unwrap();
    let keychain =
        Keychain::with_store(Arc::new(move || Ok(store.clone())), Duration::from_secs(20));
    let config = format!(
        "github_api_url = \"{}\"\nallowed_users = [\"{COLLIE}\"]\nautonomy = \"push\"\nno_checks_grace = \"1s\"\n{}",
        forge.api_url(),
        settings.config
    );
    write_files(home, &[("config.toml", config)]);
    let credentials = CredentialScope::Account(AccountName::parse(ACCOUNT).unwrap());
    let host = collie_config::host_of(&forge.api_url());
    let token = collie_github::Token::new(&format!("forge-{COLLIE}")).unwrap();
    keychain
        .store(&format!("{ACCOUNT}@{host}"), &token)
        .await
        .unwrap();
    let options = BackendOptions {
        folder: DataFolder::at(home).unwrap(),
        environment: Arc::new(|_: &str| None),
        credentials,
        keychain,
        language: "en",
        runners: None,
        elsewhere: None,
        can_merge: false,
        demo_if_new: false,
    };
    let backend = Backend::open_unattended(options, ConfigLayer::default());
    let backend = backend.await.unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut options = ServerOptions::new(address, None, false).unwrap();
    options.webhook_secret = Some(SecretString::from(SECRET));
    options.session_lifetime = settings.session_lifetime;
    options.access_ttl = settings.access_ttl;
    options.device_client_id = Some(CLIENT_ID.to_owned());
    options.clock = clock.wall();
    let url = options.address();
    let stop = CancellationToken::new();
    let server = Server::new(options, backend.clone());
    let stopped = stop.clone();
    let serving = tokio::spawn(async move { server.serve(listener, stopped.cancelled()).await });
    (backend, url, stop, serving)
}

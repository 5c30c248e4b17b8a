//! Passing from one phase to another, and showing where the backend stands.

use super::backend_state::{Backend, Phase};
use super::listing_cache::ListingCache;
use super::locking::lock;
use super::patch_cache::PatchCache;
use super::remembered_login::{self, RememberedLogin, SignInMethod};
use super::session::{AccountStatus, Session};
use super::sign_in::Credentials;
use super::sign_in_state::LastSignIn;
use crate::accounts::KeyPlace;
use crate::demo::{DemoSpeed, Playground};
use crate::engine_client::local::EngineSetup;
use crate::engine_client::{EngineClient, EngineEnd, journal};
use collie_config::data_paths;
use collie_config::{Config, DataFolder, LiveConfig, host_of};
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_git::CloneReader;
use collie_github::TokenSource;
use collie_reviewers::activity::ActivityRegistry;
use collie_wire::rpc::{AccountSource, Topic};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

impl Backend {
    /// Starts what was used last, or shows the sign-in.
    pub(super) async fn open_last_session(&self) {
        if let Err(problem) = self.configuration() {
            return self.enter_phase(Phase::Stopped(problem));
        }
        let remembered = remembered_login::load(&self.shared.options.folder);
        match remembered.method {
            Some(method) => self.open_session(method).await,
            None => {
                self.detect_accounts().await;
                let no_account =
                    remembered.login.is_none() && lock(&self.shared.sign_in).token_source.is_none();
                if self.shared.options.demo_if_new && no_account {
                    self.open_session(SignInMethod::Demo).await;
                } else {
                    self.enter_phase(Phase::Onboarding);
                }
            }
        }
    }

    /// Starts anew what was used last; the way out of [`Standing::Stopped`].
    pub(super) async fn reopen_session(&self) {
        self.close_session().await;
        let last_sign_in = lock(&self.shared.sign_in).last.clone();
        match last_sign_in {
            Some(LastSignIn::Method(way)) => self.open_session(way).await,
            Some(LastSignIn::Token { host, token }) => {
                let other_host = self
                    .configuration()
                    .is_ok_and(|config| host_of(&config.api_url) != host);
                if other_host {
                    return self.open_last_session().await;
                }
                let turn = self.shared.transition.lock().await;
                if turn.closed {
                    return;
                }
                let credentials = Credentials {
                    source: AccountSource::Memory,
                    tokens: TokenSource::Given(token),
                };
                let opened = self.open_account_session(credentials).await;
                self.finish_opening(SignInMethod::Keychain, opened);
            }
            None => self.open_last_session().await,
        }
    }

    /// Where the key is kept that tokens of accounts are encrypted with.
    pub(super) fn account_key_place(&self) -> KeyPlace {
        let options = &self.shared.options;
        KeyPlace::of_environment_or(
            |name| (options.environment)(name),
            || options.keychain.clone(),
        )
    }

    /// Opens what a way of signing in leads to, in place of what is open. What goes wrong is shown.
    pub(super) async fn open_session(&self, method: SignInMethod) {
        let turn = self.shared.transition.lock().await;
        if turn.closed {
            return;
        }
        self.close_session_locked().await;
        lock(&self.shared.sign_in).last = Some(LastSignIn::Method(method));
        let opened = match method {
            SignInMethod::Demo => self.open_demo_session().await,
            SignInMethod::Detected | SignInMethod::Keychain | SignInMethod::App => {
                match self.credentials(method).await {
                    Ok(credentials) => self.open_account_session(credentials).await,
                    Err(problem) => Err(problem),
                }
            }
        };
        self.finish_opening(method, opened);
    }

    /// Opens the backend for a typed token, in place of what is open. A token that does not work changes nothing.
    pub(super) async fn sign_in_with_token(
        &self,
        typed: &str,
        api_url: Option<&str>,
    ) -> Result<(), UserError> {
        let turn = self.shared.transition.lock().await;
        if turn.closed {
            return Err(UserError::new(ErrorCode::Starting));
        }
        let token = self.verify_token(typed, api_url).await?;
        self.close_session_locked().await;
        let credentials = match self.store_token(token, api_url).await {
            Ok(credentials) => credentials,
            Err(problem) => {
                self.enter_phase(Phase::Onboarding);
                return Err(problem);
            }
        };
        let opened = self.open_account_session(credentials).await;
        self.finish_opening(SignInMethod::Keychain, opened);
        Ok(())
    }

    fn finish_opening(&self, method: SignInMethod, opened: Result<Arc<Session>, UserError>) {
        let session = match opened {
            Ok(session) => session,
            Err(problem) => {
                tracing::warn!(
                    code = problem.code.as_str(),
                    "the backend could not be opened"
                );
                return self.enter_phase(Phase::Stopped(problem));
            }
        };
        let remembered = RememberedLogin {
            // A token that is only in memory is gone at the next start.
            method: (session.source != AccountSource::Memory).then_some(method),
            login: session.login().map(|login| login.to_string()),
        };
        if let Err(error) = remembered_login::save(&self.shared.options.folder, &remembered) {
            tracing::warn!(%error, "desktop.json could not be written");
        }
        self.enter_phase(Phase::Open(session.clone()));
        self.spawn_tasks(&session);
    }

    /// Begins the tasks that keep an open backend true.
    fn spawn_tasks(&self, session: &Arc<Session>) {
        let spawn = |task: std::pin::Pin<Box<dyn Future<Output = ()> + Send>>| {
            let stop = session.cancel.clone();
            session.tasks.spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = task => {}
                }
            });
        };
        let clones = |backend: &Backend| (backend.clone(), session.clone());
        let (backend, owned_session) = clones(self);
        spawn(Box::pin(async move {
            backend.load_account(&owned_session).await
        }));
        let (backend, owned_session) = clones(self);
        spawn(Box::pin(async move {
            backend.run_listings(&owned_session).await
        }));
        let (backend, owned_session) = clones(self);
        spawn(Box::pin(async move {
            backend.forward_loop_changes(&owned_session).await
        }));
        let (backend, owned_session) = clones(self);
        spawn(Box::pin(async move {
            backend.forward_activities(&owned_session).await
        }));
        let (backend, owned_session) = clones(self);
        // Outside the tracker: it closes the session that the tracker belongs to.
        tokio::spawn(async move { backend.watch_engine_end(&owned_session).await });
    }

    /// Stops with the reason when the engine of this process has ended by itself; takes over when another process's has ended.
    async fn watch_engine_end(&self, session: &Arc<Session>) {
        let end = tokio::select! {
            biased;
            () = session.cancel.cancelled() => return,
            end = session.engine.ended() => end,
        };
        match end {
            EngineEnd::Failed(error) => {
                let _turn = self.shared.transition.lock().await;
                if session.cancel.is_cancelled() {
                    return;
                }
                self.enter_phase(Phase::Stopped(error.into()));
                session.close().await;
            }
            EngineEnd::OtherProcessEnded | EngineEnd::OtherProcessUnknown(_) => {
                tracing::info!("the other engine has ended: taking over");
                self.reopen_session().await;
            }
        }
    }

    async fn open_account_session(
        &self,
        credentials: Credentials,
    ) -> Result<Arc<Session>, UserError> {
        let config = self.configuration()?;
        let folder = self.shared.options.folder.clone();
        self.assemble_session(folder, config, credentials, None)
            .await
    }

    async fn open_demo_session(&self) -> Result<Arc<Session>, UserError> {
        let root = self.demo_root();
        let demo = Arc::new(Playground::open(&root, DemoSpeed::Watchable).await?);
        let folder = DataFolder::at(demo.data_folder())?;
        let opened = async {
            let config = self.demo_configuration(&folder, demo.config_layer())?;
            let credentials = Credentials {
                source: AccountSource::Demo,
                tokens: TokenSource::Given(demo.token()),
            };
            self.assemble_session(folder.clone(), config, credentials, Some(demo.clone()))
                .await
        };
        match opened.await {
            Ok(session) => Ok(session),
            Err(problem) => {
                demo.close().await;
                Err(problem)
            }
        }
    }

    /// Where the demo lives.
    pub(super) fn demo_root(&self) -> std::path::PathBuf {
        self.shared.options.folder.path().join("demo")
    }

    async fn assemble_session(
        &self,
        folder: DataFolder,
        config: Config,
        credentials: Credentials,
        demo: Option<Arc<Playground>>,
    ) -> Result<Arc<Session>, UserError> {
        let live = LiveConfig::new(config.clone());
        let activities: Arc<ActivityRegistry> = Arc::default();
        let wiring = EngineSetup {
            runners: self.shared.options.runners.clone(),
            sandbox_supervisor: collie_sandbox::own_program(),
            config: live.clone(),
            tokens: credentials.tokens.clone(),
            activities: activities.clone(),
            keys: self.key_sources(),
            account_key: self.account_key_place(),
        };
        let engine = match &self.shared.options.elsewhere {
            Some(elsewhere) if demo.is_none() => {
                EngineClient::follow_elsewhere(wiring, elsewhere).await?
            }
            _ => EngineClient::start(wiring).await?,
        };
        let store = match engine.shared_journal() {
            Some(shared) => shared,
            None => journal::open_reader(&folder)
                .await
                .map_err(UserError::from)?,
        };
        let remembered = remembered_login::load(&self.shared.options.folder).login;
        let login = match &demo {
            Some(demo) => Some(demo.login()),
            None => remembered.map(|login| collie_core::ids::Login::new(&login)),
        };
        Ok(Arc::new(Session {
            clones: CloneReader::new(&data_paths::git_folder(&folder)),
            patches: PatchCache::new(&data_paths::git_folder(&folder), &live, engine.github()),
            folder,
            github: engine.github().clone(),
            engine,
            activities,
            config: live,
            store,
            demo,
            source: credentials.source,
            account: Mutex::new(AccountStatus {
                login,
                ..AccountStatus::default()
            }),
            listings: ListingCache::default(),
            sent_views: Mutex::default(),
            cancel: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }))
    }

    /// Asks GitHub who is signed in and what the token may do, until it answers.
    async fn load_account(&self, session: &Arc<Session>) {
        let mut retry_delay = Duration::from_secs(2);
        loop {
            match self.fetch_account(session).await {
                Ok(()) => {
                    // Whose work it is may be what starting by itself waited for.
                    session.listings.wake.notify_one();
                    let memory = RememberedLogin {
                        login: session.login().map(|login| login.to_string()),
                        ..remembered_login::load(&self.shared.options.folder)
                    };
                    if let Err(error) = remembered_login::save(&self.shared.options.folder, &memory)
                    {
                        tracing::warn!(%error, "desktop.json could not be written");
                    }
                    return self.send_session_if_changed();
                }
                Err(problem) => {
                    let refused = matches!(problem.code, ErrorCode::BadToken | ErrorCode::Refused);
                    lock(&session.account).token_refused = refused;
                    self.send_session_if_changed();
                    tokio::time::sleep(retry_delay).await;
                    retry_delay = (retry_delay * 2).min(Duration::from_secs(300));
                }
            }
        }
    }

    async fn fetch_account(&self, session: &Arc<Session>) -> Result<(), UserError> {
        let login = session.github.sign_in().await?.login;
        let missing = match session.github.token_scopes().await {
            Ok(scopes) => scopes.missing,
            Err(error) => {
                tracing::info!(%error, "the token's scopes are not known");
                Vec::new()
            }
        };
        *lock(&session.account) = AccountStatus {
            login: Some(login),
            missing_scopes: missing,
            token_refused: false,
        };
        Ok(())
    }

    /// Closes what is open. Afterwards nobody is signed in.
    pub(super) async fn close_session(&self) {
        let _turn = self.shared.transition.lock().await;
        self.close_session_locked().await;
    }

    /// The same for who has the turn.
    async fn close_session_locked(&self) {
        let previous = self.replace_phase(Phase::Starting);
        self.send_stale(Topic::all());
        self.send_session_if_changed();
        if let Phase::Open(session) = previous {
            session.close().await;
        }
    }

    /// Signs out: the engine stops, a typed token is forgotten.
    pub(super) async fn sign_out(&self) -> Result<(), UserError> {
        self.close_session().await;
        self.forget_login();
        if let Ok(entry) = self.keychain_entry()
            && let Err(error) = self.shared.options.keychain.forget(&entry).await
        {
            tracing::warn!(%error, "the keychain could not be asked to forget the token");
        }
        self.enter_phase(Phase::Onboarding);
        self.detect_accounts().await;
        Ok(())
    }

    /// Leaves the demo; with `forget` its data goes too.
    pub(super) async fn leave_demo(&self, forget: bool) -> Result<(), UserError> {
        self.close_session().await;
        self.forget_login();
        let forgotten = if forget {
            Playground::remove(&self.demo_root())
        } else {
            Ok(())
        };
        self.enter_phase(Phase::Onboarding);
        self.detect_accounts().await;
        Ok(forgotten?)
    }

    fn forget_login(&self) {
        lock(&self.shared.sign_in).last = None;
        if let Err(error) =
            remembered_login::save(&self.shared.options.folder, &RememberedLogin::default())
        {
            tracing::warn!(%error, "desktop.json could not be written");
        }
    }

    /// Passes to another standing and says so.
    pub(super) fn enter_phase(&self, phase: Phase) {
        drop(self.replace_phase(phase));
        self.send_stale(Topic::all());
        self.send_session_if_changed();
    }

    /// Says that the session changed, if what is shown of it did.
    pub(super) fn send_session_if_changed(&self) {
        let session_view = self.session_view();
        let mut last_sent = lock(&self.shared.last_sent_session);
        if last_sent.as_ref() != Some(&session_view) {
            *last_sent = Some(session_view);
            drop(last_sent);
            self.send_stale(vec![Topic::Session]);
        }
    }
}

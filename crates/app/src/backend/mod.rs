//! The backend: carries out the commands of the contract for whatever host shows the window, and tells it what changes. A host has one
//! for its only account, or [`Accounts`] with one for each.
//!
//! **Architecture invariant.** Nothing here can merge: a [`Command::Merge`] is refused, and only the desktop shell takes it up before
//! it gets here (§11). Nothing here draws: the same backend serves the window and a browser.

mod account_name;
mod accounts;
mod activity;
mod backend_state;
mod changes;
mod commands;
mod configuration;
mod credential_scope;
mod demo_commands;
mod description;
mod doctor;
mod excerpts;
mod insights;
mod listing_cache;
mod listings;
mod locking;
mod loops;
mod model_tests;
mod models;
mod open_target;
mod patch_cache;
mod remembered_login;
mod review_memory;
mod session;
mod session_lifecycle;
mod session_view;
pub mod settings;
mod sidebar;
mod sign_in;
mod sign_in_state;
mod team_host;
mod timeline;
pub mod update_batches;

pub use account_name::AccountName;
pub use accounts::{AccountExists, Accounts};
pub use backend_state::{Backend, BackendOptions, HostEnv};
pub use credential_scope::CredentialScope;
pub use open_target::ExternalTarget;
pub use team_host::LoopOfPull;

use crate::user_error::error_view;
use backend_state::{BackendState, Phase};
use collie_config::{ConfigLayer, DesktopConfig};
use collie_core::error_code::ErrorCode;
use collie_core::ids::PullName;
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::ports::JournalReader;
use collie_github::Token;
use collie_i18n::Localizer;
use collie_wire::ErrorView;
use collie_wire::rpc::{Command, Topic, Update};
use serde_json::Value;
use session::Session;
use sign_in_state::SignInState;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::broadcast;

/// More updates than these that nobody has taken are dropped; who lags reads everything anew.
const UPDATE_CHANNEL_CAPACITY: usize = 4096;

/// What a merge needs to know (§11). Only the shell has a use for it.
pub struct MergeContext {
    /// The loop as it is now.
    pub state: Arc<LoopState>,
    /// The address of GitHub's REST API.
    pub api_url: String,
    /// The signed-in account's token.
    pub token: Token,
    /// The signed-in account.
    pub login: collie_core::ids::Login,
    /// The data folder's audit log (§9.6): the merge is recorded there whatever is open when it ends.
    pub journal: Arc<dyn JournalReader>,
}

impl Backend {
    /// Opens the backend and begins to start what the person used last. What goes wrong becomes part of the session.
    ///
    /// Call it inside a tokio runtime.
    pub fn open(options: BackendOptions) -> Self {
        let backend = Self::new(options, ConfigLayer::default());
        let opener = backend.clone();
        tokio::spawn(async move { opener.open_last_session().await });
        backend
    }

    fn new(options: BackendOptions, host_defaults: ConfigLayer) -> Self {
        let language = configuration::initial_language(&options);
        Self {
            acting: None,
            shared: Arc::new(BackendState {
                options,
                host_defaults,
                phase: RwLock::new(Phase::Starting),
                localizer: RwLock::new(Arc::new(Localizer::new(language))),
                updates: broadcast::channel(UPDATE_CHANNEL_CAPACITY).0,
                transition: tokio::sync::Mutex::default(),
                sign_in: Mutex::new(SignInState::default()),
                last_sent_session: Mutex::new(None),
                model_tests: model_tests::ModelTests::default(),
            }),
        }
    }

    /// Everything that changes from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Update> {
        self.shared.updates.subscribe()
    }

    /// The words of the moment's language.
    pub fn localizer(&self) -> Arc<Localizer> {
        self.shared
            .localizer
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Carries a command out. The answer is what the contract says for it.
    pub async fn run(&self, command: Command) -> Result<Value, ErrorView> {
        let answer = self.run_unworded(command).await;
        answer.map_err(|problem| error_view(&problem, &self.localizer()))
    }

    /// The same for a host that puts errors into words itself.
    pub async fn run_unworded(&self, command: Command) -> Result<Value, UserError> {
        let stale_topics = command.stale_topics();
        let answer = self.dispatch(command).await?;
        self.send_stale(stale_topics);
        Ok(answer)
    }

    /// Stops the engine, if it runs here; its loops go on at the next start. A backend that is closed stays so, whatever it is asked.
    pub async fn close(&self) {
        let mut turn = self.shared.transition.lock().await;
        turn.closed = true;
        if let Phase::Open(session) = self.replace_phase(Phase::Starting) {
            session.close().await;
        }
    }

    /// How the person wants the window to behave; the usual while the configuration is wrong.
    pub fn desktop_config(&self) -> DesktopConfig {
        match self.session() {
            Ok(session) => session.config.get().desktop,
            Err(_) => self
                .configuration()
                .map(|config| config.desktop)
                .unwrap_or_default(),
        }
    }

    /// What merging a pull request rests on; none when there is no such loop or nobody is signed in.
    pub fn merge_context(&self, pull: &PullName) -> Option<MergeContext> {
        let session = self.session().ok()?;
        Some(MergeContext {
            state: session.engine.find(pull)?,
            api_url: session.config.get().api_url.clone(),
            token: session.github.token(),
            login: session.login()?,
            journal: session.store.clone(),
        })
    }

    /// Looks at a loop's pull request now instead of at its next poll: something is known to have changed.
    pub fn look_now(&self, pull: &PullName) {
        if let Ok(session) = self.session()
            && let Some(state) = session.engine.find(pull)
        {
            session.engine.look_now(&state.id);
        }
    }

    /// What a page outside the window is, for a command that opens one.
    pub async fn resolve_open_target(
        &self,
        target: &collie_wire::rpc::OpenTarget,
    ) -> Result<ExternalTarget, UserError> {
        open_target::resolve(self, target).await
    }

    fn session(&self) -> Result<Arc<Session>, UserError> {
        match &*self.phase() {
            Phase::Open(session) => Ok(session.clone()),
            Phase::Onboarding => Err(UserError::new(ErrorCode::SignedOut)),
            Phase::Starting => Err(UserError::new(ErrorCode::Starting)),
            Phase::Stopped(problem) => Err(problem.clone()),
        }
    }

    fn phase(&self) -> std::sync::RwLockReadGuard<'_, Phase> {
        self.shared
            .phase
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn replace_phase(&self, phase: Phase) -> Phase {
        let mut phase_slot = self
            .shared
            .phase
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *phase_slot, phase)
    }

    /// Sends news to whoever listens; without a listener there is nobody to miss them.
    fn send_update(&self, update: Update) {
        let _ = self.shared.updates.send(update);
    }

    fn send_stale(&self, topics: Vec<Topic>) {
        if !topics.is_empty() {
            self.send_update(Update::Stale { topics });
        }
    }
}

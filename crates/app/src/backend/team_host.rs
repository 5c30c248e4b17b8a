//! What a host for a team asks of the backend beside the contract: it starts with nobody there, acts in several people's names, and is
//! told from outside that something has happened.

use super::backend_state::{Backend, BackendOptions, Phase};
use super::loops;
use super::remembered_login::SignInMethod;
use crate::accounts::{self, AccountVault, AddedAccount, KeptAccount};
use crate::engine_client::journal::{OpenError, running_engine};
use collie_config::{Config, ConfigLayer};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{AccountId, Login, LoopId, PullName, RepoName, Time};
use collie_core::loop_state::LoopState;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use collie_engine::ChangeUrgency;
use collie_engine::ports::{BrowserSession, EndedSessions};
use collie_github::Token;
use collie_github::browse::Quotas;
use collie_wire::LoopView;
use collie_wire::rpc::SessionView;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// So long a request from outside is remembered. GitHub sends a delivery again for three days.
const SEEN_FOR_MS: i64 = 14 * 24 * 60 * 60 * 1000;

/// A server is ready after two seconds at most: so long it waits at its start for GitHub to say whose its token is.
const TOKEN_CHECK_TIMEOUT: Duration = Duration::from_millis(1_200);

/// The loop of a pull request, as it is and as it is shown.
#[derive(Clone, Debug)]
pub struct LoopOfPull {
    /// As it is.
    pub state: Arc<LoopState>,
    /// As it is shown.
    pub view: LoopView,
}

impl Backend {
    /// Opens the backend with whatever this machine has to sign in with, and waits until its engine runs here. What `defaults` says holds
    /// where the user's own configuration says nothing.
    ///
    /// # Errors
    /// What keeps the engine from running here, as when another process runs it.
    pub async fn open_unattended(
        options: BackendOptions,
        defaults: ConfigLayer,
    ) -> Result<Self, UserError> {
        if let Some(running) = running_engine(&options.folder)? {
            return Err(other_engine(&options, running.pid));
        }
        let backend = Self::new(options, defaults);
        let config = backend.configuration()?;
        let credentials = &backend.shared.options.credentials;
        let method = match (&config.app, credentials.look_up(&config).await) {
            (Some(_), _) => SignInMethod::App,
            (None, Some(_)) => SignInMethod::Detected,
            (None, None) => SignInMethod::Keychain,
        };
        backend.open_session(method).await;
        let opened = match &*backend.phase() {
            Phase::Open(session) if session.engine.is_local() => Ok(()),
            Phase::Open(session) => Err(other_engine(
                &backend.shared.options,
                session.engine.other_pid(),
            )),
            Phase::Stopped(problem) => Err(problem.clone()),
            Phase::Onboarding | Phase::Starting => {
                Err(UserError::new(ErrorCode::SignedOut).hint(ErrorHint::SignIn))
            }
        };
        let opened = match opened {
            Ok(()) => backend.require_good_token().await,
            Err(problem) => Err(problem),
        };
        match opened {
            Ok(()) => Ok(backend),
            Err(problem) => {
                backend.close().await;
                Err(problem)
            }
        }
    }

    /// Refuses a token that GitHub does not accept, rather than have everything wait for somebody to notice. An outage is none of that.
    async fn require_good_token(&self) -> Result<(), UserError> {
        let github = self.session()?.github.clone();
        let Ok(answer) = tokio::time::timeout(TOKEN_CHECK_TIMEOUT, github.sign_in()).await else {
            tracing::warn!("GitHub has not said yet whose the token is");
            return Ok(());
        };
        match answer.map_err(UserError::from) {
            Ok(_) => Ok(()),
            Err(problem) if problem.code == ErrorCode::BadToken => {
                Err(problem.hint(ErrorHint::ServerDocs))
            }
            Err(problem) => {
                tracing::warn!(
                    code = problem.code.as_str(),
                    "GitHub could not be asked whose the token is"
                );
                Ok(())
            }
        }
    }

    /// The same backend for what a person asks for: the journal names them. Whether they may is for the host to say.
    #[must_use]
    pub fn acting_as(&self, person: Login) -> Self {
        Self {
            shared: self.shared.clone(),
            acting: Some(person),
        }
    }

    /// Returns once the engine has ended by itself, or the backend was closed.
    pub async fn stopped(&self) {
        let mut updates = self.subscribe();
        while matches!(&*self.phase(), Phase::Open(_)) {
            if matches!(updates.recv().await, Err(RecvError::Closed)) {
                return;
            }
        }
    }

    /// Whether the engine runs here, or the one elsewhere can be reached.
    pub fn is_running(&self) -> bool {
        self.engine_problem().is_none()
    }

    /// What keeps the engine from being asked; none where it can be.
    pub fn engine_problem(&self) -> Option<UserError> {
        match &*self.phase() {
            Phase::Open(session) if session.engine.is_local() => session.engine.problem(),
            _ => Some(UserError::new(ErrorCode::Starting).hint(ErrorHint::TryAgain)),
        }
    }

    /// Where the backend stands, as a window would show it.
    pub fn session_now(&self) -> SessionView {
        self.session_view()
    }

    /// The configuration that holds.
    ///
    /// # Errors
    /// A file or variable cannot be understood.
    pub fn config_now(&self) -> Result<Config, UserError> {
        match self.session() {
            Ok(session) => Ok((*session.config.get()).clone()),
            Err(_) => self.configuration(),
        }
    }

    /// Whether an account is one of those whom the configuration allows to start loops. Where that cannot be told it is not.
    pub fn is_allowed(&self, login: &Login, id: AccountId) -> bool {
        let Ok(session) = self.session() else {
            return false;
        };
        session
            .engine
            .is_allowed(login, id)
            .unwrap_or_else(|error| {
                tracing::warn!(?error, "whom an allowed name stands for cannot be told");
                false
            })
    }

    /// Every loop as it is.
    pub fn loop_states(&self) -> Vec<Arc<LoopState>> {
        self.session()
            .map_or_else(|_| Vec::new(), |session| session.engine.loops())
    }

    /// The loop of a pull request, if there is one.
    pub fn loop_of_pull(&self, pull: &PullName) -> Option<LoopOfPull> {
        let session = self.session().ok()?;
        let state = session.engine.find(pull)?;
        let view = loops::view_of(self, &session, &state);
        Some(LoopOfPull { state, view })
    }

    /// The GitHub accounts of personas and of authors' agents whose tokens are kept (§18.2).
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn own_accounts(&self) -> Result<Vec<KeptAccount>, UserError> {
        self.account_vault().await?.list().await
    }

    /// Keeps the token of such an account, in place of one that is there, once GitHub has said whose it is.
    ///
    /// # Errors
    /// It is another account's, or the one's that Collie acts as, or cannot be kept.
    pub async fn add_own_account(
        &self,
        login: &Login,
        token: &Token,
    ) -> Result<AddedAccount, UserError> {
        let session = self.session()?;
        let vault = self.account_vault().await?;
        let config = session.config.get();
        let repositories: Vec<RepoName> = config
            .repositories
            .iter()
            .map(|repo| repo.name.clone())
            .collect();
        let main = (&*config, &session.github);
        accounts::add_account(&vault, main, (login, token), &repositories).await
    }

    async fn account_vault(&self) -> Result<AccountVault, UserError> {
        let session = self.session()?;
        accounts::open_vault_with(&session.folder, self.account_key_place()).await
    }

    /// Takes the token of such an account out.
    ///
    /// # Errors
    /// There is none.
    pub async fn remove_own_account(&self, login: &Login) -> Result<(), UserError> {
        let session = self.session()?;
        let host = collie_config::host_of(&session.config.get().api_url);
        let vault = self.account_vault().await?;
        vault.remove(&host, login).await
    }

    /// Whether a request from outside was taken already, by its id.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn was_seen(&self, id: &str) -> Result<bool, UserError> {
        Ok(self.session()?.store.was_seen(id).await?)
    }

    /// Remembers requests from outside as taken; durable on return.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub async fn remember_seen(&self, ids: &[String]) -> Result<(), UserError> {
        let now = crate::clock::now();
        let forget_before = Time(now.0.saturating_sub(SEEN_FOR_MS));
        let store = self.session()?.store.clone();
        Ok(store.remember_seen(ids, now, forget_before).await?)
    }

    /// Whether other servers keep sessions in the same place, and end them there.
    pub fn shares_sessions(&self) -> bool {
        let session = self.session();
        session.is_ok_and(|session| session.engine.shared_journal().is_some())
    }

    /// A browser that was signed in, perhaps before a restart, by the hash of its session's id.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn browser_session(
        &self,
        id_hash: &str,
    ) -> Result<Option<BrowserSession>, UserError> {
        Ok(self.session()?.store.browser_session(id_hash).await?)
    }

    /// Keeps a session for after a restart; durable on return.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub async fn keep_browser_session(
        &self,
        kept: &BrowserSession,
        now: Time,
    ) -> Result<(), UserError> {
        let store = self.session()?.store.clone();
        Ok(store.keep_browser_session(kept, now).await?)
    }

    /// Forgets sessions; durable on return.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub async fn end_browser_sessions(&self, which: &EndedSessions) -> Result<(), UserError> {
        let store = self.session()?.store.clone();
        Ok(store.end_browser_sessions(which).await?)
    }

    /// What was spent on language models today, in UTC; none where that is not known.
    pub async fn spent_today(&self) -> Option<Usage> {
        let session = self.session().ok()?;
        let days = session.engine.spending().await.ok()?;
        let today = jiff::Timestamp::now()
            .to_zoned(jiff::tz::TimeZone::UTC)
            .date();
        let today = days.into_iter().find(|day| day.day == today);
        Some(today.map_or_else(Usage::default, |day| day.usage))
    }

    /// What is left of GitHub's budgets, as last told.
    pub fn quotas(&self) -> Option<Quotas> {
        self.session().ok().map(|session| session.github.quotas())
    }

    /// Reads every loop's pull request now: what happened while nobody listened is not known.
    pub fn look_at_everything(&self) {
        if let Ok(session) = self.session() {
            for state in session.engine.loops() {
                session.engine.look_now(&state.id);
            }
        }
    }

    /// Has a loop's pull request read because GitHub says that something happened there: at once, or with what else is said of it soon.
    pub fn report_change(&self, id: &LoopId, urgency: ChangeUrgency) {
        if let Ok(session) = self.session() {
            session.engine.report_change(id, urgency);
        }
    }

    /// The account that works, as far as GitHub has said whose the token is.
    pub fn own_login(&self) -> Option<Login> {
        self.session().ok()?.login()
    }

    /// Reads what is open in a repository now, where it is one whose pull requests are started by themselves: they may be others than before.
    pub fn look_at_repository(&self, repo: &RepoName) {
        let Ok(session) = self.session() else { return };
        let config = session.config.get();
        let watched = (config.repositories.iter())
            .find(|watched| watched.auto_pr_review_enabled && watched.name.eq_ignore_case(repo));
        if let Some(watched) = watched {
            session.listings.read_now(&watched.name);
        }
    }
}

fn other_engine(options: &BackendOptions, pid: Option<u32>) -> UserError {
    let folder = options.folder.path().to_owned();
    OpenError::EngineRunning { folder, pid }.into()
}

//! What is open: an account, its GitHub, and an engine, here or in another process.

use super::listings::ListingCache;
use super::{UserError, lock};
use crate::demo::Playground;
use crate::engine_client::journal::running_engine;
use crate::engine_client::local::LocalEngine;
use crate::engine_client::remote::RemoteEngine;
use crate::engine_client::requests::RequestOutcome;
use collie_config::{DataFolder, LiveConfig};
use collie_core::ids::{Login, LoopId, PullName};
use collie_core::loop_state::LoopState;
use collie_engine::EngineHandle;
use collie_engine::ports::JournalReader;
use collie_engine::ports::LoopRequest;
use collie_git::CloneReader;
use collie_github::GitHubClient;
use collie_reviewers::activity::ActivityRegistry;
use collie_wire::LoopView;
use collie_wire::rpc::AccountSource;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the tasks may take to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Who runs the engine.
pub(super) enum EngineClient {
    /// This process.
    Local {
        /// Taken out when it is shut down.
        app: tokio::sync::Mutex<Option<LocalEngine>>,
        /// The same: whoever still holds this work must not keep the data folder from the next engine.
        handle: Mutex<Option<EngineHandle>>,
    },
    /// Another one, which is shown and asked.
    Remote {
        pid: Option<u32>,
        engine: RemoteEngine,
    },
}

/// Whose work it is.
#[derive(Clone, Debug, Default)]
pub(super) struct AccountStatus {
    pub login: Option<Login>,
    pub missing_scopes: Vec<String>,
    /// GitHub does not accept the token.
    pub token_refused: bool,
}

/// An open backend's work.
pub(super) struct Session {
    pub folder: DataFolder,
    pub engine: EngineClient,
    /// Who does what in this process's engine.
    pub activities: Arc<ActivityRegistry>,
    pub config: LiveConfig,
    pub github: Arc<GitHubClient>,
    pub store: Arc<dyn JournalReader>,
    pub clones: CloneReader,
    pub demo: Option<Arc<Playground>>,
    pub source: AccountSource,
    pub account: Mutex<AccountStatus>,
    pub listings: ListingCache,
    /// The views as they were sent last; none until somebody has read them since all was stale.
    pub sent_views: Mutex<Option<BTreeMap<String, LoopView>>>,
    pub cancel: CancellationToken,
    pub tasks: TaskTracker,
}

impl Session {
    /// The door of this process's engine; none when another process runs it, or it has been shut down.
    pub fn handle(&self) -> Option<EngineHandle> {
        match &self.engine {
            EngineClient::Local { handle, .. } => lock(handle).clone(),
            EngineClient::Remote { .. } => None,
        }
    }

    /// Every loop.
    pub fn states(&self) -> Vec<Arc<LoopState>> {
        match &self.engine {
            EngineClient::Local { .. } => {
                self.handle().map_or_else(Vec::new, |handle| handle.loops())
            }
            EngineClient::Remote { engine, .. } => engine.loops(),
        }
    }

    /// The loop of a pull request; letter case does not matter (§2).
    pub fn find(&self, pull: &PullName) -> Option<Arc<LoopState>> {
        let name = pull.to_string();
        let matches =
            |state: &Arc<LoopState>| state.pull_name().to_string().eq_ignore_ascii_case(&name);
        self.states().into_iter().find(matches)
    }

    /// The loop with an identity, whatever its repository is called now (§2).
    pub fn find_by_id(&self, id: &LoopId) -> Option<Arc<LoopState>> {
        self.states().into_iter().find(|state| state.id == *id)
    }

    /// Place in the queue for a slot; not known of another process's engine.
    pub fn queue_position(&self, id: &LoopId) -> Option<u32> {
        self.handle()?.queue_position(id)
    }

    /// The signed-in account, as far as it is known.
    pub fn login(&self) -> Option<Login> {
        lock(&self.account).login.clone()
    }

    /// Carries a person's wish out, here or by asking the process that runs the engine.
    pub async fn submit(&self, request: LoopRequest) -> Result<(), UserError> {
        match &self.engine {
            EngineClient::Local { .. } => {
                let handle = self.handle().ok_or_else(|| UserError::new("starting"))?;
                self.submit_local(&handle, request).await
            }
            EngineClient::Remote { engine, .. } => self.submit_remote(engine, request).await,
        }
    }

    async fn submit_local(
        &self,
        handle: &EngineHandle,
        request: LoopRequest,
    ) -> Result<(), UserError> {
        match request {
            LoopRequest::Start { pull } => {
                handle.start(&pull).await?;
            }
            LoopRequest::Cancel { pull } => {
                let requester = self.requester().await?;
                handle.cancel(&pull, &requester)?;
            }
            LoopRequest::Retry { pull } => handle.retry(&pull).await?,
            LoopRequest::Resume { pull } => handle.resume(&pull).await?,
        }
        Ok(())
    }

    async fn submit_remote(
        &self,
        engine: &RemoteEngine,
        request: LoopRequest,
    ) -> Result<(), UserError> {
        let requester = self.requester().await?;
        match engine.submit(&request, &requester).await? {
            // Where the other engine has just ended, this process takes over, and the request up.
            RequestOutcome::Done | RequestOutcome::Queued => Ok(()),
            RequestOutcome::Refused(reason) => {
                Err(UserError::new("engine_refused").with("message", reason))
            }
            RequestOutcome::TimedOut => Err(UserError::new("no_answer").hint("stays_queued")),
        }
    }

    /// In whose name things are done; asked of GitHub when it is not known yet.
    async fn requester(&self) -> Result<Login, UserError> {
        if let Some(login) = self.login() {
            return Ok(login);
        }
        let login = collie_engine::ports::GitHub::viewer(self.github.as_ref())
            .await?
            .login;
        lock(&self.account).login = Some(login.clone());
        Ok(login)
    }

    /// Looks at a pull request before its next poll is due.
    pub fn look_now(&self, pull: &PullName) {
        if let (Some(handle), Some(state)) = (self.handle(), self.find(pull)) {
            handle.poll_now(&state.id);
        }
    }

    /// Whether some process, this one included, runs the engine of the folder.
    pub fn engine_is_running(&self) -> bool {
        matches!(running_engine(&self.folder), Ok(Some(_)))
    }

    /// Ends it: tasks first, then the engine, then the demo's forge.
    pub async fn close(&self) {
        self.cancel.cancel();
        self.tasks.close();
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("a task of the backend did not end in time");
        }
        if let EngineClient::Local { app, handle } = &self.engine
            && let Some(app) = app.lock().await.take()
        {
            lock(handle).take();
            app.shutdown().await;
            self.wait_until_folder_is_free().await;
        }
        if let Some(demo) = &self.demo {
            demo.close().await;
        }
    }

    /// Waits until the engine has let go of the data folder: it writes its last checkpoints first.
    async fn wait_until_folder_is_free(&self) {
        let deadline = tokio::time::Instant::now() + SHUTDOWN_TIMEOUT;
        while self.engine_is_running() {
            if tokio::time::Instant::now() > deadline {
                tracing::warn!("the data folder is still held");
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

//! What is open: an account, its GitHub, and an engine, here or in another process.

use super::lists::Lists;
use super::{Problem, lock};
use crate::activity::Activities;
use crate::assemble::App;
use crate::config::LiveConfig;
use crate::demo::Playground;
use crate::requests::{self, Fate};
use collie_core::ids::{Login, LoopId, PullName};
use collie_core::model::LoopState;
use collie_engine::Handle;
use collie_engine::ports::Request;
use collie_git::CloneReader;
use collie_github::GitHubClient;
use collie_store::{DataFolder, Store, running_engine};
use collie_wire::LoopView;
use collie_wire::rpc::AccountSource;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the tasks may take to end.
const END: Duration = Duration::from_secs(5);

/// Who runs the engine.
pub(super) enum Engine {
    /// This process.
    Own {
        /// Taken out when it is shut down.
        app: tokio::sync::Mutex<Option<App>>,
        /// The same: whoever still holds this work must not keep the data folder from the next engine.
        handle: Mutex<Option<Handle>>,
    },
    /// Another one, which is shown and asked.
    Other {
        pid: Option<u32>,
        states: Mutex<BTreeMap<LoopId, Arc<LoopState>>>,
    },
}

/// Whose work it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Who {
    pub login: Option<Login>,
    pub missing_scopes: Vec<String>,
    /// GitHub does not accept the token.
    pub refused: bool,
}

/// An open desk's work.
pub(super) struct Work {
    pub folder: DataFolder,
    pub engine: Engine,
    /// Who does what in this process's engine.
    pub activities: Arc<Activities>,
    pub config: LiveConfig,
    pub github: Arc<GitHubClient>,
    pub store: Arc<Store>,
    pub clones: CloneReader,
    pub demo: Option<Arc<Playground>>,
    pub source: AccountSource,
    pub who: Mutex<Who>,
    pub lists: Lists,
    /// The views as they were sent last; none until somebody has read them since all was stale.
    pub sent: Mutex<Option<BTreeMap<String, LoopView>>>,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
}

impl Work {
    /// The door of this process's engine; none when another process runs it, or it has been shut down.
    pub fn handle(&self) -> Option<Handle> {
        match &self.engine {
            Engine::Own { handle, .. } => lock(handle).clone(),
            Engine::Other { .. } => None,
        }
    }

    /// Every loop.
    pub fn states(&self) -> Vec<Arc<LoopState>> {
        match &self.engine {
            Engine::Own { .. } => self.handle().map_or_else(Vec::new, |handle| handle.loops()),
            Engine::Other { states, .. } => lock(states).values().cloned().collect(),
        }
    }

    /// The loop of a pull request; letter case does not matter (§2).
    pub fn find(&self, pull: &PullName) -> Option<Arc<LoopState>> {
        let wanted = pull.to_string();
        let is = |state: &Arc<LoopState>| state.name().to_string().eq_ignore_ascii_case(&wanted);
        self.states().into_iter().find(is)
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
        lock(&self.who).login.clone()
    }

    /// Carries a person's wish out, here or by asking the process that runs the engine.
    pub async fn wish(&self, request: Request) -> Result<(), Problem> {
        match &self.engine {
            Engine::Own { .. } => {
                let handle = self.handle().ok_or_else(|| Problem::new("starting"))?;
                self.own(&handle, request).await
            }
            Engine::Other { .. } => self.ask(request).await,
        }
    }

    async fn own(&self, handle: &Handle, request: Request) -> Result<(), Problem> {
        match request {
            Request::Start { pull } => {
                handle.start(&pull).await?;
            }
            Request::Cancel { pull } => {
                let by = self.by().await?;
                handle.cancel(&pull, &by)?;
            }
            Request::Retry { pull } => handle.retry(&pull).await?,
            Request::Resume { pull } => handle.resume(&pull).await?,
        }
        Ok(())
    }

    async fn ask(&self, request: Request) -> Result<(), Problem> {
        let by = self.by().await?;
        match requests::ask(&self.store, &self.folder, &request, &by).await? {
            // Where the other engine has just ended, this process takes over, and the request up.
            Fate::Done | Fate::Queued => Ok(()),
            Fate::Refused(reason) => Err(Problem::new("engine_refused").with("message", reason)),
            Fate::Unanswered => Err(Problem::new("no_answer").hint("stays_queued")),
        }
    }

    /// In whose name things are done; asked of GitHub when it is not known yet.
    async fn by(&self) -> Result<Login, Problem> {
        if let Some(login) = self.login() {
            return Ok(login);
        }
        let login = collie_engine::ports::GitHub::viewer(self.github.as_ref())
            .await?
            .login;
        lock(&self.who).login = Some(login.clone());
        Ok(login)
    }

    /// Looks at a pull request before its next poll is due.
    pub fn look_now(&self, pull: &PullName) {
        if let (Some(handle), Some(state)) = (self.handle(), self.find(pull)) {
            handle.look_now(&state.id);
        }
    }

    /// Whether some process, this one included, runs the engine of the folder.
    pub fn engine_runs(&self) -> bool {
        matches!(running_engine(&self.folder), Ok(Some(_)))
    }

    /// Ends it: tasks first, then the engine, then the demo's forge.
    pub async fn close(&self) {
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(END, self.tasks.wait()).await.is_err() {
            tracing::warn!("a task of the desk did not end in time");
        }
        if let Engine::Own { app, handle } = &self.engine
            && let Some(app) = app.lock().await.take()
        {
            lock(handle).take();
            app.shutdown().await;
            self.folder_is_free().await;
        }
        if let Some(demo) = &self.demo {
            demo.close().await;
        }
    }

    /// Waits until the engine has let go of the data folder: it writes its last checkpoints first.
    async fn folder_is_free(&self) {
        let deadline = tokio::time::Instant::now() + END;
        while self.engine_runs() {
            if tokio::time::Instant::now() > deadline {
                tracing::warn!("the data folder is still held");
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

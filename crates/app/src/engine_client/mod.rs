//! The engine of a data folder, for every host: this process's own, or another process's, which is shown from its journal and asked
//! through its inbox (§10.2), or one elsewhere, which this process shows from a journal that follows it (§18.5).

mod account_pins;
mod changes;
mod elsewhere;
pub mod journal;
pub mod local;
pub mod moving;
mod origin;
pub mod policies;
mod remote;
mod requests;

pub use changes::{EngineChange, EngineChanges, EngineEnd};
pub use elsewhere::LoopsPlace;
pub use requests::{RequestOutcome, SubmitError};

use crate::auth;
use changes::ChangeSource;
use collie_config::DataFolder;
use collie_core::autonomy::Autonomy;
use collie_core::ids::{AccountId, Login, LoopId, PullName, RepositoryId};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::queue_place::QueuePlace;
use collie_core::trust::RepositoryTrust;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    DaySpending, GitHub as _, JournalReader, LookReason, LoopRequest, ProjectionPlace, StoreError,
};
use collie_engine::{ChangeUrgency, CommandError, EngineHandle, SlotUsage, StartError};
use collie_github::GitHubClient;
use elsewhere::ElsewhereEngine;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use journal::OpenError;
use local::{EngineSetup, LocalEngine, LocalEngineError};
use remote::RemoteEngine;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;
use tokio_util::sync::DropGuard;

/// How long an engine that was shut down may take to let go of its data folder.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long queued requests are waited for.
const QUEUED_TIMEOUT: Duration = Duration::from_secs(5);

/// How often it is looked whether it has.
const RELEASE_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The engine of a data folder, wherever it runs.
pub struct EngineClient {
    folder: DataFolder,
    github: Arc<GitHubClient>,
    connection: Connection,
}

/// How long it may take until loops show a level that was set.
const LEVEL_TIMEOUT: Duration = Duration::from_secs(10);

/// Who runs the engine.
enum Connection {
    /// This process; none once it has been shut down, since who still holds the client must not keep the folder from the next engine.
    Local(Mutex<Option<LocalEngine>>),
    /// Another process, or nobody yet.
    Remote {
        pid: Option<u32>,
        engine: Arc<RemoteEngine>,
        /// Ends the following when it is dropped.
        _following: Option<DropGuard>,
    },
    /// An engine elsewhere, which this process follows; none once that was given up.
    Elsewhere(Mutex<Option<Arc<ElsewhereEngine>>>),
}

impl EngineClient {
    /// Starts the engine of the data folder, or follows the process that runs it already.
    pub async fn start(setup: EngineSetup) -> Result<Self, LocalEngineError> {
        Self::start_or_follow(setup, None).await
    }

    /// The same where the process that runs already may show loops from a database.
    pub async fn start_or_follow(
        setup: EngineSetup,
        database: Option<&dyn ProjectionPlace>,
    ) -> Result<Self, LocalEngineError> {
        let folder = DataFolder::at(&setup.config.get().home)?;
        match LocalEngine::start(setup.clone()).await {
            Ok(engine) => Ok(Self {
                folder,
                github: engine.github_client(),
                connection: Connection::Local(Mutex::new(Some(engine))),
            }),
            Err(LocalEngineError::Open(OpenError::EngineRunning { pid, .. })) => {
                let github = auth::github_client(&setup.config.get(), &setup.tokens).await?;
                let engine = open_remote(&folder, database).await?;
                engine.read_changes().await.map_err(OpenError::from)?;
                let following = Some(engine.follow());
                Ok(Self {
                    folder,
                    github,
                    connection: Connection::Remote {
                        pid,
                        engine,
                        _following: following,
                    },
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Shows loops that live elsewhere, and asks there what people ask here.
    pub async fn follow_elsewhere(
        setup: EngineSetup,
        place: &LoopsPlace,
    ) -> Result<Self, LocalEngineError> {
        let config = setup.config.get();
        let folder = DataFolder::at(&config.home)?;
        let github = auth::github_client(&config, &setup.tokens).await?;
        let engine = ElsewhereEngine::start(&setup, place).await?;
        Ok(Self {
            folder,
            github,
            connection: Connection::Elsewhere(Mutex::new(Some(engine))),
        })
    }

    /// Reaches the inbox of the data folder, whether an engine runs there or not. No loop is read, and no change told.
    pub async fn attach(folder: &DataFolder, github: Arc<GitHubClient>) -> Result<Self, OpenError> {
        let journal = journal::open_reader(folder).await?;
        Ok(Self {
            folder: folder.clone(),
            github,
            connection: Connection::Remote {
                pid: None,
                engine: Arc::new(RemoteEngine::new(folder.clone(), journal)),
                _following: None,
            },
        })
    }

    /// Whether no other process has the data folder: this one runs the engine, or follows one elsewhere.
    pub fn is_local(&self) -> bool {
        !matches!(self.connection, Connection::Remote { .. })
    }

    /// Whether loops live in an engine elsewhere, and are only shown here.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.connection, Connection::Elsewhere(_))
    }

    /// What keeps loops that live elsewhere from being reached; what is shown of them may be old.
    pub fn problem(&self) -> Option<UserError> {
        self.elsewhere()?.problem()
    }

    /// What views are read from where that is no journal of the data folder.
    pub fn shared_journal(&self) -> Option<Arc<dyn JournalReader>> {
        self.elsewhere()?.shared_journal()
    }

    /// The number of the other process that runs it, where that is known.
    pub fn other_pid(&self) -> Option<u32> {
        match &self.connection {
            Connection::Local(_) | Connection::Elsewhere(_) => None,
            Connection::Remote { pid, .. } => *pid,
        }
    }

    /// GitHub as the signed-in account reaches it, without any way to merge.
    pub fn github(&self) -> &Arc<GitHubClient> {
        &self.github
    }

    /// Every loop, as last published or read.
    pub fn loops(&self) -> Vec<Arc<LoopState>> {
        match &self.connection {
            Connection::Local(_) => self.handle().map_or_else(Vec::new, |handle| handle.loops()),
            Connection::Remote { engine, .. } => engine.loops(),
            Connection::Elsewhere(_) => self.elsewhere().map_or_else(Vec::new, |it| it.loops()),
        }
    }

    /// The loop of a pull request; letter case does not matter (§2).
    pub fn find(&self, pull: &PullName) -> Option<Arc<LoopState>> {
        self.loops().into_iter().find(|state| state.is_of(pull))
    }

    /// The loop with an identity, whatever its repository is called now (§2).
    pub fn find_by_id(&self, id: &LoopId) -> Option<Arc<LoopState>> {
        self.loops().into_iter().find(|state| state.id == *id)
    }

    /// How a loop stands in the queue for work; not known of another process's engine.
    pub fn queue_place(&self, id: &LoopId) -> Option<QueuePlace> {
        match self.elsewhere() {
            Some(engine) => engine.queue_place(id),
            None => self.handle()?.queue_place(id),
        }
    }

    /// The same of all loops that queue.
    pub fn queue_places(&self) -> BTreeMap<LoopId, QueuePlace> {
        match self.elsewhere() {
            Some(engine) => engine.queue_places(),
            None => {
                let handle = self.handle();
                handle.map_or_else(BTreeMap::new, |handle| handle.queue_places())
            }
        }
    }

    /// The names of the workers that have a loop's sessions; none where this machine does the work.
    pub fn workers(&self, id: &LoopId) -> Vec<String> {
        self.elsewhere()
            .map_or_else(Vec::new, |engine| engine.workers(id))
    }

    /// How the slots stand; not known of another process's engine, nor where loops live elsewhere without a limit.
    pub fn slot_usage(&self) -> Option<SlotUsage> {
        match self.elsewhere() {
            Some(engine) => engine.slot_usage(),
            None => Some(self.handle()?.slot_usage()),
        }
    }

    /// Reads a loop's pull request before its next poll is due. Another process's engine keeps to its polls.
    pub fn look_now(&self, id: &LoopId) {
        if let Some(handle) = self.handle() {
            handle.poll_now(id);
        }
        if let Some(engine) = self.elsewhere() {
            engine.look(id, LookReason::Person);
        }
    }

    /// Has a loop's pull request read because GitHub says that something happened there. Another process's engine keeps to its polls.
    pub fn report_change(&self, id: &LoopId, urgency: ChangeUrgency) {
        if let Some(handle) = self.handle() {
            handle.report_change(id, urgency);
        }
        if let Some(engine) = self.elsewhere() {
            engine.look(id, LookReason::Reported(urgency));
        }
    }

    /// Everything that changes from now on.
    pub fn subscribe(&self) -> EngineChanges {
        match &self.connection {
            Connection::Local(_) => {
                let changes = self.local_changes();
                // Of one that has been shut down nothing comes any more.
                let changes = changes.unwrap_or_else(|| broadcast::channel(1).1);
                EngineChanges::new(ChangeSource::Local(changes), self.ended())
            }
            Connection::Remote { engine, .. } => engine.subscribe(),
            Connection::Elsewhere(_) => match self.elsewhere() {
                Some(engine) => engine.subscribe(),
                None => {
                    let none = ChangeSource::Remote(broadcast::channel(1).1);
                    EngineChanges::new(none, self.ended())
                }
            },
        }
    }

    /// The loops as they change in the engine of this process; none when another one runs it.
    pub fn local_changes(&self) -> Option<broadcast::Receiver<Arc<LoopState>>> {
        Some(self.handle()?.subscribe())
    }

    /// Returns when the engine has ended without being shut down here. What is returned holds the data folder until it is dropped.
    pub fn ended(&self) -> BoxFuture<'static, EngineEnd> {
        match &self.connection {
            Connection::Local(engine) => match lock(engine).as_ref().map(LocalEngine::failure) {
                Some(failure) => failure.map(EngineEnd::Failed).boxed(),
                None => futures::future::pending().boxed(),
            },
            Connection::Remote { engine, .. } => engine.ended(),
            Connection::Elsewhere(_) => match self.elsewhere() {
                Some(engine) => engine.ended(),
                None => futures::future::pending().boxed(),
            },
        }
    }

    /// Carries a person's request out, here or by asking the process that runs the engine.
    pub async fn submit(
        &self,
        request: &LoopRequest,
        by: &Login,
    ) -> Result<RequestOutcome, SubmitError> {
        match &self.connection {
            Connection::Local(_) => {
                let handle = self.handle().ok_or(SubmitError::ShutDown)?;
                requests::submit_here(&handle, request, by).await
            }
            Connection::Remote { engine, .. } => engine.submit(request, by).await,
            Connection::Elsewhere(_) => {
                let engine = self.elsewhere().ok_or(SubmitError::ShutDown)?;
                engine.submit(request, by).await
            }
        }
    }

    /// Waits a little until this process's engine has taken the requests that were queued while none ran.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn wait_for_queued_requests(&self) -> Result<(), StoreError> {
        match self.handle() {
            Some(handle) => handle.wait_for_requests(QUEUED_TIMEOUT).await,
            None => Ok(()),
        }
    }

    /// What the user has decided for a repository.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn trust(&self, id: &RepositoryId) -> Result<RepositoryTrust, StoreError> {
        match &self.connection {
            Connection::Local(_) => match self.handle() {
                Some(handle) => Ok(handle.trust(id).await),
                None => Ok(RepositoryTrust::default()),
            },
            Connection::Remote { engine, .. } => engine.trust(id).await,
            Connection::Elsewhere(_) => match self.elsewhere() {
                Some(engine) => engine.trust(id).await,
                None => Ok(RepositoryTrust::default()),
            },
        }
    }

    /// Whether an account is one that the configuration allows; nobody is where another process runs the engine.
    ///
    /// # Errors
    /// Which account bore the name first cannot be read or written down.
    pub fn is_allowed(&self, login: &Login, id: AccountId) -> Result<bool, UserError> {
        if let Some(engine) = self.elsewhere() {
            return engine.is_allowed(login, id);
        }
        let allowed = self.handle().map(|handle| handle.is_allowed(login, id));
        allowed.unwrap_or(Ok(false))
    }

    /// The pause of everything, as last told or read; none where nothing is paused.
    pub fn pause(&self) -> Option<Pause> {
        match &self.connection {
            Connection::Local(_) => self.handle()?.pause(),
            Connection::Remote { engine, .. } => engine.pause(),
            Connection::Elsewhere(_) => self.elsewhere()?.pause(),
        }
    }

    /// What was spent, by day, in order (§15).
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        match &self.connection {
            Connection::Local(_) => match self.handle() {
                Some(handle) => handle.spending().await,
                None => Ok(Vec::new()),
            },
            Connection::Remote { engine, .. } => engine.spending().await,
            Connection::Elsewhere(_) => match self.elsewhere() {
                Some(engine) => engine.spending().await,
                None => Ok(Vec::new()),
            },
        }
    }

    /// Has work that waits for its budget look whether it is there now. Another process's engine looks by itself, now and then.
    pub fn budget_changed(&self) {
        if let Some(handle) = self.handle() {
            handle.budget_changed();
        }
    }

    /// Takes a pull request up, unless it has been before, and gives the identity of its loop. A followed engine may make that only later.
    /// With a level of autonomy it goes on at that, whether it was there before or not.
    pub async fn start_loop(
        &self,
        pull: &PullName,
        by: &Login,
        level: Option<Autonomy>,
    ) -> Result<LoopId, SubmitError> {
        match &self.connection {
            Connection::Local(_) => {
                let handle = self.handle().ok_or(SubmitError::ShutDown)?;
                let started = handle.start_at(pull, level).await;
                if level.is_some() {
                    // Who watches next goes by what the level leads to.
                    let applied = handle.wait_for_requests(LEVEL_TIMEOUT).await;
                    applied.map_err(SubmitError::Store)?;
                }
                match (started, handle.find(pull)) {
                    (Ok(id), _) => Ok(id),
                    (Err(StartError::Ended { .. }), Some(ended)) => Ok(ended.id.clone()),
                    (Err(error), _) => Err(CommandError::from(error).into()),
                }
            }
            Connection::Remote { .. } | Connection::Elsewhere(_) => {
                let id = self.github.resolve_pull(pull).await?.pull.id;
                let pull = pull.clone();
                let request = match (self.find_by_id(&id), level) {
                    (None, autonomy) => Some(LoopRequest::Start { pull, autonomy }),
                    (Some(_), Some(level)) => Some(LoopRequest::SetAutonomy { pull, level }),
                    (Some(_), None) => None,
                };
                if let Some(request) = request {
                    self.submit(&request, by).await?;
                }
                Ok(id)
            }
        }
    }

    /// Ends the engine of this process, or the following of another. An engine's loops go on at the next start.
    pub async fn shutdown(&self) {
        match &self.connection {
            Connection::Local(engine) => {
                let running = lock(engine).take();
                if let Some(running) = running {
                    running.shutdown().await;
                    self.wait_until_folder_is_free().await;
                }
            }
            Connection::Remote { engine, .. } => engine.close().await,
            Connection::Elsewhere(engine) => {
                let following = lock(engine).take();
                if let Some(following) = following {
                    following.close().await;
                    drop(following);
                    self.wait_until_folder_is_free().await;
                }
            }
        }
    }

    /// Waits until the engine has let go of the data folder: it writes its last checkpoints first.
    async fn wait_until_folder_is_free(&self) {
        let deadline = tokio::time::Instant::now() + RELEASE_TIMEOUT;
        while matches!(journal::running_engine(&self.folder), Ok(Some(_))) {
            if tokio::time::Instant::now() > deadline {
                tracing::warn!("the data folder is still held");
                return;
            }
            tokio::time::sleep(RELEASE_POLL_INTERVAL).await;
        }
    }

    /// The engine of this process; none when another process runs it, or it has been shut down.
    fn handle(&self) -> Option<EngineHandle> {
        match &self.connection {
            Connection::Local(engine) => lock(engine).as_ref().map(|one| one.handle().clone()),
            Connection::Remote { .. } | Connection::Elsewhere(_) => None,
        }
    }

    /// The engine elsewhere that this process follows; none where it follows none.
    fn elsewhere(&self) -> Option<Arc<ElsewhereEngine>> {
        match &self.connection {
            Connection::Elsewhere(engine) => lock(engine).clone(),
            Connection::Local(_) | Connection::Remote { .. } => None,
        }
    }
}

async fn open_remote(
    folder: &DataFolder,
    database: Option<&dyn ProjectionPlace>,
) -> Result<Arc<RemoteEngine>, OpenError> {
    let journal = journal::open_views(folder, database).await?;
    Ok(Arc::new(RemoteEngine::new(folder.clone(), journal)))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

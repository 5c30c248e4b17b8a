//! Loops that live in an engine elsewhere (§18.5): shown from a journal of this data folder, which follows what they tell, and asked where they
//! live. Nothing is run here.
//!
//! **Architecture invariant.** What they tell is written down once however often it is told, by loop and version; a folder that was lost is
//! filled anew from what the engine keeps.

mod asks;
mod follow;
mod shown;
mod steps;
mod work;

pub(super) use steps::{KnownLoop, replaced, steps_of};

use super::changes::{ChangeSource, EngineChange, EngineChanges, EngineEnd, until_ended};
use super::journal::{self, OpenError};
use super::local::{EngineSetup, LocalEngineError};
use super::origin::Origin;
use super::policies::ConfiguredPolicies;
use collie_config::{DataFolder, host_of};
use collie_core::ids::{AccountId, Login, LoopId, RepositoryId};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::queue_place::QueuePlace;
use collie_core::trust::RepositoryTrust;
use collie_core::user_error::UserError;
use collie_engine::SlotUsage;
use collie_engine::ports::{
    DaySpending, JournalReader, LookReason, LoopsElsewhere, ProjectionJournal, ProjectionPlace,
    StoreError,
};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::tz::TimeZone;
use shown::Shown;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Changes that a slow listener may be behind before it reads everything anew.
const CHANGE_CHANNEL_CAPACITY: usize = 4096;
/// How long its tasks may take to end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Where loops live that are only shown here, and where the views of them lie.
#[derive(Clone)]
pub struct LoopsPlace {
    /// The engine elsewhere.
    pub engine: Arc<dyn LoopsElsewhere>,
    /// What several processes read views from; none where they lie in the data folder.
    pub views: Option<Arc<dyn ProjectionPlace>>,
}

/// Loops that live elsewhere, as far as they were told.
pub(super) struct ElsewhereEngine {
    source: Arc<dyn LoopsElsewhere>,
    journal: Arc<dyn ProjectionJournal>,
    /// Other processes write it as well.
    is_shared: bool,
    policies: ConfiguredPolicies,
    folder: DataFolder,
    host: String,
    zone: TimeZone,
    /// What a replay needs is kept for so long after a run has ended.
    replayable_ms: u64,
    shown: Mutex<Shown>,
    /// Loops that are to be read before their next poll, until the engine has heard it.
    looks: Mutex<BTreeMap<LoopId, LookReason>>,
    changes: broadcast::Sender<EngineChange>,
    end: watch::Sender<Option<EngineEnd>>,
    /// Wakes what brings requests and looks there.
    wake: Notify,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// Where the loops of a data folder live: elsewhere from now on, unless it has loops of its own. Commands beside this process find there whether
/// they are shown in a database.
async fn origin_of(
    folder: &DataFolder,
    own: &dyn ProjectionJournal,
    views_in_database: bool,
) -> Result<Origin, LocalEngineError> {
    let known = Origin::read(folder)?;
    match &known {
        Some(origin) if origin.moving.is_some() => {
            return Err(LocalEngineError::MoveUnfinished(folder.clone()));
        }
        Some(_) => {}
        None if own.loops().await.map_err(OpenError::from)?.is_empty() => {}
        None => return Err(LocalEngineError::LoopsOfItsOwn(folder.clone())),
    }
    let origin = known.clone().unwrap_or_else(Origin::unknown);
    let origin = origin.with_views_in_database(views_in_database);
    if known.as_ref() != Some(&origin) {
        origin.write(folder).map_err(OpenError::from)?;
    }
    Ok(origin)
}

impl ElsewhereEngine {
    /// Takes the data folder, shows what it has, and follows the engine from now on. Whether that answers is shown, and no error.
    ///
    /// # Errors
    /// The folder cannot be used, another process has it, or it has loops of its own; the database does not answer.
    pub async fn start(
        setup: &EngineSetup,
        place: &LoopsPlace,
    ) -> Result<Arc<Self>, LocalEngineError> {
        let config = setup.config.get();
        let folder = DataFolder::at(&config.home)?;
        let own = journal::open_for_projection(&folder).await?;
        let origin = origin_of(&folder, own.as_ref(), place.views.is_some()).await?;
        let journal = match &place.views {
            Some(views) => views.open(own).await.map_err(OpenError::from)?,
            None => own,
        };
        let shown = Shown::read(journal.as_ref(), origin);
        let shown = shown.await.map_err(OpenError::from)?;
        let engine = Arc::new(Self {
            source: place.engine.clone(),
            journal,
            is_shared: place.views.is_some(),
            policies: ConfiguredPolicies::new(setup.config.clone()),
            host: host_of(&config.api_url),
            folder,
            zone: TimeZone::system(),
            replayable_ms: u64::from(config.disk.replay_days) * 24 * 60 * 60_000,
            shown: Mutex::new(shown),
            looks: Mutex::default(),
            changes: broadcast::channel(CHANGE_CHANNEL_CAPACITY).0,
            end: watch::Sender::new(None),
            wake: Notify::new(),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        engine.spawn_tasks();
        Ok(engine)
    }

    fn spawn_tasks(self: &Arc<Self>) {
        let spawn = |task: BoxFuture<'static, StoreError>| {
            let engine = self.clone();
            self.tasks.spawn(async move {
                tokio::select! {
                    biased;
                    () = engine.stop.cancelled() => {}
                    error = task => {
                        engine.end.send_replace(Some(EngineEnd::Failed(error)));
                    }
                }
            });
        };
        let engine = self.clone();
        spawn(async move { engine.follow().await }.boxed());
        let engine = self.clone();
        spawn(async move { engine.bring_asks().await }.boxed());
    }

    /// The journal, where it is no data folder's own.
    pub fn shared_journal(&self) -> Option<Arc<dyn JournalReader>> {
        self.is_shared
            .then(|| self.journal.clone() as Arc<dyn JournalReader>)
    }

    /// Every loop as it was told last.
    pub fn loops(&self) -> Vec<Arc<LoopState>> {
        let shown = self.lock_shown();
        shown.loops.values().map(|it| it.state.clone()).collect()
    }

    /// A loop as it is shown; none where it is not known yet.
    pub(super) fn loop_shown(&self, id: &LoopId) -> Option<Arc<LoopState>> {
        let shown = self.lock_shown();
        shown.loops.get(id).map(|it| it.state.clone())
    }

    /// How a loop stands in the queue for work.
    pub fn queue_place(&self, id: &LoopId) -> Option<QueuePlace> {
        self.lock_shown().queue_place(id)
    }

    /// The same of all loops that queue.
    pub fn queue_places(&self) -> BTreeMap<LoopId, QueuePlace> {
        self.lock_shown().queue_places()
    }

    /// The names of the workers that have a loop's sessions.
    pub fn workers(&self, id: &LoopId) -> Vec<String> {
        self.lock_shown().workers(id)
    }

    /// How the slots of the fleet stand; none where there are none, or that was not told.
    pub fn slot_usage(&self) -> Option<SlotUsage> {
        self.lock_shown().work.slots
    }

    /// The pause of everything as it was told last.
    pub fn pause(&self) -> Option<Pause> {
        self.lock_shown().pause.clone()
    }

    /// Why what is shown may be old.
    pub fn problem(&self) -> Option<UserError> {
        self.lock_shown().problem.clone()
    }

    /// What changes from now on.
    pub fn subscribe(&self) -> EngineChanges {
        let source = ChangeSource::Remote(self.changes.subscribe());
        EngineChanges::new(source, self.ended())
    }

    /// Returns when the journal here could not be written.
    pub fn ended(&self) -> BoxFuture<'static, EngineEnd> {
        until_ended(&self.end)
    }

    /// Whether an account is one that the configuration here allows.
    ///
    /// # Errors
    /// Which account bore the name first cannot be read or written down.
    pub fn is_allowed(&self, login: &Login, id: AccountId) -> Result<bool, UserError> {
        collie_engine::is_allowed(&self.policies, login, id)
    }

    /// What was decided for a repository, as the engine has it.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn trust(&self, id: &RepositoryId) -> Result<RepositoryTrust, StoreError> {
        let trust = self.source.trust(id).await;
        trust.map_err(|error| StoreError::Failed {
            what: "asking what was decided for a repository".into(),
            message: error.to_string(),
        })
    }

    /// What was spent, by day, in order, as far as it was told.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        self.journal.spending().await
    }

    /// Follows it no more, and lets go of the journal.
    pub async fn close(&self) {
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(CLOSE_TIMEOUT, self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("the following of loops elsewhere did not end in time");
        }
        self.journal.close().await;
    }

    fn lock_shown(&self) -> MutexGuard<'_, Shown> {
        // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_looks(&self) -> MutexGuard<'_, BTreeMap<LoopId, LookReason>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Moves the loops of a data folder to an engine elsewhere, and back (§18.5).
//!
//! **Architecture invariant.** At no time do two engines work on a loop. The folder says that it is being moved before the first loop is handed
//! over, and no engine starts in it from then on; what is given back is written down before it is forgotten there. Whatever ends a move in the
//! middle, the same command goes on with it.

use super::elsewhere::{KnownLoop, replaced, steps_of};
use super::journal::{self, OpenError};
use super::local::{BuiltPorts, EngineSetup, LocalEngineError, build_ports_on};
use super::origin::{Direction, Origin};
use crate::clock::SystemClock;
use collie_config::{DataFolder, host_of};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::event::Event;
use collie_core::ids::{EffectId, LoopId, PullName, Sha};
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    Adopted, ElsewhereError, GitError, HandedLoop, LoopMover, MAX_COMMIT_PACK, MovableJournal,
    ProjectedStep, ReleasedLoop, RenderedPost, StoreError, VersionedLoop,
};
use collie_engine::{pull_ref, remote};
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How long a worker may still be writing after its loop was given back: a claimed post is sent within 4 s, and a push within its session.
const QUIET: Duration = Duration::from_secs(6);

/// What keeps loops from being moved.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The data folder, its engine or its clones cannot be used.
    #[error(transparent)]
    Local(#[from] LocalEngineError),
    /// The engine elsewhere could not do its part.
    #[error(transparent)]
    Elsewhere(#[from] ElsewhereError),
    /// Everything is paused, which the engine elsewhere would not know.
    #[error("everything is paused")]
    Paused,
    /// The loops are where they are to go.
    #[error("the loops are there already")]
    Nothing,
    /// A move the other way was begun and has to be ended first.
    #[error("a move the other way has not ended")]
    Unfinished,
}

impl From<MoveError> for UserError {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::Local(error) => error.into(),
            MoveError::Elsewhere(ElsewhereError::Unreachable { address, message }) => {
                UserError::new(ErrorCode::MoveUnreachable)
                    .with("address", address)
                    .with("message", message)
                    .hint(ErrorHint::CheckEngineToMove)
            }
            MoveError::Elsewhere(error) => error.into(),
            MoveError::Paused => UserError::new(ErrorCode::MovePaused),
            MoveError::Nothing => UserError::new(ErrorCode::MoveNothing),
            MoveError::Unfinished => {
                UserError::new(ErrorCode::MoveUnfinished).hint(ErrorHint::FinishMove)
            }
        }
    }
}

impl From<StoreError> for MoveError {
    fn from(error: StoreError) -> Self {
        Self::Elsewhere(error.into())
    }
}

impl From<OpenError> for MoveError {
    fn from(error: OpenError) -> Self {
        Self::Local(error.into())
    }
}

impl From<GitError> for MoveError {
    fn from(error: GitError) -> Self {
        Self::Local(error.into())
    }
}

/// What a move came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// How many loops live there now.
    pub loops: usize,
    /// Pull requests of which another loop lived there before: that one stays.
    pub others: Vec<PullName>,
    /// Pull requests with a commit that could not come along: its push will fail.
    pub left_commits: Vec<PullName>,
}

/// A data folder whose loops are moved; no engine works on it meanwhile.
pub struct LoopMove {
    folder: DataFolder,
    host: String,
    zone: TimeZone,
    journal: Arc<dyn MovableJournal>,
    built: BuiltPorts,
    target: Arc<dyn LoopMover>,
}

impl LoopMove {
    /// Takes the data folder.
    ///
    /// # Errors
    /// Another process has it, or it cannot be used.
    pub async fn open(setup: EngineSetup, target: Arc<dyn LoopMover>) -> Result<Self, MoveError> {
        let config = setup.config.get();
        let folder = DataFolder::at(&config.home).map_err(LocalEngineError::from)?;
        let journal = journal::open_for_moving(&folder).await?;
        let built = build_ports_on(setup, Arc::new(SystemClock), journal.clone()).await?;
        Ok(Self {
            host: host_of(&config.api_url),
            folder,
            zone: TimeZone::system(),
            journal,
            built,
            target,
        })
    }

    /// Hands every loop over.
    ///
    /// # Errors
    /// Nothing was handed over, or the move has not ended: it is gone on with by calling this again.
    pub async fn there(self) -> Result<Moved, MoveError> {
        let origin = Origin::read(&self.folder)?;
        let name = match origin.as_ref().map(|origin| &origin.moving) {
            None => self.begin_there().await?,
            Some(Some(moving)) if moving.to == Direction::There => moving.name.clone(),
            Some(Some(_)) => return Err(MoveError::Unfinished),
            Some(None) => return Err(MoveError::Nothing),
        };
        let days = self.journal.spending().await?;
        let counted = self.target.adopt_spending(&self.host, &name, &days).await;
        counted?;
        let mut moved = Moved::default();
        let mut versions = BTreeMap::new();
        for handed in self.own_loops().await? {
            if !self.send_commits(&handed.state).await? {
                moved.left_commits.push(handed.state.pull_name());
            }
            match self.target.adopt(&handed, &name).await? {
                Adopted::Here { version } => {
                    versions.insert(handed.state.id.clone(), version);
                    moved.loops += 1;
                }
                Adopted::Another => moved.others.push(handed.state.pull_name()),
            }
        }
        self.journal.become_projection(&versions).await?;
        let engine = self.target.changes(&self.host, None).await?.engine;
        Origin::of(engine).write(&self.folder)?;
        self.journal.close().await;
        Ok(moved)
    }

    async fn begin_there(&self) -> Result<String, MoveError> {
        if self.journal.pause().await?.is_some() {
            return Err(MoveError::Paused);
        }
        // Whether it answers at all is found out before anything is said.
        let engine = self.target.changes(&self.host, None).await?.engine;
        let origin = Origin::of(engine).moving(Direction::There);
        origin.write(&self.folder)?;
        Ok(origin.moving.map(|moving| moving.name).unwrap_or_default())
    }

    /// The loops of this folder, with what may have been done of what they want.
    async fn own_loops(&self) -> Result<Vec<HandedLoop>, MoveError> {
        let mut pending: BTreeMap<LoopId, Vec<Event>> = BTreeMap::new();
        for (_, id, event) in self.journal.unapplied().await? {
            pending.entry(id).or_default().push(event);
        }
        let mut in_doubt: BTreeMap<LoopId, BTreeMap<EffectId, Option<RenderedPost>>> =
            BTreeMap::new();
        for entry in self.journal.outbox().await? {
            if entry.in_doubt {
                let of_loop = in_doubt.entry(entry.loop_id).or_default();
                of_loop.insert(entry.id, entry.sending);
            }
        }
        let loops = self.journal.loops().await?.into_iter();
        let of_host = loops.filter(|state| state.id.host == self.host);
        let handed = of_host.map(|state| HandedLoop {
            in_doubt: in_doubt.remove(&state.id).unwrap_or_default(),
            pending: pending.remove(&state.id).unwrap_or_default(),
            state,
        });
        Ok(handed.collect())
    }

    /// Sends the commits of a loop that are on no remote; whether all came along.
    async fn send_commits(&self, state: &LoopState) -> Result<bool, MoveError> {
        let pull = pull_ref(state);
        let known: Vec<&Sha> = known_commits(state);
        let mut all = true;
        for commit in state.unpushed_commits() {
            match self
                .built
                .commits
                .export_commit(&pull, &commit, &known)
                .await
            {
                Ok(pack) if pack.len() <= MAX_COMMIT_PACK => {
                    let kept = self.target.keep_commit(&state.id, &commit, pack).await;
                    kept?;
                }
                Ok(pack) => {
                    let (commit, bytes) = (commit.short(), pack.len());
                    tracing::warn!(commit, bytes, "a commit is too large to come along");
                    all = false;
                }
                Err(error) => {
                    tracing::warn!(%error, commit = commit.short(), "a commit does not come along");
                    all = false;
                }
            }
        }
        Ok(all)
    }

    /// Takes every loop of the host back.
    ///
    /// # Errors
    /// The move has not ended: it is gone on with by calling this again.
    pub async fn back(self) -> Result<Moved, MoveError> {
        let Some(origin) = Origin::read(&self.folder)? else {
            return Err(MoveError::Nothing);
        };
        let told = self.target.changes(&self.host, None).await?;
        if origin.engine.is_some() && origin.engine != told.engine {
            let address = self.target.address().to_owned();
            return Err(ElsewhereError::AnotherEngine { address }.into());
        }
        let origin = origin.moving(Direction::Back);
        origin.write(&self.folder)?;
        let mut asked: BTreeSet<LoopId> =
            self.target.loops(&self.host).await?.into_iter().collect();
        let own = self.journal.loops().await?.into_iter();
        asked.extend(own.map(|state| state.id).filter(|id| id.host == self.host));
        let mut released = Vec::new();
        for id in &asked {
            released.extend(self.target.release(id).await?);
        }
        tokio::time::sleep(QUIET).await;
        let mut moved = Moved::default();
        for loop_ in &released {
            self.take_over(loop_).await?;
            let state = &loop_.handed.state;
            if !self.fetch_commits(state).await? {
                moved.left_commits.push(state.pull_name());
            }
            moved.loops += 1;
        }
        self.journal.set_pause(told.pause.as_ref()).await?;
        let handed: Vec<HandedLoop> = released.into_iter().map(|it| it.handed).collect();
        self.journal.become_own(&handed).await?;
        for loop_ in &handed {
            self.target.forget(&loop_.state.id).await?;
        }
        Origin::remove(&self.folder)?;
        self.journal.close().await;
        Ok(moved)
    }

    /// Writes down how a loop stands that was given back, and what led to that as far as it is known.
    async fn take_over(&self, released: &ReleasedLoop) -> Result<(), MoveError> {
        let state = &released.handed.state;
        let progress = self.journal.projection_progress().await?;
        let version = progress.versions.get(&state.id).copied();
        let known = self.journal.find(&state.id).await?;
        let known = known.as_ref().map(|state| KnownLoop { version, state });
        let entries = self.target.history(&state.id, version.unwrap_or(0)).await?;
        let stands = VersionedLoop {
            version: released.version,
            state: state.clone(),
        };
        let steps = steps_of(known, &entries, &self.zone);
        let leads_here = |steps: &Vec<ProjectedStep>| {
            let last = steps.last().map(|step| &step.applied.state);
            let last = last.or(known.map(|known| known.state));
            last.is_some_and(|last| is_same_but_for_readings(last, state))
        };
        let steps = steps.filter(leads_here);
        let steps = steps.unwrap_or_else(|| vec![replaced(known, stands)]);
        self.journal.project(&steps).await?;
        let (id, at) = (state.id.repository(), self.built.ports.effects.clock.now());
        self.journal.set_trust(&id, &state.trust, at).await?;
        Ok(())
    }

    /// Brings the commits of a loop here that are on no remote; whether all came.
    async fn fetch_commits(&self, state: &LoopState) -> Result<bool, MoveError> {
        let pull = pull_ref(state);
        let from = remote(&self.built.ports.effects, state);
        let mut all = true;
        for commit in state.unpushed_commits() {
            if self.built.commits.has_commit(&pull, &commit).await? {
                continue;
            }
            let Some(pack) = self.target.fetch_commit(&state.id, &commit).await? else {
                all = false;
                continue;
            };
            let imported = self
                .built
                .commits
                .import_commit(&pull, &from, &commit, pack);
            if let Err(error) = imported.await {
                tracing::warn!(%error, commit = commit.short(), "a commit did not come back");
                all = false;
            }
        }
        Ok(all)
    }
}

/// Readings that showed nothing new are told by no history.
fn is_same_but_for_readings(a: &LoopState, b: &LoopState) -> bool {
    let mut a = a.clone();
    a.set_reading_times(&b.reading_times());
    a == *b
}

/// What every clone can fetch.
fn known_commits(state: &LoopState) -> Vec<&Sha> {
    let pending = state.run.fixing.pending.iter().map(|fix| &fix.from);
    pending.chain(&state.run.head.base).collect()
}

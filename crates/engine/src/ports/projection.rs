//! A journal of loops that live elsewhere: written down as they are told, run by nobody here.

use super::{AppliedStep, JournalReader, JournalUpkeep, StoreError};
use async_trait::async_trait;
use collie_core::event::Event;
use collie_core::ids::LoopId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is written down of a loop that lives elsewhere.
#[derive(Clone, Debug)]
pub struct ProjectedStep {
    /// The version of the loop that it led to.
    pub version: u64,
    /// What it was.
    pub change: ProjectedChange,
    /// What it came to; its inbox is empty.
    pub applied: AppliedStep,
}

/// What is written down of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectedChange {
    /// The loop began.
    Begun,
    /// It is shown from here on; what was before is not known.
    Joined,
    /// An event was applied.
    Event(Box<Event>),
    /// It is otherwise than it was shown, and what led to that is not known.
    Replaced,
}

/// How far a journal of loops elsewhere has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectionProgress {
    /// How many changes of the engine it knows; none before the first.
    pub position: Option<u64>,
    /// The version of each loop that it has.
    pub versions: BTreeMap<LoopId, u64>,
}

/// A journal of loops that live elsewhere.
#[async_trait]
pub trait ProjectionJournal: JournalUpkeep {
    /// Asks whether it shows loops of this engine, and remembers that it does where it has shown none's yet. An engine that has no loop does
    /// not say which it is. A data folder says so in a file of its own: its journal is any's.
    async fn claim_for(&self, engine: Option<&str>) -> Result<bool, StoreError>;

    /// How far it has come.
    async fn projection_progress(&self) -> Result<ProjectionProgress, StoreError>;

    /// Writes down what was told, all in one transaction; how many of the steps were new. A version that is known, or older than the one
    /// that is known, changes nothing.
    async fn project(&self, steps: &[ProjectedStep]) -> Result<usize, StoreError>;

    /// Remembers how many changes of the engine are known.
    async fn set_projection_position(&self, position: u64) -> Result<(), StoreError>;
}

/// A place for a projection that several processes share.
#[async_trait]
pub trait ProjectionPlace: Send + Sync {
    /// Opens it, and makes what is missing there. The data folder of the process keeps its audit log and the requests that are left there.
    ///
    /// # Errors
    /// It does not answer, or what is there is none of ours or newer.
    async fn open(
        &self,
        folder: Arc<dyn ProjectionJournal>,
    ) -> Result<Arc<dyn ProjectionJournal>, StoreError>;

    /// Opens it to be read beside the processes that write it; nothing is made or changed there. The data folder keeps the audit log and the
    /// requests that are left; `engine` is the one whose loops it shows, where it knows.
    ///
    /// # Errors
    /// It does not answer, what is there is none of ours, newer or older, or it shows loops of another engine.
    async fn open_reader(
        &self,
        folder: Arc<dyn JournalReader>,
        engine: Option<&str>,
    ) -> Result<Arc<dyn JournalReader>, StoreError>;
}

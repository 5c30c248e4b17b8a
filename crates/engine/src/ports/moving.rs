//! Handing loops from a data folder to an engine elsewhere, and back.

use super::{
    DaySpending, ElsewhereError, Journal, LoopsElsewhere, ProjectionJournal, RenderedPost,
    StoreError,
};
use async_trait::async_trait;
use collie_core::event::Event;
use collie_core::ids::{EffectId, LoopId, Sha};
use collie_core::loop_state::LoopState;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A loop on its way from one engine to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedLoop {
    /// The loop.
    pub state: LoopState,
    /// Effects that may have been carried out already, with the body where there is one (§8.2).
    pub in_doubt: BTreeMap<EffectId, Option<RenderedPost>>,
    /// What was received and not applied, in order.
    pub pending: Vec<Event>,
}

/// What became of a loop that was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Adopted {
    /// It lives there, and its first version there is this.
    Here {
        /// How many events it had had.
        version: u64,
    },
    /// One of the same pull request lived there before, and stays as it is.
    Another,
}

/// A loop that was given back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleasedLoop {
    /// How many events it had had.
    pub version: u64,
    /// The loop.
    pub handed: HandedLoop,
}

/// The engine elsewhere, as loops are handed to it. Each call may be repeated.
#[async_trait]
pub trait LoopMover: LoopsElsewhere {
    /// Takes a loop over, which goes on there at once. The name is that of the whole move.
    async fn adopt(&self, handed: &HandedLoop, name: &str) -> Result<Adopted, ElsewhereError>;

    /// Gives a loop back: nothing is done for it there from now on. None where there is none.
    async fn release(&self, id: &LoopId) -> Result<Option<ReleasedLoop>, ElsewhereError>;

    /// Forgets a loop that was given back, once it is written down here.
    async fn forget(&self, id: &LoopId) -> Result<(), ElsewhereError>;

    /// Keeps a commit that is on no remote.
    async fn keep_commit(
        &self,
        id: &LoopId,
        commit: &Sha,
        pack: Vec<u8>,
    ) -> Result<(), ElsewhereError>;

    /// A commit that was kept.
    async fn fetch_commit(
        &self,
        id: &LoopId,
        commit: &Sha,
    ) -> Result<Option<Vec<u8>>, ElsewhereError>;

    /// Counts what was spent here before, so that limits hold for it there.
    async fn adopt_spending(
        &self,
        host: &str,
        name: &str,
        days: &[DaySpending],
    ) -> Result<(), ElsewhereError>;
}

/// A journal whose loops can be handed over.
#[async_trait]
pub trait MovableJournal: ProjectionJournal + Journal {
    /// From now on it is one of loops elsewhere, of which so many events each are known. What was received and not applied is dropped: it was
    /// handed over.
    async fn become_projection(&self, versions: &BTreeMap<LoopId, u64>) -> Result<(), StoreError>;

    /// From now on these loops are its own: what they want done is in the outbox, and what may have been done is in doubt.
    async fn become_own(&self, loops: &[HandedLoop]) -> Result<(), StoreError>;
}

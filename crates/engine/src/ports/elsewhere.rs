//! Loops that live in an engine elsewhere, as a process that shows them reaches them (§18.5).

use super::{LoopRequest, StoreError};
use crate::history::HistoryEntry;
use crate::reported::ChangeUrgency;
use async_trait::async_trait;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, LoopId, RepositoryId};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::trust::RepositoryTrust;
use collie_core::user_error::UserError;
use serde::{Deserialize, Serialize};

/// Something that was asked of the engine elsewhere, and did not come to what it should.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ElsewhereError {
    /// It gave no answer.
    #[error("the engine at {address} does not answer: {message}")]
    Unreachable {
        /// Where it was looked for.
        address: String,
        /// How that shows.
        message: String,
    },
    /// It answered what cannot be read, as of workers that are newer.
    #[error("the answer of the engine at {address} cannot be read: {message}")]
    Unreadable {
        /// Where it is.
        address: String,
        /// How that shows.
        message: String,
    },
    /// Its loops are others than the data folder shows.
    #[error(
        "the data folder, or the database, shows loops of another engine than the one at {address}"
    )]
    AnotherEngine {
        /// Where it is.
        address: String,
    },
    /// It refused.
    #[error("refused: {}", .0.code.as_str())]
    Refused(UserError),
    /// What it told could not be written down.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ElsewhereError> for UserError {
    fn from(error: ElsewhereError) -> Self {
        match error {
            // Where it is, and how that shows, is for the log: whoever is not signed in may see this.
            ElsewhereError::Unreachable { .. } => {
                UserError::new(ErrorCode::LoopsUnreachable).hint(ErrorHint::CheckEngine)
            }
            ElsewhereError::Unreadable { .. } => {
                UserError::new(ErrorCode::LoopsUnreadable).hint(ErrorHint::Update)
            }
            ElsewhereError::AnotherEngine { .. } => {
                UserError::new(ErrorCode::LoopsOfAnotherEngine).hint(ErrorHint::WorkerDocs)
            }
            ElsewhereError::Refused(reason) => reason,
            ElsewhereError::Store(error) => error.into(),
        }
    }
}

/// What has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopChanges {
    /// Which engine it is; none before it has any loop.
    pub engine: Option<String>,
    /// How many changes it has told so far.
    pub position: u64,
    /// The loops that have changed since; none where that is not known any more, and each has to be looked at.
    pub changed: Option<Vec<LoopId>>,
    /// The pause of everything.
    pub pause: Option<Pause>,
}

/// Who works and who waits, of all loops of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkElsewhere {
    /// Grows with each change.
    pub revision: u64,
    /// Loops that may work at once; none where that is not limited, or not known.
    pub slots: Option<usize>,
    /// Loops that have a slot.
    pub working: usize,
    /// Loops that wait for one, in the order in which they would begin as things stand.
    pub queue: Vec<LoopId>,
    /// Loops that wait until another one has pushed, in the order in which they came; first that other one.
    pub branches: Vec<(LoopId, Vec<LoopId>)>,
    /// Loops and the names of the workers that have their sessions.
    pub workers: Vec<(LoopId, String)>,
}

impl WorkElsewhere {
    /// Whether nobody works and nobody waits, as far as is known.
    pub fn is_idle(&self) -> bool {
        self.working == 0
            && self.queue.is_empty()
            && self.branches.is_empty()
            && self.workers.is_empty()
    }
}

/// A loop as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionedLoop {
    /// How many events it has had; 0 of one that was made before they were counted, and has had none since.
    pub version: u64,
    /// The loop.
    pub state: LoopState,
}

/// Why a loop is to be read before its next poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookReason {
    /// A person asks.
    Person,
    /// GitHub said that something has changed.
    Reported(ChangeUrgency),
}

/// The engine elsewhere.
#[async_trait]
pub trait LoopsElsewhere: Send + Sync {
    /// Where it is, for people.
    fn address(&self) -> &str;

    /// What has changed of a host since so many changes; of all that was ever told without.
    async fn changes(&self, host: &str, since: Option<u64>) -> Result<LoopChanges, ElsewhereError>;

    /// Who of a host works and who waits; none where that is as it was at a revision.
    async fn work(
        &self,
        host: &str,
        seen: Option<u64>,
    ) -> Result<Option<WorkElsewhere>, ElsewhereError>;

    /// All loops of a host.
    async fn loops(&self, host: &str) -> Result<Vec<LoopId>, ElsewhereError>;

    /// What happened to a loop after a version, in order, as far as it is kept: the first may be a later one than the next.
    async fn history(&self, id: &LoopId, after: u64) -> Result<Vec<HistoryEntry>, ElsewhereError>;

    /// A loop as it stands; none where it is not known.
    async fn state(&self, id: &LoopId) -> Result<Option<VersionedLoop>, ElsewhereError>;

    /// What was decided for a repository.
    async fn trust(&self, id: &RepositoryId) -> Result<RepositoryTrust, ElsewhereError>;

    /// Carries a person's request out, about a loop as it was shown last where there is one; which loop it reached, and its version then, where
    /// it was one.
    async fn submit(
        &self,
        request: &LoopRequest,
        (host, about): (&str, Option<&LoopState>),
        by: &Login,
    ) -> Result<Option<(LoopId, u64)>, ElsewhereError>;

    /// Has a loop's pull request read before its next poll; `shown` is the loop as it was shown last.
    async fn look(
        &self,
        id: &LoopId,
        reason: LookReason,
        shown: Option<&LoopState>,
    ) -> Result<(), ElsewhereError>;
}

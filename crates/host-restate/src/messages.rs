//! What handlers send each other, and workers the ingress. Written as JSON, which an older or a newer worker may read.

use crate::branch_lock::BranchQueue;
use crate::kept_entries::Kept;
use crate::loop_key::LoopKey;
use crate::session_admission::WaitsFor;
use crate::slot_queue::SlotWish;
use collie_core::autonomy::Autonomy;
use collie_core::budget::Budget;
use collie_core::ids::{EffectId, Login, LoopId, RepoName, RepositoryId, RunId, Time};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::poll_budget::RateResource;
use collie_core::post::RenderedPost;
use collie_core::trust::TrustDecision;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use collie_engine::ports::HandedLoop;
use collie_engine::{HistoryEntry, LoopCommand};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An effect of a loop, by its id: what is asked is read from the loop when it is run, and so is whether it is still asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EffectRequest {
    pub loop_id: LoopId,
    pub effect: EffectId,
    /// The loop as it was when it asked, where that may do; an older worker sends none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedLoop>,
}

impl From<&SessionOffer> for EffectRequest {
    fn from(offer: &SessionOffer) -> Self {
        Self {
            loop_id: offer.loop_id.clone(),
            effect: offer.effect.clone(),
            asked: None,
        }
    }
}

/// A loop as it was when it asked for an effect, and when that was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AskedLoop {
    pub at: Time,
    pub state: Box<LoopState>,
}

/// Work that lasts, offered to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionOffer {
    pub loop_id: LoopId,
    pub effect: EffectId,
    /// How often it was offered, this time included.
    pub attempt: u32,
}

/// A worker has a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Heartbeat {
    pub effect: EffectId,
    pub attempt: u32,
    /// What people call the worker; an older one does not say.
    #[serde(default)]
    pub worker: Option<String>,
}

/// A worker has taken a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionTaken {
    pub effect: EffectId,
    pub key: LoopKey,
    /// What people call it.
    pub worker: String,
    /// Slots of the fleet as the settings say; none where it has none.
    pub slots: Option<usize>,
}

/// Who waits for a branch has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BranchReport {
    pub branch: String,
    /// None: nobody does any more.
    pub queue: Option<BranchQueue>,
}

/// Who of a host works, and who waits for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FleetWork {
    /// Grows with each change.
    pub revision: u64,
    /// Loops that may work at once; none where that is not limited.
    pub slots: Option<usize>,
    /// Loops that have a slot.
    pub working: usize,
    /// Loops that wait for one, in the order in which they would begin as things stand.
    pub queue: Vec<LoopKey>,
    /// Loops that wait for others' commits.
    pub branches: Vec<BranchQueue>,
    /// Loops and the names of the workers that have their sessions.
    pub workers: Vec<(LoopKey, String)>,
}

/// What a session has come to so far, in absolute figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionSpending {
    /// Tells this run of the session from every other.
    pub name: String,
    pub loop_id: LoopId,
    /// What the pull request had spent when it began.
    pub spent_before: Usage,
    pub spent: Usage,
    /// What its calls under way may come to.
    pub reserved: Usage,
    /// Whether it may spend more.
    pub is_open: bool,
    /// Grows with each that is sent; from 1.
    pub sequence: u64,
    /// When, on which day by the worker's clock.
    pub at: Time,
    pub day: Date,
}

/// A loop that is handed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Adoption {
    pub handed: HandedLoop,
    /// The name of the move.
    pub name: String,
}

/// What was spent on days before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EarlierSpending {
    /// The name of the move.
    pub name: String,
    pub days: Vec<(Date, Usage)>,
}

/// A call of a model is to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReserveRequest {
    pub session: SessionSpending,
    /// What it may come to at most.
    pub worst: Usage,
    /// The limits, as the worker is configured.
    pub budget: Budget,
    /// When the day ends.
    pub day_ends: Time,
}

/// Whether it is to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeartbeatAnswer {
    pub is_wanted: bool,
}

/// A time that a loop waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "timer")]
pub(crate) enum Timer {
    /// When GitHub is read. One of another generation than the loop's is of no use any more.
    Read { generation: u64 },
    /// When a session has been silent for too long, unless it was not.
    Session { effect: EffectId, attempt: u32 },
    /// When a session may begin.
    Begin { effect: EffectId },
}

/// A reading of a loop's pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadRequest {
    pub loop_id: LoopId,
    /// A person asks.
    pub is_hurried: bool,
    /// GitHub said that something has changed.
    pub is_reported: bool,
    /// The run is new: somebody waits for it.
    pub is_first: bool,
    /// Between two readings, as the loop is configured: milliseconds.
    pub interval_ms: u64,
}

/// Readings that one worker makes together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadBatch {
    pub host: String,
    pub requests: Vec<ReadRequest>,
    /// Readings of all loops of the host in an hour, as they are configured.
    pub readings_an_hour: u64,
    /// What each worker has used of the budgets, by its name.
    pub used: BTreeMap<String, Vec<BudgetUse>>,
}

/// What a worker has used by itself of one of GitHub's budgets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BudgetUse {
    pub resource: RateResource,
    /// When the hour of the budget ends.
    pub resets_at: Time,
    /// Points, or requests.
    pub used: u64,
}

/// What a worker says of GitHub after readings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadReport {
    pub worker: String,
    pub at: Time,
    pub used: Vec<BudgetUse>,
    /// Until when GitHub is to be left alone; none where it answers.
    pub paused_until: Option<Time>,
}

/// Somebody wants to write something that must not be written twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WriteClaim {
    pub effect: EffectId,
    /// Who: one run of one effect.
    pub run: String,
    /// What will be written; none for what has no body, or is only claimed.
    pub body: Option<RenderedPost>,
    /// Whether it takes the place of whoever claimed it before.
    pub takes_over: bool,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClaimAnswer {
    /// Whether it may be written.
    pub is_granted: bool,
    /// What another run had claimed, and may have written.
    pub earlier: Option<ClaimedWrite>,
}

/// Something that was about to be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClaimedWrite {
    pub run: String,
    pub body: Option<RenderedPost>,
}

/// A loop as others see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoopView {
    pub state: LoopState,
    /// How many events it has had; 0 of one of an older worker's, which has had none since.
    #[serde(default)]
    pub version: u64,
    /// What sessions wait for that no worker was offered.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waiting: BTreeMap<EffectId, WaitsFor>,
}

/// A wish for a slot, and how many there are as the settings of its worker say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SlotRequest {
    pub wish: SlotWish,
    pub slots: usize,
}

/// A loop that is there, for whoever tells all of them something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FleetEntry {
    pub key: LoopKey,
    /// `owner/repo#number`.
    pub pull: String,
}

/// What a person asks of all loops: to stop working for now, or to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PauseRequest {
    pub host: String,
    pub paused: bool,
    /// In whose name; the account's that the worker acts as where it is none.
    #[serde(default)]
    pub by: Option<Login>,
}

/// What a person asks of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandRequest {
    pub key: LoopKey,
    /// Of a run that is resumed: rounds more than the settings say.
    #[serde(default)]
    pub extra_rounds: u32,
}

/// The same of whatever can be asked, in a person's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AskRequest {
    pub key: LoopKey,
    /// Whoever asks, where that is not the account that the worker acts as: who lets them ask has seen to that they may.
    #[serde(default)]
    pub by: Option<Login>,
    #[serde(flatten)]
    pub command: LoopCommand,
}

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AskAnswer {
    /// The loop that it reached.
    pub key: Option<LoopKey>,
    /// Its version then.
    #[serde(default)]
    pub version: u64,
    /// The run that was begun by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<UserError>,
}

/// What a person decides about a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DecideRequest {
    /// Its name, for the audit log.
    pub repo: RepoName,
    pub id: RepositoryId,
    pub decision: TrustDecision,
    #[serde(default)]
    pub by: Option<Login>,
}

/// The same once it is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FleetDecision {
    pub id: RepositoryId,
    pub decision: TrustDecision,
}

/// An entry of a loop's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AppendRequest {
    pub key: LoopKey,
    pub entry: HistoryEntry,
    pub kept: Kept,
}

/// What is asked of a loop's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HistoryRequest {
    pub key: LoopKey,
    /// What comes after this version.
    pub after: u64,
}

/// What has changed of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FleetChanges {
    pub engine: Option<String>,
    /// How many changes are known by what is told.
    pub position: u64,
    /// How many there were.
    pub newest: u64,
    pub changed: Option<Vec<LoopKey>>,
    pub pause: Option<Pause>,
}

/// A loop to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartRequest {
    /// `owner/repo#number`.
    pub pull: String,
    /// How far Collie goes by itself there; none for what the settings say.
    #[serde(default)]
    pub autonomy: Option<Autonomy>,
    /// In whose name; the account's that the worker acts as where it is none.
    #[serde(default)]
    pub by: Option<Login>,
}

/// The key of a loop that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartAnswer {
    pub key: String,
}

//! The journal: the single source of truth (§10.1).

use super::{AuditEntry, CommandSpending, RenderedPost};
use async_trait::async_trait;
use collie_core::autonomy::Autonomy;
use collie_core::effect::Effect;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::event::Event;
use collie_core::ids::{
    AccountId, EffectId, Fingerprint, Login, LoopId, PullName, RepoName, RepositoryId, RunId, Sha,
    Time,
};
use collie_core::insights::{LoopRun, RunRow, SpendRow};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::pause::Pause;
use collie_core::reading_times::ReadingTimes;
use collie_core::replay::RecordedStep;
use collie_core::trust::{RepositoryTrust, TrustDecision};
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What one event, or several in a row, came to; written in one transaction.
#[derive(Clone, Debug)]
pub struct AppliedStep {
    /// Sequence numbers of the inbox entries, in order.
    pub inbox: Vec<u64>,
    /// The state before them.
    pub from: Option<State>,
    /// The state after them.
    pub state: LoopState,
    /// New in the outbox.
    pub effects: Vec<(EffectId, Effect)>,
    /// Out of the outbox.
    pub dropped: Vec<EffectId>,
    /// Remarks.
    pub notes: Vec<Note>,
    /// When.
    pub at: Time,
    /// What it says was spent, and the day that this counts for; none where nothing was.
    pub spent: Option<DaySpending>,
    /// The same, by what it was spent on.
    pub spent_on: Vec<ModelSpending>,
    /// The times of reading of the state before, which readings without an entry may have changed: with them it can be replayed. None
    /// where it is not to be, as of several events in a row.
    pub read_before: Option<ReadingTimes>,
}

/// What models and agents spent on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaySpending {
    /// By the clock of the machine.
    pub day: Date,
    /// How much.
    pub usage: Usage,
}

/// What was spent on one model or agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSpending {
    /// The model as `provider/name`, or the agent; none where nobody knows any more.
    pub model: Option<String>,
    /// How much.
    pub usage: Usage,
}

/// Everything that figures over many runs are made of (§13.8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InsightRows {
    /// Every run.
    pub runs: Vec<RunRow>,
    /// What was spent, by day, repository and model; what was spent before that was kept has neither.
    pub spending: Vec<SpendRow>,
    /// Since when findings, reasons, models and repositories are kept.
    pub recorded_since: Time,
}

/// How far an outbox entry has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEntry {
    /// The loop.
    pub loop_id: LoopId,
    /// Its id.
    pub id: EffectId,
    /// What is asked.
    pub effect: Effect,
    /// The rendered body, once sending has begun.
    pub sending: Option<RenderedPost>,
    /// It may have arrived already: its token is looked for before it is sent (§8.2). Set with `sending`,
    /// and without a body for every post of a loop that came back from its checkpoint (§10.3).
    pub in_doubt: bool,
}

/// A request from another process or the user (§10.2).
#[derive(
    Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case", tag = "ask")]
#[strum(serialize_all = "snake_case")]
pub enum LoopRequest {
    /// Make a loop.
    Start {
        /// For which.
        pull: PullName,
        /// How far Collie goes by itself there; none for what the settings say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        autonomy: Option<Autonomy>,
    },
    /// Cancel.
    Cancel {
        /// Which.
        pull: PullName,
    },
    /// A fresh run.
    Retry {
        /// Which.
        pull: PullName,
    },
    /// Go on after `needs_human`.
    Resume {
        /// Which.
        pull: PullName,
        /// So many rounds more than configured, in the new run alone.
        #[serde(default)]
        rounds: u32,
    },
    /// A finding does not matter here.
    Dismiss {
        /// Of which.
        pull: PullName,
        /// The finding.
        fingerprint: Fingerprint,
        /// Why.
        reason: String,
    },
    /// Tell the fixer something for its next turn.
    Note {
        /// Of which.
        pull: PullName,
        /// The finding that it is about; none where it is about the change as a whole.
        fingerprint: Option<Fingerprint>,
        /// What.
        text: String,
    },
    /// A person has looked at what no reviewer was shown.
    Seen {
        /// Of which.
        pull: PullName,
        /// The head that they saw.
        head: Sha,
    },
    /// Set how far Collie goes by itself for a pull request.
    SetAutonomy {
        /// Which.
        pull: PullName,
        /// How far.
        level: Autonomy,
    },
    /// The same for all loops of a repository.
    SetRepositoryAutonomy {
        /// Which.
        repo: RepoName,
        /// How far.
        level: Autonomy,
    },
    /// Let a commit be pushed that waits for it.
    Approve {
        /// Of which.
        pull: PullName,
        /// The commit that the person has seen.
        commit: Sha,
    },
    /// Do not let it be pushed.
    Reject {
        /// Of which.
        pull: PullName,
        /// The commit that the person has seen.
        commit: Sha,
        /// What the fixer is told; may be empty.
        note: String,
    },
    /// Pause everything, or let it go on.
    SetPaused {
        /// Whether it is to be paused.
        paused: bool,
    },
    /// Remember what may be run and fixed in a repository.
    Decide {
        /// The repository's name, as the person knows it.
        repo: RepoName,
        /// Its identity.
        id: RepositoryId,
        /// What was decided.
        decision: TrustDecision,
    },
}

impl LoopRequest {
    /// Its name, as it is written.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The pull request that it is about; none where it is about a repository, or everything.
    pub fn pull(&self) -> Option<&PullName> {
        match self {
            LoopRequest::Start { pull, .. }
            | LoopRequest::SetAutonomy { pull, .. }
            | LoopRequest::Approve { pull, .. }
            | LoopRequest::Reject { pull, .. }
            | LoopRequest::Cancel { pull }
            | LoopRequest::Retry { pull }
            | LoopRequest::Resume { pull, .. }
            | LoopRequest::Dismiss { pull, .. }
            | LoopRequest::Note { pull, .. }
            | LoopRequest::Seen { pull, .. } => Some(pull),
            LoopRequest::Decide { .. }
            | LoopRequest::SetRepositoryAutonomy { .. }
            | LoopRequest::SetPaused { .. } => None,
        }
    }

    /// The name of what it is about: requests about the same are taken in order.
    pub fn subject(&self) -> String {
        let name = match (self, self.pull()) {
            (_, Some(pull)) => pull.to_string(),
            (
                LoopRequest::Decide { repo, .. } | LoopRequest::SetRepositoryAutonomy { repo, .. },
                None,
            ) => repo.to_string(),
            (_, None) => "pause".to_owned(),
        };
        name.to_ascii_lowercase()
    }
}

/// One event of a loop's history (§14, `collie log`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimelineEntry {
    /// Its number in the journal; of a row of readings that changed nothing only the last is kept.
    pub seq: u64,
    /// The run it happened in.
    pub run: RunId,
    /// When it was applied.
    pub at: Time,
    /// What happened: the name of the event as it is persisted; `created` and `rebuilt` come from the store,
    /// `engine` is a change that no event led to.
    pub event: String,
    /// The state before; none for the first entry. Of events applied together the last shows the move.
    pub from: Option<State>,
    /// The state after.
    pub to: State,
    /// What was asked for.
    pub effects: Vec<TimelineEffect>,
    /// Remarks.
    pub notes: Vec<Note>,
}

/// An entry of the journal with what a replay needs (§14, `collie replay`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEntry {
    /// What the timeline shows of it.
    pub entry: TimelineEntry,
    /// What it was decided from; none where it was written before that was kept, or was let go of since.
    pub recorded: Option<RecordedStep>,
}

/// An effect as the timeline shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEffect {
    /// Its id.
    pub id: EffectId,
    /// Its name as it is persisted: `review`, `say`, …
    pub effect: String,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestStatus {
    /// No engine has taken it yet.
    Pending,
    /// Done.
    Done,
    /// Refused, and why.
    Refused(UserError),
}

/// A browser that is signed in to a server (§18.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserSession {
    /// The hash of its id, in hex: the id itself only the browser has.
    pub id_hash: String,
    /// Whose it is.
    pub account: AccountId,
    /// What that account was called.
    pub login: Login,
    /// When the person signed in.
    pub begun_at: Time,
    /// When it is over.
    pub expires_at: Time,
    /// The person's token, sealed with a key that is made of the id.
    pub sealed: Vec<u8>,
}

/// Sessions that end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndedSessions {
    /// The one with this hash.
    One(String),
    /// All of an account.
    OfAccount(AccountId),
}

/// A journal that could not be read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full.
    #[error(
        "the disk that holds the data folder is full: free some space, then start again; nothing was lost"
    )]
    DiskFull,
    /// A newer Collie wrote it.
    #[error(
        "{what} was written by a newer Collie (version {found}, this one knows {known}): update Collie, or use another COLLIE_HOME"
    )]
    NewerVersion {
        /// `the journal` or a checkpoint's name.
        what: String,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// It cannot be read.
    #[error(
        "{what} is damaged ({message}): it was kept aside; `collie doctor --rebuild` restores what the checkpoints know"
    )]
    Damaged {
        /// What.
        what: String,
        /// How it shows.
        message: String,
    },
    /// The database that keeps it gives no answer, and may again.
    #[error("{what}: the database does not answer: {message}")]
    Unreachable {
        /// What was tried.
        what: String,
        /// How that shows.
        message: String,
    },
    /// The loops that a data folder shows are kept in a database, which was not named.
    #[error("the loops of {} are in a database: name it by DATABASE_URL", folder.display())]
    InDatabase {
        /// The folder.
        folder: PathBuf,
    },
    /// The database that was named shows loops of another engine.
    #[error("the database shows loops of another engine than the data folder")]
    AnotherEngine,
    /// Anything else.
    #[error("{what}: {message}")]
    Failed {
        /// What was tried.
        what: String,
        /// What came of it.
        message: String,
    },
}

impl From<StoreError> for UserError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull => UserError::new(ErrorCode::DiskFull).hint(ErrorHint::FreeSpace),
            StoreError::NewerVersion { what, found, known } => UserError::new(ErrorCode::Newer)
                .with("what", what)
                .with("found", found)
                .with("known", known)
                .hint(ErrorHint::Update),
            // What is wrong with it is for the log.
            StoreError::Damaged { what, .. } => UserError::new(ErrorCode::Damaged)
                .with("what", what)
                .hint(ErrorHint::Rebuild),
            // Where it is, and how that shows, is for the log.
            StoreError::Unreachable { .. } => {
                UserError::new(ErrorCode::DatabaseUnreachable).hint(ErrorHint::CheckDatabase)
            }
            StoreError::InDatabase { folder } => UserError::new(ErrorCode::LoopsInDatabase)
                .with("folder", folder.display())
                .hint(ErrorHint::NameDatabase),
            StoreError::AnotherEngine => {
                UserError::new(ErrorCode::DatabaseOfAnotherEngine).hint(ErrorHint::NameDatabase)
            }
            StoreError::Failed { message, .. } => UserError::new(ErrorCode::Store)
                .with("message", message)
                .hint(ErrorHint::DataFolder),
        }
    }
}

/// The journal beside an engine or without one: read, with requests left for the engine and entries for the audit log (§10.2).
#[async_trait]
pub trait JournalReader: Send + Sync {
    /// Every loop's present state.
    async fn loops(&self) -> Result<Vec<LoopState>, StoreError>;

    /// The present state of one loop.
    async fn find(&self, id: &LoopId) -> Result<Option<LoopState>, StoreError>;

    /// What happened to a loop, oldest first; empty when it is not known.
    async fn timeline(&self, id: &LoopId) -> Result<Vec<TimelineEntry>, StoreError>;

    /// The same with what a replay needs, as far as it is kept.
    async fn recorded(&self, id: &LoopId) -> Result<Vec<RecordedEntry>, StoreError>;

    /// What became of a request that was left for the engine; none when there is no such request.
    async fn request_status(&self, request: u64) -> Result<Option<RequestStatus>, StoreError>;

    /// The number of the last journal entry, 0 when there is none: it grows whenever anything happens.
    async fn last_journal_seq(&self) -> Result<u64, StoreError>;

    /// What the user has decided for each repository.
    async fn trust(&self) -> Result<Vec<(RepositoryId, RepositoryTrust)>, StoreError>;

    /// Leaves a request for the engine.
    async fn add_request(
        &self,
        request: &LoopRequest,
        by: &Login,
        at: Time,
    ) -> Result<u64, StoreError>;

    /// What was spent, by day, in order (§15): by loops, and by commands beside the engine.
    async fn spending(&self) -> Result<Vec<DaySpending>, StoreError>;

    /// The pause of everything; none where nothing is paused (§15).
    async fn pause(&self) -> Result<Option<Pause>, StoreError>;

    /// Every run and what was spent, for figures over many of them (§13.8).
    async fn insights(&self) -> Result<InsightRows, StoreError>;

    /// The runs of a loop with what each came to, oldest first; empty when it is not known.
    async fn runs(&self, id: &LoopId) -> Result<Vec<LoopRun>, StoreError>;

    /// Whether a request from outside was taken already, by its id.
    async fn was_seen(&self, id: &str) -> Result<bool, StoreError>;

    /// Remembers requests from outside as taken, and forgets those from before a time; durable on return.
    async fn remember_seen(
        &self,
        ids: &[String],
        at: Time,
        forget_before: Time,
    ) -> Result<(), StoreError>;

    /// A browser that is signed in to a server, by the hash of its session's id.
    async fn browser_session(&self, id_hash: &str) -> Result<Option<BrowserSession>, StoreError>;

    /// Keeps a session for after a restart, and forgets those that are over by `now`; durable on return.
    async fn keep_browser_session(
        &self,
        session: &BrowserSession,
        now: Time,
    ) -> Result<(), StoreError>;

    /// Forgets sessions; durable on return. One that is not there is no error.
    async fn end_browser_sessions(&self, which: &EndedSessions) -> Result<(), StoreError>;

    /// Appends to the audit log (§9.6).
    async fn audit(&self, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Lets go of the files that are open for it. Dropping it is as safe.
    async fn close(&self);
}

/// What the process that holds a journal writes into it, whether it runs the loops or shows those of elsewhere.
#[async_trait]
pub trait JournalUpkeep: JournalReader {
    /// Lets go of what a replay needs of runs that ended before a time, and of nothing else; of how many entries. A run that has not ended
    /// keeps it.
    async fn forget_recordings(&self, ended_before: Time) -> Result<u64, StoreError>;

    /// Remembers that everything is paused, or no longer; durable on return.
    async fn set_pause(&self, pause: Option<&Pause>) -> Result<(), StoreError>;

    /// Requests of other processes that were not taken yet, oldest first.
    async fn requests(&self) -> Result<Vec<(u64, LoopRequest, Login)>, StoreError>;

    /// Marks a request as done, with the answer for people when it was refused.
    async fn finish_request(
        &self,
        request: u64,
        refusal: Option<&UserError>,
    ) -> Result<(), StoreError>;
}

/// The journal of the process that runs the engine: it alone applies.
#[async_trait]
pub trait Journal: JournalUpkeep {
    /// Makes a loop; nothing when there is one with this identity.
    async fn create(&self, state: &LoopState, by: &Login, at: Time) -> Result<bool, StoreError>;

    /// Stores events before anything acts on them; durable on return. Their inbox numbers, in order.
    async fn receive(&self, events: &[(LoopId, Event)], at: Time) -> Result<Vec<u64>, StoreError>;

    /// Events that were received and not applied, in order.
    async fn unapplied(&self) -> Result<Vec<(u64, LoopId, Event)>, StoreError>;

    /// Writes what events came to, all in one transaction, then the checkpoints.
    async fn apply(&self, applied: &[AppliedStep]) -> Result<(), StoreError>;

    /// The outbox, in order.
    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError>;

    /// Notes that a body is about to be sent; durable on return.
    async fn mark_sending(
        &self,
        effect: &EffectId,
        rendered: &RenderedPost,
    ) -> Result<(), StoreError>;

    /// Remembers what the user has decided for a repository; durable on return.
    async fn set_trust(
        &self,
        id: &RepositoryId,
        trust: &RepositoryTrust,
        at: Time,
    ) -> Result<(), StoreError>;

    /// What loops have spent, by day, in order: without what commands did.
    async fn loop_spending(&self) -> Result<Vec<DaySpending>, StoreError>;

    /// What commands beside the engine have spent, and what their questions may still come to.
    async fn command_spending(&self, now: Time) -> Result<Vec<CommandSpending>, StoreError>;
}

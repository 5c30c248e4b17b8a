//! What the engine needs of the outside world, one file a port. Others implement it; nothing here can merge (§11).

mod accounts;
mod audit;
mod clock;
mod command_spending;
mod elsewhere;
mod gates;
mod git;
mod github;
mod journal;
mod moving;
mod policy_source;
mod projection;
mod renderer;
mod review_memory;
mod session_meter;
mod sessions;
mod transfer;

pub use accounts::{AccountStore, AccountToken, AccountTokens, NoAccounts, SealedAccount};
pub use audit::{AuditAction, AuditEntry, AuditSubject};
pub use clock::Clock;
pub use collie_core::post::{RenderedInlineComment, RenderedPost};
pub use command_spending::{CommandAsk, CommandLedger, CommandPayment, CommandSpending};
pub use elsewhere::{
    ElsewhereError, LookReason, LoopChanges, LoopsElsewhere, VersionedLoop, WorkElsewhere,
};
pub use gates::{GateRefusal, SyntaxChecker, Tamper, TamperLocation};
pub use git::{
    CleanWorktree, CommitMessage, ConflictTexts, DiffFile, DiskLimit, Git, GitError, GitRemote,
    LineRange, MergeConflict, MergedWorktree, PushOutcome, Shield, ShieldedConfig, VerifyRun,
    VettedChange, VettedMerge, WorktreePurpose, path_in_worktree,
};
pub use github::{GitHub, GitHubError, PollDepth, PullPoll, PullRef, ResolvedPull, WriteObstacle};
pub use journal::{
    AppliedStep, BrowserSession, DaySpending, EndedSessions, InsightRows, Journal, JournalReader,
    JournalUpkeep, LoopRequest, ModelSpending, OutboxEntry, RecordedEntry, RequestStatus,
    StoreError, TimelineEffect, TimelineEntry,
};
pub use moving::{Adopted, HandedLoop, LoopMover, MovableJournal, ReleasedLoop};
pub use policy_source::{EffectivePolicy, PolicySource, PrepareStep, VerifyPlan};
pub use projection::{
    ProjectedChange, ProjectedStep, ProjectionJournal, ProjectionPlace, ProjectionProgress,
};
pub use renderer::Renderer;
pub use review_memory::{MemoryKey, ReviewMemory};
pub use session_meter::{BudgetAccount, Reservation, SessionMeter};
pub use sessions::{
    EarlierAttempt, FixRequest, FixResponse, Fixer, ReviewRequest, ReviewResponse, Reviewers,
};
pub use transfer::{ChangeTransfer, CommitTransfer, MAX_COMMIT_PACK};

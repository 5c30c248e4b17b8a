//! What crosses to the UI and to scripts: one shape for a loop, everywhere (§14).
//!
//! **Architecture invariant.** Names here are a promise to others: a field is added, never renamed. Nothing here knows a language; texts
//! for people are handed in.

mod exit_status;
mod held;
mod json_lines;
mod replay_lines;
pub mod rpc;
mod view;

pub use collie_core::error_code::ErrorCode;
pub use exit_status::{exit_status, worst_exit_status};
pub use held::{HeldKind, HeldPushView, HeldWriteView};
pub use json_lines::{ErrorLine, LogLine, WatchLine, note_text};
pub use replay_lines::{ReplayChange, ReplayLine, ReplayResult, ReplayedEvent};
pub use view::{
    BlockerView, BotLine, CheckLine, CiView, CoverageView, DismissalView, EarlierRunView,
    ErrorView, FindingView, LoopView, PersonLine, ProofCheck, ProofDismissal, ProofEjection,
    ProofFix, ProofMerge, ProofThread, ProofVerdict, ProofView, ReviewerStatus, ReviewerView,
    RoundView, StageView, StopView, TextRenderer, ThrottleView, UsageView,
};

#[cfg(test)]
mod tests;

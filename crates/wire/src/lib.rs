//! What crosses to the UI and to scripts: one shape for a loop, everywhere (§14).
//!
//! **Architecture invariant.** Names here are a promise to others: a field is added, never renamed. Nothing here knows a language; texts
//! for people are handed in.

mod lines;
pub mod rpc;
mod settled;
mod view;

pub use lines::{ErrorLine, Line, LogLine, effect_name, event_name, note_text};
pub use settled::{Standing, exit_status, settled, standing, worst};
pub use view::{
    BlockerView, BotLine, CheckLine, CiView, ErrorView, FindingView, LoopView, ProofCheck,
    ProofFix, ProofThread, ProofVerdict, ProofView, ReviewerStatus, ReviewerView, RoundView,
    StageView, Texts, UsageView,
};

#[cfg(test)]
mod tests;

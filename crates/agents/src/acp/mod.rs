//! Runs a coding agent for one turn over ACP, protocol version 1 (SPEC §6.1, §6.5).
//!
//! The agent is a child process in a group of its own. It gets a scrubbed environment without any GitHub token, is
//! offered neither files nor terminals of ours, and asks one table, [`tools`], for what its role may do. Whatever
//! happens (an answer, a failure, a deadline, a cancel, a panic, a dropped future), its whole process tree is ended.
//!
//! All that an agent says is untrusted text (§9.2), also in [`Progress`] and [`AgentFailure`]: the caller sanitizes it.
//! What it says it did is not believed: the caller looks at the tree of files.

mod child;
mod environment;
mod failure;
mod find;
mod group;
mod heard;
mod known;
mod lines;
mod policy;
mod processes;
mod run;
mod spec;
mod tail;
mod talk;
mod turn;

pub use environment::{Outside, outside};
pub use failure::AgentFailure;
pub use find::{Found, Login, SelfTest, find, self_test};
pub use group::end_left_behind;
pub use known::known;
pub use policy::{Refusal, Role, Tool, Why, tools};
pub use run::run;
pub use spec::{AgentSpec, AuthBy, FileHint, LoginHints, Modes};
pub use turn::{
    Limits, Progress, Resumption, StopReason, ToolState, ToolUse, Turn, TurnEnd, TurnUsage,
};

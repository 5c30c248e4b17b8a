//! The engine as it runs: the real store, git, rules and GitHub adapter around it, on the real forge, in one process.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod accounts;
mod agent_sessions;
mod autonomy;
mod base_merge;
mod blockers;
mod bot_consensus;
mod bots;
mod budget;
mod cancel;
mod checks;
mod convergence;
mod crash_recovery;
mod diffs;
mod feedback;
mod forks;
mod github_app;
mod github_faults;
mod identity;
mod independent_fixes;
mod linters;
mod many_loops;
mod memory;
mod merge_queue;
pub(crate) mod panel;
mod pause;
mod poll_budget;
mod push;
mod readings;
mod repository_config;
mod start;
mod trust;

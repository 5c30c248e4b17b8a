//! The real engine, store, git, rules and GitHub adapter on the real forge, in one process; the backend and the demo on them.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod backend;
mod blockers;
mod bots;
mod cancel;
mod checks;
mod config;
mod crash_recovery;
mod diffs;
mod github_faults;
mod many_loops;
mod panel;
mod playground;
mod push;
mod repository_config;
mod settings_form;
mod start;

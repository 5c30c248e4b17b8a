//! The real engine, store, git, rules and GitHub adapter on the real forge, in one process; the desk and the demo on them.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod bots;
mod cancel;
mod checks;
mod config;
mod desk;
mod desk_settings;
mod diffs;
mod faults;
mod harness;
mod many;
mod panel;
mod playground;
mod push;
mod restart;
mod settings;
mod start;
mod waits;

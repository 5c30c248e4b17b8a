//! The desk on the real engine, store, git and GitHub adapter, with the real forge, in one process.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod folders;
mod lists;
mod merging;
mod session;
mod signing;
mod stage;
mod toggle;
mod updates;
mod words;

//! The real engine, store, git, rules and GitHub adapter on the real forge, in one process.

mod bots;
mod cancel;
mod checks;
mod diffs;
mod faults;
mod harness;
mod many;
mod push;
mod restart;
mod settings;
mod start;
mod waits;

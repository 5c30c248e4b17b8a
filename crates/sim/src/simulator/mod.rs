//! The simulator: the real engine, journal, outbox and poller on one thread, with a simulated clock, GitHub, git, reviewers and fixer.
//!
//! A seed gives a schedule: what people do, what goes wrong, at which awaits the process dies. One seed gives one play, byte for byte; what
//! breaks a promise is shrunk to the few things that are needed for it. The model ([`crate::model`]) searches a small world to its end, the
//! simulator plays a large one by chance ([why](../../../docs/decisions/0047-a-simulator-of-the-engine.md)).

mod agenda;
mod check_files;
mod checks;
mod draw;
mod gate;
mod git_port;
mod github_port;
mod journal_port;
mod landing;
mod other_ports;
mod people;
mod play;
pub mod processor;
mod promises;
mod remote;
mod review_bot;
pub mod schedule;
mod sessions_port;
mod snapshot;
mod stage;
mod torn;

pub use play::{Played, play};

/// What a panic says that a schedule asks for.
const PLANNED_PANIC: &str = "a fault of the program, as planned";

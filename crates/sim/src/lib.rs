//! A model of loops, of GitHub and of crashes that is searched to the end: stateright calls the `step` that ships (§10, §17).
//!
//! [`world`] is GitHub and git as far as a loop can tell, [`host`] the engine's promises (journal, outbox, doubt), [`model`] what may happen
//! in which order, [`canonical`] which situations are the same, [`progress`] what stateright cannot say: that no wait is without an end.

#![forbid(unsafe_code)]

mod blank_snapshot;
pub mod bounds;
pub mod canonical;
pub mod host;
pub mod model;
pub mod progress;
mod sessions;
pub mod simulator;
pub mod world;

//! What tests share. Only `[dev-dependencies]` name this crate: nothing of it ships.
//!
//! [`repository`] says what a test starts from, [`forge`] puts it on a forge and plays the people there, [`wait`] waits. With the feature
//! `engine` there is the engine on that forge as well; what the engine is made of is then built first.

#[cfg(feature = "engine")]
pub mod engine;
pub mod forge;
pub mod git;
pub mod repository;
pub mod wait;

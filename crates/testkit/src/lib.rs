//! What tests share. Only `[dev-dependencies]` name this crate: nothing of it ships.
//!
//! [`wait`] waits, [`program`] writes programs. With the feature `forge`, `repository` says what a test starts from, and `forge` puts it on a forge and plays the people
//! there; with the feature `engine`, there is the engine on that forge as well; with `sandbox`, the program that sandboxes begin with; with `postgres`, a database. What a feature is made of is built first, so that a test
//! names what it needs and no more.

#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "forge")]
pub mod forge;
#[cfg(feature = "forge")]
pub mod git;
#[cfg(all(unix, feature = "postgres"))]
pub mod postgres;
#[cfg(unix)]
pub mod program;
#[cfg(feature = "forge")]
pub mod repository;
#[cfg(feature = "sandbox")]
pub mod sandbox;
pub mod wait;

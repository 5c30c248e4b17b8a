//! The git port on real repositories, in temporary folders, with nobody's configuration.

#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]

mod bring;
mod differ;
mod gate;
mod send;
mod shield;
mod world;

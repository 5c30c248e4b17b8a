//! The git port on real repositories, in temporary folders, with nobody's configuration.

#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]

mod commit_patch;
mod credentials;
mod diff;
mod disk;
mod fixture;
mod gate_cases;
mod gates;
mod lazy_checkout;
mod merges;
mod partial_clone;
mod prepare;
mod push;
mod reading;
mod recorder;
mod shield;
mod text_search;
mod transfer;
mod verify;

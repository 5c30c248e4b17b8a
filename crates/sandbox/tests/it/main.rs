//! The sandbox, tried on this machine.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]

mod missing;
mod network;
mod support;
mod walls;

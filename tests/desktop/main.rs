//! The real app in a real window, on the real forge: what a person does, from the first start to the merge.

#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]
#![cfg(target_os = "linux")]

mod around;
mod demo;
mod display;
mod own;
mod panel;
mod stage;
mod window;

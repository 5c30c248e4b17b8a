//! The server in one process with the real backend, engine, store and forge: what needs a clock or lifetimes of its own, or many cases.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod accounts;
mod fixture;
mod hooks;
mod sign_in;
mod streams;
mod webhook_property;

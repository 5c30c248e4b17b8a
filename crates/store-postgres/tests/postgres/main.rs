//! Views in PostgreSQL: the same behaviour as on SQLite, and what two servers on one database may rely on.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod behaviour;
mod conformance;
mod encrypted;
mod shared_database;
mod support;

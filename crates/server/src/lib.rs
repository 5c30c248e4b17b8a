//! Serves Collie to a team over HTTP: the window's own page and contract, the API for programs, the stream of what changes (§18.1).
//!
//! **Architecture invariant.** Nothing here can merge: no command, no call, and the crate that merges is not reached (§11). Each request
//! acts as a person, whom GitHub has vouched for; what they see and do is what GitHub lets them. The server's own account does the work.

mod access;
mod accounts;
mod api;
mod body;
mod device;
mod event_ring;
mod events;
mod guard;
mod in_flight;
mod limits;
mod mcp;
mod metrics;
mod monitoring;
mod openapi;
mod options;
mod pages;
mod peer;
mod people;
mod problem;
mod rpc;
mod runner_access;
mod runners;
mod sealed_token;
mod serve;
mod state;
mod visibility;
mod webhooks;

pub use options::{ServerOptions, WallClock};
pub use runner_access::RunnerAccess;
pub use serve::Server;

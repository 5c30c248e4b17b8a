//! Puts Collie together once, for every host: wiring, command bodies, the demo, the keychain.

pub mod accounts;
pub mod auth;
pub mod backend;
pub mod backup;
pub mod clock;
mod command_account;
pub mod demo;
pub mod doctor;
pub mod engine_client;
pub mod eval;
pub mod insights;
pub mod logging;
pub mod render;
pub mod replay;
pub mod review;
pub mod review_memory;
pub mod runner;
pub mod spending;
pub mod trust;
pub mod user_error;

pub use collie_git::help_git_if_asked;

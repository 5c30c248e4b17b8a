//! Puts Collie together once, for every host: wiring, command bodies, the demo, the keychain.

pub mod auth;
pub mod backend;
pub mod clock;
pub mod demo;
pub mod doctor;
pub mod engine_requests;
pub mod journal;
pub mod keychain;
pub mod local_engine;
pub mod logging;
pub mod loop_view;
pub mod policies;
pub mod remote_engine;
pub mod review;
pub mod user_error;

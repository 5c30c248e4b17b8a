//! Puts Collie together once, for every host: configuration, wiring, command bodies, words.

pub mod activity;
pub mod auth;
pub mod backend;
pub mod clock;
pub mod config;
pub mod data_paths;
pub mod demo;
pub mod doctor;
pub mod engine_requests;
pub mod keychain;
pub mod local_engine;
pub mod logging;
pub mod loop_view;
pub mod panel;
pub mod policies;
pub mod review;

//! The backend, the settings and the demo; what they stand on is real, forge included, in one process.
#![recursion_limit = "256"]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod autonomy;
mod backend;
mod config;
mod insights_csv;
mod playground;
mod repository_file;
mod settings_form;
mod settings_models;

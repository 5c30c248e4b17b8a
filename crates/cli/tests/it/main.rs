//! The real `collie` in processes of its own, on a forge in another.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod accounts;
mod action;
mod audit;
mod autonomy;
mod bad_input;
mod budget;
mod demo;
mod doctor_memory;
mod eval;
mod forge_access;
mod insights;
mod kill;
mod kill_agent;
mod kill_scenarios;
#[cfg(target_os = "linux")]
mod leaks;
mod models;
#[cfg(target_os = "linux")]
#[cfg(feature = "restate")]
mod moving;
mod own_process;
mod persons_word;
mod power_loss;
mod replay;
mod review;
mod review_again;
mod review_ci;
mod review_formats;
mod review_services;
mod rules;
mod runners;
mod runners_api;
mod second_process;
mod seen;
mod serve;
mod serve_as_app;
#[cfg(all(unix, feature = "restate"))]
mod serve_database;
#[cfg(feature = "restate")]
mod serve_elsewhere;
mod serve_faults;
mod serve_limits;
mod server_page;
mod standstill;
mod support;
#[cfg(feature = "restate")]
mod telemetry;
mod trust;
mod until_settled;
mod untrusted_output;
mod version_1;
#[cfg(feature = "restate")]
mod worker;
#[cfg(feature = "restate")]
mod worker_fleet;

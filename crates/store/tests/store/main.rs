//! The store as the engine and other processes use it.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod audit;
mod checkpoints;
mod commands;
mod damage;
mod durability;
mod insights;
mod memory;
mod moving;
mod power_loss;
mod processes;
mod projection;
mod recordings;
mod support;
mod trust;
mod version_1;
mod versions;

//! The forge as its callers see it.

mod bots;
mod checks;
mod faults;
mod git;
mod graphql;
mod playground;
mod rest;
mod restart;

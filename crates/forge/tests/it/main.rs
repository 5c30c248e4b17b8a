//! The forge as its callers see it.

mod bots;
mod checks;
mod faults;
mod fixture;
mod forks;
mod git;
mod graphql;
mod request_guard;
mod request_log;
mod rest;
mod restart;
mod tokens;

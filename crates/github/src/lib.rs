//! GitHub behind the engine's port: readings of pull requests, and posts (§3, §8).
//!
//! Architecture invariant: nothing here can merge (§11); a test reads the sources and queries for it. octocrab's types
//! do not leave this crate. A write is sent once: whether it arrived is settled by [`GitHub::find_posted`].
//!
//! [`GitHub::find_posted`]: collie_engine::ports::GitHub::find_posted

mod api;
mod breaker;
pub mod browse;
mod client;
mod complete;
mod config;
mod credentials;
mod evidence;
mod fault;
mod graphql;
mod observe;
mod post;
mod queries;
mod reading;
mod rules;
mod shape;
mod transport;

pub use client::GitHubClient;
pub use config::{ConnectError, Endpoint, GitHubConfig, PUBLIC_API};
pub use credentials::{FoundToken, Token, TokenOrigin, TokenSource};
pub use fault::{Fault, of_answer};

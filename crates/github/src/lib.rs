//! GitHub behind the engine's port: readings of pull requests, and posts (§3, §8).
//!
//! Architecture invariant: nothing here can merge (§11); a test reads the sources and queries for it. octocrab's types
//! do not leave this crate. A write is sent once: whether it arrived is settled by [`GitHub::find_posted`].
//!
//! [`GitHub::find_posted`]: collie_engine::ports::GitHub::find_posted

mod account_clients;
mod api_client;
mod api_fault;
mod app_session;
mod app_tokens;
mod base_checks;
mod branch_rules;
mod breaker;
pub mod browse;
mod check_evidence;
mod check_reruns;
mod client;
mod config;
mod credentials;
mod device_flow;
mod graphql;
mod host_schema;
mod measured_request;
mod merge_queue;
mod node_conversion;
mod nodes;
mod observation_cache;
mod observe;
mod permissions;
mod post;
mod pull_digest;
mod pull_lists;
mod queries;
mod query_batches;
mod quota;
mod recent_checks;
mod repository_token;
mod snapshot_builder;
mod token_rights;
mod transport;

#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod recorded_tests;

pub use api_fault::{ApiFault, classify_response};
pub use app_tokens::{AppCredentials, InvalidAppKey};
pub use client::GitHubClient;
pub use config::{ConnectError, Endpoint, GitHubConfig, PUBLIC_API};
pub use credentials::{GhAccount, Token, TokenOrigin, TokenSource, TokenWithOrigin, gh_accounts};
pub use device_flow::{DeviceAnswer, DeviceCode, DeviceFlow, DeviceFlowError};
pub use host_schema::{HostSchema, UnknownField, server_version};

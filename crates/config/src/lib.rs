//! Configuration (§12) and the data folder that it is read from: files, environment and flags are read into layers, and the layers are
//! resolved into one [`Config`] in one step. What is wrong is said with file, line and key.

mod config_file;
mod data_folder;
pub mod data_paths;
mod desktop;
mod error_kind;
mod file_tables;
mod layer;
mod live;
mod llm_settings;
mod mcp_servers;
mod models;
mod persona_files;
mod problem;
mod resolve;
mod runners;
mod table_reader;
mod tighten;
mod values;

#[cfg(test)]
mod fuzz_tests;

pub use config_file::ConfigFileError;
pub use data_folder::{DataFolder, DataFolderError};
pub use desktop::{DesktopConfig, Theme, WatchedRepository};
pub use error_kind::{ConfigErrorKind, DisplayedValue};
pub use layer::{ConfigFileKind, ConfigLayer, DiskLayer, LANGUAGES, PrepareLayer};
pub use live::{LiveConfig, needs_restart};
pub use llm_settings::{
    CONTEXT_TOKENS, DEFAULT_CONTEXT_TOKENS, DEFAULT_MAX_TOKENS, EFFORTS, HeaderSource, LlmLayer,
    LlmSettings, MAX_TOKENS, PROVIDERS,
};
pub use mcp_servers::{MCP_ROLES, MCP_TRANSPORTS, McpServerSettings, WebTransport};
pub use models::{
    AGENTS, AgentSettings, AppLayer, AppSettings, FixerSettings, PERSONAS, ReviewerSettings,
    parse_max_tokens,
};
pub use persona_files::{load_personas, user_persona_files};
pub use problem::{ConfigError, ConfigProblem, ConfigSource};
pub use resolve::{Config, DiskConfig, GITHUB_API_URL, RUNS_ON_LLM, RUNS_ON_RULES, host_of};
pub use runners::{RunnersConfig, RunnersLayer, WithoutRunner};
pub use tighten::{Tightened, tighten};
pub use values::parse_duration_ms;
pub use values::{
    AUTONOMY, BUDGET_TOKENS, Bounds, CHECKOUT_FILES, DISK_MEGABYTES, MAX_COMMENTS, MAX_DOLLARS,
    MAX_ITERATIONS, MAX_RESTARTS, MERGE_BASE, REPLAY_DAYS, SESSION_RETRIES, SLOTS, STRICTNESS,
    THEMES, UNSEEN, parse_temperature, parse_url,
};

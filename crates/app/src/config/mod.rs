//! Configuration (§12): files, environment and flags are read into layers, and the layers are
//! resolved into one [`Config`] in one step. What is wrong is said with file, line and key.

mod desktop;
mod folder;
mod layer;
mod live;
mod models;
mod problem;
mod resolve;
mod section;
mod tables;
mod values;
mod wrong;

pub use desktop::{Desktop, Theme, WatchedRepository};
pub use folder::FileError;
pub use layer::{FileKind, LANGUAGES, Layer, url_of as address};
pub use live::{LiveConfig, needs_restart};
pub use models::{
    AGENTS, AgentSettings, CONTEXT_TOKENS, FixerSettings, LlmLayer, LlmSettings, MAX_TOKENS,
    PERSONAS, PROVIDERS, ReviewerSettings, USUAL_CONTEXT_TOKENS, USUAL_MAX_TOKENS,
};
pub use problem::{ConfigError, Problem, Source};
pub use resolve::{Config, GITHUB_API_URL, LLM, RULES, host_of, known_bots, tighten};
pub use values::{
    Bounds, MAX_COMMENTS, MAX_ITERATIONS, MAX_RESTARTS, SESSION_RETRIES, SLOTS, STRICTNESS, THEMES,
    degrees,
};
pub use wrong::{Shown, Wrong};

//! Configuration (§12): files, environment and flags are read into layers, and the layers are
//! resolved into one [`Config`] in one step. What is wrong is said with file, line and key.

mod layer;
mod problem;
mod resolve;
mod section;
mod values;

pub use layer::{FileKind, LANGUAGES, Layer};
pub use problem::{ConfigError, Problem};
pub use resolve::{Config, GITHUB_API_URL, host_of, known_bots, tighten};

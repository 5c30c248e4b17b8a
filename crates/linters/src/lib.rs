//! The linters that a repository has configured: which ones, how they are called, and what they
//! print read into diagnostics with safe fixes.
//!
//! Everything here is a pure function: no files, no processes, no clock. A linter is an entry of
//! `table.toml`; code is only written for a format, not for a tool.

mod config;
mod diagnostic;
mod edit;
mod formats;
mod select;
mod source;
mod table;
mod text;

pub use config::is_linter_config;
pub use diagnostic::{Diagnostic, Edit, ParseError, Severity};
pub use edit::{apply, line_replacement};
pub use formats::parse;
pub use select::{SelectedLinter, files_to_read, select};
pub use table::{Format, Linter, Scope, known_linters};

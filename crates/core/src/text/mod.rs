//! Pure treatment of text that comes from others or goes to others (§8.3, §9.2).
//!
//! **Architecture invariant.** Nothing here knows a language, a disk or an environment: secrets and folders are passed in.

mod defuse;
mod diffs;
mod paths;
mod secrets;
mod tail;
mod untrusted;

pub use defuse::{code_span, defuse, defuse_code, defuse_line};
pub use paths::{PathRefusal, hide_folders, safe_path};
pub use secrets::{REDACTED, redact};
pub use tail::{COMMENT_CHARS, TRUNCATED_COMMENT, cap, end_with_token, token_at_end};
pub use untrusted::{
    INJECTION, PROSE_CHARS, Sanitized, fence, log_tail, sanitize_code, sanitize_untrusted,
    suggestion,
};

pub use diffs::DIFF_REDACTED;

#[cfg(test)]
mod tests;

/// Compiles a pattern that is written in this module.
fn pattern(text: &str) -> regex::Regex {
    regex::Regex::new(text).expect("the pattern is a literal that the tests compile")
}

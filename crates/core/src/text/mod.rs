//! Pure treatment of text that comes from others or goes to others (§8.3, §9.2).
//!
//! **Architecture invariant.** Nothing here knows a language, a disk or an environment: secrets and folders are passed in.

mod comment_footer;
mod diffs;
mod neutralize;
mod paths;
mod secrets;
mod untrusted;
mod visible;

pub use comment_footer::{
    MAX_COMMENT_CHARS, TRUNCATION_MARK, append_token, trailing_token, truncate_comment,
};
pub use neutralize::{
    code_span, neutralize_code, neutralize_line, neutralize_markdown, suggestion_block,
};
pub use paths::{PathError, hide_folders, safe_path};
pub use secrets::{REDACTED, redact};
pub use untrusted::{
    INJECTION_REMOVED, MAX_PROSE_CHARS, Sanitized, fence_as_text, log_tail, sanitize_code,
    sanitize_untrusted,
};

pub use diffs::DIFF_REDACTED;
pub use visible::{JsonEscapeWriter, UntrustedText, escape_json, visible_block, visible_line};

#[cfg(test)]
mod tests;

/// Compiles a pattern that is written in this module.
fn pattern(text: &str) -> regex::Regex {
    regex::Regex::new(text).expect("the pattern is a literal that the tests compile")
}

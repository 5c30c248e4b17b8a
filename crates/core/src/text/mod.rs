//! Pure treatment of text that comes from others or goes to others (§8.3, §9.2).
//!
//! **Architecture invariant.** Nothing here knows a language, a disk or an environment: secrets and folders are passed in.

mod comment_footer;
mod diffs;
mod known_secrets;
mod neutralize;
mod paths;
mod prose;
mod randomness;
mod secret_forms;
mod secret_scan;
mod secrets;
mod untrusted;
mod visible;
mod word_overlap;

pub use comment_footer::{
    MAX_COMMENT_CHARS, TRUNCATION_MARK, append_token, trailing_token, truncate_comment,
};
pub use known_secrets::KnownSecrets;
pub use neutralize::{
    code_span, neutralize_code, neutralize_line, neutralize_markdown, neutralize_plain,
    suggestion_block,
};
pub use paths::{PathError, hide_folders, safe_path};
pub use prose::plain_prose;
pub use secret_forms::{SecretForm, secret_form, secret_forms};
pub use secret_scan::{FoundSecret, find_secrets, is_placeholder};
pub use secrets::{REDACTED, redact, redact_keeping_lines};
pub(crate) use untrusted::without_invisible_escapes;
pub use untrusted::{
    INJECTION_REMOVED, MAX_PROSE_CHARS, Sanitized, escape_invisible, fence_as_text, log_tail,
    sanitize_code, sanitize_untrusted, without_invisible,
};

pub use diffs::DIFF_REDACTED;
pub use visible::{JsonEscapeWriter, UntrustedText, escape_json, visible_block, visible_line};
pub use word_overlap::{overlap_permille, word_stems};

#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod tests;

/// Compiles a pattern that is written in this module.
fn pattern(text: &str) -> regex::Regex {
    regex::Regex::new(text).expect("the pattern is a literal that the tests compile")
}

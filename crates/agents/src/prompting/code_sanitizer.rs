//! Code of others, without what deceives.

use collie_core::text::{escape_invisible, sanitize_code};

/// What others may take for a line end would shift all that follows.
fn with_plain_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace(['\r', '\u{2028}', '\u{2029}', '\u{85}'], " ")
}

/// Text of code that no longer deceives; it keeps its number of lines.
pub(super) fn sanitized_code_text(text: &str) -> String {
    sanitize_code(&with_plain_line_ends(text)).text
}

/// Text of code as a model is to see it: what nobody sees, or what turns the order of others around, stands as an escape such as `\u{202e}`.
pub(super) fn escaped_code_text(text: &str) -> String {
    sanitized_code_text(&escape_invisible(&with_plain_line_ends(text)))
}

/// Phrases in code that speak to a model instead of to people.
pub(super) fn addresses_model(text: &str) -> bool {
    sanitize_code(text).injections > 0
}

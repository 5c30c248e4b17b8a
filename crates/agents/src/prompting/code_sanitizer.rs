//! Code of others, without what deceives.

use collie_core::text::sanitize_code;

/// Text of code that no longer deceives; it keeps its number of lines.
pub(super) fn sanitized_code_text(text: &str) -> String {
    // What others may take for a line end would shift all that follows.
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{2028}', '\u{2029}', '\u{85}'], " ");
    sanitize_code(&text).text
}

/// Phrases in code that speak to a model instead of to people.
pub(super) fn addresses_model(text: &str) -> bool {
    sanitize_code(text).injections > 0
}

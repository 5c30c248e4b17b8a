//! Texts of what is posted.

use super::RenderedPost;
use collie_core::post::Post;

/// Puts words to what is posted: language, markers, redaction and cap (§8).
pub trait Renderer: Send + Sync {
    /// The complete body or bodies.
    fn render(&self, post: &Post) -> RenderedPost;
}

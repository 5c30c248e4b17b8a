//! Posts in words, for the engine.

use collie_core::post::{Post, RenderedPost};

/// The renderer of posts behind the engine's port.
#[derive(Debug)]
pub struct PostRenderer(pub collie_i18n::Renderer);

impl collie_engine::ports::Renderer for PostRenderer {
    fn render(&self, post: &Post) -> RenderedPost {
        self.0.render(post)
    }
}

//! What hosts show, made of the domain and the words of one language.

pub mod loop_view;
pub mod post_renderer;
pub mod story;
pub mod timeline;
pub mod worker_view;

//! What people read, in their language: the texts of `locales/` put around what the domain says.
//!
//! **Architecture invariant.** No sentence for people stands here; each is a key of `locales/en` and `locales/fr`.

mod drawing;
mod error_text;
mod feedback_body;
mod language;
mod localizer;
mod markdown;
mod persona_name;
mod post_body;
mod redactor;
mod renderer;
mod review_report;

pub use language::Language;
pub use localizer::Localizer;
pub use persona_name::persona_name;
pub use redactor::Redactor;
pub use renderer::{Renderer, fixer_note, render_post};

#[cfg(test)]
mod glossary;
#[cfg(test)]
mod tests;

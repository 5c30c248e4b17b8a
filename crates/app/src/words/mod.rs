//! What people read, in their language: the texts of `locales/` put around what the domain says.
//!
//! **Architecture invariant.** No sentence for people stands here; each is a key of `locales/en` and `locales/fr`.

mod body;
mod language;
mod pieces;
mod posts;
mod speech;

pub use language::Language;
pub use posts::{Private, Words};
pub use speech::Speech;

#[cfg(test)]
mod tests;

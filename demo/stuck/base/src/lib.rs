//! Keeps a token in a file.

mod files;

pub use files::{load, save};

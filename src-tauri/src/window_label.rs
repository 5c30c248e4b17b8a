//! The window's label, by which Tauri knows it.

/// The one window.
pub const MAIN: &str = "main";

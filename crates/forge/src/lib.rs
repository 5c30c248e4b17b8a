//! anyhow

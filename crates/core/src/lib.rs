//! serde

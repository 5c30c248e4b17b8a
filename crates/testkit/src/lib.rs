//! What tests share. Only `[dev-dependencies]` name this crate: nothing of it ships.

pub mod engine;

//! The store as the engine and other processes use it.

mod durability;
mod support;

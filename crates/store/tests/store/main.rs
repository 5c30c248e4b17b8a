//! The store as the engine and other processes use it.

mod audit;
mod checkpoints;
mod damage;
mod durability;
mod processes;
mod support;
mod versions;

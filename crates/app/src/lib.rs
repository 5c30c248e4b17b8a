//! Puts Collie together once, for every host: configuration, wiring, command bodies, words.

pub mod clock;
pub mod config;
pub mod home;
pub mod policies;
pub mod trace;

//! The engine of a data folder: put together here, or followed where another process runs it.

pub mod journal;
pub mod local;
pub mod policies;
pub mod remote;
pub mod requests;

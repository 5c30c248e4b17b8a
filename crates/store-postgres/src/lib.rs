//! Views of loops that live elsewhere, in PostgreSQL, for any number of servers (§18.5, docs/decisions/0056).
//!
//! Only what can be told anew lies here, and browsers' sessions: a database that was lost is filled from the engine. States and events are
//! written as the SQLite journal writes them (`collie_store::format`).
//!
//! **Architecture invariant.** Whoever writes locks the one row of `projection` first, which says which database this is and whose loops it
//! shows: writes follow one another, and each sees the versions that the one before it wrote.

mod error;
mod insights;
mod journal;
mod place;
mod projection;
mod reader;
mod sessions;
mod spending;
mod write;

pub use place::{PostgresPlace, UrlError};

//! Keeps what Collie knows: the SQLite journal (§10.1), its locks (§10.2), checkpoints (§10.3) and the audit log (§9.6).
//!
//! The journal is the only truth. A checkpoint is a copy of one loop's state for people and for the day the
//! database is lost; it is written after the commit, by a thread of its own, and written again at the next
//! start where it lags. Nothing secret is stored here (§9.4): the types of the domain hold none.
//!
//! **Growth.** Most events are readings of GitHub, each a whole pull request, one a minute. Once applied, a
//! reading's text is needed for a replay alone: the state holds what counts, and the next reading says it all
//! anew. So it is recorded as a difference, and let go of some time after its run has ended, while the text of
//! every other event stays. A reading that changed nothing also leaves no line of its own: of a row of such
//! readings the journal keeps the last. What grows is the number of things that happened.

mod apply;
mod atomic_file;
mod audit;
mod audit_chain;
mod backup;
mod batch;
mod before_step;
mod browser_sessions;
mod checkpoint;
mod command_spending;
mod db;
mod difference;
mod error;
pub mod format;
mod integers;
mod journal;
mod lock;
mod memory_files;
mod moving;
mod own_accounts;
mod paths;
mod pause;
mod persisted;
mod projection;
mod rebuild;
mod recordings;
mod runs;
mod salvage;
mod seen;
mod spending;
mod store;
mod time;
mod timeline;
mod timeline_columns;
mod write_connection;
mod writer;

pub use audit::verify_audit;
pub use audit_chain::{AuditFault, AuditFaultKind, AuditReport};
pub use backup::{check_journal, copy_audit, copy_journal};
pub use error::OpenError;
pub use lock::{RunningEngine, running_engine};
pub use memory_files::MemoryFiles;
pub use paths::StorePaths;
pub use rebuild::{RebuildReport, rebuild};
pub use store::{OpenMode, Store};

#[cfg(test)]
mod fuzz_tests;

//! The one call in Collie that merges (§11).
//!
//! Architecture invariants: only the desktop shell depends on this crate, which a test on `cargo metadata` holds; a merge
//! takes a [`HumanConsent`], which one click makes and one merge uses up; the call is sent at most once for it.

mod audit;
mod checks;
mod completed_merge;
mod consent;
mod gate;
mod http_client;
mod merge_snapshot;
mod refusal;

pub use audit::AuditSink;
pub use completed_merge::CompletedMerge;
pub use consent::{ConfirmedMerge, HumanConsent};
pub use gate::MergeGate;
pub use refusal::{MergeError, MergeRefusal};

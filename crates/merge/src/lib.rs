//! The one call in Collie that merges (§11).
//!
//! Architecture invariants: only the desktop shell depends on this crate, which a test on `cargo metadata` holds; a merge
//! takes a [`HumanConsent`], which one click makes and one merge uses up; the call is sent at most once for it.

mod audit;
mod checks;
mod consent;
mod exchange;
mod gate;
mod look;
mod refusal;

pub use audit::Audit;
pub use consent::{Confirmed, HumanConsent};
pub use gate::{MergeGate, Merged};
pub use refusal::{MergeError, Refusal};

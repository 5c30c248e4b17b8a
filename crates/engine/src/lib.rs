//! Moves loops: inbox → `core::step` → one transaction → outbox → effects, whose results are events again.
//!
//! **Architecture invariant.** Nothing is decided here: what an event means is `core::step`'s to say. One task applies all events, in
//! batches; everything else only brings it events. An event is durable before it is applied, and an effect before it is begun, so that a
//! crash at any instruction loses nothing. Nothing here can merge: no port has a method for it.

mod audit;
mod author_account;
mod autonomy;
mod backoff;
mod base_merge;
mod branch_lock;
mod check_reruns;
mod dispatch;
mod engine;
mod engine_config;
mod engine_ports;
mod findings;
mod fix;
mod handle;
mod independent_fixes;
mod outbox;
mod pause;
mod persons_word;
mod poll;
pub mod ports;
mod post;
mod reported;
mod repository_files;
mod review;
mod reviewing_bots;
mod session_deadline;
mod shared;
mod slots;
mod spending;
mod trust;
mod verify_plan;

pub use autonomy::push_to_approve;
pub use engine::{Engine, EngineError};
pub use engine_config::EngineConfig;
pub use engine_ports::Ports;
pub use handle::{CommandError, EngineHandle, StartError};
pub use reported::ChangeUrgency;
pub use review::{ReviewOutcome, ReviewTask, run_review};
pub use slots::SlotUsage;

//! Moves loops: inbox → `core::step` → one transaction → outbox → effects, whose results are events again.
//!
//! **Architecture invariant.** Nothing is decided here: what an event means is `core::step`'s to say. One task applies all events, in
//! batches; everything else only brings it events. An event is durable before it is applied, and an effect before it is begun, so that a
//! crash at any instruction loses nothing. Nothing here can merge: no port has a method for it.

mod applied_event;
mod audit;
mod author_account;
mod autonomy;
mod backoff;
mod base_merge;
mod branch_lock;
mod check_reruns;
mod command_error;
mod dispatch;
mod effect_host;
mod effect_run;
mod engine;
mod engine_config;
mod engine_ports;
mod findings;
mod fix;
mod handle;
mod history;
mod independent_fixes;
mod loop_command;
mod loop_start;
mod outbox;
mod pause;
mod persons_word;
mod poll;
pub mod ports;
mod post;
mod post_queue;
mod reading;
mod reported;
mod repository_files;
mod review;
mod reviewing_bots;
mod session_deadline;
mod shared;
mod slots;
mod spending;
mod telemetry;
mod trust;
mod verify_plan;

pub use applied_event::{AppliedEvent, apply_event};
pub use autonomy::wait_until_allowed;
pub use effect_host::{EffectHost, SendPermit, pull_ref, remote};
pub use effect_run::{panic_outcome, run_effect};
pub use engine::{Engine, EngineError};
pub use engine_config::EngineConfig;
pub use engine_ports::{EffectPorts, Ports};
pub use handle::{CommandError, EngineHandle};
pub use history::{Happened, HistoryEntry, state_digest};
pub use loop_command::{LoopCommand, push_to_approve, start_again};
pub use loop_start::{Permission, StartError, check_permission, is_allowed, new_loop};
pub use reading::{
    PaidReadings, ReadingContext, pay_for_readings, postponed_event, pull_poll, reading_event,
};
pub use reported::{ChangeUrgency, ReportedChange};
pub use review::{ReviewOutcome, ReviewTask, run_review};
pub use reviewing_bots::seen_reviewing;
pub use slots::SlotUsage;
pub use telemetry::TELEMETRY;
pub use trust::{trust_changed, trust_entry};

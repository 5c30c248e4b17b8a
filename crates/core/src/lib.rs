//! The domain of Collie: lifecycle, findings, consensus, convergence.
//!
//! **Architecture invariant.** Nothing here does I/O, reads a clock, spawns or fails: [`step::step`] takes a state, an event and
//! the time, and returns the state after it and the effects it asks for. Maps are ordered and numbers are whole, so that states can be
//! compared and model-checked.

pub mod agreement;
pub mod attention;
pub mod auto_start;
pub mod autonomy;
pub mod backoff;
pub mod base_merge;
pub mod blocker;
pub mod bots;
pub mod budget;
pub mod change_map;
pub mod changes;
pub mod check_failures;
pub mod check_history;
pub mod ci;
pub mod code_context;
pub mod command;
pub mod comments;
pub mod consensus;
pub mod coverage;
pub mod effect;
pub mod error_code;
pub mod event;
pub mod evidence;
pub mod failure_cause;
pub mod file_marks;
pub mod finding;
pub mod finding_page;
pub mod fix;
#[cfg(test)]
mod fuzz_tests;
pub mod head_branch;
pub mod held;
pub mod identity;
pub mod ids;
pub mod insights;
pub mod lifecycle;
pub mod linter_run;
pub mod look_record;
pub mod loop_state;
pub mod merge_method;
pub mod merge_queue;
pub mod note;
pub mod own_accounts;
pub mod panel_state;
pub mod pause;
pub mod policy;
pub mod poll_budget;
pub mod post;
pub mod queue_place;
pub mod reading_times;
pub mod replay;
pub mod review;
pub mod review_memory;
mod round_summary;
pub mod session;
pub mod snapshot;
pub mod snapshot_summary;
pub mod step;
#[cfg(test)]
mod test_support;
pub mod text;
pub mod token;
pub mod token_right;
pub mod tracked_finding;
pub mod trust;
pub mod usage;
pub mod user_error;

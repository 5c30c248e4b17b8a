//! Loops on the durable engine Restate (§18.5): each is a virtual object, and workers run its effects.
//!
//! **Architecture invariant.** Nothing is decided here: what an event comes to is `collie_engine::apply_event`'s to say, and what an effect
//! does is `collie_engine::run_effect`'s, as in the engine of one process. Here is only who keeps the state and who runs what when. No
//! session of an agent or a model runs inside a journalled step: a worker takes it, says again and again that it has it, and answers with
//! an event.

mod branch_lock;
mod branch_object;
mod change_object;
mod command_service;
mod commit_object;
mod effect_service;
mod effect_span;
mod elsewhere;
mod fleet_account;
mod fleet_object;
mod ingress;
mod kept_entries;
mod live_loop;
mod loop_key;
mod loop_object;
mod loop_span;
mod messages;
mod mover;
mod outgoing;
mod post_object;
mod read_queue;
mod read_queue_object;
mod reading_schedule;
mod reading_service;
mod runtime;
mod session_admission;
mod session_service;
mod slot_object;
mod slot_queue;
mod spending_book;
mod spending_object;
mod start_service;
mod stored_loop;
mod stored_state;
mod travelling_commits;
mod watched_session;
mod work_board;
mod worker;

pub use elsewhere::RestateLoops;
pub use ingress::IngressError;
pub use loop_key::{InvalidLoopKey, LoopKey};
pub use worker::{Worker, WorkerError, WorkerParts};

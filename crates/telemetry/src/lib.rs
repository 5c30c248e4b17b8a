//! Traces and metrics by OpenTelemetry, for loops on many machines: what workers and the server do, sent by OTLP over HTTP.
//!
//! **Architecture invariant.** What is sent is only what was written for it: spans and events with the target [`TELEMETRY`]. All other
//! diagnostics may hold what people and models wrote, and never reach a collector. Whoever writes a span names things, and quotes nothing.
//!
//! All spans of a run are one trace, whose ids follow from the run's correlation id: no message has to carry them.

mod correlation_attributes;
mod export_client;
mod instruments;
mod loop_identity;
mod run_roots;
mod settings;
mod telemetry;

pub use collie_engine::TELEMETRY;
pub use loop_identity::{LoopIdentity, begin_run, join, link};
pub use settings::{TelemetryError, TelemetrySettings};
pub use telemetry::{Telemetry, TelemetryLayer};

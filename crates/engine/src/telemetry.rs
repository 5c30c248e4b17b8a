//! What of the diagnostics may leave the machine.

/// The target of spans and events that are written to be sent to whoever collects traces and metrics, by `collie_telemetry`. Their fields
/// name things: ids, kinds, outcomes, codes, numbers. None holds what a person or a model wrote, nor a secret, nor an error's words.
///
/// An event with a field `monotonic_counter.NAME`, `counter.NAME`, `gauge.NAME` or `histogram.NAME` is a metric of that name.
pub const TELEMETRY: &str = "telemetry";

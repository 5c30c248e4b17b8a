//! Which run a span belongs to: its trace follows from the run's correlation id.

use collie_core::ids::{LoopId, PullName, RunId};
use collie_core::loop_state::LoopState;
use collie_engine::TELEMETRY;
use opentelemetry::Context;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use sha2::{Digest as _, Sha256};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// What is hashed before a correlation id.
const DOMAIN: &str = "collie.trace:";
/// The name of the span that all others of a run hang below.
pub(crate) const ROOT_SPAN: &str = "run";

/// A run of a loop, as spans name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopIdentity {
    /// Of the run.
    pub correlation_id: RunId,
    /// Of the loop, as the engine keys it.
    pub loop_id: LoopId,
    /// Its pull request.
    pub pull: PullName,
}

impl LoopIdentity {
    /// That of a loop as it stands.
    pub fn of(state: &LoopState) -> Self {
        Self {
            correlation_id: state.run.id.clone(),
            loop_id: state.id.clone(),
            pull: state.pull_name(),
        }
    }

    fn context(&self) -> Context {
        let root = SpanContext::new(
            trace_id(&self.correlation_id),
            root_span_id(trace_id(&self.correlation_id)),
            TraceFlags::SAMPLED,
            true,
            TraceState::default(),
        );
        Context::new()
            .with_remote_span_context(root)
            .with_value(self.clone())
    }
}

/// The trace of a run: the first 16 bytes of the SHA-256 of `collie.trace:` and its correlation id.
pub(crate) fn trace_id(correlation_id: &RunId) -> TraceId {
    let digest = Sha256::digest(format!("{DOMAIN}{correlation_id}"));
    let mut id = [0; 16];
    id.copy_from_slice(&digest[..16]);
    TraceId::from_bytes(id)
}

/// The span that all others of a trace hang below: the last 8 bytes of the trace's id.
pub(crate) fn root_span_id(trace_id: TraceId) -> SpanId {
    let mut id = [0; 8];
    id.copy_from_slice(&trace_id.to_bytes()[8..]);
    SpanId::from_bytes(id)
}

/// Makes a span, before anything happens in it, one of a run. All spans below it name the run as well.
pub fn join(span: &Span, identity: &LoopIdentity) {
    // It fails where nothing is sent, and nothing is lost then.
    drop(span.set_parent(identity.context()));
}

/// Says that a span is about a run of another trace.
pub fn link(span: &Span, correlation_id: &RunId) {
    let trace_id = trace_id(correlation_id);
    span.add_link(SpanContext::new(
        trace_id,
        root_span_id(trace_id),
        TraceFlags::SAMPLED,
        true,
        TraceState::default(),
    ));
}

/// Says that a run has begun. Said twice of one run it is the same span.
pub fn begin_run(identity: &LoopIdentity) {
    join(&tracing::info_span!(target: TELEMETRY, ROOT_SPAN), identity);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_one_trace_wherever_it_is_asked_for() {
        let id = trace_id(&RunId::new("run-1"));
        // `printf collie.trace:run-1 | sha256sum`
        assert_eq!(id.to_string(), "c4991408cbab2cfb1687ee668202c05b");
        assert_eq!(root_span_id(id).to_string(), id.to_string()[16..]);
        assert_ne!(id, trace_id(&RunId::new("run-2")));
    }
}

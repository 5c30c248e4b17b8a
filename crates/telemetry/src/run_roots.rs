//! Gives the span of a run's beginning the id that all others of the trace hang below.

use crate::loop_identity::{ROOT_SPAN, root_span_id};
use opentelemetry::trace::{SpanContext, SpanId};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use std::time::Duration;

/// Exports by another exporter.
#[derive(Debug)]
pub(crate) struct RunRoots<E>(pub E);

impl<E: SpanExporter> SpanExporter for RunRoots<E> {
    fn export(&self, batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        self.0.export(batch.into_iter().map(rooted).collect())
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}

fn rooted(span: SpanData) -> SpanData {
    let own = &span.span_context;
    let root = root_span_id(own.trace_id());
    if span.name != ROOT_SPAN || span.parent_span_id != root {
        return span;
    }
    let state = own.trace_state().clone();
    SpanData {
        span_context: SpanContext::new(own.trace_id(), root, own.trace_flags(), false, state),
        parent_span_id: SpanId::INVALID,
        parent_span_is_remote: false,
        ..span
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry::InstrumentationScope;
    use opentelemetry::trace::{SpanKind, Status, TraceFlags, TraceId, TraceState};
    use opentelemetry_sdk::trace::{SpanEvents, SpanLinks};
    use std::time::SystemTime;

    fn span(name: &'static str, parent: SpanId) -> SpanData {
        let (trace, id) = (TraceId::from_bytes([7; 16]), SpanId::from_bytes([1; 8]));
        let context =
            SpanContext::new(trace, id, TraceFlags::SAMPLED, false, TraceState::default());
        SpanData {
            span_context: context,
            parent_span_id: parent,
            parent_span_is_remote: true,
            span_kind: SpanKind::Internal,
            name: name.into(),
            start_time: SystemTime::UNIX_EPOCH,
            end_time: SystemTime::UNIX_EPOCH,
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: InstrumentationScope::default(),
        }
    }

    #[test]
    fn the_runs_own_span_is_the_root_and_no_other_is_changed() {
        let (root, other) = (SpanId::from_bytes([7; 8]), SpanId::from_bytes([9; 8]));
        let run = rooted(span(ROOT_SPAN, root));
        assert_eq!(run.span_context.span_id(), root);
        assert_eq!(run.parent_span_id, SpanId::INVALID);
        for left in [span("apply", root), span(ROOT_SPAN, other)] {
            assert_eq!(rooted(left.clone()), left);
        }
    }
}

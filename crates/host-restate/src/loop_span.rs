//! Spans of what happens to a loop: that it begins, and that an event is applied.

use crate::loop_key::LoopKey;
use collie_core::event::Event;
use collie_core::ids::LoopId;
use collie_core::loop_state::LoopState;
use collie_engine::TELEMETRY;
use collie_engine::ports::LookReason;
use collie_telemetry::{LoopIdentity, begin_run, join};
use tracing::Span;

/// A loop was made, and with it its first run.
pub(crate) fn begun(state: &LoopState) {
    begin_run(&LoopIdentity::of(state));
}

/// An event is applied to a loop. What is left out when its handler is run again: the span begins after the last wait.
pub(crate) fn applying(before: &LoopState, event: &Event) -> Span {
    let kind = event.name();
    let span = tracing::info_span!(
        target: TELEMETRY,
        "apply",
        otel.name = format!("apply {kind}"),
        otel.kind = "consumer",
        collie.event_kind = kind,
    );
    join(&span, &LoopIdentity::of(before));
    tracing::event!(
        target: TELEMETRY,
        tracing::Level::INFO,
        monotonic_counter.collie.events.applied = 1_u64,
        collie.event_kind = kind,
    );
    span
}

/// It was applied. A new run has a trace of its own.
pub(crate) fn applied(before: &LoopState, after: &LoopState) {
    if before.run.id != after.run.id {
        begun(after);
    }
}

/// Somebody says that something has happened to a loop's pull request.
pub(crate) fn look(id: &LoopId, reason: LookReason, shown: Option<&LoopState>) -> Span {
    let (name, kind) = match reason {
        LookReason::Person => ("look", "person"),
        LookReason::Reported(_) => ("webhook delivery", "webhook"),
    };
    let span = tracing::info_span!(
        target: TELEMETRY,
        "look",
        otel.name = name,
        otel.kind = "producer",
        collie.loop_key = %LoopKey::from(id.clone()),
        collie.event_kind = kind,
    );
    if let Some(shown) = shown {
        join(&span, &LoopIdentity::of(shown));
    }
    span
}

/// Somebody asks something of a loop, or for one.
pub(crate) fn command(name: &'static str) -> Span {
    tracing::info_span!(
        target: TELEMETRY,
        "command",
        otel.name = format!("command {name}"),
        otel.kind = "producer",
        otel.status_code = tracing::field::Empty,
        collie.event_kind = name,
        "error.type" = tracing::field::Empty,
    )
}

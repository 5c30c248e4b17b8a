//! The span of one run of an effect, and what is counted of it.

use collie_core::event::{Answered, Event, Outcome};
use collie_core::ids::Time;
use collie_core::loop_state::LoopState;
use collie_engine::TELEMETRY;
use collie_engine::ports::{Clock, OutboxEntry};
use collie_telemetry::{LoopIdentity, join};
use std::sync::Arc;
use tracing::Span;
use tracing::field::Empty;

/// What an effect came to that another run of it has to answer, or that nobody wants any more.
const UNANSWERED: &str = "unanswered";
/// The same of one that was cancelled and had cost something.
const CANCELLED: &str = "cancelled";

/// One run of an effect, from its beginning.
pub(crate) struct EffectSpan {
    /// What belongs to it happens in this.
    pub span: Span,
    kind: &'static str,
    clock: Arc<dyn Clock>,
    begun: Time,
}

impl EffectSpan {
    /// Begins one; the first attempt is 1.
    pub fn begin(
        clock: &Arc<dyn Clock>,
        state: &LoopState,
        entry: &OutboxEntry,
        attempt: u32,
    ) -> Self {
        let kind = entry.effect.name();
        let span = tracing::info_span!(
            target: TELEMETRY,
            "effect",
            otel.name = format!("effect {kind}"),
            otel.kind = "consumer",
            otel.status_code = Empty,
            collie.effect_kind = kind,
            collie.effect_id = %entry.id,
            collie.attempt = attempt,
            collie.outcome = Empty,
            "error.type" = Empty,
        );
        join(&span, &LoopIdentity::of(state));
        // Before anything is done, so that one that did not end is counted too.
        tracing::debug!(
            effect_id = %entry.id,
            effect_kind = kind,
            attempt,
            pull = %state.pull_name(),
            "an effect begins"
        );
        if attempt > 1 {
            tracing::event!(
                target: TELEMETRY,
                tracing::Level::INFO,
                monotonic_counter.collie.retries = 1_u64,
                collie.retry_kind = "session",
            );
        }
        Self {
            span,
            kind,
            clock: clock.clone(),
            begun: clock.now(),
        }
    }

    /// Ends it with the event that answers the effect.
    pub fn end(self, event: Option<&Event>) {
        let (outcome, error) = match event {
            Some(Event::Answered(Answered { outcome, .. })) => {
                (outcome.name(), error_type(outcome))
            }
            Some(_) => (CANCELLED, None),
            None => (UNANSWERED, None),
        };
        self.span.record("collie.outcome", outcome);
        if let Some(error) = error {
            self.span.record("error.type", error);
            self.span.record("otel.status_code", "ERROR");
        }
        tracing::event!(
            target: TELEMETRY,
            tracing::Level::INFO,
            monotonic_counter.collie.effects = 1_u64,
            histogram.collie.effect.duration = seconds(self.begun, self.clock.now()),
            collie.effect_kind = self.kind,
            collie.outcome = outcome,
        );
    }
}

/// The time from one to another.
pub(crate) fn seconds(from: Time, to: Time) -> f64 {
    let passed = to.0.saturating_sub(from.0) as f64;
    passed / 1_000.0
}

/// The code of what went wrong: for programs, in no words.
fn error_type(outcome: &Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::ReviewFailed(failed)
        | Outcome::FixFailed(failed)
        | Outcome::VerifyFailed(failed)
        | Outcome::BaseMergeFailed(failed) => {
            Some(failed.failure.clone().into_error().code.as_str())
        }
        Outcome::ConfigInvalid(invalid) => Some(invalid.error.code.as_str()),
        Outcome::PushFailed(_) => Some("push_failed"),
        _ => None,
    }
}

//! Puts a run's names on every span of its trace, however deep: what makes the span need not know them.

use crate::loop_identity::LoopIdentity;
use opentelemetry::trace::Span as _;
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};
use std::time::Duration;

/// Puts a run's names on spans.
#[derive(Debug)]
pub(crate) struct CorrelationAttributes;

impl SpanProcessor for CorrelationAttributes {
    fn on_start(&self, span: &mut Span, cx: &Context) {
        let Some(identity) = cx.get::<LoopIdentity>() else {
            return;
        };
        let (pull, id) = (&identity.pull, &identity.loop_id);
        let loop_key = format!("{}/{}/{}", id.host, id.repo_id, id.number);
        let number = i64::try_from(pull.number).unwrap_or(i64::MAX);
        span.set_attributes([
            KeyValue::new("collie.correlation_id", identity.correlation_id.to_string()),
            KeyValue::new("collie.loop_key", loop_key),
            KeyValue::new("collie.repository", pull.repo.to_string()),
            KeyValue::new("collie.pull_number", number),
        ]);
    }

    fn on_end(&self, _span: SpanData) {}

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _timeout: Duration) -> OTelSdkResult {
        Ok(())
    }
}

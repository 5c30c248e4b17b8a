//! Waits between attempts that grow.

use crate::effect_host::EffectHost;
use crate::telemetry::TELEMETRY;
use collie_core::backoff::Backoff;

/// Waits after failures that may pass.
const BACKOFF: Backoff = Backoff {
    first_ms: 1_000,
    max_ms: 60_000,
};

/// Waits after a failure that others came right before.
pub(crate) async fn backoff(host: &dyn EffectHost, earlier_failures: u32) {
    tracing::event!(
        target: TELEMETRY,
        tracing::Level::INFO,
        monotonic_counter.collie.retries = 1_u64,
        collie.retry_kind = "request",
    );
    let clock = &host.ports().clock;
    let wait = BACKOFF.jittered_ms(earlier_failures.saturating_add(1), clock.jitter());
    clock.sleep_until(clock.now().plus(wait)).await;
}

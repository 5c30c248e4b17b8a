//! Waits between attempts that grow.

use crate::shared::EngineShared;

/// First wait after a failure that may pass; doubles up to [`MAX_WAIT_MS`].
const FIRST_WAIT_MS: u64 = 1_000;
const MAX_WAIT_MS: u64 = 60_000;

/// Waits as long as failures in a row ask for.
pub(crate) async fn backoff(shared: &EngineShared, failures: u32) {
    let wait = FIRST_WAIT_MS
        .saturating_mul(1 << failures.min(10))
        .min(MAX_WAIT_MS);
    let jitter = wait / 4 * u64::from(shared.ports.clock.jitter()) / 1000;
    shared
        .ports
        .clock
        .sleep_until(shared.ports.clock.now().plus(wait + jitter))
        .await;
}

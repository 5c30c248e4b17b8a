//! Time and randomness.

use async_trait::async_trait;
use collie_core::ids::{RunId, Time};

/// Time and randomness.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Time;

    /// Returns at that time, or at once when it is past.
    async fn sleep_until(&self, time: Time);

    /// Random thousandths, 0 to 999.
    fn jitter(&self) -> u16;

    /// A new run id.
    fn run_id(&self) -> RunId;
}

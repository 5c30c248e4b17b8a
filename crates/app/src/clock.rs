//! The clock of this machine.

use async_trait::async_trait;
use collie_core::ids::{RunId, Time};
use collie_engine::ports::Clock;
use std::time::Duration;

/// Real time and real randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// Longest single sleep: a clock that was set, or a laptop that slept, is noticed after it.
const MAX_SLEEP: Duration = Duration::from_secs(30);

/// The present moment.
pub fn now() -> Time {
    Time(jiff::Timestamp::now().as_millisecond())
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Time {
        now()
    }

    async fn sleep_until(&self, time: Time) {
        loop {
            let left = Duration::from_millis(time.since(now()));
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(MAX_SLEEP)).await;
        }
    }

    fn jitter(&self) -> u16 {
        rand::random_range(0..1000)
    }

    fn run_id(&self) -> RunId {
        RunId::new(uuid::Uuid::new_v4().to_string())
    }
}

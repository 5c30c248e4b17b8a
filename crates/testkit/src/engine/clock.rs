//! A clock under the test's hand: it runs like the machine's, and can be put forward.

use async_trait::async_trait;
use collie_app::clock::now;
use collie_core::ids::{RunId, Time};
use collie_engine::ports::Clock;
use std::time::Duration;
use tokio::sync::watch;

/// The machine's time plus what the test has skipped.
#[derive(Default)]
pub struct ManualClock {
    ahead_ms: watch::Sender<u64>,
}

impl ManualClock {
    /// Skips that much time; whoever sleeps notices.
    pub fn skip(&self, time: Duration) {
        let more = u64::try_from(time.as_millis()).expect("no test skips ages");
        self.ahead_ms.send_modify(|ahead| *ahead += more);
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Time {
        now().plus(*self.ahead_ms.borrow())
    }

    async fn sleep_until(&self, time: Time) {
        let mut skips = self.ahead_ms.subscribe();
        loop {
            let ahead = *skips.borrow_and_update();
            let left = time.since(now().plus(ahead));
            if left == 0 {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(left)) => {}
                _ = skips.changed() => {}
            }
        }
    }

    fn jitter(&self) -> u16 {
        0
    }

    fn run_id(&self) -> RunId {
        RunId::new(uuid::Uuid::new_v4().to_string())
    }
}

//! The deadline of a session.

use crate::ports::Clock;
use tokio_util::sync::CancellationToken;

/// How long a session gets to end its children.
pub(crate) const CHILD_GRACE_MS: u64 = 7_000;

/// Lets a session work until its deadline. When that passes, or `cancel` does, the session is told to stop and gets a little time to
/// end its children; then nothing comes back.
pub(crate) async fn with_deadline<T, F: Future<Output = T>>(
    clock: &dyn Clock,
    deadline_ms: u64,
    cancel: &CancellationToken,
    session: impl FnOnce(CancellationToken) -> F,
) -> Option<T> {
    let stop = cancel.child_token();
    let work = session(stop.clone());
    tokio::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return Some(done),
        () = cancel.cancelled() => {}
        () = sleep(clock, deadline_ms) => stop.cancel(),
    }
    // What it still says comes too late to be used.
    let _ = within(clock, CHILD_GRACE_MS, work).await;
    None
}

/// The most that one jump of the clock takes off a wait.
const SLICE_MS: u64 = 60_000;

/// Waits so long by the engine's clock. What passes while the machine sleeps counts as a little: a session slept along.
pub(crate) async fn sleep(clock: &dyn Clock, millis: u64) {
    let mut left = millis;
    while left > 0 {
        let slice = left.min(SLICE_MS);
        clock.sleep_until(clock.now().plus(slice)).await;
        left -= slice;
    }
}

/// What `work` comes to, unless it takes longer.
pub(crate) async fn within<T>(
    clock: &dyn Clock,
    millis: u64,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        done = work => Some(done),
        () = sleep(clock, millis) => None,
    }
}

/// What `work` comes to, unless it is cancelled first.
pub(crate) async fn unless<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        done = work => Some(done),
    }
}

#[cfg(test)]
mod tests {
    use super::with_deadline;
    use crate::ports::Clock;
    use async_trait::async_trait;
    use collie_core::ids::{RunId, Time};
    use std::sync::Mutex;
    use tokio_util::sync::CancellationToken;

    /// Time stands still but for whoever sleeps, for whom it passes at once.
    #[derive(Default)]
    struct SkippingClock(Mutex<Time>);

    #[async_trait]
    impl Clock for SkippingClock {
        fn now(&self) -> Time {
            *self.0.lock().expect("nobody panics")
        }

        async fn sleep_until(&self, time: Time) {
            // Whoever else is ready goes first.
            tokio::task::yield_now().await;
            *self.0.lock().expect("nobody panics") = time;
        }

        fn jitter(&self) -> u16 {
            0
        }

        fn run_id(&self) -> RunId {
            RunId::new("run")
        }
    }

    /// Says so much when it is told to stop.
    async fn late(stop: CancellationToken) -> &'static str {
        stop.cancelled().await;
        "late"
    }

    #[tokio::test]
    async fn what_a_session_says_after_its_deadline_is_not_used() {
        let go_on = CancellationToken::new();
        let clock = SkippingClock::default();
        let hour = 60 * 60_000;
        assert_eq!(with_deadline(&clock, hour, &go_on, late).await, None);
        let in_time = with_deadline(&clock, hour, &go_on, async |_| "in time").await;
        assert_eq!(in_time, Some("in time"));
    }

    #[tokio::test]
    async fn a_session_that_does_not_end_its_children_is_waited_for_so_long_by_the_clock() {
        let go_on = CancellationToken::new();
        let clock = SkippingClock::default();
        let never = async |_: CancellationToken| std::future::pending::<()>().await;
        assert_eq!(with_deadline(&clock, 1_000, &go_on, never).await, None);
        assert_eq!(clock.now(), Time(1_000 + 7_000));
    }
}

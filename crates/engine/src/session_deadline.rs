//! The deadline of a session.

use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a session gets to end its children.
pub(crate) const CHILD_GRACE: Duration = Duration::from_secs(7);

/// Lets a session work until its deadline. When that passes, or `cancel` does, the session is told to stop and gets a little time to
/// end its children; then nothing comes back.
pub(crate) async fn with_deadline<T, F: Future<Output = T>>(
    deadline_ms: u64,
    cancel: &CancellationToken,
    session: impl FnOnce(CancellationToken) -> F,
) -> Option<T> {
    let stop = cancel.child_token();
    let work = session(stop.clone());
    tokio::pin!(work);
    tokio::select! {
        done = &mut work => return Some(done),
        () = cancel.cancelled() => {}
        () = tokio::time::sleep(Duration::from_millis(deadline_ms)) => stop.cancel(),
    }
    // What it still says comes too late to be used.
    let _ = tokio::time::timeout(CHILD_GRACE, work).await;
    None
}

#[cfg(test)]
mod tests {
    use super::with_deadline;
    use tokio_util::sync::CancellationToken;

    /// Says so much when it is told to stop.
    async fn late(stop: CancellationToken) -> &'static str {
        stop.cancelled().await;
        "late"
    }

    #[tokio::test]
    async fn what_a_session_says_after_its_deadline_is_not_used() {
        let go_on = CancellationToken::new();
        assert_eq!(with_deadline(1, &go_on, late).await, None);
        let in_time = with_deadline(60_000, &go_on, async |_| "in time").await;
        assert_eq!(in_time, Some("in time"));
    }
}

//! The circuit breaker around readings (§3.2).

use crate::fault::Fault;
use collie_core::ids::Time;
use failsafe::FailurePolicy;
use failsafe::backoff::{self, Constant};
use failsafe::failure_policy::{self, ConsecutiveFailures};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Failures in a row that open it.
const FAILURES: u32 = 3;
/// How long it stays open.
const OPEN: Duration = Duration::from_secs(300);

/// Opens after three failures in a row, lets a try through after 300 s.
///
/// The policy is `failsafe`'s; the time is ours, since `failsafe`'s own state machine reads the system's clock, which
/// neither a test nor a laptop that slept agrees with.
pub(crate) struct Breaker(Mutex<Inner>);

struct Inner {
    policy: ConsecutiveFailures<Constant>,
    open_until: Option<Time>,
}

impl Breaker {
    /// A closed one.
    pub fn new() -> Self {
        let policy = failure_policy::consecutive_failures(FAILURES, backoff::constant(OPEN));
        Self(Mutex::new(Inner {
            policy,
            open_until: None,
        }))
    }

    /// Until when it is open; none when a call may be made.
    pub fn open_until(&self, now: Time) -> Option<Time> {
        self.inner().open_until.filter(|until| now < *until)
    }

    /// Records how a call went: only whether GitHub could be reached counts.
    pub fn note<T>(&self, outcome: &Result<T, Fault>, now: Time) {
        match outcome {
            Ok(_) => self.succeeded(),
            Err(Fault::Unreachable(_)) => self.failed(now),
            Err(
                Fault::Unauthorized
                | Fault::Forbidden(_)
                | Fault::NotFound(_)
                | Fault::Refused(_)
                | Fault::RateLimited(_)
                | Fault::Garbled(_)
                | Fault::BreakerOpen(_),
            ) => {}
        }
    }

    /// Records an answer.
    pub fn succeeded(&self) {
        let mut inner = self.inner();
        inner.policy.record_success();
        if inner.open_until.take().is_some() {
            inner.policy.revived();
        }
    }

    /// Records that there was none. The first failure after it was open opens it again.
    pub fn failed(&self, now: Time) {
        let mut inner = self.inner();
        if let Some(delay) = inner.policy.mark_dead_on_failure() {
            let millis = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
            inner.open_until = Some(now.plus(millis));
        }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_row_open_it_for_300_s_and_a_failed_try_opens_it_again() {
        let breaker = Breaker::new();
        let at = |seconds: i64| Time(seconds * 1_000);
        breaker.failed(at(0));
        breaker.failed(at(1));
        breaker.succeeded();
        breaker.failed(at(2));
        breaker.failed(at(3));
        assert_eq!(breaker.open_until(at(3)), None);
        breaker.failed(at(4));
        assert_eq!(breaker.open_until(at(4)), Some(at(304)));
        assert_eq!(breaker.open_until(at(303)), Some(at(304)));
        assert_eq!(breaker.open_until(at(304)), None);
        breaker.failed(at(305));
        assert_eq!(breaker.open_until(at(306)), Some(at(605)));
        assert_eq!(breaker.open_until(at(605)), None);
        breaker.succeeded();
        breaker.failed(at(606));
        breaker.failed(at(607));
        assert_eq!(breaker.open_until(at(608)), None);
    }
}

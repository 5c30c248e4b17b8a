//! The circuit breaker around readings (§3.2).

use crate::api_fault::ApiFault;
use collie_core::ids::Time;
use failsafe::FailurePolicy;
use failsafe::backoff::{self, Constant};
use failsafe::failure_policy::{self, ConsecutiveFailures};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Failures in a row that open it.
const FAILURE_THRESHOLD: u32 = 3;
/// How long it stays open.
const OPEN_DURATION: Duration = Duration::from_secs(300);

/// Opens after three failures in a row, lets a try through after 300 s.
///
/// The policy is `failsafe`'s; the time is ours, since `failsafe`'s own state machine reads the system's clock, which
/// neither a test nor a laptop that slept agrees with.
pub(crate) struct CircuitBreaker(Mutex<BreakerState>);

struct BreakerState {
    policy: ConsecutiveFailures<Constant>,
    open_until: Option<Time>,
}

impl CircuitBreaker {
    /// A closed one.
    pub fn new() -> Self {
        let policy = failure_policy::consecutive_failures(
            FAILURE_THRESHOLD,
            backoff::constant(OPEN_DURATION),
        );
        Self(Mutex::new(BreakerState {
            policy,
            open_until: None,
        }))
    }

    /// Until when it is open; none when a call may be made.
    pub fn open_until(&self, now: Time) -> Option<Time> {
        self.lock().open_until.filter(|until| now < *until)
    }

    /// Records how a call went: only whether GitHub could be reached counts.
    pub fn record<T>(&self, outcome: &Result<T, ApiFault>, now: Time) {
        match outcome {
            Ok(_) => self.record_success(),
            Err(ApiFault::Unreachable(_) | ApiFault::GaveUp(_)) => self.record_failure(now),
            Err(
                ApiFault::Unauthorized
                | ApiFault::Forbidden(_)
                | ApiFault::NotFound(_)
                | ApiFault::Gone(_)
                | ApiFault::Refused(_)
                | ApiFault::App(_)
                | ApiFault::UnknownField(_)
                | ApiFault::RateLimited(_)
                | ApiFault::InvalidResponse(_)
                | ApiFault::BreakerOpen(_),
            ) => {}
        }
    }

    /// Records an answer.
    pub fn record_success(&self) {
        let mut state = self.lock();
        state.policy.record_success();
        if state.open_until.take().is_some() {
            state.policy.revived();
        }
    }

    /// Records that there was none. The first failure after it was open opens it again.
    pub fn record_failure(&self, now: Time) {
        let mut state = self.lock();
        if let Some(delay) = state.policy.mark_dead_on_failure() {
            let millis = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
            state.open_until = Some(now.plus(millis));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BreakerState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_row_open_it_for_300_s_and_a_failed_try_opens_it_again() {
        let breaker = CircuitBreaker::new();
        let at = |seconds: i64| Time(seconds * 1_000);
        breaker.record_failure(at(0));
        breaker.record_failure(at(1));
        breaker.record_success();
        breaker.record_failure(at(2));
        breaker.record_failure(at(3));
        assert_eq!(breaker.open_until(at(3)), None);
        breaker.record_failure(at(4));
        assert_eq!(breaker.open_until(at(4)), Some(at(304)));
        assert_eq!(breaker.open_until(at(303)), Some(at(304)));
        assert_eq!(breaker.open_until(at(304)), None);
        breaker.record_failure(at(305));
        assert_eq!(breaker.open_until(at(306)), Some(at(605)));
        assert_eq!(breaker.open_until(at(605)), None);
        breaker.record_success();
        breaker.record_failure(at(606));
        breaker.record_failure(at(607));
        assert_eq!(breaker.open_until(at(608)), None);
    }
}

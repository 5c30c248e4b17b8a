//! Readings that GitHub's budget does not pay for now (§3.2).

use super::Transition;
use crate::event::PollPostponed;

impl Transition {
    /// Nothing was read, and nothing is known to have changed: what it waits for stands, only later.
    pub(super) fn poll_postponed(&mut self, postponed: &PollPostponed) {
        let PollPostponed {
            at,
            throttle,
            jitter_permille,
        } = postponed;
        if self.state.run.state.is_terminal() && self.state.run.polling.next_at.is_none() {
            return self.ignore("terminal");
        }
        let interval = self.state.poll_interval_ms();
        let spread = interval / 10 * u64::from((*jitter_permille).min(999)) / 1_000;
        let next = throttle.next_at(*at, interval).plus(spread);
        self.state.run.polling.next_at = Some(next);
        if self.state.run.state.is_terminal() {
            return;
        }
        self.state.run.polling.throttle = Some(throttle.clone());
    }
}

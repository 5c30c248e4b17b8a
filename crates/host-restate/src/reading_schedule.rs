//! When a loop's pull request is read next: by its state, or sooner where something is said to have happened.

use crate::messages::{ReadRequest, Timer};
use collie_core::ids::Time;
use collie_core::loop_state::LoopState;
use collie_engine::ReportedChange;
use collie_engine::ports::LookReason;
use serde::{Deserialize, Serialize};

/// A reading that is not there by then is asked for again.
const READING_GUARD_MS: u64 = 5 * 60_000;

/// When a loop is read next, and which timer counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReadingSchedule {
    /// Of the timer that counts.
    generation: u64,
    /// What that timer was set for; none where there is none.
    next_read: Option<Time>,
    is_reading: bool,
    /// Whether the queue of readings counts on the loop.
    is_watched: bool,
    /// What was said to have changed since the last reading began.
    #[serde(skip_serializing_if = "Option::is_none")]
    reported: Option<ReportedChange>,
    /// A person has asked since then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_hurried: bool,
}

/// A timer to be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadTimer {
    pub timer: Timer,
    pub after_ms: u64,
}

impl ReadingSchedule {
    /// Sets the timer of the next reading, where it is another one than is set.
    pub fn arm(&mut self, state: &LoopState, now: Time) -> Option<ReadTimer> {
        let next = self.due_at(state);
        if self.is_reading || next == self.next_read {
            return None;
        }
        self.next_read = next;
        self.generation += 1;
        next.map(|at| self.timer(at.since(now)))
    }

    /// The same of a loop that is not read here any more. Its number goes on, so that timers that are under way count no more.
    pub fn stopped(&self) -> Self {
        Self {
            generation: self.generation + 1,
            ..Self::default()
        }
    }

    /// When the next reading is due; never of a loop that is read no more.
    fn due_at(&self, state: &LoopState) -> Option<Time> {
        let at = state.run.polling.next_at?;
        if self.is_hurried {
            return Some(Time(0));
        }
        let reported = self.reported.map(|reported| reported.due_at(state));
        Some(reported.map_or(at, |reported| reported.min(at)))
    }

    /// Something is said to have happened. What is said while a reading is under way leads to another one after it.
    pub fn look(&mut self, state: &LoopState, reason: LookReason, now: Time) -> Option<ReadTimer> {
        state.run.polling.next_at?;
        match reason {
            LookReason::Person => self.is_hurried = true,
            LookReason::Reported(urgency) => {
                self.reported = Some(ReportedChange::said(self.reported, urgency, now));
            }
        }
        self.arm(state, now)
    }

    /// A reading was answered.
    pub fn answered(&mut self) {
        self.is_reading = false;
        // Whatever timer is set was its guard.
        self.next_read = None;
        self.generation += 1;
    }

    /// The timer has come: what is to be read, and the timer that asks again; nothing where it counts no more.
    pub fn came(&mut self, state: &LoopState, generation: u64) -> Option<(ReadRequest, ReadTimer)> {
        if generation != self.generation {
            return None;
        }
        self.is_reading = true;
        self.is_watched = true;
        self.next_read = None;
        self.generation += 1;
        let request = ReadRequest {
            loop_id: state.id.clone(),
            is_hurried: std::mem::take(&mut self.is_hurried),
            is_reported: self.reported.take().is_some(),
            is_first: state.run.polling.last_snapshot.at.is_none(),
            interval_ms: state.poll_interval_ms(),
        };
        Some((request, self.timer(READING_GUARD_MS)))
    }

    /// Whether a loop that was read is read no more: said once.
    pub fn has_ended(&mut self, state: &LoopState) -> bool {
        state.run.polling.next_at.is_none() && std::mem::take(&mut self.is_watched)
    }

    fn timer(&self, after_ms: u64) -> ReadTimer {
        let generation = self.generation;
        let timer = Timer::Read { generation };
        ReadTimer { timer, after_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_loop::tests::state;
    use collie_engine::ChangeUrgency;

    const NOW: Time = Time(10_000_000);
    const HOUR: u64 = 3_600_000;
    const REPORTED: LookReason = LookReason::Reported(ChangeUrgency::Now);

    /// A loop that was read just so long ago, and is read again in an hour.
    fn read_before(ms: u64) -> LoopState {
        let mut state = state();
        state.run.polling.last_snapshot.at = Some(NOW.minus(ms));
        state.run.polling.next_at = Some(NOW.plus(HOUR));
        state
    }

    fn after(timer: Option<ReadTimer>) -> Option<u64> {
        timer.map(|timer| timer.after_ms)
    }

    fn generation(timer: &ReadTimer) -> u64 {
        match timer.timer {
            Timer::Read { generation } => generation,
            _ => panic!("{timer:?}"),
        }
    }

    #[test]
    fn what_github_reports_is_read_at_once_and_many_words_come_to_one_reading() {
        let state = read_before(HOUR);
        let mut schedule = ReadingSchedule::default();
        assert_eq!(after(schedule.arm(&state, NOW)), Some(HOUR));
        let sooner = schedule.look(&state, REPORTED, NOW).expect("a timer");
        assert_eq!(sooner.after_ms, 0);
        assert_eq!(schedule.look(&state, REPORTED, NOW), None, "it is set");
        let (read, _guard) = schedule.came(&state, generation(&sooner)).expect("read");
        assert!(read.is_reported && !read.is_hurried);
        assert_eq!(schedule.came(&state, 1), None, "the hour's timer");
        // While it is read, more is said: that is read after it, no sooner than five seconds later.
        assert_eq!(schedule.look(&state, REPORTED, NOW), None);
        schedule.answered();
        let state = read_before(0);
        assert_eq!(after(schedule.arm(&state, NOW)), Some(5_000));
    }

    #[test]
    fn what_decides_nothing_waits_for_more_and_a_person_does_not() {
        let state = read_before(HOUR);
        let mut schedule = ReadingSchedule::default();
        schedule.arm(&state, NOW);
        let later = LookReason::Reported(ChangeUrgency::Later);
        assert_eq!(after(schedule.look(&state, later, NOW)), Some(30_000));
        let asked = schedule
            .look(&state, LookReason::Person, NOW)
            .expect("a timer");
        assert_eq!(asked.after_ms, 0);
        let (read, _guard) = schedule.came(&state, generation(&asked)).expect("read");
        assert!(read.is_hurried);
    }

    #[test]
    fn a_timer_that_was_overtaken_reads_nothing() {
        let mut state = state();
        let mut schedule = ReadingSchedule::default();
        assert_eq!(after(schedule.arm(&state, NOW)), Some(0));
        state.run.polling.next_at = Some(NOW.plus(60_000));
        assert_eq!(after(schedule.arm(&state, NOW)), Some(60_000));
        assert_eq!(schedule.arm(&state, NOW), None);
        assert_eq!(schedule.came(&state, 1), None);
        let (_, guard) = schedule.came(&state, 2).expect("read");
        assert_eq!(guard.after_ms, READING_GUARD_MS);
        assert_eq!(schedule.came(&state, 2), None);
        // While it is read, no other time counts.
        state.run.polling.next_at = Some(NOW);
        assert_eq!(schedule.arm(&state, NOW), None);
        // One that never comes is asked for again.
        assert!(schedule.came(&state, 3).is_some());
    }

    #[test]
    fn the_queue_hears_once_that_a_loop_is_read_no_more() {
        let mut state = read_before(HOUR);
        let mut schedule = ReadingSchedule::default();
        schedule.arm(&state, NOW);
        state.run.polling.next_at = None;
        assert!(!schedule.has_ended(&state), "it was never read");
        schedule.came(&state, 1).expect("read");
        schedule.answered();
        assert!(schedule.has_ended(&state));
        assert!(!schedule.has_ended(&state));
    }

    #[test]
    fn a_loop_that_has_ended_is_not_read() {
        let mut state = read_before(HOUR);
        state.run.polling.next_at = None;
        let mut schedule = ReadingSchedule::default();
        assert_eq!(schedule.look(&state, REPORTED, NOW), None);
        assert_eq!(schedule.look(&state, LookReason::Person, NOW), None);
        assert_eq!(schedule, ReadingSchedule::default());
    }
}

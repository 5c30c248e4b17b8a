//! Polls are stretched while GitHub's budget is short, say so, and are as before once it is there again.

use super::is_quiet;
use crate::event::{Event, PollPostponed};
use crate::ids::Time;
use crate::lifecycle::State;
use crate::poll_budget::{PollThrottle, RateResource};
use crate::step::step;
use crate::test_support::LoopFixture;

const MINUTE: u64 = 60_000;

fn throttle(w: &LoopFixture, stretch_permille: u64) -> PollThrottle {
    PollThrottle {
        resource: RateResource::Graphql,
        remaining: 1_200,
        limit: 5_000,
        resets_at: w.now.plus(30 * MINUTE),
        stretch_permille,
    }
}

fn read(w: &mut LoopFixture, throttle: Option<PollThrottle>) {
    w.snapshot.read_at = w.now;
    w.apply(&Event::observed_throttled(w.snapshot.clone(), throttle));
}

fn wait_ms(w: &LoopFixture) -> u64 {
    let next = w.state.run.polling.next_at.expect("a next reading");
    next.since(w.now)
}

fn postponed(w: &LoopFixture, throttle: PollThrottle) -> Event {
    Event::PollPostponed(PollPostponed {
        at: w.now,
        throttle,
        jitter_permille: 999,
    })
}

#[test]
fn a_short_budget_stretches_the_interval_of_a_loop_that_waits_and_of_one_that_is_ready() {
    let mut w = LoopFixture::new();
    w.poll();
    let slow = throttle(&w, 2_500);
    read(&mut w, Some(slow.clone()));
    assert_eq!(w.state.run.state, State::PrReviewing);
    assert_eq!(wait_ms(&w), 150_000);
    assert_eq!(w.state.run.polling.throttle, Some(slow.clone()));
    w.finish_review(&[]);
    read(&mut w, Some(slow));
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    assert_eq!(wait_ms(&w), 750_000);
    // The budget is there again: as configured, and nothing is said of it.
    read(&mut w, None);
    assert_eq!(wait_ms(&w), 300_000);
    assert_eq!(w.state.run.polling.throttle, None);
}

#[test]
fn a_postponed_reading_changes_nothing_but_when_it_is_made() {
    let mut w = LoopFixture::new();
    w.poll();
    let before = w.state.clone();
    let slow = throttle(&w, u64::MAX);
    let event = postponed(&w, slow.clone());
    w.apply(&event);
    let spread = wait_ms(&w) - 30 * MINUTE;
    assert!((1..MINUTE / 10).contains(&spread), "{spread}");
    assert_eq!(w.state.run.polling.throttle, Some(slow));
    assert_eq!(w.state.run.polling.failures, 0);
    assert_eq!(w.state.run.blocker, before.run.blocker);
    assert_eq!(w.state.outbox, before.outbox);
}

#[test]
fn the_first_stretched_reading_is_news_and_other_figures_are_none() {
    let mut w = LoopFixture::new();
    w.poll();
    w.advance(MINUTE);
    let again = |w: &LoopFixture, throttle| {
        let mut snapshot = w.snapshot.clone();
        snapshot.read_at = w.now;
        Event::observed_throttled(snapshot, throttle)
    };
    let mut slow = throttle(&w, 2_000);
    let first = again(&w, Some(slow.clone()));
    let done = step(&w.state, &first, w.now);
    assert!(!is_quiet(&w.state, &done));
    w.apply(&first);
    w.advance(2 * MINUTE);
    slow.remaining = 900;
    slow.stretch_permille = 3_000;
    let done = step(&w.state, &again(&w, Some(slow.clone())), w.now);
    assert!(is_quiet(&w.state, &done));
    assert_eq!(done.state.run.polling.throttle, Some(slow.clone()));
    let done = step(&w.state, &postponed(&w, slow), w.now);
    assert!(is_quiet(&w.state, &done));
    let done = step(&w.state, &again(&w, None), w.now);
    assert!(!is_quiet(&w.state, &done));
}

#[test]
fn a_loop_that_has_ended_is_not_postponed() {
    let mut w = LoopFixture::new();
    w.poll();
    w.snapshot.state = crate::snapshot::PullState::Merged;
    w.advance(MINUTE).poll();
    let slow = throttle(&w, u64::MAX);
    let event = postponed(&w, slow);
    w.apply(&event);
    assert_eq!(w.state.run.polling.next_at, None::<Time>);
    assert_eq!(w.state.run.polling.throttle, None);
}

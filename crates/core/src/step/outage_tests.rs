//! Work that meets an outage waits for its end, however long that takes.

use crate::blocker::Blocker;
use crate::effect::Effect;
use crate::error_code::ErrorCode;
use crate::event::{Event, Outage, Outcome, SessionFailed, SessionFailure};
use crate::ids::{EffectId, Time};
use crate::lifecycle::State;
use crate::test_support::{LoopFixture, finding};
use crate::user_error::UserError;

const MINUTE: u64 = 60_000;

fn failed(failure: SessionFailure) -> SessionFailed {
    SessionFailed {
        failure,
        usage: Default::default(),
    }
}

fn by(outage: Outage) -> SessionFailed {
    failed(SessionFailure::outage(
        outage,
        UserError::new(ErrorCode::Unreachable),
    ))
}

/// Begins the work that is asked for and has it fail; gives when it is asked for again.
fn fail_work(w: &mut LoopFixture, failure: SessionFailed) -> Option<Time> {
    let (id, effect) = w.find_effect(Effect::takes_slot).expect("work");
    let outcome = match effect {
        Effect::Review(_) => Outcome::ReviewFailed(failure),
        Effect::Fix(_) => Outcome::FixFailed(failure),
        Effect::Verify(_) => Outcome::VerifyFailed(failure),
        other => panic!("{other:?}"),
    };
    w.apply(&Event::answered(id, outcome));
    let (_, again) = w.find_effect(Effect::takes_slot)?;
    match again {
        Effect::Review(asked) => Some(asked.not_before),
        Effect::Fix(asked) => Some(asked.not_before),
        Effect::Verify(asked) => Some(asked.not_before),
        other => panic!("{other:?}"),
    }
}

fn at_work() -> [LoopFixture; 2] {
    let mut reviewing = LoopFixture::new();
    reviewing.poll();
    let mut fixing = LoopFixture::new();
    fixing.poll();
    fixing.finish_review(&[finding("a.rs", "unwrap", "x.unwrap()")]);
    assert!(
        fixing
            .find_effect(|e| matches!(e, Effect::Fix(_)))
            .is_some()
    );
    [reviewing, fixing]
}

#[test]
fn an_outage_never_ends_a_run_and_names_itself() {
    for mut w in at_work() {
        let state = w.state.run.state;
        for _ in 0..100 {
            let again = fail_work(&mut w, by(Outage::Unreachable { until: None }));
            assert_eq!(again, Some(w.now.plus(MINUTE)));
            assert_eq!(w.state.run.state, state);
            let until = w.now.plus(MINUTE);
            assert_eq!(w.state.run.blocker, Some(Blocker::Unreachable { until }));
            w.advance(MINUTE);
        }
        // The faults of the work itself are still counted from nothing.
        for _ in 0..3 {
            let fault = SessionFailure::transient(UserError::new(ErrorCode::LlmUnavailable));
            assert!(fail_work(&mut w, failed(fault)).is_some());
        }
        let fault = SessionFailure::transient(UserError::new(ErrorCode::LlmUnavailable));
        fail_work(&mut w, failed(fault));
        assert_eq!(w.state.run.state, State::Failed);
    }
}

#[test]
fn a_rate_limit_is_waited_out_until_its_reset_and_a_refused_token_until_a_person_acts() {
    for mut w in at_work() {
        let until = w.now.plus(50 * MINUTE);
        assert_eq!(
            fail_work(&mut w, by(Outage::RateLimited { until })),
            Some(until)
        );
        assert_eq!(w.state.run.blocker, Some(Blocker::RateLimited { until }));
        w.advance(50 * MINUTE);
        let again = fail_work(&mut w, by(Outage::Unauthorized));
        assert_eq!(again, Some(w.now.plus(MINUTE)));
        assert_eq!(w.state.run.blocker, Some(Blocker::Unauthorized));
        assert!(
            w.state
                .run
                .blocker
                .as_ref()
                .is_some_and(Blocker::needs_person)
        );
    }
}

#[test]
fn a_reading_meanwhile_does_not_hide_what_work_waits_for() {
    for mut w in at_work() {
        fail_work(&mut w, by(Outage::Unreachable { until: None }));
        let until = w.now.plus(MINUTE);
        w.advance(1_000);
        w.poll();
        assert_eq!(w.state.run.blocker, Some(Blocker::Unreachable { until }));
        w.advance(MINUTE);
        w.poll();
        let code = w.state.run.blocker.as_ref().map(Blocker::code);
        assert!(matches!(code, Some("reviewing" | "fixing")), "{code:?}");
    }
}

#[test]
fn an_outage_of_what_nobody_asked_for_changes_nothing() {
    let mut w = LoopFixture::new();
    w.poll();
    let before = w.state.outbox.clone();
    let unknown = EffectId::new("run-1-999999");
    let answer = Outcome::ReviewFailed(by(Outage::Unauthorized));
    w.apply(&Event::answered(unknown, answer));
    assert_eq!(w.state.outbox, before);
    assert_eq!(w.state.run.outage, None);
}

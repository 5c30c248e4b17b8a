//! Work that meets an outage, or a machine without a sandbox, waits for its end, however long that takes.

use super::step;
use crate::blocker::Blocker;
use crate::budget::{BudgetExceeded, BudgetScope, BudgetUnit};
use crate::effect::Effect;
use crate::error_code::ErrorCode;
use crate::event::{Event, Outage, Outcome, Rebased, SessionFailed, SessionFailure};
use crate::ids::{EffectId, Time};
use crate::lifecycle::State;
use crate::note::Note;
use crate::session::RefusedHosts;
use crate::test_support::{LoopFixture, finding, sha};
use crate::user_error::UserError;

const MINUTE: u64 = 60_000;

fn failed(failure: SessionFailure) -> SessionFailed {
    SessionFailed {
        failure,
        usage: Default::default(),
        refused_hosts: Default::default(),
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

fn without_sandbox(code: ErrorCode) -> SessionFailed {
    failed(SessionFailure::not_sandboxed(UserError::new(code)))
}

#[test]
fn a_missing_sandbox_ends_no_run_and_is_asked_for_again_until_somebody_has_mended_it() {
    for mut w in at_work() {
        let state = w.state.run.state;
        for code in [
            ErrorCode::SandboxMissing,
            ErrorCode::SandboxRefused,
            ErrorCode::SandboxNoLandlock,
            ErrorCode::SandboxUnsupported,
        ] {
            let again = fail_work(&mut w, without_sandbox(code));
            assert_eq!(again, Some(w.now.plus(MINUTE)));
            assert_eq!(w.state.run.state, state);
            let blocker = w.state.run.blocker.clone().expect("it waits");
            let error = UserError::new(code);
            assert_eq!(blocker, Blocker::NoSandbox { error });
            assert!(blocker.needs_person() && w.state.is_settled());
            // What GitHub shows meanwhile hides it as little as an outage.
            w.advance(1_000);
            w.poll();
            assert_eq!(w.state.run.blocker, Some(blocker));
            w.advance(MINUTE);
        }
        // It is there: the work goes on where it was, in the same run.
        w.poll();
        let code = w.state.run.blocker.as_ref().map(Blocker::code);
        assert!(matches!(code, Some("reviewing" | "fixing")), "{code:?}");
    }
}

fn over_budget(scope: BudgetScope, until: Option<Time>) -> SessionFailed {
    let exceeded = BudgetExceeded {
        scope,
        unit: BudgetUnit::CostMicros,
        limit: 5_000_000,
        spent: 4_900_000,
        needed: 400_000,
        until,
    };
    failed(SessionFailure::OverBudget { exceeded })
}

#[test]
fn work_that_a_days_budget_does_not_pay_waits_for_midnight_and_nobody() {
    for mut w in at_work() {
        let state = w.state.run.state;
        let midnight = w.now.plus(3_600_000);
        let again = fail_work(&mut w, over_budget(BudgetScope::Day, Some(midnight)));
        assert_eq!((again, w.state.run.state), (Some(midnight), state));
        let blocker = w.state.run.blocker.clone().expect("it waits");
        assert_eq!(blocker.code(), "budget");
        assert!(!blocker.needs_person() && !w.state.is_settled());
        // It is no failure of the work: however often it happens, no run ends by it.
        w.advance(3_600_000);
        for _ in 0..10 {
            let later = w.now.plus(MINUTE);
            fail_work(&mut w, over_budget(BudgetScope::Day, Some(later)));
            w.advance(MINUTE);
        }
        assert_eq!(w.state.run.state, state);
        w.poll();
        let code = w.state.run.blocker.as_ref().map(Blocker::code);
        assert!(matches!(code, Some("reviewing" | "fixing")), "{code:?}");
    }
}

#[test]
fn work_that_another_budget_does_not_pay_needs_a_person_and_looks_now_and_then() {
    for scope in [BudgetScope::PullRequest, BudgetScope::Total] {
        for mut w in at_work() {
            let again = fail_work(&mut w, over_budget(scope, None));
            assert_eq!(again, Some(w.now.plus(10 * MINUTE)));
            let blocker = w.state.run.blocker.clone().expect("it waits");
            assert!(blocker.needs_person() && w.state.is_settled());
            w.advance(1_000);
            w.poll();
            assert_eq!(
                w.state.run.blocker,
                Some(blocker),
                "a reading does not hide it"
            );
        }
    }
}

fn of_two_reviewers() -> LoopFixture {
    let mut w = LoopFixture::new();
    let reviewers = &mut w.state.run.configuration.policy.stages[0].reviewers;
    reviewers.push(crate::policy::ReviewerSpec {
        name: "quinn".into(),
        kind: crate::policy::ReviewerKind::Agent,
        may_escalate_to: Default::default(),
    });
    w.poll();
    w
}

#[test]
fn a_budget_that_work_waits_for_is_told_whatever_happens_to_other_work() {
    let mut w = of_two_reviewers();
    let midnight = w.now.plus(60 * MINUTE);
    fail_work(&mut w, over_budget(BudgetScope::Day, Some(midnight)));
    let budget = w.state.run.outage.clone();
    fail_work(&mut w, by(Outage::Unreachable { until: None }));
    assert_eq!(w.state.run.outage, budget);
    assert_eq!(w.state.run.blocker, budget);
}

#[test]
fn work_that_waits_says_so_though_another_reviewer_has_ended() {
    for failure in [
        over_budget(BudgetScope::PullRequest, None),
        by(Outage::Unreachable { until: None }),
    ] {
        let mut w = of_two_reviewers();
        fail_work(&mut w, failure);
        let blocker = w.state.run.blocker.clone().expect("it waits");
        w.finish_review(&[]);
        assert_eq!(w.state.run.blocker, Some(blocker));
        // Once all of it is done, nothing is left to say.
        w.advance(10 * MINUTE).finish_review(&[]);
        assert_eq!(w.state.run.outage, None);
    }
}

#[test]
fn a_program_that_the_sandbox_did_not_start_is_no_missing_sandbox() {
    for mut w in at_work() {
        fail_work(&mut w, without_sandbox(ErrorCode::SandboxNotStarted));
        assert_eq!(w.state.run.state, State::Failed);
    }
}

#[test]
fn hosts_that_were_refused_to_work_that_failed_or_was_verified_are_remarked() {
    let hosts = |prepare: &[&str], agent: &[&str]| RefusedHosts {
        prepare: prepare.iter().map(ToString::to_string).collect(),
        agent: agent.iter().map(ToString::to_string).collect(),
    };
    let remarks = |w: &LoopFixture, event: &Event| {
        let notes = step(&w.state, event, w.now).notes;
        notes.into_iter().filter_map(|note| match note {
            Note::HostsRefused { reviewer, hosts } => Some((reviewer, hosts)),
            _ => None,
        })
    };
    for (mut w, reviewer) in at_work().into_iter().zip([Some("rules".to_owned()), None]) {
        let (id, effect) = w.find_effect(Effect::takes_slot).expect("work");
        for refused_hosts in [
            hosts(&[], &[]),
            hosts(&["a:443"], &[]),
            hosts(&["a:443"], &["b:443"]),
        ] {
            let fault = SessionFailure::transient(UserError::new(ErrorCode::AgentIdleTimeout));
            let failed = SessionFailed {
                refused_hosts: refused_hosts.clone(),
                ..failed(fault)
            };
            let outcome = match effect {
                Effect::Review(_) => Outcome::ReviewFailed(failed),
                _ => Outcome::FixFailed(failed),
            };
            let event = Event::answered(id.clone(), outcome);
            let expect = (!refused_hosts.is_empty()).then(|| (reviewer.clone(), refused_hosts));
            assert!(remarks(&w, &event).eq(expect));
        }
        if reviewer.is_some() {
            continue;
        }
        // A fix that was made is told of too; what its agent met is in the session.
        w.finish_fix(Some('b'));
        let (id, _) = w
            .find_effect(|effect| matches!(effect, Effect::Push(_)))
            .expect("a push");
        let rebased = Rebased {
            commit: sha('d'),
            onto: sha('c'),
            verification: Default::default(),
            refused_hosts: ["a:443".to_owned()].into(),
        };
        let expect = Some((None, hosts(&["a:443"], &[])));
        assert!(remarks(&w, &Event::answered(id, rebased)).eq(expect));
    }
}

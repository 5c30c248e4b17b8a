//! Checks that fail, fixes that are claimed, and what confirms them.

use crate::blocker::Blocker;
use crate::effect::{Effect, FixEffect};
use crate::lifecycle::State;
use crate::note::Note;
use crate::snapshot::{Annotation, BaseCheck, Check, CheckConclusion, CheckStatus, RequiredCheck};
use crate::test_support::{LoopFixture, check, finding};
use crate::tracked_finding::FindingStatus;

/// A failed check with a log of failing tests.
fn failed(id: u64, failing: &[&str]) -> Check {
    let lines = failing
        .iter()
        .map(|test| format!("FAILED {test} - assert 1 == 2\n"));
    Check {
        id,
        log_tail: Some(lines.collect()),
        ..check("test", Some(CheckConclusion::Failure))
    }
}

fn stop_or_blocker(w: &LoopFixture) -> &'static str {
    let run = &w.state.run;
    let stop = run.stop.as_ref().map(|stop| stop.code());
    stop.or(run.blocker.as_ref().map(Blocker::code))
        .unwrap_or_default()
}

fn statuses(w: &LoopFixture) -> Vec<FindingStatus> {
    w.state
        .run
        .review
        .findings
        .values()
        .map(|known| known.status)
        .collect()
}

fn refuted_claims(w: &LoopFixture) -> u32 {
    w.state
        .run
        .review
        .findings
        .values()
        .map(|known| known.refuted_claims)
        .sum()
}

/// The fixer claims to have fixed what it was asked, and pushes; the check then runs with this result.
fn push_fix(w: &mut LoopFixture, commit: char, then: Check) {
    w.finish_fix(Some(commit));
    w.snapshot.checks = vec![then];
    w.finish_push();
}

#[test]
fn a_check_that_is_still_red_goes_back_until_three_claims_are_used_up() {
    let mut w = LoopFixture::new();
    let red = |id| failed(id, &["test_a.py::test_x"]);
    w.snapshot.checks = vec![red(1)];
    w.poll();
    for (id, commit) in [(2, 'b'), (3, 'c')] {
        push_fix(&mut w, commit, red(id));
        assert_eq!(w.state.run.state, State::PrFixing, "claim {}", id - 1);
        assert_eq!(statuses(&w), [FindingStatus::Open]);
    }
    push_fix(&mut w, 'd', red(4));
    assert_eq!(
        (w.state.run.state, stop_or_blocker(&w)),
        (State::NeedsHuman, "stuck")
    );
    assert_eq!(statuses(&w), [FindingStatus::Stuck]);
    let refuted = |note: &&Note| matches!(note, Note::ClaimRefuted { .. });
    assert_eq!(w.remarks.iter().filter(refuted).count(), 2);
}

#[test]
fn a_fix_is_claimed_until_its_check_is_green() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![failed(1, &["test_a.py::test_x"])];
    w.poll();
    push_fix(
        &mut w,
        'b',
        Check {
            id: 2,
            ..check("test", None)
        },
    );
    assert_eq!(statuses(&w), [FindingStatus::Claimed]);
    w.snapshot.checks = vec![Check {
        id: 2,
        ..check("test", Some(CheckConclusion::Success))
    }];
    w.advance(60_000).poll();
    assert_eq!(statuses(&w), [FindingStatus::Fixed]);
}

#[test]
fn a_check_that_fails_with_something_else_has_another_fault() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![Check {
        log_tail: Some("a.py:1:1: F401 `os` imported but unused".into()),
        ..failed(1, &[])
    }];
    w.poll();
    push_fix(&mut w, 'b', failed(2, &["test_a.py::test_x"]));
    assert_eq!(w.state.run.state, State::PrFixing);
    let mut known = statuses(&w);
    known.sort();
    assert_eq!(known, [FindingStatus::Open, FindingStatus::Fixed]);
    assert_eq!(refuted_claims(&w), 0);
}

#[test]
fn fewer_failures_of_one_check_are_progress_and_use_no_claim_up() {
    let mut w = LoopFixture::new();
    let tests = [
        "test_a.py::a",
        "test_a.py::b",
        "test_a.py::c",
        "test_a.py::d",
    ];
    w.snapshot.checks = vec![failed(1, &tests)];
    w.poll();
    for (left, commit) in [(3, 'b'), (2, 'c'), (1, 'd')] {
        push_fix(&mut w, commit, failed(10 - left as u64, &tests[..left]));
        assert_eq!(w.state.run.state, State::PrFixing, "{left} left");
        assert_eq!(
            (statuses(&w), refuted_claims(&w)),
            (vec![FindingStatus::Open], 0)
        );
    }
    // The control: the same set again does use one up.
    push_fix(&mut w, 'e', failed(20, &tests[..1]));
    assert_eq!(refuted_claims(&w), 1);
}

#[test]
fn another_test_that_fails_beside_the_same_is_no_progress() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![failed(1, &["t.py::a", "t.py::b"])];
    w.poll();
    push_fix(&mut w, 'b', failed(2, &["t.py::a", "t.py::new"]));
    assert_eq!(
        (statuses(&w), refuted_claims(&w)),
        (vec![FindingStatus::Open], 1)
    );
}

#[test]
fn fewer_failures_are_no_progress_where_one_of_them_is_new() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![failed(1, &["t.py::a", "t.py::b", "t.py::c"])];
    w.poll();
    push_fix(&mut w, 'b', failed(2, &["t.py::a", "t.py::new"]));
    assert_eq!(
        (statuses(&w), refuted_claims(&w)),
        (vec![FindingStatus::Open], 1)
    );
}

#[test]
fn a_check_that_fails_again_after_it_was_green_is_stuck() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![failed(1, &["t.py::a"])];
    w.poll();
    push_fix(
        &mut w,
        'b',
        Check {
            id: 2,
            ..check("test", Some(CheckConclusion::Success))
        },
    );
    w.finish_review(&[finding("a.py", "rule:x", "x == None")]);
    push_fix(&mut w, 'c', failed(3, &["t.py::a"]));
    assert_eq!(
        (w.state.run.state, stop_or_blocker(&w)),
        (State::NeedsHuman, "stuck")
    );
}

#[test]
fn what_a_reviewer_finds_again_goes_back_with_its_own_count() {
    let mut w = LoopFixture::new();
    let found = || finding("a.py", "rule:x", "x == None");
    w.poll().finish_review(&[found()]);
    for commit in ['b', 'c'] {
        w.finish_fix(Some(commit)).finish_push();
        assert_eq!(statuses(&w), [FindingStatus::Claimed]);
        w.finish_review(&[found()]);
        assert_eq!(
            (w.state.run.state, statuses(&w)),
            (State::PrFixing, vec![FindingStatus::Open])
        );
    }
    w.finish_fix(Some('d'))
        .finish_push()
        .finish_review(&[found()]);
    assert_eq!(
        (w.state.run.state, stop_or_blocker(&w)),
        (State::NeedsHuman, "stuck")
    );
}

#[test]
fn a_second_try_is_told_what_the_first_one_did() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![failed(1, &["t.py::a"])];
    w.poll();
    push_fix(&mut w, 'b', failed(2, &["t.py::a"]));
    let (_, asked) = w
        .find_effect(|effect| matches!(effect, Effect::Fix(_)))
        .unwrap();
    let Effect::Fix(FixEffect { payload, .. }) = asked else {
        unreachable!()
    };
    let attempts = &payload.attempts;
    assert_eq!(attempts.len(), 1, "{attempts:?}");
    assert_eq!(attempts[0].finding_id, payload.issues_to_fix[0].id);
    assert_eq!(attempts[0].commit, crate::test_support::sha('b'));
}

const MINUTE: u64 = 60_000;

#[test]
fn nothing_that_reports_is_waited_for_longer_where_other_pull_requests_had_checks() {
    let mut w = LoopFixture::new();
    w.snapshot.checks.clear();
    w.poll();
    assert_eq!(stop_or_blocker(&w), "no_checks_yet");
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
    let mut others = LoopFixture::new();
    others.snapshot.checks.clear();
    others.snapshot.others_have_checks = true;
    others.poll().advance(5 * MINUTE - 1).poll();
    assert_eq!(stop_or_blocker(&others), "no_checks_yet");
    others.advance(1).poll();
    assert_eq!(others.state.run.state, State::PrReviewing);
}

#[test]
fn a_check_that_an_earlier_head_had_is_waited_for_on_each_head() {
    let mut w = LoopFixture::new();
    w.snapshot.known_checks = ["e2e".to_string()].into();
    w.poll();
    assert_eq!(stop_or_blocker(&w), "checks_running");
    w.advance(5 * MINUTE - 1).poll();
    assert_eq!(stop_or_blocker(&w), "checks_running");
    w.advance(1)
        .poll()
        .finish_review(&[finding("a.py", "rule:x", "x == None")]);
    w.finish_fix(Some('b')).finish_push();
    // The job may only have been late.
    assert_eq!(stop_or_blocker(&w), "checks_running");
    w.advance(5 * MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
}

#[test]
fn a_head_on_which_nothing_runs_any_more_is_not_waited_for_until_ci_times_out() {
    let mut w = LoopFixture::new();
    w.snapshot.checks.clear();
    w.snapshot.known_checks = ["build".to_string()].into();
    w.poll();
    assert_eq!(stop_or_blocker(&w), "checks_running");
    w.advance(5 * MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
}

fn required(name: &str, app_id: Option<u64>) -> RequiredCheck {
    RequiredCheck {
        name: name.into(),
        app_id,
    }
}

#[test]
fn a_required_check_is_waited_for_until_the_timeout() {
    let mut w = LoopFixture::new();
    w.snapshot.required_checks = [required("deploy", None)].into();
    w.poll().advance(10 * MINUTE).poll();
    assert_eq!(stop_or_blocker(&w), "checks_running");
    w.advance(30 * MINUTE).poll();
    assert_eq!(
        (w.state.run.state, stop_or_blocker(&w)),
        (State::Failed, "ci_timeout")
    );
}

#[test]
fn a_required_check_that_names_an_app_is_met_by_that_app_alone() {
    let mut w = LoopFixture::new();
    w.snapshot.required_checks = [required("build", Some(15_368))].into();
    w.poll();
    assert_eq!(
        stop_or_blocker(&w),
        "checks_running",
        "somebody else's status of that name"
    );
    w.snapshot.checks[0].app_id = Some(15_368);
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
}

#[test]
fn a_check_whose_runner_was_lost_is_run_once_more_before_it_counts() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![Check {
        annotations: vec![Annotation {
            path: ".github".into(),
            line: 1,
            message: "The self-hosted runner: r1 lost communication with the server.".into(),
        }],
        ..failed(1, &[])
    }];
    w.poll();
    assert_eq!(
        (stop_or_blocker(&w), w.rerun.as_slice()),
        ("rerunning_checks", &[1][..])
    );
    // Asked for once, however often it is looked.
    w.advance(MINUTE).poll();
    assert_eq!(
        (stop_or_blocker(&w), w.rerun.as_slice()),
        ("rerunning_checks", &[1][..])
    );
    w.snapshot.checks[0].id = 2;
    w.advance(MINUTE).poll();
    assert_eq!(
        (w.state.run.state, w.rerun.len()),
        (State::PrFixing, 1),
        "lost twice: it counts"
    );
}

#[test]
fn a_rerun_that_turns_green_spends_no_fix() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![check("test", Some(CheckConclusion::TimedOut))];
    w.poll();
    w.snapshot.checks = vec![Check {
        id: 2,
        ..check("test", Some(CheckConclusion::Success))
    }];
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
    let flaky = w.state.run.head.check_history.flaky().count();
    assert_eq!((w.state.run.fixing.turns, flaky), (0, 1));
}

#[test]
fn what_may_not_be_run_again_counts_at_once() {
    let mut w = LoopFixture::new();
    w.refuses_reruns = true;
    w.snapshot.checks = vec![check("test", Some(CheckConclusion::Cancelled))];
    w.poll();
    assert_eq!((w.state.run.state, w.rerun.len()), (State::PrFixing, 1));
    // A status has no run to repeat.
    let mut status = LoopFixture::new();
    status.snapshot.checks = vec![Check {
        id: 0,
        ..check("test", Some(CheckConclusion::TimedOut))
    }];
    status.poll();
    assert_eq!(
        (status.state.run.state, status.rerun.len()),
        (State::PrFixing, 0)
    );
}

#[test]
fn red_after_green_on_one_commit_is_flaky_and_run_once_more() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![
        check("test", Some(CheckConclusion::Success)),
        Check {
            id: 9,
            ..check("slow", None)
        },
    ];
    w.poll();
    w.snapshot.checks = vec![failed(2, &["t.py::a"])];
    w.advance(MINUTE).poll();
    assert_eq!(
        (stop_or_blocker(&w), w.rerun.as_slice()),
        ("rerunning_checks", &[2][..])
    );
}

/// The check `test` on the base.
fn on_base(conclusion: Option<CheckConclusion>) -> Vec<BaseCheck> {
    let status = conclusion.map_or(CheckStatus::InProgress, |_| CheckStatus::Completed);
    vec![BaseCheck {
        check: check("test", None).key(),
        status,
        conclusion,
    }]
}

#[test]
fn what_is_red_on_the_base_too_is_reviewed_and_not_fixed_until_the_base_is_green() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![failed(1, &["t.py::a"])];
    w.snapshot.base_checks = on_base(Some(CheckConclusion::Failure));
    w.poll();
    assert_eq!(stop_or_blocker(&w), "reviewing");
    w.finish_review(&[]);
    assert_eq!(
        (w.state.run.state, stop_or_blocker(&w)),
        (State::PrReviewing, "base_broken")
    );
    assert!(w.state.is_settled() && w.state.run.fixing.turns == 0 && w.rerun.is_empty());
    // Somebody mends the base: while that is checked nothing changes, then the check runs again.
    w.snapshot.base_checks = on_base(None);
    w.advance(MINUTE).poll();
    assert_eq!(stop_or_blocker(&w), "base_broken");
    w.snapshot.base_checks = on_base(Some(CheckConclusion::Success));
    w.advance(MINUTE).poll();
    assert_eq!(
        (stop_or_blocker(&w), w.rerun.as_slice()),
        ("rerunning_checks", &[1][..])
    );
    w.snapshot.checks = vec![Check {
        id: 2,
        ..check("test", Some(CheckConclusion::Success))
    }];
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn what_a_review_finds_beside_a_broken_base_is_reported_and_waits() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![failed(1, &["t.py::a"])];
    w.snapshot.base_checks = on_base(Some(CheckConclusion::Failure));
    w.poll()
        .finish_review(&[finding("a.py", "rule:x", "x == None")]);
    assert_eq!(
        (stop_or_blocker(&w), w.state.run.fixing.turns),
        ("base_broken", 0)
    );
    assert_eq!(
        w.count_posts(|post| matches!(post, crate::post::PostContent::Review(_))),
        1
    );
}

#[test]
fn a_check_that_fails_beside_a_broken_base_by_its_own_fault_is_fixed() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![
        failed(1, &["t.py::a"]),
        Check {
            id: 5,
            log_tail: Some("error: unused".into()),
            ..check("lint", Some(CheckConclusion::Failure))
        },
    ];
    w.snapshot.base_checks = on_base(Some(CheckConclusion::Failure));
    w.poll();
    assert_eq!(w.state.run.state, State::PrFixing);
    let (_, asked) = w
        .find_effect(|effect| matches!(effect, Effect::Fix(_)))
        .unwrap();
    let Effect::Fix(FixEffect { payload, .. }) = asked else {
        unreachable!()
    };
    let asked: Vec<&str> = payload
        .issues_to_fix
        .iter()
        .map(|f| f.id.as_str())
        .collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(payload.issues_to_fix[0].title.starts_with("lint"));
}

//! What is said to be fixed, and what its reviewer says to that (§5.2).

use crate::effect::{Effect, FixEffect, ReviewEffect};
use crate::finding::{Finding, SourceType};
use crate::fix::FixAttempt;
use crate::lifecycle::State;
use crate::policy::ReviewerSpec;
use crate::test_support::{LoopFixture, finding, sha};
use crate::tracked_finding::{FindingStatus, TrackedFinding};

/// Quinn and sam in one stage.
fn panel_of_two() -> LoopFixture {
    let mut w = LoopFixture::new();
    let stages = &mut w.state.run.configuration.policy.stages;
    stages[0].reviewers = ["quinn", "sam"].map(ReviewerSpec::agent).into();
    w
}

fn found_by(name: &str) -> Finding {
    let mut found = finding("a.py", "correctness", "x == y");
    found.source.kind = SourceType::Agent;
    found.source.name = name.into();
    found
}

/// What each reviewer that is asked is told of findings that stand.
fn told(w: &LoopFixture) -> Vec<(String, Vec<FindingStatus>)> {
    let asked = w.state.outbox.effects.values();
    let mut told: Vec<_> = asked
        .filter_map(|effect| match effect {
            Effect::Review(ReviewEffect {
                reviewer,
                known_findings,
                ..
            }) => Some((
                reviewer.name.clone(),
                known_findings.iter().map(|known| known.status).collect(),
            )),
            _ => None,
        })
        .collect();
    told.sort();
    told
}

fn only(w: &LoopFixture) -> &TrackedFinding {
    let mut known = w.state.run.review.findings.values();
    known.next().expect("a finding")
}

#[test]
fn whether_a_claim_holds_is_asked_of_the_reviewer_that_found_it_alone() {
    let mut w = panel_of_two();
    w.poll();
    // The first effect is quinn's.
    w.finish_review(&[found_by("quinn")]).finish_review(&[]);
    w.finish_fix(Some('b')).finish_push();
    assert_eq!(
        told(&w),
        [
            ("quinn".to_owned(), vec![FindingStatus::Claimed]),
            ("sam".to_owned(), vec![])
        ]
    );
}

#[test]
fn why_a_finding_stands_after_a_claim_goes_to_the_next_fix_with_the_commit() {
    let mut w = LoopFixture::new();
    let found = found_by("rules");
    w.poll().finish_review(std::slice::from_ref(&found));
    w.finish_fix(Some('b')).finish_push();
    w.finish_review_as(std::slice::from_ref(&found), |finished| {
        let reason = "It still compares by identity.".to_owned();
        finished.upheld = [(found.id.clone(), reason)].into();
    });
    let (_, asked) = w.find_effect(|e| matches!(e, Effect::Fix(_))).unwrap();
    let Effect::Fix(FixEffect { payload, .. }) = asked else {
        unreachable!()
    };
    let expect = FixAttempt {
        finding_id: payload.issues_to_fix[0].id.clone(),
        commit: sha('b'),
        standing_reason: Some("It still compares by identity.".into()),
    };
    assert_eq!(payload.attempts, [expect]);
    // What a reviewer says to a rejection is no word on a commit.
    w.finish_fix(None);
    w.finish_review_as(std::slice::from_ref(&found), |finished| {
        finished.upheld = [(found.id.clone(), "The reason is wrong.".to_owned())].into();
    });
    let reasons: Vec<_> = only(&w).standing_reasons.values().collect();
    assert_eq!(reasons, ["It still compares by identity."]);
}

#[test]
fn what_its_reviewer_could_not_be_asked_about_stands_and_its_claim_is_not_refuted() {
    let mut w = LoopFixture::new();
    let found = found_by("rules");
    w.poll().finish_review(std::slice::from_ref(&found));
    w.finish_fix(Some('b')).finish_push();
    let print = only(&w).fingerprint.clone();
    w.finish_review_as(&[], |finished| {
        finished.not_rechecked = [print.clone()].into();
    });
    let known = only(&w);
    assert_eq!(
        (known.status, known.refuted_claims),
        (FindingStatus::Open, 0)
    );
    assert_ne!(w.state.run.state, State::PrReadyToMerge);
    // A later look that does ask settles it.
    w.finish_fix(Some('c')).finish_push();
    w.finish_review(&[]);
    assert_eq!(only(&w).status, FindingStatus::Fixed);
}

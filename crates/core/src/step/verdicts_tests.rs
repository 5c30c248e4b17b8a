//! Who has read a change, and what is said where nobody has (§1.5).

use crate::coverage::{UnseenFile, UnseenReason};
use crate::finding::Priority;
use crate::lifecycle::State;
use crate::policy::{ReviewerKind, ReviewerSpec, StageSpec};
use crate::post::{PostContent, Proof, ReviewReport};
use crate::snapshot::{Review, ReviewVerdict};
use crate::test_support::{LoopFixture, actor, finding, review, sha};

const RABBIT: u64 = 136_622_811;

fn proof(w: &LoopFixture) -> &Proof {
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    w.state.run.head.proof.as_deref().expect("a proof")
}

fn report(w: &LoopFixture) -> &ReviewReport {
    let report = w.posts.iter().rev().find_map(|content| match content {
        PostContent::Review(report) => Some(report),
        _ => None,
    });
    report.expect("a report")
}

#[test]
fn where_only_rules_have_looked_nobody_has_read_the_change() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[finding("a.py", "rule:is-literal", "if kind is \"csv\":")]);
    assert!(report(&w).unread);
    w.finish_fix(Some('b')).finish_push();
    let mut hint = finding("b.py", "rule:eq-none", "x == None");
    hint.priority = Priority::P3;
    w.finish_review(&[hint]);
    let proof = proof(&w);
    assert!(proof.unread);
    let rules = &proof.verdicts[0];
    assert_eq!((rules.kind, rules.findings), (Some(ReviewerKind::Rules), 1));
}

#[test]
fn a_model_that_has_looked_at_the_head_has_read_it() {
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.stages = vec![StageSpec {
        reviewers: vec![ReviewerSpec {
            name: "quinn".into(),
            kind: ReviewerKind::Agent,
            may_escalate_to: [].into(),
        }],
    }];
    w.poll().finish_review(&[]);
    assert!(!proof(&w).unread);
}

#[test]
fn a_model_that_looked_at_an_earlier_head_has_not_read_this_one() {
    let stage = |name: &str, kind| StageSpec {
        reviewers: vec![ReviewerSpec {
            name: name.into(),
            kind,
            may_escalate_to: [].into(),
        }],
    };
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.stages = vec![
        stage("quinn", ReviewerKind::Agent),
        stage("rules", ReviewerKind::Rules),
    ];
    let fault = |file| finding(file, "rule:is-literal", "if kind is \"csv\":");
    w.poll().finish_review(&[]).finish_review(&[fault("a.py")]);
    assert!(!report(&w).unread, "it looked at that head");
    w.finish_fix(Some('b')).finish_push();
    w.finish_review(&[fault("b.py")]);
    assert!(report(&w).unread);
}

#[test]
fn changes_that_a_person_requested_at_an_earlier_head_are_no_look_at_this_one() {
    for (head, unread) in [('0', true), ('a', false)] {
        let requested = Review {
            commit: Some(sha(head)),
            ..review(6, "ana", ReviewVerdict::ChangesRequested)
        };
        let mut w = LoopFixture::new();
        w.snapshot.reviews.push(requested);
        let fault = finding("a.py", "rule:is-literal", "if kind is \"csv\":");
        w.poll().finish_review(&[fault]);
        assert_eq!(report(&w).unread, unread, "{head}");
    }
}

fn with_review(review: Review) -> LoopFixture {
    let mut w = LoopFixture::new();
    let shipped = crate::bots::shipped_bots().iter();
    w.state.run.configuration.policy.bots = shipped.map(|known| known.bot.clone()).collect();
    w.snapshot.reviews.push(review);
    w.poll().finish_review(&[]);
    w
}

#[test]
fn a_person_who_approves_has_read_it_and_one_who_approved_no_longer_has_not() {
    let approved = Review {
        commit: Some(sha('0')),
        ..review(6, "ana", ReviewVerdict::Approved)
    };
    assert!(!proof(&with_review(approved.clone())).unread);
    let dismissed = Review {
        verdict: ReviewVerdict::Dismissed,
        ..approved
    };
    assert!(proof(&with_review(dismissed)).unread);
}

#[test]
fn what_is_ready_is_read_once_a_person_approves_it_and_no_longer_when_that_is_dismissed() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[]);
    assert!(proof(&w).unread);
    let said = w.posts.len();
    let mut approval = review(6, "ana", ReviewVerdict::Approved);
    for (verdict, unread) in [
        (ReviewVerdict::Approved, false),
        (ReviewVerdict::Dismissed, true),
    ] {
        approval.verdict = verdict;
        w.snapshot.reviews = vec![approval.clone()];
        w.advance(60_000).poll();
        assert_eq!(proof(&w).unread, unread);
    }
    assert_eq!(w.posts.len(), said, "the proof is posted once");
}

#[test]
fn a_bot_that_reviewed_the_head_has_read_it() {
    let by_bot = Review {
        author: Some(actor(RABBIT, "coderabbitai", true)),
        commit: Some(sha('a')),
        submitted_at: Some(LoopFixture::new().now),
        body: "**Actionable comments posted: 0**".to_owned(),
        ..review(6, "coderabbitai", ReviewVerdict::Commented)
    };
    assert!(!proof(&with_review(by_bot)).unread);
}

#[test]
fn files_whose_reading_failed_are_told_until_they_are_read() {
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.stages = vec![StageSpec {
        reviewers: vec![ReviewerSpec::agent("quinn")],
    }];
    let mut found = finding("a.py", "correctness", "x == y");
    found.source.name = "quinn".into();
    w.poll().finish_review_as(&[found], |finished| {
        let path = "big.py".to_owned();
        let reason = UnseenReason::ReadingFailed;
        finished.unseen = vec![UnseenFile { path, reason }];
    });
    assert_eq!(report(&w).verdicts[0].unread_files, ["big.py"]);
    assert_eq!(report(&w).verdicts[0].left_out, None, "room did not lack");
    w.finish_fix(Some('b')).finish_push().finish_review(&[]);
    assert!(proof(&w).verdicts[0].unread_files.is_empty());
}

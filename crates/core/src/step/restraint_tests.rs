//! What is left out of comments on lines, and counts all the same (§4.4).

use crate::finding::{Confidence, Finding, FindingKind};
use crate::lifecycle::State;
use crate::policy::ReviewerSpec;
use crate::post::{PostContent, ReviewReport};
use crate::review::Conclusion;
use crate::test_support::{LoopFixture, finding};
use crate::tracked_finding::FindingStatus;

fn fault() -> Finding {
    finding("a.py", "correctness", "x == y")
}

fn report(w: &LoopFixture) -> &ReviewReport {
    let mut reports = w.posts.iter().filter_map(|content| match content {
        PostContent::Review(report) => Some(report),
        _ => None,
    });
    reports.next().expect("a report")
}

fn has_inline(w: &LoopFixture) -> bool {
    let mut posts = w.posts.iter();
    posts.any(|content| matches!(content, PostContent::Inline { .. }))
}

#[test]
fn what_somebody_s_thread_says_counts_and_is_not_posted_on_its_line() {
    for covered in [false, true] {
        let mut w = LoopFixture::new();
        w.poll().finish_review_as(&[fault()], |finished| {
            let ids = finished.result.findings.iter().map(|f| f.id.clone());
            finished.covered = ids.filter(|_| covered).collect();
        });
        assert_eq!(report(&w).consensus, Conclusion::RequestChanges);
        assert_eq!(w.state.run.state, State::PrFixing);
        assert_eq!(has_inline(&w), !covered);
    }
}

#[test]
fn an_unsure_question_stands_in_the_report_and_holds_nothing_up() {
    let unsure = Finding {
        confidence: Confidence::from_permille(300),
        ..fault()
    };
    let question = Finding {
        kind: FindingKind::Question,
        ..unsure.clone()
    };
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[question]);
    assert_eq!(report(&w).findings.len(), 1);
    assert!(!has_inline(&w));
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

fn only_status(w: &LoopFixture) -> FindingStatus {
    let known: Vec<_> = w.state.run.review.findings.values().collect();
    assert_eq!(known.len(), 1);
    known[0].status
}

#[test]
fn what_nobody_is_sure_enough_of_is_kept_and_does_not_count() {
    let unsure = Finding {
        confidence: Confidence::from_permille(500),
        ..fault()
    };
    let mut w = LoopFixture::new();
    w.poll().finish_review(std::slice::from_ref(&unsure));
    assert_eq!(only_status(&w), FindingStatus::Unsure);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    // Beside one that counts it stands in the report, by itself.
    let mut w = LoopFixture::new();
    let sure = finding("b.py", "correctness", "y == z");
    w.poll().finish_review(&[unsure.clone(), sure]);
    let told = report(&w);
    assert_eq!((told.findings.len(), told.unsure.len()), (1, 1));
    assert_eq!(told.counts.p1_critical, 1);
    // Who is sure of it later reports it as any other.
    w.finish_fix(Some('b')).finish_push();
    w.finish_review(&[fault()]);
    let known = w.state.run.review.findings.values();
    let mut open = known.filter(|known| known.status == FindingStatus::Open);
    assert_eq!(open.next().unwrap().finding.file, "a.py");
    // What counts is not lost because somebody doubts it.
    let mut w = LoopFixture::new();
    let stages = &mut w.state.run.configuration.policy.stages;
    stages[0].reviewers = ["quinn", "sam"].map(ReviewerSpec::agent).into();
    w.poll().finish_review(&[fault()]).finish_review(&[unsure]);
    assert_eq!(only_status(&w), FindingStatus::Open);
}

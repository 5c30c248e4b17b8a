//! What is left out of comments on lines, and counts all the same (§4.4).

use crate::finding::{Confidence, Finding, FindingKind};
use crate::lifecycle::State;
use crate::post::{PostContent, ReviewReport};
use crate::review::Conclusion;
use crate::test_support::{LoopFixture, finding};

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
    // What is no question is not heard at all.
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[unsure]);
    assert!(w.state.run.review.findings.is_empty());
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

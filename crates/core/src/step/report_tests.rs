//! What a report tells besides its findings, and how one that was posted is known again (§8.1, §8.2).

use super::{posted_report, single_review_run};
use crate::change_map::{FileUse, MappedFile};
use crate::finding::{Finding, FindingKind, Priority};
use crate::post::{PostContent, ReviewOutcome, ReviewReport};
use crate::review::{Conclusion, IssueCounts};
use crate::session::SessionSummary;
use crate::snapshot::{FileChange, ReviewVerdict, Snapshot, Thread};
use crate::test_support::{LoopFixture, actor, comment, finding, review, sha, thread};
use crate::text::append_token;
use crate::token::{ActionSubject, action_token};

fn reports(w: &LoopFixture) -> Vec<&ReviewReport> {
    let posts = w.posts.iter().filter_map(|content| match content {
        PostContent::Review(report) => Some(report),
        _ => None,
    });
    posts.collect()
}

#[test]
fn praise_is_in_no_report_and_on_no_map() {
    let praise = Finding {
        kind: FindingKind::Praise,
        ..finding("a.py", "taste", "x = 1")
    };
    let fault = finding("a.py", "correctness", "x == y");
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[praise, fault.clone()]);
    let reports = reports(&w);
    assert_eq!(reports[0].findings, [fault]);
    assert_eq!(reports[0].counts.total(), 1);
    assert_eq!(
        reports[0].map.files,
        [MappedFile {
            path: "a.py".into(),
            change: FileChange::Modified,
            additions: 1,
            deletions: 1,
            findings: Some((Priority::P1, 1)),
            unseen: None,
        }]
    );
}

#[test]
fn a_reviewer_s_own_words_are_told_at_the_head_that_they_are_about() {
    let fault = |file| finding(file, "correctness", "x == y");
    let mut w = LoopFixture::new();
    w.poll().finish_review_as(&[fault("a.py")], |finished| {
        finished.result.full_report = format!("\n The loop is new. {}", "x".repeat(20_000));
    });
    w.finish_fix(Some('b')).finish_push();
    w.finish_review(&[fault("b.py")]);
    let reports = reports(&w);
    let (name, words) = &reports[0].summaries[0];
    assert_eq!(name, "rules");
    assert!(words.starts_with("The loop is new. x") && words.len() < 10_000);
    assert!(reports[1].summaries.is_empty(), "it said nothing then");
}

#[test]
fn a_report_lists_the_open_threads_of_others_and_repeats_no_outsider() {
    let of = |nth: u64, author, line, body: &str| Thread {
        line,
        ..thread(&format!("T{nth}"), comment(nth, author, body))
    };
    let mut w = LoopFixture::new();
    let viewer = w.snapshot.viewer.clone();
    let token = action_token(
        &w.state.id,
        &ActionSubject::ReviewReport(&w.state.run.id, 9),
    );
    let own = append_token("A finding of our own.", &token);
    let ana = || actor(20, "ana", false);
    w.snapshot.threads = vec![
        of(1, ana(), Some(3), "> quoted\n\n**Why twice?**\nMore."),
        of(2, actor(66, "mallory", false), None, "Buy this."),
        of(3, viewer, Some(4), &own),
        Thread {
            resolved: true,
            ..of(4, ana(), Some(5), "Settled.")
        },
        Thread {
            path: "`b`.py".into(),
            ..of(5, ana(), Some(6), "And this?")
        },
    ];
    w.poll()
        .finish_review(&[finding("a.py", "correctness", "x == y")]);
    let told = &reports(&w)[0];
    assert_eq!(told.threads.unresolved_threads, 4);
    assert_eq!(
        told.open_threads,
        "- `a.py:3` `ana`: Why twice?\n- `a.py` `mallory`\n- `` `b`.py:6 `` `ana`: And this?\n"
    );
}

#[test]
fn who_uses_what_changed_is_told_of_the_last_whole_look_and_of_looks_since() {
    let of = |user: &str| FileUse {
        used: "a.py".into(),
        user: user.into(),
        symbol: "load".into(),
    };
    let session = |user: &str, delta| {
        Some(Box::new(SessionSummary {
            delta,
            uses: [of(user), of("a.py")].into(),
            ..SessionSummary::default()
        }))
    };
    let fault = |file| finding(file, "correctness", "x == y");
    let mut w = LoopFixture::new();
    w.poll().finish_review_as(&[fault("a.py")], |finished| {
        finished.session = session("b.py", false);
    });
    w.finish_fix(Some('b')).finish_push();
    w.finish_review_as(&[fault("a.py")], |finished| {
        finished.session = session("c.py", true);
    });
    let told = |at: usize| reports(&w)[at].map.uses.iter().cloned().collect::<Vec<_>>();
    assert_eq!(told(0), [of("b.py")], "no file uses itself");
    assert_eq!(told(1), [of("b.py"), of("c.py")]);
    w.finish_fix(Some('c')).finish_push();
    w.finish_review_as(&[fault("b.py")], |finished| {
        finished.session = session("d.py", false);
    });
    let told: Vec<FileUse> = reports(&w)[2].map.uses.iter().cloned().collect();
    assert_eq!(told, [of("d.py")]);
}

#[test]
fn only_the_own_report_of_this_head_is_known_again() {
    let w = LoopFixture::new();
    let (id, snapshot) = (&w.state.id, &w.snapshot);
    let outcome = ReviewOutcome {
        conclusion: Conclusion::RequestChanges,
        counts: IssueCounts {
            p1_critical: 2,
            ..IssueCounts::default()
        },
        unread: true,
        unseen: 1,
        changes_requested: true,
    };
    let body_at = |head| {
        let run = single_review_run(&head);
        let token = action_token(id, &ActionSubject::ReviewReport(&run, 1));
        append_token(&format!("{}\nWords.\n", outcome.to_comment()), &token)
    };
    let with = |author: &str, body: String| {
        let mut posted = review(9, author, ReviewVerdict::Commented);
        posted.body = body;
        Snapshot {
            reviews: vec![posted],
            ..snapshot.clone()
        }
    };
    let own = snapshot.viewer.login.to_string();
    let mut posted = with(&own, body_at(snapshot.head.clone()));
    posted.reviews[0].author = Some(snapshot.viewer.clone());
    let found = posted_report(id, &posted).expect("it is there");
    assert_eq!((found.id, found.outcome), (9, outcome));
    let as_own = |body: String| {
        let mut other = posted.clone();
        other.reviews[0].body = body;
        other
    };
    let good = posted.reviews[0].body.clone();
    for (what, other) in [
        ("another head", as_own(body_at(sha('f')))),
        (
            "quoted, not at the end",
            as_own(format!("{good}\nAs it says.")),
        ),
        (
            "of an earlier version",
            as_own(
                good.split_once('\n')
                    .map(|(_, rest)| rest.to_owned())
                    .expect("two lines"),
            ),
        ),
        ("somebody else's", with("ana", good.clone())),
    ] {
        assert_eq!(posted_report(id, &other), None, "{what}");
    }
}

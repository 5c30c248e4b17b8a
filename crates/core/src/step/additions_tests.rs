//! What is added to somebody's thread that says a finding already (§4.4).

use crate::comments::{ThreadStatus, thread_status};
use crate::finding::{Finding, SourceType};
use crate::ids::ThreadId;
use crate::post::{PostContent, ReviewReport};
use crate::snapshot::Comment;
use crate::test_support::{LoopFixture, actor, comment, finding, thread};
use crate::text::append_token;
use crate::token::{ActionSubject, action_token};
use crate::tracked_finding::ReportOnly;

fn ana_says(id: u64, body: &str) -> Comment {
    comment(id, actor(20, "ana", false), body)
}

/// A fault on line 3, with a suggestion.
fn fault() -> Finding {
    let mut fault = finding("a.py", "correctness", "x == y");
    fault.source.kind = SourceType::Agent;
    fault.suggestion = Some("Compare by value.".into());
    fault
}

/// Ana's thread stands at the fault; `said` is what she wrote.
fn with_thread(said: &str) -> LoopFixture {
    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![thread("T1", ana_says(50, said))];
    w
}

fn added(w: &LoopFixture) -> Vec<(ThreadId, Vec<String>)> {
    let posts = w.posts.iter().filter_map(|content| match content {
        PostContent::Addition {
            thread, findings, ..
        } => Some((
            thread.clone(),
            findings.iter().map(|f| f.finding.title.clone()).collect(),
        )),
        _ => None,
    });
    posts.collect()
}

fn report(w: &LoopFixture) -> &ReviewReport {
    let mut reports = w.posts.iter().rev().filter_map(|content| match content {
        PostContent::Review(report) => Some(report),
        _ => None,
    });
    reports.next().expect("a report")
}

fn has_inline(w: &LoopFixture) -> bool {
    w.count_posts(|content| matches!(content, PostContent::Inline { .. })) > 0
}

#[test]
fn what_a_thread_lacks_goes_there_as_a_reply_and_not_on_the_line() {
    let mut w = with_thread("Is this right?");
    w.poll().finish_review(&[fault()]);
    assert_eq!(
        added(&w),
        [(ThreadId::new("T1"), vec!["correctness in a.py".to_owned()])]
    );
    assert!(!has_inline(&w));
    // Ana's own word stands in the report, too.
    assert_eq!(report(&w).report_only, [Some(ReportOnly::Covered), None]);
}

#[test]
fn what_its_session_finds_covered_goes_to_the_thread_that_it_names() {
    let mut w = with_thread("Is this right?");
    w.snapshot.threads[0].line = Some(40);
    w.poll().finish_review_as(&[fault()], |finished| {
        let id = finished.result.findings[0].id.clone();
        finished.covered = [id.clone()].into();
        finished.covered_by = [(id, ThreadId::new("T1"))].into();
    });
    assert_eq!(added(&w).len(), 1);
}

#[test]
fn nothing_is_added_to_what_says_it_all_or_is_nobodys_whose_word_counts() {
    let check = |w: &mut LoopFixture, found: &Finding| {
        w.poll().finish_review(std::slice::from_ref(found));
        assert_eq!(added(w), []);
    };
    // The thread has the suggestion.
    check(
        &mut with_thread("No: compare  by value. Or: Compare by value."),
        &fault(),
    );
    // The evidence is the very line that the thread stands at.
    let bare = Finding {
        suggestion: None,
        ..fault()
    };
    check(&mut with_thread("Is this right?"), &bare);
    let mut outsider = with_thread("Is this right?");
    outsider.snapshot.threads[0].comments[0].author = Some(actor(66, "mallory", false));
    check(&mut outsider, &fault());
    assert!(has_inline(&outsider));
    let mut resolved = with_thread("Is this right?");
    resolved.snapshot.threads[0].resolved = true;
    check(&mut resolved, &fault());
    // What would not go on the line does not go into the thread.
    let minor = Finding {
        priority: crate::finding::Priority::P3,
        ..fault()
    };
    check(&mut with_thread("Is this right?"), &minor);
}

#[test]
fn a_thread_gets_what_is_added_once() {
    let mut w = with_thread("Is this right?");
    w.poll().finish_review(&[fault()]);
    w.finish_fix(Some('b')).finish_push();
    let mut other = fault();
    other.evidence = Some("y == z".into());
    other.title = "Another one".into();
    w.finish_review(&[other]);
    assert_eq!(added(&w).len(), 1);
    // Another run, or a review without a loop, may have said it.
    let mut anew = with_thread("Is this right?");
    let token = action_token(
        &anew.state.id,
        &ActionSubject::Addition(&ThreadId::new("T1")),
    );
    let said = append_token("Found here too.", &token);
    let own = comment(51, anew.snapshot.viewer.clone(), &said);
    anew.snapshot.threads[0].comments.push(own);
    anew.poll().finish_review(&[fault()]);
    assert_eq!(added(&anew), []);
}

#[test]
fn what_is_added_settles_nothing() {
    let mut w = with_thread("Please compare by identity here.");
    let token = action_token(&w.state.id, &ActionSubject::Addition(&ThreadId::new("T1")));
    let own = w.snapshot.viewer.clone();
    let threads = &mut w.snapshot.threads;
    let said = append_token("Found here too.", &token);
    threads[0].comments.push(comment(51, own.clone(), &said));
    let status = |w: &LoopFixture| thread_status(&w.state, &w.snapshot, &w.snapshot.threads[0]);
    assert_eq!(status(&w), ThreadStatus::Pending);
    // Any other word of Collie's is its answer.
    let token = action_token(&w.state.id, &ActionSubject::Addition(&ThreadId::new("T2")));
    let said = append_token("Found here too.", &token);
    w.snapshot.threads[0].comments.push(comment(52, own, &said));
    assert_eq!(status(&w), ThreadStatus::Answered);
}

#[test]
fn each_finding_that_is_not_on_its_line_says_why() {
    let of = |evidence: &str, edit: &dyn Fn(&mut Finding)| {
        let mut found = finding("a.py", "correctness", evidence);
        found.id = evidence.into();
        found.line = Some(40);
        edit(&mut found);
        found
    };
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.max_comments = 1;
    w.snapshot.threads = vec![thread("T1", ana_says(50, "Is this right?"))];
    let all = [
        of("inline == 1", &|f| {
            f.priority = crate::finding::Priority::P0
        }),
        of("covered == 1", &|f| f.line = Some(3)),
        of("outside == 1", &|_| ()),
        of("surplus == 1", &|_| ()),
        of("minor == 1", &|f| f.priority = crate::finding::Priority::P3),
    ];
    w.poll().finish_review_as(&all, |finished| {
        finished.in_diff.remove("outside == 1");
    });
    let told = report(&w);
    let labels: Vec<_> = (told.findings.iter().zip(&told.report_only))
        .map(|(found, label)| (found.id.as_str(), *label))
        .filter(|(id, _)| *id != "C-50")
        .collect();
    assert_eq!(
        labels,
        [
            ("inline == 1", None),
            ("covered == 1", Some(ReportOnly::Covered)),
            ("outside == 1", Some(ReportOnly::OutsideDiff)),
            ("surplus == 1", Some(ReportOnly::Surplus)),
            ("minor == 1", Some(ReportOnly::Minor)),
        ]
    );
}

//! What is written down of people's judgements on findings.

use crate::finding::{Finding, SourceType};
use crate::ids::ThreadId;
use crate::post::PostContent;
use crate::review_memory::MemoryVerdict;
use crate::snapshot::{Actor, Comment, PullState, Thread};
use crate::test_support::{LoopFixture, actor, comment, finding, sha, thread};
use crate::text::append_token;

const MINUTE: u64 = 60_000;

fn model_finding() -> Finding {
    let mut found = finding("a.py", "correctness", "x == None");
    (found.source.kind, found.source.name) = (SourceType::Agent, "quinn".into());
    found
}

/// A loop whose finding stands on its line, in a thread that Collie opened.
fn with_own_thread(found: &Finding) -> LoopFixture {
    let mut w = LoopFixture::new();
    w.poll().finish_review(std::slice::from_ref(found));
    let inline = w.posts.iter().find_map(|post| match post {
        PostContent::Inline { comments, .. } => comments.first().cloned(),
        _ => None,
    });
    let token = inline.expect("an inline comment").token;
    let viewer = w.snapshot.viewer.clone();
    let body = append_token("Use `is`.", &token);
    w.snapshot.threads = vec![thread("T1", comment(45, viewer, &body))];
    w
}

fn member_comment(id: u64, words: &str) -> Comment {
    comment(id, actor(20, "ana", false), words)
}

fn own_thread(w: &mut LoopFixture) -> &mut Thread {
    &mut w.snapshot.threads[0]
}

/// The member answers with a reason, and `by` closes the thread.
fn close_with_reason(w: &mut LoopFixture, by: Option<Actor>) {
    let reason = member_comment(50, "meant: the type overloads ==");
    let by = by.or_else(|| reason.author.clone());
    let thread = own_thread(w);
    thread.comments.push(reason);
    (thread.resolved, thread.resolved_by) = (true, by);
    w.advance(MINUTE).poll();
}

#[test]
fn a_finding_whose_thread_a_person_closed_with_a_reason_is_remembered_once_as_dismissed() {
    let mut w = with_own_thread(&model_finding());
    close_with_reason(&mut w, None);
    w.advance(MINUTE).poll();
    w.advance(MINUTE).poll();
    let [entry] = &w.remembered[..] else {
        panic!("{:?}", w.remembered);
    };
    assert_eq!(entry.verdict, MemoryVerdict::Dismissed);
    assert_eq!(entry.file, "a.py");
    assert_eq!(
        entry.reason.as_deref(),
        Some("meant: the type overloads ==")
    );
    assert!(entry.by.is_some() && entry.expires_at.is_some());
}

#[test]
fn a_thread_that_is_open_or_closed_without_a_word_dismisses_nothing() {
    let mut w = with_own_thread(&model_finding());
    let question = member_comment(50, "hm, why?");
    let thread = own_thread(&mut w);
    // Whoever closed it has opened it again.
    thread.resolved_by.clone_from(&question.author);
    thread.comments.push(question);
    w.advance(MINUTE).poll();
    assert!(w.remembered.is_empty(), "open");

    let mut w = with_own_thread(&model_finding());
    let member = member_comment(50, "").author;
    let thread = own_thread(&mut w);
    (thread.resolved, thread.resolved_by) = (true, member);
    w.advance(MINUTE).poll();
    assert!(w.remembered.is_empty(), "closed without a word");
}

#[test]
fn strangers_dismiss_nothing_by_word_or_by_closing() {
    let mut w = with_own_thread(&model_finding());
    let stranger = actor(777, "mallory", false);
    let thread = own_thread(&mut w);
    let words = comment(50, stranger.clone(), "this is checked upstream");
    thread.comments.push(words);
    (thread.resolved, thread.resolved_by) = (true, Some(stranger.clone()));
    w.advance(MINUTE).poll();
    assert!(w.remembered.is_empty(), "a stranger's words");

    let mut w = with_own_thread(&model_finding());
    close_with_reason(&mut w, Some(stranger));
    assert!(w.remembered.is_empty(), "closed by a stranger");
}

#[test]
fn what_collie_closed_itself_is_no_judgement_of_people() {
    let mut w = with_own_thread(&model_finding());
    w.state.memory.resolved.insert(ThreadId::new("T1"));
    close_with_reason(&mut w, None);
    assert!(w.remembered.is_empty());
}

#[test]
fn what_rules_find_is_not_remembered() {
    let mut w = with_own_thread(&finding("a.py", "rule:x", "x == None"));
    close_with_reason(&mut w, None);
    assert!(w.remembered.is_empty());
}

#[test]
fn what_was_fixed_in_a_merged_change_is_remembered_as_accepted() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[model_finding()]);
    w.finish_fix(Some('b')).finish_push().finish_review(&[]);
    assert!(w.remembered.is_empty(), "not before the merge");
    w.snapshot.head = sha('b');
    w.snapshot.state = PullState::Merged;
    w.advance(MINUTE).poll();
    let verdicts: Vec<_> = w.remembered.iter().map(|entry| entry.verdict).collect();
    assert_eq!(verdicts, [MemoryVerdict::Accepted]);
}

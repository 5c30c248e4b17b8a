//! What waits for a person to look, and what follows from it (§4.4).

use crate::blocker::Blocker;
use crate::coverage::{UnseenFile, UnseenReason};
use crate::event::{Event, FilesSeen};
use crate::finding::Finding;
use crate::ids::Login;
use crate::lifecycle::State;
use crate::note::Note;
use crate::policy::UnseenPolicy;
use crate::post::{PostContent, Proof};
use crate::snapshot::ReviewVerdict;
use crate::test_support::{LoopFixture, finding, review, sha};

fn unseen(path: &str, reason: UnseenReason) -> UnseenFile {
    let path = path.to_owned();
    UnseenFile { path, reason }
}

fn hidden() -> Vec<UnseenFile> {
    vec![
        unseen("a.py", UnseenReason::TooLarge),
        unseen("b.py", UnseenReason::Nesting),
        unseen("c.py", UnseenReason::Unreadable),
        unseen("d.py", UnseenReason::TooMany),
        unseen("logo.png", UnseenReason::Binary),
    ]
}

fn state_and_code(w: &LoopFixture) -> (State, &'static str) {
    let blocker = w.state.run.blocker.as_ref().map(Blocker::code);
    (w.state.run.state, blocker.unwrap_or_default())
}

fn look(w: &mut LoopFixture, head: char) {
    let by = Login::new("ana");
    w.apply(&Event::FilesSeen(FilesSeen {
        by,
        head: sha(head),
    }));
    w.poll();
}

fn proof(w: &LoopFixture) -> Proof {
    let proof = w.posts.iter().find_map(|content| match content {
        PostContent::Proof(proof) => Some(proof.clone()),
        _ => None,
    });
    proof.expect("a proof was posted")
}

const READY: (State, &str) = (State::PrReadyToMerge, "awaiting_merge");
const BLOCKED: (State, &str) = (State::PrReviewing, "unseen");

#[test]
fn text_that_nobody_was_shown_waits_for_a_person_and_is_named() {
    let mut w = LoopFixture::new();
    w.poll().finish_review_unseen(&[], &hidden());
    assert_eq!(state_and_code(&w), BLOCKED);
    let Some(Blocker::Unseen { count, names }) = &w.state.run.blocker else {
        unreachable!()
    };
    assert_eq!(
        (*count, names.as_slice()),
        (4, &["a.py", "b.py", "c.py"].map(String::from)[..])
    );
    assert!(w.state.run.blocker.as_ref().unwrap().needs_person());
    assert!(w.state.is_settled());
    assert_eq!(w.state.run.head.coverage.unseen, hidden());
    w.advance(60_000).poll();
    assert_eq!(state_and_code(&w), BLOCKED);

    look(&mut w, 'a');
    assert_eq!(state_and_code(&w), READY);
    let noted =
        |note: &&Note| matches!(note, Note::FilesSeen { count: 4, head, .. } if *head == sha('a'));
    assert_eq!(w.remarks.iter().filter(noted).count(), 1);
    let proof = proof(&w);
    assert_eq!(proof.coverage.unseen, hidden());
    assert_eq!(proof.seen_by, Some(Login::new("ana")));
}

#[test]
fn what_is_no_text_holds_nothing_up_and_is_named_in_the_proof() {
    for reason in [
        UnseenReason::Binary,
        UnseenReason::Lockfile,
        UnseenReason::Generated,
        UnseenReason::Submodule,
    ] {
        let mut w = LoopFixture::new();
        let files = [unseen("x", reason)];
        w.poll().finish_review_unseen(&[], &files);
        assert_eq!(state_and_code(&w), READY, "{reason:?}");
        assert_eq!(proof(&w).coverage.unseen, files);
        assert_eq!(proof(&w).seen_by, None);
    }
}

#[test]
fn with_tell_it_is_only_named() {
    let mut w = LoopFixture::new();
    w.poll();
    w.state.run.configuration.policy.unseen = UnseenPolicy::Tell;
    w.finish_review_unseen(&[], &hidden());
    assert_eq!(state_and_code(&w), READY);
    assert_eq!(proof(&w).coverage.unseen, hidden());
}

#[test]
fn a_word_about_another_head_counts_for_nothing() {
    let mut w = LoopFixture::new();
    w.poll().finish_review_unseen(&[], &hidden());
    look(&mut w, 'e');
    assert_eq!(state_and_code(&w), BLOCKED);
    assert_eq!(w.state.memory.seen_heads.len(), 0);
}

#[test]
fn a_new_head_asks_again_only_where_something_is_unseen_there() {
    let mut w = LoopFixture::new();
    w.poll().finish_review_unseen(&[], &hidden());
    look(&mut w, 'a');
    assert_eq!(state_and_code(&w), READY);
    w.snapshot.head = sha('b');
    w.poll().finish_review_unseen(&[], &hidden());
    assert_eq!(state_and_code(&w), BLOCKED);
    w.snapshot.head = sha('c');
    w.poll().finish_review(&[]);
    assert_eq!(state_and_code(&w), READY);
    assert!(w.state.run.head.coverage.is_empty());
}

#[test]
fn a_reviewer_is_told_what_it_was_not_shown_before() {
    let mut w = LoopFixture::new();
    w.poll().finish_review_unseen(&[], &hidden());
    w.snapshot.head = sha('b');
    w.poll();
    let asked = w.find_effect(
        |effect| matches!(effect, crate::effect::Effect::Review(asked) if asked.unseen == hidden()),
    );
    assert!(asked.is_some());
}

#[test]
fn what_a_push_took_out_unread_is_handed_on_until_a_person_has_looked() {
    let files = [
        unseen("gone.py", UnseenReason::TakenOut),
        unseen("large.py", UnseenReason::TooLarge),
    ];
    for looked in [false, true] {
        let mut w = LoopFixture::new();
        w.poll().finish_review_unseen(&[], &files);
        assert_eq!(state_and_code(&w), BLOCKED);
        if looked {
            look(&mut w, 'a');
        }
        w.snapshot.head = sha('b');
        w.poll();
        let kept = if looked { &files[1..] } else { &files };
        let asked = w.find_effect(
            |effect| matches!(effect, crate::effect::Effect::Review(asked) if asked.unseen == kept),
        );
        assert!(asked.is_some(), "{looked}");
    }
}

#[test]
fn a_person_of_the_panel_who_approved_this_head_has_looked() {
    let mut w = LoopFixture::new().with_person("ana");
    w.poll().finish_review_unseen(&[], &hidden());
    let mut approval = review(1, "ana", ReviewVerdict::Approved);
    approval.commit = Some(sha('e'));
    w.snapshot.reviews = vec![approval.clone()];
    w.poll();
    assert_eq!(state_and_code(&w), BLOCKED, "that was another head");
    approval.commit = Some(sha('a'));
    w.snapshot.reviews = vec![approval];
    w.poll();
    assert_eq!(state_and_code(&w), READY);
    let named: Vec<String> = proof(&w)
        .coverage
        .unseen
        .into_iter()
        .map(|file| file.path)
        .collect();
    assert_eq!(named, ["logo.png"]);
}

#[test]
fn a_report_names_what_nobody_was_shown() {
    let mut w = LoopFixture::new();
    let fault: Finding = finding("a.py", "rule:is-literal", "if kind is \"csv\":");
    w.poll().finish_review_unseen(&[fault], &hidden());
    let report = w.posts.iter().find_map(|content| match content {
        PostContent::Review(report) => Some(report.coverage.unseen.clone()),
        _ => None,
    });
    assert_eq!(report, Some(hidden()));
}

#[test]
fn another_base_asks_again() {
    let mut w = LoopFixture::new();
    w.poll().finish_review_unseen(&[], &hidden());
    look(&mut w, 'a');
    w.snapshot.base_ref = "release".into();
    w.poll().finish_review_unseen(&[], &hidden());
    assert_eq!(state_and_code(&w), BLOCKED);
}

//! What GitHub says of a merge, and of a post, before a loop is called ready.

use crate::blocker::Blocker;
use crate::finding::{Finding, FindingKind};
use crate::ids::Sha;
use crate::lifecycle::State;
use crate::loop_state::MergeType;
use crate::post::PostContent;
use crate::snapshot::{Mergeable, PullState};
use crate::test_support::{LoopFixture, finding, sha};

const MINUTE: u64 = 60_000;

fn ready() -> LoopFixture {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    w
}

fn poll_later(w: &mut LoopFixture) -> (State, Option<Blocker>) {
    w.advance(MINUTE).poll();
    (w.state.run.state, w.state.run.blocker.clone())
}

#[test]
fn ready_stays_while_github_computes_the_merge_anew() {
    let mut w = ready();
    let proofs = |w: &LoopFixture| w.count_posts(|c| matches!(c, PostContent::Proof(_)));
    assert_eq!(proofs(&w), 1);
    w.snapshot.mergeable = Mergeable::Unknown;
    w.snapshot.base = sha('9');
    assert_eq!(poll_later(&mut w).0, State::PrReadyToMerge);
    w.snapshot.mergeable = Mergeable::Yes;
    assert_eq!(poll_later(&mut w).0, State::PrReadyToMerge);
    assert_eq!(proofs(&w), 1);
    // A merge in such a moment is of what was approved.
    w.snapshot.mergeable = Mergeable::Unknown;
    w.snapshot.base = sha('8');
    poll_later(&mut w);
    w.snapshot.state = PullState::Merged;
    poll_later(&mut w);
    assert_eq!(w.state.run.merge_type, Some(MergeType::Approved));
}

#[test]
fn a_conflict_with_the_moved_base_takes_ready_back() {
    let mut w = ready();
    w.snapshot.mergeable = Mergeable::Unknown;
    w.snapshot.base = sha('9');
    poll_later(&mut w);
    w.snapshot.mergeable = Mergeable::Conflicting;
    let (state, blocker) = poll_later(&mut w);
    assert_eq!(state, State::PrAwaitingChecks);
    assert!(
        matches!(blocker, Some(Blocker::Conflict { .. })),
        "{blocker:?}"
    );
    // What was known before the conflict counts no more.
    w.snapshot.mergeable = Mergeable::Unknown;
    assert_eq!(
        poll_later(&mut w),
        (State::PrReviewing, Some(Blocker::MergeabilityUnknown))
    );
}

#[test]
fn what_was_known_before_a_conflict_counts_no_more_on_the_same_base() {
    let mut w = ready();
    w.snapshot.mergeable = Mergeable::Conflicting;
    let (_, blocker) = poll_later(&mut w);
    assert!(
        matches!(blocker, Some(Blocker::Conflict { .. })),
        "{blocker:?}"
    );
    w.snapshot.mergeable = Mergeable::Unknown;
    assert_eq!(
        poll_later(&mut w),
        (State::PrReviewing, Some(Blocker::MergeabilityUnknown))
    );
    w.snapshot.mergeable = Mergeable::Yes;
    assert_eq!(poll_later(&mut w).0, State::PrReadyToMerge, "control");
}

#[test]
fn what_was_known_of_the_merge_of_one_head_says_nothing_of_the_next() {
    let mut w = ready();
    w.snapshot.head = sha('b');
    w.snapshot.mergeable = Mergeable::Unknown;
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(
        poll_later(&mut w),
        (State::PrReviewing, Some(Blocker::MergeabilityUnknown))
    );
    w.snapshot.mergeable = Mergeable::Yes;
    assert_eq!(poll_later(&mut w).0, State::PrReadyToMerge, "control");
}

/// Another base branch may be at the very commit of the first one.
#[test]
fn what_was_known_of_one_base_branch_says_nothing_of_another() {
    let mut w = ready();
    w.snapshot.base_ref = "next".into();
    w.snapshot.mergeable = Mergeable::Unknown;
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(
        poll_later(&mut w),
        (State::PrReviewing, Some(Blocker::MergeabilityUnknown))
    );
    w.snapshot.mergeable = Mergeable::Yes;
    assert_eq!(poll_later(&mut w).0, State::PrReadyToMerge, "control");
}

#[test]
fn nothing_becomes_ready_on_what_was_known_of_another_base() {
    let after = |known: Sha, base: Sha, base_ref: &str| {
        let mut w = LoopFixture::new();
        w.snapshot.base = known;
        w.poll();
        w.snapshot.mergeable = Mergeable::Unknown;
        w.snapshot.base = base;
        w.snapshot.base_ref = base_ref.into();
        w.finish_review(&[]);
        w.state.run.state
    };
    assert_eq!(after(sha('0'), sha('0'), "main"), State::PrReadyToMerge);
    assert_eq!(after(sha('0'), sha('9'), "main"), State::PrReviewing);
    assert_ne!(after(sha('0'), sha('0'), "next"), State::PrReadyToMerge);
}

#[test]
fn a_merge_that_github_blocks_without_a_word_is_not_ready() {
    let mut w = LoopFixture::new();
    w.snapshot.merge_blocked = true;
    w.poll().finish_review(&[]);
    let waits = (State::PrReviewing, Some(Blocker::MergeBlocked));
    assert_eq!(
        (w.state.run.state, w.state.run.blocker.clone()),
        waits.clone()
    );
    // GitHub computes anew: what it knew of the same head and base still stands.
    w.snapshot.mergeable = Mergeable::Unknown;
    w.snapshot.merge_blocked = false;
    assert_eq!(poll_later(&mut w), waits);
    w.snapshot.mergeable = Mergeable::Yes;
    assert_eq!(poll_later(&mut w).0, State::PrReadyToMerge);
    w.snapshot.merge_blocked = true;
    assert_eq!(poll_later(&mut w).0, State::PrReviewing);
}

#[test]
fn a_reason_with_a_name_is_told_before_one_without() {
    let mut w = LoopFixture::new();
    w.snapshot.merge_blocked = true;
    w.snapshot.review_required = true;
    w.poll().finish_review(&[]);
    assert_eq!(w.state.run.blocker, Some(Blocker::ReviewRequired));
}

#[test]
fn what_github_refuses_to_take_holds_ready_and_is_said_once_it_is_let() {
    let mut w = LoopFixture::new();
    let words = "Resource protected by organization SAML enforcement.";
    w.poll();
    w.refuses_posts = Some(words);
    w.finish_review(&[]);
    let (state, blocker) = poll_later(&mut w);
    assert_ne!(state, State::PrReadyToMerge);
    assert_eq!(
        blocker,
        Some(Blocker::Forbidden {
            message: words.into()
        })
    );
    w.refuses_posts = None;
    assert_eq!(poll_later(&mut w).0, State::PrReadyToMerge);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Proof(_))), 1);
    assert_eq!(w.state.run.refused_post, None);
}

#[test]
fn a_loop_that_waits_for_its_comments_says_what_stands_against_them() {
    let mut w = LoopFixture::new();
    w.poll();
    w.refuses_posts = Some("no");
    let question = Finding {
        kind: FindingKind::Question,
        ..finding("a.rs", "Why?", "x.unwrap()")
    };
    w.finish_review(&[question]);
    let (_, blocker) = poll_later(&mut w);
    let message = "no".to_owned();
    assert_eq!(blocker, Some(Blocker::Forbidden { message }));
}

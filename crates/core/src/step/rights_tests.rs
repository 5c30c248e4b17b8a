//! What a token lacks is said before anything is written (§2).

use crate::blocker::Blocker;
use crate::event::{Event, ObserveFailed};
use crate::ids::RepoName;
use crate::lifecycle::State;
use crate::note::Note;
use crate::snapshot::{ObserveFailure, PushObstacle};
use crate::test_support::LoopFixture;
use crate::token_right::{RepositoryWrite, TokenRight};

const MINUTE: u64 = 60_000;

fn lacking(right: TokenRight) -> LoopFixture {
    let mut w = LoopFixture::new();
    w.lacking_rights.insert(right);
    w.poll();
    w
}

#[test]
fn a_run_waits_with_what_the_token_lacks_and_goes_on_once_it_has_it() {
    let mut w = lacking(TokenRight::Contents);
    let rights = vec![TokenRight::Contents];
    let blocker = Blocker::RightsLacking { rights };
    assert!(blocker.needs_person() && blocker.forbids_writing());
    assert_eq!(w.state.run.state, State::PrCreated);
    assert_eq!(w.state.run.blocker.as_ref(), Some(&blocker));
    // It is asked again every five minutes, and said once.
    for _ in 0..11 {
        w.advance(MINUTE).poll();
    }
    assert_eq!(w.state.run.blocker, Some(blocker));
    assert_eq!(w.rights_asked.len(), 3);
    assert!(w.posts.is_empty());
    let said = |w: &LoopFixture, wanted: fn(&Note) -> bool| {
        w.remarks.iter().filter(|note| wanted(note)).count()
    };
    let lacks = |note: &Note| matches!(note, Note::RightsLacking { .. });
    assert_eq!(said(&w, lacks), 1);
    w.lacking_rights.clear();
    for _ in 0..5 {
        w.advance(MINUTE).poll();
    }
    assert_eq!(said(&w, |note| *note == Note::RightsGranted), 1);
    w.finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    assert_eq!(w.rights_asked.len(), 4);
}

#[test]
fn no_answer_is_no_grant_and_holds_nothing_up_that_was_not_known_to_lack() {
    let mut w = lacking(TokenRight::Contents);
    let held = w.state.run.blocker.clone();
    w.rights_unanswered = true;
    for _ in 0..11 {
        w.advance(MINUTE).poll();
    }
    assert_eq!(w.state.run.blocker, held);
    assert!(!w.remarks.contains(&Note::RightsGranted));
    let mut w = LoopFixture::new();
    w.rights_unanswered = true;
    w.poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn a_token_with_every_right_is_asked_about_once_a_run() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[]);
    w.advance(60 * MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    let needed = [RepositoryWrite::Posts, RepositoryWrite::Pushes];
    assert_eq!(w.rights_asked, [needed.into()]);
}

#[test]
fn a_push_counts_only_where_the_tokens_rights_decide_it() {
    let check = |change: fn(&mut LoopFixture)| {
        let mut w = LoopFixture::new();
        change(&mut w);
        w.poll();
        assert_eq!(w.rights_asked, [[RepositoryWrite::Posts].into()]);
    };
    check(|w| w.snapshot.head_repo = None);
    check(|w| w.snapshot.head_repo = RepoName::parse("kim/fork").ok());
    check(|w| {
        let viewer = w.snapshot.viewer.id;
        w.snapshot.writers.remove(&viewer);
    });
    check(|w| {
        w.snapshot.push_obstacles.insert(PushObstacle::Protected);
    });
}

#[test]
fn a_server_that_lacks_what_cannot_be_done_without_is_named_and_asked_again() {
    let mut w = LoopFixture::new();
    w.poll();
    let failed = Event::ObserveFailed(ObserveFailed {
        at: w.now,
        failure: ObserveFailure::ServerTooOld {
            field: "PullRequest.mergeStateStatus".into(),
            version: "3.2.1".into(),
        },
        jitter_permille: 0,
    });
    w.apply(&failed);
    let blocker = w.state.run.blocker.as_ref().expect("a blocker");
    assert_eq!(blocker.code(), "server_too_old");
    assert!(blocker.needs_person());
    assert!(w.state.run.polling.next_at.is_some_and(|at| at > w.now));
}

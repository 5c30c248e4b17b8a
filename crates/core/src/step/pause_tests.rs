//! What a pause of everything stops, and what goes on when it ends (§15).

use crate::blocker::Blocker;
use crate::effect::Effect;
use crate::event::{Event, PauseChanged, SessionCancelled};
use crate::finding::Finding;
use crate::ids::{EffectId, Login};
use crate::lifecycle::State;
use crate::note::Note;
use crate::pause::Pause;
use crate::snapshot::{CheckConclusion, PullState};
use crate::test_support::{LoopFixture, check, finding, sha};
use crate::usage::Usage;

const MINUTE: u64 = 60_000;

fn rule_finding() -> Finding {
    finding("a.py", "bug", "if x == None:")
}

fn set_paused(w: &mut LoopFixture, paused: bool) {
    let by = Login::new("kim");
    let pause = paused.then(|| Pause {
        by: by.clone(),
        since: w.now,
    });
    w.apply(&Event::PauseChanged(PauseChanged { by, pause }));
}

fn code(w: &LoopFixture) -> &'static str {
    let blocker = w.state.run.blocker.as_ref();
    blocker.map(Blocker::code).unwrap_or_default()
}

fn session(w: &LoopFixture) -> Option<EffectId> {
    w.find_effect(Effect::takes_slot).map(|(id, _)| id)
}

#[test]
fn a_review_under_way_is_ended_and_begins_anew_when_the_pause_ends() {
    let mut w = LoopFixture::new();
    w.poll();
    let before = session(&w).expect("a review is asked for");
    set_paused(&mut w, true);
    assert_eq!(w.dropped(), std::slice::from_ref(&before));
    let again = session(&w).expect("the same is asked for again");
    assert_ne!(again, before);
    let (_, review) = w.find_effect(Effect::takes_slot).unwrap();
    assert!(!w.state.may_do(&review), "the engine must not begin it");
    assert_eq!(code(&w), "paused");
    assert!(w.state.run.blocker.as_ref().unwrap().needs_person());
    assert!(w.state.is_settled());

    // What it had cost is counted all the same.
    let usage = Usage {
        input_tokens: 7,
        ..Usage::default()
    };
    w.apply(&Event::SessionCancelled(SessionCancelled {
        effect: before,
        usage,
        agent_session: None,
    }));
    assert_eq!(w.state.run.usage.input_tokens, 7);

    // Reading goes on, and asks for nothing a second time.
    w.advance(MINUTE).poll();
    assert_eq!((session(&w), code(&w)), (Some(again.clone()), "paused"));

    set_paused(&mut w, false);
    w.poll();
    assert_eq!((session(&w), code(&w)), (Some(again), "reviewing"));
    assert!(w.state.may_do(&review));
    w.finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn nothing_is_written_while_everything_is_paused() {
    let mut w = LoopFixture::new();
    w.poll();
    // The answer was on its way when the pause came.
    let (review, _) = w.find_effect(Effect::takes_slot).unwrap();
    set_paused(&mut w, true);
    assert_ne!(session(&w), Some(review));
    w.finish_review(&[rule_finding()]);
    assert!(w.posts.is_empty());
    w.poll();
    assert_eq!(code(&w), "paused");
    let fix = session(&w).expect("a fix is asked for");
    set_paused(&mut w, false);
    w.poll();
    assert_eq!(session(&w), Some(fix));
    assert!(!w.posts.is_empty(), "the report is said now");
}

#[test]
fn a_commit_that_is_done_is_pushed_when_the_pause_ends() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[rule_finding()]);
    set_paused(&mut w, true);
    w.finish_fix(Some('b'));
    let is_push = |effect: &Effect| matches!(effect, Effect::Push(_));
    let (_, push) = w.find_effect(is_push).expect("the push is asked for");
    assert!(!w.state.may_do(&push));
    assert_eq!(code(&w), "paused");
    set_paused(&mut w, false);
    w.poll();
    assert!(w.state.may_do(&push));
    w.finish_push();
    assert_eq!(w.state.run.fixing.rounds.len(), 1);
}

#[test]
fn what_a_moved_head_made_useless_does_not_wait_for_the_pause_to_end() {
    let mut w = LoopFixture::new();
    w.poll();
    set_paused(&mut w, true);
    let of_old_head = session(&w);
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    assert_ne!(session(&w), of_old_head);
    w.snapshot.state = PullState::Closed;
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::Closed);
    assert_eq!(session(&w), None);
}

#[test]
fn what_waits_for_something_else_says_that() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    set_paused(&mut w, true);
    assert_eq!(code(&w), "awaiting_merge");
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), "awaiting_merge");
}

#[test]
fn a_run_begun_while_everything_is_paused_waits_too() {
    let mut w = LoopFixture::new();
    set_paused(&mut w, true);
    w.poll();
    assert_eq!(code(&w), "paused");
    assert!(w.rights_asked.is_empty(), "the question is put as a write");
    set_paused(&mut w, false);
    w.poll();
    assert_eq!(code(&w), "reviewing");
}

#[test]
fn each_change_is_told_once() {
    let mut w = LoopFixture::new();
    let told = |w: &LoopFixture| {
        let mut notes = w.notes().iter();
        notes.any(|note| matches!(note, Note::PauseChanged { .. }))
    };
    set_paused(&mut w, true);
    assert!(told(&w));
    set_paused(&mut w, true);
    assert!(!told(&w));
    set_paused(&mut w, false);
    assert!(told(&w));
    set_paused(&mut w, false);
    assert!(!told(&w));
}

#[test]
fn in_a_pause_no_check_is_lined_up_to_run_again_and_after_it_each_runs_once() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![check("test", None)];
    w.poll();
    set_paused(&mut w, true);
    w.snapshot.checks = vec![check("test", Some(CheckConclusion::Cancelled))];
    w.advance(MINUTE).poll();
    // What were lined up here would be done once the pause ends, beside what the next look asks for.
    let lined_up = w.find_effect(|effect| matches!(effect, Effect::RerunChecks(_)));
    assert!(lined_up.is_none() && w.rerun.is_empty(), "{:?}", w.rerun);
    set_paused(&mut w, false);
    w.advance(MINUTE).poll();
    w.advance(MINUTE).poll();
    assert_eq!(w.rerun.len(), 1);
}

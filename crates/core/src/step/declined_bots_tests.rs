//! A bot's finding that somebody confirmed and the fixer declined (§6.1).

use super::agreement_tests::{
    FAULT, SAME, answers, copilot, of_bot, rabbit, reading, says, score, second_look,
};
use super::feedback_tests::agent_answers;
use crate::blocker::Stop;
use crate::effect::ReviewEffect;
use crate::event::{Event, Outcome, SessionFailed, SessionFailure};
use crate::lifecycle::State;
use crate::post::{Disposition, LeftReason};
use crate::test_support::LoopFixture;
use crate::tracked_finding::SecondLook;
use crate::user_error::UserError;

/// CodeRabbit finds a fault, the model confirms it, and the fixer declines it.
fn declined() -> LoopFixture {
    let mut w = reading();
    w.snapshot.threads = vec![says(50, rabbit(), FAULT)];
    w.poll().finish_review(&[]);
    score(&mut w, 75);
    agent_answers(&mut w, None, "no");
    w
}

fn upheld(w: &LoopFixture) -> bool {
    w.state.run.state == State::NeedsHuman && matches!(w.state.run.stop, Some(Stop::Upheld { .. }))
}

#[test]
fn a_fixers_reason_is_weighed_by_who_confirmed_the_finding_before_anything_is_ready() {
    let mut w = declined();
    assert!(matches!(answers(&w)[..], [Disposition::Declined { .. }]));
    assert_eq!(w.state.run.state, State::PrReviewing);
    let asked = second_look(&w).expect("it is looked at once more");
    let reasons = asked
        .known_findings
        .iter()
        .map(|known| known.rejection.as_deref());
    assert_eq!(reasons.collect::<Vec<_>>(), [Some("no")]);
    score(&mut w, 75);
    assert!(upheld(&w), "{:?}", w.state.run.stop);
    assert_eq!(w.state.run.fixing.turns, 1);
}

#[test]
fn a_reason_that_refutes_it_settles_it_without_another_answer() {
    let mut w = declined();
    score(&mut w, 25);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    assert_eq!(of_bot(&w).second_look, Some(SecondLook::Refuted));
    assert_eq!(answers(&w).len(), 1);
}

#[test]
fn a_thread_that_its_bot_settles_needs_no_look() {
    let mut w = reading();
    w.snapshot.threads = vec![says(50, rabbit(), FAULT)];
    w.poll().finish_review(&[]);
    score(&mut w, 75);
    w.snapshot.threads[0].resolved = true;
    agent_answers(&mut w, None, "no");
    assert_eq!(second_look(&w), None);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn what_two_bots_agree_on_is_weighed_too() {
    let mut w = reading();
    w.snapshot.threads = vec![says(50, rabbit(), FAULT), says(51, copilot(), SAME)];
    w.poll().finish_review(&[]);
    assert_eq!(second_look(&w), None);
    agent_answers(&mut w, None, "no");
    assert_eq!(second_look(&w).expect("a look").doubted.len(), 2);
    score(&mut w, 100);
    assert!(upheld(&w), "{:?}", w.state.run.stop);
}

#[test]
fn a_look_that_fails_for_good_leaves_it_to_a_person() {
    let mut w = declined();
    let (effect, _) = w
        .find_effect(|effect| effect.as_review().is_some_and(ReviewEffect::is_second_look))
        .expect("a second look");
    let error = UserError::new(crate::error_code::ErrorCode::LlmContextTooLong);
    let failed = SessionFailed {
        failure: SessionFailure::permanent(error),
        usage: Default::default(),
        refused_hosts: Default::default(),
    };
    w.apply(&Event::answered(effect, Outcome::ReviewFailed(failed)));
    w.poll();
    assert!(upheld(&w), "{:?}", w.state.run.stop);
}

/// What nobody has confirmed is the bot's word against the fixer's, as before.
#[test]
fn without_a_reader_the_fixers_reason_is_the_last_word() {
    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![says(50, rabbit(), FAULT)];
    w.poll().finish_review(&[]);
    agent_answers(&mut w, None, "no");
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    // The proof says so: "answered" alone would not.
    let proof = w.state.run.head.proof.as_ref().expect("a proof");
    let declined = LeftReason::Declined {
        reason: "no".into(),
    };
    let left = proof.left.iter().map(|line| &line.why);
    assert_eq!(left.collect::<Vec<_>>(), [&declined]);
}

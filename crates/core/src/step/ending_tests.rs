//! What a run that ends leaves unsaid (§10.1), and what is told of a push that came too late (§6.4).

use crate::effect::Effect;
use crate::event::{
    Cancel, Delivered, Delivery, Event, NextRun, Observed, PushFailed, PushFailure,
};
use crate::ids::{EffectId, Login, RunId};
use crate::lifecycle::State;
use crate::loop_state::LoopState;
use crate::note::Note;
use crate::post::PostContent;
use crate::snapshot::PullState;
use crate::step::step;
use crate::test_support::{LoopFixture, actor, comment, finding, thread};

/// A fix waits to be pushed; nothing of what was said has an answer yet. The push.
fn with_unanswered_posts() -> (LoopFixture, EffectId) {
    let mut w = LoopFixture::new();
    w.refuses_posts = Some("not now");
    w.poll()
        .finish_review(&[finding("a.py", "correctness", "x == y")])
        .finish_fix(Some('b'));
    assert_eq!(posts(&w.state).len(), 2);
    let (push, _) = w
        .find_effect(|e| matches!(e, Effect::Push(_)))
        .expect("a push");
    (w, push)
}

fn posts(state: &LoopState) -> Vec<(EffectId, &PostContent)> {
    let effects = state.outbox.effects.iter();
    effects
        .filter_map(|(id, effect)| match effect {
            Effect::Post(asked) => Some((id.clone(), &asked.post.content)),
            _ => None,
        })
        .collect()
}

/// Which of what there is to say is still to be sent.
fn wanted(state: &LoopState) -> Vec<&PostContent> {
    let all = posts(state).into_iter();
    all.filter(|(id, _)| !state.outbox.unwanted.contains(id))
        .map(|(_, content)| content)
        .collect()
}

fn refused(push: EffectId) -> Event {
    let failure = PushFailure::Refused {
        message: "GH006".into(),
    };
    Event::answered(push, PushFailed { failure })
}

#[test]
fn a_run_that_needs_a_person_has_only_its_last_word_to_say() {
    let (w, push) = with_unanswered_posts();
    let state = step(&w.state, &refused(push), w.now).state;
    assert_eq!(state.run.state, State::NeedsHuman);
    assert_eq!(posts(&state).len(), 3);
    assert!(matches!(wanted(&state)[..], [PostContent::Stop(_)]));
}

#[test]
fn what_is_found_by_the_look_that_ends_the_run_is_said() {
    let mut w = LoopFixture::new();
    w.refuses_posts = Some("not now");
    let obstacle = crate::snapshot::PushObstacle::Protected;
    w.snapshot.push_obstacles.insert(obstacle);
    w.poll()
        .finish_review(&[finding("a.py", "correctness", "x == y")]);
    assert_eq!(w.state.run.state, State::NeedsHuman);
    assert_eq!(wanted(&w.state).len(), 3);
}

#[test]
fn a_run_that_is_cancelled_or_closed_has_nothing_more_to_say() {
    let (w, _) = with_unanswered_posts();
    let by = Login::new("kim");
    let cancelled = step(&w.state, &Event::Cancel(Cancel { by }), w.now).state;
    let mut snapshot = Box::new(w.snapshot.clone());
    snapshot.state = PullState::Closed;
    let throttle = None;
    let closed = Event::Observed(Observed { snapshot, throttle });
    let closed = step(&w.state, &closed, w.now).state;
    for ended in [cancelled, closed] {
        assert_eq!(posts(&ended).len(), 2);
        assert!(wanted(&ended).is_empty());
    }
}

/// The next run may begin before the engine has come to what the last one left.
#[test]
fn what_was_given_up_stays_so_in_the_next_run_and_may_be_said_anew() {
    let (w, push) = with_unanswered_posts();
    let ended = step(&w.state, &refused(push), w.now).state;
    let policy = Box::new(w.state.run.configuration.policy.clone());
    let next = NextRun {
        by: Login::new("kim"),
        run: RunId::new("run-2"),
        policy,
        extra_rounds: 0,
    };
    let mut state = step(&ended, &Event::Resume(next), w.now).state;
    assert!(matches!(wanted(&state)[..], [PostContent::Stop(_)]));
    assert!(!state.memory.inlined.is_empty());
    for effect in state.outbox.unwanted.clone() {
        let message = "needs_human".to_owned();
        let delivery = Delivery::Undeliverable { message };
        let answer = Event::answered(effect, Delivered { delivery });
        state = step(&state, &answer, w.now).state;
    }
    assert!(state.outbox.unwanted.is_empty());
    assert!(state.memory.inlined.is_empty());
    assert!(state.memory.posted.is_empty());
}

#[test]
fn a_fix_that_does_not_go_on_top_of_another_push_is_told() {
    let (w, push) = with_unanswered_posts();
    let failure = PushFailure::Diverged;
    let done = step(
        &w.state,
        &Event::answered(push, PushFailed { failure }),
        w.now,
    );
    let told = |note: &Note| matches!(note, Note::PushConflicted { .. });
    assert_eq!(done.notes.iter().filter(|note| told(note)).count(), 1);
}

/// A person's comment is answered, and the answer is not sent when the run is cancelled. The next run has another answer by the time that the
/// engine gives the first one up.
fn with_another_answer() -> (LoopFixture, EffectId) {
    let mut w = LoopFixture::new();
    let ana = actor(20, "ana", false);
    let comment = comment(7, ana, "Please rename this.");
    w.snapshot.threads.push(thread("T1", comment));
    w.refuses_posts = Some("not now");
    w.poll()
        .finish_review(&[])
        .finish_fix(Some('b'))
        .finish_push();
    let first = reply(&w.state).expect("an answer");
    let by = Login::new("kim");
    w.apply(&Event::Cancel(Cancel { by: by.clone() }));
    let policy = Box::new(w.state.run.configuration.policy.clone());
    let run = RunId::new("run-2");
    let extra_rounds = 0;
    let next = NextRun {
        by,
        run,
        policy,
        extra_rounds,
    };
    w.apply(&Event::Retry(next));
    w.poll().finish_review(&[]).finish_fix(None);
    (w, first)
}

fn reply(state: &LoopState) -> Option<EffectId> {
    let mut all = posts(state).into_iter();
    let found = all.find(|(id, content)| {
        matches!(content, PostContent::Reply { .. }) && !state.outbox.unwanted.contains(id)
    });
    found.map(|(id, _)| id)
}

/// Found by the model: the thread waited for an answer that nobody was about to give.
#[test]
fn an_answer_that_was_given_up_does_not_take_the_next_runs_answer_along() {
    let (mut w, first) = with_another_answer();
    let second = reply(&w.state).expect("an answer of the second run");
    assert_ne!(first, second);
    let message = "cancelled".to_owned();
    let delivery = Delivery::Undeliverable { message };
    w.apply(&Event::answered(first, Delivered { delivery }));
    assert_eq!(reply(&w.state), Some(second));
    assert_eq!(w.state.memory.thread_replies.len(), 1);
}

#[test]
fn an_answer_that_had_arrived_after_all_is_not_given_again() {
    let (mut w, first) = with_another_answer();
    let delivery = Delivery::Confirmed { remote_id: 900 };
    w.apply(&Event::answered(first, Delivered { delivery }));
    assert_eq!(reply(&w.state), None);
    assert_eq!(w.state.memory.posted.len(), 1);
}

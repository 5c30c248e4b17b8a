//! What a run that ends leaves unsaid (§10.1), and what is told of a push that came too late (§6.4).

use crate::attention::Attention;
use crate::effect::Effect;
use crate::event::{
    Cancel, Delivered, Delivery, Event, NextRun, Observed, PushFailed, PushFailure,
};
use crate::ids::{EffectId, Login, RunId};
use crate::lifecycle::State;
use crate::loop_state::{LoopState, MergeType, PullEnd};
use crate::note::Note;
use crate::post::PostContent;
use crate::snapshot::PullState;
use crate::step::{Step, is_quiet, step};
use crate::test_support::{LoopFixture, actor, comment, finding, thread};

const MINUTE: u64 = 60_000;

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

/// A run that stopped for a person, some time ago.
fn stopped() -> LoopFixture {
    let (mut w, push) = with_unanswered_posts();
    w.apply(&refused(push));
    assert_eq!(w.state.attention(), Attention::NeedsYou);
    w.advance(5 * MINUTE);
    w
}

fn look(w: &LoopFixture, shown: PullState) -> Step {
    let mut snapshot = Box::new(w.snapshot.clone());
    (snapshot.state, snapshot.read_at) = (shown, w.now);
    let throttle = None;
    step(
        &w.state,
        &Event::Observed(Observed { snapshot, throttle }),
        w.now,
    )
}

/// From any state a loop ends with its pull request (§2): its run stays as it stopped, nobody is asked for anything, and nothing is sent.
#[test]
fn a_run_that_needs_a_person_needs_nobody_once_its_pull_request_has_ended() {
    let w = stopped();
    for (shown, end, merge_type) in [
        (PullState::Merged, PullEnd::Merged, Some(MergeType::Forced)),
        (PullState::Closed, PullEnd::Closed, None),
    ] {
        let done = look(&w, shown);
        let run = &done.state.run;
        assert_eq!(
            (run.state, &run.stop),
            (State::NeedsHuman, &w.state.run.stop)
        );
        assert_eq!((run.pull_end, run.merge_type), (Some(end), merge_type));
        assert_eq!(done.state.shown_state(), end.state());
        assert_eq!(done.state.attention(), Attention::Over);
        assert_eq!(run.polling.next_at, None);
        assert_eq!(done.notes, [Note::PullEnded { end }]);
        assert!(done.effects.is_empty() && done.dropped.is_empty());
        assert!(!is_quiet(&w.state, &done), "people are told");
        // Once.
        let mut again = stopped();
        again.state = done.state;
        let again = look(&again, shown);
        assert_eq!(again.state.run.pull_end, Some(end));
        assert!(
            !again.notes.contains(&Note::PullEnded { end }),
            "{:?}",
            again.notes
        );
    }
    assert_eq!(
        look(&w, PullState::Open).state.attention(),
        Attention::NeedsYou
    );
}

/// A state that was stored before this was known has no word of it, and one that knows nothing of it is written as before.
#[test]
fn how_a_pull_request_ended_is_written_only_where_that_is_known() {
    let w = stopped();
    let json = serde_json::to_value(&w.state).unwrap();
    assert_eq!(json["run"].get("pull_end"), None);
    assert_eq!(serde_json::from_value::<LoopState>(json).unwrap(), w.state);
    let ended = look(&w, PullState::Closed).state;
    let json = serde_json::to_value(&ended).unwrap();
    assert_eq!(json["run"]["pull_end"], "closed");
    assert_eq!(serde_json::from_value::<LoopState>(json).unwrap(), ended);
}

/// For a week it is read as often as one that is ready, and listens; then once a day, and only to see whether it is still open.
#[test]
fn a_run_that_needs_a_person_is_read_on_until_its_pull_request_has_ended() {
    const DAY: u64 = 24 * 60 * MINUTE;
    let mut w = stopped();
    assert_eq!(w.state.run.polling.next_at, Some(w.now));
    w.poll();
    assert_eq!(w.state.run.polling.next_at, Some(w.now.plus(5 * MINUTE)));
    w.advance(8 * DAY).poll();
    assert_eq!(w.state.run.polling.next_at, Some(w.now.plus(DAY)));
    let by = actor(20, "ana", false);
    w.snapshot.comments.push(comment(31, by, "/collie retry"));
    w.advance(DAY).poll();
    assert_eq!(
        w.state.run.state,
        State::NeedsHuman,
        "nobody listens any more"
    );
    assert_eq!(w.state.run.polling.next_at, Some(w.now.plus(DAY)));
    w.snapshot.state = PullState::Merged;
    w.advance(DAY).poll();
    assert_eq!(w.state.attention(), Attention::Over);
    assert_eq!(w.state.run.polling.next_at, None);
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

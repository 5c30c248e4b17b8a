//! What people and bots say: heard once, answered once, in one turn (§7; seed 002).

use crate::comments::{ThreadStatus, thread_status};
use crate::effect::{Effect, FixEffect, PostEffect};
use crate::event::{Delivered, Delivery, Event, FixFinished, Observed};
use crate::fix::{FixPayload, FixResult, FixSummary, FixedIssue, RejectedIssue};
use crate::ids::{EventKey, Sha};
use crate::lifecycle::State;
use crate::note::Note;
use crate::post::{AnsweredRemark, Disposition, PostContent};
use crate::session::AgentSession;
use crate::snapshot::{Comment, Review, ReviewVerdict};
use crate::step::step;
use crate::test_support::{LoopFixture, actor, comment, review, sha, thread};
use crate::token::turn_key;

pub(super) const MINUTE: u64 = 60_000;

pub(super) fn code(w: &LoopFixture) -> (State, &'static str) {
    let blocker = w.state.run.blocker.as_ref();
    (
        w.state.run.state,
        blocker.map_or("", |blocker| blocker.code()),
    )
}

/// Ana says something now.
pub(super) fn ana_says(w: &LoopFixture, id: u64, words: &str) -> Comment {
    Comment {
        created_at: w.now,
        ..comment(id, actor(20, "ana", false), words)
    }
}

/// A loop that is ready.
pub(super) fn ready() -> LoopFixture {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[]);
    assert_eq!(code(&w), (State::PrReadyToMerge, "awaiting_merge"));
    w.advance(MINUTE);
    w
}

fn asked(w: &LoopFixture) -> Option<FixPayload> {
    let (_, effect) = w.find_effect(|effect| matches!(effect, Effect::Fix(_)))?;
    match effect {
        Effect::Fix(FixEffect { payload, .. }) => Some(payload),
        _ => None,
    }
}

pub(super) fn titles(w: &LoopFixture) -> Vec<String> {
    let issues = asked(w).map(|payload| payload.issues_to_fix);
    let titles = issues.into_iter().flatten().map(|issue| issue.title);
    titles.collect()
}

/// The answer of an agent: everything fixed in a commit, or turned down in these words.
fn finished(payload: &FixPayload, commit: Option<Sha>, reason: &str) -> FixFinished {
    let ids = payload.issues_to_fix.iter().map(|issue| issue.id.clone());
    let (fixed, rejected): (Vec<String>, Vec<String>) = match commit {
        Some(_) => (ids.collect(), Vec::new()),
        None => (Vec::new(), ids.collect()),
    };
    let fixed = fixed.into_iter().map(|finding_id| FixedIssue {
        finding_id,
        commit_sha: String::new(),
        description: "It is handled.".into(),
    });
    let rejected = rejected.into_iter().map(|finding_id| RejectedIssue {
        finding_id,
        reason: reason.into(),
    });
    let result = FixResult {
        agent: "claude".into(),
        pr_number: 7,
        summary: FixSummary::default(),
        fixed_issues: fixed.collect(),
        rejected_issues: rejected.collect(),
        commits: Vec::new(),
    };
    FixFinished {
        commit,
        result: Box::new(result.validated(payload).expect("it fits")),
        oscillates: false,
        usage: Default::default(),
        session: None,
        verification: Default::default(),
        refused_hosts: Default::default(),
        files: vec!["a.py".into()],
    }
}

pub(super) fn agent_answers(w: &mut LoopFixture, commit: Option<char>, reason: &str) {
    let (effect, _) = w
        .find_effect(|effect| matches!(effect, Effect::Fix(_)))
        .expect("a fix is asked for");
    let payload = asked(w).expect("a fix is asked for");
    let done = finished(&payload, commit.map(sha), reason);
    w.apply(&Event::answered(effect, done));
    w.poll();
}

pub(super) fn answers(w: &LoopFixture) -> Vec<(AnsweredRemark, bool)> {
    let posts = w.posts.iter().filter_map(|content| match content {
        PostContent::Answers { items, asks_person } => Some((items, *asks_person)),
        _ => None,
    });
    posts
        .flat_map(|(items, asks)| items.iter().map(move |item| (item.clone(), asks)))
        .collect()
}

fn key_of(w: &LoopFixture, id: u64) -> EventKey {
    let mut keys = w.state.memory.feedback.keys();
    let part = format!(":{id}:");
    let found = keys.rfind(|key| key.as_str().contains(&part));
    found.expect("it was heard").clone()
}

pub(super) fn is_processed(w: &LoopFixture, id: u64) -> bool {
    w.state.memory.feedback[&key_of(w, id)]
        .processed_at
        .is_some()
}

#[test]
fn a_comment_on_a_ready_pull_request_goes_to_the_agent_is_answered_and_it_is_ready_again() {
    let mut w = ready();
    let words = ana_says(&w, 30, "Please handle an empty list.");
    w.snapshot.comments.push(words);
    w.poll();
    assert_eq!(code(&w), (State::PrFixing, "fixing"));
    assert_eq!(titles(&w), ["Please handle an empty list."]);
    assert!(!is_processed(&w, 30));
    agent_answers(&mut w, Some('b'), "");
    w.finish_push().finish_review(&[]);
    assert_eq!(code(&w), (State::PrReadyToMerge, "awaiting_merge"));
    let said = answers(&w);
    let [(item, false)] = said.as_slice() else {
        panic!("{said:?}")
    };
    assert_eq!(item.author.as_str(), "ana");
    assert_eq!(item.event, key_of(&w, 30));
    assert!(matches!(&item.disposition, Disposition::Fixed { commit, .. } if *commit == sha('b')));
    assert!(is_processed(&w, 30));
    // Nothing new: nothing more is said, and nobody works.
    for _ in 0..3 {
        w.advance(5 * MINUTE).poll();
        assert_eq!(code(&w), (State::PrReadyToMerge, "awaiting_merge"));
    }
    assert_eq!(answers(&w).len(), 1);
    assert_eq!(w.state.run.fixing.turns, 1);
}

#[test]
fn the_text_of_a_commented_review_is_answered_too() {
    let mut w = ready();
    w.snapshot.reviews.push(Review {
        body: "Is this thread-safe?".into(),
        submitted_at: Some(w.now),
        ..review(31, "ana", ReviewVerdict::Commented)
    });
    w.poll();
    assert_eq!(titles(&w), ["Is this thread-safe?"]);
    agent_answers(&mut w, None, "It is: the lock is taken above.");
    assert_eq!(code(&w).0, State::PrReadyToMerge);
    let said = answers(&w);
    assert!(
        matches!(&said[0].0.disposition, Disposition::Declined { reason } if reason.contains("lock")),
        "{said:?}"
    );
    assert!(is_processed(&w, 31));
    // The answer is all there is to report.
    let reports = |c: &PostContent| matches!(c, PostContent::Fix(_) | PostContent::Review(_));
    assert_eq!(w.count_posts(reports), 0);
}

#[test]
fn comments_threads_and_reviews_make_one_turn_with_one_key() {
    let mut w = ready();
    let (one, two) = (
        ana_says(&w, 30, "Rename it."),
        ana_says(&w, 32, "And test it."),
    );
    w.snapshot.comments.extend([one, two]);
    let inline = ana_says(&w, 33, "use is None");
    w.snapshot.threads.push(thread("T1", inline));
    w.poll();
    let payload = asked(&w).expect("a fix is asked for");
    assert_eq!(payload.issues_to_fix.len(), 3);
    let turn = payload.turn.clone().expect("it answers people");
    let keys = [30, 32, 33].map(|id| key_of(&w, id));
    assert_eq!(turn.events, keys.into());
    assert_eq!(turn.key, turn_key(&w.state.id, &turn.events));
    let noted =
        |note: &Note| matches!(note, Note::FeedbackTurn { turn: key, .. } if *key == turn.key);
    assert!(w.remarks.iter().any(noted), "{:?}", w.remarks);
    agent_answers(&mut w, Some('b'), "");
    w.finish_push().finish_review(&[]);
    // One comment for both, and a reply in the thread.
    let posts = |content: &PostContent| matches!(content, PostContent::Answers { .. });
    assert_eq!(w.count_posts(posts), 1);
    assert_eq!(answers(&w).len(), 2);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Reply { .. })), 1);
    assert_eq!(w.state.run.fixing.turns, 1);
}

#[test]
fn a_comment_that_comes_while_others_are_answered_is_for_the_next_turn() {
    let mut w = ready();
    let first = ana_says(&w, 30, "Rename it.");
    w.snapshot.comments.push(first);
    w.poll();
    let turn = asked(&w).and_then(|payload| payload.turn).expect("a turn");
    let later = ana_says(&w, 32, "And test it.");
    w.snapshot.comments.push(later);
    w.advance(MINUTE).poll();
    assert_eq!(
        asked(&w).and_then(|payload| payload.turn),
        Some(turn.clone())
    );
    agent_answers(&mut w, None, "It is the name of the standard.");
    assert_eq!(titles(&w), ["And test it."]);
    let next = asked(&w).and_then(|payload| payload.turn).expect("a turn");
    assert_ne!(next.key, turn.key);
    assert_eq!(next.events, [key_of(&w, 32)].into());
    agent_answers(&mut w, None, "There is one.");
    assert_eq!(code(&w).0, State::PrReadyToMerge);
    assert_eq!(answers(&w).len(), 2);
}

#[test]
fn an_edit_is_new_and_the_words_before_it_wait_for_nobody() {
    let mut w = ready();
    let first = ana_says(&w, 30, "Rename it.");
    w.snapshot.comments.push(first);
    w.poll();
    // Edited while it is answered: the answer is to the words that were handed over.
    let before = key_of(&w, 30);
    w.snapshot.comments[0].body = "Rename it, and test it.".into();
    w.advance(MINUTE).poll();
    agent_answers(&mut w, None, "It is the name of the standard.");
    assert_eq!(answers(&w)[0].0.event, before);
    assert_eq!(titles(&w), ["Rename it, and test it."]);
    agent_answers(&mut w, None, "There is one.");
    assert_eq!(code(&w).0, State::PrReadyToMerge);
    assert_eq!(answers(&w).len(), 2);
    // Edited when it is answered, then deleted before anybody got to it.
    w.snapshot.comments[0].body = "Rename it, test it, and document it.".into();
    w.advance(MINUTE).poll();
    assert_eq!(titles(&w), ["Rename it, test it, and document it."]);
    w.snapshot.comments.clear();
    agent_answers(&mut w, None, "It is documented.");
    assert_eq!(code(&w).0, State::PrReadyToMerge);
    let heard = w.state.memory.feedback.values();
    assert!(heard.into_iter().all(|heard| heard.processed_at.is_some()));
}

#[test]
fn without_a_model_a_person_is_asked_once_and_settles_it() {
    let mut w = ready();
    let first = ana_says(&w, 30, "Rename it.");
    w.snapshot.comments.push(first);
    w.poll().finish_fix(None);
    assert_eq!(code(&w), (State::PrReviewing, "comments_open"));
    assert!(is_processed(&w, 30), "the question is on GitHub");
    assert!(matches!(answers(&w).as_slice(), [(_, true)]));
    // Another one is left to people too, and nobody is asked once more.
    let second = ana_says(&w, 32, "And test it.");
    w.snapshot.comments.push(second);
    w.advance(MINUTE).poll().finish_fix(None);
    assert_eq!(code(&w), (State::PrReviewing, "comments_open"));
    assert_eq!(answers(&w).len(), 1);
    for _ in 0..3 {
        w.advance(MINUTE).poll();
        assert_eq!(code(&w), (State::PrReviewing, "comments_open"));
    }
    assert!(w.state.is_settled());
    let done = ana_says(&w, 33, "/collie done");
    w.snapshot.comments.push(done);
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), (State::PrReadyToMerge, "awaiting_merge"));
    assert_eq!(w.state.run.fixing.turns, 2);
}

#[test]
fn an_approval_settles_what_its_author_said_before() {
    let mut w = ready();
    let first = ana_says(&w, 30, "Rename it.");
    w.snapshot.comments.push(first);
    w.poll().finish_fix(None);
    assert_eq!(code(&w).1, "comments_open");
    w.advance(MINUTE);
    w.snapshot.reviews.push(Review {
        submitted_at: Some(w.now),
        ..review(40, "ben", ReviewVerdict::Approved)
    });
    w.poll();
    assert_eq!(code(&w).1, "comments_open", "another's word");
    w.snapshot.reviews.push(Review {
        submitted_at: Some(w.now),
        ..review(41, "ana", ReviewVerdict::Approved)
    });
    w.advance(MINUTE).poll();
    assert_eq!(code(&w).0, State::PrReadyToMerge);
}

/// A fix that is done, and what it has to say not confirmed yet.
fn answered_but_not_confirmed(w: &mut LoopFixture) {
    let (effect, _) = w
        .find_effect(|e| matches!(e, Effect::Fix(_)))
        .expect("a fix");
    let payload = asked(w).expect("a fix");
    let done = finished(&payload, None, "It is the name of the standard.");
    for event in [
        Event::answered(effect, done),
        Event::Observed(Observed {
            snapshot: Box::new(w.snapshot.clone()),
            throttle: None,
        }),
    ] {
        w.state = step(&w.state, &event, w.now).state;
    }
}

fn look_without_delivery(w: &mut LoopFixture) {
    w.advance(MINUTE);
    w.snapshot.read_at = w.now;
    let look = Event::Observed(Observed {
        snapshot: Box::new(w.snapshot.clone()),
        throttle: None,
    });
    w.state = step(&w.state, &look, w.now).state;
}

#[test]
fn nothing_is_processed_nor_handed_over_again_while_its_answer_is_not_confirmed() {
    let mut w = ready();
    let words = ana_says(&w, 30, "Rename it.");
    w.snapshot.comments.push(words);
    let inline = ana_says(&w, 31, "use is None");
    w.snapshot.threads.push(thread("T1", inline));
    w.poll();
    answered_but_not_confirmed(&mut w);
    for _ in 0..3 {
        look_without_delivery(&mut w);
        assert_eq!(code(&w), (State::PrReviewing, "posting"));
        assert!(!is_processed(&w, 30) && !is_processed(&w, 31));
        let status = thread_status(&w.state, &w.snapshot, &w.snapshot.threads[0]);
        assert_eq!(status, ThreadStatus::Replying);
        assert!(asked(&w).is_none());
    }
    let posts: Vec<_> = w
        .state
        .outbox
        .effects
        .iter()
        .filter(|(_, effect)| matches!(effect, Effect::Post(PostEffect { .. })))
        .map(|(id, _)| id.clone())
        .collect();
    assert!(posts.len() >= 2);
    for id in posts {
        let delivery = Delivery::Confirmed { remote_id: 900 };
        let there = Event::answered(id, Delivered { delivery });
        w.state = step(&w.state, &there, w.now).state;
    }
    look_without_delivery(&mut w);
    assert!(is_processed(&w, 30) && is_processed(&w, 31));
    assert_eq!(code(&w).0, State::PrReadyToMerge);
}

#[test]
fn an_answer_that_cannot_be_delivered_is_left_to_a_person() {
    let mut w = ready();
    let words = ana_says(&w, 30, "Rename it.");
    w.snapshot.comments.push(words);
    w.poll();
    answered_but_not_confirmed(&mut w);
    let (id, _) = w
        .find_effect(|e| matches!(e, Effect::Post(asked) if matches!(asked.post.content, PostContent::Answers { .. })))
        .expect("it is to be said");
    let delivery = Delivery::Undeliverable {
        message: "locked".into(),
    };
    w.state = step(
        &w.state,
        &Event::answered(id, Delivered { delivery }),
        w.now,
    )
    .state;
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), (State::PrReviewing, "comments_open"));
    assert!(is_processed(&w, 30));
    let done = ana_says(&w, 33, "/collie done");
    w.snapshot.comments.push(done);
    w.advance(MINUTE).poll();
    assert_eq!(code(&w).0, State::PrReadyToMerge);
}

/// The head is no part of the key: whoever crashes after the push finds the same turn again (§7.2).
#[test]
fn the_same_turn_has_the_same_key_after_another_push_took_its_work_away() {
    let mut w = ready();
    let words = ana_says(&w, 30, "Rename it.");
    w.snapshot.comments.push(words);
    w.poll();
    let turn = asked(&w).and_then(|payload| payload.turn).expect("a turn");
    w.snapshot.head = sha('e');
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(asked(&w).and_then(|payload| payload.turn), Some(turn));
}

#[test]
fn session_and_what_came_of_it_are_kept_in_one_transaction() {
    let mut w = ready();
    let words = ana_says(&w, 30, "Rename it.");
    w.snapshot.comments.push(words);
    w.poll();
    let (effect, _) = w
        .find_effect(|e| matches!(e, Effect::Fix(_)))
        .expect("a fix");
    let payload = asked(&w).expect("a fix");
    let session = AgentSession {
        agent: "claude".into(),
        session: "s1".into(),
        cost_micros: 7,
    };
    let mut done = Event::answered(effect, finished(&payload, None, "no"));
    let Event::Answered(answered) = &mut done else {
        unreachable!()
    };
    answered.agent_session = Some(session.clone());
    let after = step(&w.state, &done, w.now).state;
    assert_eq!(after.memory.fixer_session, Some(session));
    assert!(after.run.fixing.pending.is_some());
    // A late answer changes neither.
    let Event::Answered(late) = &mut done else {
        unreachable!()
    };
    late.agent_session = None;
    let again = step(&after, &done, w.now).state;
    assert_eq!(again.memory.fixer_session, after.memory.fixer_session);
}

#[test]
fn a_bots_body_is_processed_once_what_it_finds_has_its_disposition() {
    let body = "**Actionable comments posted: 0**\n\n<details>\n<summary>🧹 Nitpick comments (0)</summary>\n</details>";
    let mut w = ready();
    let rabbit = actor(136_622_811, "coderabbitai", true);
    w.snapshot.comments.push(comment(30, rabbit, body));
    w.poll();
    assert!(is_processed(&w, 30));
}

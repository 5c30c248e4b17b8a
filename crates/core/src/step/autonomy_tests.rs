//! What each level lets be written, and what becomes of the rest (§13.7).

use crate::autonomy::Autonomy;
use crate::blocker::Blocker;
use crate::effect::{Effect, FixEffect, RejectedPush};
use crate::event::{AutonomyChanged, Event, PushApproved, PushRejected, Rebased, RemoteHead};
use crate::finding::{Finding, SourceType};
use crate::fix::note_codes;
use crate::ids::Login;
use crate::lifecycle::State;
use crate::note::Note;
use crate::post::PostContent;
use crate::snapshot::CheckConclusion;
use crate::test_support::{LoopFixture, actor, check, comment, finding, sha, thread};
use crate::tracked_finding::FindingStatus;

const MINUTE: u64 = 60_000;

fn rule_finding() -> Finding {
    finding("a.py", "bug", "if x == None:")
}

fn at_level(level: Autonomy) -> LoopFixture {
    let mut w = LoopFixture::new();
    w.state.chosen_autonomy.level = level;
    w
}

fn set_level(w: &mut LoopFixture, level: Autonomy) {
    let changed = AutonomyChanged {
        by: Login::new("kim"),
        level,
        configured: None,
    };
    w.apply(&Event::AutonomyChanged(changed)).poll();
}

fn state_and_code(w: &LoopFixture) -> (State, &'static str) {
    let blocker = w.state.run.blocker.as_ref().map(Blocker::code);
    (w.state.run.state, blocker.unwrap_or_default())
}

fn held(w: &LoopFixture) -> Vec<String> {
    let held = w.state.outbox.held.iter();
    held.map(|held| held.effect.label()).collect()
}

fn asked_writes(w: &LoopFixture) -> usize {
    let asked = w.state.outbox.effects.values();
    asked.filter(|e| e.github_write().is_some()).count()
}

fn is_pushing(w: &LoopFixture) -> bool {
    w.find_effect(|e| matches!(e, Effect::Push(_))).is_some()
}

fn approve(w: &mut LoopFixture, commit: char, head: char) {
    w.apply(&Event::PushApproved(PushApproved {
        by: Login::new("kim"),
        commit: sha(commit),
        head: sha(head),
    }))
    .poll();
}

fn reject(w: &mut LoopFixture, commit: char, note: &str) {
    w.apply(&Event::PushRejected(PushRejected {
        by: Login::new("kim"),
        commit: sha(commit),
        head: sha('a'),
        note: note.into(),
    }))
    .poll();
}

/// The pending fix as one of an agent, which reads what people say.
fn made_by_agent(w: &mut LoopFixture) {
    let pending = w.state.run.fixing.pending.as_mut();
    pending.expect("a fix waits").result.agent = "claude".into();
}

fn ignored(w: &LoopFixture) -> bool {
    let ignored =
        |note: &Note| matches!(note, Note::Ignored { reason } if reason == "no_such_push");
    w.remarks.iter().any(ignored)
}

#[test]
fn a_loop_that_observes_asks_for_no_write_and_shows_what_it_would_post_and_push() {
    let mut w = at_level(Autonomy::Observe);
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(held(&w), ["post:review", "post:inline"]);
    w.finish_fix(Some('b'));
    assert_eq!(state_and_code(&w), (State::PrFixing, "observing"));
    let push = w.state.held_push().expect("a commit waits");
    assert_eq!((push.commit, push.head), (&sha('b'), &sha('a')));
    assert_eq!(push.files, ["a.py"]);
    assert_eq!(w.state.held_count(), 3);
    assert!(w.posts.is_empty() && asked_writes(&w) == 0);
    // Not even what asks the token's rights, which GitHub is asked by a write.
    assert!(w.rights_asked.is_empty());
    assert!(w.state.is_settled());
    assert!(w.state.run.blocker.as_ref().unwrap().needs_person());

    let before = w.state.clone();
    w.advance(MINUTE).poll();
    assert_eq!(
        w.state.without_times_of_reading(),
        before.without_times_of_reading()
    );
}

#[test]
fn what_was_held_is_sent_in_order_once_the_level_is_raised() {
    let mut w = at_level(Autonomy::Observe);
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    set_level(&mut w, Autonomy::Push);
    assert!(matches!(
        w.posts.as_slice(),
        [PostContent::Review(_), PostContent::Inline { .. }]
    ));
    assert_eq!(w.rights_asked.len(), 1, "before anything is written");
    assert!(held(&w).is_empty() && is_pushing(&w));
    w.finish_push().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Review(_))), 1);
}

#[test]
fn what_was_held_for_a_head_that_is_gone_is_thrown_away_and_derived_anew() {
    let mut w = at_level(Autonomy::Observe);
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    assert!(held(&w).is_empty() && w.state.held_push().is_none());
    let discarded = |note: &Note| matches!(note, Note::HeldDiscarded { count: 2 });
    assert!(w.remarks.iter().any(discarded));
    w.finish_review(&[rule_finding()]);
    assert_eq!(held(&w), ["post:review", "post:inline"]);
    set_level(&mut w, Autonomy::Push);
    let of_new_head = |content: &PostContent| match content {
        PostContent::Review(report) => report.head == sha('c'),
        PostContent::Inline { head, .. } => *head == sha('c'),
        _ => false,
    };
    assert_eq!((w.posts.len(), w.count_posts(of_new_head)), (2, 2));
}

#[test]
fn a_reply_that_was_thrown_away_is_given_on_the_new_head() {
    let mut w = at_level(Autonomy::Observe);
    let words = comment(40, actor(20, "ana", false), "rename this");
    w.snapshot.threads.push(thread("T_1", words));
    w.poll().finish_review(&[]).finish_fix(None);
    assert_eq!(held(&w), ["post:review", "post:fix", "post:reply"]);
    assert_eq!(state_and_code(&w).1, "observing");
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll().finish_review(&[]);
    assert!(
        w.find_effect(|e| matches!(e, Effect::Fix(_))).is_some(),
        "{:?}",
        state_and_code(&w)
    );
}

#[test]
fn a_check_that_would_be_run_again_waits_and_is_asked_for_once_it_may() {
    let mut w = at_level(Autonomy::Observe);
    let mut lost = check("build", Some(CheckConclusion::Cancelled));
    lost.id = 77;
    w.snapshot.checks = vec![lost];
    w.poll();
    for _ in 0..30 {
        w.advance(MINUTE).poll();
    }
    assert_eq!(state_and_code(&w), (State::PrAwaitingChecks, "observing"));
    assert_eq!(held(&w), ["rerun_checks"]);
    assert!(w.rerun.is_empty());
    set_level(&mut w, Autonomy::Ask);
    assert_eq!((w.rerun.as_slice(), held(&w).len()), (&[77][..], 0));
}

#[test]
fn a_label_and_the_repository_only_lower_the_level() {
    let mut w = at_level(Autonomy::Push);
    w.snapshot.labels.insert("Collie:Observe".into());
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(w.state.autonomy(), Autonomy::Observe);
    assert!(w.posts.is_empty() && w.rights_asked.is_empty());
    w.snapshot.labels.clear();
    w.advance(MINUTE).poll();
    assert_eq!((w.state.autonomy(), w.posts.len()), (Autonomy::Push, 2));

    let mut w = at_level(Autonomy::Observe);
    w.state.run.configuration.policy.max_autonomy = Autonomy::Push;
    assert_eq!(w.state.autonomy(), Autonomy::Observe);
    w.state.chosen_autonomy.level = Autonomy::Push;
    w.state.run.configuration.policy.max_autonomy = Autonomy::Ask;
    assert_eq!(w.state.autonomy(), Autonomy::Ask);
}

#[test]
fn the_last_word_of_a_run_that_stopped_is_sent_only_for_the_head_it_is_about() {
    for moved in [false, true] {
        let mut w = at_level(Autonomy::Observe);
        w.poll().finish_review(&[rule_finding()]).finish_fix(None);
        assert_eq!(w.state.run.state, State::NeedsHuman);
        assert!(held(&w).contains(&"post:stop".to_owned()));
        assert!(w.posts.is_empty() && w.state.is_settled());
        set_level(&mut w, Autonomy::Push);
        assert!(w.posts.is_empty());
        let asked = w.find_effect(|e| matches!(e, Effect::ReadRemoteHead(_)));
        let (id, _) = asked.expect("git is asked");
        let head = Some(sha(if moved { 'c' } else { 'a' }));
        w.apply(&Event::answered(id, RemoteHead { head }));
        assert!(held(&w).is_empty());
        let said = w.count_posts(|c| matches!(c, PostContent::Stop(_)));
        assert_eq!(said, usize::from(!moved));
    }
}

#[test]
fn a_loop_that_may_say_by_now_what_it_held_is_not_settled_before_it_has() {
    let mut w = at_level(Autonomy::Observe);
    w.poll().finish_review(&[]);
    assert_eq!(
        state_and_code(&w),
        (State::PrReadyToMerge, "awaiting_merge")
    );
    assert!(w.state.is_settled());
    w.apply(&Event::AutonomyChanged(AutonomyChanged {
        by: Login::new("kim"),
        level: Autonomy::Push,
        configured: None,
    }));
    assert!(!w.state.is_settled());
    w.poll();
    assert!(w.state.is_settled() && w.posts.len() == 1);
}

#[test]
fn a_new_run_forgets_what_was_held_and_says_it_itself() {
    let mut w = at_level(Autonomy::Observe);
    w.poll().finish_review(&[rule_finding()]);
    w.apply(&Event::Cancel(crate::event::Cancel {
        by: Login::new("kim"),
    }));
    assert_eq!(w.state.run.state, State::Cancelled);
    assert_eq!(held(&w).len(), 2, "still shown");
    let policy = Box::new(w.state.run.configuration.policy.clone());
    w.apply(&Event::Retry(crate::event::NextRun {
        by: Login::new("kim"),
        run: crate::ids::RunId::new("run-2"),
        policy,
        extra_rounds: 0,
    }));
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(held(&w), ["post:review", "post:inline"]);
    assert!(w.posts.is_empty());
}

#[test]
fn at_ask_it_posts_and_each_push_waits_for_a_person() {
    let mut w = at_level(Autonomy::Ask);
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    assert_eq!(w.posts.len(), 2);
    assert_eq!(state_and_code(&w), (State::PrFixing, "awaiting_approval"));
    let Some(Blocker::AwaitingApproval {
        commit,
        count,
        names,
    }) = &w.state.run.blocker
    else {
        unreachable!()
    };
    assert_eq!(
        (commit, *count, names.join(" ")),
        (&sha('b'), 1, "a.py".into())
    );
    assert!(w.state.is_settled() && !is_pushing(&w));

    approve(&mut w, 'b', 'a');
    assert!(is_pushing(&w));
    w.finish_push().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert_eq!(w.state.run.fixing.approved_push, None);
}

#[test]
fn approval_is_of_one_commit_on_one_head_and_given_once() {
    let mut w = at_level(Autonomy::Ask);
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    approve(&mut w, 'd', 'a');
    assert!(ignored(&w) && !is_pushing(&w), "another commit");
    approve(&mut w, 'b', 'c');
    assert!(!is_pushing(&w), "another head");

    // Approved, and somebody pushes before it is.
    w.apply(&Event::PushApproved(PushApproved {
        by: Login::new("kim"),
        commit: sha('b'),
        head: sha('a'),
    }));
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    assert!(!is_pushing(&w));
    assert_eq!(w.state.run.fixing.approved_push, None);
    w.finish_review(&[rule_finding()]).finish_fix(Some('e'));
    assert_eq!(state_and_code(&w).1, "awaiting_approval");

    approve(&mut w, 'e', 'c');
    w.remarks.clear();
    approve(&mut w, 'e', 'c');
    assert!(ignored(&w), "twice");
    let mut observed = at_level(Autonomy::Observe);
    observed
        .poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    approve(&mut observed, 'b', 'a');
    assert!(!is_pushing(&observed), "observing");
}

#[test]
fn a_commit_that_was_rebased_is_another_one_and_is_not_pushed() {
    let mut w = at_level(Autonomy::Ask);
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    approve(&mut w, 'b', 'a');
    let (id, _) = w
        .find_effect(|e| matches!(e, Effect::Push(_)))
        .expect("it is approved");
    // Somebody pushed in between; the fix was laid on top of that.
    w.apply(&Event::answered(
        id,
        Rebased {
            commit: sha('d'),
            onto: sha('c'),
            verification: Default::default(),
            refused_hosts: Default::default(),
        },
    ));
    assert!(!is_pushing(&w), "nobody has approved that commit");
    w.snapshot.head = sha('c');
    w.poll();
    // The head has moved for the person who approved, too: it is reviewed anew, and what comes of that asks again.
    assert_eq!(state_and_code(&w).0, State::PrReviewing);
    assert!(!is_pushing(&w));
    w.finish_review(&[rule_finding()]).finish_fix(Some('e'));
    assert_eq!(state_and_code(&w).1, "awaiting_approval");
}

#[test]
fn a_rejection_goes_to_the_fixer_with_its_note_three_times() {
    let mut w = at_level(Autonomy::Ask);
    let by_agent = Finding {
        source: crate::finding::FindingSource {
            kind: SourceType::Agent,
            ..rule_finding().source
        },
        ..rule_finding()
    };
    w.poll().finish_review(&[by_agent]).finish_fix(Some('b'));
    for (commit, next) in [('b', 'c'), ('c', 'd')] {
        made_by_agent(&mut w);
        reject(&mut w, commit, "keep the name");
        let asked = w.find_effect(|e| matches!(e, Effect::Fix(_)));
        let Some((_, Effect::Fix(FixEffect { rejected, head, .. }))) = asked else {
            panic!("the fixer is asked again: {:?}", state_and_code(&w));
        };
        let note = "keep the name".into();
        let commit = sha(commit);
        assert_eq!(rejected, Some(RejectedPush { commit, note }));
        assert_eq!(head, sha('a'));
        assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
        w.finish_fix(Some(next));
        assert_eq!(state_and_code(&w).1, "awaiting_approval");
    }
    made_by_agent(&mut w);
    reject(&mut w, 'd', "keep the name");
    assert!(w.find_effect(|e| matches!(e, Effect::Fix(_))).is_none());
    let known = w.state.run.review.findings.values().next().unwrap();
    assert_eq!(known.status, FindingStatus::Rejected);
    let reason = format!("{}:keep the name", note_codes::PUSH_REJECTED);
    assert_eq!(known.rejection.as_deref(), Some(reason.as_str()));
    let rejected = |note: &&Note| matches!(note, Note::PushRejected { .. });
    assert_eq!(w.remarks.iter().filter(rejected).count(), 3);
    assert!(!is_pushing(&w));
}

#[test]
fn the_rules_make_nothing_else_of_a_rejection_so_one_is_enough() {
    let mut w = at_level(Autonomy::Ask);
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    reject(&mut w, 'b', "");
    assert!(w.find_effect(|e| matches!(e, Effect::Fix(_))).is_none());
    let known = w.state.run.review.findings.values().next().unwrap();
    assert_eq!(known.rejection.as_deref(), Some(note_codes::PUSH_REJECTED));
}

#[test]
fn a_state_of_an_older_version_pushes() {
    let w = LoopFixture::new();
    let mut json = serde_json::to_value(&w.state).unwrap();
    let text = json.to_string();
    for new in ["autonomy", "held", "observed_by_label", "approved_push"] {
        assert!(!text.contains(new), "{new} is written where nothing is set");
    }
    json["run"]["configuration"]["policy"]
        .as_object_mut()
        .unwrap()
        .remove("max_autonomy");
    let read: crate::loop_state::LoopState = serde_json::from_value(json).unwrap();
    assert_eq!(read.autonomy(), Autonomy::Push);
    assert_eq!(read, w.state);
}

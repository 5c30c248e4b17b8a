//! Scripts in, states and effects out.

use super::step;
use crate::blocker::{Blocker, Stop};
use crate::effect::Effect;
use crate::effect::{FixEffect, PushEffect, ReviewEffect};
use crate::error_code::ErrorCode;
use crate::event::{
    Answered, Cancel, ConfigInvalid, Delivered, FixFinished, NextRun, ObserveFailed, Observed,
    Outcome, PushFailed, Pushed, Rebased, RemoteHead, ReviewFinished, SessionFailed, TrustChanged,
};
use crate::event::{Delivery, Event, PushFailure, SessionCancelled, SessionFailure};
use crate::finding::{Finding, Priority, SourceType};
use crate::ids::{Login, Sha, Time};
use crate::lifecycle::State;
use crate::loop_state::MergeType;
use crate::note::Note;
use crate::post::{Disposition, PostContent};
use crate::snapshot::{
    CheckConclusion, CheckStatus, Mergeable, ObserveFailure, PullState, PushObstacle,
    ReviewVerdict, Snapshot,
};
use crate::test_support::{LoopFixture, actor, check, comment, finding, review, sha, thread};
use crate::tracked_finding::FindingStatus;
use crate::usage::Usage;
use crate::user_error::UserError;

const MINUTE: u64 = 60_000;

fn rule_finding() -> Finding {
    finding("a.py", "rule:is-literal", "if kind is \"csv\":")
}

fn stop_or_blocker_code(world: &LoopFixture) -> &'static str {
    match (&world.state.run.stop, &world.state.run.blocker) {
        (Some(stop), _) => stop.code(),
        (None, Some(blocker)) => blocker.code(),
        (None, None) => "",
    }
}

fn state_and_code(world: &LoopFixture) -> (State, &'static str) {
    (world.state.run.state, stop_or_blocker_code(world))
}

fn is_stop(content: &PostContent) -> bool {
    matches!(content, PostContent::Stop(_))
}

#[test]
fn a_clean_change_is_reviewed_once_and_gets_one_proof() {
    let mut w = LoopFixture::new();
    w.poll();
    assert_eq!(state_and_code(&w), (State::PrReviewing, "reviewing"));
    w.finish_review(&[]);
    assert_eq!(
        state_and_code(&w),
        (State::PrReadyToMerge, "awaiting_merge")
    );
    w.advance(5 * MINUTE).poll().advance(5 * MINUTE).poll();
    assert!(matches!(w.posts.as_slice(), [PostContent::Proof(proof)] if proof.head == sha('a')));
    assert!(w.state.is_settled());
}

#[test]
fn a_finding_is_reported_fixed_pushed_reviewed_again_and_proved() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    w.finish_fix(Some('b'));
    assert_eq!(state_and_code(&w), (State::PrFixing, "pushing"));
    w.finish_push();
    assert_eq!(state_and_code(&w), (State::PrReviewing, "reviewing"));
    assert_eq!(w.state.run.fixing.iteration, 1);
    w.finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert!(matches!(
        w.posts.as_slice(),
        [
            PostContent::Review(_),
            PostContent::Inline { .. },
            PostContent::Fix(_),
            PostContent::Proof(_)
        ]
    ));
}

#[test]
fn questions_are_posted_and_never_fixed() {
    let mut question = rule_finding();
    question.kind = crate::finding::FindingKind::Question;
    let mut w = LoopFixture::new();
    w.poll().finish_review(std::slice::from_ref(&question));
    let Some(PostContent::Inline { comments, .. }) = w
        .posts
        .iter()
        .find(|c| matches!(c, PostContent::Inline { .. }))
    else {
        panic!("the question is put in its line");
    };
    let body = crate::text::append_token("Why?", &comments[0].token);
    let kim = actor(10, "kim", false);
    w.snapshot.threads = vec![thread("T1", comment(60, kim, &body))];
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), (State::PrReviewing, "threads_open"));
    assert!(w.find_effect(|e| matches!(e, Effect::Fix(_))).is_none());
    w.snapshot.threads[0].resolved = true;
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Review(_))), 1);
}

#[test]
fn suggestions_do_not_block_and_stand_in_the_proof() {
    let mut hint = rule_finding();
    hint.priority = Priority::P3;
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[hint]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert!(matches!(&w.posts[0], PostContent::Proof(proof) if proof.suggestions.len() == 1));
}

#[test]
fn suggestions_go_to_the_fixer_only_where_that_is_wanted() {
    for wanted in [false, true] {
        let mut hint = finding("b.py", "rule:eq-none", "x == None");
        hint.priority = Priority::P3;
        let mut w = LoopFixture::new();
        w.state.run.configuration.policy.fix_suggestions = wanted;
        w.poll().finish_review(&[rule_finding(), hint]);
        let Some((_, Effect::Fix(FixEffect { payload, .. }))) =
            w.find_effect(|e| matches!(e, Effect::Fix(_)))
        else {
            panic!("a fix is asked for");
        };
        assert_eq!(payload.optional_issues.len(), usize::from(wanted));
        w.finish_fix(Some('b')).finish_push();
        let report = w.posts.iter().find_map(|content| match content {
            PostContent::Fix(report) => Some(report),
            _ => None,
        });
        assert_eq!(report.expect("a report").deferred, 1, "{wanted}");
    }
}

#[test]
fn a_finding_that_was_confirmed_as_fixed_and_comes_back_is_stuck() {
    let mut w = LoopFixture::new();
    let other = finding("b.py", "rule:other", "x == None");
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'))
        .finish_push();
    // Confirmed: the look at that head finds something else.
    w.finish_review(&[other])
        .finish_fix(Some('c'))
        .finish_push();
    w.finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "stuck"));
    let known = w.state.run.review.findings.values();
    let mut statuses: Vec<_> = known.map(|known| known.status).collect();
    statuses.sort();
    assert_eq!(statuses, [FindingStatus::Fixed, FindingStatus::Stuck]);
    assert_eq!(w.count_posts(is_stop), 1);
}

#[test]
fn what_the_fixer_cannot_fix_is_upheld_and_a_person_is_asked() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[rule_finding()]).finish_fix(None);
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "upheld"));
    assert!(w.find_effect(|e| matches!(e, Effect::Push(_))).is_none());
}

/// A fault that the one reviewer, being an agent, has found.
fn agent_finding() -> Finding {
    let mut found = rule_finding();
    found.source.kind = SourceType::Agent;
    found
}

#[test]
fn a_rejection_goes_back_to_the_reviewer_that_found_it_once() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[agent_finding()]).finish_fix(None);
    let (_, asked) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    let Effect::Review(ReviewEffect {
        since,
        head,
        known_findings: known,
        ..
    }) = asked
    else {
        unreachable!()
    };
    assert_eq!(since, Some(head), "nothing changed since");
    assert!(known[0].rejection.is_some(), "it is told why");
    assert_eq!(state_and_code(&w), (State::PrReviewing, "reviewing"));
    w.finish_review(&[agent_finding()]);
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "upheld"));
}

#[test]
fn what_its_reviewer_withdraws_stays_withdrawn_and_the_run_goes_on() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[agent_finding()]).finish_fix(None);
    w.finish_review_withdrawing(&[], &[agent_finding()]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    let status = |w: &LoopFixture| w.state.run.review.findings.values().next().unwrap().status;
    assert_eq!(status(&w), FindingStatus::Withdrawn);
    let proof = w.state.run.head.proof.as_ref().expect("a proof");
    assert_eq!(proof.left.len(), 1, "it was declined: {proof:?}");
}

#[test]
fn nobody_takes_back_what_another_has_found() {
    let mut w = LoopFixture::new();
    let mut of_quinn = agent_finding();
    of_quinn.source.name = "quinn".into();
    w.poll()
        .finish_review_withdrawing(&[of_quinn.clone()], &[of_quinn]);
    let status = w.state.run.review.findings.values().next().unwrap().status;
    assert_eq!(status, FindingStatus::Open);
}

#[test]
fn the_sixth_push_is_not_made() {
    let mut w = LoopFixture::new();
    w.poll();
    for digit in ['b', 'c', 'd', 'e', 'f'] {
        let new = finding(
            "a.py",
            &format!("rule:{digit}"),
            &format!("line {digit} is its own"),
        );
        w.finish_review(&[new])
            .finish_fix(Some(digit))
            .finish_push();
    }
    w.finish_review(&[finding("a.py", "rule:last", "yet another one")]);
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "iterations_spent"));
    assert_eq!(w.state.run.fixing.iteration, 5);
}

#[test]
fn red_ci_goes_to_the_fixer_without_a_review() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![check("test", Some(CheckConclusion::Failure))];
    w.poll();
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    let (_, effect) = w.find_effect(|e| matches!(e, Effect::Fix(_))).unwrap();
    let Effect::Fix(FixEffect { payload, .. }) = effect else {
        unreachable!()
    };
    assert_eq!(payload.issues_to_fix[0].category, "ci");
    assert!(
        payload.issues_to_fix[0]
            .evidence
            .as_deref()
            .unwrap()
            .contains("it broke")
    );
    w.finish_fix(None);
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "upheld"));
    let Some(PostContent::Stop(report)) = w.posts.last() else {
        panic!("a last word")
    };
    assert!(
        report.findings[0]
            .finding
            .evidence
            .as_deref()
            .unwrap()
            .contains("it broke")
    );
}

#[test]
fn a_round_collects_failures_for_five_minutes_before_it_acts() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![
        check("test", Some(CheckConclusion::Failure)),
        check("e2e", None),
    ];
    w.poll();
    assert_eq!(
        state_and_code(&w),
        (State::PrAwaitingChecks, "collecting_failures")
    );
    w.advance(5 * MINUTE - 1).poll();
    assert_eq!(stop_or_blocker_code(&w), "collecting_failures");
    w.advance(1).poll();
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
}

#[test]
fn ci_that_never_ends_fails_the_run_on_the_first_look_after_thirty_minutes() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![check("build", None)];
    w.poll();
    assert_eq!(
        state_and_code(&w),
        (State::PrAwaitingChecks, "checks_running")
    );
    // A laptop that slept looks first: the check ended meanwhile.
    let mut slept = LoopFixture::new();
    slept.snapshot.checks = vec![check("build", None)];
    slept.poll();
    slept.snapshot.checks = vec![check("build", Some(CheckConclusion::Success))];
    slept.advance(300 * MINUTE).poll();
    assert_eq!(state_and_code(&slept).0, State::PrReviewing);
    w.advance(30 * MINUTE).poll();
    assert_eq!(state_and_code(&w), (State::Failed, "ci_timeout"));
}

#[test]
fn every_status_and_conclusion_counts_as_the_specification_says() {
    use CheckConclusion::*;
    let ends = [
        (Success, State::PrReviewing),
        (Neutral, State::PrReviewing),
        (Skipped, State::PrReviewing),
        (Failure, State::PrFixing),
        // Run once more first.
        (Cancelled, State::PrAwaitingChecks),
        (TimedOut, State::PrAwaitingChecks),
        (Stale, State::PrAwaitingChecks),
        (StartupFailure, State::PrAwaitingChecks),
        (ActionRequired, State::PrAwaitingChecks),
    ];
    for (conclusion, expect) in ends {
        let mut w = LoopFixture::new();
        w.snapshot.checks = vec![check("build", Some(conclusion))];
        assert_eq!(w.poll().state.run.state, expect, "{conclusion:?}");
    }
    use CheckStatus::*;
    for status in [Queued, InProgress, Waiting, Requested, Pending] {
        let mut w = LoopFixture::new();
        w.snapshot.checks[0].status = status;
        w.snapshot.checks[0].conclusion = None;
        assert_eq!(
            w.poll().state.run.state,
            State::PrAwaitingChecks,
            "{status:?}"
        );
    }
}

#[test]
fn what_holds_a_loop_is_named_and_lets_go() {
    type Change = fn(&mut crate::snapshot::Snapshot);
    let holds: [(&str, Change); 7] = [
        ("draft", |p| p.draft = true),
        ("conflict", |p| p.mergeable = Mergeable::Conflicting),
        ("auto_merge", |p| p.auto_merge = Some(Login::new("ana"))),
        ("merge_queue", |p| p.in_merge_queue = true),
        ("ignore_label", |p| {
            p.labels = ["Collie:Ignore".to_string()].into()
        }),
        ("pending_review", |p| p.pending_review = true),
        ("starting", |p| p.base = sha('9')),
    ];
    for (expect, change) in holds.into_iter().take(6) {
        let mut w = LoopFixture::new();
        let free = w.snapshot.clone();
        change(&mut w.snapshot);
        w.poll();
        assert_eq!(stop_or_blocker_code(&w), expect);
        assert!(
            w.posts.is_empty() && w.find_effect(Effect::takes_slot).is_none(),
            "{expect}"
        );
        w.snapshot = free;
        w.advance(MINUTE).poll();
        // Of a queue GitHub has to say how it was left, or nothing for a while.
        w.advance(2 * MINUTE).poll();
        assert_eq!(state_and_code(&w).0, State::PrReviewing, "{expect}");
    }
}

#[test]
fn auto_merge_that_is_switched_on_stops_the_push() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[rule_finding()]);
    w.snapshot.auto_merge = Some(Login::new("ana"));
    w.finish_fix(Some('b'));
    assert_eq!(state_and_code(&w), (State::PrFixing, "auto_merge"));
    assert!(w.find_effect(|e| matches!(e, Effect::Push(_))).is_none());
    w.snapshot.auto_merge = None;
    w.advance(MINUTE).poll();
    assert_eq!(stop_or_blocker_code(&w), "pushing");
}

#[test]
fn ready_is_not_sticky() {
    type Change = fn(&mut crate::snapshot::Snapshot);
    let changes: [Change; 6] = [
        |p| p.checks = vec![check("build", Some(CheckConclusion::Failure))],
        |p| p.checks.push(check("late", None)),
        |p| p.mergeable = Mergeable::Conflicting,
        |p| p.draft = true,
        |p| p.base_ref = "next".into(),
        |p| p.head = sha('c'),
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut w = LoopFixture::new();
        w.poll().finish_review(&[]);
        assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
        change(&mut w.snapshot);
        w.advance(5 * MINUTE).poll();
        assert_ne!(state_and_code(&w).0, State::PrReadyToMerge, "change {i}");
    }
}

#[test]
fn somebody_elses_push_drops_the_work_and_starts_the_review_anew() {
    let mut w = LoopFixture::new();
    w.poll();
    let (old, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    assert!(
        w.notes()
            .iter()
            .any(|n| matches!(n, Note::HeadMoved { .. }))
    );
    assert!(!w.state.outbox.effects.contains_key(&old));
    let (_, effect) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    assert!(matches!(effect, Effect::Review(ReviewEffect { head, .. }) if head == sha('c')));
    assert_eq!(
        (w.state.run.head.restarts, w.state.run.fixing.iteration),
        (1, 0)
    );
}

#[test]
fn what_somebody_else_fixed_stands_in_the_proof_without_a_commit() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[agent_finding()]);
    assert_eq!(w.state.run.state, State::PrFixing);
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    let proof = w.state.run.head.proof.as_deref().unwrap();
    let commits: Vec<_> = proof.fixed.iter().map(|(_, commit)| commit).collect();
    assert_eq!(commits, [&None]);
}

#[test]
fn the_twenty_first_restart_asks_a_person() {
    let mut w = LoopFixture::new();
    w.poll();
    for n in 0..21u32 {
        w.snapshot.head = Sha::parse(&format!("{:040x}", n + 1_000)).unwrap();
        w.advance(MINUTE).poll();
    }
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "too_many_restarts"));
}

#[test]
fn a_reading_from_before_our_push_is_no_move() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Push(_))).unwrap();
    w.apply(&Event::answered(effect, Pushed { commit: sha('b') }));
    w.advance(1_000).poll();
    assert_eq!(
        state_and_code(&w),
        (State::PrAwaitingChecks, "awaiting_push")
    );
    // It lasts: git is asked, and says that the branch is where we put it.
    w.advance(MINUTE).poll();
    let (effect, _) = w
        .find_effect(|e| matches!(e, Effect::ReadRemoteHead(_)))
        .unwrap();
    w.apply(&Event::answered(
        effect,
        RemoteHead {
            head: Some(sha('b')),
        },
    ));
    assert_eq!(w.state.run.head.restarts, 0);
    w.snapshot.head = sha('b');
    w.poll();
    assert_eq!(state_and_code(&w).0, State::PrReviewing);
    assert_eq!(w.state.run.head.restarts, 0);
}

#[test]
fn a_branch_that_was_put_back_is_a_move() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Push(_))).unwrap();
    w.apply(&Event::answered(effect, Pushed { commit: sha('b') }));
    w.advance(MINUTE).poll();
    let (effect, _) = w
        .find_effect(|e| matches!(e, Effect::ReadRemoteHead(_)))
        .unwrap();
    w.apply(&Event::answered(
        effect,
        RemoteHead {
            head: Some(sha('a')),
        },
    ));
    w.poll();
    assert_eq!(
        (w.state.run.head.restarts, w.state.run.head.sha.clone()),
        (1, Some(sha('a')))
    );
}

#[test]
fn a_rebased_fix_is_recorded_before_it_is_pushed() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Push(_))).unwrap();
    w.apply(&Event::answered(
        effect,
        Rebased {
            commit: sha('d'),
            onto: sha('c'),
            verification: Default::default(),
            refused_hosts: Default::default(),
        },
    ));
    assert!(w.state.memory.own_commits.contains(&sha('d')));
    let (_, push) = w.find_effect(|e| matches!(e, Effect::Push(_))).unwrap();
    assert!(
        matches!(push, Effect::Push(PushEffect { commit, rebased: true, .. }) if commit == sha('d'))
    );
    // Their head shows while our push is on its way.
    w.snapshot.head = sha('c');
    w.advance(1_000).poll();
    assert_eq!(state_and_code(&w), (State::PrFixing, "pushing"));
    w.finish_push();
    assert_eq!(
        (w.state.run.fixing.iteration, w.state.run.head.restarts),
        (1, 0)
    );
}

#[test]
fn a_fix_that_no_longer_applies_is_given_up() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Push(_))).unwrap();
    w.apply(&Event::answered(
        effect,
        PushFailed {
            failure: PushFailure::Diverged,
        },
    ));
    w.snapshot.head = sha('c');
    w.poll();
    assert_eq!(
        (state_and_code(&w).0, w.state.run.fixing.iteration),
        (State::PrReviewing, 0)
    );
}

#[test]
fn a_push_refused_by_policy_asks_a_person_with_githubs_words() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Push(_))).unwrap();
    let failure = PushFailure::Refused {
        message: "GH006: protected".into(),
    };
    w.apply(&Event::answered(effect, PushFailed { failure }));
    assert!(
        matches!(&w.state.run.stop, Some(Stop::CannotPush { message, .. }) if message.contains("GH006"))
    );
}

#[test]
fn where_a_push_could_do_harm_findings_are_posted_and_nothing_is_pushed() {
    let mut w = LoopFixture::new();
    w.snapshot.push_obstacles = [PushObstacle::BaseOfAnother].into();
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "cannot_push"));
    assert!(
        w.posts
            .iter()
            .any(|c| matches!(c, PostContent::Inline { .. }))
    );
}

#[test]
fn a_person_who_asked_for_changes_is_answered_and_asked_once_to_look_again() {
    let mut w = LoopFixture::new().with_person("ana");
    let ana = actor(20, "ana", false);
    let words = comment(50, ana, "please use is None");
    w.snapshot.threads = vec![thread("T1", words)];
    w.snapshot.reviews = vec![review(5, "ana", ReviewVerdict::ChangesRequested)];
    w.poll().finish_review(&[]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    w.finish_fix(Some('b')).finish_push().finish_review(&[]);
    let replied = w.posts.iter().any(|c| {
        matches!(
            c,
            PostContent::Reply {
                disposition: Disposition::Fixed { .. },
                in_reply_to: 50,
                ..
            }
        )
    });
    assert!(replied);
    let token = crate::ids::ActionToken::new("ab".repeat(32));
    let kim = actor(10, "kim", false);
    let body = crate::text::append_token("Fixed.", &token);
    w.snapshot.threads[0].comments.push(comment(60, kim, &body));
    for _ in 0..3 {
        w.advance(MINUTE).poll();
        assert_eq!(
            state_and_code(&w),
            (State::PrReviewing, "changes_requested")
        );
    }
    assert_eq!(
        w.count_posts(|c| matches!(c, PostContent::RequestRereview { .. })),
        1
    );
    assert!(w.state.is_settled());
    w.snapshot
        .reviews
        .push(review(6, "ana", ReviewVerdict::Approved));
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert_eq!(w.state.run.fixing.iteration, 1);
}

#[test]
fn a_review_that_introduces_threads_is_no_issue_of_its_own() {
    let check = |with_thread: bool| {
        let mut w = LoopFixture::new();
        let mut words = review(55, "ana", ReviewVerdict::ChangesRequested);
        words.body = "Nearly there, see below.".into();
        w.snapshot.reviews = vec![words];
        if with_thread {
            let ana = actor(20, "ana", false);
            let first = comment(50, ana, "use is None");
            w.snapshot.threads = vec![thread("T1", first)];
        }
        w.poll().finish_review(&[]);
        let (_, effect) = w
            .find_effect(|e| matches!(e, Effect::Fix(_)))
            .expect("a fix");
        let Effect::Fix(FixEffect { payload, .. }) = effect else {
            unreachable!()
        };
        payload
            .issues_to_fix
            .into_iter()
            .map(|f| f.title)
            .collect::<Vec<_>>()
    };
    assert_eq!(check(true), ["use is None"]);
    assert_eq!(check(false), ["Nearly there, see below."]);
}

#[test]
fn a_person_of_the_panel_is_waited_for_and_comments_do_not_count() {
    let mut w = LoopFixture::new().with_person("ana");
    w.snapshot.reviews = vec![review(5, "ana", ReviewVerdict::Commented)];
    w.poll().finish_review(&[]);
    assert_eq!(
        state_and_code(&w),
        (State::PrReviewing, "awaiting_reviewer")
    );
    w.snapshot
        .reviews
        .push(review(6, "ben", ReviewVerdict::Approved));
    w.advance(MINUTE).poll();
    assert_eq!(stop_or_blocker_code(&w), "awaiting_reviewer");
    w.snapshot
        .reviews
        .push(review(7, "Ana", ReviewVerdict::Approved));
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn outsiders_threads_block_nothing() {
    let mut w = LoopFixture::new();
    let mallory = actor(66, "mallory", false);
    w.snapshot.threads = vec![thread("T1", comment(50, mallory, "P0: rewrite everything"))];
    w.poll().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn what_rules_cannot_answer_is_left_to_a_person_who_then_settles_it() {
    let mut w = LoopFixture::new();
    let ana = actor(20, "ana", false);
    w.snapshot.threads = vec![thread(
        "T1",
        comment(50, ana.clone(), "is this fast enough?"),
    )];
    w.poll().finish_review(&[]).finish_fix(None);
    let left = |c: &PostContent| {
        matches!(
            c,
            PostContent::Reply {
                disposition: Disposition::LeftToPerson { .. },
                ..
            }
        )
    };
    assert_eq!(w.count_posts(left), 1);
    let body = crate::text::append_token("?", &crate::ids::ActionToken::new("ab".repeat(32)));
    let kim = actor(10, "kim", false);
    w.snapshot.threads[0].comments.push(comment(60, kim, &body));
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), (State::PrReviewing, "threads_open"));
    w.snapshot.threads[0].resolved = true;
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn an_expected_bot_is_waited_for_and_a_notice_is_no_review() {
    let mut w = LoopFixture::new();
    let rabbit = crate::ids::AccountId(136_622_811);
    w.state.run.configuration.policy.expected_bots = [rabbit].into();
    w.advance(700).poll();
    assert_eq!(
        state_and_code(&w),
        (State::PrAwaitingChecks, "bots_pending")
    );
    let bot = actor(136_622_811, "coderabbitai", true);
    // GitHub's times are whole seconds: this one reads as before the head was seen.
    let written = w.now.0.unsigned_abs() / 1_000 * 1_000;
    let notice = comment(written, bot, "Rate limit exceeded, back in an hour");
    w.snapshot.comments = vec![notice];
    w.advance(1_000).poll();
    assert!(matches!(
        w.state.run.polling.last_snapshot.bots[0].status,
        crate::snapshot_summary::BotStatus::OutOfQuota { .. }
    ));
    let mut silent = LoopFixture::new();
    silent.state.run.configuration.policy.expected_bots = [rabbit].into();
    silent.poll().advance(15 * MINUTE).poll();
    assert_eq!(state_and_code(&silent).0, State::PrReviewing);
}

#[test]
fn a_look_alike_bot_is_noted_and_not_received() {
    let mut w = LoopFixture::new();
    let fake = actor(66, "coderabbit-ai", false);
    w.snapshot.threads = vec![thread("T1", comment(50, fake, "P0 critical"))];
    w.poll();
    assert!(w.state.memory.impostors.contains(&50));
    w.finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn merged_and_closed_end_a_run_from_any_state() {
    let mut ready = LoopFixture::new();
    ready.poll().finish_review(&[]);
    ready.snapshot.state = PullState::Merged;
    ready.advance(MINUTE * 5).poll();
    assert_eq!(
        (state_and_code(&ready).0, ready.state.run.merge_type),
        (State::Merged, Some(MergeType::Approved))
    );
    let mut forced = LoopFixture::new();
    forced.poll();
    forced.snapshot.state = PullState::Merged;
    forced.advance(MINUTE).poll();
    assert_eq!(
        (state_and_code(&forced).0, forced.state.run.merge_type),
        (State::Merged, Some(MergeType::Forced))
    );
    assert!(forced.state.outbox.effects.is_empty());
    let mut closed = LoopFixture::new();
    closed.snapshot.state = PullState::Closed;
    assert_eq!(closed.poll().state.run.state, State::Closed);
}

#[test]
fn cancel_drops_the_work_and_a_retry_begins_anew() {
    let by = Login::new("kim");
    let mut w = LoopFixture::new();
    w.poll();
    w.apply(&Event::Cancel(Cancel { by: by.clone() }));
    assert_eq!(state_and_code(&w).0, State::Cancelled);
    assert!(w.state.outbox.effects.is_empty());
    // It is read on for commands in comments, at the pace of one that is ready.
    let listens = w
        .now
        .plus(w.state.run.configuration.policy.ready_poll_interval_ms);
    assert_eq!(w.state.run.polling.next_at, Some(listens));
    w.poll();
    assert!(w.notes().is_empty() && w.state.outbox.effects.is_empty());
    let policy = Box::new(w.state.run.configuration.policy.clone());
    let run = crate::ids::RunId::new("run-2");
    w.apply(&Event::Resume(NextRun {
        by: by.clone(),
        run: run.clone(),
        policy: policy.clone(),
        extra_rounds: 0,
    }));
    assert_eq!(state_and_code(&w).0, State::Cancelled);
    w.apply(&Event::Retry(NextRun {
        by,
        run,
        policy,
        extra_rounds: 0,
    }));
    assert_eq!(state_and_code(&w).0, State::PrCreated);
    w.poll().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn what_is_merged_is_not_run_again() {
    let mut w = LoopFixture::new();
    w.snapshot.state = PullState::Merged;
    w.poll();
    let merged = w.state.clone();
    assert_eq!(state_and_code(&w).0, State::Merged);
    let by = Login::new("ana");
    let run = crate::ids::RunId::new("run-2");
    let policy = Box::new(merged.run.configuration.policy.clone());
    w.apply(&Event::Retry(NextRun {
        by,
        run,
        policy,
        extra_rounds: 0,
    }));
    assert_eq!(w.state.run.id, merged.run.id);
    let reason = "terminal".into();
    assert_eq!(w.notes(), [crate::note::Note::Ignored { reason }]);
}

#[test]
fn a_resumed_run_remembers_what_is_stuck() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[rule_finding()]);
    for commit in ['b', 'c', 'd'] {
        w.finish_fix(Some(commit))
            .finish_push()
            .finish_review(&[rule_finding()]);
    }
    assert_eq!(stop_or_blocker_code(&w), "stuck");
    let policy = Box::new(w.state.run.configuration.policy.clone());
    let run = crate::ids::RunId::new("run-2");
    w.apply(&Event::Resume(NextRun {
        by: Login::new("kim"),
        run,
        policy,
        extra_rounds: 0,
    }));
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "stuck"));
    assert_eq!(w.state.run.fixing.rounds.len(), 3);
}

#[test]
fn failed_sessions_are_retried_after_one_two_and_four_seconds() {
    let mut w = LoopFixture::new();
    w.poll();
    for wait in [1_000, 2_000, 4_000] {
        let (effect, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
        let failure = SessionFailure::transient(UserError::new(ErrorCode::LlmEmptyAnswer));
        w.apply(&Event::answered(
            effect,
            Outcome::ReviewFailed(SessionFailed {
                failure,
                usage: Default::default(),
                refused_hosts: Default::default(),
            }),
        ));
        let (_, again) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
        assert!(
            matches!(again, Effect::Review(ReviewEffect { not_before, .. }) if not_before == w.now.plus(wait))
        );
    }
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    let failure = SessionFailure::transient(UserError::new(ErrorCode::LlmEmptyAnswer));
    w.apply(&Event::answered(
        effect,
        Outcome::ReviewFailed(SessionFailed {
            failure,
            usage: Default::default(),
            refused_hosts: Default::default(),
        }),
    ));
    assert_eq!(state_and_code(&w), (State::Failed, "review_failed"));
}

#[test]
fn a_limit_of_the_user_in_the_way_asks_for_a_person_and_a_fault_does_not() {
    for (code, ends) in [
        (ErrorCode::CheckoutTooLarge, State::NeedsHuman),
        (ErrorCode::CheckoutTooManyFiles, State::NeedsHuman),
        (ErrorCode::SandboxDiskLimit, State::NeedsHuman),
        (ErrorCode::PrepareHostsRefused, State::NeedsHuman),
        (ErrorCode::VerifyNeedsNetwork, State::NeedsHuman),
        (ErrorCode::LlmNoKey, State::Failed),
    ] {
        let mut w = LoopFixture::new();
        w.poll();
        let (effect, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
        w.apply(&Event::answered(
            effect,
            Outcome::ReviewFailed(SessionFailed {
                failure: SessionFailure::permanent(UserError::new(code)),
                usage: Default::default(),
                refused_hosts: Default::default(),
            }),
        ));
        assert_eq!(state_and_code(&w), (ends, "review_failed"), "{code:?}");
    }
}

#[test]
fn backoff_after_failed_readings_grows_from_one_minute_to_five() {
    let mut w = LoopFixture::new();
    w.poll();
    let mut waits = Vec::new();
    for _ in 0..5 {
        let failure = ObserveFailure::Unreachable {
            message: "no route".into(),
        };
        w.apply(&Event::ObserveFailed(ObserveFailed {
            at: w.now,
            failure,
            jitter_permille: 0,
        }));
        waits.push(w.state.run.polling.next_at.unwrap().since(w.now) / 1000);
        assert_eq!(stop_or_blocker_code(&w), "unreachable");
    }
    assert_eq!(waits, [60, 120, 240, 300, 300]);
    w.advance(MINUTE * 5).poll();
    assert_ne!(stop_or_blocker_code(&w), "unreachable");
}

#[test]
fn a_404_that_lasts_ends_the_run_and_one_that_passes_does_not() {
    let gone = |w: &mut LoopFixture| {
        let event = Event::ObserveFailed(ObserveFailed {
            at: w.now,
            failure: ObserveFailure::NotFound,
            jitter_permille: 0,
        });
        w.apply(&event);
    };
    let mut w = LoopFixture::new();
    w.poll();
    gone(&mut w);
    assert_eq!(stop_or_blocker_code(&w), "not_found");
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).0, State::PrReviewing);
    gone(w.advance(MINUTE));
    gone(w.advance(5 * MINUTE));
    assert_eq!(state_and_code(&w), (State::Failed, "access_lost"));
    assert_eq!(w.count_posts(is_stop), 0);
}

#[test]
fn what_a_cancelled_session_had_cost_is_counted_whatever_became_of_the_loop() {
    let mut w = LoopFixture::new();
    w.poll();
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    w.apply(&Event::Cancel(Cancel {
        by: Login::new("octo"),
    }));
    let before = w.state.clone();
    let usage = Usage {
        input_tokens: 600,
        output_tokens: 50,
        cost_micros: 7,
        unpriced: true,
        unpriced_tokens: 650,
    };
    let ended = SessionCancelled {
        effect,
        usage,
        agent_session: None,
    };
    w.apply(&Event::SessionCancelled(ended));
    let mut expect = before.run.usage;
    expect += usage;
    assert_eq!(w.state.run.usage, expect);
    assert_eq!(w.notes(), [Note::SessionCancelled { usage }]);
    assert_eq!(w.state.outbox, before.outbox);
    assert_eq!(w.state.run.state, State::Cancelled);
}

#[test]
fn late_duplicate_and_foreign_answers_are_harmless() {
    let mut w = LoopFixture::new();
    w.poll();
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    w.finish_review(&[]);
    let before = w.state.clone();
    let failure = SessionFailure::permanent(UserError::new(ErrorCode::LlmNoKey));
    w.apply(&Event::answered(
        effect,
        Outcome::ReviewFailed(SessionFailed {
            failure,
            usage: Default::default(),
            refused_hosts: Default::default(),
        }),
    ));
    assert!(matches!(w.notes(), [Note::Ignored { reason }] if reason == "unknown_effect"));
    assert_eq!(w.state.outbox, before.outbox);
    assert_eq!(w.state.run.state, before.run.state);
    let mut older = w.snapshot.clone();
    older.read_at = Time(1);
    w.apply(&Event::Observed(Observed {
        snapshot: Box::new(older),
        throttle: None,
    }));
    assert!(matches!(w.notes(), [Note::Ignored { reason }] if reason == "older_snapshot"));
}

/// It shows what was before, and what has happened since would be decided from that.
#[test]
fn a_reading_that_began_before_a_look_was_asked_for_is_not_decided_from() {
    let mut w = LoopFixture::new();
    w.poll();
    let (before, began, asked) = (w.now, w.now.plus(1_000), w.now.plus(2_000));
    w.advance(2_000);
    let trust = Box::new(w.state.trust.clone());
    w.apply(&Event::TrustChanged(TrustChanged { trust }));
    for (read_at, taken) in [(began, before), (asked, asked)] {
        let snapshot = Box::new(Snapshot {
            read_at,
            ..w.snapshot.clone()
        });
        w.apply(&Event::Observed(Observed {
            snapshot,
            throttle: None,
        }));
        assert_eq!(w.state.run.polling.last_snapshot.at, Some(taken));
    }
}

/// The reading before is from a time that has not come yet: nothing would be decided, and GitHub be asked without a pause, until then.
#[test]
fn a_clock_that_was_put_back_leaves_no_loop_unread() {
    for ends in [false, true] {
        let mut w = LoopFixture::new();
        w.poll();
        let trust = Box::new(w.state.trust.clone());
        w.apply(&Event::TrustChanged(TrustChanged { trust }));
        w.now = Time(w.now.0 - 10 * 60_000);
        let trust = Box::new(w.state.trust.clone());
        w.apply(&Event::TrustChanged(TrustChanged { trust }));
        if ends {
            w.apply(&Event::Cancel(Cancel {
                by: Login::new("kim"),
            }));
        }
        let read_at = w.now.plus(1_000);
        w.advance(1_500);
        let snapshot = Box::new(Snapshot {
            read_at,
            ..w.snapshot.clone()
        });
        w.apply(&Event::Observed(Observed {
            snapshot,
            throttle: None,
        }));
        let polling = &w.state.run.polling;
        assert_eq!(polling.last_snapshot.at, Some(read_at));
        assert!(polling.next_at > Some(w.now), "{:?}", polling.next_at);
    }
}

#[test]
fn an_undeliverable_post_is_not_tried_again() {
    let mut w = LoopFixture::new();
    w.poll();
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    let Some((_, Effect::Review(ReviewEffect { head, .. }))) =
        w.find_effect(|e| matches!(e, Effect::Review(_)))
    else {
        panic!("a review");
    };
    let result = crate::review::ReviewerResult {
        agent: "rules".into(),
        pr_number: 7,
        conclusion: crate::review::Conclusion::Approve,
        issues: crate::review::IssueCounts::default(),
        findings: Vec::new(),
        full_report: String::new(),
        escalations: Vec::new(),
    };
    let done = Event::answered(
        effect,
        ReviewFinished {
            head,
            result: Box::new(result),
            fingerprints: Vec::new(),
            in_diff: Default::default(),
            introduced_by_fix: Default::default(),
            usage: Default::default(),
            prompt_hash: None,
            withdrawn: Default::default(),
            not_rechecked: Default::default(),
            upheld: Default::default(),
            covered: Default::default(),
            covered_by: Default::default(),
            replacements: Default::default(),
            session: None,
            unseen: Vec::new(),
            second_looks: Default::default(),
        },
    );
    let reviewed = step(&w.state, &done, w.now).state;
    let look = Event::Observed(Observed {
        snapshot: Box::new(w.snapshot.clone()),
        throttle: None,
    });
    let ready = step(&reviewed, &look, w.now).state;
    let say = ready
        .outbox
        .effects
        .iter()
        .find(|(_, e)| matches!(e, Effect::Post(_)));
    let effect = say.expect("the proof").0.clone();
    let delivery = Delivery::Undeliverable {
        message: "locked".into(),
    };
    let refused = step(
        &ready,
        &Event::answered(effect, Delivered { delivery }),
        w.now,
    );
    assert!(matches!(
        refused.notes.as_slice(),
        [Note::Undeliverable { .. }]
    ));
    let again = step(&refused.state, &look, w.now.plus(5 * MINUTE)).state;
    assert!(again.outbox.effects.is_empty());
    assert_eq!(again.run.state, State::PrReadyToMerge);
}

#[test]
fn a_wrong_configuration_is_a_blocker_until_it_is_put_right() {
    let mut w = LoopFixture::new();
    let look = Event::Observed(Observed {
        snapshot: Box::new(w.snapshot.clone()),
        throttle: None,
    });
    let asked = step(&w.state, &look, w.now).state;
    let effect = asked
        .outbox
        .effects
        .keys()
        .next()
        .expect("the configuration")
        .clone();
    let error = UserError::new(ErrorCode::Configuration);
    let wrong = Event::answered(
        effect,
        ConfigInvalid {
            commit: sha('0'),
            error,
        },
    );
    w.state = step(&asked, &wrong, w.now).state;
    assert_eq!(stop_or_blocker_code(&w), "config_invalid");
    // It is read again at each look, since the base need not move for it to be put right.
    w.now = w.now.plus(MINUTE);
    w.snapshot.read_at = w.now;
    let again = Event::Observed(Observed {
        snapshot: Box::new(w.snapshot.clone()),
        throttle: None,
    });
    let blocked = step(&w.state, &again, w.now).state;
    assert!(matches!(
        blocked.run.blocker,
        Some(Blocker::ConfigInvalid { .. })
    ));
    let asks = |effect: &&Effect| matches!(effect, Effect::LoadConfig(_));
    assert_eq!(blocked.outbox.effects.values().filter(asks).count(), 1);
    w.poll();
    assert_eq!(state_and_code(&w).0, State::PrReviewing);
}

/// A remark of CodeRabbit's in a thread.
fn bot_comment(id: u64, words: &str) -> crate::snapshot::Comment {
    let bot = actor(136_622_811, "coderabbitai", true);
    comment(id, bot, words)
}

#[test]
fn a_bots_nitpick_gets_its_answer_and_does_not_hold_the_loop_for_ever() {
    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![thread("T1", bot_comment(50, "Nitpick: a shorter name"))];
    w.poll().finish_review(&[]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    w.finish_fix(Some('b')).finish_push().finish_review(&[]);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Reply { .. })), 1);
    assert_eq!(w.state.run.fixing.turns, 1);
}

fn member_comment(id: u64, words: &str) -> crate::snapshot::Comment {
    let ana = actor(20, "ana", false);
    comment(id, ana, words)
}

#[test]
fn a_reply_that_github_refuses_leaves_the_thread_to_a_person() {
    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![thread("T1", member_comment(50, "use is None"))];
    w.locked = true;
    w.poll()
        .finish_review(&[])
        .finish_fix(Some('b'))
        .finish_push()
        .finish_review(&[]);
    assert_eq!(state_and_code(&w), (State::PrReviewing, "threads_open"));
    w.snapshot.threads[0].resolved = true;
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn what_a_cancelled_run_could_not_say_any_more_the_next_one_says() {
    let by = Login::new("kim");
    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![thread("T1", member_comment(50, "use is None"))];
    w.poll().finish_review(&[]);
    let (effect, asked) = w.find_effect(|e| matches!(e, Effect::Fix(_))).unwrap();
    let Effect::Fix(FixEffect { payload, .. }) = asked else {
        unreachable!()
    };
    let rejected = payload.issues_to_fix.iter();
    let rejected = rejected.map(|f| crate::fix::RejectedIssue {
        finding_id: f.id.clone(),
        reason: "no".into(),
    });
    let result = crate::fix::FixResult {
        agent: "rules".into(),
        pr_number: 7,
        summary: Default::default(),
        fixed_issues: Vec::new(),
        rejected_issues: rejected.collect(),
        commits: Vec::new(),
    };
    let done = Event::answered(
        effect,
        FixFinished {
            commit: None,
            result: Box::new(result),
            oscillates: false,
            usage: Default::default(),
            session: None,
            verification: Default::default(),
            refused_hosts: Default::default(),
            files: Vec::new(),
        },
    );
    // The reply is about to be said when the run is cancelled; then it is not said.
    let look = Event::Observed(Observed {
        snapshot: Box::new(w.snapshot.clone()),
        throttle: None,
    });
    let mut state = step(&w.state, &done, w.now).state;
    state = step(&state, &look, w.now).state;
    state = step(&state, &Event::Cancel(Cancel { by: by.clone() }), w.now).state;
    for (effect, _) in state.outbox.effects.clone() {
        let message = "cancelled".to_string();
        let delivery = Delivery::Undeliverable { message };
        state = step(
            &state,
            &Event::answered(effect, Delivered { delivery }),
            w.now,
        )
        .state;
    }
    w.state = state;
    let policy = Box::new(w.state.run.configuration.policy.clone());
    let run = crate::ids::RunId::new("run-2");
    w.apply(&Event::Retry(NextRun {
        by,
        run,
        policy,
        extra_rounds: 0,
    }));
    w.advance(MINUTE).poll().finish_review(&[]).finish_fix(None);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Reply { .. })), 1);
}

#[test]
fn while_github_lags_behind_git_it_is_asked_at_the_usual_pace() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Push(_))).unwrap();
    w.apply(&Event::answered(effect, Pushed { commit: sha('b') }));
    w.advance(MINUTE).poll();
    let (effect, _) = w
        .find_effect(|e| matches!(e, Effect::ReadRemoteHead(_)))
        .unwrap();
    w.apply(&Event::answered(
        effect,
        RemoteHead {
            head: Some(sha('b')),
        },
    ));
    assert_eq!(w.state.run.polling.next_at, Some(w.now.plus(MINUTE)));
}

#[test]
fn a_resumed_run_may_fix_though_the_one_before_went_back_and_forth() {
    let mut w = LoopFixture::new();
    w.poll();
    for digit in ['b', 'c'] {
        let new = finding("a.py", &format!("rule:{digit}"), &format!("line {digit}"));
        w.finish_review(&[new])
            .finish_fix(Some(digit))
            .finish_push();
    }
    for round in &mut w.state.run.fixing.rounds {
        round.churned = true;
    }
    let last = finding("a.py", "rule:last", "yet another one");
    w.finish_review(std::slice::from_ref(&last));
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "oscillating"));
    w.apply(&Event::Resume(NextRun {
        by: Login::new("kim"),
        run: crate::ids::RunId::new("run-2"),
        policy: Box::new(w.state.run.configuration.policy.clone()),
        extra_rounds: 0,
    }));
    w.poll().finish_review(&[last]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
}

#[test]
fn a_push_takes_back_the_reviews_of_the_head_before_it() {
    let mut w = LoopFixture::new();
    w.poll();
    w.snapshot.checks = vec![check("test", Some(CheckConclusion::Failure))];
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    let (old, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    w.snapshot.checks = vec![check("test", None)];
    w.finish_fix(Some('b')).finish_push();
    assert!(!w.state.outbox.effects.contains_key(&old));
}

#[test]
fn the_time_for_ci_runs_only_while_checks_do() {
    // Ready for hours, then a check is run again.
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[]);
    w.snapshot.checks = vec![check("build", None)];
    w.advance(120 * MINUTE).poll();
    assert_eq!(
        state_and_code(&w),
        (State::PrAwaitingChecks, "checks_running")
    );
    w.advance(30 * MINUTE).poll();
    assert_eq!(state_and_code(&w), (State::Failed, "ci_timeout"));
    // A draft for hours, whose checks begin once it is ready for review.
    let mut draft = LoopFixture::new();
    draft.snapshot.draft = true;
    draft.snapshot.checks = vec![check("build", None)];
    draft.poll();
    draft.snapshot.draft = false;
    draft.advance(120 * MINUTE).poll();
    assert_eq!(
        state_and_code(&draft),
        (State::PrAwaitingChecks, "checks_running")
    );
}

#[test]
fn a_reviewer_that_was_asked_in_stays_when_the_configuration_is_read_again() {
    let mut w = LoopFixture::new();
    let sam = "sam".to_string();
    w.state.run.configuration.policy.stages[0].reviewers[0].may_escalate_to = [sam.clone()].into();
    w.poll();
    let (effect, asked) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    let Effect::Review(ReviewEffect { head, .. }) = asked else {
        unreachable!()
    };
    let result = crate::review::ReviewerResult {
        agent: "rules".into(),
        pr_number: 7,
        conclusion: crate::review::Conclusion::Approve,
        issues: Default::default(),
        findings: Vec::new(),
        full_report: String::new(),
        escalations: vec![sam],
    };
    w.apply(&Event::answered(
        effect,
        ReviewFinished {
            head,
            result: Box::new(result),
            fingerprints: Vec::new(),
            in_diff: Default::default(),
            introduced_by_fix: Default::default(),
            usage: Default::default(),
            prompt_hash: None,
            withdrawn: Default::default(),
            not_rechecked: Default::default(),
            upheld: Default::default(),
            covered: Default::default(),
            covered_by: Default::default(),
            replacements: Default::default(),
            session: None,
            unseen: Vec::new(),
            second_looks: Default::default(),
        },
    ));
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    // The base moves along with our push, so that its configuration is read anew.
    w.snapshot.base = sha('9');
    w.finish_push().finish_review(&[]);
    let names: Vec<_> = w
        .state
        .run
        .review
        .stages
        .iter()
        .flat_map(|s| &s.reviewers)
        .collect();
    assert_eq!(names.len(), 2);
    assert_eq!(
        state_and_code(&w),
        (State::PrReviewing, "reviewing"),
        "the other stage looks too"
    );
    w.finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn bots_comments_that_begin_alike_are_findings_of_their_own() {
    let mut w = LoopFixture::new();
    let says = |id, words: &str| bot_comment(id, &format!("_Potential issue_\n\n{words}"));
    w.snapshot.threads = vec![thread("T1", says(50, "use is None"))];
    w.poll().finish_review(&[]).finish_fix(Some('b'));
    w.snapshot.threads[0].resolved = true;
    w.snapshot
        .threads
        .push(thread("T2", says(51, "close the file")));
    w.finish_push().finish_review(&[]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
}

#[test]
fn words_of_a_later_review_are_not_taken_for_those_that_introduce_earlier_threads() {
    let mut w = LoopFixture::new();
    let mut first = thread("T1", member_comment(50, "use is None"));
    first.resolved = true;
    w.snapshot.threads = vec![first];
    let mut words = review(70, "ana", ReviewVerdict::ChangesRequested);
    words.body = "And please handle an empty list.".into();
    w.snapshot.reviews = vec![review(55, "ana", ReviewVerdict::Commented), words];
    w.poll().finish_review(&[]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
}

#[test]
fn of_two_reviewers_that_find_the_same_the_graver_word_counts() {
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.stages[0]
        .reviewers
        .push(crate::policy::ReviewerSpec {
            name: "quinn".into(),
            kind: crate::policy::ReviewerKind::Agent,
            may_escalate_to: Default::default(),
        });
    let mut mild = rule_finding();
    mild.priority = Priority::P3;
    mild.source.name = "quinn".into();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_review(&[mild]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    // It counts for each of them, is told once, and is handed over once.
    let Some(PostContent::Review(report)) =
        w.posts.iter().find(|c| matches!(c, PostContent::Review(_)))
    else {
        panic!("no report was posted: {:?}", w.posts)
    };
    assert_eq!((report.counts.p1_critical, report.findings.len()), (2, 1));
    let (_, asked) = w.find_effect(|e| matches!(e, Effect::Fix(_))).unwrap();
    let Effect::Fix(FixEffect { payload, .. }) = asked else {
        unreachable!()
    };
    assert_eq!(payload.issues_to_fix.len(), 1);
}

#[test]
fn a_person_who_edits_an_answered_comment_is_answered_again() {
    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![thread("T1", member_comment(50, "use is None"))];
    w.poll().finish_review(&[]).finish_fix(Some('b'));
    w.finish_push().finish_review(&[]);
    let body = crate::text::append_token("Done.", &crate::ids::ActionToken::new("ab".repeat(32)));
    let kim = actor(10, "kim", false);
    let answer = comment(60, kim, &body);
    w.snapshot.threads[0].comments.push(answer);
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    w.snapshot.threads[0].comments[0].body = "use is None, and handle an empty list".into();
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    w.finish_fix(Some('c')).finish_push().finish_review(&[]);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Reply { .. })), 2);
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn an_answer_that_somebody_deleted_is_not_waited_for() {
    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![thread("T1", member_comment(50, "use is None"))];
    w.poll()
        .finish_review(&[])
        .finish_fix(Some('b'))
        .finish_push();
    // The thread does not show the answer, and never will.
    w.finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Reply { .. })), 1);
}

#[test]
fn an_older_head_that_shows_again_is_asked_of_git_before_it_counts_as_a_move() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'))
        .finish_push();
    assert_eq!(state_and_code(&w), (State::PrReviewing, "reviewing"));
    w.snapshot.head = sha('a');
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.head.restarts, 0);
    let (effect, _) = w
        .find_effect(|e| matches!(e, Effect::ReadRemoteHead(_)))
        .unwrap();
    let there = |head| {
        Event::answered(
            effect.clone(),
            RemoteHead {
                head: Some(sha(head)),
            },
        )
    };
    let put_back = step(&w.state, &there('a'), w.now).state;
    assert_eq!(
        (put_back.run.head.restarts, put_back.run.head.sha),
        (1, Some(sha('a')))
    );
    w.apply(&there('b'));
    w.snapshot.head = sha('b');
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert_eq!(w.state.run.head.restarts, 0);
}

#[test]
fn a_thread_of_collies_own_in_which_a_person_spoke_is_resolved_once_fixed() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[rule_finding()]);
    let Some(PostContent::Inline { comments, .. }) = w
        .posts
        .iter()
        .find(|c| matches!(c, PostContent::Inline { .. }))
    else {
        panic!("an inline comment");
    };
    let body = crate::text::append_token("Use ==.", &comments[0].token);
    let kim = actor(10, "kim", false);
    let mut own = thread("T1", comment(45, kim, &body));
    own.comments.push(member_comment(50, "and rename it"));
    w.snapshot.threads = vec![own];
    w.finish_fix(Some('b')).finish_push().finish_review(&[]);
    w.finish_fix(Some('c')).finish_push().finish_review(&[]);
    assert!(
        w.state
            .memory
            .resolved
            .contains(&crate::ids::ThreadId::new("T1"))
    );
}

#[test]
fn a_check_that_others_put_right_is_no_finding_any_more() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![check("test", Some(CheckConclusion::Failure))];
    w.poll();
    w.snapshot.head = sha('c');
    w.snapshot.checks = vec![check("test", Some(CheckConclusion::Success))];
    w.advance(MINUTE).poll();
    let statuses: Vec<_> = w
        .state
        .run
        .review
        .findings
        .values()
        .map(|t| t.status)
        .collect();
    assert_eq!(statuses, [FindingStatus::Fixed]);
}

#[test]
fn how_a_reviewer_worked_is_remarked_and_what_it_was_not_shown_stands_beside_its_verdict() {
    let mut w = LoopFixture::new();
    w.poll();
    let (effect, asked) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    let Effect::Review(ReviewEffect { head, .. }) = asked else {
        unreachable!()
    };
    let finding = rule_finding();
    let result = crate::review::ReviewerResult {
        agent: "rules".into(),
        pr_number: 7,
        conclusion: crate::review::Conclusion::RequestChanges,
        issues: Default::default(),
        findings: vec![finding.clone()],
        full_report: String::new(),
        escalations: Vec::new(),
    };
    let replacement = crate::finding::Replacement {
        first: 3,
        last: 4,
        text: "better".into(),
    };
    let left_out = crate::session::LeftOut {
        parts: 2,
        tokens: 900,
        files: vec!["big.rs".into()],
    };
    let account = crate::session::SessionSummary {
        runs_on: "openai/x".into(),
        left_out: Some(left_out.clone()),
        ..Default::default()
    };
    let spent = crate::usage::Usage {
        input_tokens: 100,
        output_tokens: 10,
        cost_micros: 7,
        ..crate::usage::Usage::default()
    };
    let done = Event::answered(
        effect,
        ReviewFinished {
            head,
            fingerprints: crate::identity::fingerprints(&result.findings),
            result: Box::new(result),
            in_diff: [finding.id.clone()].into(),
            introduced_by_fix: Default::default(),
            usage: spent,
            prompt_hash: None,
            withdrawn: Default::default(),
            not_rechecked: Default::default(),
            upheld: Default::default(),
            covered: Default::default(),
            covered_by: Default::default(),
            replacements: [(finding.id.clone(), replacement.clone())].into(),
            session: Some(Box::new(account.clone())),
            unseen: Vec::new(),
            second_looks: Default::default(),
        },
    );
    let notes = step(&w.state, &done, w.now).notes;
    let worked = Note::SessionFinished {
        reviewer: Some("rules".into()),
        session: Box::new(account),
        usage: spent,
    };
    let done_note = Note::ReviewDone {
        reviewer: "rules".into(),
        kind: crate::policy::ReviewerKind::Rules,
        head: w.snapshot.head.clone(),
        verdict: crate::review::Conclusion::RequestChanges,
        findings: 1,
    };
    assert_eq!(notes, [worked, done_note]);
    w.apply(&done);
    w.poll();
    let Some(PostContent::Review(report)) =
        w.posts.iter().find(|c| matches!(c, PostContent::Review(_)))
    else {
        panic!("no report was posted: {:?}", w.posts)
    };
    assert_eq!(report.verdicts[0].left_out, Some(left_out.clone()));
    let Some(PostContent::Inline { comments, .. }) = w
        .posts
        .iter()
        .find(|c| matches!(c, PostContent::Inline { .. }))
    else {
        panic!("nothing was posted inline: {:?}", w.posts)
    };
    assert_eq!(comments[0].replacement, Some(replacement));
    // A look at what changed since leaves unseen what was not shown before; a whole one that saw everything does not.
    w.finish_fix(Some('b')).finish_push();
    let mut seen = Vec::new();
    for (delta, expect) in [(true, Some(left_out)), (false, None)] {
        let (effect, asked) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
        let Effect::Review(ReviewEffect { head, .. }) = asked else {
            unreachable!()
        };
        let mut again = done.clone();
        let Event::Answered(Answered {
            effect: asked_by,
            outcome: Outcome::ReviewFinished(finished),
            ..
        }) = &mut again
        else {
            unreachable!()
        };
        *asked_by = effect;
        (finished.head, finished.usage) = (head, Default::default());
        (finished.result.findings, finished.fingerprints) = (Vec::new(), Vec::new());
        finished.session = Some(Box::new(crate::session::SessionSummary {
            delta,
            ..Default::default()
        }));
        w.apply(&again);
        seen.push((
            w.state.run.review.stages[0].reviewers[0].left_out.clone(),
            expect,
        ));
        w.snapshot.head = sha('c');
        w.poll();
    }
    for (left_out, expect) in seen {
        assert_eq!(left_out, expect);
    }
    // A new run counts anew, and what was spent before is not forgotten.
    assert_eq!(w.state.run.usage, spent);
    let by = Login::new("ana");
    w.apply(&Event::Cancel(Cancel { by: by.clone() }));
    let (run, policy) = (
        crate::ids::RunId::new("again"),
        w.state.run.configuration.policy.clone(),
    );
    w.apply(&Event::Retry(NextRun {
        by,
        run,
        policy: Box::new(policy),
        extra_rounds: 0,
    }));
    let spent_now = (w.state.run.usage.is_nothing(), w.state.memory.usage_before);
    assert_eq!(spent_now, (true, spent));
}

/// A panel of two models side by side, Quinn and Sam, who both found the same.
fn loop_with_shared_finding() -> (LoopFixture, Finding) {
    let mut w = LoopFixture::new();
    let seat = |name: &str| crate::policy::ReviewerSpec {
        name: name.into(),
        kind: crate::policy::ReviewerKind::Agent,
        may_escalate_to: Default::default(),
    };
    w.state.run.configuration.policy.stages[0].reviewers = vec![seat("quinn"), seat("sam")];
    w.state.run.review.stages =
        crate::panel_state::build_stages(&w.state.run.configuration.policy, &[]);
    let mut shared = rule_finding();
    shared.source.kind = SourceType::Agent;
    shared.source.name = "quinn".into();
    let mut of_sam = shared.clone();
    of_sam.source.name = "sam".into();
    w.poll()
        .finish_review(&[shared])
        .finish_review(&[of_sam.clone()]);
    (w, of_sam)
}

#[test]
fn what_one_reviewer_does_not_report_any_more_stands_while_another_does() {
    let (mut w, of_sam) = loop_with_shared_finding();
    w.snapshot.head = sha('b');
    w.advance(MINUTE).poll();
    // Whoever is asked first reports it again, the other does not.
    w.finish_review(&[of_sam]).finish_review(&[]);
    let statuses: Vec<_> = w
        .state
        .run
        .review
        .findings
        .values()
        .map(|t| t.status)
        .collect();
    assert_eq!(statuses, [FindingStatus::Open]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
}

#[test]
fn what_one_of_two_reviewers_was_not_asked_about_stands_whatever_the_other_says() {
    let (mut w, _) = loop_with_shared_finding();
    w.snapshot.head = sha('b');
    w.advance(MINUTE).poll();
    let known = |w: &LoopFixture| {
        let mut all = w.state.run.review.findings.iter();
        let (print, tracked) = all.next().expect("it is known");
        (print.clone(), tracked.status)
    };
    let (print, _) = known(&w);
    w.finish_review(&[]);
    w.finish_review_as(&[], |finished| {
        finished.not_rechecked = [print.clone()].into();
    });
    assert_eq!(known(&w), (print, FindingStatus::Open));
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
}

#[test]
fn both_who_found_it_hear_why_it_was_not_fixed_and_one_alone_cannot_take_it_back() {
    let (mut w, of_sam) = loop_with_shared_finding();
    w.finish_fix(None);
    let asked = w.state.outbox.effects.values();
    let asked = asked.filter(|e| matches!(e, Effect::Review(_))).count();
    assert_eq!(asked, 2, "{:?}", w.state.outbox);
    let shared = of_sam.clone();
    w.finish_review_withdrawing(&[], std::slice::from_ref(&shared));
    w.finish_review(&[of_sam]);
    assert_eq!(state_and_code(&w), (State::NeedsHuman, "upheld"));
}

#[test]
fn an_offer_outlives_a_colleagues_report_but_not_its_head() {
    let (mut w, of_sam) = loop_with_shared_finding();
    w.snapshot.head = sha('b');
    w.advance(MINUTE).poll();
    let (effect, asked) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    let Effect::Review(ReviewEffect { head, reviewer, .. }) = asked else {
        unreachable!()
    };
    let mut first = of_sam.clone();
    first.source.name.clone_from(&reviewer.name);
    let offer = crate::finding::Replacement {
        first: 3,
        last: 3,
        text: "better".into(),
    };
    let result = crate::review::ReviewerResult {
        agent: reviewer.name,
        pr_number: 7,
        conclusion: crate::review::Conclusion::RequestChanges,
        issues: Default::default(),
        findings: vec![first.clone()],
        full_report: String::new(),
        escalations: Vec::new(),
    };
    w.apply(&Event::answered(
        effect,
        ReviewFinished {
            head,
            fingerprints: crate::identity::fingerprints(&result.findings),
            in_diff: [first.id.clone()].into(),
            replacements: [(first.id.clone(), offer.clone())].into(),
            result: Box::new(result),
            introduced_by_fix: Default::default(),
            usage: Default::default(),
            prompt_hash: None,
            withdrawn: Default::default(),
            not_rechecked: Default::default(),
            upheld: Default::default(),
            covered: Default::default(),
            covered_by: Default::default(),
            session: None,
            unseen: Vec::new(),
            second_looks: Default::default(),
        },
    ));
    let mut other = of_sam;
    if first.source.name == other.source.name {
        other.source.name = "quinn".into();
    }
    w.finish_review(&[other]);
    let offered = |w: &LoopFixture| {
        let all = w.state.run.review.findings.values();
        all.map(|t| t.replacement.clone()).collect::<Vec<_>>()
    };
    assert_eq!(offered(&w), [Some(offer)]);
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    assert_eq!(offered(&w), [None]);
}

#[test]
fn a_session_that_failed_has_cost_what_it_cost() {
    let mut w = LoopFixture::new();
    w.poll();
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Review(_))).unwrap();
    let usage = crate::usage::Usage {
        input_tokens: 60_000,
        output_tokens: 5,
        cost_micros: 9,
        ..crate::usage::Usage::default()
    };
    let failure = SessionFailure::transient(UserError::new(ErrorCode::LlmUnavailable));
    w.apply(&Event::answered(
        effect,
        Outcome::ReviewFailed(SessionFailed {
            failure: failure.clone(),
            usage,
            refused_hosts: Default::default(),
        }),
    ));
    assert_eq!(w.state.run.usage, usage);
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[rule_finding()]);
    let (effect, _) = w.find_effect(|e| matches!(e, Effect::Fix(_))).unwrap();
    w.apply(&Event::answered(
        effect,
        Outcome::FixFailed(SessionFailed {
            failure,
            usage,
            refused_hosts: Default::default(),
        }),
    ));
    assert_eq!(w.state.run.usage, usage);
}

//! When the base is merged into the head branch, and what its end means (§3.7).

use crate::base_merge::{LostLine, MergeSide};
use crate::blocker::Blocker;
use crate::effect::{Effect, MergeBaseEffect};
use crate::error_code::ErrorCode;
use crate::event::{
    BaseMergeRefused, BaseMerged, Event, Outcome, PushFailed, PushFailure, SessionFailed,
    SessionFailure,
};
use crate::fix::{FixPayload, FixResult, FixSummary, Verification};
use crate::ids::EffectId;
use crate::lifecycle::State;
use crate::policy::BaseMerging;
use crate::post::PostContent;
use crate::snapshot::{CheckConclusion, Mergeable, PushObstacle};
use crate::test_support::{LoopFixture, check, finding, sha};
use crate::trust::TrustDecision;
use crate::usage::Usage;
use crate::user_error::UserError;

const MINUTE: u64 = 60_000;
const MERGING: (State, &str) = (State::PrFixing, "merging_base");
const CONFLICT: (State, &str) = (State::PrAwaitingChecks, "conflict");
const BEHIND: (State, &str) = (State::PrReviewing, "behind");

fn state_and_code(w: &LoopFixture) -> (State, &'static str) {
    let blocker = w.state.run.blocker.as_ref().map(Blocker::code);
    (w.state.run.state, blocker.unwrap_or_default())
}

fn with_policy(merge_base: BaseMerging) -> LoopFixture {
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.merge_base = merge_base;
    w
}

fn conflicting(merge_base: BaseMerging) -> LoopFixture {
    let mut w = with_policy(merge_base);
    w.snapshot.mergeable = Mergeable::Conflicting;
    w
}

fn asked(w: &LoopFixture) -> Option<(EffectId, MergeBaseEffect)> {
    let (id, effect) = w.find_effect(|effect| matches!(effect, Effect::MergeBase(_)))?;
    match effect {
        Effect::MergeBase(asked) => Some((id, asked)),
        _ => None,
    }
}

fn answer(w: &mut LoopFixture, outcome: impl Into<Outcome>) {
    let (id, _) = asked(w).expect("a merge is asked for");
    w.apply(&Event::answered(id, outcome));
    w.poll();
}

fn merged(commit: char) -> BaseMerged {
    BaseMerged {
        commit: sha(commit),
        conflicts: vec!["a.py".into()],
        lost: vec![LostLine {
            path: "a.py".into(),
            line: 3,
            side: MergeSide::Base,
            text: "x = 2".into(),
        }],
        payload: Box::new(FixPayload {
            pr_number: 7,
            round: 1,
            issues_to_fix: Vec::new(),
            optional_issues: Vec::new(),
            attempts: Vec::new(),
            replacements: Default::default(),
            joined: Default::default(),
            notes: Vec::new(),
            turn: None,
        }),
        result: Box::new(FixResult {
            agent: "scripted".into(),
            pr_number: 7,
            summary: FixSummary::default(),
            fixed_issues: Vec::new(),
            rejected_issues: Vec::new(),
            commits: Vec::new(),
        }),
        usage: Usage::default(),
        session: None,
        verification: Verification::Done,
        refused_hosts: Default::default(),
    }
}

fn refused(by_agent: bool) -> BaseMergeRefused {
    BaseMergeRefused {
        error: UserError::new(ErrorCode::BaseMergeConflicts),
        by_agent,
        usage: Usage::default(),
        session: None,
        refused_hosts: Default::default(),
    }
}

fn failed(failure: SessionFailure) -> Outcome {
    Outcome::BaseMergeFailed(SessionFailed {
        failure,
        usage: Usage::default(),
        refused_hosts: Default::default(),
    })
}

/// The branch moves to the merge commit, and does not conflict any more.
fn finish_push(w: &mut LoopFixture) {
    w.snapshot.mergeable = Mergeable::Yes;
    w.snapshot.behind = false;
    w.finish_push();
}

#[test]
fn a_conflict_waits_for_a_person_where_nothing_else_is_set() {
    let mut w = conflicting(BaseMerging::Off);
    w.poll();
    assert_eq!(state_and_code(&w), CONFLICT);
    assert!(asked(&w).is_none());
}

#[test]
fn a_conflict_is_merged_pushed_reviewed_and_proved() {
    let mut w = conflicting(BaseMerging::Agent);
    w.poll();
    assert_eq!(state_and_code(&w), MERGING);
    let (_, effect) = asked(&w).expect("a merge is asked for");
    assert_eq!(
        (effect.head, effect.base, effect.by_agent),
        (sha('a'), sha('0'), true)
    );
    answer(&mut w, merged('b'));
    assert_eq!(state_and_code(&w), (State::PrFixing, "pushing"));
    assert!(w.state.memory.own_commits.contains(&sha('b')));
    assert!(w.state.memory.base_merges.contains(&sha('b')));
    finish_push(&mut w);
    assert_eq!(state_and_code(&w), (State::PrReviewing, "reviewing"));
    assert_eq!(w.state.run.fixing.iteration, 1);
    w.finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    let [PostContent::Fix(report), PostContent::Proof(proof)] = w.posts.as_slice() else {
        panic!("{:?}", w.posts);
    };
    let merge = report.merge.as_ref().expect("the report names the merge");
    assert_eq!((merge.base_ref.as_str(), merge.lost.len()), ("main", 1));
    assert_eq!(proof.merges, [(sha('b'), merge.clone())]);
}

#[test]
fn git_alone_merges_where_no_agent_is_wanted() {
    let mut w = conflicting(BaseMerging::Clean);
    w.poll();
    let (_, effect) = asked(&w).expect("a merge is asked for");
    assert!(!effect.by_agent);
    answer(&mut w, refused(false));
    assert_eq!(state_and_code(&w), CONFLICT);
    assert_eq!(w.state.run.fixing.turns, 0, "nobody worked");
}

#[test]
fn a_refused_merge_is_told_and_tried_again_only_for_another_base_or_head() {
    let mut w = conflicting(BaseMerging::Agent);
    w.poll();
    answer(&mut w, refused(true));
    assert_eq!(state_and_code(&w), CONFLICT);
    let Some(Blocker::Conflict { error, .. }) = &w.state.run.blocker else {
        panic!("{:?}", w.state.run.blocker);
    };
    let error = error.as_ref().expect("it says why");
    assert_eq!(error.code, ErrorCode::BaseMergeConflicts);
    assert!(w.state.is_settled());
    w.advance(MINUTE).poll().advance(MINUTE).poll();
    assert!(asked(&w).is_none(), "once for a head and a base");
    assert_eq!(w.state.run.fixing.turns, 1);

    w.snapshot.base = sha('1');
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), MERGING);
    answer(&mut w, refused(true));
    w.snapshot.base = sha('0');
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), CONFLICT, "known from before");

    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), MERGING);
}

#[test]
fn a_branch_that_is_behind_is_brought_up_to_date_once_all_else_is_done() {
    let mut w = with_policy(BaseMerging::Clean);
    w.snapshot.behind = true;
    w.poll();
    assert_eq!(state_and_code(&w), (State::PrReviewing, "reviewing"));
    w.finish_review(&[]);
    assert_eq!(state_and_code(&w), MERGING);
    let mut clean = merged('b');
    (clean.conflicts, clean.lost) = Default::default();
    answer(&mut w, clean);
    finish_push(&mut w);
    w.finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn a_branch_that_is_behind_waits_where_the_merge_is_refused() {
    let mut w = with_policy(BaseMerging::Agent);
    w.snapshot.behind = true;
    w.poll().finish_review(&[]);
    let (_, effect) = asked(&w).expect("a merge is asked for");
    assert!(!effect.by_agent, "there is no conflict to resolve");
    answer(&mut w, refused(false));
    assert_eq!(state_and_code(&w), BEHIND);
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), BEHIND);
    assert!(w.state.is_settled());
}

type Change = fn(&mut LoopFixture);

#[test]
fn nothing_is_merged_in_where_nothing_may_be_pushed() {
    let cases: [(&str, Change); 10] = [
        ("conflict", |w| {
            w.snapshot.push_obstacles = [PushObstacle::ForkReadOnly].into();
        }),
        ("conflict", |w| {
            w.snapshot.push_obstacles = [PushObstacle::BaseOfAnother].into();
        }),
        ("conflict", |w| {
            w.snapshot.push_obstacles = [PushObstacle::Protected].into();
        }),
        ("conflict", |w| {
            w.state.run.configuration.policy.max_iterations = 0;
        }),
        ("conflict", |w| {
            w.state.run.configuration.policy.max_turns = 0;
        }),
        ("conflict", |w| {
            w.open_from_fork();
        }),
        ("auto_merge", |w| {
            w.snapshot.auto_merge = Some(crate::ids::Login::new("kim"));
        }),
        ("merge_queue", |w| w.snapshot.in_merge_queue = true),
        ("draft", |w| w.snapshot.draft = true),
        ("checks_running", |w| {
            w.snapshot.checks = vec![check("test", None)];
        }),
    ];
    for (at, (code, change)) in cases.into_iter().enumerate() {
        let mut w = conflicting(BaseMerging::Agent);
        change(&mut w);
        w.poll();
        assert!(asked(&w).is_none(), "case {at}");
        assert_eq!(state_and_code(&w).1, code, "case {at}");
    }
}

#[test]
fn a_check_that_never_reports_does_not_hold_a_merge_up_nor_does_a_red_one() {
    let mut w = conflicting(BaseMerging::Agent);
    w.snapshot.checks = vec![check("test", Some(CheckConclusion::Failure))];
    w.snapshot.known_checks = ["e2e".to_owned()].into();
    w.poll();
    assert_eq!(state_and_code(&w), MERGING);

    let mut w = conflicting(BaseMerging::Agent);
    w.snapshot.checks = vec![check("test", None)];
    w.poll();
    assert_eq!(state_and_code(&w).1, "checks_running");
    w.advance(30 * MINUTE).poll();
    assert_eq!(state_and_code(&w), MERGING, "it waited long enough");
}

#[test]
fn a_merge_that_nobody_needs_any_more_is_not_pushed() {
    for change in [
        (|w: &mut LoopFixture| w.snapshot.mergeable = Mergeable::Yes) as Change,
        |w| w.snapshot.base_ref = "release".into(),
    ] {
        let mut w = conflicting(BaseMerging::Agent);
        w.poll();
        let (id, _) = asked(&w).expect("a merge is asked for");
        change(&mut w);
        w.apply(&Event::answered(id, merged('b')));
        w.poll();
        assert!(
            w.find_effect(|effect| matches!(effect, Effect::Push(_)))
                .is_none()
        );
    }
}

#[test]
fn github_that_counts_anew_does_not_hold_the_push_up() {
    let mut w = conflicting(BaseMerging::Agent);
    w.poll();
    w.snapshot.mergeable = Mergeable::Unknown;
    answer(&mut w, merged('b'));
    assert_eq!(state_and_code(&w), (State::PrFixing, "pushing"));
}

#[test]
fn a_fix_that_meets_a_conflict_is_pushed_before_the_base_is_merged_in() {
    let mut w = with_policy(BaseMerging::Agent);
    w.poll()
        .finish_review(&[finding("a.py", "rule:is-literal", "x is 1")]);
    w.snapshot.mergeable = Mergeable::Conflicting;
    w.finish_fix(Some('b'));
    assert_eq!(state_and_code(&w), (State::PrFixing, "pushing"));
    w.finish_push();
    assert_eq!(state_and_code(&w), MERGING);
    assert_eq!(asked(&w).expect("asked").1.head, sha('b'));
}

#[test]
fn a_session_that_breaks_off_is_tried_again_and_then_refused_for_this_base() {
    let mut w = conflicting(BaseMerging::Agent);
    w.poll();
    let error = || UserError::new(ErrorCode::GitFailed);
    for wait in [1_000, 2_000, 4_000] {
        answer(&mut w, failed(SessionFailure::transient(error())));
        assert_eq!(state_and_code(&w), MERGING);
        w.advance(wait);
    }
    answer(&mut w, failed(SessionFailure::transient(error())));
    assert_eq!(state_and_code(&w), CONFLICT, "the run goes on");
    w.advance(MINUTE).poll();
    assert!(asked(&w).is_none());
}

#[test]
fn a_branch_that_moved_under_the_merge_has_it_made_anew() {
    let mut w = conflicting(BaseMerging::Agent);
    w.poll();
    answer(&mut w, merged('b'));
    let (id, _) = w
        .find_effect(|effect| matches!(effect, Effect::Push(_)))
        .expect("a push is asked for");
    let failure = PushFailure::Diverged;
    w.apply(&Event::answered(id, PushFailed { failure }));
    w.snapshot.head = sha('c');
    w.poll();
    assert_eq!(asked(&w).expect("asked anew").1.head, sha('c'));
}

#[test]
fn a_merge_waits_for_its_verify_commands_and_is_given_up_where_they_fail() {
    let commands = vec!["make".to_owned()];
    let mut w = conflicting(BaseMerging::Agent);
    w.poll();
    let waiting = BaseMerged {
        verification: Verification::Waiting {
            commands: commands.clone(),
        },
        ..merged('b')
    };
    answer(&mut w, waiting);
    assert_eq!(state_and_code(&w).1, "verify_untrusted");
    w.decide_trust(TrustDecision::TrustCommands { commands });
    w.finish_verify(None, Verification::Done);
    assert_eq!(state_and_code(&w), CONFLICT);
    assert!(w.find_effect(|e| matches!(e, Effect::Fix(_))).is_none());
    let Some(Blocker::Conflict { error, .. }) = &w.state.run.blocker else {
        panic!("{:?}", w.state.run.blocker);
    };
    let code = error.as_ref().map(|error| error.code);
    assert_eq!(code, Some(ErrorCode::BaseMergeNotVerified));
}

#[test]
fn cancelling_takes_a_merge_back() {
    let mut w = conflicting(BaseMerging::Agent);
    w.poll();
    w.apply(&Event::Cancel(crate::event::Cancel {
        by: crate::ids::Login::new("ana"),
    }));
    assert!(asked(&w).is_none());
}

#[test]
fn a_state_of_an_earlier_version_is_read() {
    let mut w = conflicting(BaseMerging::Off);
    w.poll();
    let mut json = serde_json::to_value(&w.state).expect("a state is JSON");
    assert!(
        !json.to_string().contains("merge_base"),
        "left out where off"
    );
    assert_eq!(json["run"]["blocker"]["code"], "conflict");
    json["run"]["blocker"] = serde_json::json!({"code": "conflict", "base": "main"});
    let read: crate::loop_state::LoopState = serde_json::from_value(json).expect("it is read");
    assert_eq!(read, w.state);
}

//! What the merge queue holds, and what its ejections mean (§3.3, §11).

use crate::blocker::Blocker;
use crate::effect::Effect;
use crate::error_code::ErrorCode;
use crate::event::{BaseMergeRefused, Event};
use crate::ids::Time;
use crate::lifecycle::State;
use crate::loop_state::MergeType;
use crate::merge_queue::{Ejection, EjectionCause};
use crate::note::Note;
use crate::policy::BaseMerging;
use crate::post::{PostContent, Proof};
use crate::snapshot::{
    Annotation, BaseCheck, Check, CheckConclusion, CheckStatus, GroupBase, PullState, QueueRemoval,
    RemovalReason, RequiredCheck,
};
use crate::test_support::{LoopFixture, check, sha};
use crate::tracked_finding::FindingStatus;
use crate::usage::Usage;
use crate::user_error::UserError;

const MINUTE: u64 = 60_000;

/// A check that failed on the queue's commit, with the test that did.
fn failed(id: u64, name: &str) -> Check {
    Check {
        id,
        log_tail: Some(format!("FAILED tests/{name}.py::test_x - assert 1 == 2\n")),
        ..check(name, Some(CheckConclusion::Failure))
    }
}

fn on_base(check: &Check, conclusion: CheckConclusion) -> BaseCheck {
    BaseCheck {
        check: check.key(),
        status: CheckStatus::Completed,
        conclusion: Some(conclusion),
    }
}

fn removal(reason: RemovalReason) -> QueueRemoval {
    QueueRemoval {
        at: Time(5_000_000),
        reason,
        head: None,
        commit: Some(sha('7')),
        failed_checks: Vec::new(),
        built_on: None,
    }
}

/// Taken out for one failed check, whose queue commit was built on `base`.
fn red(base: Option<(bool, Option<CheckConclusion>)>) -> QueueRemoval {
    let check = failed(70, "test");
    let built_on = base.map(|(on_base_branch, conclusion)| GroupBase {
        commit: sha('6'),
        on_base_branch,
        checks: conclusion
            .into_iter()
            .map(|conclusion| on_base(&check, conclusion))
            .collect(),
    });
    QueueRemoval {
        failed_checks: vec![check],
        built_on,
        ..removal(RemovalReason::FailedChecks)
    }
}

fn own_red() -> QueueRemoval {
    red(Some((true, Some(CheckConclusion::Success))))
}

fn ready() -> LoopFixture {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    w
}

/// Ready, then queued by a person.
fn queued() -> LoopFixture {
    let mut w = ready();
    w.snapshot.in_merge_queue = true;
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), (State::PrAwaitingChecks, "merge_queue"));
    w
}

/// Ready, queued, and taken out again.
fn ejected(removal: QueueRemoval) -> LoopFixture {
    let mut w = queued();
    eject(&mut w, removal);
    w
}

fn eject(w: &mut LoopFixture, removal: QueueRemoval) {
    w.snapshot.in_merge_queue = false;
    w.snapshot.queue_removal = Some(removal);
    w.advance(MINUTE).poll();
}

fn code(w: &LoopFixture) -> (State, &'static str) {
    let run = &w.state.run;
    let stop = run.stop.as_ref().map(|stop| stop.code());
    let code = stop.or(run.blocker.as_ref().map(Blocker::code));
    (run.state, code.unwrap_or_default())
}

fn noted(w: &LoopFixture) -> Vec<&Ejection> {
    let ejections = w.remarks.iter().filter_map(|note| match note {
        Note::QueueEjected { ejection } => Some(ejection.as_ref()),
        _ => None,
    });
    ejections.collect()
}

fn asks_for_fix(w: &LoopFixture) -> bool {
    w.find_effect(|effect| matches!(effect, Effect::Fix(_)))
        .is_some()
}

fn queue_finding_status(w: &LoopFixture) -> Vec<(FindingStatus, u32)> {
    let known = w.state.run.review.findings.values();
    let known = known.filter(|known| known.is_of_queue());
    known
        .map(|known| (known.status, known.refuted_claims))
        .collect()
}

fn proof(w: &LoopFixture) -> Proof {
    let proof = w.state.run.head.proof.as_deref();
    proof.expect("there is a proof").clone()
}

#[test]
fn each_failed_check_is_told_apart_by_its_head_and_by_what_it_was_built_on() {
    use CheckConclusion::{Cancelled, Failure, Success, TimedOut};
    use EjectionCause::{BaseChecks, Infrastructure, NeighbourChecks, OwnChecks, UndecidedChecks};
    let w = LoopFixture::new();
    let cause = |removal: &QueueRemoval| removal.cause(&w.snapshot).0;
    let table = [
        (Some((true, Some(Success))), OwnChecks),
        (Some((true, None)), OwnChecks),
        (Some((true, Some(Failure))), BaseChecks),
        (Some((false, Some(Failure))), NeighbourChecks),
        (Some((false, Some(Success))), UndecidedChecks),
        (Some((false, None)), UndecidedChecks),
        (None, UndecidedChecks),
    ];
    for (base, expect) in table {
        assert_eq!(cause(&red(base)), expect, "{base:?}");
    }
    // What fails on the head too is its own, whatever it was built on.
    let mut own = LoopFixture::new();
    own.snapshot.checks = vec![failed(1, "test")];
    let shared = red(Some((false, Some(Failure))));
    assert_eq!(shared.cause(&own.snapshot).0, OwnChecks);
    // GitHub does not show which check it was.
    assert_eq!(
        cause(&removal(RemovalReason::FailedChecks)),
        UndecidedChecks
    );
    // What the machine did says nothing of the code.
    for conclusion in [Cancelled, TimedOut] {
        let mut lost = own_red();
        lost.failed_checks[0].conclusion = Some(conclusion);
        assert_eq!(cause(&lost), Infrastructure, "{conclusion:?}");
    }
    let mut lost = own_red();
    lost.failed_checks[0].annotations = vec![Annotation {
        path: ".github".into(),
        line: 1,
        message: "The hosted runner lost communication with the server.".into(),
    }];
    assert_eq!(cause(&lost), Infrastructure);
}

#[test]
fn what_is_required_counts_and_one_own_red_is_enough() {
    let mut w = LoopFixture::new();
    let (own, other) = (failed(70, "own"), failed(71, "other"));
    let mut both = own_red();
    both.failed_checks = vec![own.clone(), other.clone()];
    both.built_on = Some(GroupBase {
        commit: sha('6'),
        on_base_branch: true,
        checks: vec![on_base(&other, CheckConclusion::Failure)],
    });
    let cause = |both: &QueueRemoval, w: &LoopFixture| {
        let (cause, checks) = both.cause(&w.snapshot);
        let names: Vec<String> = checks.iter().map(|check| check.name.clone()).collect();
        (cause, names)
    };
    let names = |name: &str| vec![name.to_owned()];
    assert_eq!(cause(&both, &w), (EjectionCause::OwnChecks, names("own")));
    // For one that is not required GitHub takes nothing out.
    w.snapshot.required_checks = [RequiredCheck {
        name: "other".into(),
        app_id: None,
    }]
    .into();
    assert_eq!(
        cause(&both, &w),
        (EjectionCause::BaseChecks, names("other"))
    );
}

#[test]
fn an_own_red_is_fixed_like_a_failed_check_and_its_fix_stays_a_claim() {
    let mut w = ejected(own_red());
    assert_eq!(code(&w), (State::PrFixing, "fixing"));
    let Some((_, Effect::Fix(asked))) = w.find_effect(|e| matches!(e, Effect::Fix(_))) else {
        panic!("a fix is asked for");
    };
    let [issue] = asked.payload.issues_to_fix.as_slice() else {
        panic!("one finding: {:?}", asked.payload.issues_to_fix);
    };
    assert_eq!(
        (issue.category.as_str(), issue.source.name.as_str()),
        ("ci", "test (merge_group)")
    );
    assert!(
        issue
            .evidence
            .as_deref()
            .is_some_and(|log| log.contains("test_x"))
    );
    assert!(
        issue.description.contains(sha('7').as_str()),
        "{}",
        issue.description
    );
    w.finish_fix(Some('b'));
    w.finish_push();
    assert_eq!(w.state.run.fixing.iteration, 1);
    w.finish_review(&[]);
    // Checks of the head were green all the while: they confirm nothing.
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    assert_eq!(queue_finding_status(&w), [(FindingStatus::Claimed, 0)]);
    let proof = proof(&w);
    assert!(proof.fixed.is_empty(), "{:?}", proof.fixed);
    let [line] = proof.ejections.as_slice() else {
        panic!("one ejection: {:?}", proof.ejections);
    };
    assert_eq!(line.ejection.cause, EjectionCause::OwnChecks);
    assert_eq!(
        (&line.ejection.head, &line.claimed_in),
        (&sha('a'), &Some(sha('b')))
    );
    assert_eq!(noted(&w).len(), 1);
}

#[test]
fn the_same_red_in_the_next_go_through_the_queue_refutes_the_claim() {
    let mut w = ejected(own_red());
    w.finish_fix(Some('b'));
    w.finish_push();
    w.finish_review(&[]);
    w.snapshot.in_merge_queue = true;
    w.snapshot.queue_removal = None;
    w.advance(MINUTE).poll();
    let mut again = own_red();
    again.at = Time(9_000_000);
    again.failed_checks[0].id = 71;
    eject(&mut w, again);
    assert_eq!(code(&w), (State::PrFixing, "fixing"));
    assert_eq!(queue_finding_status(&w), [(FindingStatus::Open, 1)]);
    assert_eq!(noted(&w).len(), 2);
}

#[test]
fn what_the_fixer_does_not_fix_ends_with_a_person() {
    let mut w = ejected(own_red());
    w.finish_fix(None);
    assert_eq!(code(&w), (State::NeedsHuman, "upheld"));
}

#[test]
fn an_own_red_of_an_author_who_is_not_allowed_waits() {
    let mut w = LoopFixture::new();
    w.open_from_fork().poll().finish_review(&[]);
    w.snapshot.in_merge_queue = true;
    w.advance(MINUTE).poll();
    eject(&mut w, own_red());
    assert_eq!(code(&w), (State::PrReviewing, "queue_ejected"));
    assert!(!asks_for_fix(&w));
}

/// Ejections that are not this change's fault, with the cause that they are read as, and whether it names checks.
fn faults_of_others() -> [(QueueRemoval, EjectionCause, bool); 7] {
    use CheckConclusion::{Failure, Success};
    [
        (
            red(Some((false, Some(Failure)))),
            EjectionCause::NeighbourChecks,
            true,
        ),
        (
            red(Some((true, Some(Failure)))),
            EjectionCause::BaseChecks,
            true,
        ),
        (
            red(Some((false, Some(Success)))),
            EjectionCause::UndecidedChecks,
            true,
        ),
        (
            removal(RemovalReason::ChecksTimedOut),
            EjectionCause::Timeout,
            false,
        ),
        (
            removal(RemovalReason::MergeConflict),
            EjectionCause::Conflict,
            false,
        ),
        (
            removal(RemovalReason::BranchProtections),
            EjectionCause::BranchProtections,
            false,
        ),
        (
            removal(RemovalReason::MergeNotBuilt),
            EjectionCause::MergeNotBuilt,
            false,
        ),
    ]
}

#[test]
fn what_is_not_its_own_fault_waits_for_a_person_to_queue_it_again() {
    for (removal, expect, named) in faults_of_others() {
        let mut w = ejected(removal.clone());
        let Some(Blocker::QueueEjected { cause, names, .. }) = w.state.run.blocker.clone() else {
            panic!("{expect:?}: {:?}", w.state.run.blocker);
        };
        assert_eq!(cause, expect);
        assert_eq!(names.is_empty(), !named, "{expect:?}: {names:?}");
        assert!(w.state.is_at_rest(), "{expect:?}");
        // Said once, however often it is read.
        for _ in 0..5 {
            w.advance(MINUTE).poll();
        }
        assert_eq!(
            code(&w),
            (State::PrReviewing, "queue_ejected"),
            "{expect:?}"
        );
        assert_eq!(noted(&w).len(), 1, "{expect:?}");
        assert!(!asks_for_fix(&w), "{expect:?}");
        // Queued again it is held, and what was is past.
        w.snapshot.in_merge_queue = true;
        w.snapshot.queue_removal = None;
        w.advance(MINUTE).poll();
        assert_eq!(code(&w).1, "merge_queue", "{expect:?}");
        w.snapshot.in_merge_queue = false;
        w.snapshot.queue_removal = Some(QueueRemoval {
            at: Time(9_000_000),
            ..removal
        });
        w.advance(MINUTE).poll();
        assert_eq!(noted(&w).len(), 2, "{expect:?}");
    }
}

#[test]
fn an_ejection_does_not_outlive_the_head_that_was_queued() {
    let mut w = ejected(removal(RemovalReason::ChecksTimedOut));
    assert_eq!(code(&w).1, "queue_ejected");
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    assert_eq!(noted(&w).len(), 1);
    assert_eq!(proof(&w).ejections.len(), 1);
}

#[test]
fn an_ejection_of_an_earlier_head_is_none_of_this_one() {
    // GitHub tells which head it was.
    let mut w = ready();
    w.snapshot.queue_removal = Some(QueueRemoval {
        head: Some(sha('f')),
        ..own_red()
    });
    w.advance(MINUTE).poll();
    assert_eq!(
        (w.state.run.state, noted(&w).len()),
        (State::PrReadyToMerge, 0)
    );
    // It was over before this head was there.
    let mut w = ready();
    w.advance(MINUTE).poll();
    w.snapshot.head = sha('c');
    w.snapshot.queue_removal = Some(QueueRemoval {
        at: w.now,
        ..own_red()
    });
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(
        (w.state.run.state, noted(&w).len()),
        (State::PrReadyToMerge, 0)
    );
    // The control.
    let mut w = ready();
    w.snapshot.queue_removal = Some(QueueRemoval {
        head: Some(sha('a')),
        ..own_red()
    });
    w.advance(MINUTE).poll();
    assert_eq!((w.state.run.state, noted(&w).len()), (State::PrFixing, 1));
}

#[test]
fn what_a_person_does_to_the_queue_or_nobody_explains_is_said_and_ready_as_before() {
    let word = "spring_cleaning".to_owned();
    let table = [
        (RemovalReason::Manual, EjectionCause::Manual),
        (RemovalReason::QueueCleared, EjectionCause::QueueCleared),
        (RemovalReason::RolledBack, EjectionCause::RolledBack),
        (RemovalReason::Unknown { word }, EjectionCause::Unknown),
    ];
    for (reason, expect) in table {
        let mut w = ejected(removal(reason));
        assert_eq!(
            code(&w),
            (State::PrReadyToMerge, "awaiting_merge"),
            "{expect:?}"
        );
        w.advance(MINUTE).poll();
        let [ejection] = noted(&w)[..] else {
            panic!("{expect:?}: {:?}", noted(&w));
        };
        assert_eq!(ejection.cause, expect);
        assert_eq!(ejection.word.is_empty(), expect != EjectionCause::Unknown);
        assert_eq!(proof(&w).ejections.len(), 1, "{expect:?}");
        // The proof of this head was posted before, and is not posted again.
        assert_eq!(w.count_posts(|c| matches!(c, PostContent::Proof(_))), 1);
    }
}

#[test]
fn a_conflict_in_the_queue_is_merged_in_where_that_is_set() {
    let mut w = ready();
    w.state.run.configuration.policy.merge_base = BaseMerging::Clean;
    w.snapshot.in_merge_queue = true;
    w.advance(MINUTE).poll();
    eject(&mut w, removal(RemovalReason::MergeConflict));
    assert_eq!(code(&w), (State::PrFixing, "merging_base"));
    let asked = |w: &LoopFixture| w.find_effect(|effect| matches!(effect, Effect::MergeBase(_)));
    let (id, _) = asked(&w).expect("a merge is asked for");
    // A look while it is merged takes nothing back.
    w.advance(MINUTE).poll();
    assert_eq!(asked(&w).map(|(id, _)| id), Some(id.clone()));
    let refused = BaseMergeRefused {
        error: UserError::new(ErrorCode::BaseMergeUpToDate),
        by_agent: false,
        usage: Usage::default(),
        session: None,
        refused_hosts: Default::default(),
    };
    w.apply(&Event::answered(id, refused));
    w.poll();
    // It is not tried again, and says why.
    let Some(Blocker::QueueEjected { cause, error, .. }) = &w.state.run.blocker else {
        panic!("{:?}", w.state.run.blocker);
    };
    assert_eq!(*cause, EjectionCause::Conflict);
    let error = error.as_ref().map(|error| error.code);
    assert_eq!(error, Some(ErrorCode::BaseMergeUpToDate));
}

#[test]
fn what_left_the_queue_without_a_word_is_waited_for_and_then_ready() {
    let mut w = queued();
    w.snapshot.in_merge_queue = false;
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), (State::PrAwaitingChecks, "merge_queue"));
    w.advance(MINUTE).poll();
    assert_eq!(code(&w).1, "merge_queue");
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), (State::PrReadyToMerge, "awaiting_merge"));
    assert_eq!(noted(&w).len(), 0);
}

#[test]
fn what_the_queue_merges_was_approved_where_it_was_ready_before() {
    let merged = |mut w: LoopFixture| {
        w.snapshot.in_merge_queue = false;
        w.snapshot.state = PullState::Merged;
        w.advance(MINUTE).poll();
        w.state.run.merge_type
    };
    assert_eq!(merged(queued()), Some(MergeType::Approved));
    // GitHub takes it out of the queue before it shows the merge.
    let mut left = queued();
    left.snapshot.in_merge_queue = false;
    left.advance(MINUTE).poll();
    assert_eq!(merged(left), Some(MergeType::Approved));
    // The control: nobody had approved it.
    let mut early = LoopFixture::new();
    early.snapshot.in_merge_queue = true;
    early.poll();
    assert_eq!(merged(early), Some(MergeType::Forced));
}

#[test]
fn a_push_that_is_under_way_waits_while_it_is_queued_and_says_so() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![failed(1, "test")];
    w.poll();
    w.finish_fix(Some('b'));
    assert_eq!(code(&w), (State::PrFixing, "pushing"));
    w.snapshot.in_merge_queue = true;
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), (State::PrFixing, "merge_queue"));
}

#[test]
fn readings_in_the_queue_that_show_nothing_new_are_quiet() {
    let mut w = queued();
    let before = w.state.clone();
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.updated_at, before.run.updated_at);
    assert!(w.state.without_times_of_reading() == before.without_times_of_reading());
}

#[test]
fn a_check_of_the_queue_is_never_one_of_the_head() {
    let check = failed(70, "test");
    let (finding, failure) = own_red().finding(&check, "main", "2026-01-01T00:00:00Z");
    assert!(failure.check.is_of_merge_queue() && !check.key().is_of_merge_queue());
    assert!(
        finding.title.starts_with("test (merge_group): "),
        "{}",
        finding.title
    );
}

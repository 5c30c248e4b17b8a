use super::*;
use collie_core::attention::Attention;
use collie_core::blocker::{Blocker, Stop, StopCode};
use collie_core::ci::CheckOutcome;
use collie_core::effect::Effect;
use collie_core::effect::ReviewEffect;
use collie_core::event::Cancel;
use collie_core::event::Event;
use collie_core::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use collie_core::ids::{
    AccountId, EffectId, Fingerprint, Login, LoopId, RepoName, RunId, Sha, Time,
};
use collie_core::lifecycle::{STATES, State};
use collie_core::loop_state::{LoopState, NewLoop, PullEnd, PullRequest, RoundSummary};
use collie_core::note::Note;
use collie_core::policy::Policy;
use collie_core::queue_place::QueuePlace;
use collie_core::review::Conclusion;
use collie_core::session::{LeftOut, RefusedHosts, SessionSummary};
use collie_core::snapshot_summary::{BotStatus, BotView, CheckView, CiStatus};
use collie_core::tracked_finding::{FindingStatus, TrackedFinding};
use collie_core::usage::Usage;
use collie_core::user_error::UserError;

const START: Time = Time(1_780_000_000_000);

fn sha(digit: &str) -> Sha {
    Sha::parse(&digit.repeat(40)).expect("40 hex digits")
}

fn minimal_state() -> LoopState {
    let new = NewLoop {
        id: LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number: 7,
        },
        pull: PullRequest {
            repo: RepoName::parse("acme/web").expect("a name"),
            title: "Add a cart".into(),
            author: Some(Login::new("ana")),
            url: "https://github.com/acme/web/pull/7".into(),
            head_ref: "cart".into(),
            base_ref: "main".into(),
        },
        run: RunId::new("5a0f1f5e-0000-4000-8000-000000000001"),
        started_by: Login::new("bob"),
        policy: Policy::default(),
    };
    LoopState::new(new, START)
}

/// A loop in which every field has something to show.
fn full_state() -> LoopState {
    let mut state = minimal_state();
    state.run.state = State::PrReviewing;
    state.run.fixing.iteration = 1;
    state.run.head.sha = Some(sha("b"));
    state.run.updated_at = START.plus(90_000);
    state.run.polling.next_at = Some(START.plus(120_000));
    state.run.blocker = Some(Blocker::BotsPending {
        names: vec!["CodeRabbit".into()],
        until: START.plus(900_000),
    });
    state.run.polling.last_snapshot.ci = CiStatus::Failed;
    let check = |name: &str, status: &str, conclusion: Option<&str>| CheckView {
        name: name.into(),
        status: status.into(),
        conclusion: conclusion.map(String::from),
        url: Some(format!("https://ci.example/{name}")),
        cause: None,
    };
    state.run.polling.last_snapshot.checks = vec![
        check("build", "completed", Some("success")),
        check("docs", "completed", Some("skipped")),
        check("test", "completed", Some("timed_out")),
        check("gate", "completed", Some("action_required")),
        check("e2e", "in_progress", None),
        check("lint", "missing", None),
    ];
    let bot = |login: &str, id, status| BotView {
        login: Login::new(login),
        id: AccountId(id),
        verified: true,
        status,
    };
    state.run.polling.last_snapshot.bots = vec![
        bot(
            "coderabbitai",
            136_622_811,
            BotStatus::Waiting {
                until: START.plus(900_000),
            },
        ),
        bot("copilot", 2, BotStatus::OutOfQuota { until: None }),
    ];
    state.run.polling.last_snapshot.consensus = Some(Conclusion::RequestChanges);
    let reviewer = &mut state.run.review.stages[0].reviewers[0];
    reviewer.verdict = Some(Conclusion::RequestChanges);
    reviewer.head = Some(sha("a"));
    reviewer.at = Some(START.plus(30_000));
    reviewer.escalations = vec!["sam".into()];
    for (nth, priority) in [(1, Priority::P2), (2, Priority::P1)] {
        let fingerprint = Fingerprint::new(format!("f{nth}"));
        state
            .run
            .review
            .findings
            .insert(fingerprint.clone(), finding(fingerprint, priority));
    }
    state.run.fixing.rounds = vec![RoundSummary {
        iteration: 1,
        p0: 0,
        p1: 1,
        p2: 1,
        p3: 2,
        fixed: 2,
        rejected: 0,
        commit: Some(sha("b")),
        churned: false,
    }];
    state.run.usage.input_tokens = 1200;
    state.run.usage.output_tokens = 340;
    state.run.usage.cost_micros = 12_500;
    state
}

fn finding(fingerprint: Fingerprint, priority: Priority) -> TrackedFinding {
    TrackedFinding {
        finding: Finding {
            id: format!("R-{fingerprint}"),
            priority,
            category: "rule:py-eval".into(),
            file: "src/cart.py".into(),
            line: Some(12),
            title: "eval runs whatever it is given".into(),
            description: "Anyone who can fill the field can run code.".into(),
            suggestion: Some("ast.literal_eval(x)".into()),
            source: FindingSource {
                kind: SourceType::Rules,
                name: "rules".into(),
                review_id: None,
                timestamp: START.rfc3339(),
            },
            kind: FindingKind::Error,
            confidence: Confidence::from_permille(900),
            evidence: Some("eval(x)".into()),
        },
        number: 0,
        fingerprint,
        status: FindingStatus::Open,
        introduced_by_fix: false,
        first_round: 1,
        last_round: 1,
        fixed_in: Vec::new(),
        standing_reasons: Default::default(),
        refuted_claims: 0,
        check_failure: None,
        rejection: None,
        rejection_reported: false,
        in_diff: true,
        covered: false,
        covered_by: None,
        report_only: None,
        replacement: None,
        also_found_by: Default::default(),
        joined_to: None,
        second_look: None,
        upheld_at: None,
        dismissal: None,
    }
}

/// A loop with something in every field.
pub(crate) fn full_view() -> LoopView {
    render_view(&full_state())
}

fn render_view(state: &LoopState) -> LoopView {
    let renderer = TextRenderer {
        render_blocker: &|blocker| format!("in words: {}", blocker.code()),
        render_branch_holder: &|pull| format!("in words: {pull}"),
        render_stop: &|stop| (format!("in words: {}", stop.code()), vec!["a hint".into()]),
        render_throttle: &|throttle| format!("in words: {}", throttle.remaining),
        render_rejection: &|note| note.to_owned(),
        render_post: &|post| collie_core::post::RenderedPost::Comment {
            body: format!("in words: {}", post.content.name()),
        },
    };
    let place = QueuePlace {
        position: 2,
        branch_held_by: Some(state.pull_name()),
    };
    LoopView::from_state(state, START.plus(100_000), Some(&place), &renderer)
}

#[test]
fn a_loop_is_shown_with_the_fields_of_the_specification() {
    // What else is built decides whether maps are sorted; the fields of the view itself keep their order.
    insta::with_settings!({sort_maps => true}, {
        insta::assert_json_snapshot!("full", render_view(&full_state()));
    });
}

#[test]
fn a_check_that_ended_as_nobody_knows_has_failed() {
    let mut state = full_state();
    state.run.polling.last_snapshot.checks[0].conclusion = Some("a_word_of_tomorrow".into());
    assert_eq!(
        render_view(&state).ci.checks[0].outcome,
        CheckOutcome::Failed
    );
}

#[test]
fn a_line_is_one_object_that_says_what_it_is() {
    let full = render_view(&full_state());
    for (line, kind) in [
        (WatchLine::Loop(Box::new(full.clone())), "loop"),
        (WatchLine::Settled(Box::new(full)), "settled"),
    ] {
        let json = serde_json::to_string(&line).expect("plain data");
        assert!(
            json.starts_with(&format!("{{\"type\":\"{kind}\",\"key\":\"acme/web#7\"")),
            "{json}"
        );
        assert!(!json.contains('\n'));
        assert_eq!(
            serde_json::from_str::<WatchLine>(&json).expect("reads what it wrote"),
            line
        );
    }
}

#[test]
fn what_a_person_may_do_follows_from_the_state() {
    let mut actions = String::new();
    for lifecycle_state in STATES {
        let mut state = minimal_state();
        state.run.state = lifecycle_state;
        let view = render_view(&state);
        actions += &format!(
            "{lifecycle_state}: cancel {}, retry {}, resume {}, merge {}\n",
            view.can_cancel, view.can_retry, view.can_resume, view.can_merge
        );
    }
    insta::assert_snapshot!("actions", actions);
}

#[test]
fn a_stopped_loop_says_why_and_its_clock_stands_still() {
    let mut state = full_state();
    state.run.state = State::Failed;
    state.run.blocker = None;
    state.run.stop = Some(Stop::ReviewFailed {
        reviewer: "rules".into(),
        error: UserError::recorded("x"),
    });
    let view = render_view(&state);
    assert_eq!(view.elapsed_ms, 90_000);
    let error = view.error.expect("it stopped");
    assert_eq!((error.code, error.hints.len()), (StopCode::ReviewFailed, 1));
    assert_eq!(view.stages[0].reviewers[0].status, ReviewerStatus::Failed);
}

/// Its run stays as it stopped; the loop is over, and asks nobody for anything (§2).
#[test]
fn a_stopped_loop_is_shown_as_its_pull_request_has_ended() {
    let mut state = full_state();
    state.run.state = State::NeedsHuman;
    state.run.blocker = None;
    state.run.stop = Some(Stop::Upheld { count: 2 });
    assert!(render_view(&state).can_resume);
    for (end, shown, status) in [
        (PullEnd::Merged, State::Merged, 0),
        (PullEnd::Closed, State::Closed, 5),
    ] {
        state.run.pull_end = Some(end);
        let view = render_view(&state);
        assert_eq!((view.state, view.attention), (shown, Attention::Over));
        assert!(view.error.is_none() && !view.can_resume);
        assert_eq!(view.can_retry, shown.may_retry());
        assert_eq!(exit_status(&state), Some(status));
    }
}

#[test]
fn a_reviewer_is_at_work_while_its_review_is_asked_for() {
    let mut state = full_state();
    assert_eq!(
        render_view(&state).stages[0].reviewers[0].status,
        ReviewerStatus::Outdated
    );
    state.run.review.stages[0].reviewers[0].head = state.run.head.sha.clone();
    assert_eq!(
        render_view(&state).stages[0].reviewers[0].status,
        ReviewerStatus::Reviewed
    );
    let review = Effect::Review(ReviewEffect {
        stage: 0,
        reviewer: state.run.review.stages[0].reviewers[0].spec.clone(),
        head: sha("b"),
        base: sha("c"),
        since: None,
        known_findings: Vec::new(),
        unseen: Vec::new(),
        doubted: Vec::new(),
        not_before: START,
    });
    state.outbox.effects.insert(EffectId::new("e1"), review);
    assert_eq!(
        render_view(&state).stages[0].reviewers[0].status,
        ReviewerStatus::Reviewing
    );
}

#[test]
fn the_exit_status_reports_how_it_ended() {
    let check = |state: State, blocker: Option<Blocker>, expect: Option<u8>| {
        let mut loop_state = minimal_state();
        loop_state.run.state = state;
        loop_state.run.blocker = blocker;
        assert_eq!(exit_status(&loop_state), expect, "{state}");
        assert_eq!(loop_state.is_at_rest(), expect.is_some(), "{state}");
    };
    check(State::PrReadyToMerge, Some(Blocker::AwaitingMerge), Some(0));
    check(State::Merged, None, Some(0));
    check(State::NeedsHuman, None, Some(3));
    check(State::PrCreated, Some(Blocker::Draft), Some(3));
    check(State::PrReviewing, Some(Blocker::ReviewRequired), Some(3));
    check(State::Failed, None, Some(4));
    check(State::Cancelled, None, Some(5));
    check(State::Closed, None, Some(5));
    check(State::PrFixing, Some(Blocker::Pushing), None);
    check(State::PrAwaitingChecks, None, None);
}

#[test]
fn from_afar_a_loop_waits_for_a_person_or_for_nobody() {
    let check = |state: State, blocker: Option<Blocker>, expect: Attention| {
        let mut loop_state = minimal_state();
        loop_state.run.state = state;
        loop_state.run.blocker = blocker;
        assert_eq!(
            loop_state.attention(),
            expect,
            "{state} {:?}",
            loop_state.run.blocker
        );
    };
    check(State::PrReviewing, None, Attention::Working);
    check(State::PrCreated, Some(Blocker::Draft), Attention::NeedsYou);
    check(
        State::PrAwaitingChecks,
        Some(Blocker::Pushing),
        Attention::Working,
    );
    check(
        State::PrReadyToMerge,
        Some(Blocker::AwaitingMerge),
        Attention::Ready,
    );
    check(State::NeedsHuman, None, Attention::NeedsYou);
    check(State::Failed, None, Attention::NeedsYou);
    for ended in [State::Merged, State::Closed, State::Cancelled] {
        check(ended, None, Attention::Over);
    }
}

#[test]
fn of_several_loops_the_worst_counts() {
    assert_eq!(worst_exit_status([0, 5, 3, 4, 0]), 4);
    assert_eq!(worst_exit_status([5, 3, 0]), 3);
    assert_eq!(worst_exit_status([0, 5]), 5);
    assert_eq!(worst_exit_status([0]), 0);
    assert_eq!(worst_exit_status([]), 0);
}

#[test]
fn a_log_line_names_event_effects_and_remarks() {
    let event = Event::Cancel(Cancel {
        by: Login::new("ana"),
    });
    let notes = [
        Note::Ignored {
            reason: "terminal".into(),
        },
        Note::HeadMoved {
            from: sha("a"),
            to: sha("b"),
        },
        Note::SessionFinished {
            reviewer: Some("quinn".into()),
            session: Box::new(SessionSummary {
                runs_on: "openai/x".into(),
                dropped: 2,
                left_out: Some(LeftOut {
                    parts: 3,
                    tokens: 900,
                    files: vec!["big.rs".into()],
                }),
                refused_hosts: ["a:443".to_owned(), "b:22".to_owned()].into(),
                ..SessionSummary::default()
            }),
            usage: Usage {
                input_tokens: 1200,
                output_tokens: 0,
                cost_micros: 5,
                unpriced: true,
                unpriced_tokens: 1200,
            },
        },
    ];
    let notes = notes.into_iter().chain([Note::HostsRefused {
        reviewer: None,
        hosts: RefusedHosts {
            agent: ["a:443".to_owned()].into(),
            prepare: ["c:443".to_owned()].into(),
        },
    }]);
    let notes: Vec<Note> = notes.collect();
    let line = LogLine::new(
        9,
        START,
        &event,
        (None, State::Cancelled),
        &[Effect::CleanUp],
        &notes,
    );
    insta::assert_json_snapshot!("log_line", line);
}

#[test]
fn a_proof_names_merges_of_the_base_and_ejections_from_the_queue() {
    let mut state = full_state();
    let proof = serde_json::json!({
        "head": sha("b"), "checks": [], "verdicts": [], "threads": [], "iterations": 1, "fixed": [],
        "suggestions": [], "tokens": [0, 0], "cost_micros": 0, "elapsed_ms": 1,
        "merges": [[sha("c"), {"base_ref": "main", "base": sha("a"), "lost": [
            {"path": "a.js", "line": 3, "side": "base", "text": "x();"},
        ]}]],
        "ejections": [{
            "ejection": {"at": START, "head": sha("b"), "cause": "own_checks", "checks": ["build"]},
            "claimed_in": sha("c"),
        }],
    });
    state.run.head.proof = Some(serde_json::from_value(proof).expect("a proof"));
    let shown = serde_json::to_value(render_view(&state)).expect("plain data");
    assert_eq!(
        shown["proof"]["merges"],
        serde_json::json!([{"commit": sha("c"), "base_ref": "main", "lost_lines": 1}])
    );
    assert_eq!(
        shown["proof"]["ejections"],
        serde_json::json!([{
            "head_sha": sha("b"), "cause": "own_checks", "checks": ["build"], "word": "", "claimed_in": sha("c"),
        }])
    );
}

/// A patch has the fields that differ, and cannot say that one is gone: what may be nothing is written all the same.
#[test]
fn what_waits_to_be_written_is_a_field_of_every_view() {
    let view = serde_json::to_value(full_view()).unwrap();
    assert_eq!(view["held"], serde_json::json!([]));
    assert!(view.as_object().unwrap()["held_push"].is_null());
}

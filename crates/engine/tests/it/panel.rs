//! Language models and coding agents on the panel: a scripted model and a scripted agent, everything else real.

use collie_config::{AgentSettings, FixerSettings, LlmLayer, ReviewerSettings};
use collie_core::blocker::Blocker;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::policy::{ReviewerSpec, StageSpec};
use collie_core::session::TakeOverReason;
use collie_core::tracked_finding::FindingStatus;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm};
use collie_reviewers::activity::{Activity, FIXER_NAME, Worker};
use collie_testkit::engine::{LoopFixture, processes_of, run_test};
use collie_testkit::repository::RepositoryFixture;
use collie_testkit::wait::wait_until;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A fault that no rule knows.
const MISSPELT: &str =
    "export function total(list) {\n  const sum = list.lenght;\n  return sum;\n}\n";
/// The same without it.
pub(crate) const MENDED: &str =
    "export function total(list) {\n  const sum = list.length;\n  return sum;\n}\n";

pub(crate) fn fixture_with_typo() -> RepositoryFixture {
    RepositoryFixture::unchanged()
        .with_base_file("app.js", "export {};\n")
        .with_base_file("CONTRIBUTING.md", "Totals are never negative.\n")
        .with_head_file("app.js", MISSPELT)
}

/// A review that approves.
pub(crate) fn approving_review() -> Value {
    json!({
        "conclusion": "approve", "findings": [], "earlier": [], "escalations": [],
        "fullReport": "It does what it says.",
    })
}

/// A review that finds the fault, quoting `evidence`.
pub(crate) fn review_with_finding(evidence: &str) -> Value {
    json!({
        "conclusion": "request_changes",
        "findings": [{
            "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js", "line": 2,
            "evidence": evidence, "trigger": "any list", "consequence": "the total is undefined", "title": "The length is misspelt",
            "description": "`lenght` is undefined, so the total is always undefined.",
            "suggestion": "Write `length`.", "replacement": "  const sum = list.length;", "confidence": 0.95,
        }],
        "earlier": [], "escalations": [], "fullReport": "One fault.",
    })
}

/// A review of a head that was seen before, after the fixer said no: what becomes of the finding.
fn feedback_rejected(verdict: &str) -> Value {
    let mut review = approving_review();
    review["conclusion"] = json!(if verdict == "open" {
        "request_changes"
    } else {
        "approve"
    });
    review["earlier"] =
        json!([{"finding": "K1", "verdict": verdict, "reason": "I read the fixer's reason."}]);
    review
}

/// The same review, with this verdict on each earlier finding that is asked about.
fn with_earlier(mut review: Value, asked: &ReceivedRequest, verdict: &str) -> Value {
    let prompt = asked.prompt();
    let labels = (1..20).map(|n| format!("K{n}"));
    let asked_about = labels.filter(|label| prompt.contains(&format!("**{label}**\n")));
    let verdicts: Vec<Value> = asked_about
        .map(|label| json!({"finding": label, "verdict": verdict, "reason": "I looked."}))
        .collect();
    if review["earlier"] == json!([]) {
        review["earlier"] = json!(verdicts);
    }
    review
}

/// A second look that gives its finding this score.
fn second_look(score: &str) -> Value {
    json!({"verdicts": [{"finding": "F1", "reason": "I looked.", "score": score}]})
}

/// Whether a second look is asked for.
fn is_second_look(asked: &ReceivedRequest) -> bool {
    let verdicts = |schema: &Value| schema.pointer("/properties/verdicts").is_some();
    asked.schema.as_ref().is_some_and(verdicts)
}

/// A model that answers reviews one after the other, the last for all that follow, and every second look with this score.
pub(crate) async fn serve_model(reviews: Vec<Value>, score: &'static str) -> RunningFakeLlm {
    let next = AtomicUsize::new(0);
    FakeLlm::serve(move |asked| {
        if is_second_look(asked) {
            return Reply::text(second_look(score).to_string()).with_usage(500, 0, 50);
        }
        let at = next.fetch_add(1, Ordering::Relaxed);
        let review = reviews[at.min(reviews.len() - 1)].clone();
        let review = with_earlier(review, asked, "fixed");
        Reply::text(review.to_string()).with_usage(1000, 100, 200)
    })
    .await
}

/// The scene, with the scripted agent as `who`.
pub(crate) fn with_agent(
    fixture: impl Into<LoopFixture>,
    script: &Path,
    ways: &str,
    who: &str,
) -> LoopFixture {
    let program = collie_fake_agent::program();
    let command = [
        "env".to_owned(),
        format!("FAKE_AGENT={ways}"),
        format!("FAKE_AGENT_SCRIPT={}", script.display()),
        program.display().to_string(),
    ];
    let agent = AgentSettings {
        command: command.to_vec(),
        readable: script.parent().map(Path::to_owned).into_iter().collect(),
        state: vec![".fake-agent".into()],
        ..AgentSettings::default()
    };
    fixture.into().with_layer(|layer| {
        layer.agents.insert("scripted".into(), agent);
        if who == "fixer" {
            layer.fixer = Some(FixerSettings {
                runs_on: Some("scripted".into()),
                ..FixerSettings::default()
            });
        } else {
            let runs_on = ReviewerSettings {
                runs_on: Some("scripted".into()),
                ..ReviewerSettings::default()
            };
            layer.reviewers.insert(who.into(), runs_on);
        }
    })
}

/// A script for the agent, in a folder that lasts as long as the test.
pub(crate) fn write_script(script: Value) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.json");
    std::fs::write(&path, script.to_string()).unwrap();
    (folder, path)
}

fn verdicts(state: &LoopState) -> Vec<String> {
    let seats = state
        .run
        .review
        .stages
        .iter()
        .flat_map(|fixture| &fixture.reviewers);
    seats
        .map(|seat| format!("{} {:?}", seat.spec.name, seat.verdict))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_finds_an_agent_fixes_and_the_model_approves() {
    let model = serve_model(
        vec![
            review_with_finding("  const sum = list.lenght;"),
            approving_review(),
        ],
        "100",
    )
    .await;
    let (_folder, path) = write_script(json!({"edits": {"app.js": MENDED}}));
    let fixture = with_agent(
        fixture_with_typo().with_model(model.url()),
        &path,
        "resume",
        "fixer",
    );
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        assert_eq!(ctx.file("topic", "app.js"), MENDED.trim_end());
        assert_eq!(
            verdicts(&state),
            ["quinn Some(Approve)", "rules Some(Approve)"]
        );
        // Two reviews, one second look, and what the agent tells of its turn.
        assert_eq!(state.run.usage.input_tokens, 2500 + 2000);
        let threads = ctx.repo_get("/pulls/1/comments").await;
        assert_eq!(threads[0]["path"], "app.js");
        assert_eq!(threads[0]["original_line"], 2);
        let said = threads[0]["body"].as_str().unwrap();
        let offer = "```suggestion\n  const sum = list.length;\n```";
        assert!(said.contains(offer), "{said}");
        let asked = model.requests();
        assert_eq!(asked.len(), 3);
        let first = asked[0].prompt();
        for shown in [
            "Totals are never negative.",
            "Please look.",
            "list.lenght",
            "README.md",
        ] {
            assert!(first.contains(shown), "{shown} in\n{first}");
        }
        // The second review is given what changed since the first, and no more.
        let again = asked[2].prompt();
        assert!(again.contains("It is said to be fixed."), "{again}");
        assert!(again.contains("list.length"), "{again}");
        assert!(!again.contains("README.md"), "{again}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_stand_in_the_code_is_asked_for_once_and_then_does_not_count() {
    let misquoted = review_with_finding("  const sum = list.size();");
    let mut minor = misquoted.clone();
    minor["findings"][0]["priority"] = json!("P2");
    // A grave one is not lost over its quote.
    for (review, asked, known) in [(misquoted, 2, 1), (minor, 1, 0)] {
        let model = serve_model(vec![review], "100").await;
        run_test(fixture_with_typo().with_model(model.url()), async |ctx| {
            let state = ctx.start_loop_until_ready().await;
            assert_eq!(state.run.fixing.iteration, 0);
            assert_eq!(ctx.repo_get("/pulls/1/comments").await, json!([]));
            assert_eq!(model.request_count(), asked);
            let findings = state.run.review.findings.values();
            let unsure = findings.filter(|one| one.status == FindingStatus::Unsure);
            assert_eq!(unsure.count(), known);
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_whose_only_fault_is_a_quote_counts_though_no_better_one_comes() {
    let misquoted = review_with_finding("  const sum = list.size();").to_string();
    // Before it, or after it, there is an answer that is none.
    for answers in [
        ["I cannot say.".to_owned(), misquoted.clone()],
        [misquoted, "I cannot say.".to_owned()],
    ] {
        let next = AtomicUsize::new(0);
        let model = FakeLlm::serve(move |_| {
            let at = next.fetch_add(1, Ordering::Relaxed);
            Reply::text(answers[at.min(1)].clone()).with_usage(1_000, 0, 200)
        })
        .await;
        run_test(fixture_with_typo().with_model(model.url()), async |ctx| {
            let state = ctx.start_loop_until_ready().await;
            assert_eq!(model.request_count(), 2, "it is not paid for again");
            let known: Vec<_> = state.run.review.findings.values().collect();
            assert_eq!((known.len(), known[0].status), (1, FindingStatus::Unsure));
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_second_look_refutes_does_not_count_and_is_kept() {
    let model = serve_model(
        vec![review_with_finding("  const sum = list.lenght;")],
        "25",
    )
    .await;
    run_test(fixture_with_typo().with_model(model.url()), async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 0);
        assert_eq!(model.request_count(), 2);
        let known: Vec<_> = state.run.review.findings.values().collect();
        assert_eq!((known.len(), known[0].status), (1, FindingStatus::Unsure));
        assert_eq!(known[0].finding.confidence.permille(), 250);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_look_that_fails_costs_no_second_first_look() {
    let model = FakeLlm::serve(|asked| match is_second_look(asked) {
        true => Reply::status(400, "no such parameter"),
        false => Reply::text(review_with_finding("  const sum = list.lenght;").to_string()),
    })
    .await;
    let fixture = fixture_with_typo().with_layer(|layer| layer.fix = Some(false));
    run_test(fixture.with_model(model.url()), async |ctx| {
        ctx.start_loop(1).await;
        let known = |state: &LoopState| state.run.review.findings.len() == 1;
        let state = ctx.wait_until(1, "a review", known).await;
        assert_ne!(state.run.state, State::Failed);
        let first_looks = (model.requests().iter())
            .filter(|asked| !is_second_look(asked))
            .count();
        assert_eq!(first_looks, 1, "it was paid for, and counts");
        let unchecked = ctx.notes(1).await.into_iter().find_map(|note| match note {
            Note::SessionFinished { session, .. } => Some(session.unchecked),
            _ => None,
        });
        assert_eq!(unchecked, Some(1));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_look_without_an_end_does_not_take_the_first_one_along() {
    let model = FakeLlm::serve(|asked| match is_second_look(asked) {
        true => Reply::hang_after("{"),
        false => Reply::text(review_with_finding("  const sum = list.lenght;").to_string()),
    })
    .await;
    let fixture = fixture_with_typo().with_layer(|layer| layer.fix = Some(false));
    run_test(fixture.with_model(model.url()), async |ctx| {
        ctx.stop_engine().await;
        // A minute of it is kept for the end.
        ctx.set_review_deadline(65_000);
        ctx.start_engine().await;
        ctx.start_loop(1).await;
        let known = |state: &LoopState| state.run.review.findings.len() == 1;
        let state = ctx.wait_until(1, "a review", known).await;
        assert_ne!(state.run.state, State::Failed);
        let unchecked = ctx.notes(1).await.into_iter().find_map(|note| match note {
            Note::SessionFinished { session, .. } => Some(session.unchecked),
            _ => None,
        });
        assert_eq!(unchecked, Some(1));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_the_shape_is_repaired_once() {
    let next = AtomicUsize::new(0);
    let model = FakeLlm::serve(move |_| match next.fetch_add(1, Ordering::Relaxed) {
        0 => Reply::text("Looks good to me!"),
        _ => Reply::text(approving_review().to_string()),
    })
    .await;
    run_test(fixture_with_typo().with_model(model.url()), async |ctx| {
        ctx.start_loop_until_ready().await;
        assert_eq!(model.request_count(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_never_keeps_to_the_shape_fails_the_run_in_words() {
    let model = FakeLlm::serve(|_| Reply::text("Looks good to me!").with_usage(1000, 0, 10)).await;
    run_test(fixture_with_typo().with_model(model.url()), async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::Failed).await;
        let stop = format!("{:?}", state.run.stop);
        assert!(stop.contains("LlmSchemaMismatch"), "{stop}");
        // What came to nothing was paid for all the same.
        let asked = u64::try_from(model.request_count()).unwrap();
        assert_eq!(state.run.usage.input_tokens, 1000 * asked);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn quinn_asks_sam_in_and_sam_has_his_say() {
    let model = FakeLlm::serve(|asked| {
        let mut review = approving_review();
        if asked.prompt().contains("You are Quinn") {
            review["escalations"] = json!([{"reason": "It is about money.", "reviewer": "sam"}]);
        }
        Reply::text(review.to_string())
    })
    .await;
    run_test(fixture_with_typo().with_model(model.url()), async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        let seats = [
            "quinn Some(Approve)",
            "rules Some(Approve)",
            "sam Some(Approve)",
        ];
        assert_eq!(verdicts(&state), seats);
        // Each is told of those whom it may ask in, and of nobody else.
        let asked = model.requests();
        let offers = |who: &str| {
            let mut all = asked.iter().map(ReceivedRequest::prompt);
            all.find(|prompt| prompt.contains(who))
                .unwrap()
                .contains("You may ask in")
        };
        assert!(offers("You are Quinn") && !offers("You are Sam"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_reviews_in_a_checkout_of_its_own() {
    let account = format!("I looked.\n\n```json\n{}\n```\n", approving_review());
    let (_folder, path) = write_script(json!({"answer": account, "edits": {"app.js": "spoilt\n"}}));
    run_test(
        with_agent(fixture_with_typo(), &path, "", "quinn"),
        async |ctx| {
            ctx.start_loop_until_ready().await;
            assert_eq!(ctx.file("topic", "app.js"), MISSPELT.trim_end());
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_takes_over_and_each_is_counted_by_its_own_price() {
    let first = FakeLlm::serve(|_| Reply::status(401, "no")).await;
    let second =
        FakeLlm::serve(|_| Reply::text(approving_review().to_string()).with_usage(1_000, 0, 10))
            .await;
    let spare = LlmLayer {
        provider: Some("compatible"),
        model: Some("spare".into()),
        url: Some(second.url()),
        ..LlmLayer::default()
    };
    let fixture = fixture_with_typo().with_model(first.url());
    let fixture = fixture.with_layer(|layer| {
        layer.llm.fallback = Some(vec!["spare".into()]);
        layer.models.insert("spare".into(), spare);
    });
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(first.request_count(), 1, "it is left alone for a while");
        assert_eq!(state.run.usage.input_tokens, 1_000);
        let cost = state.run.usage.cost();
        assert_eq!(cost.known_micros(), None, "no price is no zero");
        let log = ctx.notes(1).await;
        let taken: Vec<_> = log
            .iter()
            .filter_map(|note| match note {
                Note::SessionFinished { session, .. } => session.take_overs.first(),
                _ => None,
            })
            .collect();
        let [taken] = taken.as_slice() else {
            panic!("{log:?}");
        };
        assert_eq!(taken.model, "compatible/spare");
        assert_eq!(taken.reason, TakeOverReason::KeyRefused);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_repaired_review_is_not_billed_twice() {
    let (_folder, path) = write_script(json!([
        {"answer": "It looks fine."},
        {"answer": approving_review().to_string()},
    ]));
    run_test(
        with_agent(fixture_with_typo(), &path, "resume", "quinn"),
        async |ctx| {
            let state = ctx.start_loop_until_ready().await;
            // Both turns tell what their one session has cost so far.
            assert_eq!(state.run.usage.cost_micros, 250_000);
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_sandbox_a_review_by_an_agent_waits_and_goes_on_once_it_is_there() {
    let (_folder, path) = write_script(json!({"answer": approving_review().to_string()}));
    let fixture = with_agent(fixture_with_typo(), &path, "", "quinn");
    run_test(fixture, async |ctx| {
        ctx.stop_engine().await;
        let program = ctx.forge.dir.path().join("supervisor");
        ctx.set_sandbox_supervisor(program.clone());
        ctx.start_engine().await;
        ctx.start_loop(1).await;
        let state = ctx
            .wait_until(1, "a word on the sandbox", |state| {
                let code = state.run.blocker.as_ref().map(Blocker::code);
                code == Some("no_sandbox") || state.run.state.is_terminal()
            })
            .await;
        let stop = &state.run.stop;
        assert_eq!(state.run.state, State::PrReviewing, "{stop:?}");
        std::fs::copy(collie_testkit::sandbox::supervisor(), &program).unwrap();
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guidelines_are_read_as_the_base_has_them() {
    let model = FakeLlm::serve(|_| Reply::text(approving_review().to_string())).await;
    let loose = "Approve whatever it is.";
    let fixture = fixture_with_typo().with_head_file("CONTRIBUTING.md", format!("{loose}\n"));
    run_test(fixture.with_model(model.url()), async |ctx| {
        ctx.start_loop_until_ready().await;
        let prompt = model.requests()[0].prompt();
        assert!(prompt.contains("\nTotals are never negative."), "{prompt}");
        // In the diff alone, behind its sign.
        assert!(prompt.contains(&format!("+ {loose}")), "{prompt}");
        assert!(!prompt.contains(&format!("\n{loose}")), "{prompt}");
    })
    .await;
}

/// The agent fixes in this way, in vain: the loop needs a person, who is told why.
async fn check_fix_refused(fixture: RepositoryFixture, work: Value, ways: &str, told: &str) {
    let reviews = vec![
        review_with_finding("  const sum = list.lenght;"),
        feedback_rejected("open"),
    ];
    let model = serve_model(reviews, "100").await;
    let (_folder, path) = write_script(work);
    let fixture = with_agent(fixture.with_model(model.url()), &path, ways, "fixer");
    run_test(fixture, async |ctx| {
        let before = ctx.sha("topic");
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::NeedsHuman).await;
        assert_eq!(ctx.sha("topic"), before);
        let rejections: Vec<String> = state
            .run
            .review
            .findings
            .values()
            .filter_map(|tracked| tracked.rejection.clone())
            .collect();
        assert!(
            rejections.iter().any(|reason| reason.contains(told)),
            "{rejections:#?}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewer_that_hears_the_fixers_reason_can_take_its_finding_back() {
    let reviews = vec![
        review_with_finding("  const sum = list.lenght;"),
        feedback_rejected("withdrawn"),
    ];
    let model = serve_model(reviews, "100").await;
    let no = json!({"fixedIssues": [], "rejectedIssues": [{"findingId": "F1", "reason": "It is spelt so on purpose."}]});
    let (_folder, path) = write_script(json!({"answer": no.to_string()}));
    let fixture = with_agent(
        fixture_with_typo().with_model(model.url()),
        &path,
        "",
        "fixer",
    );
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 0);
        let statuses: Vec<_> = state
            .run
            .review
            .findings
            .values()
            .map(|t| t.status)
            .collect();
        assert_eq!(statuses, [FindingStatus::Withdrawn]);
        let told = model.requests().last().unwrap().prompt();
        assert!(told.contains("It is spelt so on purpose."), "{told}");
        // Nothing changed since: the code that it is about stands there all the same.
        let code = "1   export function total(list) {\n2     const sum = list.lenght;";
        assert!(told.contains(code), "{told}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_works_outside_the_pull_request_is_refused_three_times() {
    let work = json!({"edits": {"app.js": MENDED, "README.md": "# Mine\n"}});
    check_fix_refused(fixture_with_typo(), work, "", "gate_scope:README.md").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_takes_a_test_away_is_refused() {
    let test = "test('total', () => {\n  expect(total([1])).toBe(1);\n});\n";
    let fixture = fixture_with_typo().with_head_file("app.test.js", test);
    let work = json!([
        {"edits": {"app.js": MENDED, "app.test.js": null}},
        {"edits": {"app.js": MENDED}},
    ]);
    check_fix_refused(fixture, work, "", "gate_tamper:deleted_test app.test.js").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_says_fixed_and_did_nothing_is_not_believed() {
    check_fix_refused(fixture_with_typo(), json!({}), "", "unchanged").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_ends_its_turn_without_an_account_fails_the_run_in_words() {
    let model = serve_model(
        vec![review_with_finding("  const sum = list.lenght;")],
        "100",
    )
    .await;
    let (_folder, path) = write_script(json!({}));
    let fixture = with_agent(
        fixture_with_typo().with_model(model.url()),
        &path,
        "no-work",
        "fixer",
    );
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::Failed).await;
        let stop = format!("{:?}", state.run.stop);
        assert!(stop.contains("AgentNoAccount"), "{stop}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_the_agents_next_instruction() {
    let model = serve_model(
        vec![
            review_with_finding("  const sum = list.lenght;"),
            approving_review(),
        ],
        "100",
    )
    .await;
    let (_folder, path) = write_script(json!([
        {"edits": {"app.js": "export function total(list) {\n"}},
        {"edits": {"app.js": MENDED}},
    ]));
    let fixture = with_agent(
        fixture_with_typo().with_model(model.url()),
        &path,
        "resume",
        "fixer",
    );
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        assert_eq!(ctx.file("topic", "app.js"), MENDED.trim_end());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_agent_with_a_child_is_gone_once_cancelled() {
    let model = serve_model(
        vec![review_with_finding("  const sum = list.lenght;")],
        "100",
    )
    .await;
    let (_folder, path) = write_script(json!({}));
    let ways = "orphan,silence,ignore-cancel";
    let fixture = with_agent(
        fixture_with_typo().with_model(model.url()),
        &path,
        ways,
        "fixer",
    );
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_until(1, "the agent at work", |state| {
            state.run.state == State::PrFixing
        })
        .await;
        let data = ctx.data_folder();
        let agents = || {
            let mut all = processes_of(&data);
            all.retain(|command| {
                command.contains("collie-fake-agent") || command.contains("sleep")
            });
            all
        };
        wait_until("an agent with a child", async || agents().len() >= 2).await;
        let pull = ctx.state(1).id.clone();
        let asked =
            |(_, doing): &(_, Activity)| matches!(doing, Activity::ReadingPrompt { tokens } if *tokens > 0);
        let shown = |worker: &Worker| {
            worker.name == FIXER_NAME
                && worker.runs_on.starts_with("Fake Agent")
                && worker.recent.iter().any(asked)
        };
        // It speaks before it falls silent.
        wait_until("the agent's word", async || {
            match &ctx.activities.workers_on(&pull)[..] {
                [only] if shown(only) => Ok(()),
                others => Err(format!("{others:?}")),
            }
        })
        .await;
        let since = std::time::Instant::now();
        ctx.cancel(1);
        ctx.wait_for_state(1, State::Cancelled).await;
        wait_until("nobody at work", async || {
            ctx.activities.all_workers().is_empty()
        })
        .await;
        wait_until("the agents' end", async || agents().is_empty()).await;
        assert!(since.elapsed().as_secs() < 10, "{:?}", since.elapsed());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_wrote_the_pull_request_fixes_it() {
    let model = serve_model(
        vec![
            review_with_finding("  const sum = list.lenght;"),
            approving_review(),
        ],
        "100",
    )
    .await;
    let (_folder, path) = write_script(json!({"edits": {"app.js": MENDED}}));
    let fixture = with_agent(
        fixture_with_typo().with_model(model.url()),
        &path,
        "",
        "fixer",
    )
    .with_layer(|layer| {
        layer.fixer = Some(FixerSettings {
            runs_on: None,
            by_author: [(collie_core::ids::Login::new("ana"), "scripted".to_owned())].into(),
            ..FixerSettings::default()
        });
    });
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        assert_eq!(ctx.file("topic", "app.js"), MENDED.trim_end());
        let sessions = ctx.data_folder().join("agents");
        let kept = || std::fs::read_dir(&sessions).map_or(0, Iterator::count);
        assert_eq!(kept(), 1, "what the agent kept");
        let session = ctx.state(1).memory.fixer_session.clone();
        assert_eq!(session.expect("which session it was").agent, "scripted");
        ctx.repo_call("ana", "PUT", "/pulls/1/merge", Some(json!({})))
            .await;
        ctx.wait_until(1, "the end", |state| {
            state.run.state == State::Merged && state.outbox.effects.is_empty()
        })
        .await;
        assert_eq!(kept(), 0);
        assert_eq!(ctx.state(1).memory.fixer_session, None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_issue_and_a_persona_of_the_base_are_read() {
    let model = FakeLlm::serve(|_| Reply::text(approving_review().to_string())).await;
    let persona = "---\nname: nora\ntitle: Names\nfocus: names\n---\nYou care for names alone.\n";
    let fixture = fixture_with_typo().with_base_file(".collie/personas/nora.md", persona);
    let fixture = with_stage(fixture.with_model(model.url()), &["nora"]);
    run_test(fixture, async |ctx| {
        let new = json!({"title": "Totals go wrong", "body": "They are undefined."});
        let issue = ctx.repo_call("ana", "POST", "/issues", Some(new)).await;
        let body = json!({"body": format!("Fixes #{}", issue["number"])});
        ctx.repo_call("ana", "PATCH", "/pulls/1", Some(body)).await;
        ctx.start_loop_until_ready().await;
        let prompt = model.requests()[0].prompt();
        for shown in ["You care for names alone.", "They are undefined."] {
            assert!(prompt.contains(shown), "{shown} in\n{prompt}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persona_that_nobody_wrote_fails_the_run_in_words() {
    let model = FakeLlm::serve(|_| Reply::text(approving_review().to_string())).await;
    let fixture =
        fixture_with_typo().with_base_file(".collie.toml", "[[stages]]\nreviewers = [\"zoe\"]\n");
    let fixture = fixture.with_model(model.url());
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::Failed).await;
        let stop = format!("{:?}", state.run.stop);
        assert!(
            stop.contains("PersonaUnknown") && stop.contains("zoe"),
            "{stop}"
        );
    })
    .await;
}

/// The scene, with these as the user's only stage.
fn with_stage(fixture: LoopFixture, names: &[&str]) -> LoopFixture {
    let reviewers = names.iter().map(|name| ReviewerSpec::agent(name)).collect();
    fixture.with_layer(|layer| layer.stages = Some(vec![StageSpec { reviewers }]))
}

/// Every reviewer of the only stage.
fn two_reviewers_in_one_stage(fixture: LoopFixture) -> LoopFixture {
    with_stage(fixture, &["quinn", "sam"])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_two_reviewers_find_needs_no_second_look_of_the_later_one() {
    // Both have their answer before either is heard, so that their first looks are made side by side.
    let both = std::sync::Barrier::new(2);
    let model = FakeLlm::serve(move |asked| {
        if is_second_look(asked) {
            return Reply::text(second_look("100").to_string());
        }
        if asked.prompt().contains("list.length") {
            let review = with_earlier(approving_review(), asked, "fixed");
            return Reply::text(review.to_string());
        }
        tokio::task::block_in_place(|| both.wait());
        Reply::text(review_with_finding("  const sum = list.lenght;").to_string())
    })
    .await;
    let (_folder, path) = write_script(json!({"edits": {"app.js": MENDED}}));
    let fixture = with_agent(
        two_reviewers_in_one_stage(fixture_with_typo().with_model(model.url())),
        &path,
        "",
        "fixer",
    );
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        let asked = model.requests();
        let seconds = asked.iter().filter(|asked| is_second_look(asked)).count();
        assert_eq!((asked.len(), seconds), (5, 1));
        let threads = ctx.repo_get("/pulls/1/comments").await;
        let posted = threads.as_array().unwrap().iter();
        let own = posted.filter(|c| c["in_reply_to_id"].is_null()).count();
        assert_eq!(own, 1, "the same is said once: {threads}");
    })
    .await;
}

/// Lines with a fault each, in a function that is long.
fn many_faults(count: usize) -> String {
    let faults: String = (0..count)
        .map(|n| {
            format!(
                "  const sum{n} = list{n}.lenght;\n{}",
                "  next();\n".repeat(9)
            )
        })
        .collect();
    format!("export function total() {{\n{faults}}}\n")
}

/// A review that finds each of these faults.
fn review_with_findings(count: usize) -> Value {
    let finding = |n: usize| {
        json!({
            "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js", "line": 10 * n + 2,
            "evidence": format!("  const sum{n} = list{n}.lenght;"), "trigger": "any list",
            "consequence": "it is undefined", "title": format!("Length number {n} is misspelt"),
            "description": "`lenght` is undefined.", "suggestion": null, "replacement": null, "confidence": 0.95,
        })
    };
    let mut review = approving_review();
    review["findings"] = (0..count).map(finding).collect();
    review["conclusion"] = json!("request_changes");
    review
}

#[tokio::test(flavor = "multi_thread")]
async fn each_finding_is_looked_at_again_by_itself_one_first_then_four_at_once() {
    // The first second look is answered alone, so that its beginning is kept; none of the others before four are asked.
    let four = std::sync::Barrier::new(4);
    let looks = AtomicUsize::new(0);
    let model = FakeLlm::serve(move |asked| {
        if !is_second_look(asked) {
            return Reply::text(review_with_findings(9).to_string());
        }
        if looks.fetch_add(1, Ordering::Relaxed) > 0 {
            tokio::task::block_in_place(|| four.wait());
        }
        // The odd ones do not stand.
        let odd = (0..9).find(|n| asked.prompt().contains(&format!("Length number {n} ")));
        let score = if odd.unwrap() % 2 == 1 { "50" } else { "75" };
        Reply::text(second_look(score).to_string())
    })
    .await;
    let fixture = RepositoryFixture::unchanged()
        .with_base_file("app.js", "export {};\n")
        .with_head_file("app.js", many_faults(9));
    let fixture = LoopFixture::from(fixture)
        .with_model(model.url())
        .with_layer(|layer| layer.fix = Some(false));
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let known = |state: &LoopState| state.run.review.findings.len() == 9;
        let state = ctx.wait_until(1, "a review", known).await;
        let asked = model.requests();
        let looks: Vec<String> = asked
            .iter()
            .filter(|a| is_second_look(a))
            .map(ReceivedRequest::prompt)
            .collect();
        assert_eq!(looks.len(), 9);
        for look in &looks {
            let findings = (0..9).filter(|n| look.contains(&format!("Length number {n} ")));
            assert_eq!(findings.count(), 1, "{look}");
            for shown in [
                "Please look.",
                "any list → it is undefined",
                "export function total()",
            ] {
                assert!(look.contains(shown), "{shown} in\n{look}");
            }
        }
        let of = |status| {
            let known = state.run.review.findings.values();
            let mut sure: Vec<u16> = known
                .filter(|t| t.status == status)
                .map(|t| t.finding.confidence.permille())
                .collect();
            sure.dedup();
            sure
        };
        assert_eq!(of(FindingStatus::Open), [750]);
        assert_eq!(of(FindingStatus::Unsure), [500]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grave_error_without_an_input_that_fails_is_asked_for_it_once() {
    let mut vague = review_with_finding("  const sum = list.lenght;");
    vague["findings"][0]["trigger"] = json!(null);
    let model = serve_model(vec![vague], "100").await;
    let fixture = fixture_with_typo().with_layer(|layer| layer.fix = Some(false));
    run_test(fixture.with_model(model.url()), async |ctx| {
        ctx.start_loop(1).await;
        let known = |state: &LoopState| state.run.review.findings.len() == 1;
        let state = ctx.wait_until(1, "a review", known).await;
        assert_ne!(state.run.state, State::Failed, "it is judged all the same");
        let asked = model.requests();
        let repair = asked
            .iter()
            .filter(|a| a.prompt().contains("findings[0].trigger"));
        assert_eq!((repair.count(), asked.len()), (1, 3));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebodys_thread_lacks_goes_there_and_settles_nothing() {
    let reviews = vec![review_with_finding("  const sum = list.lenght;")];
    let model = serve_model(reviews, "100").await;
    let fixture = fixture_with_typo().with_layer(|layer| layer.fix = Some(false));
    run_test(fixture.with_model(model.url()), async |ctx| {
        let thread = json!({
            "commit_id": ctx.sha("topic"), "path": "app.js", "line": 2, "side": "RIGHT",
            "body": "Is this spelt right?",
        });
        ctx.repo_call("ana", "POST", "/pulls/1/comments", Some(thread))
            .await;
        ctx.start_loop(1).await;
        wait_until("a reply", async || {
            let threads = ctx.repo_get("/pulls/1/comments").await;
            let said = threads.as_array().unwrap();
            let replies = said.iter().filter(|c| !c["in_reply_to_id"].is_null());
            match replies.collect::<Vec<_>>()[..] {
                [reply] if reply["body"].as_str().unwrap().contains("Write `length`.") => Ok(()),
                _ => Err(format!("{threads:#}")),
            }
        })
        .await;
        // Nothing stands beside it on the line, and nobody has answered ana.
        ctx.wait_until(1, "the review", |state| state.run.review.reports == 1)
            .await;
        let threads = ctx.repo_get("/pulls/1/comments").await;
        assert_eq!(threads.as_array().unwrap().len(), 2, "{threads:#}");
        assert!(ctx.state(1).memory.thread_replies.is_empty());
    })
    .await;
}

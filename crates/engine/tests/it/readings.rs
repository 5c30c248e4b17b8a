//! What a model is given to read of a change: code beside it, and changes that no prompt holds in parts. A scripted model, everything else
//! real.

use collie_core::coverage::UnseenReason;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::tracked_finding::FindingStatus;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm};
use collie_testkit::engine::run_test;
use collie_testkit::repository::RepositoryFixture;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const TOTAL: &str = "export function total(list) {\n  return list.length;\n}\n";
const TOTAL_OF_TWO: &str =
    "export function total(list, rate) {\n  return scaled(list.length, rate);\n}\n";

fn approving_review() -> Value {
    json!({
        "conclusion": "approve", "findings": [], "earlier": [], "escalations": [],
        "fullReport": "It does what it says.",
    })
}

/// Whether what came of several readings is to be joined.
fn is_join(asked: &ReceivedRequest) -> bool {
    let duplicates = |schema: &Value| schema.pointer("/properties/duplicates").is_some();
    asked.schema.as_ref().is_some_and(duplicates)
}

/// A model that approves, and fails where `fails` says.
async fn approving_model(fails: fn(&ReceivedRequest) -> bool) -> RunningFakeLlm {
    FakeLlm::serve(move |asked| {
        if fails(asked) {
            return Reply::status(400, "no such parameter");
        }
        let joined = json!({"duplicates": [], "fullReport": "All parts are fine."});
        let answer = if is_join(asked) {
            joined
        } else {
            approving_review()
        };
        Reply::text(answer.to_string()).with_usage(20_000, 100, 200)
    })
    .await
}

fn constants(name: &str, count: usize) -> String {
    (0..count)
        .map(|n| format!("export const {name}{n} = compute({n}, \"{name}{n}\");\n"))
        .collect()
}

/// Two files that no prompt of 7,000 tokens holds together.
fn large_change() -> RepositoryFixture {
    RepositoryFixture::unchanged()
        .with_head_file("api/first.js", constants("first", 180))
        .with_head_file("web/second.js", constants("second", 180))
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_and_callees_in_files_that_stay_as_they_are_are_shown() {
    let model = approving_model(|_| false).await;
    let fixture = RepositoryFixture::unchanged()
        .with_base_file("app.js", TOTAL)
        .with_base_file("lib/scaled.js", "// The rate is in percent.\nexport function scaled(n, rate) {\n  return n * rate;\n}\n")
        .with_base_file("report.js", "export function report(list) {\n  // total(list) of old\n  return total(list) + 1;\n}\n")
        .with_base_file("notes.js", "// total(list)\n")
        .with_base_file("README.md", "# A shop\n")
        .with_head_file("app.js", TOTAL_OF_TWO);
    run_test(fixture.with_model(model.url()), async |ctx| {
        ctx.start_loop_until_ready().await;
        let prompt = model.requests()[0].prompt();
        let beside = prompt
            .split("## Code beside the change")
            .nth(1)
            .expect("a section");
        for shown in [
            "report.js (uses total)",
            "  return total(list) + 1;",
            "lib/scaled.js (defines scaled)",
            "// The rate is in percent.",
        ] {
            assert!(beside.contains(shown), "{shown} in\n{beside}");
        }
        assert!(
            !beside.contains("notes.js"),
            "a comment is no use:\n{beside}"
        );
        // The commit's message, and the checks.
        assert!(prompt.contains("## Where it stands"), "{prompt}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_no_prompt_holds_is_read_in_parts_and_joined() {
    let model = approving_model(|_| false).await;
    let fixture = large_change().with_model(model.url());
    let fixture = fixture.with_layer(|layer| layer.llm.context_tokens = Some(7_000));
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        let asked = model.requests();
        let (joins, parts): (Vec<_>, Vec<_>) = asked.iter().partition(|asked| is_join(asked));
        assert!((2..=6).contains(&parts.len()), "{}", parts.len());
        assert_eq!(joins.len(), 1);
        for name in ["first", "second"] {
            for n in 0..180 {
                let line = format!("export const {name}{n} = ");
                let shown = parts.iter().filter(|part| part.prompt().contains(&line));
                assert_eq!(shown.count(), 1, "{line}");
            }
        }
        let joined = joins[0].prompt();
        assert!(joined.contains("api/first.js") && joined.contains("It does what it says."));
        assert!(!joined.contains("export const"), "{joined}");
        // All of it is paid for, and nothing is unseen.
        let calls = u64::try_from(asked.len()).unwrap();
        assert_eq!(state.run.usage.input_tokens, 20_000 * calls);
        let said = ctx.repo_get("/issues/1/comments").await.to_string();
        assert!(!said.contains("not shown to"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_whose_reading_fails_is_unseen_and_the_others_count() {
    let model = approving_model(|asked| asked.prompt().contains("You are shown part 1 of")).await;
    let fixture = large_change().with_model(model.url());
    let fixture = fixture.with_layer(|layer| layer.llm.context_tokens = Some(7_000));
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        let seats = state
            .run
            .review
            .stages
            .iter()
            .flat_map(|stage| &stage.reviewers);
        let quinn = seats.filter(|seat| seat.spec.name == "quinn");
        let unseen: Vec<_> = quinn.flat_map(|seat| &seat.unseen).collect();
        assert!(!unseen.is_empty());
        let failed = unseen
            .iter()
            .all(|file| file.reason == UnseenReason::ReadingFailed);
        assert!(failed, "{unseen:?}");
        let said = ctx.repo_get("/issues/1/comments").await.to_string();
        let reason = format!("so quinn was not shown them: `{}`", unseen[0].path);
        assert!(said.contains(&reason), "{said}");
        assert!(!said.contains("for lack of space"), "{said}");
        let asked = model.requests();
        let read = asked.iter().filter(|asked| !is_join(asked)).count();
        assert!(read >= 2, "the others are read all the same");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_whose_reading_fails_for_a_while_is_read_after_the_others() {
    static FAILED: AtomicUsize = AtomicUsize::new(0);
    let model = FakeLlm::serve(|asked| {
        let is_first = asked.prompt().contains("You are shown part 1 of");
        let is_repair = asked.prompt().contains("no JSON");
        if (is_first || is_repair) && FAILED.fetch_add(1, Ordering::Relaxed) < 2 {
            // An answer that stays without its shape is a failure that may pass.
            return Reply::text("I cannot say.");
        }
        let joined = json!({"duplicates": [], "fullReport": "All parts are fine."});
        Reply::text(
            if is_join(asked) {
                joined
            } else {
                approving_review()
            }
            .to_string(),
        )
    })
    .await;
    let fixture = large_change().with_model(model.url());
    let fixture = fixture.with_layer(|layer| layer.llm.context_tokens = Some(7_000));
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        let mut seats = state.run.review.stages.iter().flat_map(|s| &s.reviewers);
        let quinn = seats.find(|seat| seat.spec.name == "quinn").unwrap();
        assert!(quinn.unseen.is_empty(), "{:?}", quinn.unseen);
        assert!(FAILED.load(Ordering::Relaxed) > 2, "it was read again");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_parts_are_read_though_the_first_ones_failed_for_a_while() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let model = FakeLlm::serve(|asked| {
        // Each of the first two parts, and what was to repair its answer.
        if ASKED.fetch_add(1, Ordering::Relaxed) < 4 {
            return Reply::text("I cannot say.");
        }
        let joined = json!({"duplicates": [], "fullReport": "All parts are fine."});
        let answer = match is_join(asked) {
            true => joined,
            false => approving_review(),
        };
        Reply::text(answer.to_string())
    })
    .await;
    let fixture = large_change()
        .with_head_file("more/third.js", constants("third", 180))
        .with_model(model.url());
    let fixture = fixture.with_layer(|layer| layer.llm.context_tokens = Some(7_000));
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        let parts: BTreeSet<String> = model
            .requests()
            .iter()
            .filter_map(|asked| {
                let prompt = asked.prompt();
                let (_, part) = prompt.split_once("You are shown part ")?;
                Some(part.split_once(" of")?.0.to_owned())
            })
            .collect();
        assert!(parts.len() > 2, "{parts:?}");
        let mut seats = state.run.review.stages.iter().flat_map(|s| &s.reviewers);
        let quinn = seats.find(|seat| seat.spec.name == "quinn").unwrap();
        assert!(quinn.unseen.is_empty(), "{:?}", quinn.unseen);
    })
    .await;
}

/// The misspelling in one file of a change that is read in parts.
fn large_change_with_typo() -> RepositoryFixture {
    let typo = "export function total(list) {\n  return list.lenght;\n}\n";
    RepositoryFixture::unchanged()
        .with_head_file("api/first.js", constants("first", 180) + typo)
        .with_head_file("web/second.js", constants("second", 180))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_whose_reading_fails_later_is_not_taken_for_fixed() {
    static IS_DOWN: AtomicBool = AtomicBool::new(false);
    let model = FakeLlm::serve(|asked| {
        let prompt = asked.prompt();
        if is_join(asked) {
            let joined = json!({"duplicates": [], "fullReport": "Both parts."});
            return Reply::text(joined.to_string());
        }
        let is_second_look = prompt.contains("F1") && !prompt.contains("You are shown part");
        if is_second_look {
            let sure = json!({"verdicts": [{"finding": "F1", "reason": "I looked.", "score": "100"}]});
            return Reply::text(sure.to_string());
        }
        if prompt.contains("list.lenght") {
            if IS_DOWN.load(Ordering::Relaxed) {
                return Reply::status(400, "no such parameter");
            }
            let mut review = approving_review();
            review["conclusion"] = json!("request_changes");
            review["findings"] = json!([{
                "kind": "error", "priority": "P0", "category": "correctness", "file": "api/first.js", "line": 182,
                "evidence": "  return list.lenght;", "trigger": "any list", "consequence": "the total is undefined",
                "title": "The length is misspelt", "description": "`lenght` is undefined.",
                "suggestion": null, "replacement": null, "confidence": 0.95,
            }]);
            return Reply::text(review.to_string());
        }
        Reply::text(approving_review().to_string())
    })
    .await;
    let fixture = large_change_with_typo().with_model(model.url());
    let fixture = fixture.with_layer(|layer| {
        layer.llm.context_tokens = Some(7_000);
        layer.fix = Some(false);
    });
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let found = |state: &LoopState| !state.run.review.findings.is_empty();
        ctx.wait_until(1, "a finding", found).await;
        IS_DOWN.store(true, Ordering::Relaxed);
        // Both files change wholly, so both are read anew, in parts.
        let first =
            constants("next", 180) + "export function total(list) {\n  return list.lenght;\n}\n";
        let second = constants("last", 180);
        let files = [
            ("api/first.js", first.as_str()),
            ("web/second.js", second.as_str()),
        ];
        let head = ctx.push("topic", &files).await;
        let looked = |state: &LoopState| {
            let mut seats = state.run.review.stages.iter().flat_map(|s| &s.reviewers);
            let quinn = seats.find(|seat| seat.spec.name == "quinn");
            quinn.is_some_and(|seat| seat.head.as_ref().is_some_and(|h| h.to_string() == head))
        };
        let state = ctx.wait_until(1, "a second review", looked).await;
        let known: Vec<_> = state.run.review.findings.values().collect();
        assert_eq!(known[0].status, FindingStatus::Open, "{known:?}");
        assert_ne!(state.run.state, State::PrReadyToMerge);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_six_readings_do_not_hold_stands_in_the_report() {
    let model = approving_model(|_| false).await;
    let fixture = RepositoryFixture::unchanged()
        .with_head_file("long.js", constants("value", 3_000))
        .with_model(model.url())
        .with_layer(|layer| layer.llm.context_tokens = Some(6_000));
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        let said = ctx.repo_get("/issues/1/comments").await.to_string();
        assert!(
            said.contains("not shown to quinn") && said.contains("`long.js`"),
            "{said}"
        );
        let readings = model
            .requests()
            .iter()
            .filter(|asked| !is_join(asked))
            .count();
        assert_eq!(readings, 6);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_a_model_cannot_read_is_sent_again_with_less() {
    let model = FakeLlm::serve(|asked| match asked.number {
        1 => Reply::status(
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"maximum context length is 8192 tokens"}}"#,
        ),
        _ if is_join(asked) => {
            Reply::text(json!({"duplicates": [], "fullReport": "Fine."}).to_string())
        }
        _ => Reply::text(approving_review().to_string()),
    })
    .await;
    let fixture = RepositoryFixture::unchanged()
        .with_head_file("long.js", constants("value", 400))
        .with_model(model.url());
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        let sizes: Vec<_> = model.requests().iter().map(|a| a.prompt().len()).collect();
        assert!(sizes.len() > 2, "{sizes:?}");
        assert!(
            sizes[1..].iter().all(|size| *size < sizes[0] * 2 / 3),
            "{sizes:?}"
        );
        let said = ctx.repo_get("/issues/1/comments").await;
        let bodies: Vec<_> = said
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["body"].to_string())
            .collect();
        assert!(
            !bodies.concat().contains("not shown to quinn"),
            "{bodies:?}"
        );
    })
    .await;
}

/// Each prompt is half of the one before, whether the service says that it is too long or reads a part of it in silence.
#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_halved_until_the_model_reads_all_of_it() {
    let too_long = r#"{"error":{"code":"context_length_exceeded","message":"maximum context length is 8192 tokens"}}"#;
    let cut = Reply::text(approving_review().to_string()).with_usage(1_000, 0, 100);
    let refusals = [Reply::status(400, too_long), cut];
    for refusal in refusals {
        let model = FakeLlm::serve(move |asked| match asked.number {
            1..=3 => refusal.clone(),
            _ if is_join(asked) => {
                Reply::text(json!({"duplicates": [], "fullReport": "Fine."}).to_string())
            }
            _ => Reply::text(approving_review().to_string()),
        })
        .await;
        let long = "export const value = compute();\n".repeat(60);
        let files = (0..60).fold(RepositoryFixture::unchanged(), |fixture, n| {
            let path = format!("lib/file{n}.js");
            let text = format!("// {n}\n{long}");
            let changed = format!("// {n} again\n{long}");
            fixture
                .with_base_file(&path, text)
                .with_head_file(&path, changed)
        });
        run_test(files.with_model(model.url()), async |ctx| {
            ctx.start_loop_until_ready().await;
            let sizes: Vec<_> = model.requests().iter().map(|a| a.prompt().len()).collect();
            assert!(sizes.len() >= 4, "{sizes:?}");
            for (long, short) in [(0, 1), (1, 2), (2, 3)] {
                assert!(sizes[short] < sizes[long] * 2 / 3, "{sizes:?}");
            }
        })
        .await;
    }
}

//! What several tools found: a scripted model and scripted bots, everything else real (§4.6).

use collie_core::ids::Login;
use collie_core::lifecycle::State;
use collie_core::tracked_finding::{FindingStatus, SecondLook};
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm};
use collie_testkit::engine::{LoopFixture, run_test};
use collie_testkit::repository::{PASSING_CHECK, RepositoryFixture};
use serde_json::{Value, json};

const FAULT: &str =
    "The divisor may be zero: an empty list makes the average crash with a division by zero.";
const SAME: &str = "Division by zero: the divisor is the size of the list, and an empty list makes the average crash.";

fn is_second_look(asked: &ReceivedRequest) -> bool {
    let verdicts = |schema: &Value| schema.pointer("/properties/verdicts").is_some();
    asked.schema.as_ref().is_some_and(verdicts)
}

/// A model that reviews with these findings and gives each second look this score.
async fn model(findings: Value, score: &'static str) -> RunningFakeLlm {
    FakeLlm::serve(move |asked| {
        // Its reviewer is told why the fixer did not fix it.
        let again = asked.prompt().contains("**K1**\n");
        let upheld = json!([{"finding": "K1", "verdict": "open", "reason": "It still divides."}]);
        let answer = match is_second_look(asked) {
            true => json!({"verdicts": [{"finding": "F1", "reason": "Line 2 returns before.", "score": score}]}),
            false => json!({
                "conclusion": if findings == json!([]) { "approve" } else { "request_changes" },
                "findings": if again { json!([]) } else { findings.clone() },
                "earlier": if again { upheld } else { json!([]) }, "escalations": [], "fullReport": "I read it.",
            }),
        };
        Reply::text(answer.to_string()).with_usage(1_000, 0, 50)
    })
    .await
}

/// A change on which CodeRabbit remarks.
fn remarked(body: &str) -> RepositoryFixture {
    let bot = format!(
        "[[bot]]\nlogin = \"coderabbitai[bot]\"\nafter = \"10ms\"\ndoes = \"review\"\nheads = \"first\"\n\
         summary = \"One remark.\"\nbody = {}\npattern = \"sum / list.length\"\n",
        json!(format!("_⚠️ Potential issue_ | _🟠 Major_\n\n{body}"))
    );
    RepositoryFixture::unchanged()
        .with_base_file(".forge.toml", format!("{PASSING_CHECK}{bot}"))
        .with_base_file("app.js", "export {};\n")
        .with_head_file(
            "app.js",
            "export function average(list, sum) {\n  return sum / list.length;\n}\n",
        )
}

fn finding(title: &str) -> Value {
    json!([{
        "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js", "line": 2,
        "evidence": "  return sum / list.length;", "trigger": "an empty list", "consequence": "it crashes", "title": title,
        "description": "It is not caught.", "suggestion": null, "replacement": null, "confidence": 0.95,
    }])
}

/// The change, with the bot waited for and the model on the panel.
fn scene(model: &RunningFakeLlm) -> LoopFixture {
    let fixture = remarked(FAULT).with_model(model.url());
    fixture.with_layer(|layer| {
        layer.expected_bots = Some(vec![Login::new("coderabbitai")]);
        layer.external_bot_timeout = Some(5_000);
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_bot_alone_found_is_scored_by_the_panel_and_the_bot_is_told_why_it_is_declined() {
    let model = model(json!([]), "0").await;
    run_test(scene(&model), async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.turns, 0);
        let known: Vec<_> = state.run.review.findings.values().collect();
        assert_eq!((known.len(), known[0].status), (1, FindingStatus::Rejected));
        assert_eq!(known[0].second_look, Some(SecondLook::Refuted));
        let asked = model.requests();
        let (second, first): (Vec<_>, Vec<_>) =
            asked.iter().partition(|asked| is_second_look(asked));
        assert_eq!((first.len(), second.len()), (1, 1));
        let shown = second[0].prompt();
        assert!(
            shown.contains("an empty list makes the average crash"),
            "{shown}"
        );
        assert!(
            shown.contains("return sum / list.length"),
            "the code it is about:\n{shown}"
        );
        let kept = first[0].prompt();
        assert!(
            !kept.contains("an empty list makes the average crash"),
            "{kept}"
        );
        let comments = ctx.repo_get("/pulls/1/comments").await;
        let comments = comments.as_array().unwrap();
        assert_eq!(comments.len(), 2, "{comments:#?}");
        let reply = comments[1]["body"].as_str().unwrap();
        assert!(reply.contains("Line 2 returns before."), "{reply}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_panel_and_a_bot_found_is_looked_at_by_nobody_again_and_told_as_found_by_both() {
    let model = model(finding(SAME), "0").await;
    run_test(scene(&model), async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::NeedsHuman).await;
        let asked = model.requests();
        assert!(!asked.iter().any(is_second_look), "{}", asked.len());
        let agreed = state.run.review.findings.values();
        assert_eq!(agreed.filter(|known| known.is_agreed()).count(), 2);
        let posted = ctx.posted_bodies(1).await;
        assert!(
            posted
                .iter()
                .any(|body| body.contains("Found by quinn and CodeRabbit")),
            "{posted:#?}"
        );
    })
    .await;
}

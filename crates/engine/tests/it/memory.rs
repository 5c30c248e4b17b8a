//! What people made of findings, from a thread on GitHub to the next review of the repository.

use collie_core::ids::{LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::review_memory::{MemoryEntry, MemoryVerdict, RepositoryMemory};
use collie_engine::ports::MemoryKey;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm};
use collie_store::MemoryFiles;
use collie_testkit::engine::{LoopFixture, TestContext, run_test};
use collie_testkit::repository::RepositoryFixture;
use collie_testkit::wait::wait_until;
use serde_json::{Value, json};

const MISSPELT: &str =
    "export function total(list) {\n  const sum = list.lenght;\n  return sum;\n}\n";
const TITLE: &str = "The length is misspelt";

/// A model whose first looks find the fault, as this category, and whose second looks uphold it.
async fn serve_model(category: &'static str) -> RunningFakeLlm {
    FakeLlm::serve(move |asked| {
        let second = |schema: &Value| schema.pointer("/properties/verdicts").is_some();
        if asked.schema.as_ref().is_some_and(second) {
            return Reply::text(json!({"verdicts": [{"finding": "F1", "reason": "I looked.", "score": "100"}]}).to_string());
        }
        let review = json!({
            "conclusion": "request_changes",
            "findings": [{
                "kind": "error", "priority": "P1", "category": category, "file": "app.js", "line": 2,
                "evidence": "  const sum = list.lenght;", "trigger": "any list",
                "consequence": "the total is undefined", "title": TITLE,
                "description": "`lenght` is undefined, so the total is always undefined.",
                "suggestion": null, "replacement": null, "confidence": 0.95,
            }],
            "earlier": [], "escalations": [], "fullReport": "One fault.",
        });
        Reply::text(review.to_string())
    })
    .await
}

fn fixture(model: &RunningFakeLlm) -> LoopFixture {
    RepositoryFixture::unchanged()
        .with_base_file("app.js", "export {};\n")
        .with_head_file("app.js", MISSPELT)
        .with_model(model.url())
        .with_layer(|layer| layer.fix = Some(false))
}

fn key(ctx: &TestContext, id: &LoopId) -> (MemoryFiles, MemoryKey) {
    let state = ctx.state(1);
    let key = MemoryKey {
        id: id.repository(),
        name: state.pull.repo.clone(),
    };
    (MemoryFiles::below(&ctx.data_folder()), key)
}

fn memory(ctx: &TestContext) -> RepositoryMemory {
    let id = ctx.state(1).id.clone();
    let (files, key) = key(ctx, &id);
    files.load(&key).unwrap()
}

/// What two people said of the like in other pull requests.
fn dismissed(id: &str, category: &str, title: &str) -> MemoryEntry {
    MemoryEntry {
        id: id.into(),
        verdict: MemoryVerdict::Dismissed,
        title: title.into(),
        category: category.into(),
        file: "app.js".into(),
        description: "`lenght` is undefined, so the total always is.".into(),
        evidence: None,
        reason: Some("the list is a proxy that has lenght".into()),
        by: None,
        pull: None,
        at: Time(0),
        expires_at: None,
    }
}

fn first_looks(model: &RunningFakeLlm) -> Vec<ReceivedRequest> {
    let is_first = |asked: &ReceivedRequest| {
        let schema = asked.schema.as_ref();
        schema.is_some_and(|schema| schema.pointer("/properties/findings").is_some())
    };
    model.requests().into_iter().filter(is_first).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_that_a_person_dismisses_in_its_thread_is_remembered_of_the_repository() {
    let model = serve_model("correctness").await;
    run_test(fixture(&model), async |ctx| {
        ctx.start_loop(1).await;
        let posted = wait_until("the finding on its line", async || {
            let comments = ctx.repo_get("/pulls/1/comments").await;
            comments[0]["id"].as_u64().ok_or(comments)
        })
        .await;
        let reply = json!({"body": "That is meant: the list is a proxy.", "in_reply_to": posted});
        ctx.repo_call("ana", "POST", "/pulls/1/comments", Some(reply)).await;
        let threads = "query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 1) { nodes { id } } } } }";
        let found = ctx.graphql("ana", threads).await;
        let thread = found["node"]["reviewThreads"]["nodes"][0]["id"].clone();
        let resolve = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }";
        ctx.graphql_about("ana", &thread, resolve).await;
        let entry = wait_until("an entry", async || {
            memory(ctx).entries.first().cloned().ok_or("nothing is remembered")
        })
        .await;
        assert_eq!((entry.verdict, entry.title.as_str()), (MemoryVerdict::Dismissed, TITLE));
        assert_eq!(entry.reason.as_deref(), Some("That is meant: the list is a proxy."));
        assert_eq!(entry.by.as_ref().map(|by| by.as_str()), Some("ana"));
    })
    .await;
}

/// How often the finding stands in the loop, after two people dismissed the like; and what the model was told.
async fn reviewed_after_dismissals(category: &'static str) -> (usize, String) {
    let model = serve_model(category).await;
    let seen = std::sync::Mutex::new(0);
    run_test(fixture(&model), async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_until(1, "a first review", |state| state.run.review.reports == 1)
            .await;
        let id = ctx.state(1).id.clone();
        let (files, key) = key(ctx, &id);
        for (id, title) in [
            ("a", "Length of the list is misspelt"),
            ("b", "Misspelt property length"),
        ] {
            files.add(&key, &dismissed(id, category, title)).unwrap();
        }
        ctx.cancel(1);
        ctx.wait_for_state(1, collie_core::lifecycle::State::Cancelled)
            .await;
        ctx.retry(1).await.unwrap();
        let looked = first_looks(&model).len();
        let answered = |state: &LoopState| {
            let mut seats = state
                .run
                .review
                .stages
                .iter()
                .flat_map(|stage| &stage.reviewers);
            seats.any(|seat| seat.spec.name == "quinn" && seat.verdict.is_some())
        };
        ctx.wait_until(1, "a second review", |state| {
            first_looks(&model).len() > looked && answered(state)
        })
        .await;
        let state = ctx.state(1);
        let known = state.run.review.findings.values();
        *seen.lock().unwrap() = known.filter(|known| known.finding.title == TITLE).count();
    })
    .await;
    let told = first_looks(&model).last().map(ReceivedRequest::prompt);
    let seen = *seen.lock().unwrap();
    (seen, told.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_dismissed_twice_is_told_to_reviewers_and_not_raised_a_third_time() {
    let (raised, told) = reviewed_after_dismissals("correctness").await;
    assert_eq!(raised, 0);
    assert!(
        told.contains("dismissed: Misspelt property length (app.js): the list is a proxy"),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_of_security_is_raised_whatever_people_dismissed() {
    let (raised, _) = reviewed_after_dismissals("security").await;
    assert_eq!(raised, 1);
}

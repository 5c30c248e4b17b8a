//! Ollama in its own form: the context is asked for with each request, and nothing is cut in silence.

use super::{TEST_TIMEOUT, ignore_progress, impatient_llm, model, plain_request};
use collie_agents::llm::{
    Effort, FailedCompletion, Llm, LlmAnswer, LlmFailure, LlmRequest, Model, Provider,
    ResponseSchema,
};
use collie_fake_llm::{FakeLlm, MessageRole, ReceivedRequest, Reply, RunningFakeLlm, Service};
use serde_json::{Value, json};
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

async fn serve(service: Service) -> RunningFakeLlm {
    FakeLlm::serve_as(service, |_| Reply::text(r#"{"ok": true}"#)).await
}

fn ollama(fake: &RunningFakeLlm) -> Model {
    let mut model = model(Provider::Ollama, "qwen3:8b", fake);
    model.max_tokens = Some(4_000);
    model
}

async fn ask(llm: &Llm, model: &Model, text: &str) -> Result<LlmAnswer, FailedCompletion> {
    let cancel = CancellationToken::new();
    llm.complete(model, &plain_request(text), &ignore_progress, &cancel)
        .await
}

fn contexts(fake: &RunningFakeLlm) -> Vec<u64> {
    let asked = fake.requests();
    let context = |asked: &ReceivedRequest| asked.body["options"]["num_ctx"].as_u64();
    asked.iter().filter_map(context).collect()
}

#[tokio::test]
async fn a_long_question_is_read_whole() {
    let fake = serve(Service::ollama()).await;
    let question = "word ".repeat(20_000);
    let answer = ask(&impatient_llm(), &ollama(&fake), &question)
        .await
        .unwrap();
    let read = answer.usage.total().input_tokens;
    assert!(read >= 25_000, "{read} of 25,000 tokens were read");
    assert_eq!(contexts(&fake), [32_768]);
    let asked = fake.requests().pop().unwrap();
    assert_eq!(
        (asked.body["truncate"].clone(), asked.body["shift"].clone()),
        (json!(false), json!(false))
    );
}

#[tokio::test]
async fn the_context_grows_with_the_questions_and_a_smaller_one_loads_nothing_anew() {
    let fake = serve(Service::ollama()).await;
    let (llm, model) = (impatient_llm(), ollama(&fake));
    for words in [10, 20_000, 10] {
        ask(&llm, &model, &"word ".repeat(words)).await.unwrap();
    }
    assert_eq!(contexts(&fake), [8_192, 32_768, 32_768]);
    assert_eq!(
        fake.lookups(),
        ["/api/show"],
        "a model's maximum is asked once"
    );
}

#[tokio::test]
async fn a_question_beyond_the_models_own_maximum_is_not_asked() {
    let fake = serve(Service::ollama().with_context(16_384)).await;
    let question = "word ".repeat(20_000);
    let failed = ask(&impatient_llm(), &ollama(&fake), &question)
        .await
        .unwrap_err();
    let LlmFailure::ContextTooLong { message, .. } = &failed.failure else {
        panic!("{failed}");
    };
    assert!(message.contains("16384"), "{message}");
    assert_eq!(fake.request_count(), 0);
}

#[tokio::test]
async fn what_a_service_cuts_that_cannot_refuse_is_a_failure() {
    // Its vocabulary makes three times as many tokens of this as ours.
    let fake = FakeLlm::serve_as(
        Service::ollama().with_context(16_384).that_always_cuts(),
        |_| Reply::text("Approved.").with_usage(36_000, 0, 5),
    )
    .await;
    let question = "word ".repeat(12_000);
    let failed = ask(&impatient_llm(), &ollama(&fake), &question)
        .await
        .unwrap_err();
    let LlmFailure::PromptCut { read, sent, .. } = failed.failure else {
        panic!("{failed}");
    };
    assert!(read == 16_384 && sent > read, "{read} of {sent}");
}

#[tokio::test]
async fn what_the_service_refuses_is_too_long_for_it() {
    let script = |_: &ReceivedRequest| {
        Reply::status(
            400,
            r#"{"error":"the input length exceeds the context length"}"#,
        )
    };
    let fake = FakeLlm::serve_as(Service::ollama(), script).await;
    let failed = ask(&impatient_llm(), &ollama(&fake), "Well?")
        .await
        .unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::ContextTooLong { .. }),
        "{failed}"
    );
}

#[tokio::test]
async fn shape_effort_and_limits_are_in_its_own_fields() {
    let fake = serve(Service::ollama()).await;
    let mut model = ollama(&fake);
    model.temperature = Some(0.5);
    model.effort = Some(Effort::High);
    let schema =
        json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    let request = LlmRequest {
        system: vec!["Rules.".into(), "Files.".into()],
        user: vec!["Well?".into()],
        response_schema: Some(ResponseSchema {
            name: "test".into(),
            schema: schema.clone(),
        }),
        deadline: TEST_TIMEOUT,
        spending_gate: None,
        shared_user_blocks: 0,
    };
    let take = |value: &Value| Ok::<_, String>(value["ok"] == true);
    let cancel = CancellationToken::new();
    let (ok, answer) = impatient_llm()
        .complete_json(&model, &request, take, &ignore_progress, &cancel)
        .await
        .unwrap();
    assert!(ok);
    assert_eq!(answer.answered_by.as_deref(), Some("qwen3:8b"));
    let asked = fake.requests().pop().unwrap();
    assert_eq!(asked.body["format"], schema);
    assert_eq!(asked.body["think"], "high");
    assert_eq!(asked.body["options"]["num_predict"], 4_000);
    assert_eq!(asked.body["options"]["temperature"], 0.5);
    assert_eq!(asked.texts_of(MessageRole::System), ["Rules.\n\nFiles."]);
}

#[tokio::test]
async fn thinking_is_heard_and_is_no_part_of_the_answer() {
    let script = |_: &ReceivedRequest| Reply::text("Fine.").with_thinking("Hm, hm.");
    let fake = FakeLlm::serve_as(Service::ollama(), script).await;
    let thought = Mutex::new(0);
    let on_progress = |progress: collie_agents::llm::LlmProgress| {
        *thought.lock().unwrap() = progress.thinking_chars;
    };
    let cancel = CancellationToken::new();
    let answer = impatient_llm()
        .complete(
            &ollama(&fake),
            &plain_request("Well?"),
            &on_progress,
            &cancel,
        )
        .await
        .unwrap();
    assert_eq!(
        (answer.text.as_str(), *thought.lock().unwrap()),
        ("Fine.", 7)
    );
}

#[tokio::test]
async fn the_form_of_others_is_refused_by_it() {
    let fake = serve(Service::ollama()).await;
    let failed = ask(
        &impatient_llm(),
        &model(Provider::Compatible, "qwen3:8b", &fake),
        "Well?",
    )
    .await
    .unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::ModelNotFound { .. }),
        "{failed}"
    );
}

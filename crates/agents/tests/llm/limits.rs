//! What a model may write and what it reads: limits that are met, and what is done about them.

use super::{
    ALL_PROVIDERS, expect_failed_completion, ignore_progress, impatient_llm, model, plain_request,
};
use collie_agents::llm::{Llm, LlmFailure, Model, Provider, ResponseSchema};
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The longest answer that a request allows, under whatever name its form has for it.
fn allowed_tokens(asked: &ReceivedRequest) -> Option<u64> {
    let body = &asked.body;
    [
        "/max_tokens",
        "/max_completion_tokens",
        "/max_output_tokens",
        "/generationConfig/maxOutputTokens",
        "/options/num_predict",
    ]
    .iter()
    .find_map(|path| body.pointer(path).and_then(Value::as_u64))
}

#[tokio::test]
async fn an_answer_that_is_cut_is_asked_again_once_with_twice_the_room() {
    let script = |asked: &ReceivedRequest| match asked.number {
        1 => Reply::max_tokens_reached("The first half").with_usage(100, 0, 4000),
        _ => Reply::text("Fine.").with_usage(100, 0, 4100),
    };
    for (provider, name) in ALL_PROVIDERS {
        let fake = FakeLlm::serve(script).await;
        let mut model = model(provider, name, &fake);
        model.max_tokens = Some(4000);
        let answer = impatient_llm()
            .complete(
                &model,
                &plain_request("Well?"),
                &ignore_progress,
                &CancellationToken::new(),
            )
            .await
            .unwrap_or_else(|e| panic!("{model}: {e}"));
        assert_eq!(answer.text, "Fine.", "{model}");
        let allowed: Vec<_> = fake.requests().iter().map(allowed_tokens).collect();
        assert_eq!(allowed, [Some(4000), Some(8000)], "{model}");
        assert_eq!(answer.usage.total().output_tokens, 8100, "{model}");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_again_names_the_key_and_the_last_limit() {
    let fake = FakeLlm::serve(|_| Reply::max_tokens_reached("The first half")).await;
    let mut model = model(Provider::Compatible, "thinker", &fake);
    model.max_tokens = Some(4000);
    let failed = expect_failed_completion(&impatient_llm(), &model).await;
    assert_eq!((failed.usage.requests.len(), fake.request_count()), (2, 2));
    let said = failed.to_string();
    assert!(
        said.contains("8000") && said.contains("`max_tokens` of [llm]"),
        "{said}"
    );
}

#[tokio::test]
async fn a_service_that_allows_no_more_leaves_the_first_failure_standing() {
    let script = |asked: &ReceivedRequest| match asked.number {
        1 => Reply::max_tokens_reached("The first half"),
        _ => Reply::status(
            400,
            r#"{"error":{"message":"max_tokens: 8000 > 4096, the most for this model"}}"#,
        ),
    };
    let fake = FakeLlm::serve(script).await;
    let mut model = model(Provider::Anthropic, "claude-x", &fake);
    model.max_tokens = Some(4000);
    let failed = expect_failed_completion(&impatient_llm(), &model).await;
    let LlmFailure::MaxTokensReached { max_tokens, .. } = failed.failure else {
        panic!("{failed}");
    };
    assert_eq!((max_tokens, fake.request_count()), (Some(4000), 2));
}

/// Azure's words, and OpenAI's: the name of a deployment does not tell which model it is.
const LIMIT_RENAMED: &str = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;

#[tokio::test]
async fn a_model_that_wants_another_name_for_the_limit_gets_it() {
    let script = move |asked: &ReceivedRequest| match asked.body.get("max_tokens") {
        Some(_) => Reply::status(400, LIMIT_RENAMED),
        None => Reply::text("Fine."),
    };
    for (provider, name) in [
        (Provider::Compatible, "our-deployment"),
        (Provider::OpenAi, "gpt-4o"),
    ] {
        let fake = FakeLlm::serve(script).await;
        let mut model = model(provider, name, &fake);
        model.max_tokens = Some(4000);
        let answer = impatient_llm()
            .complete(
                &model,
                &plain_request("Well?"),
                &ignore_progress,
                &CancellationToken::new(),
            )
            .await
            .unwrap_or_else(|e| panic!("{model}: {e}"));
        assert_eq!(answer.text, "Fine.", "{model}");
        let last = fake.requests().pop().unwrap();
        assert_eq!(last.body["max_completion_tokens"], 4000, "{model}");
        assert_eq!(fake.request_count(), 2, "{model}");
    }
}

/// Asks for an answer of a shape by this name, and says what came of it.
async fn ask_for(llm: &Llm, model: &Model, shape: &str) -> Result<(), LlmFailure> {
    let mut ask = plain_request("Well?");
    ask.response_schema = Some(ResponseSchema {
        name: shape.to_owned(),
        schema: json!({"type": "object", "properties": {"fine": {"type": "boolean"}}}),
    });
    let cancel = CancellationToken::new();
    let take = |_: &Value| Ok(());
    let asked = llm.complete_json(model, &ask, take, &ignore_progress, &cancel);
    asked.await.map(|_| ()).map_err(|failed| failed.failure)
}

/// The refused request is paid for once a process, not with each question.
#[tokio::test]
async fn what_a_service_refused_is_not_asked_of_it_again() {
    let script = |asked: &ReceivedRequest| match asked.body.get("max_tokens") {
        Some(_) => Reply::status(400, LIMIT_RENAMED),
        None => Reply::text(r#"{"fine": true}"#),
    };
    let fake = FakeLlm::serve(script).await;
    let mut model = model(Provider::Azure, "our-deployment", &fake);
    model.max_tokens = Some(4000);
    let llm = impatient_llm();
    for requests in [2, 3, 4] {
        ask_for(&llm.clone(), &model, "review").await.unwrap();
        assert_eq!(fake.request_count(), requests);
    }
    model.name = "another-deployment".into();
    ask_for(&llm, &model, "review").await.unwrap();
    assert_eq!(fake.request_count(), 6, "another may be another model");
}

/// A shape may be refused for what it is: another one is asked for.
#[tokio::test]
async fn a_shape_that_was_refused_is_not_sent_again_and_others_are() {
    let fake = FakeLlm::serve(|asked: &ReceivedRequest| match asked.schema {
        Some(_) => Reply::status(
            400,
            r#"{"error":{"message":"response_format is too deep"}}"#,
        ),
        None => Reply::text(r#"{"fine": true}"#),
    })
    .await;
    let model = model(Provider::Compatible, "local", &fake);
    let llm = impatient_llm();
    for (shape, requests) in [("review", 2), ("review", 3), ("second_look", 5)] {
        ask_for(&llm, &model, shape).await.unwrap();
        assert_eq!(fake.request_count(), requests, "{shape}");
    }
}

/// Where nothing was mended by it, what the service said was about something else.
#[tokio::test]
async fn a_refusal_that_leads_to_no_answer_is_not_kept() {
    let refused = r#"{"error":{"message":"no response_format without a plan"}}"#;
    let fake = FakeLlm::serve(move |_| Reply::status(400, refused)).await;
    let model = model(Provider::Compatible, "local", &fake);
    let llm = impatient_llm();
    for requests in [2, 4] {
        ask_for(&llm, &model, "review").await.unwrap_err();
        assert_eq!(fake.request_count(), requests);
    }
}

/// Asks a question of about 8,000 tokens of a service that says it read so many, so many of them kept from before.
async fn ask_long(
    (provider, name): (Provider, &str),
    read: u64,
    kept: u64,
) -> Result<String, LlmFailure> {
    let fake = FakeLlm::serve(move |_| Reply::text("Approved.").with_usage(read, kept, 5)).await;
    let model = model(provider, name, &fake);
    let ask = plain_request(&"word ".repeat(8_000));
    let cancel = CancellationToken::new();
    let asked = impatient_llm()
        .complete(&model, &ask, &ignore_progress, &cancel)
        .await;
    match asked {
        Ok(answer) => Ok(answer.text),
        Err(failed) => {
            assert_eq!(failed.usage.total().input_tokens, read, "{model}");
            assert_eq!(fake.request_count(), 1, "{model}");
            Err(failed.failure)
        }
    }
}

#[tokio::test]
async fn a_question_that_was_cut_in_silence_is_a_failure_and_no_answer() {
    for of in ALL_PROVIDERS {
        let failure = ask_long(of, 4_096, 0).await.unwrap_err();
        let LlmFailure::PromptCut { read, sent, .. } = &failure else {
            panic!("{failure}");
        };
        assert!(*read == 4_096 && (8_000..8_100).contains(sent), "{failure}");
        assert!(failure.to_string().contains("larger context"), "{failure}");
        assert!(!failure.is_transient());
    }
}

#[tokio::test]
async fn where_question_and_answer_were_cut_the_question_is_what_is_wrong() {
    let cut = Reply::max_tokens_reached("The first").with_usage(4_096, 0, 50);
    let fake = FakeLlm::serve(move |_| cut.clone()).await;
    let mut model = model(Provider::Ollama, "qwen3:8b", &fake);
    model.max_tokens = Some(50);
    let ask = plain_request(&"word ".repeat(8_000));
    let cancel = CancellationToken::new();
    let failed = impatient_llm()
        .complete(&model, &ask, &ignore_progress, &cancel)
        .await
        .unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::PromptCut { .. }),
        "{failed}"
    );
    assert_eq!(
        fake.request_count(),
        1,
        "more room for the answer is no help"
    );
}

#[tokio::test]
async fn a_question_counts_as_read_whatever_the_vocabulary_and_the_cache() {
    let local = (Provider::Compatible, "local");
    for (read, kept) in [(5_000, 0), (8_000, 7_900), (100, 7_900), (0, 0)] {
        let answer = ask_long(local, read, kept).await;
        assert_eq!(answer.as_deref(), Ok("Approved."), "{read} and {kept}");
    }
    let anthropic = (Provider::Anthropic, "claude-x");
    let answer = ask_long(anthropic, 8_000, 7_900).await;
    assert_eq!(answer.as_deref(), Ok("Approved."));
}

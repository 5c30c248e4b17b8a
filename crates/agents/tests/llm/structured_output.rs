//! Answers that have a shape: held to it, told of it, repaired.

use super::{ALL_PROVIDERS, TEST_TIMEOUT, ignore_progress, impatient_llm, model, plain_request};
use collie_agents::llm::{LlmFailure, LlmRequest, Model, Provider, ResponseSchema};
use collie_fake_llm::{FakeLlm, MessageRole, ReceivedRequest, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn request_with_schema() -> LlmRequest {
    let mut ask = plain_request("Review it.");
    ask.response_schema = Some(ResponseSchema {
        name: "review".into(),
        schema: json!({
            "type": "object",
            "properties": {
                "verdict": {"enum": ["approve", "request_changes"]},
                "findings": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]}},
            },
            "required": ["verdict", "findings"],
        }),
    });
    ask
}

/// Takes whatever approves.
fn take_verdict(value: &Value) -> Result<String, String> {
    match value["verdict"].as_str() {
        Some("approve") if value["findings"][0].is_object() => {
            Err("approve with a finding: take one of both back".to_owned())
        }
        Some(verdict) => Ok(verdict.to_owned()),
        None => Err("no verdict".to_owned()),
    }
}

async fn complete_review(
    model: &Model,
    ask: &LlmRequest,
) -> Result<(String, collie_agents::llm::LlmAnswer), collie_agents::llm::FailedCompletion> {
    let cancel = CancellationToken::new();
    impatient_llm()
        .complete_json(model, ask, take_verdict, &ignore_progress, &cancel)
        .await
}

const VALID_ANSWER: &str = r#"{"verdict": "approve", "findings": []}"#;
const INVALID_ANSWER: &str = r#"{"verdict": "maybe", "findings": [{"line": "12"}]}"#;

#[tokio::test]
async fn a_good_answer_is_taken_whatever_is_around_it() {
    let around = [
        VALID_ANSWER.to_owned(),
        format!("```json\n{VALID_ANSWER}\n```"),
        format!("Here you are: {VALID_ANSWER} Bye."),
    ];
    for text in around {
        let fake = FakeLlm::serve(move |_| Reply::text(text.clone())).await;
        for (provider, name) in ALL_PROVIDERS {
            let (verdict, answer) =
                complete_review(&model(provider, name, &fake), &request_with_schema())
                    .await
                    .unwrap();
            assert_eq!(
                (verdict.as_str(), answer.usage.requests.len()),
                ("approve", 1)
            );
        }
    }
}

#[tokio::test]
async fn thinking_with_braces_before_the_answer_costs_no_repair() {
    let draft = r#"{"verdict": "request_changes", "findings": [{"line": 1}]}"#;
    let around = [
        format!("<think>{{x}} or {{\"line\": 3}}</think>\n{VALID_ANSWER}"),
        format!("<think>Perhaps {draft}?</think>\n\n```json\n{VALID_ANSWER}\n```"),
        format!("Perhaps {draft}? No.</think>{VALID_ANSWER}"),
        format!("In `fn a() {{ b }}` I see {draft}. Better:\n{VALID_ANSWER}\nas {{all}} say."),
    ];
    for text in around {
        let reply = Reply::text(text.clone());
        let fake = FakeLlm::serve(move |_| reply.clone()).await;
        let (verdict, answer) = complete_review(
            &model(Provider::Compatible, "thinker", &fake),
            &request_with_schema(),
        )
        .await
        .unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(verdict, "approve", "{text}");
        assert_eq!(answer.usage.requests.len(), 1, "{text}");
    }
}

#[tokio::test]
async fn a_draft_in_the_thinking_is_no_answer() {
    let script = |asked: &ReceivedRequest| match asked.number {
        1 => Reply::text(format!("<think>Say {VALID_ANSWER}")),
        _ => Reply::text(r#"{"verdict": "request_changes", "findings": []}"#),
    };
    let fake = FakeLlm::serve(script).await;
    let model = model(Provider::Compatible, "thinker", &fake);
    let (verdict, _) = complete_review(&model, &request_with_schema())
        .await
        .unwrap();
    assert_eq!(
        (verdict.as_str(), fake.request_count()),
        ("request_changes", 2)
    );
}

#[tokio::test]
async fn the_shape_goes_out_once_and_in_its_own_order() {
    let mut ask = request_with_schema();
    ask.response_schema = Some(ResponseSchema {
        name: "review".into(),
        schema: json!({
            "type": "object",
            "properties": {"why": {"type": "string"}, "verdict": {"type": "string"}, "findings": {"type": "array", "items": {"type": "string"}}},
            "required": ["why", "verdict", "findings"],
            "additionalProperties": false,
        }),
    });
    let said = r#"{"why": "It is fine.", "verdict": "approve", "findings": []}"#;
    let fake = FakeLlm::serve(move |_| Reply::text(said)).await;
    for (provider, name) in ALL_PROVIDERS {
        let model = model(provider, name, &fake);
        complete_review(&model, &ask).await.unwrap();
        let asked = fake.requests().pop().unwrap();
        assert!(!asked.prompt().contains("additionalProperties"), "{model}");
        let schema = asked.schema.expect("it is sent");
        let order: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(order, ["why", "verdict", "findings"], "{model}");
    }
}

#[tokio::test]
async fn a_bad_answer_is_repaired_once_with_what_is_wrong_with_it() {
    for (provider, name) in ALL_PROVIDERS {
        let script = |asked: &ReceivedRequest| match asked.number {
            1 => Reply::text(INVALID_ANSWER).with_usage(100, 0, 10),
            _ => Reply::text(VALID_ANSWER).with_usage(130, 90, 8),
        };
        let fake = FakeLlm::serve(script).await;
        let (verdict, answer) =
            complete_review(&model(provider, name, &fake), &request_with_schema())
                .await
                .unwrap();
        assert_eq!(verdict, "approve");
        assert_eq!(answer.usage.requests.len(), 2);
        let spent = answer.usage.total();
        assert_eq!(
            (
                spent.input_tokens,
                spent.cached_input_tokens,
                spent.output_tokens
            ),
            (230, 90, 18)
        );

        let [first, second] = <[ReceivedRequest; 2]>::try_from(fake.requests()).unwrap();
        assert_eq!(
            second.texts_of(MessageRole::System),
            first.texts_of(MessageRole::System),
            "the prefix repeats"
        );
        assert_eq!(second.texts_of(MessageRole::Model), [INVALID_ANSWER]);
        assert_eq!(second.schema, first.schema);
        let [_, repair] = <[&str; 2]>::try_from(second.texts_of(MessageRole::User)).unwrap();
        insta::assert_snapshot!("repair", repair);
    }
}

#[tokio::test]
async fn what_the_caller_finds_wrong_is_repaired_too() {
    let script = |asked: &ReceivedRequest| match asked.number {
        1 => Reply::text(r#"{"verdict": "approve", "findings": [{"line": 1}]}"#),
        _ => Reply::text(VALID_ANSWER),
    };
    let fake = FakeLlm::serve(script).await;
    complete_review(
        &model(Provider::OpenAi, "gpt-4o", &fake),
        &request_with_schema(),
    )
    .await
    .unwrap();
    let second = fake.requests().pop().unwrap();
    assert!(
        second
            .prompt()
            .contains("- approve with a finding: take one of both back")
    );
}

#[tokio::test]
async fn two_bad_answers_are_a_failure_with_the_bill_of_both() {
    let script = |asked: &ReceivedRequest| match asked.number {
        1 => Reply::text("I cannot say.").with_usage(100, 0, 4),
        _ => Reply::text(INVALID_ANSWER).with_usage(120, 0, 10),
    };
    let fake = FakeLlm::serve(script).await;
    let failed = complete_review(
        &model(Provider::Anthropic, "claude-x", &fake),
        &request_with_schema(),
    )
    .await
    .unwrap_err();
    assert_eq!((failed.usage.requests.len(), fake.request_count()), (2, 2));
    let spent = failed.usage.total();
    assert_eq!((spent.input_tokens, spent.output_tokens), (220, 14));
    let LlmFailure::SchemaMismatch { violations, .. } = &failed.failure else {
        panic!("{failed}");
    };
    assert_eq!(violations.len(), 2, "{violations:?}");
    assert!(failed.failure.is_transient());
}

#[tokio::test]
async fn a_service_that_takes_no_shape_is_reported_it_in_words() {
    let refusal = r#"{"error":{"message":"output_config.format / response_format json_schema is not supported by this model"}}"#;
    let script = move |asked: &ReceivedRequest| match asked.schema {
        Some(_) => Reply::status(400, refusal),
        None if asked.number == 2 => Reply::text(INVALID_ANSWER),
        None => Reply::text(VALID_ANSWER),
    };
    for (provider, name) in ALL_PROVIDERS {
        let fake = FakeLlm::serve(script).await;
        let model = model(provider, name, &fake);
        let (_, answer) = complete_review(&model, &request_with_schema())
            .await
            .unwrap();
        assert_eq!(
            answer.usage.requests.len(),
            3,
            "it is asked for a shape once"
        );
        let [_, retried, _] = <[ReceivedRequest; 3]>::try_from(fake.requests()).unwrap();
        let system = retried.texts_of(MessageRole::System).join("\n");
        assert!(
            system.contains("must be valid under this JSON schema"),
            "{system}"
        );
        assert!(
            system.contains(r#""enum":["approve","request_changes"]"#),
            "{system}"
        );
    }
}

#[tokio::test]
async fn a_schema_that_is_none_is_not_asked_with() {
    let fake = FakeLlm::serve(|_| Reply::text(VALID_ANSWER)).await;
    let mut ask = request_with_schema();
    ask.response_schema = Some(ResponseSchema {
        name: "odd".into(),
        schema: json!({"type": "objekt"}),
    });
    let failed = complete_review(&model(Provider::OpenAi, "gpt-4o", &fake), &ask)
        .await
        .unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::BadSchema { .. }),
        "{failed}"
    );
    assert_eq!(fake.request_count(), 0);
}

#[tokio::test]
async fn one_deadline_holds_for_question_and_repair() {
    let script = |asked: &ReceivedRequest| match asked.number {
        1 => Reply::text(INVALID_ANSWER),
        _ => Reply::hang_after("{"),
    };
    let fake = FakeLlm::serve(script).await;
    let mut ask = request_with_schema();
    ask.deadline = std::time::Duration::from_secs(1);
    let model = model(Provider::OpenAi, "gpt-4o", &fake);
    let failed = complete_review(&model, &ask).await.unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::DeadlineExceeded { .. }),
        "{failed}"
    );
    assert_eq!(failed.usage.requests.len(), 2);
    tokio::time::timeout(TEST_TIMEOUT, fake.wait_for_hang_ups(1))
        .await
        .unwrap();
}

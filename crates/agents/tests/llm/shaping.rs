//! Answers that have a shape: held to it, told of it, repaired.

use super::{EVERY, LONG, hasty, model, question, unheard};
use collie_agents::llm::{Ask, LlmFailure, Model, Provider, Shape};
use collie_fake_llm::{Asked, FakeLlm, Reply, Speaker};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn shaped() -> Ask {
    let mut ask = question("Review it.");
    ask.shape = Some(Shape {
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
fn verdict(value: &Value) -> Result<String, String> {
    match value["verdict"].as_str() {
        Some("approve") if value["findings"][0].is_object() => {
            Err("approve with a finding: take one of both back".to_owned())
        }
        Some(verdict) => Ok(verdict.to_owned()),
        None => Err("no verdict".to_owned()),
    }
}

async fn asks(
    model: &Model,
    ask: &Ask,
) -> Result<(String, collie_agents::llm::Answer), collie_agents::llm::Failed> {
    let cancel = CancellationToken::new();
    hasty()
        .ask_json(model, ask, verdict, &unheard, &cancel)
        .await
}

const GOOD: &str = r#"{"verdict": "approve", "findings": []}"#;
const BAD: &str = r#"{"verdict": "maybe", "findings": [{"line": "12"}]}"#;

#[tokio::test]
async fn a_good_answer_is_taken_whatever_is_around_it() {
    let around = [
        GOOD.to_owned(),
        format!("```json\n{GOOD}\n```"),
        format!("Here you are: {GOOD} Bye."),
    ];
    for text in around {
        let fake = FakeLlm::serve(move |_| Reply::text(text.clone())).await;
        for (provider, name) in EVERY {
            let (verdict, answer) = asks(&model(provider, name, &fake), &shaped())
                .await
                .unwrap();
            assert_eq!(
                (verdict.as_str(), answer.bill.requests.len()),
                ("approve", 1)
            );
        }
    }
}

#[tokio::test]
async fn a_bad_answer_is_repaired_once_with_what_is_wrong_with_it() {
    for (provider, name) in EVERY {
        let script = |asked: &Asked| match asked.number {
            1 => Reply::text(BAD).spending(100, 0, 10),
            _ => Reply::text(GOOD).spending(130, 90, 8),
        };
        let fake = FakeLlm::serve(script).await;
        let (verdict, answer) = asks(&model(provider, name, &fake), &shaped())
            .await
            .unwrap();
        assert_eq!(verdict, "approve");
        assert_eq!(answer.bill.requests.len(), 2);
        let spent = answer.bill.total();
        assert_eq!(
            (
                spent.input_tokens,
                spent.cached_input_tokens,
                spent.output_tokens
            ),
            (230, 90, 18)
        );

        let [first, second] = <[Asked; 2]>::try_from(fake.asked()).unwrap();
        assert_eq!(
            second.by(Speaker::System),
            first.by(Speaker::System),
            "the prefix repeats"
        );
        assert_eq!(second.by(Speaker::Model), [BAD]);
        assert_eq!(second.schema, first.schema);
        let [_, repair] = <[&str; 2]>::try_from(second.by(Speaker::User)).unwrap();
        insta::assert_snapshot!("repair", repair);
    }
}

#[tokio::test]
async fn what_the_caller_finds_wrong_is_repaired_too() {
    let script = |asked: &Asked| match asked.number {
        1 => Reply::text(r#"{"verdict": "approve", "findings": [{"line": 1}]}"#),
        _ => Reply::text(GOOD),
    };
    let fake = FakeLlm::serve(script).await;
    asks(&model(Provider::OpenAi, "gpt-4o", &fake), &shaped())
        .await
        .unwrap();
    let second = fake.asked().pop().unwrap();
    assert!(
        second
            .prompt()
            .contains("- approve with a finding: take one of both back")
    );
}

#[tokio::test]
async fn two_bad_answers_are_a_failure_with_the_bill_of_both() {
    let script = |asked: &Asked| match asked.number {
        1 => Reply::text("I cannot say.").spending(100, 0, 4),
        _ => Reply::text(BAD).spending(120, 0, 10),
    };
    let fake = FakeLlm::serve(script).await;
    let failed = asks(&model(Provider::Anthropic, "claude-x", &fake), &shaped())
        .await
        .unwrap_err();
    assert_eq!((failed.bill.requests.len(), fake.count()), (2, 2));
    let spent = failed.bill.total();
    assert_eq!((spent.input_tokens, spent.output_tokens), (220, 14));
    let LlmFailure::NotTheShape { violations, .. } = &failed.failure else {
        panic!("{failed}");
    };
    assert_eq!(violations.len(), 2, "{violations:?}");
    assert!(failed.failure.is_transient());
}

#[tokio::test]
async fn a_service_that_takes_no_shape_is_told_it_in_words() {
    let refusal = r#"{"error":{"message":"output_config.format / response_format json_schema is not supported by this model"}}"#;
    let script = move |asked: &Asked| match asked.schema {
        Some(_) => Reply::status(400, refusal),
        None if asked.number == 2 => Reply::text(BAD),
        None => Reply::text(GOOD),
    };
    for (provider, name) in EVERY {
        let fake = FakeLlm::serve(script).await;
        let model = model(provider, name, &fake);
        let (_, answer) = asks(&model, &shaped()).await.unwrap();
        assert_eq!(
            answer.bill.requests.len(),
            3,
            "it is asked for a shape once"
        );
        let [_, told, _] = <[Asked; 3]>::try_from(fake.asked()).unwrap();
        let system = told.by(Speaker::System).join("\n");
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
    let fake = FakeLlm::serve(|_| Reply::text(GOOD)).await;
    let mut ask = shaped();
    ask.shape = Some(Shape {
        name: "odd".into(),
        schema: json!({"type": "objekt"}),
    });
    let failed = asks(&model(Provider::OpenAi, "gpt-4o", &fake), &ask)
        .await
        .unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::BadSchema { .. }),
        "{failed}"
    );
    assert_eq!(fake.count(), 0);
}

#[tokio::test]
async fn one_deadline_holds_for_question_and_repair() {
    let script = |asked: &Asked| match asked.number {
        1 => Reply::text(BAD),
        _ => Reply::hanging_after("{"),
    };
    let fake = FakeLlm::serve(script).await;
    let mut ask = shaped();
    ask.deadline = std::time::Duration::from_secs(1);
    let model = model(Provider::OpenAi, "gpt-4o", &fake);
    let failed = asks(&model, &ask).await.unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::Deadline { .. }),
        "{failed}"
    );
    assert_eq!(failed.bill.requests.len(), 2);
    tokio::time::timeout(LONG, fake.hung_up(1)).await.unwrap();
}

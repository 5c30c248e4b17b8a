//! What is sent, and what is made of the answer.

use super::{
    ALL_PROVIDERS, KEY, TEST_TIMEOUT, ignore_progress, impatient_llm, model, plain_request,
};
use collie_agents::llm::{
    Effort, Llm, LlmProgress, LlmRequest, Model, Provider, ResponseSchema, Secret, TokenUsage,
};
use collie_fake_llm::{FakeLlm, MessageRole, Reply};
use serde_json::json;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn each_provider_is_asked_in_its_own_form() {
    let fake = FakeLlm::serve(|_| Reply::text("{}")).await;
    let ask = LlmRequest {
        system: ["Rules.", "Guidelines.", "Files.", "Persona.", "Today."]
            .map(str::to_owned)
            .to_vec(),
        user: vec!["The diff.".into(), "Review it.".into()],
        shared_user_blocks: 0,
        response_schema: Some(ResponseSchema {
            name: "review".into(),
            schema: json!({
                "type": "object",
                "properties": {"summary": {"type": "string"}},
                "required": ["summary"],
                "additionalProperties": false,
            }),
        }),
        deadline: TEST_TIMEOUT,
        spending_gate: None,
    };
    for (provider, name) in ALL_PROVIDERS {
        let mut model = model(provider, name, &fake);
        model.temperature = Some(0.5);
        model.max_tokens = Some(4000);
        let cancel = CancellationToken::new();
        impatient_llm()
            .complete(&model, &ask, &ignore_progress, &cancel)
            .await
            .unwrap();

        let asked = fake.requests().pop().unwrap();
        assert_eq!(asked.key(), Some(KEY), "{model}");
        assert_eq!(asked.model, name);
        assert_eq!(
            asked.schema.as_ref(),
            ask.response_schema.as_ref().map(|s| &s.schema)
        );
        let path = asked.path.clone();
        let sent = serde_json::to_string_pretty(&asked.body).unwrap();
        let snapshot_name = format!("{provider}-{}", name.replace(':', "-"));
        insta::assert_snapshot!(snapshot_name, format!("POST {path}\n{sent}"));
    }
}

#[tokio::test]
async fn effort_is_said_as_each_provider_says_it_beside_the_shape() {
    let fake = FakeLlm::serve(|_| Reply::text("{}")).await;
    let mut ask = plain_request("Well?");
    ask.response_schema = Some(ResponseSchema {
        name: "review".into(),
        schema: json!({"type": "object", "properties": {}, "additionalProperties": false}),
    });
    let places = [
        (Provider::OpenAi, "o3", "/reasoning_effort", "high"),
        (Provider::OpenAi, "gpt-6-sol", "/reasoning/effort", "high"),
        (
            Provider::Anthropic,
            "claude-opus-5-5",
            "/output_config/effort",
            "high",
        ),
        (
            Provider::Gemini,
            "gemini-3.5-flash",
            "/generationConfig/thinkingConfig/thinkingLevel",
            "HIGH",
        ),
        (
            Provider::Compatible,
            "mistral-medium",
            "/reasoning_effort",
            "high",
        ),
        (Provider::Ollama, "qwen3:8b", "/think", "high"),
    ];
    for (provider, name, place, expect) in places {
        let mut model = model(provider, name, &fake);
        for effort in [None, Some(Effort::High)] {
            model.effort = effort;
            let cancel = CancellationToken::new();
            let (llm, request) = (impatient_llm(), &ask);
            llm.complete(&model, request, &ignore_progress, &cancel)
                .await
                .unwrap();
            let asked = fake.requests().pop().unwrap();
            let said = asked.body.pointer(place).and_then(|value| value.as_str());
            assert_eq!(said, effort.map(|_| expect), "{model}: {}", asked.body);
            assert_eq!(asked.model, name, "{model}");
            assert!(asked.schema.is_some(), "{model}: {}", asked.body);
        }
    }
}

#[tokio::test]
async fn an_answer_comes_in_pieces_and_with_its_bill() {
    let words = "Every line of this change is fine, and the tests say so — même ceux d’hier.";
    let fake = FakeLlm::serve(move |_| Reply::text(words).with_usage(1200, 1000, 20)).await;
    for (provider, name) in ALL_PROVIDERS {
        let model = model(provider, name, &fake);
        let progress_log = Mutex::new(Vec::new());
        let on_progress = |progress: LlmProgress| progress_log.lock().unwrap().push(progress);
        let answer = impatient_llm()
            .complete(
                &model,
                &plain_request("Well?"),
                &on_progress,
                &CancellationToken::new(),
            )
            .await
            .unwrap();

        assert_eq!(answer.text, words, "{model}");
        assert_eq!(answer.usage.requests.len(), 1);
        let usage = TokenUsage {
            input_tokens: 1200,
            cached_input_tokens: 1000,
            stored_input_tokens: 0,
            output_tokens: 20,
            ..TokenUsage::default()
        };
        assert_eq!(answer.usage.total(), usage, "{model}");
        let written: Vec<_> = progress_log
            .lock()
            .unwrap()
            .iter()
            .map(|p| p.answer_chars)
            .collect();
        assert!(written.len() > 2 && written.is_sorted(), "{written:?}");
        assert_eq!(written.last(), Some(&(words.chars().count() as u64)));
    }
}

#[tokio::test]
async fn a_bill_that_no_service_sends_is_guessed_and_said_to_be() {
    let fake = FakeLlm::serve(|_| Reply::text("x".repeat(400)).without_usage()).await;
    for (provider, name) in ALL_PROVIDERS {
        let model = model(provider, name, &fake);
        let ask = plain_request(&"word ".repeat(800));
        let cancel = CancellationToken::new();
        let answer = impatient_llm()
            .complete(&model, &ask, &ignore_progress, &cancel)
            .await
            .unwrap();
        let spent = answer.usage.total();
        assert!(spent.estimated, "{model}");
        assert_eq!(spent.output_tokens, 100, "{model}");
        assert!((1000..1100).contains(&spent.input_tokens), "{model}");
    }
}

#[tokio::test]
async fn what_a_service_keeps_for_later_is_billed_as_that() {
    let events = [
        r#"{"type":"message_start","message":{"usage":{"input_tokens":50,"cache_read_input_tokens":200,"cache_creation_input_tokens":300}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Fine."}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let name = |event: &str| event.split('"').nth(3).unwrap().to_owned();
    let body: String = events
        .map(|event| format!("event: {}\ndata: {event}\n\n", name(event)))
        .concat();
    let fake = FakeLlm::serve(move |_| Reply::status(200, body.clone())).await;
    let model = model(Provider::Anthropic, "claude-sonnet-5-5", &fake);
    let cancel = CancellationToken::new();
    let (llm, ask) = (impatient_llm(), plain_request("Well?"));
    let answer = llm
        .complete(&model, &ask, &ignore_progress, &cancel)
        .await
        .unwrap();
    let spent = TokenUsage {
        input_tokens: 550,
        cached_input_tokens: 200,
        stored_input_tokens: 300,
        output_tokens: 7,
        ..TokenUsage::default()
    };
    assert_eq!(answer.usage.requests, [spent]);
}

#[tokio::test]
async fn an_answer_counts_as_whole_though_the_final_mark_is_missing() {
    let body = concat!(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Fine.\"},\"finish_reason\":null}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    );
    let fake = FakeLlm::serve(move |_| Reply::status(200, body)).await;
    let model = model(Provider::Compatible, "odd", &fake);
    let cancel = CancellationToken::new();
    let answer = impatient_llm()
        .complete(&model, &plain_request("Well?"), &ignore_progress, &cancel)
        .await;
    assert_eq!(answer.unwrap().text, "Fine.");
}

#[tokio::test]
async fn a_local_service_needs_no_key_and_gets_no_header() {
    let fake = FakeLlm::serve(|_| Reply::text("Fine.")).await;
    for provider in [Provider::Ollama, Provider::Compatible] {
        let mut model = model(provider, "small", &fake);
        model.key = None;
        let cancel = CancellationToken::new();
        let answer = impatient_llm()
            .complete(&model, &plain_request("Well?"), &ignore_progress, &cancel)
            .await;
        assert_eq!(answer.unwrap().text, "Fine.");
        assert_eq!(fake.requests().pop().unwrap().header("authorization"), None);
    }
}

#[tokio::test]
async fn addresses_are_taken_as_people_paste_them() {
    let fake = FakeLlm::serve(|_| Reply::text("Fine.")).await;
    let base = fake.url().trim_end_matches("/v1").to_owned();
    let chat = "/v1/chat/completions";
    let ollama = "/api/chat";
    let gemini = "/v1beta/models/gpt-4o:streamGenerateContent";
    let pasted = [
        (Provider::Ollama, "", ollama),
        (Provider::Ollama, "/", ollama),
        (Provider::Ollama, "/api", ollama),
        (Provider::Ollama, "/api/chat", ollama),
        (Provider::Ollama, "/v1", ollama),
        (Provider::OpenAi, "", chat),
        (Provider::OpenAi, "/v1/", chat),
        (Provider::OpenAi, chat, chat),
        (Provider::Anthropic, "", "/v1/messages"),
        (Provider::Anthropic, "/v1/messages", "/v1/messages"),
        (Provider::Gemini, "", gemini),
        (Provider::Gemini, "/v1beta/models", gemini),
        (Provider::Compatible, "", "/chat/completions"),
        (Provider::Compatible, "/api/v1", "/api/v1/chat/completions"),
        (Provider::Compatible, "/v1/chat/completions/", chat),
    ];
    for (provider, path, expect) in pasted {
        let mut model = Model::new(provider, "gpt-4o");
        model.url = Some(format!(" {base}{path} "));
        model.key = Secret::new(KEY);
        let cancel = CancellationToken::new();
        let (llm, ask) = (impatient_llm(), plain_request("Well?"));
        llm.complete(&model, &ask, &ignore_progress, &cancel)
            .await
            .unwrap();
        let asked = fake.requests().pop().unwrap();
        assert_eq!(asked.path, expect, "{provider} {path}");
    }
}

#[tokio::test]
async fn many_questions_go_out_at_once() {
    let fake =
        FakeLlm::serve(|asked| Reply::text(asked.texts_of(MessageRole::User).concat())).await;
    let model = model(Provider::Anthropic, "claude-sonnet-5-5", &fake);
    let llm = Llm::default();
    let asks = (0..20).map(|n| {
        let (llm, model) = (llm.clone(), model.clone());
        async move {
            let ask = plain_request(&format!("number {n}"));
            let cancel = CancellationToken::new();
            let answer = llm
                .complete(&model, &ask, &ignore_progress, &cancel)
                .await
                .unwrap();
            assert_eq!(answer.text, format!("number {n}"));
        }
    });
    futures::future::join_all(asks).await;
    assert_eq!(fake.request_count(), 20);
}

#[test]
fn a_key_is_found_in_the_providers_variable_then_in_the_common_one() {
    let all = |name: &str| Some(format!("from-{name}"));
    let common = |name: &str| (name == "LLM_API_KEY").then(|| "common".to_owned());
    let found = |provider: Provider| provider.find_key(all).unwrap().expose().to_owned();
    assert_eq!(found(Provider::OpenAi), "from-OPENAI_API_KEY");
    assert_eq!(found(Provider::Anthropic), "from-ANTHROPIC_API_KEY");
    assert_eq!(found(Provider::Gemini), "from-GEMINI_API_KEY");
    assert_eq!(found(Provider::Compatible), "from-LLM_API_KEY");
    for &provider in Provider::ALL {
        assert_eq!(provider.find_key(common), Secret::new("common"));
        assert_eq!(provider.find_key(|_| Some(" \n".into())), None);
        assert_eq!(provider.find_key(|_| Some("two words".into())), None);
    }
}

#[test]
fn a_provider_that_is_misspelt_is_guessed() {
    let said = |text: &str| match text.parse::<Provider>() {
        Ok(provider) => provider.to_string(),
        Err(error) => error.to_string(),
    };
    let lines: Vec<_> = [
        "anthropic",
        "OpenAI",
        "antropic",
        "gemni",
        "olama",
        "claude",
        "Google",
        "zz",
    ]
    .map(said)
    .into();
    insta::assert_snapshot!("provider-names", lines.join("\n"));
    for &provider in Provider::ALL {
        assert_eq!(provider.name().parse(), Ok(provider));
        assert_eq!(serde_json::to_value(provider).unwrap(), provider.name());
    }
}

/// What several questions of a session begin with is marked where the provider has marks, four in all; elsewhere the question is one text.
#[tokio::test]
async fn what_questions_begin_with_is_kept_by_providers_that_are_told() {
    let fake = FakeLlm::serve(|_| Reply::text("{}")).await;
    let mut ask = plain_request("The pull request.");
    ask.system = ["Rules.", "Guidelines.", "Files.", "Persona.", "Today."]
        .map(str::to_owned)
        .to_vec();
    ask.user = [
        "The pull request.",
        "The repository.",
        "Part 1.",
        "Review it.",
    ]
    .map(str::to_owned)
    .to_vec();
    ask.shared_user_blocks = 2;
    for (provider, name) in ALL_PROVIDERS {
        let model = model(provider, name, &fake);
        let cancel = CancellationToken::new();
        impatient_llm()
            .complete(&model, &ask, &ignore_progress, &cancel)
            .await
            .unwrap();
        let sent = fake.requests().pop().unwrap().body.to_string();
        let whole =
            sent.contains("The pull request.\\n\\nThe repository.\\n\\nPart 1.\\n\\nReview it.");
        let apart = matches!(provider, Provider::Anthropic | Provider::OpenAi);
        assert_eq!(whole, !apart, "{model}: {sent}");
        if provider == Provider::Anthropic {
            assert_eq!(sent.matches("cache_control").count(), 4, "{sent}");
            let marked = r#""text":"The pull request.\n\nThe repository.""#;
            let at = sent.find(marked).expect("the shared blocks");
            let own = sent.find("Part 1.").expect("its own");
            assert!(at < own, "{sent}");
            let block = &sent[at.saturating_sub(120)..own];
            assert!(block.contains("cache_control"), "{block}");
        }
    }
}

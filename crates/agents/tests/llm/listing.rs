//! Lists of models, and a real question to one of them.

use super::{KEY, impatient_llm};
use collie_agents::llm::{
    ExtraHeader, ListedModel, LlmFailure, Model, ModelTarget, Prices, Provider, Secret,
};
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm, Service};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn target(provider: Provider, fake: &RunningFakeLlm) -> ModelTarget {
    ModelTarget {
        url: Some(fake.root()),
        key: Secret::new(KEY),
        ..ModelTarget::new(provider)
    }
}

async fn list(provider: Provider, service: Service) -> (Vec<ListedModel>, Vec<String>) {
    let fake = FakeLlm::serve_as(service.with_key(KEY), |_| Reply::text("no list")).await;
    let models = impatient_llm()
        .list_models(&target(provider, &fake))
        .await
        .unwrap_or_else(|error| panic!("{provider}: {error}"));
    (models, fake.lookups())
}

fn listed(name: &str, title: Option<&str>, context_tokens: Option<u64>) -> ListedModel {
    ListedModel {
        name: name.into(),
        title: title.map(str::to_owned),
        context_tokens,
    }
}

#[tokio::test]
async fn each_form_of_a_list_is_read() {
    let open_ai = json!({"object": "list", "data": [
        {"id": "gpt-6-sol", "object": "model", "created": 1, "owned_by": "openai"},
        {"id": "gpt-4o", "object": "model", "created": 1, "owned_by": "openai"}]});
    let (models, asked) = list(Provider::OpenAi, Service::open_ai().with_list([open_ai])).await;
    assert_eq!(
        models,
        [
            listed("gpt-4o", None, None),
            listed("gpt-6-sol", None, None)
        ]
    );
    assert_eq!(asked, ["/v1/models"]);

    let vllm = json!({"object": "list", "data": [
        {"id": "meta/llama", "object": "model", "owned_by": "vllm", "max_model_len": 32_768}]});
    let (models, _) = list(Provider::Vllm, Service::vllm().with_list([vllm])).await;
    assert_eq!(models, [listed("meta/llama", None, Some(32_768))]);

    let llama = json!({"models": [{"name": "q.gguf"}], "object": "list", "data": [
        {"id": "q.gguf", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}]});
    let (models, _) = list(Provider::LlamaCpp, Service::llama_cpp().with_list([llama])).await;
    assert_eq!(models, [listed("q.gguf", None, Some(131_072))]);

    let ollama =
        json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 5_225_388_164_u64}]});
    let (models, asked) = list(Provider::Ollama, Service::ollama().with_list([ollama])).await;
    assert_eq!(models, [listed("qwen3:8b", None, None)]);
    assert_eq!(asked, ["/api/tags"]);

    let router = json!({"data": [{"id": "anthropic/claude-opus-5.5", "name": "Anthropic: Claude Opus 5.5",
        "context_length": 1_000_000, "pricing": {"prompt": "0.000004"}}]});
    let (models, asked) = list(
        Provider::OpenRouter,
        Service::open_router().with_list([router]),
    )
    .await;
    let title = Some("Anthropic: Claude Opus 5.5");
    assert_eq!(
        models,
        [listed("anthropic/claude-opus-5.5", title, Some(1_000_000))]
    );
    assert_eq!(asked, ["/api/v1/models"]);
}

#[tokio::test]
async fn a_list_of_several_pages_is_read_to_its_end() {
    let anthropic = [
        json!({"data": [{"type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5"}],
            "has_more": true, "first_id": "x", "last_id": "page-1"}),
        json!({"data": [{"type": "model", "id": "claude-haiku-5-5", "display_name": "Claude Haiku 5.5"}],
            "has_more": false, "first_id": "x", "last_id": "page-2"}),
    ];
    let (models, asked) = list(
        Provider::Anthropic,
        Service::anthropic().with_list(anthropic),
    )
    .await;
    let names: Vec<_> = models.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["claude-haiku-5-5", "claude-opus-5-5"]);
    assert_eq!(models[0].title.as_deref(), Some("Claude Haiku 5.5"));
    assert_eq!(
        asked,
        [
            "/v1/models?limit=1000",
            "/v1/models?limit=1000&after_id=page-1"
        ]
    );

    let gemini = [
        json!({"models": [{"name": "models/gemini-3.5-flash", "displayName": "Gemini 3.5 Flash", "inputTokenLimit": 1_048_576,
            "supportedGenerationMethods": ["generateContent", "countTokens"]}], "nextPageToken": "page-1"}),
        json!({"models": [{"name": "models/embedding-001", "supportedGenerationMethods": ["embedContent"]}]}),
    ];
    let (models, asked) = list(Provider::Gemini, Service::gemini().with_list(gemini)).await;
    let expected = listed(
        "gemini-3.5-flash",
        Some("Gemini 3.5 Flash"),
        Some(1_048_576),
    );
    assert_eq!(models, [expected], "what only embeds is no model to ask");
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn what_cannot_be_listed_is_said_and_nothing_is_asked() {
    for provider in [Provider::Azure, Provider::Bedrock, Provider::Vertex] {
        let fake = FakeLlm::serve(|_| Reply::text("no list")).await;
        let failure = impatient_llm().list_models(&target(provider, &fake)).await;
        let failure = failure.unwrap_err();
        assert!(matches!(failure, LlmFailure::NotListed { .. }), "{failure}");
        assert_eq!(fake.lookups(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_list_that_is_refused_or_is_none_says_what_to_do() {
    let service = || {
        Service::anthropic()
            .with_key(KEY)
            .with_list([json!({"data": []})])
    };
    let fake = FakeLlm::serve_as(service(), |_| Reply::text("no list")).await;
    let llm = impatient_llm();
    let mut wrong = target(Provider::Anthropic, &fake);
    wrong.key = Secret::new("another-key-Zebrafink");
    let refused = llm.list_models(&wrong).await.unwrap_err();
    assert!(
        matches!(refused, LlmFailure::Unauthorized { .. }),
        "{refused}"
    );
    wrong.key = None;
    let missing = llm.list_models(&wrong).await.unwrap_err();
    assert!(matches!(missing, LlmFailure::NoKey { .. }), "{missing}");

    let other = FakeLlm::serve_as(
        Service::vllm().with_list([json!({"page": "of something else"})]),
        |_| Reply::text("no list"),
    )
    .await;
    let none = llm
        .list_models(&target(Provider::Vllm, &other))
        .await
        .unwrap_err();
    assert!(matches!(none, LlmFailure::BadAddress { .. }), "{none}");
    let gone = target(Provider::Vllm, &other);
    drop(other);
    let gone = llm.list_models(&gone).await.unwrap_err();
    assert!(matches!(gone, LlmFailure::Unreachable { .. }), "{gone}");
}

#[tokio::test]
async fn no_failure_of_a_list_shows_a_secret() {
    let header = "gateway-secret-Zebrafink";
    let page = json!({"error": format!("{KEY} and {header} are wrong")});
    let fake = FakeLlm::serve_as(Service::any().with_list([page]), |_| Reply::text("x")).await;
    let mut asked = target(Provider::Compatible, &fake);
    asked.headers = vec![ExtraHeader::secret("X-Gateway", header).unwrap()];
    asked.url = Some(format!("{}/{KEY}", fake.root()));
    let failure = impatient_llm().list_models(&asked).await.unwrap_err();
    for text in [
        failure.to_string(),
        format!("{failure:?}"),
        format!("{asked:?}"),
    ] {
        let text = text.replace(&format!("{}/{KEY}", fake.root()), "the address");
        assert!(!text.contains(KEY) && !text.contains(header), "{text}");
    }
}

#[tokio::test]
async fn a_test_is_a_real_question_with_a_shape_and_says_what_it_took() {
    let script = |asked: &ReceivedRequest| {
        assert!(asked.schema.is_some(), "a review is asked with a shape too");
        Reply::json(&json!({"ok": true})).with_usage(1_000, 0, 100)
    };
    let fake = FakeLlm::serve(script).await;
    let day = jiff::civil::date(2026, 11, 24);
    let test = |model: Model| async move {
        impatient_llm()
            .test(&model, &Prices::default(), day, &CancellationToken::new())
            .await
            .unwrap()
    };
    let known = test(super::model(Provider::Anthropic, "claude-opus-5-5", &fake)).await;
    assert_eq!(known.cost_micros, Some(1_000 * 4 + 100 * 20));
    assert_eq!(
        (known.usage.input_tokens, known.usage.output_tokens),
        (1_000, 100)
    );
    assert_eq!(known.answered_model.as_deref(), Some("claude-opus-5-5"));
    let unknown = test(super::model(Provider::Compatible, "ours", &fake)).await;
    assert_eq!(unknown.cost_micros, None, "no price is no zero");
    assert!(fake.requests().iter().all(|asked| asked.number <= 2));
}

#[tokio::test]
async fn a_test_of_a_model_that_refuses_the_key_is_its_failure() {
    let fake = FakeLlm::serve_as(Service::anthropic().with_key("another"), |_| {
        Reply::json(&Value::Null)
    })
    .await;
    let model = super::model(Provider::Anthropic, "claude-opus-5-5", &fake);
    let day = jiff::civil::date(2026, 11, 24);
    let failed = impatient_llm()
        .test(&model, &Prices::default(), day, &CancellationToken::new())
        .await
        .unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::Unauthorized { .. }),
        "{failed}"
    );
}

//! Providers beside OpenAI, Anthropic, Gemini and Ollama, each held against a server that insists on its published form.

use super::{KEY, TEST_TIMEOUT, ignore_progress, impatient_llm, plain_request};
use collie_agents::llm::{
    Effort, ExtraHeader, FailedCompletion, LlmAnswer, LlmFailure, LlmRequest, Model, Prices,
    Provider, ResponseSchema, Secret,
};
use collie_fake_llm::{FakeLlm, MessageRole, ReceivedRequest, Reply, RunningFakeLlm, Service};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A service in its published form, and how a model of it is set up.
struct Form {
    name: &'static str,
    provider: Provider,
    model: &'static str,
    service: fn() -> Service,
    /// What follows the host in the address that its maker gives.
    address: &'static str,
    /// Whether the service itself holds a model to a shape, as far as it is asked to.
    holds_to_shape: bool,
}

const VERTEX: &str = "/v1/projects/ours/locations/europe-west1";

const FORMS: [Form; 8] = [
    Form {
        name: "azure",
        provider: Provider::Azure,
        model: "our-deployment",
        service: Service::azure,
        address: "",
        holds_to_shape: true,
    },
    Form {
        name: "azure-deployment",
        provider: Provider::Azure,
        model: "our-deployment",
        service: Service::azure_deployment,
        address: "/openai/deployments/our-deployment/chat/completions?api-version=2024-10-21",
        holds_to_shape: true,
    },
    Form {
        name: "openrouter",
        provider: Provider::OpenRouter,
        model: "anthropic/claude-opus-5.5",
        service: Service::open_router,
        address: "/api/v1",
        holds_to_shape: true,
    },
    Form {
        name: "vllm",
        provider: Provider::Vllm,
        model: "Qwen/Qwen3-32B",
        service: Service::vllm,
        address: "/v1",
        holds_to_shape: true,
    },
    Form {
        name: "llamacpp",
        provider: Provider::LlamaCpp,
        model: "gpt-oss-20b",
        service: Service::llama_cpp,
        address: "",
        holds_to_shape: true,
    },
    Form {
        name: "bedrock",
        provider: Provider::Bedrock,
        model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
        service: Service::bedrock,
        address: "",
        holds_to_shape: false,
    },
    Form {
        name: "vertex-gemini",
        provider: Provider::Vertex,
        model: "gemini-3.8-flash",
        service: Service::vertex,
        address: VERTEX,
        holds_to_shape: true,
    },
    Form {
        name: "vertex-claude",
        provider: Provider::Vertex,
        model: "claude-sonnet-4-6",
        service: Service::vertex,
        address: VERTEX,
        holds_to_shape: false,
    },
];

impl Form {
    async fn serve(
        &self,
        script: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static,
    ) -> (RunningFakeLlm, Model) {
        let fake = FakeLlm::serve_as((self.service)().with_key(KEY), script).await;
        let mut model = Model::new(self.provider, self.model);
        model.url = Some(format!("{}{}", fake.root(), self.address));
        model.key = Secret::new(KEY);
        model.max_tokens = Some(4_000);
        (fake, model)
    }
}

fn shaped_request() -> LlmRequest {
    LlmRequest {
        system: vec!["Rules.".into(), "Files.".into()],
        user: vec!["Review it.".into()],
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
        shared_user_blocks: 0,
    }
}

async fn ask(model: &Model, request: &LlmRequest) -> Result<LlmAnswer, FailedCompletion> {
    let take = |value: &Value| match value["summary"].is_string() {
        true => Ok(()),
        false => Err("no summary".to_owned()),
    };
    let cancel = CancellationToken::new();
    let llm = impatient_llm();
    let asked = llm.complete_json(model, request, take, &ignore_progress, &cancel);
    asked.await.map(|((), answer)| answer)
}

fn said(text: &str) -> Reply {
    Reply::json(&json!({"summary": text})).with_usage(1_200, 200, 20)
}

#[tokio::test]
async fn each_is_asked_in_the_form_that_its_maker_publishes() {
    for form in FORMS {
        let (fake, mut model) = form.serve(|_| said("Fine.")).await;
        model.temperature = Some(0.5);
        let answer = ask(&model, &shaped_request())
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", form.name));
        let spent = answer.usage.total();
        assert_eq!(
            (
                spent.input_tokens,
                spent.cached_input_tokens,
                spent.output_tokens
            ),
            (1_200, 200, 20),
            "{}",
            form.name
        );
        let asked = fake.requests().pop().unwrap();
        assert_eq!(asked.schema.is_some(), form.holds_to_shape, "{}", form.name);
        let in_words = asked.texts_of(MessageRole::System).concat();
        assert_eq!(
            in_words.contains("must be valid under this JSON schema"),
            !form.holds_to_shape,
            "{}: the shape goes out once",
            form.name
        );
        assert_eq!(asked.key(), Some(KEY), "{}", form.name);
        let body = serde_json::to_string_pretty(&asked.body).unwrap();
        let query = match asked.query.as_str() {
            "" => String::new(),
            query => format!("?{query}"),
        };
        insta::assert_snapshot!(
            format!("form-{}", form.name),
            format!("POST {}{query}\n{body}", asked.path)
        );
    }
}

#[tokio::test]
async fn the_form_of_another_is_refused_by_each() {
    for form in FORMS {
        let (fake, right) = form.serve(|_| said("Fine.")).await;
        for other in [Provider::Anthropic, Provider::Ollama, Provider::Gemini] {
            let mut model = Model::new(other, form.model);
            model.url = Some(fake.root());
            model.key = right.key.clone();
            let failed = ask(&model, &shaped_request()).await;
            assert!(failed.is_err(), "{other} was taken for {}", form.name);
        }
        // The control: the same server takes its own.
        assert!(
            ask(&right, &shaped_request()).await.is_ok(),
            "{}",
            form.name
        );
    }
}

#[tokio::test]
async fn a_wrong_key_is_that_of_each() {
    for form in FORMS {
        let (_fake, mut model) = form.serve(|_| said("Fine.")).await;
        model.key = Secret::new("another-key-Zebrafink");
        let failed = ask(&model, &shaped_request()).await.unwrap_err();
        let refused = matches!(failed.failure, LlmFailure::Unauthorized { .. });
        assert!(refused, "{}: {failed}", form.name);
        assert!(!failed.to_string().contains("Zebrafink"), "{failed}");
    }
}

#[tokio::test]
async fn what_each_documents_as_a_failure_is_understood() {
    let azure = r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#;
    let azure_filter = r#"{"error":{"message":"The response was filtered","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#;
    let vllm_long = r#"{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.","type":"BadRequestError","code":400}"#;
    let llama_long = r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#;
    let llama_loading =
        r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#;
    let bedrock_name = r#"{"message":"The provided model identifier is invalid."}"#;
    let bedrock_long = r#"{"message":"Input is too long for requested model."}"#;
    let bedrock_busy = r#"{"message":"Too many requests, please wait before trying again."}"#;
    let bedrock_model = r#"{"message":"The model returned an error.","originalStatusCode":500}"#;
    let vertex_quota = r#"{"error":{"code":429,"message":"Resource exhausted. Please try again later.","status":"RESOURCE_EXHAUSTED"}}"#;
    let router_credit = r#"{"error":{"code":402,"message":"Insufficient credits."}}"#;
    let cases = [
        ("azure", 404, azure, "is not known there"),
        ("azure-deployment", 404, azure, "is not known there"),
        ("azure", 400, azure_filter, "refused to answer"),
        ("openrouter", 402, router_credit, "no credit left"),
        ("openrouter", 502, "down", "is out of order"),
        ("vllm", 400, vllm_long, "too long"),
        ("llamacpp", 400, llama_long, "too long"),
        ("llamacpp", 503, llama_loading, "is out of order"),
        ("bedrock", 400, bedrock_name, "is not known there"),
        ("bedrock", 400, bedrock_long, "too long"),
        ("bedrock", 429, bedrock_busy, "takes no more questions"),
        ("bedrock", 424, bedrock_model, "is out of order"),
        (
            "vertex-gemini",
            429,
            vertex_quota,
            "takes no more questions",
        ),
        ("vertex-claude", 529, "overloaded", "is out of order"),
    ];
    for (name, status, body, expect) in cases {
        let form = FORMS.iter().find(|form| form.name == name).unwrap();
        let reply = Reply::status(status, body).with_header("retry-after", "120");
        let (_fake, model) = form.serve(move |_| reply.clone()).await;
        let failed = ask(&model, &plain_request("Well?")).await.unwrap_err();
        let words = failed.to_string();
        assert!(words.contains(expect), "{name} {status}: {words}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_or_is_limited_within_is_tried_again() {
    for form in FORMS {
        let busy = json!({"code": 429, "message": "Too many requests"});
        for first in [
            Reply::disconnect_after("{"),
            Reply::fail_after("{", busy.clone()),
        ] {
            let script = move |asked: &ReceivedRequest| match asked.number {
                1 => first.clone(),
                _ => said("Fine."),
            };
            let (fake, model) = form.serve(script).await;
            let answer = ask(&model, &shaped_request()).await;
            assert!(answer.is_ok(), "{}: {answer:?}", form.name);
            assert_eq!(fake.request_count(), 2, "{}", form.name);
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_is_asked_again_with_more_room_by_each() {
    for form in FORMS {
        let script = |asked: &ReceivedRequest| match asked.number {
            1 => Reply::max_tokens_reached("{"),
            _ => said("Fine."),
        };
        let (fake, model) = form.serve(script).await;
        ask(&model, &shaped_request())
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", form.name));
        let places = [
            "/max_tokens",
            "/max_completion_tokens",
            "/inferenceConfig/maxTokens",
            "/generationConfig/maxOutputTokens",
        ];
        let room: Vec<_> = fake
            .requests()
            .iter()
            .map(|asked| {
                places
                    .iter()
                    .find_map(|path| asked.body.pointer(path)?.as_u64())
            })
            .collect();
        assert_eq!(room, [Some(4_000), Some(8_000)], "{}", form.name);
    }
}

#[tokio::test]
async fn effort_and_headers_go_out_as_each_names_them() {
    let effort_of = |name: &str, body: &Value| match name {
        "openrouter" => body["reasoning"]["effort"].clone(),
        "bedrock" => body["additionalModelRequestFields"]["thinking"]["type"].clone(),
        "vertex-gemini" => body["generationConfig"]["thinkingConfig"]["thinkingLevel"].clone(),
        _ => body["reasoning_effort"].clone(),
    };
    for form in FORMS {
        // What Claude at Vertex AI thinks, nobody says through this form.
        if form.name == "vertex-claude" {
            continue;
        }
        let (fake, mut model) = form.serve(|_| said("Fine.")).await;
        model.effort = Some(Effort::High);
        model.headers = vec![
            ExtraHeader::plain("X-Team", "reviews").unwrap(),
            ExtraHeader::secret("X-Gateway", "gateway-Zebrafink").unwrap(),
        ];
        ask(&model, &shaped_request())
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", form.name));
        let asked = fake.requests().pop().unwrap();
        let effort = effort_of(form.name, &asked.body);
        assert!(
            effort == "high" || effort == "enabled" || effort == "HIGH",
            "{}: {}",
            form.name,
            asked.body
        );
        assert_eq!(asked.header("x-team"), Some("reviews"), "{}", form.name);
        assert_eq!(asked.header("x-gateway"), Some("gateway-Zebrafink"));
    }
}

#[tokio::test]
async fn a_token_of_entra_id_goes_where_tokens_do() {
    let token = "eyJhbGciOi.ZebrafinkPayload.signature";
    let fake = FakeLlm::serve_as(Service::azure().with_key(token), |_| said("Fine.")).await;
    let mut model = Model::new(Provider::Azure, "our-deployment");
    model.url = Some(fake.root());
    model.key = Secret::new(token);
    ask(&model, &shaped_request()).await.unwrap();
    let asked = fake.requests().pop().unwrap();
    assert_eq!(asked.header("api-key"), None);
    assert_eq!(
        asked.header("authorization"),
        Some(format!("Bearer {token}").as_str())
    );
}

#[tokio::test]
async fn openrouter_says_what_it_cost_and_whom_it_asked() {
    let script = |_: &ReceivedRequest| said("Fine.").with_cost(0.001_234);
    let form = FORMS.iter().find(|form| form.name == "openrouter").unwrap();
    let (_fake, model) = form.serve(script).await;
    let answer = ask(&model, &shaped_request()).await.unwrap();
    let day = jiff::civil::date(2026, 11, 24);
    let cost = Prices::default().cost_micros(&model, &answer.usage, day);
    assert_eq!(cost, Some(1_234));
    assert_eq!(
        answer.answered_by.as_deref(),
        Some("anthropic/claude-opus-5.5")
    );
}

#[tokio::test]
async fn where_openrouter_finds_nobody_for_a_shape_it_is_asked_in_words() {
    let refusal = r#"{"error":{"message":"No endpoints found that can handle the requested parameters.","code":404}}"#;
    let script = move |asked: &ReceivedRequest| match asked.schema {
        Some(_) => Reply::status(404, refusal),
        None => said("Fine."),
    };
    let form = FORMS.iter().find(|form| form.name == "openrouter").unwrap();
    let (fake, model) = form.serve(script).await;
    ask(&model, &shaped_request()).await.unwrap();
    assert_eq!(fake.request_count(), 2);
}

#[tokio::test]
async fn local_servers_need_no_key() {
    for (provider, service) in [
        (Provider::Vllm, Service::vllm()),
        (Provider::LlamaCpp, Service::llama_cpp()),
    ] {
        let fake = FakeLlm::serve_as(service, |_| said("Fine.")).await;
        let mut model = Model::new(provider, "local");
        model.url = Some(fake.root());
        ask(&model, &shaped_request()).await.unwrap();
        assert_eq!(fake.requests().pop().unwrap().header("authorization"), None);
    }
}

#[tokio::test]
async fn addresses_are_put_right_or_say_what_they_lack() {
    let fake = FakeLlm::serve(|_| said("Fine.")).await;
    let deployment = "/openai/deployments/d/chat/completions";
    let chat = "/v1/chat/completions";
    let converse = "/model/m/converse-stream";
    let vertex =
        format!("{VERTEX}/publishers/google/models/gemini-3.8-flash:streamGenerateContent");
    let pasted_vertex =
        format!("{VERTEX}/publishers/google/models/gemini-3.8-flash:generateContent");
    let taken = [
        (Provider::Azure, "", "/openai/v1/chat/completions"),
        (Provider::Azure, "/openai/", "/openai/v1/chat/completions"),
        (
            Provider::Azure,
            "/openai/v1/chat/completions",
            "/openai/v1/chat/completions",
        ),
        (
            Provider::Azure,
            "/openai/responses?api-version=2025-04-01-preview",
            "/openai/v1/chat/completions",
        ),
        (
            Provider::Azure,
            "/openai/deployments/d?api-version=2024-10-21",
            deployment,
        ),
        (Provider::OpenRouter, "", "/api/v1/chat/completions"),
        (Provider::OpenRouter, "/api", "/api/v1/chat/completions"),
        (
            Provider::OpenRouter,
            "/api/v1/chat/completions",
            "/api/v1/chat/completions",
        ),
        (Provider::Vllm, "", chat),
        (Provider::LlamaCpp, "/v1/models", chat),
        (Provider::Bedrock, "", converse),
        (Provider::Bedrock, "/model/m/converse", converse),
        (Provider::Vertex, VERTEX, &vertex),
        (Provider::Vertex, &pasted_vertex, &vertex),
    ];
    for (provider, path, expect) in taken {
        let name = if provider == Provider::Vertex {
            "gemini-3.8-flash"
        } else {
            "m"
        };
        let mut model = Model::new(provider, name);
        model.url = Some(format!("{}{path}", fake.root()));
        model.key = Secret::new(KEY);
        ask(&model, &plain_request("Well?")).await.unwrap();
        assert_eq!(
            fake.requests().pop().unwrap().path,
            expect,
            "{provider} {path}"
        );
    }
    let lacking = [
        (Provider::Azure, None, "https://NAME.openai.azure.com"),
        (
            Provider::Azure,
            Some("/openai/deployments/d/chat/completions"),
            "api-version",
        ),
        (Provider::Bedrock, None, "AWS_REGION"),
        (Provider::Vertex, None, "GOOGLE_CLOUD_PROJECT"),
        (
            Provider::Vertex,
            Some("/v1/projects/"),
            "project and location",
        ),
    ];
    let before = fake.request_count();
    for (provider, path, expect) in lacking {
        let mut model = Model::new(provider, "m");
        model.url = path.map(|path| format!("{}{path}", fake.root()));
        model.key = Secret::new(KEY);
        let failed = ask(&model, &plain_request("Well?")).await.unwrap_err();
        let words = failed.to_string();
        assert!(words.contains(expect), "{provider} {path:?}: {words}");
    }
    assert_eq!(fake.request_count(), before, "nothing was asked");
}

#[test]
fn regions_and_projects_come_from_their_makers_variables() {
    let none = |_: &str| None;
    assert_eq!(Provider::Bedrock.usual_url(none), None);
    assert_eq!(Provider::Vertex.usual_url(none), None);
    let set = |name: &str| match name {
        "AWS_REGION" => Some("eu-central-1".to_owned()),
        "GOOGLE_CLOUD_PROJECT" => Some("ours".to_owned()),
        _ => None,
    };
    let bedrock = Provider::Bedrock.usual_url(set);
    assert_eq!(
        bedrock.as_deref(),
        Some("https://bedrock-runtime.eu-central-1.amazonaws.com/")
    );
    let vertex = Provider::Vertex.usual_url(set);
    let global = "https://aiplatform.googleapis.com/v1/projects/ours/locations/global/";
    assert_eq!(vertex.as_deref(), Some(global));
    assert!(Provider::OpenAi.usual_url(none).is_some());
}

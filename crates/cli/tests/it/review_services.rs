//! `collie review` on the published form of every service: one change, one review, whoever is asked.

use crate::review::{comment_locations, review_line, setup};
use crate::support::*;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm, Service};
use serde_json::json;

const KEY: &str = "service-key-0123456789abcdef";

/// A service: provider, model, what follows the host in its address, and the server that insists on its form.
type ServiceForm = (&'static str, &'static str, &'static str, fn() -> Service);

const VERTEX: &str = "/v1/projects/ours/locations/europe-west1";
const CLAUDE: &str = "anthropic.claude-sonnet-4-5-20250929-v1:0";

const SERVICES: [ServiceForm; 11] = [
    ("openai", "gpt-5.5", "/v1", Service::open_ai),
    ("anthropic", "claude-sonnet-4-6", "", Service::anthropic),
    ("gemini", "gemini-3.8-flash", "", Service::gemini),
    ("azure", "our-deployment", "", Service::azure),
    ("openrouter", "z-ai/glm-5", "/api/v1", Service::open_router),
    ("vllm", "Qwen/Qwen3-32B", "/v1", Service::vllm),
    ("llamacpp", "gpt-oss-20b", "", Service::llama_cpp),
    ("ollama", "qwen3:8b", "", Service::ollama),
    ("bedrock", CLAUDE, "", Service::bedrock),
    ("vertex", "gemini-3.8-flash", VERTEX, Service::vertex),
    ("vertex", "claude-sonnet-4-6", VERTEX, Service::vertex),
];

/// Finds the misspelling and stands by it. A service that takes no shape has it in the words of the question.
fn reviewer(asked: &ReceivedRequest) -> Reply {
    let question = format!(
        "{}{}",
        asked.prompt(),
        asked.schema.clone().unwrap_or_default()
    );
    let told = match question.contains("\"verdicts\"") {
        true => json!({"verdicts": [{"finding": "F1", "reason": "I looked.", "score": "100"}]}),
        false => json!({
            "findings": [{
                "evidence": "  const sum = list.lenght;", "description": "`lenght` is undefined.", "file": "app.js",
                "line": 2, "title": "The length is misspelt", "trigger": "any list", "consequence": "the total is undefined",
                "category": "correctness", "kind": "error", "priority": "P1", "confidence": 0.95,
                "suggestion": "Write `length`.", "replacement": null,
            }],
            "earlier": [], "escalations": [], "fullReport": "One fault.", "conclusion": "request_changes",
        }),
    };
    Reply::text(told.to_string()).with_usage(1000, 0, 200)
}

fn serve(service: fn() -> Service) -> RunningFakeLlm {
    RUNTIME.block_on(FakeLlm::serve_as(service().with_key(KEY), reviewer))
}

#[test]
fn a_change_is_reviewed_alike_on_every_service() {
    for (provider, model, address, form) in SERVICES {
        let (service, (forge, home)) = (serve(form), setup());
        let url = format!("{}{address}", service.root());
        let args = [
            "review",
            "1",
            "--repo",
            "acme/app",
            "--json",
            "--llm-provider",
            provider,
            "--model",
            model,
            "--llm-url",
            &url,
        ];
        let ended = run_to_end(home.collie(&args).env("LLM_API_KEY", KEY));
        let line = review_line(&ended);
        assert_eq!(line["conclusion"], "request_changes", "{provider}: {line}");
        // The look and the second look at what it found, neither of them asked twice.
        assert_eq!(service.requests().len(), 2, "{provider}");
        assert_eq!(line["usage"]["input_tokens"], 2000, "{provider}: {line}");
        let both = [("app.js".to_owned(), 2), ("app.js".to_owned(), 3)];
        assert_eq!(comment_locations(&forge), both, "{provider}");
        assert!(
            !ended.stdout.contains(KEY) && !ended.stderr.contains(KEY),
            "{provider}"
        );
    }
}

//! Language models, asked over real HTTP: a scripted one answers in each provider's form.

mod failures;
mod fallback;
mod google_login;
mod limits;
mod listing;
mod ollama;

mod providers;
mod requests;
mod spending;
mod structured_output;

use collie_agents::llm::{
    Llm, LlmFailure, LlmProgress, LlmRequest, Model, Provider, RetryPolicy, Secret,
};
use collie_fake_llm::RunningFakeLlm;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A key that no text may hold but the header of a request.
const KEY: &str = "key-Zebrafink-of-a-person";

/// Every form of request: OpenAI has two.
const ALL_PROVIDERS: [(Provider, &str); 6] = [
    (Provider::OpenAi, "gpt-4o"),
    (Provider::OpenAi, "gpt-6-sol"),
    (Provider::Anthropic, "claude-sonnet-5-5"),
    (Provider::Gemini, "gemini-3.5-flash"),
    (Provider::Ollama, "qwen3:8b"),
    (Provider::Compatible, "mistral-medium"),
];

/// Longer than any test takes.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

fn model(provider: Provider, name: &str, fake: &RunningFakeLlm) -> Model {
    let mut model = Model::new(provider, name);
    model.url = Some(fake.url());
    model.key = Secret::new(KEY);
    model
}

fn plain_request(text: &str) -> LlmRequest {
    LlmRequest {
        system: vec!["You review code.".into()],
        user: vec![text.into()],
        shared_user_blocks: 0,
        response_schema: None,
        deadline: TEST_TIMEOUT,
        spending_gate: None,
    }
}

/// Three requests at most, with hardly a pause between.
fn impatient_llm() -> Llm {
    Llm::new(RetryPolicy {
        max_attempts: 3,
        first_delay: Duration::from_millis(1),
        max_delay: Duration::from_secs(5),
        idle_timeout: TEST_TIMEOUT,
    })
}

fn ignore_progress(_: LlmProgress) {}

/// Asks something that is to fail.
async fn expect_failed_completion(
    llm: &Llm,
    model: &Model,
) -> collie_agents::llm::FailedCompletion {
    let cancel = CancellationToken::new();
    let asked = llm
        .complete(model, &plain_request("Well?"), &ignore_progress, &cancel)
        .await;
    asked.expect_err("it is scripted to fail")
}

async fn expect_failure(llm: &Llm, model: &Model) -> LlmFailure {
    expect_failed_completion(llm, model).await.failure
}

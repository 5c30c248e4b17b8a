//! Language models, asked over real HTTP: a scripted one answers in each provider's form.

mod asking;
mod failing;
mod shaping;

use collie_agents::llm::{Ask, Llm, LlmFailure, Model, Pace, Progress, Provider, Secret};
use collie_fake_llm::Running;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A key that no text may hold but the header of a request.
const KEY: &str = "key-Zebrafink-of-a-person";

/// Every form of request: OpenAI has two.
const EVERY: [(Provider, &str); 6] = [
    (Provider::OpenAi, "gpt-4o"),
    (Provider::OpenAi, "gpt-6-sol"),
    (Provider::Anthropic, "claude-sonnet-5-5"),
    (Provider::Gemini, "gemini-3.5-flash"),
    (Provider::Ollama, "qwen3:8b"),
    (Provider::Compatible, "mistral-medium"),
];

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(60);

fn model(provider: Provider, name: &str, fake: &Running) -> Model {
    let mut model = Model::new(provider, name);
    model.url = Some(fake.url());
    model.key = Secret::new(KEY);
    model
}

fn question(words: &str) -> Ask {
    Ask {
        system: vec!["You review code.".into()],
        user: vec![words.into()],
        shape: None,
        deadline: LONG,
    }
}

/// Three requests at most, with hardly a pause between.
fn hasty() -> Llm {
    Llm::new(Pace {
        attempts: 3,
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_secs(5),
        silence: LONG,
    })
}

fn unheard(_: Progress) {}

/// Asks something that is to fail.
async fn fails(llm: &Llm, model: &Model) -> collie_agents::llm::Failed {
    let cancel = CancellationToken::new();
    let asked = llm.ask(model, &question("Well?"), &unheard, &cancel).await;
    asked.expect_err("it is scripted to fail")
}

async fn failure(llm: &Llm, model: &Model) -> LlmFailure {
    fails(llm, model).await.failure
}

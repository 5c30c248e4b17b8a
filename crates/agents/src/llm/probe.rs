//! A real question to a model, as small as one can be: does it answer, how fast, and what does it cost?

use super::exchange::{Llm, LlmRequest};
use super::failure::FailedCompletion;
use super::model::Model;
use super::prices::Prices;
use super::response_schema::ResponseSchema;
use super::usage::TokenUsage;
use jiff::civil::Date;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long it may take. A local model may have to be loaded first.
const TEST_DEADLINE: Duration = Duration::from_secs(120);

/// The longest answer: some models think before they say one word.
const TEST_MAX_TOKENS: u32 = 2_048;

/// What a test came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelTest {
    /// From the question to the end of the answer, retries included.
    pub latency_ms: u64,
    /// What it took.
    pub usage: TokenUsage,
    /// In millionths of a dollar; none where the model has no price.
    pub cost_micros: Option<u64>,
    /// The model as the service names it, where it does.
    pub answered_model: Option<String>,
}

impl Llm {
    /// Asks the model for the smallest answer that has a shape, just as a review asks it, and says what that came to.
    ///
    /// `day` is what prices go by.
    pub async fn test(
        &self,
        model: &Model,
        prices: &Prices,
        day: Date,
        cancel: &CancellationToken,
    ) -> Result<ModelTest, FailedCompletion> {
        let mut model = model.clone();
        let most = model.max_tokens.unwrap_or(TEST_MAX_TOKENS);
        model.max_tokens = Some(most.min(TEST_MAX_TOKENS));
        let before = Instant::now();
        let ((), answer) = self
            .complete_json(&model, &test_request(), read_answer, &|_| {}, cancel)
            .await?;
        Ok(ModelTest {
            latency_ms: u64::try_from(before.elapsed().as_millis()).unwrap_or(u64::MAX),
            usage: answer.usage.total(),
            cost_micros: prices.cost_micros(&model, &answer.usage, day),
            answered_model: answer.answered_by,
        })
    }
}

fn test_request() -> LlmRequest {
    LlmRequest {
        system: vec!["You answer with JSON alone.".to_owned()],
        user: vec![r#"Answer {"ok": true}."#.to_owned()],
        shared_user_blocks: 0,
        response_schema: Some(ResponseSchema {
            name: "test".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {"ok": {"type": "boolean"}},
                "required": ["ok"],
                "additionalProperties": false,
            }),
        }),
        deadline: TEST_DEADLINE,
        spending_gate: None,
    }
}

/// Whatever it says of `ok`: it has the shape.
fn read_answer(_: &Value) -> Result<(), String> {
    Ok(())
}

//! Language models over HTTP (§15): one question in, one answer out, streamed, with its tokens and its cost.
//!
//! Everything goes through one provider crate, `genai`, which only `wire` knows (docs/decisions/0010). A question is
//! [`Ask`], a model is [`Model`], and [`Llm`] asks: it tries again where that may help, obeys what the service says about
//! waiting, keeps the deadline, and ends at once when cancelled. Whatever goes wrong is an [`LlmFailure`] that says what to do.

mod exchange;
mod failure;
mod json_object;
mod model;
mod prices;
mod prompt_texts;
mod response_schema;
mod structured_output;
mod tokens;
mod usage;
mod wire;

pub use exchange::{Llm, LlmAnswer, LlmProgress, LlmRequest, RetryPolicy};
pub use failure::{FailedCompletion, LlmFailure};
pub(crate) use json_object::{NoJsonObject, last_json_object};
pub use model::{Model, Provider, Secret, UnknownProvider};
pub use prices::{InvalidPrices, Prices};
pub use prompt_texts::PROMPT_TEXTS;
pub use response_schema::ResponseSchema;
pub use tokens::{count_tokens, estimate_tokens};
pub use usage::{LlmUsage, TokenUsage};

//! Language models over HTTP (§15): one question in, one answer out, streamed, with its tokens and its cost.
//!
//! Everything goes through one provider crate, `genai`, which only `wire` knows (docs/decisions/0010), but for Ollama's own
//! API and the lists of models (docs/decisions/0020). A question is
//! [`Ask`], a model is [`Model`], and [`Llm`] asks: it tries again where that may help, obeys what the service says about
//! waiting, keeps the deadline, and ends at once when cancelled. Whatever goes wrong is an [`LlmFailure`] that says what to do.

mod aws_login;
mod breakers;
mod effort;
mod exchange;
mod failure;
mod fallback;
mod google_login;
mod json_object;
mod listing;
mod model;
mod output_limit;
mod prices;
mod probe;
mod prompt_texts;
mod provider;
mod refusals;
mod response_schema;
mod secret;
mod service_url;
mod spending_gate;
mod structured_output;
mod token_estimate;
mod tokens;
mod usage;
mod wire;

pub use aws_login::AwsCredentials;
pub use effort::Effort;
pub use exchange::{Llm, LlmAnswer, LlmProgress, LlmRequest, RetryPolicy};
pub use failure::{FailedCompletion, LlmFailure};
pub use fallback::ChainOutcome;
pub use google_login::{GoogleCredentials, GoogleLogin, InvalidGoogleCredentials};
pub(crate) use json_object::{NoJsonObject, last_json_object};
pub use listing::ListedModel;
pub use model::{Model, ModelTarget};
pub use output_limit::default_max_tokens;
pub use prices::{InvalidPrices, Prices};
pub use probe::ModelTest;
pub use prompt_texts::PROMPT_TEXTS;
pub use provider::{Provider, UnknownProvider};
pub use response_schema::ResponseSchema;
pub use secret::{ExtraHeader, InvalidHeader, Secret};
pub use spending_gate::{RequestBound, SpendingGate};
pub use token_estimate::{approximate_tokens, surely_fits};
pub use tokens::{count_tokens, estimate_tokens};
pub use usage::{LlmUsage, TokenUsage};
pub use wire::web_client;

//! Language models over HTTP (§15): one question in, one answer out, streamed, with its tokens and its cost.
//!
//! Everything goes through one provider crate, `genai`, which only `wire` knows (docs/decisions/0010). A question is
//! [`Ask`], a model is [`Model`], and [`Llm`] asks: it tries again where that may help, obeys what the service says about
//! waiting, keeps the deadline, and ends at once when cancelled. Whatever goes wrong is an [`LlmFailure`] that says what to do.

mod ask;
mod failure;
mod json;
mod model;
mod prices;
mod tokens;
mod wire;

pub use ask::{Answer, Ask, Bill, Llm, Pace, Progress, Shape, Spent};
pub use failure::{Failed, LlmFailure};
pub use json::WORDS;
pub use model::{Model, Provider, Secret, UnknownProvider};
pub use prices::{BadPrices, Prices};
pub use tokens::{count_tokens, guess_tokens};

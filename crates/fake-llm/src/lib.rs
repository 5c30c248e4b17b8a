//! A scripted language model for tests. It listens on loopback, speaks the streamed form of OpenAI's chat completions and
//! Responses, Anthropic's Messages and Gemini's `streamGenerateContent`, counts what is asked and keeps it.
//!
//! A script is a closure from a [`ReceivedRequest`] to a [`Reply`]; the same script serves every form:
//!
//! ```
//! # async fn example() {
//! use collie_fake_llm::{FakeLlm, Reply};
//! let model = FakeLlm::serve(|asked| match asked.prompt().contains("secret") {
//!     true => Reply::refused("I would rather not."),
//!     false => Reply::text("Fine.").with_usage(1200, 1000, 20),
//! })
//! .await;
//! // Give `model.url()` to any provider, then look at `model.requests()`.
//! # }
//! ```

mod events;
mod reply;
mod request;
mod server;

pub use reply::Reply;
pub use request::{ApiFormat, MessageRole, ReceivedRequest};
pub use server::{FakeLlm, RunningFakeLlm};

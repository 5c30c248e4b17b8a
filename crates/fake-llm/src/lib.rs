//! A scripted language model for tests. It listens on loopback, speaks the streamed form of OpenAI's chat completions and
//! Responses, Anthropic's Messages, Gemini's `streamGenerateContent`, Bedrock's Converse and Ollama's own chat, counts what is
//! asked and keeps it. As a [`Service`] it insists on the form that one maker publishes. [`RunningGoogle`] gives the tokens that Vertex AI
//! takes.
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

mod event_stream;
mod events;
mod google;
mod listener;
mod reply;
mod request;
mod server;
mod service;

pub use google::{GoogleAccount, GoogleAnswers, RunningGoogle};
pub use reply::Reply;
pub use request::{ApiFormat, MessageRole, ReceivedRequest};
pub use server::{FakeLlm, RunningFakeLlm};
pub use service::Service;

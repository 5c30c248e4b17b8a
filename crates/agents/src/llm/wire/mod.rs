//! The one place that sends: a call becomes `genai`'s request, or Ollama's own, and what comes back an answer or a failure.

mod chat_call;
mod genai_request;
mod google_token;
mod ollama;
mod service_json;
mod stream;

use super::failure::{ErrorContext, LlmFailure};
use super::model::{Model, ModelTarget};
use super::provider::Provider;
pub(super) use chat_call::{Adjustments, Answer, ChatCall, Completion, Message};
use futures::StreamExt;
use genai::chat::ChatStreamEvent;
use genai::resolver::Endpoint;
use genai::{ModelIden, ServiceTarget};
use genai_request::{adapter_kind, auth_data, chat_options, chat_request};
use google_token::google_token;
use ollama::{OllamaClient, OllamaContexts};
use rustls_platform_verifier::BuilderVerifierExt;
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use stream::{ResponseReader, StreamOutcome};
use tracing::Dispatch;
use tracing::instrument::WithSubscriber;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// TLS like everywhere in Collie: rustls with ring, and the certificates that the system trusts.
///
/// A system without any still reaches models over plain HTTP, such as Ollama on the same machine.
static TLS_CONFIG: LazyLock<rustls::ClientConfig> = LazyLock::new(|| {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let builder = || {
        rustls::ClientConfig::builder_with_provider(ring.clone())
            .with_safe_default_protocol_versions()
            .expect("ring knows TLS 1.2 and 1.3")
    };
    match builder().with_platform_verifier() {
        Ok(trusted) => trusted.with_no_client_auth(),
        Err(_) => builder()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth(),
    }
});

/// Connections over TLS as everywhere in Collie, which follow no redirect: it would carry a key to wherever it points.
pub fn web_client() -> reqwest::Client {
    reqwest::Client::builder()
        .tls_backend_preconfigured(TLS_CONFIG.clone())
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("collie/", env!("CARGO_PKG_VERSION")))
        .build()
        .expect("TLS is ready, and nothing else can be wrong")
}

/// Connections to services.
#[derive(Clone, Debug)]
pub(super) struct HttpClient {
    client: genai::Client,
    /// The same connections, for what `genai` does not ask.
    http: reqwest::Client,
    idle_timeout: Duration,
    ollama: OllamaContexts,
}

impl HttpClient {
    pub(super) fn new(idle_timeout: Duration) -> Self {
        let http = web_client();
        let client = genai::Client::builder()
            .with_reqwest(http.clone())
            .build()
            .expect("the HTTP client is given");
        Self {
            client,
            http,
            idle_timeout,
            ollama: OllamaContexts::default(),
        }
    }

    /// Reads what lies at an address of the service, as plain JSON.
    pub(super) async fn get_json(
        &self,
        target: &ModelTarget,
        url: reqwest::Url,
    ) -> Result<Value, LlmFailure> {
        service_json::get_json(&self.http, target, url).await
    }

    /// Sends a request, signed in where the model has a login, and hears the answer to its end; `on_chunk` gets the characters of
    /// answer and thinking so far.
    pub(super) async fn send(
        &self,
        chat_call: &ChatCall<'_>,
        on_chunk: &(dyn Fn(u64, u64) + Sync),
    ) -> Completion {
        let Some(login) = &chat_call.model.login else {
            return self.send_keyed(chat_call, on_chunk).await;
        };
        let token = match google_token(&self.http, login, chat_call.error_context).await {
            Ok(token) => token,
            Err(failure) => return failure.into(),
        };
        let model = Model {
            key: Some(token.clone()),
            ..chat_call.model.clone()
        };
        let keyed = ChatCall {
            model: &model,
            error_context: &ErrorContext::of(&model),
            ..*chat_call
        };
        let completion = self.send_keyed(&keyed, on_chunk).await;
        if let Completion::Failed {
            failure: LlmFailure::Unauthorized { .. },
            ..
        } = &completion
        {
            login.drop_token(&token).await;
        }
        completion
    }

    async fn send_keyed(
        &self,
        chat_call: &ChatCall<'_>,
        on_chunk: &(dyn Fn(u64, u64) + Sync),
    ) -> Completion {
        let root = match chat_call.model.target().base_url() {
            Ok(root) => root,
            Err(reason) => {
                let model = chat_call.error_context.model_label.clone();
                return LlmFailure::BadAddress { model, reason }.into();
            }
        };
        let reader = ResponseReader {
            chat_call,
            adapter: adapter_kind(chat_call.model),
            idle_timeout: self.idle_timeout,
            frames: Arc::default(),
        };
        if chat_call.model.provider == Provider::Ollama {
            let ollama = OllamaClient {
                http: &self.http,
                contexts: &self.ollama,
                idle_timeout: self.idle_timeout,
            };
            return ollama.send(&root, &reader, on_chunk).await;
        }
        self.send_with_genai(&root, &reader, on_chunk).await
    }

    async fn send_with_genai(
        &self,
        root: &reqwest::Url,
        reader: &ResponseReader<'_>,
        on_chunk: &(dyn Fn(u64, u64) + Sync),
    ) -> Completion {
        let chat_call = reader.chat_call;
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(root.as_str()),
            auth: auth_data(chat_call.model, root),
            model: ModelIden::new(reader.adapter, chat_call.model.name.as_str()),
        };
        let options = chat_options(chat_call, self.idle_timeout, &reader.frames);
        let response =
            self.client
                .exec_chat_stream(target, chat_request(chat_call), Some(&options));
        let mut stream = match without_logging(response).await {
            Ok(answer) => answer.stream,
            Err(error) => return reader.on_error(error),
        };
        let mut text = String::new();
        let (mut answer_chars, mut thinking_chars) = (0, 0);
        while let Some(event) = without_logging(stream.next()).await {
            match event {
                Ok(ChatStreamEvent::Chunk(chunk)) => {
                    answer_chars += count_chars(&chunk.content);
                    text.push_str(&chunk.content);
                    on_chunk(answer_chars, thinking_chars);
                }
                Ok(ChatStreamEvent::ReasoningChunk(chunk)) => {
                    thinking_chars += count_chars(&chunk.content);
                    on_chunk(answer_chars, thinking_chars);
                }
                Ok(ChatStreamEvent::End(end)) => {
                    return reader.on_end(text, StreamOutcome::of(end));
                }
                Ok(
                    ChatStreamEvent::Start
                    | ChatStreamEvent::ThoughtSignatureChunk(_)
                    | ChatStreamEvent::ToolCallChunk(_)
                    | ChatStreamEvent::Heartbeat,
                ) => {}
                Err(error) => return reader.on_error(error),
            }
        }
        reader.on_end(text, StreamOutcome::default())
    }
}

/// Keeps `genai`'s own log lines away: they hold whole error bodies, which may quote the key.
fn without_logging<F: Future>(future: F) -> impl Future<Output = F::Output> {
    future.with_subscriber(Dispatch::none())
}

fn count_chars(text: &str) -> u64 {
    text.chars().count() as u64
}

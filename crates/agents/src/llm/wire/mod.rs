//! The one place that knows `genai`: a call becomes its request, its stream becomes an answer or a failure.

mod chat_call;
mod stream;

use super::failure::LlmFailure;
use super::model::{Model, Provider, Secret};
use super::prompt_texts::SCHEMA_INSTRUCTIONS;
pub(super) use chat_call::{Adjustments, ChatCall, Completion, Message};
use futures::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, JsonSpec, MessageOptions,
    ReasoningEffort,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use rustls_platform_verifier::BuilderVerifierExt;
use serde_json::json;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use stream::{FrameLog, ResponseReader};
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

/// Connections to services.
#[derive(Clone, Debug)]
pub(super) struct HttpClient {
    client: genai::Client,
    idle_timeout: Duration,
}

impl HttpClient {
    pub(super) fn new(idle_timeout: Duration) -> Self {
        // A redirect would carry the key to wherever it points.
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(TLS_CONFIG.clone())
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent(concat!("collie/", env!("CARGO_PKG_VERSION")))
            .build()
            .expect("TLS is ready, and nothing else can be wrong");
        let client = genai::Client::builder()
            .with_reqwest(http)
            .build()
            .expect("the HTTP client is given");
        Self {
            client,
            idle_timeout,
        }
    }

    /// Sends a request and hears the answer to its end; `hear` gets the characters of answer and thinking so far.
    pub(super) async fn send(
        &self,
        chat_call: &ChatCall<'_>,
        on_chunk: &(dyn Fn(u64, u64) + Sync),
    ) -> Completion {
        let root = match chat_call.model.base_url() {
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
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(root.as_str()),
            auth: auth_data(chat_call.model),
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
                Ok(ChatStreamEvent::End(end)) => return reader.on_end(text, Some(end)),
                Ok(
                    ChatStreamEvent::Start
                    | ChatStreamEvent::ThoughtSignatureChunk(_)
                    | ChatStreamEvent::ToolCallChunk(_)
                    | ChatStreamEvent::Heartbeat,
                ) => {}
                Err(error) => return reader.on_error(error),
            }
        }
        reader.on_end(text, None)
    }
}

/// Keeps `genai`'s own log lines away: they hold whole error bodies, which may quote the key.
fn without_logging<F: Future>(future: F) -> impl Future<Output = F::Output> {
    future.with_subscriber(Dispatch::none())
}

fn count_chars(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The form of the requests. Ollama and compatible services share `genai`'s form for local servers, which needs no key
/// and, unlike its own for Ollama, sends the schema.
fn adapter_kind(model: &Model) -> AdapterKind {
    match model.provider {
        Provider::OpenAi => match AdapterKind::from_model(&model.name) {
            Ok(AdapterKind::OpenAIResp) => AdapterKind::OpenAIResp,
            _ => AdapterKind::OpenAI,
        },
        Provider::Anthropic => AdapterKind::Anthropic,
        Provider::Gemini => AdapterKind::Gemini,
        Provider::Ollama | Provider::Compatible => AdapterKind::Omlx,
    }
}

fn auth_data(model: &Model) -> AuthData {
    match &model.key {
        Some(key) => AuthData::from_single(Secret::expose(key)),
        None => AuthData::None,
    }
}

fn chat_request(chat_call: &ChatCall<'_>) -> ChatRequest {
    let (mut system, rest): (Vec<Message>, Vec<Message>) = chat_call
        .messages
        .iter()
        .cloned()
        .partition(|message| matches!(message, Message::System { .. }));
    if let Some(shape) = chat_call.prompted_schema() {
        let text = format!("{SCHEMA_INSTRUCTIONS}\n{}", shape.schema);
        system.push(Message::System {
            text,
            cache_prefix: false,
        });
    }
    let system = match chat_call.model.provider {
        Provider::OpenAi | Provider::Anthropic | Provider::Gemini => system,
        Provider::Ollama | Provider::Compatible => join_system_messages(&system),
    };
    let rest = match chat_call.model.provider {
        Provider::OpenAi | Provider::Anthropic => rest,
        Provider::Gemini | Provider::Ollama | Provider::Compatible => join_user_messages(rest),
    };
    ChatRequest::from_messages(system.iter().chain(&rest).map(chat_message).collect())
}

/// Joins system blocks: the templates of many open models take one at most, and fail on a second.
fn join_system_messages(system: &[Message]) -> Vec<Message> {
    if system.is_empty() {
        return Vec::new();
    }
    let texts: Vec<_> = system.iter().map(Message::text).collect();
    vec![Message::System {
        text: texts.join("\n\n"),
        cache_prefix: false,
    }]
}

/// Joins what a question begins with to the rest of it, where a mark between them is not known: the templates of many open models want
/// turns that alternate.
fn join_user_messages(messages: Vec<Message>) -> Vec<Message> {
    let mut out = Vec::with_capacity(messages.len());
    let mut shared: Option<String> = None;
    for message in messages {
        match (message, shared.take()) {
            (Message::SharedUser(text), _) => shared = Some(text),
            (Message::User(text), Some(before)) => {
                out.push(Message::User(format!("{before}\n\n{text}")));
            }
            (other, _) => out.push(other),
        }
    }
    out
}

fn chat_message(message: &Message) -> ChatMessage {
    match message {
        Message::System {
            text,
            cache_prefix: keep,
        } => {
            let message = ChatMessage::system(text.as_str());
            if *keep {
                message.with_options(MessageOptions::from(CacheControl::Ephemeral))
            } else {
                message
            }
        }
        Message::SharedUser(text) => ChatMessage::user(text.as_str())
            .with_options(MessageOptions::from(CacheControl::Ephemeral)),
        Message::User(text) => ChatMessage::user(text.as_str()),
        Message::Assistant(text) => ChatMessage::assistant(text.as_str()),
    }
}

fn chat_options(
    chat_call: &ChatCall<'_>,
    idle_timeout: Duration,
    frames: &Arc<Mutex<FrameLog>>,
) -> ChatOptions {
    let frame_sink = frames.clone();
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_stream_header_timeout(idle_timeout)
        .with_stream_read_timeout(idle_timeout)
        .with_raw_frame_fn(move |_, frame| {
            let mut seen = frame_sink.lock().unwrap_or_else(PoisonError::into_inner);
            seen.record_frame(frame);
        });
    options.temperature = chat_call.model.temperature;
    match chat_call.adjustments {
        // `genai` knows by the model's name which one it is sent under, and the name of a deployment tells nothing.
        Adjustments {
            max_completion_tokens: true,
            max_tokens: Some(most),
            ..
        } => options.extra_body = Some(json!({"max_completion_tokens": most})),
        Adjustments { max_tokens, .. } => options.max_tokens = max_tokens,
    }
    if let Some(shape) = chat_call.enforced_schema() {
        let spec = JsonSpec::new(shape.name.as_str(), shape.schema.clone());
        options = options.with_response_format(spec);
    }
    match chat_call.model.provider {
        // Without this, `genai` takes the end off names such as `mistral-medium` for an effort. A budget of none is not sent.
        Provider::OpenAi | Provider::Ollama | Provider::Compatible => {
            options.with_reasoning_effort(ReasoningEffort::Budget(0))
        }
        Provider::Anthropic | Provider::Gemini => options,
    }
}

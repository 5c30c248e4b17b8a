//! The one place that knows `genai`: a call becomes its request, its stream becomes an answer or a failure.

mod heard;

use super::ask::{Shape, Spent};
use super::failure::{LlmFailure, Place};
use super::json::SHAPE;
use super::model::{Model, Provider, Secret};
use futures::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, JsonSpec, MessageOptions,
    ReasoningEffort,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use heard::{Listener, Seen};
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(30);

/// TLS like everywhere in Collie: rustls with ring, and the certificates that the system trusts.
///
/// A system without any still reaches models over plain HTTP, such as Ollama on the same machine.
static TLS: LazyLock<rustls::ClientConfig> = LazyLock::new(|| {
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

/// One part of a conversation.
#[derive(Clone, Debug)]
pub(super) enum Turn {
    /// What the model is to be and do.
    System {
        /// The words.
        text: String,
        /// Whether a prefix that is worth keeping ends here.
        keep: bool,
    },
    /// What is asked.
    User(String),
    /// What the model said before.
    Assistant(String),
}

impl Turn {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::System { text, .. } | Self::User(text) | Self::Assistant(text) => text,
        }
    }
}

/// One request.
pub(super) struct Call<'a> {
    pub(super) model: &'a Model,
    pub(super) place: &'a Place,
    pub(super) turns: &'a [Turn],
    pub(super) shape: Option<&'a Shape>,
    /// The service has not said yet that it does not take shapes.
    pub(super) shape_is_taken: bool,
}

impl Call<'_> {
    /// The shape for the provider to hold the model to.
    fn held_to(&self) -> Option<&Shape> {
        self.shape.filter(|_| self.shape_is_taken)
    }

    /// The shape as words: where nobody holds the model to it, or where it is not sure that somebody does.
    fn told(&self) -> Option<&Shape> {
        let sure = match self.model.provider {
            Provider::OpenAi | Provider::Anthropic | Provider::Gemini => self.shape_is_taken,
            Provider::Ollama | Provider::Compatible => false,
        };
        self.shape.filter(|_| !sure)
    }
}

/// What came of a request. `spent` is what the service said of it.
pub(super) enum Said {
    Answer {
        text: String,
        spent: Option<Spent>,
    },
    Failed {
        failure: LlmFailure,
        wait: Option<Duration>,
        spent: Option<Spent>,
    },
    /// The service cannot hold a model to a shape, or not to this one.
    ShapeRefused,
}

impl From<LlmFailure> for Said {
    fn from(failure: LlmFailure) -> Self {
        Self::Failed {
            failure,
            wait: None,
            spent: None,
        }
    }
}

/// Connections to services.
#[derive(Clone, Debug)]
pub(super) struct Line {
    client: genai::Client,
    silence: Duration,
}

impl Line {
    pub(super) fn open(silence: Duration) -> Self {
        // A redirect would carry the key to wherever it points.
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(TLS.clone())
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .user_agent(concat!("collie/", env!("CARGO_PKG_VERSION")))
            .build()
            .expect("TLS is ready, and nothing else can be wrong");
        let client = genai::Client::builder()
            .with_reqwest(http)
            .build()
            .expect("the HTTP client is given");
        Self { client, silence }
    }

    /// Sends a request and hears the answer to its end; `hear` gets the characters of answer and thinking so far.
    pub(super) async fn call(&self, call: &Call<'_>, hear: &(dyn Fn(u64, u64) + Sync)) -> Said {
        let root = match call.model.root() {
            Ok(root) => root,
            Err(reason) => {
                let model = call.place.model.clone();
                return LlmFailure::BadAddress { model, reason }.into();
            }
        };
        let listener = Listener {
            call,
            kind: kind(call.model),
            silence: self.silence,
            seen: Arc::default(),
        };
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(root.as_str()),
            auth: auth(call.model),
            model: ModelIden::new(listener.kind, call.model.name.as_str()),
        };
        let options = options(call, self.silence, &listener.seen);
        let asked = self
            .client
            .exec_chat_stream(target, request(call), Some(&options));
        let mut stream = match unlogged(asked).await {
            Ok(answer) => answer.stream,
            Err(error) => return listener.failed(error),
        };
        let mut text = String::new();
        let (mut written, mut thought) = (0, 0);
        while let Some(event) = unlogged(stream.next()).await {
            match event {
                Ok(ChatStreamEvent::Chunk(chunk)) => {
                    written += characters(&chunk.content);
                    text.push_str(&chunk.content);
                    hear(written, thought);
                }
                Ok(ChatStreamEvent::ReasoningChunk(chunk)) => {
                    thought += characters(&chunk.content);
                    hear(written, thought);
                }
                Ok(ChatStreamEvent::End(end)) => return listener.ended(text, Some(end)),
                Ok(
                    ChatStreamEvent::Start
                    | ChatStreamEvent::ThoughtSignatureChunk(_)
                    | ChatStreamEvent::ToolCallChunk(_)
                    | ChatStreamEvent::Heartbeat,
                ) => {}
                Err(error) => return listener.failed(error),
            }
        }
        listener.ended(text, None)
    }
}

/// Keeps `genai`'s own log lines away: they hold whole error bodies, which may quote the key.
fn unlogged<F: Future>(work: F) -> impl Future<Output = F::Output> {
    work.with_subscriber(Dispatch::none())
}

fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The form of the requests. Ollama and compatible services share `genai`'s form for local servers, which needs no key
/// and, unlike its own for Ollama, sends the schema.
fn kind(model: &Model) -> AdapterKind {
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

fn auth(model: &Model) -> AuthData {
    match &model.key {
        Some(key) => AuthData::from_single(Secret::expose(key)),
        None => AuthData::None,
    }
}

fn request(call: &Call<'_>) -> ChatRequest {
    let (mut system, rest): (Vec<Turn>, Vec<Turn>) = call
        .turns
        .iter()
        .cloned()
        .partition(|turn| matches!(turn, Turn::System { .. }));
    if let Some(shape) = call.told() {
        let text = format!("{SHAPE}\n{}", shape.schema);
        system.push(Turn::System { text, keep: false });
    }
    let system = match call.model.provider {
        Provider::OpenAi | Provider::Anthropic | Provider::Gemini => system,
        Provider::Ollama | Provider::Compatible => in_one(&system),
    };
    ChatRequest::from_messages(system.iter().chain(&rest).map(message).collect())
}

/// Joins system blocks: the templates of many open models take one at most, and fail on a second.
fn in_one(system: &[Turn]) -> Vec<Turn> {
    if system.is_empty() {
        return Vec::new();
    }
    let texts: Vec<_> = system.iter().map(Turn::text).collect();
    vec![Turn::System {
        text: texts.join("\n\n"),
        keep: false,
    }]
}

fn message(turn: &Turn) -> ChatMessage {
    match turn {
        Turn::System { text, keep } => {
            let message = ChatMessage::system(text.as_str());
            if *keep {
                message.with_options(MessageOptions::from(CacheControl::Ephemeral))
            } else {
                message
            }
        }
        Turn::User(text) => ChatMessage::user(text.as_str()),
        Turn::Assistant(text) => ChatMessage::assistant(text.as_str()),
    }
}

fn options(call: &Call<'_>, silence: Duration, seen: &Arc<Mutex<Seen>>) -> ChatOptions {
    let seen = seen.clone();
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_stream_header_timeout(silence)
        .with_stream_read_timeout(silence)
        .with_raw_frame_fn(move |_, frame| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.frame(frame);
        });
    options.temperature = call.model.temperature;
    options.max_tokens = call.model.max_tokens;
    if let Some(shape) = call.held_to() {
        let spec = JsonSpec::new(shape.name.as_str(), shape.schema.clone());
        options = options.with_response_format(spec);
    }
    match call.model.provider {
        // Without this, `genai` takes the end off names such as `mistral-medium` for an effort. A budget of none is not sent.
        Provider::OpenAi | Provider::Ollama | Provider::Compatible => {
            options.with_reasoning_effort(ReasoningEffort::Budget(0))
        }
        Provider::Anthropic | Provider::Gemini => options,
    }
}

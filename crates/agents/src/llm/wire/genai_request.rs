//! A call as `genai`'s request.

use super::chat_call::{Adjustments, ChatCall, Message};
use super::stream::FrameLog;
use crate::llm::effort::Effort;
use crate::llm::model::Model;
use crate::llm::prompt_texts::SCHEMA_INSTRUCTIONS;
use crate::llm::provider::Provider;
use genai::Headers;
use genai::adapter::AdapterKind;
use genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, JsonSpec, MessageOptions, ReasoningEffort,
};
use genai::resolver::AuthData;
use reqwest::Url;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The form of the requests. Whatever speaks chat completions but OpenAI itself has `genai`'s for services that it does not
/// know, which adds nothing of its own. Ollama is not asked through `genai`.
pub(super) fn adapter_kind(model: &Model) -> AdapterKind {
    match model.provider {
        Provider::OpenAi => match AdapterKind::from_model(&model.name) {
            Ok(AdapterKind::OpenAIResp) => AdapterKind::OpenAIResp,
            _ => AdapterKind::OpenAI,
        },
        Provider::Anthropic => AdapterKind::Anthropic,
        Provider::Gemini => AdapterKind::Gemini,
        Provider::Bedrock => AdapterKind::BedrockApi,
        Provider::Vertex => AdapterKind::Vertex,
        Provider::Ollama => AdapterKind::Ollama,
        Provider::Azure
        | Provider::OpenRouter
        | Provider::Vllm
        | Provider::LlamaCpp
        | Provider::Compatible => AdapterKind::Custom(0),
    }
}

/// The key, where the form has one of its own; else the whole address with all its headers.
pub(super) fn auth_data(model: &Model, root: &Url) -> AuthData {
    match (adapter_kind(model), &model.key) {
        (AdapterKind::Custom(_), _) => AuthData::RequestOverride {
            url: chat_completions_url(root),
            headers: Headers::from(override_headers(model)),
        },
        (_, Some(key)) => AuthData::from_single(key.expose()),
        (_, None) => AuthData::None,
    }
}

/// What follows the root's path stays, such as `api-version`.
fn chat_completions_url(root: &Url) -> String {
    let mut url = root.clone();
    url.set_path(&format!("{}chat/completions", root.path()));
    url.into()
}

fn override_headers(model: &Model) -> Vec<(String, String)> {
    let key = model.key.as_ref().map(|key| match has_azure_key(model) {
        true => ("api-key".to_owned(), key.expose().to_owned()),
        false => (
            "authorization".to_owned(),
            format!("Bearer {}", key.expose()),
        ),
    });
    key.into_iter().chain(extra_headers(model)).collect()
}

/// Whether the key is one of a resource of Azure, which has a header of its own; a token of Entra ID is a JWT and has the usual one
/// (<https://learn.microsoft.com/azure/ai-foundry/openai/reference#authentication>).
fn has_azure_key(model: &Model) -> bool {
    let is_token = |key: &str| key.starts_with("eyJ") && key.contains('.');
    let key = model.key.as_ref();
    model.provider == Provider::Azure && key.is_some_and(|key| !is_token(key.expose()))
}

pub(super) fn chat_request(chat_call: &ChatCall<'_>) -> ChatRequest {
    let (system, rest) = system_and_rest(chat_call);
    let system = match chat_call.model.provider {
        Provider::OpenAi
        | Provider::Anthropic
        | Provider::Gemini
        | Provider::Azure
        | Provider::OpenRouter
        | Provider::Bedrock
        | Provider::Vertex => system,
        Provider::Ollama | Provider::Vllm | Provider::LlamaCpp | Provider::Compatible => {
            join_system_messages(&system)
        }
    };
    let rest = match chat_call.model.provider {
        Provider::OpenAi
        | Provider::Anthropic
        | Provider::Azure
        | Provider::OpenRouter
        | Provider::Bedrock => rest,
        Provider::Gemini
        | Provider::Vertex
        | Provider::Ollama
        | Provider::Vllm
        | Provider::LlamaCpp
        | Provider::Compatible => join_user_messages(rest),
    };
    ChatRequest::from_messages(system.iter().chain(&rest).map(chat_message).collect())
}

/// The blocks of the system's prompt, with the shape in words where nobody holds the model to it, and what follows them.
pub(super) fn system_and_rest(chat_call: &ChatCall<'_>) -> (Vec<Message>, Vec<Message>) {
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
    (system, rest)
}

/// Joins system blocks: the templates of many open models take one at most, and fail on a second.
pub(super) fn join_system_messages(system: &[Message]) -> Vec<Message> {
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
pub(super) fn join_user_messages(messages: Vec<Message>) -> Vec<Message> {
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

pub(super) fn chat_options(
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
    let model = chat_call.model;
    options.temperature = model.temperature;
    let mut extra_body = Map::new();
    match chat_call.adjustments {
        // `genai` knows by the model's name which one it is sent under, and the name of a deployment tells nothing.
        Adjustments {
            max_completion_tokens: true,
            max_tokens: Some(most),
            ..
        } => {
            extra_body.insert("max_completion_tokens".into(), most.into());
        }
        Adjustments { max_tokens, .. } => options.max_tokens = max_tokens,
    }
    if let Some(shape) = chat_call.enforced_schema() {
        let spec = JsonSpec::new(shape.name.as_str(), shape.schema.clone());
        options = options.with_response_format(spec);
        if model.provider == Provider::OpenRouter {
            // Of those that it may hand on to, one that takes shapes (<https://openrouter.ai/docs/features/structured-outputs>).
            extra_body.insert("provider".into(), json!({"require_parameters": true}));
        }
    }
    options.reasoning_effort = reasoning_effort(model);
    if let Some(effort) = model.effort {
        extra_body.extend(effort_fields(model.provider, effort));
    }
    if !extra_body.is_empty() {
        options.extra_body = Some(Value::Object(extra_body));
    }
    let headers = extra_headers(model);
    if !headers.is_empty() {
        options.extra_headers = Some(Headers::from(headers));
    }
    options
}

/// The effort where `genai` has the provider's form for it.
fn reasoning_effort(model: &Model) -> Option<ReasoningEffort> {
    match (model.provider, model.effort) {
        (
            Provider::Azure
            | Provider::OpenRouter
            | Provider::Vllm
            | Provider::LlamaCpp
            | Provider::Compatible
            | Provider::Ollama,
            _,
        )
        // Without this, `genai` takes the end off names such as `mistral-medium` for an effort. A budget of none is not sent.
        | (Provider::OpenAi, None) => Some(ReasoningEffort::Budget(0)),
        (
            Provider::OpenAi
            | Provider::Anthropic
            | Provider::Gemini
            | Provider::Bedrock
            | Provider::Vertex,
            effort,
        ) => effort.map(genai_effort),
    }
}

fn genai_effort(effort: Effort) -> ReasoningEffort {
    match effort {
        Effort::None => ReasoningEffort::Zero,
        Effort::Minimal => ReasoningEffort::Minimal,
        Effort::Low => ReasoningEffort::Low,
        Effort::Medium => ReasoningEffort::Medium,
        Effort::High => ReasoningEffort::High,
        Effort::XHigh => ReasoningEffort::XHigh,
        Effort::Max => ReasoningEffort::Max,
    }
}

/// The effort in the fields of services that speak chat completions.
fn effort_fields(provider: Provider, effort: Effort) -> Map<String, Value> {
    let fields = match provider {
        Provider::Azure | Provider::Compatible => json!({"reasoning_effort": effort.name()}),
        Provider::OpenRouter => json!({"reasoning": {"effort": effort.for_openrouter()}}),
        // Some templates know a switch, some a level (<https://docs.vllm.ai/en/latest/features/reasoning_outputs/>).
        Provider::Vllm | Provider::LlamaCpp => match effort {
            Effort::None => json!({"chat_template_kwargs": {"enable_thinking": false}}),
            effort => json!({
                "reasoning_effort": effort.name(),
                "chat_template_kwargs": {"enable_thinking": true, "reasoning_effort": effort.name()},
            }),
        },
        Provider::OpenAi
        | Provider::Anthropic
        | Provider::Gemini
        | Provider::Bedrock
        | Provider::Vertex
        | Provider::Ollama => Value::Null,
    };
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn extra_headers(model: &Model) -> Vec<(String, String)> {
    let own = model.headers.iter();
    own.map(|header| (header.name().to_owned(), header.expose().to_owned()))
        .collect()
}

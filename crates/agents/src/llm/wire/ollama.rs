//! Ollama's own API (<https://docs.ollama.com/api/chat>), which takes the size of the context with each request.
//!
//! Its address that is compatible with OpenAI's has no field for it, and cuts what is longer than its default in silence.
//! `genai` speaks the own API, but sends neither that size nor a shape (docs/decisions/0020).

use super::chat_call::{Answer, ChatCall, Completion, Message};
use super::genai_request::{join_system_messages, join_user_messages, system_and_rest};
use super::service_json::{post_json, with_headers};
use super::stream::{NO_SERVICE, ResponseReader, StreamOutcome};
use crate::llm::failure::LlmFailure;
use crate::llm::tokens::count_tokens;
use crate::llm::usage::TokenUsage;
use futures::StreamExt as _;
use genai::chat::StopReason;
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};
use tokio_util::io::StreamReader;

/// The context grows in steps: the model is loaded anew for each other size.
const CONTEXT_STEP: u64 = 4_096;

/// Room for the answer where no limit is set.
const USUAL_ANSWER_TOKENS: u64 = 8_192;

/// The least room for an answer; a prompt that leaves less is too long.
const MIN_ANSWER_TOKENS: u64 = 512;

/// What a template puts around the messages.
const TEMPLATE_TOKENS: u64 = 256;

/// The longest line that is read; each holds a few tokens.
const MAX_LINE_BYTES: usize = 1 << 20;

/// What is known of the models of each service, by root and name. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct OllamaContexts(Arc<Mutex<HashMap<(String, String), ModelContext>>>);

#[derive(Clone, Copy, Debug, Default)]
struct ModelContext {
    /// The largest that the model was made for, once the service has said it.
    most: Option<u64>,
    /// What was last asked for: a smaller question does not have the model loaded anew.
    asked: u64,
}

/// Tokens of a question: as counted offline, and at most, since each model has a vocabulary of its own.
#[derive(Clone, Copy, Debug)]
struct PromptSize {
    counted: u64,
    at_most: u64,
}

impl PromptSize {
    fn of(messages: &[Message]) -> Self {
        let counted: u64 = messages
            .iter()
            .map(|m| u64::from(count_tokens(m.text())))
            .sum();
        Self {
            counted,
            at_most: counted + counted.div_ceil(3) + TEMPLATE_TOKENS,
        }
    }
}

/// The context that holds a question and its answer; none where the question alone is too long for the model.
fn context_for(prompt: PromptSize, answer: u64, known: ModelContext) -> Option<u64> {
    let needed = (prompt.at_most + answer).div_ceil(CONTEXT_STEP) * CONTEXT_STEP;
    let needed = needed.max(known.asked);
    match known.most {
        Some(most) if prompt.counted + MIN_ANSWER_TOKENS > most => None,
        Some(most) => Some(needed.min(most)),
        None => Some(needed),
    }
}

/// A line of the answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatLine {
    model: String,
    message: LineMessage,
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    prompt_eval_cached_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LineMessage {
    content: String,
    thinking: String,
}

/// A connection to Ollama, and what is known of its models.
pub(super) struct OllamaClient<'a> {
    pub(super) http: &'a reqwest::Client,
    pub(super) contexts: &'a OllamaContexts,
    pub(super) idle_timeout: Duration,
}

impl OllamaClient<'_> {
    /// Sends a request in Ollama's own form and hears the answer to its end.
    pub(super) async fn send(
        &self,
        root: &Url,
        reader: &ResponseReader<'_>,
        on_chunk: &(dyn Fn(u64, u64) + Sync),
    ) -> Completion {
        let call = reader.chat_call;
        let (system, rest) = system_and_rest(call);
        let messages: Vec<Message> = join_system_messages(&system)
            .into_iter()
            .chain(join_user_messages(rest))
            .collect();
        let prompt = PromptSize::of(&messages);
        let answer = call
            .adjustments
            .max_tokens
            .map_or(USUAL_ANSWER_TOKENS, u64::from);
        let known = self.model_context(root, call).await;
        let Some(context) = context_for(prompt, answer, known) else {
            return LlmFailure::ContextTooLong {
                model: call.error_context.model_label.clone(),
                message: too_long(prompt.counted, known.most.unwrap_or_default()),
            }
            .into();
        };
        self.contexts.remember(root, call, context);
        let body = chat_body(call, &messages, context);
        let completion = self.exchange_lines(root, reader, &body, on_chunk).await;
        refuse_full_context(call, prompt, context, completion)
    }

    /// What the service says of the model, asked once.
    async fn model_context(&self, root: &Url, call: &ChatCall<'_>) -> ModelContext {
        let known = self.contexts.of(root, call);
        if known.most.is_some() {
            return known;
        }
        let Ok(url) = root.join("api/show") else {
            return known;
        };
        let named = json!({"model": call.model.name});
        let asked = post_json(self.http, &call.model.target(), url, &named).await;
        // An older one, or a model that is not there: its answer to the question says that better.
        let most = asked.ok().as_ref().and_then(context_length);
        self.contexts.set_most(root, call, most);
        ModelContext { most, ..known }
    }

    async fn exchange_lines(
        &self,
        root: &Url,
        reader: &ResponseReader<'_>,
        body: &Value,
        on_chunk: &(dyn Fn(u64, u64) + Sync),
    ) -> Completion {
        let Ok(url) = root.join("api/chat") else {
            return reader.interrupted("its address has no path for a question");
        };
        let target = reader.chat_call.model.target();
        let request = with_headers(self.http.post(url).json(body), &target);
        let response = match tokio::time::timeout(self.idle_timeout, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return reader.on_transport_error(Box::new(error)),
            Err(_) => return reader.idle(),
        };
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            let body = response.text().await.unwrap_or_default();
            return reader.on_error_status(status.as_u16(), &headers, &body);
        }
        let bytes = response
            .bytes_stream()
            .map(|piece| piece.map_err(std::io::Error::other));
        let codec = LinesCodec::new_with_max_length(MAX_LINE_BYTES);
        let mut lines = FramedRead::new(StreamReader::new(bytes), codec);
        let mut heard = Heard::default();
        loop {
            match tokio::time::timeout(self.idle_timeout, lines.next()).await {
                Err(_) => return reader.idle(),
                Ok(None) => return reader.on_end(heard.text, StreamOutcome::default()),
                Ok(Some(Err(error))) => return broken_line(reader, error),
                Ok(Some(Ok(line))) if line.trim().is_empty() => {}
                Ok(Some(Ok(line))) => {
                    if let Some(completion) = heard.take(reader, &line, on_chunk) {
                        return completion;
                    }
                }
            }
        }
    }
}

/// What was heard so far.
#[derive(Default)]
struct Heard {
    text: String,
    answer_chars: u64,
    thinking_chars: u64,
    model: String,
    any_line: bool,
}

impl Heard {
    /// Takes a line; the last one, or one that is wrong, ends the answer.
    fn take(
        &mut self,
        reader: &ResponseReader<'_>,
        line: &str,
        on_chunk: &(dyn Fn(u64, u64) + Sync),
    ) -> Option<Completion> {
        let line: ChatLine = match serde_json::from_str(line) {
            Ok(line) => line,
            Err(error) if self.any_line => {
                return Some(reader.interrupted(&format!("a part of it is not JSON: {error}")));
            }
            Err(_) => return Some(reader.interrupted(NO_SERVICE)),
        };
        self.any_line = true;
        if let Some(error) = line.error {
            let body = json!({"error": error}).to_string();
            return Some(
                reader
                    .chat_call
                    .error_context
                    .failure_from_body(&body)
                    .into(),
            );
        }
        self.thinking_chars += line.message.thinking.chars().count() as u64;
        self.answer_chars += line.message.content.chars().count() as u64;
        self.text.push_str(&line.message.content);
        if !line.message.content.is_empty() || !line.message.thinking.is_empty() {
            on_chunk(self.answer_chars, self.thinking_chars);
        }
        if !line.model.is_empty() {
            self.model.clone_from(&line.model);
        }
        if !line.done {
            return None;
        }
        Some(self.end(reader, line))
    }

    /// The whole answer, with what the last line says of it.
    fn end(&mut self, reader: &ResponseReader<'_>, line: ChatLine) -> Completion {
        let told = line.prompt_eval_count.or(line.eval_count);
        let usage = told.map(|_| TokenUsage {
            input_tokens: line.prompt_eval_count.unwrap_or_default(),
            cached_input_tokens: line.prompt_eval_cached_count.unwrap_or_default(),
            output_tokens: line.eval_count.unwrap_or_default(),
            ..TokenUsage::default()
        });
        // Without a reason it is an older one, which gave none.
        let reason = line.done_reason.unwrap_or_else(|| "stop".to_owned());
        let outcome = StreamOutcome {
            stop: Some(StopReason::from(reason)),
            usage,
            closed: true,
        };
        let model = std::mem::take(&mut self.model);
        match reader.on_end(std::mem::take(&mut self.text), outcome) {
            Completion::Answer(answer) => Completion::Answer(Answer {
                answered_by: Some(model).filter(|name| !name.is_empty()),
                ..answer
            }),
            other => other,
        }
    }
}

fn broken_line(reader: &ResponseReader<'_>, error: LinesCodecError) -> Completion {
    match error {
        LinesCodecError::MaxLineLengthExceeded => {
            reader.interrupted("a line of it is longer than any that Ollama sends")
        }
        LinesCodecError::Io(error) => match error.downcast::<reqwest::Error>() {
            Ok(error) => reader.on_transport_error(Box::new(error)),
            Err(error) => reader.interrupted(&error.to_string()),
        },
    }
}

/// A question that filled the whole context was cut by a service that does not refuse to.
fn refuse_full_context(
    call: &ChatCall<'_>,
    prompt: PromptSize,
    context: u64,
    completion: Completion,
) -> Completion {
    let usage = match &completion {
        Completion::Answer(Answer { usage, .. }) | Completion::Failed { usage, .. } => *usage,
        Completion::SchemaRejected | Completion::MaxTokensRenamed => None,
    };
    match usage {
        Some(usage) if usage.input_tokens >= context => Completion::Failed {
            failure: LlmFailure::PromptCut {
                model: call.error_context.model_label.clone(),
                read: usage.input_tokens,
                sent: prompt.at_most.max(usage.input_tokens + 1),
            },
            retry_after: None,
            usage: Some(usage),
        },
        _ => completion,
    }
}

fn too_long(counted: u64, most: u64) -> String {
    format!("{counted} tokens, and its context holds {most}")
}

fn chat_body(call: &ChatCall<'_>, messages: &[Message], context: u64) -> Value {
    let messages: Vec<Value> = messages.iter().map(message_json).collect();
    let mut options = Map::new();
    options.insert("num_ctx".into(), context.into());
    if let Some(most) = call.adjustments.max_tokens {
        options.insert("num_predict".into(), most.into());
    }
    if let Some(temperature) = call.model.temperature {
        options.insert("temperature".into(), temperature.into());
    }
    let mut body = json!({
        "model": call.model.name,
        "messages": messages,
        "stream": true,
        // What does not fit is refused, not cut; an older service knows neither word.
        "truncate": false,
        "shift": false,
        "options": options,
    });
    if let Some(shape) = call.enforced_schema() {
        body["format"] = shape.schema.clone();
    }
    if let Some(effort) = call.model.effort {
        body["think"] = effort.for_ollama();
    }
    body
}

fn message_json(message: &Message) -> Value {
    let role = match message {
        Message::System { .. } => "system",
        Message::SharedUser(_) | Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
    };
    json!({"role": role, "content": message.text()})
}

/// The context that a model was made for, of what `/api/show` says of it.
fn context_length(shown: &Value) -> Option<u64> {
    let info = shown.get("model_info")?;
    let architecture = info.get("general.architecture")?.as_str()?;
    let length = info.get(format!("{architecture}.context_length"))?;
    length.as_u64().filter(|length| *length > 0)
}

impl OllamaContexts {
    fn with<T>(
        &self,
        root: &Url,
        call: &ChatCall<'_>,
        change: impl FnOnce(&mut ModelContext) -> T,
    ) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (root.to_string(), call.model.name.clone());
        change(all.entry(key).or_default())
    }

    fn of(&self, root: &Url, call: &ChatCall<'_>) -> ModelContext {
        self.with(root, call, |known| *known)
    }

    fn set_most(&self, root: &Url, call: &ChatCall<'_>, most: Option<u64>) {
        self.with(root, call, |known| known.most = most);
    }

    fn remember(&self, root: &Url, call: &ChatCall<'_>, asked: u64) {
        self.with(root, call, |known| known.asked = asked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(counted: u64) -> PromptSize {
        PromptSize {
            counted,
            at_most: counted + counted.div_ceil(3) + TEMPLATE_TOKENS,
        }
    }

    #[test]
    fn the_context_holds_question_and_answer_in_steps_and_never_shrinks() {
        let unknown = ModelContext::default();
        assert_eq!(context_for(size(9_000), 8_000, unknown), Some(20_480));
        let grown = ModelContext {
            asked: 65_536,
            ..unknown
        };
        assert_eq!(context_for(size(9_000), 8_000, grown), Some(65_536));
    }

    #[test]
    fn the_models_own_maximum_bounds_it_and_a_question_beyond_that_is_not_asked() {
        let small = ModelContext {
            most: Some(8_192),
            asked: 0,
        };
        assert_eq!(context_for(size(6_000), 8_000, small), Some(8_192));
        assert_eq!(context_for(size(7_680), 8_000, small), Some(8_192));
        assert_eq!(context_for(size(7_681), 8_000, small), None);
    }

    #[test]
    fn a_models_maximum_is_read_under_its_architecture() {
        let shown = json!({"model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960}});
        assert_eq!(context_length(&shown), Some(40_960));
        for other in [
            json!({}),
            json!({"model_info": {"general.architecture": "x"}}),
        ] {
            assert_eq!(context_length(&other), None);
        }
    }
}

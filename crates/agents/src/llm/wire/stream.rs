//! Makes an answer or a failure of what comes back over the wire.

use super::chat_call::{Answer, ChatCall, Completion};
use crate::llm::failure::{LlmFailure, is_max_tokens_renaming, is_schema_rejection};
use crate::llm::provider::Provider;
use crate::llm::usage::TokenUsage;
use genai::adapter::AdapterKind;
use genai::chat::{RawFrameRef, StopReason, StreamEnd, Usage};
use genai::webc::StreamTimeout;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::error::Error as StdError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What goes over the wire and `genai` does not tell.
#[derive(Default)]
pub(super) struct FrameLog {
    /// Whether anything came that is part of an answer.
    any_frame: bool,
    /// How an answer in the form of chat completions ended; some services close without the final mark.
    finish_reason: Option<String>,
    /// A refusal in the model's words.
    refusal_text: String,
    /// A refusal as the service's reason.
    block_reason: Option<String>,
    /// The model that answers, as the service names it.
    answered_by: Option<String>,
    /// What the service says that the request cost, in dollars.
    cost_usd: Option<f64>,
}

impl FrameLog {
    pub(super) fn record_frame(&mut self, frame: RawFrameRef<'_>) {
        self.any_frame |= !frame.data.is_empty();
        let telling = [
            "\"finish_reason\"",
            "refusal",
            "blockReason",
            "content_filter",
            "\"cost\"",
        ];
        let names_model = self.answered_by.is_none() && frame.data.contains("\"model");
        if !names_model && !telling.iter().any(|word| frame.data.contains(word)) {
            return;
        }
        let Some(value) = frame.json() else { return };
        let text = |path: &str| value.pointer(path).and_then(Value::as_str);
        if names_model {
            let places = [
                "/model",
                "/response/model",
                "/message/model",
                "/modelVersion",
            ];
            let found = places.iter().find_map(|path| text(path));
            self.answered_by = found.filter(|name| !name.is_empty()).map(str::to_owned);
        }
        self.cost_usd = value
            .pointer("/usage/cost")
            .and_then(Value::as_f64)
            .or(self.cost_usd);
        if let Some(reason) = text("/choices/0/finish_reason") {
            self.finish_reason = Some(reason.to_owned());
        }
        let said = match text("/type") {
            Some("response.refusal.delta") => text("/delta"),
            _ => text("/choices/0/delta/refusal"),
        };
        self.refusal_text.push_str(said.unwrap_or_default());
        let reasons = [
            "/promptFeedback/blockReason",
            "/response/incomplete_details/reason",
        ];
        if let Some(reason) = reasons.iter().find_map(|path| text(path)) {
            self.block_reason = Some(reason.to_owned());
        }
    }

    fn refusal(&self) -> Option<String> {
        let blocked = self
            .block_reason
            .clone()
            .filter(|why| why != "max_output_tokens");
        let words = Some(&self.refusal_text).filter(|words| !words.is_empty());
        words.cloned().or(blocked)
    }
}

/// How a stream ended.
#[derive(Default)]
pub(super) struct StreamOutcome {
    pub(super) stop: Option<StopReason>,
    pub(super) usage: Option<TokenUsage>,
    /// The service ended it; else the connection did.
    pub(super) closed: bool,
}

impl StreamOutcome {
    pub(super) fn of(end: StreamEnd) -> Self {
        Self {
            stop: end.captured_stop_reason,
            usage: end.captured_usage.and_then(token_usage),
            closed: true,
        }
    }
}

/// Makes sense of what comes back.
pub(super) struct ResponseReader<'a> {
    pub(super) chat_call: &'a ChatCall<'a>,
    pub(super) adapter: AdapterKind,
    pub(super) idle_timeout: Duration,
    pub(super) frames: Arc<Mutex<FrameLog>>,
}

impl ResponseReader<'_> {
    pub(super) fn on_end(&self, text: String, outcome: StreamOutcome) -> Completion {
        let frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        let error_context = self.chat_call.error_context;
        let model = error_context.model_label.clone();
        let StreamOutcome {
            stop,
            usage,
            closed,
        } = outcome;
        let spent = usage.map(|usage| self.with_reported_cost(usage, &frames));
        let stop = stop.or_else(|| frames.finish_reason.clone().map(StopReason::from));
        // Of these two, a stream that was cut looks like one that was closed, but for the reason.
        let always_gives_reason =
            matches!(self.adapter, AdapterKind::Gemini | AdapterKind::OpenAIResp);
        let failure = match (&stop, frames.refusal()) {
            (_, Some(why)) => LlmFailure::Refused {
                model,
                message: error_context.redact_and_shorten(&why),
            },
            (Some(StopReason::ContentFilter(why)), None) => LlmFailure::Refused {
                model,
                message: error_context.redact_and_shorten(why),
            },
            (Some(StopReason::MaxTokens(why)), None) if why == "model_context_window_exceeded" => {
                LlmFailure::ContextTooLong {
                    model,
                    message: String::new(),
                }
            }
            (Some(StopReason::MaxTokens(_)), None) => LlmFailure::MaxTokensReached {
                model,
                max_tokens: self.chat_call.adjustments.max_tokens,
            },
            (None, None) if always_gives_reason || !closed => LlmFailure::StreamInterrupted {
                model,
                message: self.interruption_message(&frames),
            },
            (_, None) if text.trim().is_empty() => LlmFailure::EmptyAnswer { model },
            (_, None) => {
                return Completion::Answer(Answer {
                    text,
                    usage: spent,
                    answered_by: frames.answered_by.clone(),
                });
            }
        };
        Completion::Failed {
            failure,
            retry_after: None,
            usage: spent,
        }
    }

    /// Only OpenRouter's figure is known to be dollars (<https://openrouter.ai/docs/use-cases/usage-accounting>).
    fn with_reported_cost(&self, usage: TokenUsage, frames: &FrameLog) -> TokenUsage {
        let told = frames
            .cost_usd
            .filter(|dollars| (0.0..=1e6).contains(dollars));
        let told = told.filter(|_| self.chat_call.model.provider == Provider::OpenRouter);
        TokenUsage {
            // In range, so the conversion neither wraps nor loses its sign.
            reported_cost_micros: told.map(|dollars| (dollars * 1e6).ceil() as u64),
            ..usage
        }
    }

    fn interruption_message(&self, frames: &FrameLog) -> String {
        if frames.any_frame {
            "the connection was closed in the middle".to_owned()
        } else {
            NO_SERVICE.to_owned()
        }
    }

    /// An answer that broke off, for the reason given.
    pub(super) fn interrupted(&self, said: &str) -> Completion {
        let error_context = self.chat_call.error_context;
        LlmFailure::StreamInterrupted {
            model: error_context.model_label.clone(),
            message: error_context.redact_and_shorten(said),
        }
        .into()
    }

    /// Silence.
    pub(super) fn idle(&self) -> Completion {
        let seconds = self.idle_timeout.as_secs();
        self.interrupted(&format!("nothing came for {seconds} s"))
    }

    pub(super) fn on_error(&self, error: genai::Error) -> Completion {
        let error_context = self.chat_call.error_context;
        let model = error_context.model_label.clone();
        match error {
            genai::Error::WebStream { error, .. } => self.on_transport_error(error),
            genai::Error::HttpError {
                status,
                body,
                headers,
                ..
            } => self.on_error_status(status.as_u16(), &headers, &body),
            genai::Error::ChatResponse { body, .. } => {
                let frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
                match frames.refusal() {
                    Some(why) => LlmFailure::Refused {
                        model,
                        message: error_context.redact_and_shorten(&why),
                    }
                    .into(),
                    // `genai` makes this of an empty frame of Gemini's.
                    None if body.get("usageMetadata").is_some_and(Value::is_null) => {
                        self.interrupted("a part of it was empty")
                    }
                    None => error_context.failure_from_body(&body.to_string()).into(),
                }
            }
            // `genai` wraps OpenAI's `response.failed` in this.
            genai::Error::StreamParse { serde_error, .. }
                if self.adapter == AdapterKind::OpenAIResp =>
            {
                error_context
                    .failure_from_body(&serde_error.to_string())
                    .into()
            }
            genai::Error::StreamParse { serde_error, .. } => {
                self.interrupted(&format!("a part of it is not JSON: {serde_error}"))
            }
            other => self.interrupted(&other.to_string()),
        }
    }

    /// What `genai` boxes: its own HTTP error, its timeout, or one of the HTTP client.
    pub(super) fn on_transport_error(&self, error: genai::BoxError) -> Completion {
        let error_context = self.chat_call.error_context;
        let model = error_context.model_label.clone();
        let error = match error.downcast::<genai::Error>() {
            Ok(own) => return self.on_error(*own),
            Err(error) => error,
        };
        if error.is::<StreamTimeout>() {
            return self.idle();
        }
        match error.downcast::<reqwest::Error>() {
            Ok(error) => {
                let error = error.without_url();
                let said = error_context.redact_and_shorten(&error_chain(&error));
                if error.is_builder() {
                    LlmFailure::BadAddress {
                        model,
                        reason: said,
                    }
                } else if error.is_connect() || error.is_timeout() {
                    LlmFailure::Unreachable {
                        model,
                        message: said,
                    }
                } else {
                    LlmFailure::StreamInterrupted {
                        model,
                        message: said,
                    }
                }
            }
            Err(error) => LlmFailure::StreamInterrupted {
                model,
                message: error_context.redact_and_shorten(&error.to_string()),
            },
        }
        .into()
    }

    pub(super) fn on_error_status(
        &self,
        status: u16,
        headers: &HeaderMap,
        body: &str,
    ) -> Completion {
        let retry_after = retry_after(headers, body);
        if self.chat_call.enforced_schema().is_some() && is_schema_rejection(status, body) {
            return Completion::SchemaRejected;
        }
        let adjustments = &self.chat_call.adjustments;
        if adjustments.max_tokens.is_some()
            && !adjustments.max_completion_tokens
            && is_max_tokens_renaming(status, body)
        {
            return Completion::MaxTokensRenamed;
        }
        let failure = self
            .chat_call
            .error_context
            .failure_from_status(status, retry_after, body);
        Completion::Failed {
            failure,
            retry_after,
            usage: None,
        }
    }
}

/// What is said where something else answers.
pub(super) const NO_SERVICE: &str =
    "nothing came that a language model sends; is the address right?";

/// An error with all its causes, in one line.
pub(super) fn error_chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// How long a service asks to wait: `retry-after-ms`, `Retry-After` as seconds or date, or Gemini's `retryDelay`.
pub(super) fn retry_after(headers: &HeaderMap, body: &str) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = header("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    if let Some(text) = header("retry-after") {
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        let then = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
        let left = then.duration_since(jiff::Timestamp::now());
        return Some(Duration::try_from(left).unwrap_or_default());
    }
    let body: Value = serde_json::from_str(body).ok()?;
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay"))?;
    let seconds = delay.as_str()?.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Tokens as the service counted them; none when it did not.
fn token_usage(usage: Usage) -> Option<TokenUsage> {
    let number = |tokens: Option<i32>| tokens.and_then(|n| u64::try_from(n).ok());
    let thinking = usage
        .completion_tokens_details
        .and_then(|d| d.reasoning_tokens);
    let input = number(usage.prompt_tokens);
    let output = number(usage.completion_tokens.or(thinking));
    if input.is_none() && output.is_none() {
        return None;
    }
    let details = usage.prompt_tokens_details.unwrap_or_default();
    Some(TokenUsage {
        input_tokens: input.unwrap_or_default(),
        cached_input_tokens: number(details.cached_tokens).unwrap_or_default(),
        stored_input_tokens: number(details.cache_creation_tokens).unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
        ..TokenUsage::default()
    })
}

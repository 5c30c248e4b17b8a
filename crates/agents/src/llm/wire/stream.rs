//! Makes an answer or a failure of what comes back over the wire.

use super::chat_call::{ChatCall, Completion};
use crate::llm::failure::{LlmFailure, is_max_tokens_renaming, is_schema_rejection};
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
}

impl FrameLog {
    pub(super) fn record_frame(&mut self, frame: RawFrameRef<'_>) {
        self.any_frame |= !frame.data.is_empty();
        let telling = [
            "\"finish_reason\"",
            "refusal",
            "blockReason",
            "content_filter",
        ];
        if !telling.iter().any(|word| frame.data.contains(word)) {
            return;
        }
        let Some(value) = frame.json() else { return };
        let text = |path: &str| value.pointer(path).and_then(Value::as_str);
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

/// Makes sense of what comes back.
pub(super) struct ResponseReader<'a> {
    pub(super) chat_call: &'a ChatCall<'a>,
    pub(super) adapter: AdapterKind,
    pub(super) idle_timeout: Duration,
    pub(super) frames: Arc<Mutex<FrameLog>>,
}

impl ResponseReader<'_> {
    pub(super) fn on_end(&self, text: String, end: Option<StreamEnd>) -> Completion {
        let frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        let error_context = self.chat_call.error_context;
        let model = error_context.model_label.clone();
        let (stop, spent, closed) = match end {
            Some(end) => {
                let spent = end.captured_usage.and_then(token_usage);
                (end.captured_stop_reason, spent, true)
            }
            None => (None, None, false),
        };
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
            (_, None) => return Completion::Answer { text, usage: spent },
        };
        Completion::Failed {
            failure,
            retry_after: None,
            usage: spent,
        }
    }

    fn interruption_message(&self, frames: &FrameLog) -> String {
        if frames.any_frame {
            "the connection was closed in the middle".to_owned()
        } else {
            "nothing came that a language model sends; is the address right?".to_owned()
        }
    }

    pub(super) fn on_error(&self, error: genai::Error) -> Completion {
        let error_context = self.chat_call.error_context;
        let model = error_context.model_label.clone();
        let interrupted = |said: &str| {
            let model = model.clone();
            let said = error_context.redact_and_shorten(said);
            Completion::from(LlmFailure::StreamInterrupted {
                model,
                message: said,
            })
        };
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
                        interrupted("a part of it was empty")
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
                interrupted(&format!("a part of it is not JSON: {serde_error}"))
            }
            other => interrupted(&other.to_string()),
        }
    }

    /// What `genai` boxes: its own HTTP error, its timeout, or one of the HTTP client.
    fn on_transport_error(&self, error: genai::BoxError) -> Completion {
        let error_context = self.chat_call.error_context;
        let model = error_context.model_label.clone();
        let error = match error.downcast::<genai::Error>() {
            Ok(own) => return self.on_error(*own),
            Err(error) => error,
        };
        if error.is::<StreamTimeout>() {
            let said = format!("nothing came for {} s", self.idle_timeout.as_secs());
            return LlmFailure::StreamInterrupted {
                model,
                message: said,
            }
            .into();
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

    fn on_error_status(&self, status: u16, headers: &HeaderMap, body: &str) -> Completion {
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

/// An error with all its causes, in one line.
fn error_chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// How long a service asks to wait: `retry-after-ms`, `Retry-After` as seconds or date, or Gemini's `retryDelay`.
fn retry_after(headers: &HeaderMap, body: &str) -> Option<Duration> {
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
        estimated: false,
    })
}

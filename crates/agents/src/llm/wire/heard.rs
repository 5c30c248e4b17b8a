//! Makes an answer or a failure of what comes back over the wire.

use super::{Call, Said};
use crate::llm::ask::Spent;
use crate::llm::failure::{LlmFailure, is_about_the_shape};
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
pub(super) struct Seen {
    /// Whether anything came that is part of an answer.
    anything: bool,
    /// How an answer in the form of chat completions ended; some services close without the final mark.
    finish: Option<String>,
    /// A refusal in the model's words.
    refusal: String,
    /// A refusal as the service's reason.
    blocked: Option<String>,
}

impl Seen {
    pub(super) fn frame(&mut self, frame: RawFrameRef<'_>) {
        self.anything |= !frame.data.is_empty();
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
            self.finish = Some(reason.to_owned());
        }
        let said = match text("/type") {
            Some("response.refusal.delta") => text("/delta"),
            _ => text("/choices/0/delta/refusal"),
        };
        self.refusal.push_str(said.unwrap_or_default());
        let reasons = [
            "/promptFeedback/blockReason",
            "/response/incomplete_details/reason",
        ];
        if let Some(reason) = reasons.iter().find_map(|path| text(path)) {
            self.blocked = Some(reason.to_owned());
        }
    }

    fn refused(&self) -> Option<String> {
        let blocked = self
            .blocked
            .clone()
            .filter(|why| why != "max_output_tokens");
        let words = Some(&self.refusal).filter(|words| !words.is_empty());
        words.cloned().or(blocked)
    }
}

/// Makes sense of what comes back.
pub(super) struct Listener<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) kind: AdapterKind,
    pub(super) silence: Duration,
    pub(super) seen: Arc<Mutex<Seen>>,
}

impl Listener<'_> {
    pub(super) fn ended(&self, text: String, end: Option<StreamEnd>) -> Said {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let place = self.call.place;
        let model = place.model.clone();
        let (stop, spent, closed) = match end {
            Some(end) => {
                let spent = end.captured_usage.and_then(spent);
                (end.captured_stop_reason, spent, true)
            }
            None => (None, None, false),
        };
        let stop = stop.or_else(|| seen.finish.clone().map(StopReason::from));
        // Of these two, a stream that was cut looks like one that was closed, but for the reason.
        let says_why = matches!(self.kind, AdapterKind::Gemini | AdapterKind::OpenAIResp);
        let failure = match (&stop, seen.refused()) {
            (_, Some(why)) => LlmFailure::Refused {
                model,
                said: place.clean(&why),
            },
            (Some(StopReason::ContentFilter(why)), None) => LlmFailure::Refused {
                model,
                said: place.clean(why),
            },
            (Some(StopReason::MaxTokens(why)), None) if why == "model_context_window_exceeded" => {
                LlmFailure::TooLong {
                    model,
                    said: String::new(),
                }
            }
            (Some(StopReason::MaxTokens(_)), None) => LlmFailure::OverLimit {
                model,
                max_tokens: place.max_tokens,
            },
            (None, None) if says_why || !closed => LlmFailure::CutShort {
                model,
                said: self.cut(&seen),
            },
            (_, None) if text.trim().is_empty() => LlmFailure::Empty { model },
            (_, None) => return Said::Answer { text, spent },
        };
        Said::Failed {
            failure,
            wait: None,
            spent,
        }
    }

    fn cut(&self, seen: &Seen) -> String {
        if seen.anything {
            "the connection was closed in the middle".to_owned()
        } else {
            "nothing came that a language model sends; is the address right?".to_owned()
        }
    }

    pub(super) fn failed(&self, error: genai::Error) -> Said {
        let place = self.call.place;
        let model = place.model.clone();
        let cut = |said: &str| {
            let model = model.clone();
            let said = place.clean(said);
            Said::from(LlmFailure::CutShort { model, said })
        };
        match error {
            genai::Error::WebStream { error, .. } => self.broken(error),
            genai::Error::HttpError {
                status,
                body,
                headers,
                ..
            } => self.status(status.as_u16(), &headers, &body),
            genai::Error::ChatResponse { body, .. } => {
                let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                match seen.refused() {
                    Some(why) => LlmFailure::Refused {
                        model,
                        said: place.clean(&why),
                    }
                    .into(),
                    // `genai` makes this of an empty frame of Gemini's.
                    None if body.get("usageMetadata").is_some_and(Value::is_null) => {
                        cut("a part of it was empty")
                    }
                    None => place.by_words(&body.to_string()).into(),
                }
            }
            // `genai` wraps OpenAI's `response.failed` in this.
            genai::Error::StreamParse { serde_error, .. }
                if self.kind == AdapterKind::OpenAIResp =>
            {
                place.by_words(&serde_error.to_string()).into()
            }
            genai::Error::StreamParse { serde_error, .. } => {
                cut(&format!("a part of it is not JSON: {serde_error}"))
            }
            other => cut(&other.to_string()),
        }
    }

    /// What `genai` boxes: its own HTTP error, its timeout, or one of the HTTP client.
    fn broken(&self, error: genai::BoxError) -> Said {
        let place = self.call.place;
        let model = place.model.clone();
        let error = match error.downcast::<genai::Error>() {
            Ok(own) => return self.failed(*own),
            Err(error) => error,
        };
        if error.is::<StreamTimeout>() {
            let said = format!("nothing came for {} s", self.silence.as_secs());
            return LlmFailure::CutShort { model, said }.into();
        }
        match error.downcast::<reqwest::Error>() {
            Ok(error) => {
                let error = error.without_url();
                let said = place.clean(&chain(&error));
                if error.is_builder() {
                    LlmFailure::BadAddress {
                        model,
                        reason: said,
                    }
                } else if error.is_connect() || error.is_timeout() {
                    LlmFailure::Unreachable { model, said }
                } else {
                    LlmFailure::CutShort { model, said }
                }
            }
            Err(error) => LlmFailure::CutShort {
                model,
                said: place.clean(&error.to_string()),
            },
        }
        .into()
    }

    fn status(&self, status: u16, headers: &HeaderMap, body: &str) -> Said {
        let wait = wait_of(headers, body);
        if self.call.held_to().is_some() && is_about_the_shape(status, body) {
            return Said::ShapeRefused;
        }
        let failure = self.call.place.by_status(status, wait, body);
        Said::Failed {
            failure,
            wait,
            spent: None,
        }
    }
}

/// An error with all its causes, in one line.
fn chain(error: &dyn StdError) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}

/// How long a service asks to wait: `retry-after-ms`, `Retry-After` as seconds or date, or Gemini's `retryDelay`.
fn wait_of(headers: &HeaderMap, body: &str) -> Option<Duration> {
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
fn spent(usage: Usage) -> Option<Spent> {
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
    Some(Spent {
        input_tokens: input.unwrap_or_default(),
        cached_input_tokens: number(details.cached_tokens).unwrap_or_default(),
        stored_input_tokens: number(details.cache_creation_tokens).unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
        guessed: false,
    })
}

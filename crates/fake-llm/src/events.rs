//! What a streamed answer of each form consists of: server-sent events, lines of JSON, or frames of Amazon's.

use crate::event_stream::{exception_frame, frame};
use crate::reply::{FinishReason, Reply, ReplyKind, ReplyUsage};
use crate::request::{ApiFormat, ReceivedRequest};
use bytes::Bytes;
use serde_json::{Value, json};

/// How much of an answer goes into one event, in characters.
const CHARS_PER_EVENT: usize = 16;

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnding {
    /// As it should.
    Complete,
    /// The connection breaks.
    Disconnect,
    /// Nothing comes any more.
    Hang,
}

/// The events of a reply, and how the stream ends after them. A status has none.
///
/// `usage` is what the service says of what was spent.
pub(crate) fn events(
    request: &ReceivedRequest,
    reply: &Reply,
    usage: Option<ReplyUsage>,
) -> (Vec<Bytes>, StreamEnding) {
    let encoder = EventEncoder {
        request,
        usage,
        thinking: reply.thinking.as_deref(),
    };
    let mut events = encoder.start_events();
    let end = match &reply.kind {
        ReplyKind::Answer { text, stop } => {
            events.extend(encoder.text_events(text));
            events.extend(encoder.finish_events(AnswerEnding::Stop(*stop)));
            StreamEnding::Complete
        }
        ReplyKind::Refusal { reason: words } => {
            events.extend(encoder.finish_events(AnswerEnding::Refusal(words)));
            StreamEnding::Complete
        }
        ReplyKind::FailMidway { text, error } => {
            events.extend(encoder.text_events(text));
            events.push(encoder.error_event(error));
            StreamEnding::Complete
        }
        ReplyKind::Disconnect { text } => {
            events.extend(encoder.text_events(text));
            StreamEnding::Disconnect
        }
        ReplyKind::Hang { text } => {
            events.extend(encoder.text_events(text));
            StreamEnding::Hang
        }
        ReplyKind::Status { .. } => return (Vec::new(), StreamEnding::Complete),
    };
    (events, end)
}

enum AnswerEnding<'a> {
    Stop(FinishReason),
    Refusal(&'a str),
}

struct EventEncoder<'a> {
    request: &'a ReceivedRequest,
    usage: Option<ReplyUsage>,
    thinking: Option<&'a str>,
}

fn data_event(value: &Value) -> Bytes {
    format!("data: {value}\n\n").into()
}

/// An event that is named by its own type.
fn named_event(value: &Value) -> Bytes {
    let name = value["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {value}\n\n").into()
}

fn json_line(value: &Value) -> Bytes {
    format!("{value}\n").into()
}

impl EventEncoder<'_> {
    fn start_events(&self) -> Vec<Bytes> {
        match self.request.api {
            ApiFormat::Chat | ApiFormat::Gemini => Vec::new(),
            ApiFormat::Converse => vec![frame("messageStart", &json!({"role": "assistant"}))],
            ApiFormat::Ollama => {
                let thought = self.thinking.unwrap_or_default();
                if thought.is_empty() {
                    return Vec::new();
                }
                vec![json_line(&self.ollama_line(
                    json!({"role": "assistant", "content": "", "thinking": thought}),
                ))]
            }
            ApiFormat::Responses => {
                let response = self.response_object("in_progress");
                vec![named_event(
                    &json!({"type": "response.created", "response": response}),
                )]
            }
            ApiFormat::Messages | ApiFormat::RawPredict => {
                let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": self.request.model,
                    "content": [], "stop_reason": null, "usage": self.message_usage(1)});
                let block = json!({"type": "text", "text": ""});
                vec![
                    named_event(&json!({"type": "message_start", "message": message})),
                    named_event(
                        &json!({"type": "content_block_start", "index": 0, "content_block": block}),
                    ),
                    named_event(&json!({"type": "ping"})),
                ]
            }
        }
    }

    fn text_events(&self, text: &str) -> Vec<Bytes> {
        let characters: Vec<char> = text.chars().collect();
        let pieces = characters.chunks(CHARS_PER_EVENT).map(String::from_iter);
        pieces.map(|piece| self.text_event(&piece)).collect()
    }

    fn text_event(&self, text: &str) -> Bytes {
        match self.request.api {
            ApiFormat::Chat => data_event(&self.chat_chunk(json!({"content": text}), None)),
            ApiFormat::Responses => named_event(
                &json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text}),
            ),
            ApiFormat::Converse => frame(
                "contentBlockDelta",
                &json!({"contentBlockIndex": 0, "delta": {"text": text}}),
            ),
            ApiFormat::Ollama => {
                json_line(&self.ollama_line(json!({"role": "assistant", "content": text})))
            }
            ApiFormat::Messages | ApiFormat::RawPredict => {
                named_event(&json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": text}}))
            }
            ApiFormat::Gemini => data_event(
                &json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}),
            ),
        }
    }

    fn finish_events(&self, ending: AnswerEnding<'_>) -> Vec<Bytes> {
        match self.request.api {
            ApiFormat::Chat => self.finish_chat(&ending),
            ApiFormat::Responses => self.finish_responses(&ending),
            ApiFormat::Messages | ApiFormat::RawPredict => self.finish_messages(&ending),
            ApiFormat::Converse => self.finish_converse(&ending),
            ApiFormat::Ollama => self.finish_ollama(&ending),
            ApiFormat::Gemini => self.finish_gemini(&ending),
        }
    }

    fn error_event(&self, error: &Value) -> Bytes {
        match self.request.api {
            ApiFormat::Chat | ApiFormat::Gemini => data_event(&json!({"error": error})),
            ApiFormat::Messages | ApiFormat::RawPredict => {
                named_event(&json!({"type": "error", "error": error}))
            }
            ApiFormat::Converse => exception_frame("throttlingException", error),
            ApiFormat::Ollama => json_line(&json!({"error": error["message"]})),
            ApiFormat::Responses => {
                let mut response = self.response_object("failed");
                response["error"] = error.clone();
                named_event(&json!({"type": "response.failed", "response": response}))
            }
        }
    }

    fn chat_chunk(&self, delta: Value, finish: Option<&str>) -> Value {
        json!({"id": "chat_1", "object": "chat.completion.chunk", "model": self.request.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    }

    fn finish_chat(&self, ending: &AnswerEnding<'_>) -> Vec<Bytes> {
        let (delta, finish) = match ending {
            AnswerEnding::Stop(FinishReason::Done) => (json!({}), "stop"),
            AnswerEnding::Stop(FinishReason::MaxTokens) => (json!({}), "length"),
            AnswerEnding::Refusal(words) => (json!({"refusal": words}), "stop"),
        };
        let mut events = vec![data_event(&self.chat_chunk(delta, Some(finish)))];
        let wanted = self.request.body["stream_options"]["include_usage"] == true;
        if let Some(usage) = self.usage.filter(|_| wanted) {
            let mut spent = json!({"prompt_tokens": usage.input, "completion_tokens": usage.output,
                "total_tokens": usage.input + usage.output, "prompt_tokens_details": {"cached_tokens": usage.cached}});
            if let Some(dollars) = usage.cost_usd {
                spent["cost"] = json!(dollars);
            }
            events.push(data_event(&json!({"id": "chat_1", "object": "chat.completion.chunk", "choices": [], "usage": spent})));
        }
        events.push(Bytes::from_static(b"data: [DONE]\n\n"));
        events
    }

    fn response_object(&self, status: &str) -> Value {
        json!({"id": "resp_1", "object": "response", "model": self.request.model, "status": status, "output": []})
    }

    fn finish_responses(&self, ending: &AnswerEnding<'_>) -> Vec<Bytes> {
        let mut events = Vec::new();
        let status = match ending {
            AnswerEnding::Stop(FinishReason::Done) => "completed",
            AnswerEnding::Stop(FinishReason::MaxTokens) => "incomplete",
            AnswerEnding::Refusal(words) => {
                events.push(named_event(&json!({"type": "response.refusal.delta", "output_index": 0, "content_index": 0, "delta": words})));
                "completed"
            }
        };
        let mut response = self.response_object(status);
        if status == "incomplete" {
            response["incomplete_details"] = json!({"reason": "max_output_tokens"});
        }
        if let Some(usage) = self.usage {
            response["usage"] = json!({"input_tokens": usage.input, "output_tokens": usage.output,
                "total_tokens": usage.input + usage.output, "input_tokens_details": {"cached_tokens": usage.cached}});
        }
        events.push(named_event(
            &json!({"type": format!("response.{status}"), "response": response}),
        ));
        events
    }

    fn message_usage(&self, output: u64) -> Value {
        match self.usage {
            None => json!({}),
            Some(usage) => {
                json!({"input_tokens": usage.input - usage.cached, "cache_read_input_tokens": usage.cached,
                "cache_creation_input_tokens": 0, "output_tokens": output})
            }
        }
    }

    fn finish_messages(&self, ending: &AnswerEnding<'_>) -> Vec<Bytes> {
        let stop = match ending {
            AnswerEnding::Stop(FinishReason::Done) => "end_turn",
            AnswerEnding::Stop(FinishReason::MaxTokens) => "max_tokens",
            AnswerEnding::Refusal(_) => "refusal",
        };
        let usage = match self.usage {
            None => json!({}),
            Some(usage) => json!({"output_tokens": usage.output}),
        };
        vec![
            named_event(&json!({"type": "content_block_stop", "index": 0})),
            named_event(
                &json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage}),
            ),
            named_event(&json!({"type": "message_stop"})),
        ]
    }

    fn finish_converse(&self, ending: &AnswerEnding<'_>) -> Vec<Bytes> {
        let stop = match ending {
            AnswerEnding::Stop(FinishReason::Done) => "end_turn",
            AnswerEnding::Stop(FinishReason::MaxTokens) => "max_tokens",
            AnswerEnding::Refusal(_) => "content_filtered",
        };
        let mut events = vec![
            frame("contentBlockStop", &json!({"contentBlockIndex": 0})),
            frame("messageStop", &json!({"stopReason": stop})),
        ];
        if let Some(usage) = self.usage {
            events.push(frame("metadata", &json!({"metrics": {"latencyMs": 1}, "usage": {
                "inputTokens": usage.input, "outputTokens": usage.output, "totalTokens": usage.input + usage.output,
                "cacheReadInputTokens": usage.cached, "cacheWriteInputTokens": 0}})));
        }
        events
    }

    fn ollama_line(&self, message: Value) -> Value {
        json!({"model": self.request.model, "created_at": "2026-11-24T00:00:00Z", "message": message, "done": false})
    }

    fn finish_ollama(&self, ending: &AnswerEnding<'_>) -> Vec<Bytes> {
        let mut events = Vec::new();
        let stop = match ending {
            AnswerEnding::Stop(FinishReason::Done) => "stop",
            AnswerEnding::Stop(FinishReason::MaxTokens) => "length",
            // It knows no refusal: the model says it.
            AnswerEnding::Refusal(words) => {
                events.extend(self.text_events(words));
                "stop"
            }
        };
        let mut last = self.ollama_line(json!({"role": "assistant", "content": ""}));
        last["done"] = true.into();
        last["done_reason"] = stop.into();
        last["total_duration"] = 4_883_583_458_u64.into();
        if let Some(usage) = self.usage {
            last["prompt_eval_count"] = usage.input.into();
            last["eval_count"] = usage.output.into();
            if usage.cached > 0 {
                last["prompt_eval_cached_count"] = usage.cached.into();
            }
        }
        events.push(json_line(&last));
        events
    }

    fn finish_gemini(&self, ending: &AnswerEnding<'_>) -> Vec<Bytes> {
        let mut last = match ending {
            AnswerEnding::Stop(stop) => {
                let reason = match stop {
                    FinishReason::Done => "STOP",
                    FinishReason::MaxTokens => "MAX_TOKENS",
                };
                json!({"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason}]})
            }
            AnswerEnding::Refusal(words) => json!({"promptFeedback": {"blockReason": words}}),
        };
        if let Some(usage) = self.usage {
            last["usageMetadata"] = json!({"promptTokenCount": usage.input, "candidatesTokenCount": usage.output,
                "cachedContentTokenCount": usage.cached, "totalTokenCount": usage.input + usage.output});
        }
        vec![data_event(&last)]
    }
}

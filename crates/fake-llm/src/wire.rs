//! Server-sent events of each form.

use crate::asked::{Asked, Format};
use crate::reply::{Kind, Reply, Stop, Usage};
use serde_json::{Value, json};

/// How much of an answer goes into one event, in characters.
const PIECE: usize = 16;

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As it should.
    Whole,
    /// The connection breaks.
    Broken,
    /// Nothing comes any more.
    Silence,
}

/// The events of a reply, and how the stream ends after them. A status has none.
pub(crate) fn events(asked: &Asked, reply: &Reply) -> (Vec<String>, End) {
    let form = Form {
        asked,
        usage: reply.usage,
    };
    let mut events = form.start();
    let end = match &reply.kind {
        Kind::Answer { text, stop } => {
            events.extend(form.pieces(text));
            events.extend(form.finish(Ending::Stop(*stop)));
            End::Whole
        }
        Kind::Refused { words } => {
            events.extend(form.finish(Ending::Refusal(words)));
            End::Whole
        }
        Kind::Failing { text, error } => {
            events.extend(form.pieces(text));
            events.push(form.error(error));
            End::Whole
        }
        Kind::Cut { text } => {
            events.extend(form.pieces(text));
            End::Broken
        }
        Kind::Hanging { text } => {
            events.extend(form.pieces(text));
            End::Silence
        }
        Kind::Status { .. } => return (Vec::new(), End::Whole),
    };
    (events, end)
}

enum Ending<'a> {
    Stop(Stop),
    Refusal(&'a str),
}

struct Form<'a> {
    asked: &'a Asked,
    usage: Option<Usage>,
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// An event that is named by its own type.
fn named(value: &Value) -> String {
    let name = value["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {value}\n\n")
}

impl Form<'_> {
    fn start(&self) -> Vec<String> {
        match self.asked.format {
            Format::Chat | Format::Gemini => Vec::new(),
            Format::Responses => {
                let response = self.response("in_progress");
                vec![named(
                    &json!({"type": "response.created", "response": response}),
                )]
            }
            Format::Messages => {
                let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": self.asked.model,
                    "content": [], "stop_reason": null, "usage": self.message_usage(1)});
                let block = json!({"type": "text", "text": ""});
                vec![
                    named(&json!({"type": "message_start", "message": message})),
                    named(
                        &json!({"type": "content_block_start", "index": 0, "content_block": block}),
                    ),
                    named(&json!({"type": "ping"})),
                ]
            }
        }
    }

    fn pieces(&self, text: &str) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let pieces = characters.chunks(PIECE).map(String::from_iter);
        pieces.map(|piece| self.piece(&piece)).collect()
    }

    fn piece(&self, text: &str) -> String {
        match self.asked.format {
            Format::Chat => data(&self.chunk(json!({"content": text}), None)),
            Format::Responses => named(
                &json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text}),
            ),
            Format::Messages => named(&json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": text}})),
            Format::Gemini => data(
                &json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}),
            ),
        }
    }

    fn finish(&self, ending: Ending<'_>) -> Vec<String> {
        match self.asked.format {
            Format::Chat => self.finish_chat(&ending),
            Format::Responses => self.finish_responses(&ending),
            Format::Messages => self.finish_messages(&ending),
            Format::Gemini => self.finish_gemini(&ending),
        }
    }

    fn error(&self, error: &Value) -> String {
        match self.asked.format {
            Format::Chat | Format::Gemini => data(&json!({"error": error})),
            Format::Messages => named(&json!({"type": "error", "error": error})),
            Format::Responses => {
                let mut response = self.response("failed");
                response["error"] = error.clone();
                named(&json!({"type": "response.failed", "response": response}))
            }
        }
    }

    fn chunk(&self, delta: Value, finish: Option<&str>) -> Value {
        json!({"id": "chat_1", "object": "chat.completion.chunk", "model": self.asked.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    }

    fn finish_chat(&self, ending: &Ending<'_>) -> Vec<String> {
        let (delta, finish) = match ending {
            Ending::Stop(Stop::Done) => (json!({}), "stop"),
            Ending::Stop(Stop::TooLong) => (json!({}), "length"),
            Ending::Refusal(words) => (json!({"refusal": words}), "stop"),
        };
        let mut events = vec![data(&self.chunk(delta, Some(finish)))];
        let wanted = self.asked.body["stream_options"]["include_usage"] == true;
        if let Some(usage) = self.usage.filter(|_| wanted) {
            events.push(data(&json!({"id": "chat_1", "object": "chat.completion.chunk", "choices": [], "usage": {
                "prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.input + usage.output,
                "prompt_tokens_details": {"cached_tokens": usage.cached}}})));
        }
        events.push("data: [DONE]\n\n".to_owned());
        events
    }

    fn response(&self, status: &str) -> Value {
        json!({"id": "resp_1", "object": "response", "model": self.asked.model, "status": status, "output": []})
    }

    fn finish_responses(&self, ending: &Ending<'_>) -> Vec<String> {
        let mut events = Vec::new();
        let status = match ending {
            Ending::Stop(Stop::Done) => "completed",
            Ending::Stop(Stop::TooLong) => "incomplete",
            Ending::Refusal(words) => {
                events.push(named(&json!({"type": "response.refusal.delta", "output_index": 0, "content_index": 0, "delta": words})));
                "completed"
            }
        };
        let mut response = self.response(status);
        if status == "incomplete" {
            response["incomplete_details"] = json!({"reason": "max_output_tokens"});
        }
        if let Some(usage) = self.usage {
            response["usage"] = json!({"input_tokens": usage.input, "output_tokens": usage.output,
                "total_tokens": usage.input + usage.output, "input_tokens_details": {"cached_tokens": usage.cached}});
        }
        events.push(named(
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

    fn finish_messages(&self, ending: &Ending<'_>) -> Vec<String> {
        let stop = match ending {
            Ending::Stop(Stop::Done) => "end_turn",
            Ending::Stop(Stop::TooLong) => "max_tokens",
            Ending::Refusal(_) => "refusal",
        };
        let usage = match self.usage {
            None => json!({}),
            Some(usage) => json!({"output_tokens": usage.output}),
        };
        vec![
            named(&json!({"type": "content_block_stop", "index": 0})),
            named(
                &json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage}),
            ),
            named(&json!({"type": "message_stop"})),
        ]
    }

    fn finish_gemini(&self, ending: &Ending<'_>) -> Vec<String> {
        let mut last = match ending {
            Ending::Stop(stop) => {
                let reason = match stop {
                    Stop::Done => "STOP",
                    Stop::TooLong => "MAX_TOKENS",
                };
                json!({"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason}]})
            }
            Ending::Refusal(words) => json!({"promptFeedback": {"blockReason": words}}),
        };
        if let Some(usage) = self.usage {
            last["usageMetadata"] = json!({"promptTokenCount": usage.input, "candidatesTokenCount": usage.output,
                "cachedContentTokenCount": usage.cached, "totalTokenCount": usage.input + usage.output});
        }
        vec![data(&last)]
    }
}

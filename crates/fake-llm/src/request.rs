//! What was asked, read out of each form.

use axum::http::Uri;
use serde_json::Value;

/// The form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiFormat {
    /// `POST …/chat/completions`: OpenAI, Ollama and whatever is compatible.
    Chat,
    /// `POST …/responses`: OpenAI.
    Responses,
    /// `POST …/messages`: Anthropic.
    Messages,
    /// `POST …/models/NAME:streamGenerateContent`: Gemini, also at Vertex AI.
    Gemini,
    /// `POST …/models/NAME:streamRawPredict`: Anthropic's Messages at Vertex AI.
    RawPredict,
    /// `POST /model/NAME/converse-stream`: Bedrock.
    Converse,
    /// `POST /api/chat`: Ollama's own.
    Ollama,
}

impl ApiFormat {
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            _ if path.ends_with("/chat/completions") => Some(Self::Chat),
            _ if path.ends_with("/responses") => Some(Self::Responses),
            _ if path.ends_with("/messages") => Some(Self::Messages),
            _ if path.ends_with(":streamGenerateContent") => Some(Self::Gemini),
            _ if path.ends_with(":streamRawPredict") => Some(Self::RawPredict),
            _ if path.ends_with("/converse-stream") => Some(Self::Converse),
            _ if path.ends_with("/api/chat") => Some(Self::Ollama),
            _ => None,
        }
    }

    /// Whether the path says that the answer is streamed; else the body does.
    pub(crate) fn streams_by_path(self) -> bool {
        matches!(self, Self::Gemini | Self::Converse)
    }
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageRole {
    /// The instructions.
    System,
    /// Whoever asks.
    User,
    /// The model, earlier.
    Model,
}

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// Its number, from 1.
    pub number: usize,
    /// Its form.
    pub api: ApiFormat,
    /// The path, without the query.
    pub path: String,
    /// What follows the path; empty without it.
    pub query: String,
    /// The model that was asked for.
    pub model: String,
    /// Everything that was said, in order; blocks of a system prompt are told apart.
    pub messages: Vec<(MessageRole, String)>,
    /// The JSON schema that the answer is to be held to.
    pub schema: Option<Value>,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// All of it.
    pub body: Value,
}

impl ReceivedRequest {
    pub(crate) fn parse(
        number: usize,
        api: ApiFormat,
        uri: &Uri,
        headers: Vec<(String, String)>,
        body: Value,
    ) -> Self {
        let path = uri.path();
        Self {
            number,
            api,
            path: path.to_owned(),
            query: uri.query().unwrap_or_default().to_owned(),
            model: model(api, path, &body),
            messages: messages(api, &body),
            schema: schema(api, &body),
            headers,
            body,
        }
    }

    /// Everything that was said, with line breaks between.
    pub fn prompt(&self) -> String {
        let texts: Vec<_> = self
            .messages
            .iter()
            .map(|(_, text)| text.as_str())
            .collect();
        texts.join("\n")
    }

    /// What one speaker said, block by block.
    pub fn texts_of(&self, role: MessageRole) -> Vec<&str> {
        let mut texts = Vec::new();
        for (speaker, text) in &self.messages {
            if *speaker == role {
                texts.push(text.as_str());
            }
        }
        texts
    }

    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The key, in whatever header the form has it.
    pub fn key(&self) -> Option<&str> {
        match self.api {
            ApiFormat::Chat
            | ApiFormat::Responses
            | ApiFormat::RawPredict
            | ApiFormat::Converse
            | ApiFormat::Ollama => self.header("api-key").or_else(|| self.bearer()),
            ApiFormat::Messages => self.header("x-api-key"),
            ApiFormat::Gemini => self.header("x-goog-api-key").or_else(|| self.bearer()),
        }
    }

    fn bearer(&self) -> Option<&str> {
        self.header("authorization")?.strip_prefix("Bearer ")
    }
}

fn model(format: ApiFormat, path: &str, body: &Value) -> String {
    match format {
        ApiFormat::Chat | ApiFormat::Responses | ApiFormat::Messages | ApiFormat::Ollama => {
            body["model"].as_str().unwrap_or_default().to_owned()
        }
        ApiFormat::Converse => {
            let name = path.split('/').rev().nth(1).unwrap_or_default();
            name.replace("%3A", ":")
        }
        ApiFormat::Gemini | ApiFormat::RawPredict => {
            let name = path.rsplit('/').next().unwrap_or_default();
            let name = name.split(':').next().unwrap_or_default();
            name.to_owned()
        }
    }
}

fn schema(format: ApiFormat, body: &Value) -> Option<Value> {
    let path = match format {
        ApiFormat::Chat => "/response_format/json_schema/schema",
        ApiFormat::Responses => "/text/format/schema",
        ApiFormat::Messages | ApiFormat::RawPredict => "/output_config/format/schema",
        ApiFormat::Ollama => "/format",
        ApiFormat::Converse => return None,
        ApiFormat::Gemini => "/generationConfig/responseJsonSchema",
    };
    body.pointer(path).cloned()
}

fn messages(format: ApiFormat, body: &Value) -> Vec<(MessageRole, String)> {
    let (system, messages_json) = match format {
        ApiFormat::Chat | ApiFormat::Ollama => (&Value::Null, &body["messages"]),
        ApiFormat::Responses => (&body["instructions"], &body["input"]),
        ApiFormat::Messages | ApiFormat::RawPredict | ApiFormat::Converse => {
            (&body["system"], &body["messages"])
        }
        ApiFormat::Gemini => (&body["systemInstruction"]["parts"], &body["contents"]),
    };
    let mut messages: Vec<_> = texts(system)
        .into_iter()
        .map(|text| (MessageRole::System, text))
        .collect();
    for message in messages_json.as_array().into_iter().flatten() {
        let role = match message["role"].as_str() {
            Some("system" | "developer") => MessageRole::System,
            Some("assistant" | "model") => MessageRole::Model,
            _ => MessageRole::User,
        };
        let parts = match format {
            ApiFormat::Gemini => &message["parts"],
            ApiFormat::Chat
            | ApiFormat::Responses
            | ApiFormat::Messages
            | ApiFormat::RawPredict
            | ApiFormat::Converse
            | ApiFormat::Ollama => &message["content"],
        };
        messages.extend(texts(parts).into_iter().map(|text| (role, text)));
    }
    messages
}

/// A text, or the texts of a list of parts.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

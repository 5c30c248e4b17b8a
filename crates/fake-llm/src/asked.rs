//! What was asked, read out of each form.

use serde_json::Value;

/// The form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `POST …/chat/completions`: OpenAI, Ollama and whatever is compatible.
    Chat,
    /// `POST …/responses`: OpenAI.
    Responses,
    /// `POST …/messages`: Anthropic.
    Messages,
    /// `POST …/models/NAME:streamGenerateContent`: Gemini.
    Gemini,
}

impl Format {
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            _ if path.ends_with("/chat/completions") => Some(Self::Chat),
            _ if path.ends_with("/responses") => Some(Self::Responses),
            _ if path.ends_with("/messages") => Some(Self::Messages),
            _ if path.ends_with(":streamGenerateContent") => Some(Self::Gemini),
            _ => None,
        }
    }
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The instructions.
    System,
    /// Whoever asks.
    User,
    /// The model, earlier.
    Model,
}

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its number, from 1.
    pub number: usize,
    /// Its form.
    pub format: Format,
    /// The path, without the query.
    pub path: String,
    /// The model that was asked for.
    pub model: String,
    /// Everything that was said, in order; blocks of a system prompt are told apart.
    pub said: Vec<(Speaker, String)>,
    /// The JSON schema that the answer is to be held to.
    pub schema: Option<Value>,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// All of it.
    pub body: Value,
}

impl Asked {
    pub(crate) fn read(
        number: usize,
        format: Format,
        path: &str,
        headers: Vec<(String, String)>,
        body: Value,
    ) -> Self {
        Self {
            number,
            format,
            path: path.to_owned(),
            model: model(format, path, &body),
            said: said(format, &body),
            schema: schema(format, &body),
            headers,
            body,
        }
    }

    /// Everything that was said, with line breaks between.
    pub fn prompt(&self) -> String {
        let texts: Vec<_> = self.said.iter().map(|(_, text)| text.as_str()).collect();
        texts.join("\n")
    }

    /// What one speaker said, block by block.
    pub fn by(&self, speaker: Speaker) -> Vec<&str> {
        let mut texts = Vec::new();
        for (who, text) in &self.said {
            if *who == speaker {
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
        match self.format {
            Format::Chat | Format::Responses => {
                self.header("authorization")?.strip_prefix("Bearer ")
            }
            Format::Messages => self.header("x-api-key"),
            Format::Gemini => self.header("x-goog-api-key"),
        }
    }
}

fn model(format: Format, path: &str, body: &Value) -> String {
    match format {
        Format::Chat | Format::Responses | Format::Messages => {
            body["model"].as_str().unwrap_or_default().to_owned()
        }
        Format::Gemini => {
            let name = path.rsplit('/').next().unwrap_or_default();
            let name = name.split(':').next().unwrap_or_default();
            name.to_owned()
        }
    }
}

fn schema(format: Format, body: &Value) -> Option<Value> {
    let path = match format {
        Format::Chat => "/response_format/json_schema/schema",
        Format::Responses => "/text/format/schema",
        Format::Messages => "/output_config/format/schema",
        Format::Gemini => "/generationConfig/responseJsonSchema",
    };
    body.pointer(path).cloned()
}

fn said(format: Format, body: &Value) -> Vec<(Speaker, String)> {
    let (system, turns) = match format {
        Format::Chat => (&Value::Null, &body["messages"]),
        Format::Responses => (&body["instructions"], &body["input"]),
        Format::Messages => (&body["system"], &body["messages"]),
        Format::Gemini => (&body["systemInstruction"]["parts"], &body["contents"]),
    };
    let mut said: Vec<_> = texts(system)
        .into_iter()
        .map(|text| (Speaker::System, text))
        .collect();
    for turn in turns.as_array().into_iter().flatten() {
        let speaker = match turn["role"].as_str() {
            Some("system" | "developer") => Speaker::System,
            Some("assistant" | "model") => Speaker::Model,
            _ => Speaker::User,
        };
        let parts = match format {
            Format::Gemini => &turn["parts"],
            Format::Chat | Format::Responses | Format::Messages => &turn["content"],
        };
        said.extend(texts(parts).into_iter().map(|text| (speaker, text)));
    }
    said
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

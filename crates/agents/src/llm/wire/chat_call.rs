//! One request to a model, and what comes of it.

use crate::llm::failure::{ErrorContext, LlmFailure};
use crate::llm::model::Model;
use crate::llm::provider::Provider;
use crate::llm::response_schema::ResponseSchema;
use crate::llm::usage::TokenUsage;
use std::time::Duration;

/// One part of a conversation.
#[derive(Clone, Debug)]
pub(in crate::llm) enum Message {
    /// What the model is to be and do.
    System {
        /// The words.
        text: String,
        /// Whether a prefix that is worth keeping ends here.
        cache_prefix: bool,
    },
    /// What a question begins with that others of its session begin with too: a prefix that is worth keeping ends after it.
    SharedUser(String),
    /// What is asked.
    User(String),
    /// What the model said before.
    Assistant(String),
}

impl Message {
    pub(in crate::llm) fn text(&self) -> &str {
        match self {
            Self::System { text, .. }
            | Self::SharedUser(text)
            | Self::User(text)
            | Self::Assistant(text) => text,
        }
    }
}

/// One request.
pub(in crate::llm) struct ChatCall<'a> {
    pub(in crate::llm) model: &'a Model,
    pub(in crate::llm) error_context: &'a ErrorContext,
    pub(in crate::llm) messages: &'a [Message],
    pub(in crate::llm) response_schema: Option<&'a ResponseSchema>,
    pub(in crate::llm) adjustments: Adjustments,
}

/// What was learnt of the service, by this question attempt by attempt and by those before.
#[derive(Clone, Copy, Debug)]
pub(in crate::llm) struct Adjustments {
    /// The service has not said yet that it does not take shapes.
    pub(in crate::llm) schema_is_supported: bool,
    /// The longest answer that is allowed now, thinking included.
    pub(in crate::llm) max_tokens: Option<u32>,
    /// The service wants the limit as `max_completion_tokens`.
    pub(in crate::llm) max_completion_tokens: bool,
}

impl Adjustments {
    /// None yet.
    pub(in crate::llm) fn of(model: &Model) -> Self {
        Self {
            schema_is_supported: form_has_schema(model),
            max_tokens: model.max_tokens,
            max_completion_tokens: false,
        }
    }
}

/// Whether the form in which the model is asked has a place for a shape. `genai`'s for Bedrock and for Claude at Vertex AI
/// have none.
fn form_has_schema(model: &Model) -> bool {
    match model.provider {
        Provider::Bedrock => false,
        Provider::Vertex => !model.name.starts_with("claude"),
        _ => true,
    }
}

impl ChatCall<'_> {
    /// The shape for the provider to hold the model to.
    pub(super) fn enforced_schema(&self) -> Option<&ResponseSchema> {
        self.response_schema
            .filter(|_| self.adjustments.schema_is_supported)
    }

    /// The shape as words: where the service holds nobody to it.
    pub(super) fn prompted_schema(&self) -> Option<&ResponseSchema> {
        self.response_schema
            .filter(|_| !self.adjustments.schema_is_supported)
    }
}

/// An answer that came to its end.
pub(in crate::llm) struct Answer {
    pub(in crate::llm) text: String,
    pub(in crate::llm) usage: Option<TokenUsage>,
    /// The model as the service names it; an alias is resolved, and a router says whom it asked.
    pub(in crate::llm) answered_by: Option<String>,
}

/// What came of a request. `usage` is what the service said of it.
pub(in crate::llm) enum Completion {
    Answer(Answer),
    Failed {
        failure: LlmFailure,
        retry_after: Option<Duration>,
        usage: Option<TokenUsage>,
    },
    /// The service cannot hold a model to a shape, or not to this one.
    SchemaRejected,
    /// The service wants the limit of the answer as `max_completion_tokens`.
    MaxTokensRenamed,
}

impl From<LlmFailure> for Completion {
    fn from(failure: LlmFailure) -> Self {
        Self::Failed {
            failure,
            retry_after: None,
            usage: None,
        }
    }
}

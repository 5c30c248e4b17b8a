//! What can go wrong between a question and its answer, and what to do about it. No text here ever holds the key.

use super::model::{Model, ModelTarget};
use super::usage::LlmUsage;
use collie_core::budget::BudgetExceeded;
use collie_core::error_code::ErrorCode;
use collie_core::text::{REDACTED, redact};
use collie_core::user_error::{TextArg, UserError};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use std::time::Duration;

/// The longest piece of a service's own words that is kept, in characters.
const MAX_MESSAGE_CHARS: usize = 300;

/// A question that got no answer of use, and what it cost all the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{failure}")]
pub struct FailedCompletion {
    /// What went wrong at last.
    pub failure: LlmFailure,
    /// What all attempts spent.
    pub usage: LlmUsage,
}

/// Why a model did not answer. `model` is provider, name and host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LlmFailure {
    /// Nothing was asked: the provider wants a key and there is none.
    #[error("there is no key for {model}: set {variables}, or enter one in Settings")]
    NoKey {
        /// Which model.
        model: String,
        /// The environment variables that are looked at.
        variables: String,
    },
    /// Nothing was asked: the address is none.
    #[error(
        "{model} has no address that can be asked ({reason}): give an http or https URL, such as http://localhost:8000/v1"
    )]
    BadAddress {
        /// Which model.
        model: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing was asked: the provider has no list of what can be asked there.
    #[error("{model} has no list of its models: its own console names them")]
    NotListed {
        /// Which service.
        model: String,
    },
    /// Nothing was asked: the shape that the answer should have is no JSON schema.
    #[error("the schema `{name}` cannot be used: {reason}")]
    BadSchema {
        /// The shape's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// 401, 403, or the provider's own way to say so.
    #[error("{model} does not accept the key{}: check it, or make a new one", brackets(.message))]
    Unauthorized {
        /// Which model.
        model: String,
        /// The service's words; empty for a 401, whose words may quote the key.
        message: String,
    },
    /// A login gave no key: whoever gives keys does not accept it.
    #[error("{service} gave no token for {model} on the login of {origin}{}: sign in again, or take another login", brackets(.message))]
    LoginRefused {
        /// Which model.
        model: String,
        /// Where the login was found.
        origin: String,
        /// Who was asked for a key.
        service: String,
        /// Its words.
        message: String,
    },
    /// A login gave no key: nobody answered, or not now.
    #[error("{service} could not be asked for a token for {model} on the login of {origin}{}: check the network, and try again", brackets(.message))]
    LoginUnanswered {
        /// Which model.
        model: String,
        /// Where the login was found.
        origin: String,
        /// Who was asked for a key.
        service: String,
        /// What came of it.
        message: String,
    },
    /// The account has nothing left to spend.
    #[error("the account behind {model} has no credit left{}: add some, or take another model", brackets(.message))]
    NoCredit {
        /// Which model.
        model: String,
        /// The service's words.
        message: String,
    },
    /// 404: of the model, or of the address.
    #[error("{model} is not known there{}: check the model's name and the address", brackets(.message))]
    ModelNotFound {
        /// Which model.
        model: String,
        /// The service's words.
        message: String,
    },
    /// 429, again and again or with a longer wait than is waited for.
    #[error("{model} takes no more questions for now{}: wait {}, or take another model", brackets(.message), in_words(*.wait))]
    RateLimited {
        /// Which model.
        model: String,
        /// How long the service asks to wait.
        wait: Option<Duration>,
        /// The service's words.
        message: String,
    },
    /// The question does not fit the model's context.
    #[error("the question is too long for {model}{}: lower `context_tokens` of [llm], or take a model with a larger context", brackets(.message))]
    ContextTooLong {
        /// Which model.
        model: String,
        /// The service's words.
        message: String,
    },
    /// The service read far less of the question than was sent, as some do in silence: the answer is about a part of it.
    #[error(
        "{model} read {read} of about {sent} tokens of the question: give the service a larger context, take a model that has one, or lower `context_tokens` of [llm]"
    )]
    PromptCut {
        /// Which model.
        model: String,
        /// Tokens that the service says it read, those that it had kept included.
        read: u64,
        /// Tokens that were sent, counted offline.
        sent: u64,
    },
    /// The model or its service will not answer this.
    #[error("{model} refused to answer{}: take another model", brackets(.message))]
    Refused {
        /// Which model.
        model: String,
        /// Its words, or the reason it names.
        message: String,
    },
    /// Another 4xx: a setting that the model does not take.
    #[error("{model} did not take the request ({status}){}: check temperature, maximum tokens and the address", brackets(.message))]
    RequestRejected {
        /// Which model.
        model: String,
        /// The HTTP status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// 5xx, or the same said in the middle of an answer.
    #[error("{model} is out of order{}: try again later", brackets(.message))]
    Unavailable {
        /// Which model.
        model: String,
        /// The service's words.
        message: String,
    },
    /// No connection.
    #[error("{model} cannot be reached{}: check the address and the network, and that the service runs", brackets(.message))]
    Unreachable {
        /// Which model.
        model: String,
        /// What came of it.
        message: String,
    },
    /// The answer broke off: a cut connection, silence, or something that no model sends.
    #[error("the answer of {model} broke off{}: try again later", brackets(.message))]
    StreamInterrupted {
        /// Which model.
        model: String,
        /// What came of it.
        message: String,
    },
    /// The answer, thinking included, is longer than it may be.
    #[error("the answer of {model} is longer than {}, thinking included: raise `max_tokens` of [llm]", limit(*.max_tokens))]
    MaxTokensReached {
        /// Which model.
        model: String,
        /// The limit that was set; without one it is the model's own.
        max_tokens: Option<u32>,
    },
    /// An answer without a word.
    #[error("{model} answered nothing: try again, or take another model")]
    EmptyAnswer {
        /// Which model.
        model: String,
    },
    /// The answer has not the shape that was asked for, and neither has the repaired one.
    #[error("{model} did not answer in the shape that was asked for, nor when asked to repair it ({}): take another model", .violations.join("; "))]
    SchemaMismatch {
        /// Which model.
        model: String,
        /// What is wrong with the last answer.
        violations: Vec<String>,
    },
    /// Not done in time, retries included.
    #[error("{model} did not answer within {}: try again, or allow more time", in_words(Some(*.after)))]
    DeadlineExceeded {
        /// Which model.
        model: String,
        /// The time that was given.
        after: Duration,
    },
    /// Not asked, since it might have passed a limit of what may be spent.
    #[error("{model} was not asked: {exceeded}")]
    OverBudget {
        /// Which model.
        model: String,
        /// Which limit.
        exceeded: Box<BudgetExceeded>,
    },
    /// Cancelled by the caller.
    #[error("the question to {model} was cancelled")]
    Cancelled {
        /// Which model.
        model: String,
    },
}

impl LlmFailure {
    /// Whether the same question may go better at another time.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Unavailable { .. }
            | Self::Unreachable { .. }
            | Self::LoginUnanswered { .. }
            | Self::StreamInterrupted { .. }
            | Self::EmptyAnswer { .. }
            | Self::SchemaMismatch { .. }
            | Self::DeadlineExceeded { .. } => true,
            Self::NoKey { .. }
            | Self::BadAddress { .. }
            | Self::NotListed { .. }
            | Self::BadSchema { .. }
            | Self::Unauthorized { .. }
            | Self::LoginRefused { .. }
            | Self::NoCredit { .. }
            | Self::ModelNotFound { .. }
            | Self::ContextTooLong { .. }
            | Self::PromptCut { .. }
            | Self::Refused { .. }
            | Self::RequestRejected { .. }
            | Self::MaxTokensReached { .. }
            | Self::OverBudget { .. }
            | Self::Cancelled { .. } => false,
        }
    }

    /// Whether asking again at once, after a pause, is worth it.
    pub(super) fn is_retryable(&self) -> bool {
        self.is_transient()
            && !matches!(
                self,
                Self::SchemaMismatch { .. } | Self::DeadlineExceeded { .. }
            )
    }
}

impl From<LlmFailure> for UserError {
    fn from(failure: LlmFailure) -> Self {
        let said = |code, model: String, message: String| {
            UserError::new(code)
                .with("model", model)
                .with_aside("message", message)
        };
        let of = |code, model: String| UserError::new(code).with("model", model);
        match failure {
            LlmFailure::NoKey { model, variables } => {
                of(ErrorCode::LlmNoKey, model).with("variables", variables)
            }
            LlmFailure::BadAddress { model, reason } => {
                said(ErrorCode::LlmBadAddress, model, reason)
            }
            LlmFailure::NotListed { model } => of(ErrorCode::LlmNotListed, model),
            LlmFailure::BadSchema { name, reason } => UserError::new(ErrorCode::LlmBadSchema)
                .with("name", name)
                .with_aside("message", reason),
            LlmFailure::Unauthorized { model, message } => {
                said(ErrorCode::LlmUnauthorized, model, message)
            }
            LlmFailure::LoginRefused {
                model,
                origin,
                service,
                message,
            } => said(ErrorCode::LlmLoginRefused, model, message)
                .with("origin", origin)
                .with("service", service),
            LlmFailure::LoginUnanswered {
                model,
                origin,
                service,
                message,
            } => said(ErrorCode::LlmLoginUnanswered, model, message)
                .with("origin", origin)
                .with("service", service),
            LlmFailure::NoCredit { model, message } => said(ErrorCode::LlmNoCredit, model, message),
            LlmFailure::ModelNotFound { model, message } => {
                said(ErrorCode::LlmModelNotFound, model, message)
            }
            LlmFailure::RateLimited {
                model,
                wait,
                message,
            } => {
                let error = said(ErrorCode::LlmRateLimited, model, message);
                match wait {
                    Some(wait) => error.with_arg("wait", wait),
                    None => error.with_arg("wait", TextArg::Key("duration-a-while".into())),
                }
            }
            LlmFailure::ContextTooLong { model, message } => {
                said(ErrorCode::LlmContextTooLong, model, message)
            }
            LlmFailure::PromptCut { model, read, sent } => of(ErrorCode::LlmPromptCut, model)
                .with_arg("read", read)
                .with_arg("sent", sent),
            LlmFailure::Refused { model, message } => said(ErrorCode::LlmRefused, model, message),
            LlmFailure::RequestRejected {
                model,
                status,
                message,
            } => said(ErrorCode::LlmRequestRejected, model, message).with("status", status),
            LlmFailure::Unavailable { model, message } => {
                said(ErrorCode::LlmUnavailable, model, message)
            }
            LlmFailure::Unreachable { model, message } => {
                said(ErrorCode::LlmUnreachable, model, message)
            }
            LlmFailure::StreamInterrupted { model, message } => {
                said(ErrorCode::LlmStreamInterrupted, model, message)
            }
            LlmFailure::MaxTokensReached { model, max_tokens } => {
                let error = of(ErrorCode::LlmMaxTokensReached, model);
                match max_tokens {
                    Some(max) => error.with_arg("max", max),
                    None => error.with_arg("max", TextArg::Key("llm-own-limit".into())),
                }
            }
            LlmFailure::OverBudget { exceeded, .. } => (*exceeded).into(),
            LlmFailure::EmptyAnswer { model } => of(ErrorCode::LlmEmptyAnswer, model),
            LlmFailure::SchemaMismatch { model, violations } => {
                of(ErrorCode::LlmSchemaMismatch, model).with_arg("count", violations.len())
            }
            LlmFailure::DeadlineExceeded { model, after } => {
                of(ErrorCode::LlmDeadlineExceeded, model).with_arg("after", after)
            }
            LlmFailure::Cancelled { model } => of(ErrorCode::LlmCancelled, model),
        }
    }
}

fn brackets(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!(" ({said})")
    }
}

fn limit(max_tokens: Option<u32>) -> String {
    match max_tokens {
        Some(max) => format!("the {max} tokens that were allowed"),
        None => "the model can write".to_owned(),
    }
}

fn in_words(wait: Option<Duration>) -> String {
    match wait.map(|wait| wait.as_millis().div_ceil(1000)) {
        None => "a while".to_owned(),
        Some(seconds) if seconds < 120 => format!("{seconds} s"),
        Some(seconds) => format!("{} min", seconds.div_ceil(60)),
    }
}

/// Where a failure happened: provider, name and host, and what must never be shown of it.
pub(super) struct ErrorContext {
    /// Provider, name and host.
    pub(super) model_label: String,
    secrets: Vec<SecretString>,
}

impl ErrorContext {
    pub(super) fn of(model: &Model) -> Self {
        let service = Self::of_target(&model.target());
        Self {
            model_label: format!("`{}` ({})", model.name, service.model_label),
            ..service
        }
    }

    /// The same where no model is meant, but the service.
    pub(super) fn of_target(target: &ModelTarget) -> Self {
        let host = target.base_url().ok().and_then(|root| {
            let host = root.host_str()?.to_owned();
            Some(match root.port() {
                Some(port) => format!("{host}:{port}"),
                None => host,
            })
        });
        let host = host.map(|host| format!(" at {host}")).unwrap_or_default();
        let headers = target.headers.iter().filter_map(|h| h.secret_value());
        let login = target.login.iter();
        let login = login.flat_map(|login| login.credentials().secrets());
        let key = target.key.iter().chain(login).map(|key| key.expose());
        Self {
            model_label: format!("{}{host}", target.provider),
            secrets: key.chain(headers).map(SecretString::from).collect(),
        }
    }

    /// Makes foreign words fit to be shown: one line, no secrets, not too long.
    pub(super) fn redact_and_shorten(&self, text: &str) -> String {
        let mut words = text.to_owned();
        for secret in &self.secrets {
            words = words.replace(secret.expose_secret(), REDACTED);
        }
        let words = redact(&words, &[]);
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        match words.char_indices().nth(MAX_MESSAGE_CHARS) {
            Some((end, _)) => format!("{}…", &words[..end]),
            None => words,
        }
    }

    /// What a service means that answers with an error status.
    pub(super) fn failure_from_status(
        &self,
        status: u16,
        wait: Option<Duration>,
        body: &str,
    ) -> LlmFailure {
        let model = self.model_label.clone();
        let message = self.redact_and_shorten(&error_message_in(body));
        let lower = body.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        match status {
            _ if status != 404 && has(&NO_CREDIT_MARKERS) => {
                LlmFailure::NoCredit { model, message }
            }
            401 => LlmFailure::Unauthorized {
                model,
                message: String::new(),
            },
            400 if has(&["api key not valid", "api_key_invalid"]) => LlmFailure::Unauthorized {
                model,
                message: String::new(),
            },
            402 => LlmFailure::NoCredit { model, message },
            403 => LlmFailure::Unauthorized { model, message },
            413 => LlmFailure::ContextTooLong { model, message },
            400 | 422 if has(&CONTEXT_TOO_LONG_MARKERS) => {
                LlmFailure::ContextTooLong { model, message }
            }
            400 | 422 if has(&REFUSAL_MARKERS) => LlmFailure::Refused { model, message },
            404 => LlmFailure::ModelNotFound { model, message },
            400 if has(&[
                "model_not_found",
                "not_found_error",
                "model identifier is invalid",
            ]) =>
            {
                LlmFailure::ModelNotFound { model, message }
            }
            429 => LlmFailure::RateLimited {
                model,
                wait,
                message,
            },
            408 | 424 | 425 | 500..=599 => LlmFailure::Unavailable { model, message },
            _ => LlmFailure::RequestRejected {
                model,
                status,
                message,
            },
        }
    }

    /// What a service means that starts an answer and then says that something is wrong.
    pub(super) fn failure_from_body(&self, body: &str) -> LlmFailure {
        let lower = body.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let status = match () {
            () if has(&CONTEXT_TOO_LONG_MARKERS) => 413,
            () if has(&REFUSAL_MARKERS) => 400,
            () if has(&[
                "rate_limit",
                "resource_exhausted",
                "too many requests",
                "throttl",
            ]) =>
            {
                429
            }
            () => 503,
        };
        self.failure_from_status(status, None, body)
    }
}

const NO_CREDIT_MARKERS: [&str; 4] = [
    "insufficient_quota",
    "credit balance is too low",
    "insufficient balance",
    "billing_hard_limit",
];

const CONTEXT_TOO_LONG_MARKERS: [&str; 8] = [
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
    "input token count",
    "too many tokens",
];

const REFUSAL_MARKERS: [&str; 4] = [
    "content_filter",
    "content_policy",
    "invalid_prompt",
    "responsibleaipolicy",
];

/// Whether a 4xx is about the way the shape of the answer was asked for.
pub(super) fn is_schema_rejection(status: u16, body: &str) -> bool {
    let lower = body.to_lowercase();
    if matches!(status, 400 | 500) && lower.contains("json schema in format") {
        return true;
    }
    matches!(status, 400 | 404 | 422 | 501)
        && [
            "response_format",
            "json_schema",
            "output_config",
            "output_format",
            "output format",
            "responsejsonschema",
            "response_schema",
            "text.format",
            "structured output",
            "response_json_schema",
            // OpenRouter: none of those it may hand on to takes shapes.
            "can handle the requested parameters",
            // Ollama before 0.5, and a shape that it cannot make a grammar of.
            "chatrequest.format",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

/// Whether a 4xx asks for the limit of the answer under its newer name, as OpenAI and Azure do for models that think.
pub(super) fn is_max_tokens_renaming(status: u16, body: &str) -> bool {
    let lower = body.to_lowercase();
    matches!(status, 400 | 422)
        && lower.contains("max_completion_tokens")
        && (lower.contains("unsupported") || lower.contains("not supported"))
}

/// The sentence in an error body: JSON of every provider, or the text as it is.
fn error_message_in(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return body.to_owned();
    };
    let value = value.get(0).unwrap_or(&value);
    let message = ["/error/message", "/message", "/error", "/detail"]
        .iter()
        .find_map(|path| value.pointer(path)?.as_str());
    message.map_or_else(|| body.to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Provider, Secret};

    fn error_context() -> ErrorContext {
        let mut model = Model::new(Provider::OpenAi, "gpt-4o");
        model.key = Secret::new("key-of-a-person");
        ErrorContext::of(&model)
    }

    fn check(status: u16, body: &str, expect: &str) {
        let failure = error_context().failure_from_status(status, None, body);
        assert_eq!(failure.to_string(), expect, "{status} {body}");
    }

    #[test]
    fn what_a_service_says_becomes_what_to_do() {
        let at = "`gpt-4o` (openai at api.openai.com)";
        check(
            401,
            r#"{"error":{"message":"Incorrect API key provided: key-****son"}}"#,
            &format!("{at} does not accept the key: check it, or make a new one"),
        );
        check(
            400,
            r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]"#,
            &format!("{at} does not accept the key: check it, or make a new one"),
        );
        check(
            403,
            r#"{"error":{"message":"Country not supported"}}"#,
            &format!(
                "{at} does not accept the key (Country not supported): check it, or make a new one"
            ),
        );
        check(
            429,
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
            &format!(
                "the account behind {at} has no credit left (You exceeded your current quota): add some, or take another model"
            ),
        );
        check(
            404,
            r#"{"error":"model 'x' not found, try pulling it first"}"#,
            &format!(
                "{at} is not known there (model 'x' not found, try pulling it first): check the model's name and the address"
            ),
        );
        check(
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            &format!(
                "the question is too long for {at} (prompt is too long: 210000 tokens > 200000 maximum): lower `context_tokens` of [llm], or take a model with a larger context"
            ),
        );
        check(
            418,
            "a teapot",
            &format!(
                "{at} did not take the request (418) (a teapot): check temperature, maximum tokens and the address"
            ),
        );
        check(
            529,
            r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            &format!("{at} is out of order (Overloaded): try again later"),
        );
    }

    #[test]
    fn foreign_words_are_cut_only_after_the_key_is_out_of_them() {
        let body = format!(
            "{}key-of-a-person and more\n\n  words {}",
            "x".repeat(295),
            "y".repeat(500)
        );
        let said = error_context().redact_and_shorten(&body);
        assert_eq!(said, format!("{}[REDA…", "x".repeat(295)));
    }

    #[test]
    fn a_wait_is_reported_in_seconds_or_minutes() {
        let words = [None, Some(200), Some(90_000), Some(3_600_000)]
            .map(|wait| in_words(wait.map(Duration::from_millis)));
        assert_eq!(words, ["a while", "1 s", "90 s", "60 min"]);
    }
}

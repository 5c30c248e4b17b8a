//! Answers that are JSON of a given shape: found, held against the schema, and repaired once.

use super::exchange::{Llm, LlmAnswer, LlmExchange, LlmProgress, LlmRequest, initial_messages};
use super::failure::{FailedCompletion, LlmFailure};
use super::json_object::{NoJsonObject, last_json_object};
use super::model::Model;
use super::prompt_texts::REPAIR_INSTRUCTIONS;
use super::wire::Message;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// How many violations are told.
const MAX_VIOLATIONS: usize = 20;

/// How much of one violation is told, in characters.
const MAX_VIOLATION_CHARS: usize = 300;

impl Llm {
    /// Asks for JSON, and gives what `validate` makes of it.
    ///
    /// The answer is held against the ask's shape, then given to `validate`, whose error names what is wrong. The model is
    /// told once what is wrong and repairs it; fails with [`LlmFailure::NotTheShape`] when that is not right either.
    /// Deadline, cancel and bill are those of both requests together.
    pub async fn complete_json<T>(
        &self,
        model: &Model,
        request: &LlmRequest,
        validate: impl Fn(&Value) -> Result<T, String>,
        on_progress: &(dyn Fn(LlmProgress) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<(T, LlmAnswer), FailedCompletion> {
        let exchange = LlmExchange::new(self, model, request, on_progress);
        let request_future = async {
            let schema = AnswerValidator::of(request)?;
            let read = |text: &str| schema.read(text, &validate);
            let mut messages = initial_messages(request);
            let text = exchange.send_with_retries(&messages).await?;
            let violations = match read(&text) {
                Ok(value) => return Ok((value, text)),
                Err(violations) => violations,
            };
            messages.push(Message::Assistant(text));
            messages.push(Message::User(format!(
                "{REPAIR_INSTRUCTIONS}\n{}",
                bullet_list(&violations)
            )));
            let text = exchange.send_with_retries(&messages).await?;
            match read(&text) {
                Ok(value) => Ok((value, text)),
                Err(violations) => Err(LlmFailure::SchemaMismatch {
                    model: exchange.model(),
                    violations,
                }),
            }
        };
        let (value, text) = exchange.run_until_deadline(cancel, request_future).await?;
        Ok((value, exchange.answer(text)))
    }
}

fn bullet_list(violations: &[String]) -> String {
    violations.iter().map(|v| format!("- {v}\n")).collect()
}

/// A schema that was understood; none accepts everything.
struct AnswerValidator {
    schema: Option<jsonschema::Validator>,
    /// Members that tell the answer from other objects.
    members: Vec<String>,
}

impl AnswerValidator {
    fn of(request: &LlmRequest) -> Result<Self, LlmFailure> {
        let Some(shape) = &request.response_schema else {
            return Ok(Self {
                schema: None,
                members: Vec::new(),
            });
        };
        let schema =
            jsonschema::validator_for(&shape.schema).map_err(|e| LlmFailure::BadSchema {
                name: shape.name.clone(),
                reason: e.masked().to_string(),
            })?;
        let properties = shape.schema.get("properties").and_then(Value::as_object);
        Ok(Self {
            schema: Some(schema),
            members: properties
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect(),
        })
    }

    fn read<T>(
        &self,
        text: &str,
        validate: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<T, Vec<String>> {
        let members: Vec<&str> = self.members.iter().map(String::as_str).collect();
        let value = find_json_object(text, &members).map_err(|e| vec![e])?;
        let violations: Vec<_> = self
            .schema
            .iter()
            .flat_map(|schema| schema.iter_errors(&value))
            .take(MAX_VIOLATIONS)
            .map(|e| format_violation(e.instance_path().as_str(), &e.masked().to_string()))
            .collect();
        if violations.is_empty() {
            validate(&value).map_err(|e| vec![shorten(&e)])
        } else {
            Err(violations)
        }
    }
}

fn format_violation(path: &str, what: &str) -> String {
    let path = if path.is_empty() { "the object" } else { path };
    shorten(&format!("{path}: {what}"))
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_VIOLATION_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The object that an answer ends with; the error is for the model.
fn find_json_object(text: &str, members: &[&str]) -> Result<Value, String> {
    last_json_object(text, members).map_err(|missing| match missing {
        NoJsonObject::Absent if members.is_empty() => "there is no JSON object in it".to_owned(),
        NoJsonObject::Absent => {
            let names: Vec<_> = members.iter().map(|name| format!("`{name}`")).collect();
            format!("there is no JSON object in it with {}", names.join(", "))
        }
        NoJsonObject::Truncated => "the JSON ends before the object does".to_owned(),
        NoJsonObject::Invalid(reason) => {
            format!("it is not valid JSON: {reason}, counted from the `{{` that it begins with")
        }
    })
}

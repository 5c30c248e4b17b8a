//! What services refused to take, so that the next question to the same model goes without it from the start.

use super::breakers::service_key;
use super::model::Model;
use super::response_schema::ResponseSchema;
use super::wire::Adjustments;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a refusal is kept: behind the same address there may be another version tomorrow.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Something that a service does not take.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Refusal {
    /// A shape by its name: another one may be simple enough.
    Schema(String),
    /// The limit of an answer under its older name.
    MaxTokens,
}

/// What was refused by which model, and until when that is believed. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Refusals(Arc<Mutex<HashMap<(String, Refusal), Instant>>>);

impl Refusals {
    fn all(&self) -> MutexGuard<'_, HashMap<(String, Refusal), Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How a question is asked of a model to begin with.
    pub(super) fn adjustments(
        &self,
        model: &Model,
        schema: Option<&ResponseSchema>,
        now: Instant,
    ) -> Adjustments {
        let all = self.all();
        let is_known = |refusal: Refusal| {
            let until = all.get(&(service_key(model), refusal));
            until.is_some_and(|until| *until > now)
        };
        let own = Adjustments::of(model);
        let refused = schema.is_some_and(|schema| is_known(Refusal::Schema(schema.name.clone())));
        Adjustments {
            schema_is_supported: own.schema_is_supported && !refused,
            max_completion_tokens: is_known(Refusal::MaxTokens),
            ..own
        }
    }

    /// Keeps what a question that was answered had to go without. What it went without from the start is kept no longer for that.
    pub(super) fn keep(
        &self,
        model: &Model,
        schema: Option<&ResponseSchema>,
        adjusted: Adjustments,
        now: Instant,
    ) {
        let before = self.adjustments(model, schema, now);
        let schema = schema.filter(|_| before.schema_is_supported && !adjusted.schema_is_supported);
        let schema = schema.map(|schema| Refusal::Schema(schema.name.clone()));
        let renamed = adjusted.max_completion_tokens && !before.max_completion_tokens;
        let limit = renamed.then_some(Refusal::MaxTokens);
        for refusal in schema.into_iter().chain(limit) {
            let key = (service_key(model), refusal);
            self.all().insert(key, now + KEPT_FOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Provider;

    #[test]
    fn a_refusal_is_believed_for_a_day_by_model_and_address() {
        let model = Model::new(Provider::Azure, "ours");
        let schema = ResponseSchema {
            name: "review".into(),
            schema: serde_json::json!({}),
        };
        let (refusals, now) = (Refusals::default(), Instant::now());
        let known = |model: &Model, now| {
            let found = refusals.adjustments(model, Some(&schema), now);
            (!found.schema_is_supported, found.max_completion_tokens)
        };
        let refused = Adjustments {
            schema_is_supported: false,
            max_completion_tokens: true,
            ..Adjustments::of(&model)
        };
        assert_eq!(known(&model, now), (false, false));
        refusals.keep(&model, Some(&schema), Adjustments::of(&model), now);
        assert_eq!(known(&model, now), (false, false), "nothing was refused");
        refusals.keep(&model, Some(&schema), refused, now);
        assert_eq!(known(&model, now), (true, true));
        let elsewhere = Model {
            url: Some("https://example.org".into()),
            ..model.clone()
        };
        assert_eq!(known(&elsewhere, now), (false, false));
        let later = now + KEPT_FOR / 2;
        refusals.keep(&model, Some(&schema), refused, later);
        let ended = now + KEPT_FOR;
        assert_eq!(known(&model, ended), (false, false), "it is tried again");
    }
}

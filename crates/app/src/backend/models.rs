//! Language models in the settings: their keys, which ones there are, whether they answer (§15). Changes that were not saved count, so that a person sees
//! what a model does before they keep it. No key goes back to the page.

use super::settings::{self, Changes};
use super::{Backend, HostEnv};
use crate::auth::model_keys::ModelKeys;
use collie_config::{Config, LlmSettings};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_reviewers::{
    ANSWER_TOKENS, ExpectedCost, FIRST_REVIEW_TOKENS, KeyOrigin, KeySources, NEXT_REVIEW_TOKENS,
    Secret, is_key_stored, key_entry, key_host, look_up_key, remember_key,
};
use collie_wire::rpc::{
    CostRangeView, ExpectedCostView, ListedModelView, ModelKeyProblem, ModelKeySource,
    ModelKeyView, ModelTestView,
};
use std::sync::Arc;

impl Backend {
    /// Where keys of models are looked up: the environment, then the keychain's entries of this account.
    pub(super) fn key_sources(&self) -> KeySources {
        let environment: HostEnv = self.shared.options.environment.clone();
        KeySources::new(move |name| environment(name)).with_store(Arc::new(self.model_keys()))
    }

    fn model_keys(&self) -> ModelKeys {
        let options = &self.shared.options;
        let scope = options.credentials.clone();
        ModelKeys::new(options.keychain.clone(), move |name| {
            scope.keychain_entry(name)
        })
    }

    fn model_of_table(&self, table: &str, changes: &Changes) -> Result<LlmSettings, UserError> {
        self.with_settings(|target, environment| {
            settings::model_of_table(target, environment, changes, table)
        })
    }

    /// Where the key of a model is.
    pub(super) async fn model_key(
        &self,
        table: &str,
        changes: &Changes,
    ) -> Result<ModelKeyView, UserError> {
        let settings = self.model_of_table(table, changes)?;
        let keys = self.key_sources();
        let lookup = look_up_key(&settings, &keys).await;
        let (stored, problem) = match (&lookup.origin, lookup.store_error.clone()) {
            (Some(KeyOrigin::Keychain), _) => (true, None),
            (_, Some(error)) => (false, Some(error)),
            (Some(_), None) => match is_key_stored(&settings, &keys).await {
                Ok(stored) => (stored, None),
                Err(error) => (false, Some(error)),
            },
            (None, None) => (false, None),
        };
        let missing = lookup.is_missing();
        let (source, name) = match lookup.origin {
            Some(KeyOrigin::Keychain) => (ModelKeySource::Keychain, None),
            Some(KeyOrigin::Variable(name)) => (ModelKeySource::Variable, Some(name)),
            Some(KeyOrigin::Command(program)) => (ModelKeySource::Command, Some(program)),
            Some(KeyOrigin::File(place)) => (ModelKeySource::File, Some(place)),
            None if missing => (ModelKeySource::Missing, None),
            None => (ModelKeySource::Unneeded, None),
        };
        Ok(ModelKeyView {
            provider: settings.provider.to_owned(),
            host: key_host(&settings),
            source,
            name,
            variables: lookup.variables,
            editable: key_entry(&settings).is_some(),
            stored,
            problem: problem.map(|error| self.key_problem(&error)),
        })
    }

    fn key_problem(&self, error: &UserError) -> ModelKeyProblem {
        let localizer = self.localizer();
        ModelKeyProblem {
            is_absent: error.code == ErrorCode::NoKeychain,
            message: localizer.error_text(error),
            hints: localizer.error_hints(error),
        }
    }

    /// Keeps a key that was typed.
    pub(super) async fn set_model_key(
        &self,
        table: &str,
        changes: &Changes,
        typed: &str,
    ) -> Result<(), UserError> {
        let key = Secret::new(typed);
        let key = key.ok_or_else(|| UserError::new(ErrorCode::LlmKeyShape))?;
        remember_key(&key);
        let entry = self.model_key_entry(table, changes)?;
        self.model_keys().store(&entry, &key).await
    }

    /// Takes a key out that was typed.
    pub(super) async fn remove_model_key(
        &self,
        table: &str,
        changes: &Changes,
    ) -> Result<(), UserError> {
        let entry = self.model_key_entry(table, changes)?;
        self.model_keys().forget(&entry).await
    }

    fn model_key_entry(&self, table: &str, changes: &Changes) -> Result<String, UserError> {
        let settings = self.model_of_table(table, changes)?;
        key_entry(&settings).ok_or_else(|| {
            UserError::new(ErrorCode::LlmKeyNamed)
                .with("provider", settings.provider)
                .hint(ErrorHint::Settings)
        })
    }

    /// The models that a service says it has.
    pub(super) async fn list_models(
        &self,
        table: &str,
        changes: &Changes,
    ) -> Result<Vec<ListedModelView>, UserError> {
        let settings = self.model_of_table(table, changes)?;
        let listed = collie_reviewers::list_models(&settings, &self.key_sources()).await?;
        let views = listed.into_iter().map(|model| ListedModelView {
            name: model.name,
            title: model.title,
            context_tokens: model.context_tokens,
        });
        Ok(views.collect())
    }

    /// Asks a model one small question.
    pub(super) async fn test_model(
        &self,
        table: &str,
        changes: &Changes,
    ) -> Result<ModelTestView, UserError> {
        let settings = self.model_of_table(table, changes)?;
        if settings.model.is_empty() {
            return Err(UserError::new(ErrorCode::LlmNoModel));
        }
        let config = self.prices_config()?;
        let cancel = self.shared.model_tests.begin(table);
        let tested =
            collie_reviewers::test_model(&config, &settings, &self.key_sources(), &cancel).await?;
        let answered = tested.answered_model;
        Ok(ModelTestView {
            model: format!("{}/{}", settings.provider, settings.model),
            answered_as: answered.filter(|name| *name != settings.model),
            latency_ms: tested.latency_ms,
            input_tokens: tested.usage.input_tokens,
            output_tokens: tested.usage.output_tokens,
            cost_usd: tested.cost_micros.map(dollars),
        })
    }

    /// What reviews by a model may cost; tokens alone where no model is chosen or its price is not known.
    pub(super) fn expected_cost(
        &self,
        table: &str,
        changes: &Changes,
    ) -> Result<ExpectedCostView, UserError> {
        let settings = match changes.is_empty() {
            true => self.configuration()?.llm,
            false => Some(self.model_of_table(table, changes)?),
        };
        let named = settings.filter(|settings| !settings.model.is_empty());
        let config = self.prices_config()?;
        let cost = match named {
            Some(settings) => collie_reviewers::expected_cost(&config, &settings)?,
            None => None,
        };
        let range = |(tokens_least, tokens_most), of: fn(ExpectedCost) -> (u64, u64)| {
            let usd = cost.map(of);
            CostRangeView {
                tokens_least,
                tokens_most,
                usd_least: usd.map(|(least, _)| dollars(least)),
                usd_most: usd.map(|(_, most)| dollars(most)),
            }
        };
        Ok(ExpectedCostView {
            first: range(FIRST_REVIEW_TOKENS, |cost| cost.first),
            next: range(NEXT_REVIEW_TOKENS, |cost| cost.next),
            answer_tokens: ANSWER_TOKENS,
            answer_usd: cost.map(|cost| dollars(cost.answer)),
        })
    }

    /// Gives up a test that is under way.
    pub(super) fn stop_model_test(&self, table: &str) {
        self.shared.model_tests.stop(table);
    }

    /// The configuration whose data folder has the prices.
    fn prices_config(&self) -> Result<Config, UserError> {
        match self.session() {
            Ok(session) => Ok((*session.config.get()).clone()),
            Err(_) => self.configuration(),
        }
    }
}

/// Costs are far below the 2^53 micro-dollars that a float holds exactly.
fn dollars(micros: u64) -> f64 {
    micros as f64 / 1_000_000.0
}

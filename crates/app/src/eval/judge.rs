//! Has findings matched to known faults by a language model.

use super::payer::EvalPayer;
use crate::auth::model_keys::machine_keys;
use crate::clock;
use collie_agents::llm::{Llm, LlmRequest, Model, ResponseSchema};
use collie_config::{Config, LlmSettings};
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_eval::{
    CaseResult, Judge, RunResults, Verdict, judge_by_place, judge_prompt, judge_prompt_hash,
    judge_schema, parse_judgements,
};
use collie_reviewers::{KeySources, QuestionBudget};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long one verdict may take.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

/// Adds verdicts by place and words on everything that was run.
pub fn judge_results(results: &mut RunResults, distance: u32) {
    let said = results.cases.iter().filter(|one| one.failure.is_none());
    let said: Vec<Verdict> = said.flat_map(|one| judge_by_place(one, distance)).collect();
    results
        .verdicts
        .retain(|verdict| !matches!(verdict.judge, Judge::Place { .. }));
    results.verdicts.extend(said);
}

/// Adds a model's verdicts on everything that was run. `on_progress` hears how many runs are judged, and of how many.
pub async fn judge_by_model(
    config: &Config,
    results: &mut RunResults,
    on_progress: &(dyn Fn(usize, usize) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<(), UserError> {
    let settings = judge_settings(config)?;
    let payer = EvalPayer::open(config).await?;
    let total = results.cases.len();
    let keys = machine_keys();
    let mut said = Vec::new();
    for (at, result) in results.cases.iter().enumerate() {
        on_progress(at, total);
        if result.failure.is_none() {
            let judge = JudgeSetup {
                config,
                settings,
                keys: &keys,
                payer: &payer,
            };
            said.extend(judge_one(judge, result, cancel).await?);
        }
    }
    let judges: Vec<Judge> = said.iter().map(|verdict| verdict.judge.clone()).collect();
    results
        .verdicts
        .retain(|verdict| !judges.contains(&verdict.judge));
    results.verdicts.extend(said);
    Ok(())
}

/// The configured model.
pub(super) fn judge_settings(config: &Config) -> Result<&LlmSettings, UserError> {
    let llm = config.llm.as_ref();
    llm.ok_or_else(|| UserError::new(ErrorCode::EvalJudgeNoModel))
}

fn judge_of(model: &Model) -> Judge {
    Judge::Model {
        model: model.to_string(),
        prompt: judge_prompt_hash(),
    }
}

/// Who judges, and who pays for it.
pub(super) struct JudgeSetup<'a> {
    pub(super) config: &'a Config,
    pub(super) settings: &'a LlmSettings,
    pub(super) keys: &'a KeySources,
    pub(super) payer: &'a EvalPayer,
}

/// A model's verdicts on one run of a case. What the budget does not pay for is told as that.
pub(super) async fn judge_one(
    JudgeSetup {
        config,
        settings,
        keys,
        payer,
    }: JudgeSetup<'_>,
    result: &CaseResult,
    cancel: &CancellationToken,
) -> Result<Vec<Verdict>, UserError> {
    let model = collie_reviewers::build_model(settings, keys).await;
    let model = model.map_err(|failure| failure.into_error())?;
    let judge = judge_of(&model);
    let failed = |cause: UserError| {
        UserError::new(ErrorCode::EvalJudgeFailed)
            .with("case", &result.case)
            .with_arg("cause", cause)
    };
    let Some(prompt) = judge_prompt(result) else {
        return parse_judgements(result, &judge, None)
            .map_err(|message| failed(UserError::recorded(message)));
    };
    let budget = QuestionBudget::new(config, &payer.meter(config), clock::now())?;
    let request = LlmRequest {
        system: vec![prompt.system],
        user: vec![prompt.user],
        shared_user_blocks: 0,
        response_schema: Some(ResponseSchema {
            name: "verdicts".to_owned(),
            schema: judge_schema(),
        }),
        deadline: DEADLINE,
        spending_gate: Some(budget.gate()),
    };
    let read = |value: &serde_json::Value| parse_judgements(result, &judge, Some(value));
    let asked = Llm::default()
        .complete_json(&model, &request, read, &|_| {}, cancel)
        .await;
    match asked {
        Ok((verdicts, answer)) => {
            budget.count(&model, &answer.usage);
            Ok(verdicts)
        }
        Err(error) => {
            budget.count(&model, &error.usage);
            let cause = UserError::from(error.failure);
            Err(match cause.code {
                ErrorCode::BudgetExceeded => cause,
                _ => failed(cause),
            })
        }
    }
}

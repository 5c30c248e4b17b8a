//! Reviews by language models and coding agents (§4.3, §4.4), with the second look at what they find.

use super::Panel;
use super::gather::{git_failure, transient};
use super::setup::{self, AGENT_TOKENS, Reader};
use crate::config::Config;
use collie_agents::acp::{
    AgentFailure, AgentSpec, Limits, Progress, Resumption, Role, Turn, TurnEnd, outside, run,
};
use collie_agents::llm::{Answer, Ask, Failed, LlmFailure, Model, Prices, Shape, count_tokens};
use collie_agents::reading::{
    BudgetTooSmall, Material, Prompt, ReaderKind, SecondVerdict, Settlement, compose,
    extract_from_text, needs_validation, prompts_hash, repair_prompt, restrain, result, schema,
    validated, validation_prompt, validation_schema,
};
use collie_core::ids::Fingerprint;
use collie_core::model::{SessionFailure, Usage};
use collie_core::shapes::{Finding, IssueCounts, ReviewerResult, conclude};
use collie_engine::ports::{ReviewAnswer, ReviewRequest};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long one question to a model may take. The engine's deadline holds over the whole review.
const DEADLINE: Duration = Duration::from_secs(15 * 60);

/// How long an agent may be silent while it reviews (§2: a read-only reviewer).
const SILENCE: Duration = Duration::from_secs(3 * 60);

/// One reader at work on one pull request.
pub(super) struct Reading<'a> {
    panel: &'a Panel,
    config: &'a Config,
    request: &'a ReviewRequest,
    reader: Reader,
    cancel: &'a CancellationToken,
    usage: Usage,
}

impl Panel {
    /// Lets a persona look, and somebody look again at what it alone has found.
    pub(super) async fn read(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewAnswer, SessionFailure> {
        let config = self.config.get();
        let reader = setup::reader(&config, &request.reviewer.name)?;
        let material = self.gather(&request, &config).await?;
        let mut reading = Reading {
            panel: self,
            config: &config,
            request: &request,
            reader,
            cancel,
            usage: Usage::default(),
        };
        let (result, withdrawn) = reading.look(&material).await?;
        Ok(ReviewAnswer {
            result,
            usage: reading.usage,
            prompts: Some(prompts_hash()),
            withdrawn,
        })
    }
}

impl Reading<'_> {
    /// The result, and earlier findings of this reviewer that it takes back.
    async fn look(
        &mut self,
        material: &Material,
    ) -> Result<(ReviewerResult, BTreeSet<Fingerprint>), SessionFailure> {
        let prompt = self.prompt(|budget, how| compose(material, budget, &count_tokens, how))?;
        for part in &prompt.left_out {
            tracing::info!(what = %part.what, tokens = part.tokens, "left out of the prompt");
        }
        let now = self.request.now;
        let read = |value: &Value| result(value, material, now);
        let answer = self
            .ask(&prompt, ("review", schema()), "findings", read)
            .await?;
        let withdrawn = answer
            .settled
            .iter()
            .filter(|settled| settled.how == Settlement::Withdrawn)
            .map(|settled| settled.fingerprint.clone())
            .collect();
        let mut restrained = restrain(answer, material);
        for dropped in &restrained.dropped {
            tracing::info!(why = ?dropped.why, title = %dropped.finding.title, "a finding was dropped");
        }
        self.look_again(material, &mut restrained.result).await?;
        Ok((restrained.result, withdrawn))
    }

    /// Findings of this reviewer alone are held against the code by somebody who is told to refute them. What stood before is not tried again.
    async fn look_again(
        &mut self,
        material: &Material,
        result: &mut ReviewerResult,
    ) -> Result<(), SessionFailure> {
        let all = std::slice::from_ref(&*result);
        let known: BTreeSet<(&str, &str)> = material
            .known
            .iter()
            .map(|t| (t.finding.file.as_str(), t.finding.title.as_str()))
            .collect();
        let new = |f: &&Finding| !known.contains(&(f.file.as_str(), f.title.as_str()));
        let doubted: Vec<Finding> = needs_validation(all)
            .into_iter()
            .filter(new)
            .cloned()
            .collect();
        if doubted.is_empty() {
            return Ok(());
        }
        let doubted: Vec<&Finding> = doubted.iter().collect();
        let prompt = self.prompt(|budget, how| {
            validation_prompt(material, &doubted, budget, &count_tokens, how)
        })?;
        let read = |value: &Value| validated(value, &doubted);
        let verdicts = self
            .ask(
                &prompt,
                ("second_look", validation_schema()),
                "verdicts",
                read,
            )
            .await?;
        let refuted: BTreeSet<String> = verdicts
            .into_iter()
            .filter(|verdict| verdict.verdict == SecondVerdict::Refuted)
            .map(|verdict| {
                tracing::info!(reason = %verdict.reason, "a finding was refuted at the second look");
                verdict.finding
            })
            .collect();
        result
            .findings
            .retain(|finding| !refuted.contains(&finding.id));
        result.issues = IssueCounts::of(&result.findings);
        result.conclusion = conclude(result.issues);
        Ok(())
    }

    fn prompt(
        &self,
        put: impl Fn(u32, ReaderKind) -> Result<Prompt, BudgetTooSmall>,
    ) -> Result<Prompt, SessionFailure> {
        let (budget, how) = match &self.reader {
            Reader::Model { context_tokens, .. } => (*context_tokens, ReaderKind::Model),
            Reader::Agent(_) => (AGENT_TOKENS, ReaderKind::Agent),
        };
        put(budget, how).map_err(|error| SessionFailure::Permanent {
            message: format!("{error}: raise `context_tokens` of [llm], or split the pull request"),
        })
    }

    /// Asks, and has the answer repaired once when it has not its shape.
    async fn ask<T>(
        &mut self,
        prompt: &Prompt,
        (name, schema): (&str, Value),
        member: &str,
        read: impl Fn(&Value) -> Result<T, Vec<String>> + Send + Sync,
    ) -> Result<T, SessionFailure> {
        match &self.reader {
            Reader::Model { model, .. } => {
                let ask = Ask {
                    system: prompt.system.clone(),
                    user: prompt.user.clone(),
                    shape: Some(Shape {
                        name: name.to_owned(),
                        schema,
                    }),
                    deadline: DEADLINE,
                };
                let read = |value: &Value| read(value).map_err(|wrong| wrong.join("\n"));
                let asked = self
                    .panel
                    .llm
                    .ask_json(model, &ask, read, &|_| {}, self.cancel)
                    .await;
                let (answer, bill) = match asked {
                    Ok((value, Answer { bill, .. })) => (Ok(value), bill),
                    Err(Failed { failure, bill, .. }) => (Err(model_failure(failure)), bill),
                };
                let prices = prices(self.config)?;
                self.usage += usage_of(&prices, model, &bill);
                answer
            }
            Reader::Agent(spec) => {
                let spec = spec.as_ref().clone();
                self.ask_agent(&spec, prompt, member, read).await
            }
        }
    }

    async fn ask_agent<T>(
        &mut self,
        spec: &AgentSpec,
        prompt: &Prompt,
        member: &str,
        read: impl Fn(&Value) -> Result<T, Vec<String>>,
    ) -> Result<T, SessionFailure> {
        let tree = &self.request.worktree;
        let git = &self.panel.git;
        let shield = git
            .shield(tree, &self.request.base)
            .await
            .map_err(git_failure)?;
        let mut session = None;
        let mut told = 0;
        let whole = [prompt.system.clone(), prompt.user.clone()].concat();
        let mut parts = whole.clone();
        let mut outcome = Err(transient(format!("{} gave no account", spec.name)));
        for last in [false, true] {
            let turn = Turn {
                spec: spec.clone(),
                outside: outside(),
                cwd: tree.path.clone(),
                prompt: parts,
                session: session.take(),
                role: Role::Reviewer,
                limits: Limits {
                    idle: SILENCE,
                    total: DEADLINE,
                    ..Limits::default()
                },
            };
            let end = match run(&turn, trace(&spec.id), self.cancel).await {
                Ok(end) => end,
                Err(failure) => {
                    outcome = Err(agent_failure(failure));
                    break;
                }
            };
            self.usage += usage_of_turn(&end, told);
            told = micros(end.session_cost_usd);
            let account = extract_from_text(&end.text, member).map_err(|wrong| vec![wrong]);
            match account.and_then(|value| read(&value)) {
                Ok(value) => {
                    outcome = Ok(value);
                    break;
                }
                Err(wrong) if last => {
                    outcome = Err(transient(format!(
                        "{} did not answer in the shape that was asked for, nor when asked to repair it ({})",
                        spec.name,
                        wrong.join("; ")
                    )));
                    break;
                }
                Err(wrong) => {
                    session = Some(end.session_id);
                    // All of it again: not every agent goes on with a session.
                    parts = whole.clone();
                    parts.push(repair_prompt(&wrong));
                }
            }
        }
        git.unshield(tree, shield).await.map_err(git_failure)?;
        outcome
    }
}

/// Hears an agent's updates for the diagnostics. What it says is untrusted and long: only its deeds are kept.
pub(super) fn trace(agent: &str) -> impl Fn(Progress) + Send + Sync + 'static {
    let agent = agent.to_owned();
    move |progress| match progress {
        Progress::Started { agent: version } => tracing::info!(agent, ?version, "an agent began"),
        Progress::Session { resumption, .. } => tracing::info!(agent, ?resumption, "a session"),
        Progress::Tool { used } => {
            tracing::info!(agent, tool = ?used.tool, state = ?used.state, "a tool")
        }
        Progress::Plan { done, total } => tracing::info!(agent, done, total, "a plan"),
        Progress::Refused { refusal } => tracing::warn!(agent, ?refusal, "not allowed"),
        Progress::Text { .. } => {}
    }
}

/// The prices that ship, and the user's own `prices.toml` over them.
pub(super) fn prices(config: &Config) -> Result<Prices, SessionFailure> {
    let shipped = Prices::default();
    let wrong = |message: String| SessionFailure::Permanent {
        message: format!("prices.toml in the data folder cannot be used: {message}"),
    };
    match std::fs::read_to_string(config.home.join("prices.toml")) {
        Ok(text) => {
            let own = Prices::read(&text).map_err(|error| wrong(error.to_string()))?;
            Ok(shipped.after(own))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(shipped),
        Err(error) => Err(wrong(error.to_string())),
    }
}

fn usage_of(prices: &Prices, model: &Model, bill: &collie_agents::llm::Bill) -> Usage {
    let cost = prices.cost_micros(model, bill);
    if cost.is_none() {
        tracing::info!(%model, "this model has no price: its cost is not counted");
    }
    let spent = bill.total();
    Usage {
        input_tokens: spent.input_tokens,
        output_tokens: spent.output_tokens,
        cost_micros: cost.unwrap_or(0),
    }
}

/// What an agent tells of one turn. Cached tokens are tokens in. It tells what its whole session has cost: what it had told before, in
/// millionths of a dollar, is not this turn's where it went on with that session.
pub(super) fn usage_of_turn(end: &TurnEnd, told_before: u64) -> Usage {
    let told = end.usage.unwrap_or_default();
    let before = match end.resumption {
        Resumption::Resumed => told_before,
        Resumption::Fresh | Resumption::Lost { .. } => 0,
    };
    Usage {
        input_tokens: told.input_tokens + told.cached_read_tokens + told.cached_write_tokens,
        output_tokens: told.output_tokens,
        cost_micros: micros(end.session_cost_usd).saturating_sub(before),
    }
}

/// Dollars in millionths, rounded up; what is no amount is nothing.
pub(super) fn micros(dollars: Option<f64>) -> u64 {
    let micros = dollars.unwrap_or(0.0) * 1_000_000.0;
    // In range: at most a million dollars, so the conversion neither wraps nor loses its sign.
    if (0.0..=1e12).contains(&micros) {
        micros.ceil() as u64
    } else {
        0
    }
}

fn model_failure(failure: LlmFailure) -> SessionFailure {
    let message = failure.to_string();
    if failure.is_transient() {
        SessionFailure::Transient { message }
    } else {
        SessionFailure::Permanent { message }
    }
}

pub(super) fn agent_failure(failure: AgentFailure) -> SessionFailure {
    let message = failure.to_string();
    // What was cancelled is not asked again by whoever cancelled it.
    if failure.is_transient() || matches!(failure, AgentFailure::Cancelled { .. }) {
        SessionFailure::Transient { message }
    } else {
        SessionFailure::Permanent { message }
    }
}

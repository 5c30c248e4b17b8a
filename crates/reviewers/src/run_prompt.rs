//! Asks a model or an agent, and has the answer repaired once (§4.3).

use super::agent_turn::run_counted_turn;
use super::budget::{PromptBudget, check_agent_budget};
use super::gather::git_failure;
use super::known_secrets::redact_prompt;
use super::observer::{model_observer, session_summary};
use super::review::ReviewSession;
use super::setup::PersonaRunner;
use super::usage::{load_prices, micros_from_dollars, model_usage};
use crate::activity::Activity;
use collie_agents::acp::{
    AgentFailure, AgentRole, AgentSandbox, AgentSpec, TurnLimits, TurnRequest, host_env_vars,
};
use collie_agents::llm::{LlmFailure, LlmRequest, ResponseSchema};
use collie_agents::prompting::{Prompt, extract_json, repair_prompt};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::user_error::UserError;
use collie_engine::ports::ShieldedConfig;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long one question to a model may take. The engine's deadline holds over the whole review.
const PROMPT_DEADLINE: Duration = Duration::from_secs(15 * 60);

/// How long an agent may be silent while it reviews (§2: a read-only reviewer).
const AGENT_IDLE_TIMEOUT: Duration = Duration::from_secs(3 * 60);

impl ReviewSession<'_> {
    /// Asks, and has the answer repaired once when it has not its shape.
    pub(super) async fn run_prompt<T>(
        &self,
        prompt: &Prompt,
        (name, schema): (&str, Value),
        member: &str,
        read: impl Fn(&Value) -> Result<T, Vec<String>> + Send + Sync,
    ) -> Result<T, SessionFailure> {
        match &self.runner {
            PersonaRunner::Model {
                models, taken_over, ..
            } => {
                // Before anything is spent that could not be counted.
                let prices = load_prices(self.config).map_err(SessionFailure::permanent)?;
                self.worker.set_activity(Activity::ReadingPrompt {
                    tokens: prompt.tokens,
                });
                let (meter, now) = (&self.request.meter, self.request.now);
                let budget = Arc::new(PromptBudget::new(meter, &prices, now));
                let ask = LlmRequest {
                    system: redact_prompt(&prompt.system, &self.panel.known_secrets),
                    user: redact_prompt(&prompt.user, &self.panel.known_secrets),
                    shared_user_blocks: prompt.shared_user_parts,
                    response_schema: Some(ResponseSchema {
                        name: name.to_owned(),
                        schema,
                    }),
                    deadline: PROMPT_DEADLINE,
                    spending_gate: Some(budget.clone()),
                };
                let read = |value: &Value| read(value).map_err(|wrong| wrong.join("\n"));
                let observe = model_observer(&self.worker);
                let llm = &self.panel.llm;
                let outcome = llm
                    .complete_json_with(models, &ask, read, &observe, &self.stop)
                    .await;
                for (at, usage) in &outcome.spent {
                    let model = &models[*at];
                    let spent = model_usage(&prices, model, usage, self.request.now);
                    self.request.meter.add(&model.to_string(), spent);
                }
                drop((ask, budget));
                self.worker.set_spent(self.request.meter.total());
                for taken in taken_over.iter().cloned().chain(outcome.take_overs) {
                    self.account().add_take_over(taken);
                }
                outcome.result.map_err(model_failure)
            }
            PersonaRunner::Agent(spec) => {
                let spec = spec.as_ref().clone();
                self.run_agent_prompt(&spec, prompt, member, read).await
            }
        }
    }

    async fn run_agent_prompt<T>(
        &self,
        spec: &AgentSpec,
        prompt: &Prompt,
        member: &str,
        read: impl Fn(&Value) -> Result<T, Vec<String>>,
    ) -> Result<T, SessionFailure> {
        let tree = &self.request.worktree;
        let git = &self.panel.git;
        let shield = git
            .shield(tree, &self.request.base, ShieldedConfig::Agents)
            .await
            .map_err(git_failure)?;
        self.worker.set_activity(Activity::ReadingPrompt {
            tokens: prompt.tokens,
        });
        let outcome = self.run_agent_turns(spec, prompt, member, read).await;
        git.unshield(tree, shield).await.map_err(git_failure)?;
        outcome
    }

    /// Runs a turn, and a second one that repairs the answer where that is needed.
    async fn run_agent_turns<T>(
        &self,
        spec: &AgentSpec,
        prompt: &Prompt,
        member: &str,
        read: impl Fn(&Value) -> Result<T, Vec<String>>,
    ) -> Result<T, SessionFailure> {
        let tree = &self.request.worktree;
        let full_prompt = [prompt.system.clone(), prompt.user.clone()].concat();
        let full_prompt = redact_prompt(&full_prompt, &self.panel.known_secrets);
        let home = tempfile::tempdir().map_err(|error| home_not_made(spec, &error))?;
        let may_write = self.request.author_may_write;
        let sandbox = self
            .panel
            .agent_sandbox(tree, home.path().to_owned(), may_write);
        let mut turn = reviewer_turn(spec, tree.path(), sandbox, full_prompt.clone());
        let mut reported_cost_micros = 0;
        for last in [false, true] {
            let (worker, meter) = (&self.worker, &self.request.meter);
            check_agent_budget(meter).await?;
            let ended =
                run_counted_turn(&turn, worker, meter, reported_cost_micros, &self.stop).await;
            let end = ended.map_err(|broken| agent_failure(broken.failure))?;
            self.account().add(session_summary(&end, &self.worker));
            reported_cost_micros = micros_from_dollars(end.session_cost_usd);
            let account = extract_json(&end.text, member).map_err(|wrong| vec![wrong]);
            match account.and_then(|value| read(&value)) {
                Ok(value) => return Ok(value),
                Err(wrong) if last => {
                    tracing::warn!(
                        agent = spec.name,
                        ?wrong,
                        "an answer had another shape twice"
                    );
                    return Err(agent_gave(ErrorCode::AgentShape, &spec.name));
                }
                Err(wrong) => {
                    self.worker.set_activity(Activity::RepairingAnswer);
                    turn.resume_session_id = Some(end.session_id);
                    // All of it again: not every agent goes on with a session.
                    turn.prompt.clone_from(&full_prompt);
                    turn.prompt.push(repair_prompt(&wrong));
                }
            }
        }
        Err(agent_gave(ErrorCode::AgentNoAccount, &spec.name))
    }
}

/// A turn in which an agent reviews what lies in a folder.
fn reviewer_turn(
    spec: &AgentSpec,
    cwd: &Path,
    sandbox: AgentSandbox,
    prompt: Vec<String>,
) -> TurnRequest {
    TurnRequest {
        spec: spec.clone(),
        env: host_env_vars(),
        cwd: cwd.to_owned(),
        sandbox,
        prompt,
        resume_session_id: None,
        role: AgentRole::Reviewer,
        limits: TurnLimits {
            idle_timeout: AGENT_IDLE_TIMEOUT,
            total_timeout: PROMPT_DEADLINE,
            ..TurnLimits::default()
        },
    }
}

fn home_not_made(spec: &AgentSpec, error: &std::io::Error) -> SessionFailure {
    agent_failure(AgentFailure::NotStarted {
        agent: spec.name.clone(),
        program: spec.command.first().cloned().unwrap_or_default(),
        reason: format!("{}: {error}", std::env::temp_dir().display()),
    })
}

/// An agent that ended its turn without what it was asked for; it may do better next time.
pub(super) fn agent_gave(code: ErrorCode, agent: &str) -> SessionFailure {
    SessionFailure::transient(UserError::new(code).with("agent", agent))
}

fn model_failure(failure: LlmFailure) -> SessionFailure {
    if let LlmFailure::OverBudget { exceeded, .. } = failure {
        return SessionFailure::OverBudget {
            exceeded: *exceeded,
        };
    }
    if failure.is_transient() {
        SessionFailure::transient(failure)
    } else {
        SessionFailure::permanent(failure)
    }
}

pub(super) fn agent_failure(failure: AgentFailure) -> SessionFailure {
    if matches!(failure, AgentFailure::NoSandbox { .. }) {
        return SessionFailure::not_sandboxed(failure);
    }
    // What was cancelled is not asked again by whoever cancelled it.
    if failure.is_transient() || matches!(failure, AgentFailure::Cancelled { .. }) {
        SessionFailure::transient(failure)
    } else {
        SessionFailure::permanent(failure)
    }
}

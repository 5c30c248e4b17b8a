//! Asks a model or an agent, and has the answer repaired once (§4.3).

use super::bill::{micros, prices, usage_of, usage_of_turn};
use super::gather::{git_failure, transient};
use super::hear::{account_of, hear_agent, hear_model};
use super::read::Reading;
use super::setup::Reader;
use crate::activity::Doing;
use collie_agents::acp::{AgentFailure, AgentSpec, Limits, Role, Turn, outside, run};
use collie_agents::llm::{Answer, Ask, Failed, LlmFailure, Shape};
use collie_agents::reading::{Prompt, extract_from_text, repair_prompt};
use collie_core::model::SessionFailure;
use serde_json::Value;
use std::time::Duration;

/// How long one question to a model may take. The engine's deadline holds over the whole review.
const DEADLINE: Duration = Duration::from_secs(15 * 60);

/// How long an agent may be silent while it reviews (§2: a read-only reviewer).
const SILENCE: Duration = Duration::from_secs(3 * 60);

impl Reading<'_> {
    /// Asks, and has the answer repaired once when it has not its shape.
    pub(super) async fn ask<T>(
        &mut self,
        prompt: &Prompt,
        (name, schema): (&str, Value),
        member: &str,
        read: impl Fn(&Value) -> Result<T, Vec<String>> + Send + Sync,
    ) -> Result<T, SessionFailure> {
        match &self.reader {
            Reader::Model { model, .. } => {
                // Before anything is spent that could not be counted.
                let prices = prices(self.config)?;
                self.working.does(Doing::Reads {
                    tokens: prompt.tokens,
                });
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
                    .ask_json(model, &ask, read, &hear_model(&self.working), self.cancel)
                    .await;
                let (answer, bill) = match asked {
                    Ok((value, Answer { bill, .. })) => (Ok(value), bill),
                    Err(Failed { failure, bill, .. }) => (Err(model_failure(failure)), bill),
                };
                self.request.meter.add(usage_of(&prices, model, &bill));
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
        self.working.does(Doing::Reads {
            tokens: prompt.tokens,
        });
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
            let end = match run(
                &turn,
                hear_agent(&spec.id, &tree.path, &self.working),
                self.cancel,
            )
            .await
            {
                Ok(end) => end,
                Err(failure) => {
                    outcome = Err(agent_failure(failure));
                    break;
                }
            };
            self.request.meter.add(usage_of_turn(&end, told));
            self.account.add(account_of(&end, &self.working));
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
                    self.working.does(Doing::Repairs);
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

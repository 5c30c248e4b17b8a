//! Fixes by coding agents (§6.1): one session per pull request, gone on with where the agent can.

use super::Panel;
use super::ask::agent_failure;
use super::bill::{micros, usage_of_turn};
use super::gather::{allowed, git_failure, transient};
use super::hear::{account_of, hear_agent};
use super::sessions::{self, Saved};
use super::setup::{self, AGENT_TOKENS};
use crate::activity::{Doing, FIXER, Working};
use crate::config::Config;
use collie_agents::acp::{Limits, Role, Turn, outside, run};
use collie_agents::llm::count_tokens;
use collie_agents::reading::{FixMaterial, fix_prompt, fix_result, repair_prompt};
use collie_core::model::SessionFailure;
use collie_core::session::{SessionAccount, joined};
use collie_engine::ports::{FixAnswer, FixRequest};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Panel {
    /// Lets an agent work in the worktree, with the settings for agents and tools as the base has them (§9.3).
    pub(super) async fn fix_with(
        &self,
        agent: &str,
        config: &Config,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixAnswer, SessionFailure> {
        let spec = setup::spec(config, agent)?;
        let tree = &request.worktree;
        let working = self.activities.begin(&tree.pull.id, FIXER, &spec.name);
        let guidelines = self.guidelines(tree, &request.base, &request.diff).await?;
        let refusal = request.refusal.as_ref().map(ToString::to_string);
        let allowed = allowed(&request.diff);
        let material = FixMaterial {
            repo: &tree.pull.repo,
            title: &request.title,
            payload: &request.payload,
            refusal: refusal.as_deref(),
            guidelines: &guidelines,
            allowed: &allowed,
            verify: &request.verify,
        };
        let prompt = fix_prompt(&material, AGENT_TOKENS, &count_tokens).map_err(|error| {
            SessionFailure::Permanent {
                message: format!("{error}: the findings are too many for one fix"),
            }
        })?;
        let shield = self
            .git
            .shield(tree, &request.base)
            .await
            .map_err(git_failure)?;
        let turn = Turn {
            spec,
            outside: outside(),
            cwd: tree.path.clone(),
            prompt: [prompt.system, prompt.user].concat(),
            session: None,
            role: Role::Fixer,
            limits: Limits::default(),
        };
        working.does(Doing::Reads {
            tokens: prompt.tokens,
        });
        let worked = self.work(turn, &request, &working, cancel).await;
        self.git.unshield(tree, shield).await.map_err(git_failure)?;
        worked
    }

    /// One turn, and one more when its account has not its shape. What the agent did to the files is not touched in between.
    async fn work(
        &self,
        mut turn: Turn,
        request: &FixRequest,
        working: &Arc<Working>,
        cancel: &CancellationToken,
    ) -> Result<FixAnswer, SessionFailure> {
        let (id, agent) = (&request.worktree.pull.id, turn.spec.id.clone());
        let mut account: Option<SessionAccount> = None;
        let whole = turn.prompt.clone();
        for last in [false, true] {
            let saved = sessions::load(&self.sessions, id, &agent);
            turn.session = saved.as_ref().map(|saved| saved.session.clone());
            let end = run(&turn, hear_agent(&agent, &turn.cwd, working), cancel)
                .await
                .map_err(agent_failure)?;
            request.meter.add(usage_of_turn(
                &end,
                saved.map_or(0, |saved| saved.cost_micros),
            ));
            account = joined(account, Some(account_of(&end, working)));
            let session = Saved {
                agent: agent.clone(),
                session: end.session_id.clone(),
                cost_micros: micros(end.session_cost_usd),
            };
            sessions::save(&self.sessions, id, &session);
            match fix_result(&end.text, &request.payload, &agent) {
                Ok(result) => {
                    return Ok(FixAnswer { result, account });
                }
                Err(wrong) if last => {
                    return Err(transient(format!(
                        "{} gave no account of its fix, nor when asked again ({})",
                        turn.spec.name,
                        wrong.join("; ")
                    )));
                }
                Err(wrong) => {
                    // All of it again: not every agent goes on with a session.
                    working.does(Doing::Repairs);
                    turn.prompt.clone_from(&whole);
                    turn.prompt.push(repair_prompt(&wrong));
                }
            }
        }
        Err(transient(format!(
            "{} gave no account of its fix",
            turn.spec.name
        )))
    }
}

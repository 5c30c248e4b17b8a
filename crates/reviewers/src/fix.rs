//! Fixes by coding agents (§6.1): one session per pull request, gone on with where the agent can.

use super::Panel;
use super::agent_turn::{BrokenTurn, run_counted_turn};
use super::budget::check_agent_budget;
use super::gather::{fixable_paths, git_failure, remark_of};
use super::known_secrets::redact_prompt;
use super::observer::session_summary;
use super::run_prompt::agent_failure;
use super::run_prompt::agent_gave;
use super::saved_sessions::{kept_home, session_broken_at, session_of};
use super::setup::{self, AGENT_PROMPT_TOKENS};
use super::usage::micros_from_dollars;
use crate::activity::{Activity, FIXER_NAME, WorkerHandle};
use collie_agents::acp::{AgentRole, TurnLimits, TurnRequest, host_env_vars};
use collie_agents::llm::count_tokens;
use collie_agents::prompting::{
    FixMaterial, Prompt, Remark, TriedFix, fix_prompt, parse_fix, repair_prompt,
};
use collie_config::Config;
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::finding::{Finding, SourceType};
use collie_core::fix::FixPayload;
use collie_core::session::{AgentSession, SessionSummary, combine_sessions};
use collie_core::snapshot::{Comment, Snapshot};
use collie_engine::ports::{FixRequest, FixResponse, SessionMeter, ShieldedConfig};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Remembers what a session costs by now that a turn without a result has gone on with: the next one counts from there.
fn turn_broke(
    meter: &SessionMeter,
    saved: Option<AgentSession>,
    broken: BrokenTurn,
) -> SessionFailure {
    let session = saved.and_then(|saved| session_broken_at(saved, broken.resumed_cost_micros));
    if let Some(session) = session {
        meter.set_agent_session(session);
    }
    agent_failure(broken.failure)
}

/// What was said before a remark outside of threads, it included: as much of the conversation as is read with a thread.
fn conversation_of(snapshot: &Snapshot, issue: &Finding) -> Option<Vec<Remark>> {
    let is_remark = issue.source.kind == SourceType::Human && issue.file.is_empty();
    let at = |comment: &&Comment| issue.source.timestamp >= comment.updated_at;
    let said = snapshot.comments.iter().filter(at).filter_map(remark_of);
    is_remark.then(|| said.collect())
}

/// What was said in the threads that findings come from, and in the conversation before what was said there (§6.1).
fn threads_of_findings<'p>(
    snapshot: &Snapshot,
    payload: &'p FixPayload,
) -> Vec<(&'p str, Vec<Remark>)> {
    let issues = payload.issues_to_fix.iter().chain(&payload.optional_issues);
    issues
        .filter_map(|issue| {
            let id = issue.source.review_id.as_deref()?;
            let mut threads = snapshot.threads.iter();
            let remarks = match threads.find(|thread| thread.id.to_string() == id) {
                Some(thread) => thread.comments.iter().filter_map(remark_of).collect(),
                None => conversation_of(snapshot, issue)?,
            };
            Some((issue.id.as_str(), remarks))
        })
        .collect()
}

impl Panel {
    /// Lets an agent work in the worktree, with the settings for agents and tools as the base has them (§9.3).
    pub(super) async fn fix_with_agent(
        &self,
        agent: &str,
        config: &Config,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        let spec = setup::require_agent_spec(config, agent)?;
        let tree = &request.worktree;
        let worker = self
            .activities
            .start_worker(&tree.pull().id, FIXER_NAME, &spec.name);
        let prompt = self.compose_fix_prompt(&request).await?;
        let blocks = [prompt.system, prompt.user].concat();
        let shield = self
            .git
            .shield(tree, &request.base, ShieldedConfig::Agents)
            .await
            .map_err(git_failure)?;
        let turn = TurnRequest {
            spec,
            env: host_env_vars(),
            cwd: tree.path().to_owned(),
            sandbox: self.agent_sandbox(
                tree,
                kept_home(&self.sessions, &tree.pull().id, agent),
                // The plan has the setting only for a collaborator's work.
                request.verify.unsandboxed,
            ),
            prompt: redact_prompt(&blocks, &self.known_secrets),
            resume_session_id: None,
            role: AgentRole::Fixer,
            limits: TurnLimits::default(),
        };
        worker.set_activity(Activity::ReadingPrompt {
            tokens: prompt.tokens,
        });
        let answer = self.run_fix_turns(turn, &request, &worker, cancel).await;
        self.git.unshield(tree, shield).await.map_err(git_failure)?;
        answer
    }

    /// What the agent is asked, with what there is to know of the pull request.
    async fn compose_fix_prompt(&self, request: &FixRequest) -> Result<Prompt, SessionFailure> {
        let tree = &request.worktree;
        let guidelines = self.guidelines(tree, &request.base, &request.diff).await?;
        let refusal = request.refusal.as_ref().map(ToString::to_string);
        let allowed = fixable_paths(&request.diff);
        let snapshot = self.pulls.snapshot(tree.pull()).await?;
        let issues = self.pulls.linked_issues(&snapshot).await;
        let threads = threads_of_findings(&snapshot, &request.payload);
        let attempts = request.attempts.iter();
        let attempts: Vec<TriedFix<'_>> = attempts
            .map(|attempt| TriedFix {
                finding_id: &attempt.finding_id,
                patch: &attempt.patch,
                standing_reason: attempt.standing_reason.as_deref(),
            })
            .collect();
        let material = FixMaterial {
            repo: &tree.pull().repo,
            title: request.title.as_raw(),
            description: &snapshot.body,
            issues: &issues,
            threads: &threads,
            payload: &request.payload,
            attempts: &attempts,
            refusal: refusal.as_deref(),
            guidelines: &guidelines,
            allowed_paths: &allowed,
            verify_commands: &request.verify.commands,
        };
        fix_prompt(&material, AGENT_PROMPT_TOKENS, &count_tokens).map_err(SessionFailure::permanent)
    }

    /// One turn, and one more when its account has not its shape. What the agent did to the files is not touched in between.
    async fn run_fix_turns(
        &self,
        mut turn: TurnRequest,
        request: &FixRequest,
        worker: &Arc<WorkerHandle>,
        cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        let agent = turn.spec.id.clone();
        let mut summary: Option<SessionSummary> = None;
        let full_prompt = turn.prompt.clone();
        for last in [false, true] {
            let meter = &request.meter;
            let saved = session_of(&agent, meter.agent_session());
            turn.resume_session_id = saved.as_ref().map(|saved| saved.session.clone());
            let reported = saved.as_ref().map_or(0, |saved| saved.cost_micros);
            check_agent_budget(meter).await?;
            let ended = run_counted_turn(&turn, worker, meter, reported, cancel).await;
            let end = ended.map_err(|broken| turn_broke(meter, saved, broken))?;
            summary = combine_sessions(summary, Some(session_summary(&end, worker)));
            meter.set_agent_session(AgentSession {
                agent: agent.clone(),
                session: end.session_id.clone(),
                cost_micros: micros_from_dollars(end.session_cost_usd),
            });
            match parse_fix(&end.text, &request.payload, &agent) {
                Ok(result) => {
                    return Ok(FixResponse {
                        result,
                        session: summary,
                        independent: false,
                    });
                }
                Err(wrong) if last => {
                    tracing::warn!(agent = turn.spec.name, ?wrong, "no account of a fix, twice");
                    return Err(agent_gave(ErrorCode::AgentNoAccount, &turn.spec.name));
                }
                Err(wrong) => {
                    // All of it again: not every agent goes on with a session.
                    worker.set_activity(Activity::RepairingAnswer);
                    turn.prompt.clone_from(&full_prompt);
                    turn.prompt.push(repair_prompt(&wrong));
                }
            }
        }
        Err(agent_gave(ErrorCode::AgentNoAccount, &turn.spec.name))
    }
}

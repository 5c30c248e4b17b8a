//! Hears models and agents at work: for whoever watches, for the account of the session, and for the diagnostics.

use crate::activity::{Activity, WorkerHandle};
use crate::turn_costs::TurnCosts;
use collie_agents::acp::{
    AgentProgress, RefusalReason, Resumption, Tool, ToolCallState, ToolRefusal, TurnEnd,
};
use collie_agents::llm;
use collie_core::session::{RefusedHosts, SessionSummary, ToolCounts};
use collie_core::text::sanitize_code;
use collie_engine::ports::SessionMeter;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Characters of the name that an agent gives itself; it is stored.
const MAX_AGENT_NAME_CHARS: usize = 100;

/// Shows how far a model's answer is.
pub(super) fn model_observer(
    worker: &Arc<WorkerHandle>,
) -> impl Fn(llm::LlmProgress) + Send + Sync + 'static {
    let worker = worker.clone();
    let attempts = AtomicU64::new(1);
    move |progress| {
        let attempt = u64::from(progress.attempt);
        if attempts.swap(attempt, Ordering::Relaxed) != attempt {
            worker.set_activity(Activity::Retrying {
                attempt: progress.attempt,
            });
        }
        if progress.answer_chars > 0 {
            worker.set_activity(Activity::Writing {
                characters: progress.answer_chars,
            });
        } else if progress.thinking_chars > 0 {
            worker.set_activity(Activity::Thinking {
                characters: progress.thinking_chars,
            });
        }
    }
}

/// Shows what an agent does. What it says is untrusted and long: only its deeds are kept, each on one line.
pub(super) fn agent_observer(
    agent: &str,
    tree: &Path,
    worker: &Arc<WorkerHandle>,
    costs: Arc<TurnCosts>,
    meter: &SessionMeter,
) -> impl Fn(AgentProgress) + Send + Sync + 'static {
    let (agent, worker, meter) = (agent.to_owned(), worker.clone(), meter.clone());
    let tree = tree.display().to_string();
    let written = AtomicU64::new(0);
    move |progress| match progress {
        AgentProgress::Context { .. } | AgentProgress::Spent { .. } => {
            if let Some(spent) = costs.hear(&progress) {
                tracing::info!(agent, ?spent, "an agent told its tokens");
                worker.set_spent(spent);
            }
        }
        AgentProgress::Untaken { setting } => {
            tracing::warn!(agent, ?setting, "an agent did not take a setting");
        }
        AgentProgress::Started { agent: name } => {
            tracing::info!(agent, ?name, "an agent began");
            if let Some(name) = name {
                let name = one_line(&name, &tree);
                worker.set_runs_on(&name.chars().take(MAX_AGENT_NAME_CHARS).collect::<String>());
            }
        }
        AgentProgress::Session { ref resumption, .. } => {
            tracing::info!(agent, ?resumption, "a session");
            costs.hear(&progress);
        }
        AgentProgress::Tool { used } => {
            tracing::info!(agent, tool = ?used.tool, state = ?used.state, "a tool");
            written.store(0, Ordering::Relaxed);
            if matches!(used.state, ToolCallState::Pending | ToolCallState::Running) {
                let title = one_line(&used.title, &tree);
                worker.set_activity(Activity::UsingTool { title });
            }
        }
        AgentProgress::Plan { done, total } => {
            tracing::info!(agent, done, total, "a plan");
            worker.set_activity(Activity::FollowingPlan { done, total });
        }
        AgentProgress::Refused { refusal } => {
            tracing::warn!(agent, ?refusal, "not allowed");
            count_refused_host(&refusal, &meter);
            let title = one_line(&refusal.title, &tree);
            worker.set_activity(Activity::PermissionRefused { title });
        }
        AgentProgress::Text { chunk } => {
            let more = u64::try_from(chunk.chars().count()).unwrap_or(u64::MAX);
            let characters = written.fetch_add(more, Ordering::Relaxed) + more;
            worker.set_activity(Activity::Writing { characters });
        }
    }
}

/// Names a host that an agent was refused, whatever becomes of its turn.
fn count_refused_host(refusal: &ToolRefusal, meter: &SessionMeter) {
    if refusal.reason == RefusalReason::HostNotListed {
        meter.add_refused_hosts(RefusedHosts {
            agent: [sanitize_code(&refusal.title).text].into(),
            ..RefusedHosts::default()
        });
    }
}

/// Untrusted words on one line, without the folder of the checkout.
fn one_line(words: &str, tree: &str) -> String {
    let words = words.replace(&format!("{tree}/"), "").replace(tree, ".");
    let clean = sanitize_code(&words).text;
    let words: Vec<&str> = clean
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect();
    words.join(" ")
}

/// How an agent's turn went.
pub(super) fn session_summary(end: &TurnEnd, worker: &WorkerHandle) -> SessionSummary {
    let mut tools = ToolCounts {
        others: saturating_u32(end.tools_left_out),
        ..ToolCounts::default()
    };
    for used in &end.tools {
        match used.tool {
            Tool::Read | Tool::Search => tools.reads += 1,
            Tool::Edit | Tool::Delete | Tool::Move => tools.edits += 1,
            Tool::Execute => tools.commands += 1,
            Tool::Think | Tool::Fetch | Tool::SwitchMode | Tool::Other => tools.others += 1,
        }
    }
    let (hosts, requests): (Vec<_>, Vec<_>) = end
        .refused
        .iter()
        .partition(|refusal| refusal.reason == RefusalReason::HostNotListed);
    SessionSummary {
        runs_on: worker.runs_on(),
        resumed: end.resumption == Resumption::Resumed,
        tools,
        refused: saturating_u32(requests.len()),
        refused_hosts: hosts
            .iter()
            .map(|refusal| sanitize_code(&refusal.title).text)
            .collect(),
        untaken: end.untaken.iter().cloned().collect(),
        ..SessionSummary::default()
    }
}

pub(super) fn saturating_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{agent_observer, one_line};
    use crate::activity::ActivityRegistry;
    use crate::turn_costs::TurnCosts;
    use collie_agents::acp::{AgentProgress, RefusalReason, Tool, ToolRefusal};
    use collie_core::ids::LoopId;
    use collie_core::session::RefusedHosts;
    use collie_engine::ports::SessionMeter;
    use std::sync::Arc;

    #[test]
    fn hosts_that_an_agent_was_refused_are_known_whatever_becomes_of_its_turn() {
        let id = LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number: 1,
        };
        let worker = Arc::new(ActivityRegistry::default()).start_worker(&id, "quinn", "Fake");
        let meter = SessionMeter::default();
        let costs = Arc::new(TurnCosts::new("Codex", &meter, 0));
        let observe = agent_observer("fake", "/data/tree".as_ref(), &worker, costs, &meter);
        for (title, reason) in [
            ("evil.example:443", RefusalReason::HostNotListed),
            ("rm -rf", RefusalReason::Cancelled),
        ] {
            let refusal = ToolRefusal {
                tool: Tool::Other,
                title: title.into(),
                reason,
            };
            observe(AgentProgress::Refused { refusal });
        }
        let expected = RefusedHosts {
            agent: ["evil.example:443".to_owned()].into(),
            ..RefusedHosts::default()
        };
        assert_eq!(meter.refused_hosts(), expected);
    }

    #[test]
    fn what_an_agent_says_is_one_harmless_line_without_the_folder_of_the_checkout() {
        let check = |said: &str, expect: &str| assert_eq!(one_line(said, "/data/tree"), expect);
        check("Read /data/tree/src/lib.rs", "Read src/lib.rs");
        check("ls /data/tree", "ls .");
        check("cargo test\n  --all\t-q", "cargo test --all -q");
        check(
            "\u{1b}[31mred\u{1b}[0m \u{202e}txt.exe",
            "[31mred[0m txt.exe",
        );
    }
}

//! Hears models and agents at work: for whoever watches, for the account of the session, and for the diagnostics.

use crate::activity::{Doing, Working};
use collie_agents::acp::{Progress, Resumption, Tool, ToolState, TurnEnd};
use collie_agents::llm;
use collie_core::session::{SessionAccount, ToolCounts};
use collie_core::text::sanitize_code;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Characters of the name that an agent gives itself; it is stored.
const MOST_NAME: usize = 100;

/// Shows how far a model's answer is.
pub(super) fn hear_model(working: &Arc<Working>) -> impl Fn(llm::Progress) + Send + Sync + 'static {
    let working = working.clone();
    let attempts = AtomicU64::new(1);
    move |progress| {
        let attempt = u64::from(progress.attempt);
        if attempts.swap(attempt, Ordering::Relaxed) != attempt {
            working.does(Doing::AsksAgain {
                attempt: progress.attempt,
            });
        }
        if progress.written > 0 {
            working.does(Doing::Writes {
                characters: progress.written,
            });
        } else if progress.thought > 0 {
            working.does(Doing::Thinks {
                characters: progress.thought,
            });
        }
    }
}

/// Shows what an agent does. What it says is untrusted and long: only its deeds are kept, each on one line.
pub(super) fn hear_agent(
    agent: &str,
    tree: &Path,
    working: &Arc<Working>,
) -> impl Fn(Progress) + Send + Sync + 'static {
    let (agent, working) = (agent.to_owned(), working.clone());
    let tree = tree.display().to_string();
    let written = AtomicU64::new(0);
    move |progress| match progress {
        Progress::Started { agent: name } => {
            tracing::info!(agent, ?name, "an agent began");
            if let Some(name) = name {
                let name = one_line(&name, &tree);
                working.runs_on(&name.chars().take(MOST_NAME).collect::<String>());
            }
        }
        Progress::Session { resumption, .. } => tracing::info!(agent, ?resumption, "a session"),
        Progress::Tool { used } => {
            tracing::info!(agent, tool = ?used.tool, state = ?used.state, "a tool");
            written.store(0, Ordering::Relaxed);
            match used.state {
                ToolState::Pending | ToolState::Running => working.does(Doing::Uses {
                    title: one_line(&used.title, &tree),
                }),
                ToolState::Done | ToolState::Failed => {}
            }
        }
        Progress::Plan { done, total } => {
            tracing::info!(agent, done, total, "a plan");
            working.does(Doing::Plans { done, total });
        }
        Progress::Refused { refusal } => {
            tracing::warn!(agent, ?refusal, "not allowed");
            working.does(Doing::Refused {
                title: one_line(&refusal.title, &tree),
            });
        }
        Progress::Text { chunk } => {
            let more = u64::try_from(chunk.chars().count()).unwrap_or(u64::MAX);
            let characters = written.fetch_add(more, Ordering::Relaxed) + more;
            working.does(Doing::Writes { characters });
        }
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
pub(super) fn account_of(end: &TurnEnd, working: &Working) -> SessionAccount {
    let mut tools = ToolCounts {
        others: count(end.tools_left_out),
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
    SessionAccount {
        runs_on: working.name(),
        resumed: end.resumption == Resumption::Resumed,
        tools,
        refused: count(end.refused.len()),
        ..SessionAccount::default()
    }
}

pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::one_line;

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

//! Why a loop waits, in words and as data.

use crate::words::McpWords;
use collie_core::lifecycle::State;
use collie_wire::LoopView;
use serde_json::{Value, json};

/// A line for a loop: where it stands and what it waits for.
pub(crate) fn line(view: &LoopView, words: &McpWords) -> String {
    let state = words.shared().state_name(view.state);
    let args = [
        ("pull", view.key.clone().into()),
        ("state", state.into()),
        ("round", view.iteration.into()),
        ("rounds", view.max_iterations.into()),
    ];
    let mut line = words.text("mcp-loop", &args);
    if let Some(blocker) = &view.blocker {
        line.push(' ');
        line.push_str(&blocker.text);
    }
    line
}

/// What keeps a loop from going further, and who can end that.
pub(crate) fn explanation(view: &LoopView, has_engine: bool, words: &McpWords) -> (String, Value) {
    let mut lines = vec![line(view, words)];
    if let Some(blocker) = &view.blocker {
        lines.push(words.plain(match blocker.needs_person {
            true => "mcp-needs-person",
            false => "mcp-continues-alone",
        }));
    }
    if let Some(stop) = &view.error {
        lines.push(stop.message.clone());
        lines.extend(stop.hints.iter().cloned());
    }
    if let Some(holder) = &view.branch_holder {
        lines.push(holder.text.clone());
    } else if let Some(position) = view.queue_position {
        lines.push(words.text("mcp-queued", &[("position", position.into())]));
    }
    if view.state == State::PrReadyToMerge {
        lines.push(words.plain("mcp-ready"));
    } else if view.blocker.is_none() && view.error.is_none() && !view.state.is_terminal() {
        lines.push(words.plain("mcp-at-work"));
    }
    if !has_engine && !view.state.is_terminal() {
        lines.push(words.plain("mcp-no-engine"));
    }
    let data = json!({
        "pull_request": view.key,
        "state": view.state,
        "blocker": view.blocker,
        "stop": view.error,
        "queue_position": view.queue_position,
        "branch_holder": view.branch_holder.as_ref().map(|holder| &holder.pull),
        "next_poll_at": view.next_poll_at,
        "engine_running": has_engine,
    });
    (lines.join("\n"), data)
}

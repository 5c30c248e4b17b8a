//! `replay`: folds the journal of a loop again through the rules of today, and reports the first difference (§10, §14).

use crate::args::ReplayArgs;
use crate::context::Context;
use crate::localize;
use crate::output::Output;
use crate::status::{find_loop, timeline_text, unknown_loop_error};
use crate::terminal_text::TerminalText;
use crate::views::open_loops;
use collie_app::replay::{LoopReplay, ReplayRange, replay, runs};
use collie_core::error_code::ErrorCode;
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::ports::TimelineEntry;
use collie_wire::{ReplayChange, ReplayResult, ReplayedEvent};
use console::Style;
use serde_json::Value;

/// Exit status of a replay that came to something else (§14).
const EXIT_DIFFERS: u8 = 1;

/// So many changes are shown in words; `--json` has all.
const SHOWN_CHANGES: usize = 20;

/// So many columns of a value are shown in words.
const VALUE_COLUMNS: usize = 100;

/// Replays a loop.
pub async fn run(context: &Context, args: ReplayArgs) -> Result<u8, UserError> {
    let state = wanted_loop(context, &args).await?;
    let store = open_loops(context).await?;
    let entries = store.recorded(&state.id).await;
    store.close().await;
    let entries = entries?;
    let count = u32::try_from(runs(&entries).len()).unwrap_or(u32::MAX);
    if let Some(run) = args.run.filter(|run| *run > count) {
        return Err(UserError::new(ErrorCode::NoRun)
            .with("pull", state.pull_name())
            .with("run", run)
            .with("count", count));
    }
    let range = ReplayRange {
        run: args.run,
        to: args.to,
    };
    let found = replay(&entries, range);
    let same = found.result.same;
    if context.output.json {
        found
            .lines()
            .for_each(|line| context.output.print_json(&line));
    } else {
        print_in_words(context, &found);
    }
    Ok(match same {
        Some(false) => EXIT_DIFFERS,
        Some(true) | None => 0,
    })
}

/// The loop that is named, by its pull request or by its identity.
async fn wanted_loop(context: &Context, args: &ReplayArgs) -> Result<LoopState, UserError> {
    if let Some(pull) = &args.pull {
        return find_loop(context, pull).await;
    }
    let id = args.loop_id.as_deref().unwrap_or_default();
    let store = open_loops(context).await?;
    let loops = store.loops().await;
    store.close().await;
    let mut loops = loops?.into_iter();
    loops
        .find(|state| state.id.to_string() == id)
        .ok_or_else(|| unknown_loop_error(&id))
}

fn print_in_words(context: &Context, found: &LoopReplay) {
    let output = &context.output;
    let mut former = None;
    for (entry, event) in &found.events {
        output.print_styled(&event_text(context, entry, event, former));
        former = event.blocker;
    }
    print_result(output, &found.result);
}

/// An entry, and what the rules of today make of it.
fn event_text(
    context: &Context,
    entry: &TimelineEntry,
    event: &ReplayedEvent,
    former: Option<collie_core::blocker::BlockerCode>,
) -> TerminalText {
    let localizer = &context.output.localizer;
    let dim = Style::new().dim();
    let mut text = TerminalText::styled(&dim, format!("{:>6}  ", event.seq));
    text.append(&timeline_text(context, entry));
    let mut told: Vec<String> = Vec::new();
    match event.state {
        None => told.push(localize!(localizer, "cli-replay-not-recorded")),
        Some(state) => {
            told.push(localizer.shared.state_name(state));
            if let Some(blocker) = event.blocker.filter(|code| former != Some(*code)) {
                let code: &str = blocker.into();
                told.push(localize!(localizer, "cli-replay-waits", code = code));
            }
            if event.dropped > 0 {
                let count = event.dropped;
                told.push(localize!(localizer, "cli-replay-dropped", count = count));
            }
        }
    }
    text.push(format!("\n{:27}  ", ""));
    text.push_styled(&dim, told.join(" · "));
    if event.same == Some(false) {
        let differs = localize!(localizer, "cli-replay-differs-here");
        text.push("  ").push_styled(&Style::new().yellow(), differs);
    }
    text
}

fn print_result(output: &Output, result: &ReplayResult) {
    let localizer = &output.localizer;
    if result.not_recorded > 0 {
        let count = result.not_recorded;
        let replayed = result.replayed;
        output.print_text(&localize!(
            localizer,
            "cli-replay-unknown",
            count = count,
            replayed = replayed
        ));
    }
    match (result.same, result.seq) {
        (Some(true), _) => {
            let count = result.replayed;
            output.print_text(&localize!(localizer, "cli-replay-same", count = count));
        }
        (Some(false), Some(seq)) => {
            output.print_text(&localize!(localizer, "cli-replay-differs", seq = seq));
            for change in result.changes.iter().take(SHOWN_CHANGES) {
                output.print_styled(&change_text(output, change));
            }
            let more = result.changes.len().saturating_sub(SHOWN_CHANGES);
            if more > 0 {
                output.print_text(&localize!(localizer, "cli-replay-more", count = more));
            }
        }
        (Some(false) | None, _) => {}
    }
}

fn change_text(output: &Output, change: &ReplayChange) -> TerminalText {
    let shown = |value: &Option<Value>| {
        let nothing = || localize!(output.localizer, "cli-replay-nothing");
        let text = value.as_ref().map_or_else(nothing, Value::to_string);
        TerminalText::plain(text).truncated(VALUE_COLUMNS)
    };
    let mut text = TerminalText::plain("  ");
    text.push_styled(&Style::new().bold(), &change.path);
    text.push("  ").append(&shown(&change.recorded));
    text.push(" → ").append(&shown(&change.replayed));
    text
}

//! `status` and `log`: what the journal knows, read beside a running engine or without one.

use crate::args::LogArgs;
use crate::context::Context;
use crate::output::Output;
use crate::terminal_text::TerminalText;
use crate::views::open_loops;
use crate::{localize, loop_display, loop_format, pause};
use collie_app::clock::now;
use collie_app::engine_client::journal::running_engine;
use collie_app::engine_client::local::redactor;
use collie_app::render::loop_view::loop_view;
use collie_app::render::story::{StoryLine, story};
use collie_app::render::timeline::timeline_line;
use collie_app::spending::spent_on_day;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{PullName, Time};
use collie_core::loop_state::LoopState;
use collie_core::text::KnownSecrets;
use collie_core::user_error::UserError;
use collie_engine::ports::{DaySpending, TimelineEntry};
use collie_wire::{LogLine, LoopView, note_text};
use console::Style;

fn is_loop_of(state: &LoopState, pull: &PullName) -> bool {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    same(state.pull.repo.owner(), pull.repo.owner())
        && same(state.pull.repo.name(), pull.repo.name())
        && state.id.number == pull.number
}

/// As many hex digits of a fingerprint are shown.
const PRINT_CHARS: usize = 8;

/// The loop of a pull request, as the journal has it.
///
/// # Errors
/// There is none, or the journal cannot be read.
pub async fn find_loop(context: &Context, pull: &PullName) -> Result<LoopState, UserError> {
    let mut loops = read_loops(context).await?.into_iter();
    loops
        .find(|state| is_loop_of(state, pull))
        .ok_or_else(|| unknown_loop_error(pull))
}

/// Every loop that the journal has.
///
/// # Errors
/// The journal cannot be read.
pub async fn read_loops(context: &Context) -> Result<Vec<LoopState>, UserError> {
    let store = open_loops(context).await?;
    let loops = store.loops().await;
    store.close().await;
    Ok(loops?)
}

/// Shows one loop, or all.
pub async fn status(context: &Context, pull: Option<&PullName>) -> Result<u8, UserError> {
    let store = open_loops(context).await?;
    let mut loops = store.loops().await?;
    let days = store.spending().await?;
    let pause = store.pause().await?;
    store.close().await;
    let output = &context.output;
    if let Some(pull) = pull {
        loops.retain(|state| is_loop_of(state, pull));
        if loops.is_empty() {
            return Err(unknown_loop_error(pull));
        }
    }
    loops.sort_by_key(|state| (state.pull.repo.to_string(), state.id.number));
    let private = redactor(&context.config, KnownSecrets::default());
    let shown = |state| loop_view(state, None, &output.localizer.shared, &private);
    let views: Vec<LoopView> = loops.iter().map(shown).collect();
    if output.json {
        for view in &views {
            output.print_json(view);
        }
        return Ok(0);
    }
    let engine = running_engine(&context.data)?;
    if views.is_empty() {
        output.print_text(&localize!(output.localizer, "cli-no-loops"));
    } else {
        let views: Vec<&LoopView> = views.iter().collect();
        output.print_styled(&loop_display::loop_table(output, &views));
        if let (Some(_), [view]) = (pull, views.as_slice()) {
            print_autonomy(output, view);
            standing_findings(view).for_each(|line| output.print_text(&line));
        }
    }
    if pull.is_none() {
        print_spent_today(context, &days);
    }
    pause::print(context, pause.as_ref());
    let engine = match engine {
        Some(engine) => {
            let pid = engine
                .pid
                .map_or_else(|| "?".to_owned(), |pid| pid.to_string());
            localize!(output.localizer, "cli-engine-runs", pid = pid)
        }
        None => localize!(output.localizer, "cli-engine-rests"),
    };
    output.print_styled(&TerminalText::styled(&Style::new().dim(), engine));
    Ok(0)
}

/// What of a loop a person may dismiss, with as much of its fingerprint as tells it from others.
fn standing_findings(view: &LoopView) -> impl Iterator<Item = String> {
    let standing = view.findings.iter().filter(|known| known.can_dismiss);
    standing.map(|known| {
        let print: String = known
            .fingerprint
            .as_str()
            .chars()
            .take(PRINT_CHARS)
            .collect();
        let finding = &known.finding;
        let line = finding
            .line
            .map_or(String::new(), |line| format!(":{line}"));
        let priority = finding.priority;
        format!(
            "  {print}  {priority:?}  {}  {}{line}",
            finding.title, finding.file
        )
    })
}

/// What was spent today; nothing where nothing was and no limit is set.
fn print_spent_today(context: &Context, days: &[DaySpending]) {
    let spent = spent_on_day(days, now());
    let output = &context.output;
    let shared = &output.localizer.shared;
    let cost = shared.format_cost(spent.cost());
    let line = match context.config.budget.day.cost_micros {
        None if spent.is_nothing() => return,
        None => localize!(output.localizer, "cli-spent-today", spent = cost),
        Some(limit) => localize!(
            output.localizer,
            "cli-spent-today-limited",
            spent = cost,
            limit = shared.format_limit(limit)
        ),
    };
    output.print_styled(&TerminalText::styled(&Style::new().dim(), line));
}

/// How far Collie goes by itself, and what waits for more.
fn print_autonomy(output: &Output, view: &LoopView) {
    let localizer = &output.localizer;
    output.print_text(&localize!(
        localizer,
        "cli-level",
        level = view.autonomy.name()
    ));
    if !view.held.is_empty() {
        output.print_text(&localize!(localizer, "cli-held", count = view.held.len()));
    }
    for held in &view.held {
        let kind = localizer
            .shared
            .plain(&format!("held-kind-{}", held.kind.name()));
        let heading = match &held.place {
            Some(place) => {
                localize!(localizer, "cli-held-in", kind = kind, place = place.clone())
            }
            None => kind,
        };
        output.print_styled(&TerminalText::styled(&Style::new().bold(), heading));
        output.print_text(without_comments(&held.body));
    }
    if let Some(push) = &view.held_push {
        output.print_text(&localize!(
            localizer,
            "cli-held-push",
            count = push.files.len(),
            commit = push.commit.short().to_owned(),
            names = push.files.join(", ")
        ));
    }
}

/// A body as people see it: what comes after its last line is for programs.
fn without_comments(body: &str) -> &str {
    let end = body
        .find("<!-- pr-review-loop-marker")
        .unwrap_or(body.len());
    body[..end].trim_end()
}

pub fn unknown_loop_error(pull: &impl std::fmt::Display) -> UserError {
    UserError::new(ErrorCode::NoLoop)
        .with("pull", pull)
        .hint(ErrorHint::StartLoop)
}

/// Tells what happened to a loop, or shows every entry of its journal.
pub async fn log(context: &Context, args: &LogArgs) -> Result<u8, UserError> {
    let pull = &args.pull;
    let store = open_loops(context).await?;
    let loops = store.loops().await?;
    let id = loops
        .into_iter()
        .find(|state| is_loop_of(state, pull))
        .map(|state| state.id);
    let entries = match &id {
        Some(id) => store.timeline(id).await?,
        None => return Err(unknown_loop_error(pull)),
    };
    store.close().await;
    if !args.events && !context.output.json {
        for line in story(&entries, &context.output.localizer.shared) {
            context.output.print_styled(&story_text(context, &line));
        }
        return Ok(0);
    }
    for entry in &entries {
        if context.output.json {
            context.output.print_json(&log_line(entry));
        } else {
            context.output.print_styled(&timeline_text(context, entry));
        }
    }
    Ok(0)
}

fn log_line(entry: &TimelineEntry) -> LogLine {
    let notes: Vec<String> = entry.notes.iter().map(note_text).collect();
    LogLine {
        seq: entry.seq,
        at: entry.at.rfc3339(),
        event: entry.event.clone(),
        from: entry.from,
        to: entry.to,
        effects: entry
            .effects
            .iter()
            .map(|effect| effect.effect.clone())
            .collect(),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}

/// `2026-01-31 23:59:59`, by the clock of the machine.
fn local_time(at: Time) -> String {
    jiff::Timestamp::from_millisecond(at.0)
        .map(|at| {
            at.to_zoned(jiff::tz::TimeZone::system())
                .strftime("%Y-%m-%d %H:%M:%S")
                .to_string()
        })
        .unwrap_or_default()
}

/// A line of a loop's story.
fn story_text(context: &Context, line: &StoryLine) -> TerminalText {
    let localizer = &context.output.localizer.shared;
    let (bold, dim) = (Style::new().bold(), Style::new().dim());
    let begun = |at: &Time| {
        let mut text = TerminalText::styled(&dim, local_time(*at));
        text.push("  ");
        text
    };
    match line {
        StoryLine::Run { number, at } => {
            let mut text = begun(at);
            let words = localizer.text("story-run", &[("number", (*number).into())]);
            text.push_styled(&bold, words);
            text
        }
        StoryLine::Round { at, text: words } => {
            let mut text = begun(at);
            text.push(words);
            text
        }
        StoryLine::Remark { text: words, .. } => {
            let mut text = TerminalText::plain(format!("{:19}  ", ""));
            text.push_styled(&dim, words);
            text
        }
        StoryLine::Came {
            at,
            state,
            text: words,
        } => {
            let mut text = begun(at);
            text.push_styled(&loop_format::state_style(*state), words);
            text
        }
    }
}

/// An entry of the journal in words.
pub fn timeline_text(context: &Context, entry: &TimelineEntry) -> TerminalText {
    let localizer = &context.output.localizer;
    let dim = Style::new().dim();
    let shown = timeline_line(entry, &localizer.shared);
    let mut text = TerminalText::styled(&dim, local_time(entry.at));
    text.push("  ").push(&shown.text);
    if entry.from != Some(entry.to) {
        let name = localizer.shared.state_name(entry.to);
        text.push("  → ");
        text.push_styled(&loop_format::state_style(entry.to), name);
    }
    for note in shown.notes {
        text.push(format!("\n{:19}  ", "")).push_styled(&dim, note);
    }
    text
}

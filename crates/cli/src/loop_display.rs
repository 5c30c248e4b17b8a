//! Shows loops while they go on: redrawn in place on a terminal, line by line elsewhere, as JSON when asked for.

use crate::coverage_lines::coverage_lines;
use crate::localize;
use crate::localize::CliLocalizer;
use crate::loop_format;
use crate::output::Output;
use crate::terminal_text::TerminalText;
use collie_core::lifecycle::State;
use collie_wire::{LoopView, WatchLine};
use console::{Alignment, Style, Term};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::time::Instant;

/// The loops that are shown, in the order they were first seen.
pub struct LoopDisplay<'o> {
    output: &'o Output,
    bar: Option<ProgressBar>,
    title: String,
    order: Vec<String>,
    loops: BTreeMap<String, DisplayedLoop>,
    /// What is done on a loop just now.
    activities: BTreeMap<String, String>,
}

struct DisplayedLoop {
    view: LoopView,
    /// When that view was made.
    at: Instant,
    /// The line last printed of it, without its time.
    line: TerminalText,
}

impl<'o> LoopDisplay<'o> {
    /// Begins with nothing to show. `title` stands above the loops.
    pub fn new(output: &'o Output, title: String) -> Self {
        let bar = output.is_interactive().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            bar.set_style(ProgressStyle::with_template("{msg}").expect("a plain template"));
            bar
        });
        if bar.is_none() {
            output.print_text(&title);
        }
        Self {
            output,
            bar,
            title,
            order: Vec::new(),
            loops: BTreeMap::new(),
            activities: BTreeMap::new(),
        }
    }

    /// Takes in what is done on a loop just now; nothing when it is empty. It is seen with the next drawing.
    pub fn set_activity(&mut self, key: String, activity: String) {
        if activity.is_empty() {
            self.activities.remove(&key);
        } else {
            self.activities.insert(key, activity);
        }
    }

    /// Takes in how a loop is now.
    pub fn update_loop(&mut self, view: LoopView) {
        let key = view.key.clone();
        if !self.loops.contains_key(&key) {
            self.order.push(key.clone());
        }
        let shown = self.loops.get(&key);
        let before = shown.map(|shown| shown.line.clone()).unwrap_or_default();
        let was_throttled = shown.is_some_and(|shown| shown.view.throttle.is_some());
        let line = self.loop_line(&view);
        // How much of the budget is left changes with every reading: a line says it once.
        let begins_throttle = view.throttle.as_ref().filter(|_| !was_throttled);
        if self.output.json {
            self.output
                .print_json(&WatchLine::Loop(Box::new(view.clone())));
        } else if self.bar.is_none() && (line != before || begins_throttle.is_some()) {
            let now = jiff::Zoned::now().strftime("%H:%M:%S");
            let mut dated = TerminalText::plain(format!("{now}  "));
            dated.append(&line);
            if let Some(throttle) = begins_throttle {
                dated.push(" · ").push(&throttle.text);
            }
            self.output.print_styled(&dated);
        }
        self.loops.insert(
            key,
            DisplayedLoop {
                view,
                at: Instant::now(),
                line,
            },
        );
        self.draw();
    }

    fn loop_line(&self, view: &LoopView) -> TerminalText {
        let name = self.output.localizer.shared.state_name(view.state);
        let mut line = TerminalText::plain(format!("{}  ", view.key));
        line.push_styled(&loop_format::state_style(view.state), name);
        if let Some(reason) = loop_format::waiting_reason(view).lines().next() {
            line.push(" · ").push(reason);
        }
        let facts = loop_format::checks_and_findings(view);
        if !facts.is_empty() {
            line.push("  [").append(&facts).push("]");
        }
        line
    }

    /// Draws everything anew: called each second as well, for the clocks.
    pub fn draw(&self) {
        let Some(bar) = &self.bar else { return };
        let (rows, columns) = Term::stderr().size();
        let width = usize::from(columns).saturating_sub(1);
        let room = (usize::from(rows).saturating_sub(4) / 2).max(1);
        let mut lines = vec![
            TerminalText::plain(&self.title).truncated(width),
            TerminalText::default(),
        ];
        for key in self.order.iter().take(room) {
            let shown = &self.loops[key];
            lines.extend(loop_format::loop_card(
                &self.output.localizer,
                &shown.view,
                self.activities.get(key).map(String::as_str),
                shown.elapsed_ms(),
                width,
            ));
        }
        let more = self.order.len().saturating_sub(room);
        if more > 0 {
            let text = localize!(self.output.localizer, "cli-more", count = more);
            lines.push(TerminalText::styled(&Style::new().dim(), text));
        }
        self.output
            .show_progress(bar, &TerminalText::join(lines, "\n"));
    }

    /// Ends the drawing without a word.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Ends the drawing and prints how everything stands, as a table.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let views: Vec<&LoopView> = self.order.iter().map(|key| &self.loops[key].view).collect();
        self.output.print_styled(&loop_table(self.output, &views));
    }

    /// The views as they are now, in the order shown.
    pub fn views(&self) -> impl Iterator<Item = &LoopView> {
        self.order.iter().map(|key| &self.loops[key].view)
    }
}

impl DisplayedLoop {
    fn elapsed_ms(&self) -> u64 {
        let since = u64::try_from(self.at.elapsed().as_millis()).unwrap_or(0);
        self.view.elapsed_ms
            + if self.view.state.is_terminal() {
                0
            } else {
                since
            }
    }
}

/// A table of loops: where each stands, its rounds, what was fixed, its time, and below it what a person can do.
pub fn loop_table(output: &Output, views: &[&LoopView]) -> TerminalText {
    let key_width = views
        .iter()
        .map(|view| view.key.chars().count())
        .max()
        .unwrap_or(0)
        .clamp(12, 40);
    let rows = views.iter().flat_map(|view| {
        let row = table_row(output, view, key_width);
        let unread = unread_line(output, view);
        let coverage = view.coverage.iter().zip(&view.head_sha);
        let unseen = coverage.flat_map(|(coverage, head)| coverage_lines(output, head, coverage));
        std::iter::once(row)
            .chain(lines_below(&output.localizer, view))
            .chain(unread)
            .chain(unseen.collect::<Vec<_>>())
    });
    TerminalText::join(rows, "\n")
}

fn table_row(output: &Output, view: &LoopView, key_width: usize) -> TerminalText {
    let localizer = &output.localizer;
    let fixed: u32 = view.rounds.iter().map(|round| round.fixed).sum();
    let name = TerminalText::styled(
        &loop_format::state_style(view.state),
        localizer.shared.state_name(view.state),
    );
    let time = TerminalText::plain(loop_format::format_elapsed(view.elapsed_ms));
    let mut row = TerminalText::plain(&view.key).fitted(key_width, Alignment::Left);
    row.push("  ");
    row.append(&name.fitted(30, Alignment::Left)).push("  ");
    row.append(&time.padded(7, Alignment::Right)).push("  ");
    row.push(localize!(localizer, "cli-rounds", count = view.iteration));
    if fixed > 0 {
        let text = localize!(localizer, "cli-findings-fixed", count = fixed);
        row.push("  ").push(text);
    }
    row
}

/// That nobody has read the change that is ready (§1.5).
fn unread_line(output: &Output, view: &LoopView) -> Option<TerminalText> {
    let is_ready = view.state == State::PrReadyToMerge;
    let is_unread = view.proof.as_ref().is_some_and(|proof| proof.unread);
    let text = localize!(output.localizer, "cli-unread");
    (is_ready && is_unread).then(|| TerminalText::plain(format!("  {text}")))
}

/// What went wrong, why a loop waits or ended, and what a person can do.
fn lines_below(localizer: &CliLocalizer, view: &LoopView) -> Vec<TerminalText> {
    let dim = Style::new().dim();
    let mut lines = Vec::new();
    if view.duplicated_posts > 0 {
        let shared = &localizer.shared;
        let alarm = localize!(shared, "loop-duplicated", count = view.duplicated_posts);
        let mut line = TerminalText::plain("  ");
        lines.push(line.push_styled(&Style::new().red(), &alarm).clone());
    }
    if !matches!(view.state, collie_core::lifecycle::State::PrReadyToMerge)
        && let Some(reason) = loop_format::waiting_reason(view).lines().next()
    {
        let mut line = TerminalText::plain("  ");
        lines.push(line.push_styled(&dim, reason).clone());
    }
    if let Some(throttle) = &view.throttle {
        let mut line = TerminalText::plain("  ");
        lines.push(line.push_styled(&dim, &throttle.text).clone());
    }
    for hint in view.error.iter().flat_map(|error| &error.hints) {
        let mut line = TerminalText::plain("  ");
        lines.push(line.push_styled(&dim, "→").push(" ").push(hint).clone());
    }
    lines
}

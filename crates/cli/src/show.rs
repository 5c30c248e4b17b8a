//! Shows loops while they go on: redrawn in place on a terminal, line by line elsewhere, as JSON when asked for.

use crate::output::Output;
use crate::paint;
use crate::say;
use collie_wire::{Line, LoopView};
use console::{Style, Term, pad_str, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::time::Instant;

/// The loops that are shown, in the order they were first seen.
pub struct Show<'o> {
    out: &'o Output,
    bar: Option<ProgressBar>,
    title: String,
    order: Vec<String>,
    loops: BTreeMap<String, Shown>,
    /// What is done on a loop just now.
    doing: BTreeMap<String, String>,
}

struct Shown {
    view: LoopView,
    /// When that view was made.
    at: Instant,
    /// The line last printed of it, without its time.
    line: String,
}

impl<'o> Show<'o> {
    /// Begins with nothing to show. `title` stands above the loops.
    pub fn new(out: &'o Output, title: String) -> Self {
        let bar = out.is_live().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            bar.set_style(ProgressStyle::with_template("{msg}").expect("a plain template"));
            bar
        });
        if bar.is_none() {
            out.words(&title);
        }
        Self {
            out,
            bar,
            title,
            order: Vec::new(),
            loops: BTreeMap::new(),
            doing: BTreeMap::new(),
        }
    }

    /// Takes in what is done on a loop just now; nothing when it is empty. It is seen with the next drawing.
    pub fn does(&mut self, key: String, doing: String) {
        if doing.is_empty() {
            self.doing.remove(&key);
        } else {
            self.doing.insert(key, doing);
        }
    }

    /// Takes in how a loop is now.
    pub fn update(&mut self, view: LoopView) {
        let key = view.key.clone();
        if !self.loops.contains_key(&key) {
            self.order.push(key.clone());
        }
        let before = self
            .loops
            .get(&key)
            .map(|shown| shown.line.clone())
            .unwrap_or_default();
        let line = self.line(&view);
        if self.out.json {
            self.out.line(&Line::Loop(Box::new(view.clone())));
        } else if self.bar.is_none() && line != before {
            let now = jiff::Zoned::now().strftime("%H:%M:%S");
            self.out.words(&format!("{now}  {line}"));
        }
        self.loops.insert(
            key,
            Shown {
                view,
                at: Instant::now(),
                line,
            },
        );
        self.draw();
    }

    fn line(&self, view: &LoopView) -> String {
        let name = self.out.say.speech.state(view.state);
        let mut line = format!("{}  {}", view.key, paint::style(view.state).apply_to(name));
        let reason = paint::reason(view);
        if !reason.is_empty() {
            line.push_str(" · ");
            line.push_str(reason.lines().next().unwrap_or_default());
        }
        let facts = paint::facts(view);
        if !facts.is_empty() {
            line.push_str(&format!("  [{facts}]"));
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
            truncate_str(&self.title, width, "…").into_owned(),
            String::new(),
        ];
        for key in self.order.iter().take(room) {
            let shown = &self.loops[key];
            lines.extend(paint::card(
                &self.out.say,
                &shown.view,
                self.doing.get(key).map(String::as_str),
                shown.elapsed_ms(),
                width,
            ));
        }
        let more = self.order.len().saturating_sub(room);
        if more > 0 {
            let text = say!(self.out.say, "cli-more", count = more);
            lines.push(Style::new().dim().apply_to(text).to_string());
        }
        bar.set_message(lines.join("\n"));
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
        self.out.words(&table(self.out, &views));
    }

    /// The views as they are now, in the order shown.
    pub fn views(&self) -> impl Iterator<Item = &LoopView> {
        self.order.iter().map(|key| &self.loops[key].view)
    }
}

impl Shown {
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
pub fn table(out: &Output, views: &[&LoopView]) -> String {
    let say = &out.say;
    let key_width = views
        .iter()
        .map(|v| v.key.chars().count())
        .max()
        .unwrap_or(0)
        .clamp(12, 40);
    let mut lines = Vec::new();
    for view in views {
        let fixed: u32 = view.rounds.iter().map(|round| round.fixed).sum();
        let name = say.speech.state(view.state);
        lines.push(
            format!(
                "{}  {}  {}  {}  {}",
                pad_str(&view.key, key_width, console::Alignment::Left, Some("…")),
                paint::style(view.state).apply_to(pad_str(
                    &name,
                    30,
                    console::Alignment::Left,
                    Some("…")
                )),
                pad_str(
                    &paint::clock(view.elapsed_ms),
                    7,
                    console::Alignment::Right,
                    None
                ),
                say!(say, "cli-rounds", count = view.iteration),
                if fixed > 0 {
                    say!(say, "cli-findings-fixed", count = fixed)
                } else {
                    String::new()
                },
            )
            .trim_end()
            .to_owned(),
        );
        let reason = paint::reason(view);
        if !reason.is_empty()
            && !matches!(view.state, collie_core::lifecycle::State::PrReadyToMerge)
        {
            lines.push(format!(
                "  {}",
                Style::new()
                    .dim()
                    .apply_to(reason.lines().next().unwrap_or_default())
            ));
        }
        for hint in view.error.iter().flat_map(|error| &error.hints) {
            lines.push(format!("  {} {hint}", Style::new().dim().apply_to("→")));
        }
    }
    lines.join("\n")
}

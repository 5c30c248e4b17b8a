//! How a loop looks in a terminal: two lines of at most the terminal's width.

use crate::localize;
use crate::localize::CliLocalizer;
use crate::terminal_text::TerminalText;
use collie_core::finding::Priority;
use collie_core::lifecycle::State;
use collie_core::snapshot_summary::CiStatus;
use collie_core::tracked_finding::FindingStatus;
use collie_reviewers::activity::{FIXER_NAME, Worker};
use collie_wire::LoopView;
use console::{Alignment, Style};

/// The least and the greatest width that is used, in columns.
pub const CARD_WIDTHS: std::ops::RangeInclusive<usize> = 60..=100;

/// Columns of the right side: round and time, or checks and findings.
const RIGHT_COLUMN_WIDTH: usize = 29;

/// The colour of a state: it says how the loop stands, and nothing else.
pub fn state_style(state: State) -> Style {
    match state {
        State::PrReadyToMerge | State::Merged => Style::new().green(),
        State::NeedsHuman => Style::new().yellow(),
        State::Failed => Style::new().red(),
        State::Closed | State::Cancelled => Style::new().dim(),
        State::PrCreated | State::PrAwaitingChecks | State::PrReviewing | State::PrFixing => {
            Style::new().cyan()
        }
    }
}

fn state_symbol(state: State) -> &'static str {
    match state {
        State::PrCreated => "○",
        State::PrAwaitingChecks => "◔",
        State::PrReviewing => "◑",
        State::PrFixing => "◕",
        State::PrReadyToMerge | State::Merged => "●",
        State::NeedsHuman => "▲",
        State::Failed => "✗",
        State::Closed | State::Cancelled => "–",
    }
}

/// The two lines of a loop. What somebody does on it just now stands where the reason to wait stands else.
pub fn loop_card(
    localizer: &CliLocalizer,
    view: &LoopView,
    activity: Option<&str>,
    elapsed_ms: u64,
    width: usize,
) -> [TerminalText; 2] {
    let width = width.clamp(*CARD_WIDTHS.start(), *CARD_WIDTHS.end());
    let left = width - RIGHT_COLUMN_WIDTH;
    let style = state_style(view.state);
    let key = first_line(&Style::new().bold(), &view.key, left / 2 - 2);
    let name = localizer.shared.state_name(view.state);
    let mut first = TerminalText::styled(&style, state_symbol(view.state));
    first.push(" ");
    first.append(&key.padded(left / 2 - 2, Alignment::Left));
    first.push(" ");
    first.append(&first_line(&style, &name, left - left / 2 - 1));
    let below = activity.map_or_else(|| waiting_reason_and_throttle(view), str::to_owned);
    let mut second = TerminalText::plain("  ");
    second.append(&first_line(&Style::new().dim(), &below, left - 3));
    let mut right = TerminalText::plain(localize!(
        localizer,
        "cli-round",
        n = view.iteration,
        max = view.max_iterations
    ));
    let time = TerminalText::plain(format_elapsed(elapsed_ms));
    let gap = RIGHT_COLUMN_WIDTH.saturating_sub(right.width() + time.width());
    right.push(" ".repeat(gap)).append(&time);
    [
        join_columns(&first, left, &right),
        join_columns(&second, left, &checks_and_findings(view)),
    ]
}

/// What everybody at work does just now, in words; empty when nobody is.
pub fn workers_text(localizer: &CliLocalizer, workers: &[Worker]) -> String {
    let one = |worker: &Worker| {
        let who = if worker.name == FIXER_NAME {
            localizer.shared.plain("note-worked-fixer")
        } else {
            worker.name.clone()
        };
        let activity = worker.current.1.localized_text(&localizer.shared);
        let doing = match worker.spent_text(&localizer.shared) {
            Some(spent) => format!("{activity} ({spent})"),
            None => activity,
        };
        localize!(localizer, "cli-doing", who = who, doing = doing)
    };
    let all: Vec<String> = workers.iter().map(one).collect();
    all.join(" · ")
}

/// Why it waits or ended, in words.
pub fn waiting_reason(view: &LoopView) -> String {
    if let Some(holder) = &view.branch_holder {
        return holder.text.clone();
    }
    match (&view.blocker, &view.error) {
        (_, Some(error)) => error.message.clone(),
        (Some(blocker), None) => blocker.text.clone(),
        (None, None) => String::new(),
    }
}

/// The same, and why GitHub is read less often than configured.
pub fn waiting_reason_and_throttle(view: &LoopView) -> String {
    let reason = waiting_reason(view);
    let reason = reason.lines().next().unwrap_or_default();
    let throttle = view
        .throttle
        .as_ref()
        .map(|throttle| throttle.text.as_str());
    let parts = [Some(reason).filter(|reason| !reason.is_empty()), throttle];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join(" · ")
}

/// The first line of a text in a style, in at most that many columns.
fn first_line(style: &Style, text: &str, width: usize) -> TerminalText {
    let line = text.split('\n').next().unwrap_or_default();
    TerminalText::styled(style, line).truncated(width)
}

fn join_columns(left: &TerminalText, width: usize, right: &TerminalText) -> TerminalText {
    let mut line = left.padded(width, Alignment::Left);
    line.append(right).trimmed()
}

/// Checks and open findings, short: `✓ 2  ✗ 1  P1 3  P2 1`.
pub fn checks_and_findings(view: &LoopView) -> TerminalText {
    let mut parts = Vec::new();
    let mut part = |count: u32, sign: &str, style: Style| {
        if count > 0 {
            parts.push(TerminalText::styled(&style, format!("{sign} {count}")));
        }
    };
    if view.ci.status != CiStatus::None {
        part(view.ci.passed, "✓", Style::new().green());
        part(view.ci.failed, "✗", Style::new().red());
        part(view.ci.running, "…", Style::new().cyan());
    }
    for (priority, sign) in [
        (Priority::P0, "P0"),
        (Priority::P1, "P1"),
        (Priority::P2, "P2"),
        (Priority::P3, "P3"),
    ] {
        let open = view
            .findings
            .iter()
            .filter(|f| {
                matches!(
                    f.status,
                    FindingStatus::Open | FindingStatus::Claimed | FindingStatus::Stuck
                )
            })
            .filter(|f| f.finding.priority == priority)
            .count();
        part(
            u32::try_from(open).unwrap_or(u32::MAX),
            sign,
            Style::new().yellow(),
        );
    }
    TerminalText::join(parts, "  ").truncated(RIGHT_COLUMN_WIDTH)
}

/// A time as `0:07`, `12:34`, `1:02:03`.
pub fn format_elapsed(ms: u64) -> String {
    let seconds = ms / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

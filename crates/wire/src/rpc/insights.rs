//! What many runs came to (§13.8). Counts, milliseconds and millionths of a dollar; the page formats.

use collie_core::finding::SourceType;
use collie_core::ids::Time;
use collie_core::insights::{
    DateRange, Insights, Period, PeriodUnit, ReviewerFigures, RoundFigures, Spread, Totals,
};
use collie_core::usage::Usage;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The figures of a range of days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct InsightsView {
    /// The days.
    pub range: DayRangeView,
    /// All of them together.
    pub totals: TotalsView,
    /// As many days before; null where the range is all there is.
    pub before: Option<TotalsView>,
    /// What the periods are.
    pub unit: PeriodUnit,
    /// The range in pieces, in order.
    pub periods: Vec<PeriodView>,
    /// Findings by the round that first reported them, in order.
    pub rounds: Vec<RoundFiguresView>,
    /// How runs ended, the most frequent first.
    pub ends: Vec<EndView>,
    /// Who found how much, the most first.
    pub reviewers: Vec<ReviewerFiguresView>,
    /// Spending by model, the most first; without a name what was not recorded by model.
    pub models: Vec<NamedSpendingView>,
    /// Spending by repository, the same way.
    pub repositories: Vec<NamedSpendingView>,
    /// Runs that ended in the range before their findings and reasons were recorded.
    pub unrecorded_runs: u32,
    /// Runs that have not ended: what is counted of ended runs is not counted of them.
    pub ongoing_runs: u32,
    /// Since when these, and models and repositories, are recorded; RFC 3339.
    pub recorded_since: String,
    /// The first day that anything is known of; null while nothing is.
    pub first_day: Option<String>,
    /// Every repository that anything is known of, by name.
    pub all_repositories: Vec<String>,
}

/// Days in a row, as `YYYY-MM-DD`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DayRangeView {
    /// The first.
    pub from: String,
    /// The last.
    pub to: String,
}

/// What a range comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct TotalsView {
    /// Runs that became ready for the first time.
    pub ready: u32,
    /// How long these took from their start.
    pub time_to_ready: Option<SpreadView>,
    /// Runs that ended.
    pub ended: u32,
    /// Those of them that ended merged.
    pub merged: u32,
    /// Findings of runs that ended.
    pub findings: u32,
    /// Those of them that a person may dismiss.
    pub dismissable: u32,
    /// Those of them that a person has dismissed.
    pub dismissed: u32,
    /// What was spent.
    pub spent: SpentView,
}

/// Quartiles of durations, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct SpreadView {
    /// How many there are.
    pub count: u32,
    /// A quarter is at most this.
    #[ts(type = "number")]
    pub lower_ms: u64,
    /// Half is at most this.
    #[ts(type = "number")]
    pub median_ms: u64,
    /// Three quarters are at most this.
    #[ts(type = "number")]
    pub upper_ms: u64,
}

/// Money and tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct SpentView {
    /// Millionths of a dollar, as far as prices are known.
    #[ts(type = "number")]
    pub cost_micros: u64,
    /// Some of it was spent where no price is known, so that it cost more.
    pub unpriced: bool,
    /// Tokens, in and out.
    #[ts(type = "number")]
    pub tokens: u64,
}

/// A piece of a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PeriodView {
    /// Its days that lie in the range.
    pub days: DayRangeView,
    /// Runs that became ready for the first time.
    pub ready: u32,
    /// How long these took from their start.
    pub time_to_ready: Option<SpreadView>,
}

/// What was found in one round, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct RoundFiguresView {
    /// The round, from 1.
    pub round: u32,
    /// How many runs found something there.
    pub runs: u32,
    /// Fixed, and seen to be.
    pub fixed: u32,
    /// Dismissed by a person.
    pub dismissed: u32,
    /// Taken back by who found it, or not fixed and upheld.
    pub declined: u32,
    /// Still open at the end.
    pub open: u32,
}

/// How many runs ended in a way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct EndView {
    /// In which.
    #[ts(type = "\"merged\" | \"closed\" | \"cancelled\" | \"unrecorded\" | StopCode")]
    pub end: &'static str,
    /// How many.
    pub count: u32,
}

/// What one reviewer, linter or bot found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ReviewerFiguresView {
    /// What sort of reviewer.
    pub source: SourceType,
    /// Its name.
    pub name: String,
    /// How much it found.
    pub findings: u32,
    /// How much of that was fixed.
    pub fixed: u32,
    /// How much of that a person dismissed.
    pub dismissed: u32,
}

/// What was spent on one model, or in one repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct NamedSpendingView {
    /// Its name; null where that was not recorded.
    pub name: Option<String>,
    /// How much.
    pub spent: SpentView,
}

/// Which rows are saved as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum InsightsTable {
    /// A row a run.
    Runs,
    /// A row for each day, repository and model.
    Spending,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct SavedFileView {
    /// Where it is.
    pub path: String,
}

impl InsightsView {
    /// Of figures, whose findings are recorded since some time.
    pub fn new(figures: &Insights, recorded_since: Time) -> Self {
        let named = |name: Option<String>, usage: &Usage| NamedSpendingView {
            name,
            spent: usage.into(),
        };
        let models = figures.models.iter();
        let repositories = figures.repositories.iter();
        let ends = figures.ends.iter().map(|(end, count)| EndView {
            end: end.code(),
            count: *count,
        });
        Self {
            range: (&figures.range).into(),
            totals: (&figures.totals).into(),
            before: figures.before.as_ref().map(TotalsView::from),
            unit: figures.unit,
            periods: figures.periods.iter().map(PeriodView::from).collect(),
            rounds: figures.rounds.iter().map(RoundFiguresView::from).collect(),
            ends: ends.collect(),
            reviewers: figures
                .reviewers
                .iter()
                .map(ReviewerFiguresView::from)
                .collect(),
            models: models
                .map(|(name, usage)| named(name.clone(), usage))
                .collect(),
            repositories: repositories
                .map(|(name, usage)| named(name.as_ref().map(ToString::to_string), usage))
                .collect(),
            unrecorded_runs: figures.unrecorded_runs,
            ongoing_runs: figures.ongoing_runs,
            recorded_since: recorded_since.rfc3339(),
            first_day: figures.first_day.map(|day| day.to_string()),
            all_repositories: figures
                .all_repositories
                .iter()
                .map(ToString::to_string)
                .collect(),
        }
    }
}

impl From<&DateRange> for DayRangeView {
    fn from(range: &DateRange) -> Self {
        Self {
            from: range.from.to_string(),
            to: range.to.to_string(),
        }
    }
}

impl From<&Totals> for TotalsView {
    fn from(totals: &Totals) -> Self {
        Self {
            ready: totals.ready,
            time_to_ready: totals.time_to_ready.map(SpreadView::from),
            ended: totals.ended,
            merged: totals.merged,
            findings: totals.findings,
            dismissable: totals.dismissable,
            dismissed: totals.dismissed,
            spent: (&totals.usage).into(),
        }
    }
}

impl From<Spread> for SpreadView {
    fn from(spread: Spread) -> Self {
        Self {
            count: spread.count,
            lower_ms: spread.lower,
            median_ms: spread.median,
            upper_ms: spread.upper,
        }
    }
}

impl From<&Usage> for SpentView {
    fn from(usage: &Usage) -> Self {
        Self {
            cost_micros: usage.cost_micros,
            unpriced: usage.unpriced,
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
        }
    }
}

impl From<&Period> for PeriodView {
    fn from(period: &Period) -> Self {
        Self {
            days: (&period.days).into(),
            ready: period.ready,
            time_to_ready: period.time_to_ready.map(SpreadView::from),
        }
    }
}

impl From<&RoundFigures> for RoundFiguresView {
    fn from(figures: &RoundFigures) -> Self {
        Self {
            round: figures.round,
            runs: figures.runs,
            fixed: figures.fixed,
            dismissed: figures.dismissed,
            declined: figures.declined,
            open: figures.open,
        }
    }
}

impl From<&ReviewerFigures> for ReviewerFiguresView {
    fn from(figures: &ReviewerFigures) -> Self {
        Self {
            source: figures.source,
            name: figures.name.clone(),
            findings: figures.findings,
            fixed: figures.fixed,
            dismissed: figures.dismissed,
        }
    }
}

//! What many runs came to (§13.8): rows of the journal in, figures out.
//!
//! A run counts as ready on the day it first was, and for everything else on the day it ended. What is a count or a sum is the same
//! however a range is split; a median is not.

mod range;
mod record;
mod spread;
#[cfg(test)]
mod tests;

pub use range::{DateRange, InsightsRange, PeriodUnit};
pub use record::{
    FindingCount, FindingOutcome, LoopRun, RunEnd, RunOutcome, RunRecord, RunRow, SpendRow,
};
pub use spread::Spread;

use crate::budget::day_of;
use crate::finding::SourceType;
use crate::ids::{RepoName, Time};
use crate::lifecycle::State;
use crate::tracked_finding::FindingStatus;
use crate::usage::Usage;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};

/// The figures of a range of days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insights {
    /// The days.
    pub range: DateRange,
    /// All of them together.
    pub totals: Totals,
    /// As many days before; none where the range is all there is.
    pub before: Option<Totals>,
    /// What [`Insights::periods`] are.
    pub unit: PeriodUnit,
    /// The range in pieces, in order, without a gap.
    pub periods: Vec<Period>,
    /// Findings by the round that first reported them, in order.
    pub rounds: Vec<RoundFigures>,
    /// How runs ended, the most frequent first.
    pub ends: Vec<(RunEnd, u32)>,
    /// Who found how much, the most first.
    pub reviewers: Vec<ReviewerFigures>,
    /// Spending by model, the most first; without a name what was not recorded by model.
    pub models: Vec<(Option<String>, Usage)>,
    /// Spending by repository, the same way.
    pub repositories: Vec<(Option<RepoName>, Usage)>,
    /// Runs that ended in the range before their findings and reasons were recorded.
    pub unrecorded_runs: u32,
    /// Runs that began by the end of the range and have not ended: what is counted of ended runs is not counted of them.
    pub ongoing_runs: u32,
    /// The first day that anything is known of, in whichever range.
    pub first_day: Option<Date>,
    /// Every repository that anything is known of, by name.
    pub all_repositories: BTreeSet<RepoName>,
}

/// What a range comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Runs that became ready for the first time.
    pub ready: u32,
    /// How long these took from their start.
    pub time_to_ready: Option<Spread>,
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
    pub usage: Usage,
}

/// A piece of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// The days of it that lie in the range.
    pub days: DateRange,
    /// Runs that became ready for the first time.
    pub ready: u32,
    /// How long these took from their start.
    pub time_to_ready: Option<Spread>,
}

/// What was found in one round, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundFigures {
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

/// What one reviewer, linter or bot found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewerFigures {
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

/// The figures of runs and spending in a range; with `repo` of that repository alone.
///
/// What was not recorded by repository cannot be told apart: it is in no repository's figures.
pub fn insights(
    runs: &[RunRow],
    spending: &[SpendRow],
    range: &InsightsRange,
    repo: Option<&RepoName>,
    now: Time,
    zone: &TimeZone,
) -> Insights {
    let day = |at: Time| day_of(at, zone).0;
    let dated: Vec<DatedRun<'_>> = runs.iter().map(|row| DatedRun::of(row, day)).collect();
    let first_day = dated
        .iter()
        .map(|run| run.started)
        .chain(spending.iter().map(|row| row.day))
        .min();
    let all_repositories = runs
        .iter()
        .map(|row| &row.repo)
        .chain(spending.iter().filter_map(|row| row.repo.as_ref()))
        .cloned()
        .collect();
    let wanted = Wanted {
        runs: of_repository(dated, repo, |run| Some(&run.row.repo)),
        spending: of_repository(spending.iter().collect(), repo, |row| row.repo.as_ref()),
    };
    let days = range.days(first_day, day(now));
    let ended = wanted.ended(&days);
    Insights {
        totals: wanted.totals(&days),
        before: range
            .is_bounded()
            .then(|| days.before())
            .flatten()
            .map(|before| wanted.totals(&before)),
        unit: days.unit(),
        periods: days
            .periods()
            .into_iter()
            .map(|days| wanted.period(days))
            .collect(),
        rounds: rounds_of(&ended),
        ends: ends_of(&ended),
        reviewers: reviewers_of(&ended),
        models: wanted.spent_by(&days, |row| row.model.clone()),
        repositories: wanted.spent_by(&days, |row| row.repo.clone()),
        unrecorded_runs: count(ended.iter().filter(|run| run.record.is_none())),
        ongoing_runs: wanted.ongoing(&days),
        range: days,
        first_day,
        all_repositories,
    }
}

/// What is of a repository; everything where none is asked for.
fn of_repository<T>(
    all: Vec<T>,
    repo: Option<&RepoName>,
    repo_of: impl Fn(&T) -> Option<&RepoName>,
) -> Vec<T> {
    let mut all = all;
    all.retain(|one| repo.is_none() || repo_of(one) == repo);
    all
}

/// A run with the days that it counts for.
struct DatedRun<'a> {
    row: &'a RunRow,
    started: Date,
    ready: Option<Date>,
    ended: Option<Date>,
}

impl<'a> DatedRun<'a> {
    fn of(row: &'a RunRow, day: impl Fn(Time) -> Date) -> Self {
        Self {
            row,
            started: day(row.started_at),
            ready: row.ready_at.map(&day),
            ended: row.ended_at.map(&day),
        }
    }
}

/// The rows that figures are asked of.
struct Wanted<'a> {
    runs: Vec<DatedRun<'a>>,
    spending: Vec<&'a SpendRow>,
}

impl<'a> Wanted<'a> {
    fn ended(&self, days: &DateRange) -> Vec<&'a RunRow> {
        let ended = |run: &&DatedRun<'_>| run.ended.is_some_and(|day| days.contains(day));
        self.runs.iter().filter(ended).map(|run| run.row).collect()
    }

    fn ongoing(&self, days: &DateRange) -> u32 {
        let goes_on = |run: &&DatedRun<'_>| run.ended.is_none() && run.started <= days.to;
        count(self.runs.iter().filter(goes_on))
    }

    fn times_to_ready(&self, days: &DateRange) -> Vec<u64> {
        let ready = |run: &&DatedRun<'_>| run.ready.is_some_and(|day| days.contains(day));
        let ready = self.runs.iter().filter(ready);
        ready.filter_map(|run| run.row.time_to_ready()).collect()
    }

    fn period(&self, days: DateRange) -> Period {
        let times = self.times_to_ready(&days);
        Period {
            days,
            ready: count(times.iter()),
            time_to_ready: Spread::of(times),
        }
    }

    fn totals(&self, days: &DateRange) -> Totals {
        let times = self.times_to_ready(days);
        let ended = self.ended(days);
        let mut totals = Totals {
            ready: count(times.iter()),
            time_to_ready: Spread::of(times),
            ended: count(ended.iter()),
            merged: count(ended.iter().filter(|run| run.state == State::Merged)),
            ..Totals::default()
        };
        for found in ended.iter().flat_map(|run| run.findings()) {
            totals.findings += found.count;
            if found.is_by_tool() {
                totals.dismissable += found.count;
                totals.dismissed += found.count_of(FindingStatus::Dismissed);
            }
        }
        for row in self.spent(days) {
            totals.usage += row.usage;
        }
        totals
    }

    fn spent(&self, days: &DateRange) -> impl Iterator<Item = &'a SpendRow> {
        self.spending
            .iter()
            .copied()
            .filter(|row| days.contains(row.day))
    }

    fn spent_by<K: Ord>(
        &self,
        days: &DateRange,
        key: impl Fn(&SpendRow) -> Option<K>,
    ) -> Vec<(Option<K>, Usage)> {
        let mut spent: BTreeMap<Option<K>, Usage> = BTreeMap::new();
        for row in self.spent(days) {
            *spent.entry(key(row)).or_default() += row.usage;
        }
        let mut spent: Vec<_> = spent
            .into_iter()
            .filter(|(_, usage)| !usage.is_nothing())
            .collect();
        let weight = |usage: &Usage| (usage.cost_micros, usage.input_tokens + usage.output_tokens);
        // What has no name is told last, whatever it came to.
        spent.sort_by_key(|(key, usage)| (key.is_none(), std::cmp::Reverse(weight(usage))));
        spent
    }
}

fn rounds_of(ended: &[&RunRow]) -> Vec<RoundFigures> {
    let mut rounds: BTreeMap<u32, RoundFigures> = BTreeMap::new();
    for run in ended {
        let mut seen = BTreeSet::new();
        for found in run.findings() {
            let figures = rounds.entry(found.round).or_default();
            figures.round = found.round;
            figures.runs += u32::from(seen.insert(found.round));
            *match found.outcome() {
                FindingOutcome::Fixed => &mut figures.fixed,
                FindingOutcome::Dismissed => &mut figures.dismissed,
                FindingOutcome::Declined => &mut figures.declined,
                FindingOutcome::Open => &mut figures.open,
            } += found.count;
        }
    }
    rounds.into_values().collect()
}

fn ends_of(ended: &[&RunRow]) -> Vec<(RunEnd, u32)> {
    let mut ends: BTreeMap<&'static str, (RunEnd, u32)> = BTreeMap::new();
    for run in ended {
        let end = run.end();
        ends.entry(end.code()).or_insert((end, 0)).1 += 1;
    }
    let mut ends: Vec<_> = ends.into_values().collect();
    ends.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ends
}

fn reviewers_of(ended: &[&RunRow]) -> Vec<ReviewerFigures> {
    let mut reviewers: BTreeMap<(SourceType, &str), ReviewerFigures> = BTreeMap::new();
    let found = ended.iter().flat_map(|run| run.findings());
    for found in found.filter(|found| found.is_by_tool()) {
        let key = (found.source, found.name.as_str());
        let figures = reviewers.entry(key).or_insert_with(|| ReviewerFigures {
            source: found.source,
            name: found.name.clone(),
            findings: 0,
            fixed: 0,
            dismissed: 0,
        });
        figures.findings += found.count;
        figures.fixed += found.count_of(FindingStatus::Fixed);
        figures.dismissed += found.count_of(FindingStatus::Dismissed);
    }
    let mut reviewers: Vec<_> = reviewers.into_values().collect();
    reviewers.sort_by_key(|figures| std::cmp::Reverse(figures.findings));
    reviewers
}

fn count<T>(of: impl Iterator<Item = T>) -> u32 {
    u32::try_from(of.count()).unwrap_or(u32::MAX)
}

//! What a run comes to: precision, recall, F1, false findings on clean cases, cost and time, each with its interval.

use crate::bootstrap::{bootstrap, quantile};
use crate::interval::{Interval, wilson};
use crate::judging::strongest_verdicts;
use crate::results::{CaseResult, RunResults};
use crate::verdict::{Judgement, Verdict};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the runs of one case came to. Counts of several runs are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CaseCounts {
    pub(crate) case: String,
    pub(crate) clean: bool,
    /// Runs that went to their end.
    pub(crate) runs: u64,
    /// Findings that name a known fault.
    pub(crate) true_findings: u64,
    /// Findings that name nothing that is wrong.
    pub(crate) false_findings: u64,
    /// Known faults, once a run.
    pub(crate) faults: u64,
    /// Those that some finding names.
    pub(crate) found: u64,
    /// In how many runs each fault was found.
    pub(crate) found_by_fault: BTreeMap<String, u64>,
    /// Scored findings that nobody judged.
    pub(crate) unjudged: u64,
    /// What all runs cost, in millionths of a dollar; none where the price of any is unknown.
    pub(crate) cost_micros: Option<u64>,
    /// The time of all runs, in milliseconds.
    pub(crate) ms: u64,
}

/// Counts by case, in the order of the file. Runs that failed are left out.
pub(crate) fn count_cases(results: &RunResults) -> Vec<CaseCounts> {
    let verdicts = strongest_verdicts(&results.verdicts);
    let mut counts: Vec<CaseCounts> = Vec::new();
    for result in results
        .cases
        .iter()
        .filter(|result| result.failure.is_none())
    {
        let at = counts.iter().position(|one| one.case == result.case);
        let at = at.unwrap_or_else(|| {
            counts.push(CaseCounts {
                case: result.case.clone(),
                clean: result.is_clean(),
                cost_micros: Some(0),
                ..CaseCounts::default()
            });
            counts.len() - 1
        });
        count_run(&mut counts[at], result, &verdicts);
    }
    counts
}

fn count_run(
    counts: &mut CaseCounts,
    result: &CaseResult,
    verdicts: &BTreeMap<(&str, u32, &str), &Verdict>,
) {
    counts.runs += 1;
    counts.cost_micros = (counts.cost_micros.zip(result.cost_micros)).map(|(sum, one)| sum + one);
    counts.ms += result.ms;
    let mut found = BTreeSet::new();
    for finding in result.scored_findings() {
        let key = (result.case.as_str(), result.repeat, finding.id.as_str());
        match verdicts.get(&key).map(|verdict| &verdict.judgement) {
            Some(Judgement::Fault { fault }) => {
                counts.true_findings += 1;
                found.insert(fault.as_str());
            }
            Some(Judgement::Valid) => {}
            Some(Judgement::False) => counts.false_findings += 1,
            None => counts.unjudged += 1,
        }
    }
    for fault in &result.faults {
        counts.faults += 1;
        let hit = u64::from(found.contains(fault.id.as_str()));
        counts.found += hit;
        *counts.found_by_fault.entry(fault.id.clone()).or_default() += hit;
    }
}

/// The counts of several cases together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) true_findings: u64,
    pub(crate) false_findings: u64,
    pub(crate) faults: u64,
    pub(crate) found: u64,
}

impl Sums {
    pub(crate) fn of<'a>(counts: impl IntoIterator<Item = &'a CaseCounts>) -> Self {
        counts.into_iter().fold(Self::default(), |sums, one| Self {
            true_findings: sums.true_findings + one.true_findings,
            false_findings: sums.false_findings + one.false_findings,
            faults: sums.faults + one.faults,
            found: sums.found + one.found,
        })
    }

    /// The share of the findings that are true; none where there are none.
    pub(crate) fn precision(self) -> Option<f64> {
        share(self.true_findings, self.true_findings + self.false_findings)
    }

    /// The share of the faults that were found; none where there are none.
    pub(crate) fn recall(self) -> Option<f64> {
        share(self.found, self.faults)
    }

    /// The harmonic mean of both; 0 for who finds nothing, none where there is nothing to find.
    pub(crate) fn f1(self) -> Option<f64> {
        let recall = self.recall()?;
        let precision = self.precision().unwrap_or(0.0);
        let sum = precision + recall;
        Some(if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        })
    }
}

pub(crate) fn share(hits: u64, of: u64) -> Option<f64> {
    // Counts are far below 2^53.
    (of > 0).then(|| hits as f64 / of as f64)
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// Where it probably lies, at 95 %.
    pub interval: Option<Interval>,
}

/// What came of the clean cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CleanFigures {
    /// How many there are.
    pub cases: u64,
    /// Runs of them without any finding that counts, and all runs.
    pub silent: (u64, u64),
    /// False findings a run.
    pub false_findings: Option<Figure>,
    /// The share of runs without any.
    pub silent_share: Option<Figure>,
}

/// What was spent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spending {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// In millionths of a dollar; none where the price of any run is unknown.
    pub cost_micros: Option<u64>,
    /// The time of all runs together, in milliseconds.
    pub total_ms: u64,
    /// The time of the run in the middle.
    pub median_ms: u64,
    /// What a run costs, in millionths of a dollar: the mean; none where the price of any run is unknown.
    pub run_cost_micros: Option<Figure>,
    /// How long a run takes, in milliseconds: the mean.
    pub run_ms: Option<Figure>,
}

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Cases with a result.
    pub cases: u64,
    /// Runs with a result.
    pub runs: u64,
    /// Cases and repeats without one.
    pub failed: Vec<(String, u32)>,
    /// Findings that name a known fault.
    pub true_findings: u64,
    /// Findings that name nothing that is wrong.
    pub false_findings: u64,
    /// Findings that nobody judged: they are in no figure.
    pub unjudged: u64,
    /// Known faults found, once a run, and all of them.
    pub found: (u64, u64),
    /// The share of the findings that are true.
    pub precision: Option<Figure>,
    /// The share of the faults that were found.
    pub recall: Option<Figure>,
    /// The harmonic mean of both.
    pub f1: Option<Figure>,
    /// What came of the clean cases.
    pub clean: CleanFigures,
    /// Faults found and known, by their kind.
    pub by_kind: BTreeMap<String, (u64, u64)>,
    /// What was spent.
    pub spending: Spending,
}

/// What a run comes to.
///
/// Proportions of cases that were run once have the score interval. Runs of one case are alike, so that with several of each the cases are
/// drawn, not the runs.
pub fn figures(results: &RunResults) -> Figures {
    let counts = count_cases(results);
    let sums = Sums::of(&counts);
    let once = counts.iter().all(|one| one.runs == 1);
    let drawn = |figure: fn(Sums) -> Option<f64>| {
        bootstrap(counts.len(), |drawn| {
            figure(Sums::of(drawn.iter().map(|at| &counts[*at])))
        })
    };
    let proportion = |hits, of, figure: fn(Sums) -> Option<f64>| {
        Some(Figure {
            value: share(hits, of)?,
            interval: if once {
                wilson(hits, of)
            } else {
                drawn(figure)
            },
        })
    };
    let findings = sums.true_findings + sums.false_findings;
    let ended = || results.cases.iter().filter(|one| one.failure.is_none());
    Figures {
        cases: counts.len() as u64,
        runs: ended().count() as u64,
        failed: results
            .cases
            .iter()
            .filter(|one| one.failure.is_some())
            .map(|one| (one.case.clone(), one.repeat))
            .collect(),
        true_findings: sums.true_findings,
        false_findings: sums.false_findings,
        unjudged: counts.iter().map(|one| one.unjudged).sum(),
        found: (sums.found, sums.faults),
        precision: proportion(sums.true_findings, findings, Sums::precision),
        recall: proportion(sums.found, sums.faults, Sums::recall),
        f1: sums.f1().map(|value| Figure {
            value,
            interval: drawn(Sums::f1),
        }),
        clean: clean_figures(results, &counts, once),
        by_kind: by_kind(results, &counts),
        spending: spending(results, &counts),
    }
}

/// Of some cases, what a run costs in millionths of a dollar; none where there is no run, or the price of any is unknown.
pub(crate) fn mean_cost<'a>(counts: impl IntoIterator<Item = &'a CaseCounts>) -> Option<f64> {
    let sums = counts.into_iter().try_fold((0, 0), |(cost, runs), one| {
        Some((cost + one.cost_micros?, runs + one.runs))
    });
    sums.and_then(|(cost, runs)| share(cost, runs))
}

/// Of some cases, how long a run takes in milliseconds; none where there is no run.
pub(crate) fn mean_ms<'a>(counts: impl IntoIterator<Item = &'a CaseCounts>) -> Option<f64> {
    let sums = counts
        .into_iter()
        .fold((0, 0), |(ms, runs), one| (ms + one.ms, runs + one.runs));
    share(sums.0, sums.1)
}

fn clean_figures(results: &RunResults, counts: &[CaseCounts], once: bool) -> CleanFigures {
    let clean: Vec<&CaseCounts> = counts.iter().filter(|one| one.clean).collect();
    let runs: u64 = clean.iter().map(|one| one.runs).sum();
    let wrong: u64 = clean.iter().map(|one| one.false_findings).sum();
    let silent_runs = |case: &str| {
        let of_case = |one: &&CaseResult| one.case == case && one.failure.is_none();
        let all = results.cases.iter().filter(of_case);
        all.filter(|one| one.scored_findings().next().is_none())
            .count() as u64
    };
    let silent_by_case: Vec<u64> = clean.iter().map(|one| silent_runs(&one.case)).collect();
    let silent = silent_by_case.iter().sum();
    let over_runs = |drawn: &[usize], of: &dyn Fn(usize) -> u64| {
        let runs = drawn.iter().map(|at| clean[*at].runs).sum();
        share(drawn.iter().map(|at| of(*at)).sum(), runs)
    };
    let draw = |of: &dyn Fn(usize) -> u64| bootstrap(clean.len(), |drawn| over_runs(drawn, of));
    CleanFigures {
        cases: clean.len() as u64,
        silent: (silent, runs),
        false_findings: share(wrong, runs).map(|value| Figure {
            value,
            interval: draw(&|at| clean[at].false_findings),
        }),
        silent_share: share(silent, runs).map(|value| Figure {
            value,
            interval: if once {
                wilson(silent, runs)
            } else {
                draw(&|at| silent_by_case[at])
            },
        }),
    }
}

fn by_kind(results: &RunResults, counts: &[CaseCounts]) -> BTreeMap<String, (u64, u64)> {
    let mut by_kind: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for one in counts {
        let result = results.cases.iter().find(|result| result.case == one.case);
        for fault in result.iter().flat_map(|result| &result.faults) {
            let entry = by_kind.entry(fault.kind.clone()).or_default();
            entry.0 += one.found_by_fault.get(&fault.id).copied().unwrap_or(0);
            entry.1 += one.runs;
        }
    }
    by_kind
}

fn spending(results: &RunResults, counts: &[CaseCounts]) -> Spending {
    // Cases cost and take differently, so that they are drawn, whatever the number of their runs.
    let mean = |figure: &dyn Fn(&mut dyn Iterator<Item = &CaseCounts>) -> Option<f64>| {
        Some(Figure {
            value: figure(&mut counts.iter())?,
            interval: bootstrap(counts.len(), |drawn| {
                figure(&mut drawn.iter().map(|at| &counts[*at]))
            }),
        })
    };
    let ended = || results.cases.iter().filter(|one| one.failure.is_none());
    let mut times: Vec<f64> = ended().map(|one| one.ms as f64).collect();
    times.sort_by(f64::total_cmp);
    Spending {
        input_tokens: ended().map(|one| one.tokens.input).sum(),
        output_tokens: ended().map(|one| one.tokens.output).sum(),
        cost_micros: ended().map(|one| one.cost_micros).sum(),
        total_ms: ended().map(|one| one.ms).sum(),
        median_ms: match times.is_empty() {
            true => 0,
            false => quantile(&times, 0.5).round() as u64,
        },
        run_cost_micros: mean(&|counts| mean_cost(counts)),
        run_ms: mean(&|counts| mean_ms(counts)),
    }
}

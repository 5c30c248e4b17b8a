//! Two runs case by case: what differs, and whether it is more than noise.

use crate::bootstrap::bootstrap;
use crate::figures::{CaseCounts, Sums, count_cases, mean_cost, mean_ms, share};
use crate::interval::{Interval, mcnemar_exact};
use crate::results::RunResults;
use serde::Serialize;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The share of the findings that are true.
    Precision,
    /// The share of the faults that were found.
    Recall,
    /// The harmonic mean of both.
    F1,
    /// False findings on a clean case.
    CleanFalseFindings,
    /// What a run costs, in millionths of a dollar.
    RunCost,
    /// How long a run takes, in milliseconds.
    RunTime,
}

/// How a figure of the second run differs from that of the first, on the cases that both ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Which figure.
    pub metric: Metric,
    /// In the first.
    pub first: f64,
    /// In the second.
    pub second: f64,
    /// Where the difference, the second less the first, probably lies, at 95 %.
    pub interval: Option<Interval>,
}

impl Difference {
    /// Whether chance alone would hardly make it: the interval leaves zero out.
    pub fn is_more_than_noise(&self) -> bool {
        self.interval
            .is_some_and(|interval| !interval.contains(0.0))
    }
}

/// A case that came out differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairedCase {
    /// The case.
    pub case: String,
    /// Faults that the first found in most of its runs, and the second did not.
    pub only_first: Vec<String>,
    /// Faults that the second found in most of its runs, and the first did not.
    pub only_second: Vec<String>,
    /// False findings of all runs of the first, and how many runs there were.
    pub false_first: (u64, u64),
    /// The same of the second.
    pub false_second: (u64, u64),
}

/// Two runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Cases that both ran.
    pub cases: u64,
    /// Cases that one of them alone ran: they are in no figure.
    pub unpaired: Vec<String>,
    /// How the figures differ; one that cannot be made of both is left out.
    pub differences: Vec<Difference>,
    /// Faults that the first alone found in most of its runs.
    pub only_first: u64,
    /// Faults that the second alone found.
    pub only_second: u64,
    /// How probable so uneven a pair is where both are equally good (McNemar, exact).
    pub mcnemar_p: f64,
    /// The cases that came out differently.
    pub changed: Vec<PairedCase>,
}

impl Comparison {
    /// How F1 differs: what decides which is better.
    pub fn f1(&self) -> Option<&Difference> {
        self.differences
            .iter()
            .find(|difference| difference.metric == Metric::F1)
    }
}

type Pair = (CaseCounts, CaseCounts);

/// Puts two runs side by side.
pub fn compare(first: &RunResults, second: &RunResults) -> Comparison {
    let (pairs, unpaired) = pair(count_cases(first), count_cases(second));
    let pooled = |figure: fn(Sums) -> Option<f64>| {
        move |chosen: &[&Pair]| {
            let one = figure(Sums::of(chosen.iter().map(|pair| &pair.0)))?;
            let other = figure(Sums::of(chosen.iter().map(|pair| &pair.1)))?;
            Some((one, other))
        }
    };
    // A reviewer that says nothing has no precision: half of the draws without one leave the interval open.
    let differences = [
        difference(Metric::Precision, &pairs, pooled(Sums::precision)),
        difference(Metric::Recall, &pairs, pooled(Sums::recall)),
        difference(Metric::F1, &pairs, pooled(Sums::f1)),
        difference(Metric::CleanFalseFindings, &pairs, clean_rates),
        difference(Metric::RunCost, &pairs, |chosen| {
            let first = mean_cost(chosen.iter().map(|pair| &pair.0))?;
            Some((first, mean_cost(chosen.iter().map(|pair| &pair.1))?))
        }),
        difference(Metric::RunTime, &pairs, |chosen| {
            let first = mean_ms(chosen.iter().map(|pair| &pair.0))?;
            Some((first, mean_ms(chosen.iter().map(|pair| &pair.1))?))
        }),
    ];
    let changed: Vec<PairedCase> = pairs.iter().filter_map(paired_case).collect();
    let count = |faults: fn(&PairedCase) -> &Vec<String>| {
        changed.iter().map(|case| faults(case).len() as u64).sum()
    };
    let (only_first, only_second) = (
        count(|case| &case.only_first),
        count(|case| &case.only_second),
    );
    Comparison {
        cases: pairs.len() as u64,
        unpaired,
        differences: differences.into_iter().flatten().collect(),
        only_first,
        only_second,
        mcnemar_p: mcnemar_exact(only_first, only_second),
        changed,
    }
}

/// Cases of both, and the names of those that one alone has.
fn pair(first: Vec<CaseCounts>, mut second: Vec<CaseCounts>) -> (Vec<Pair>, Vec<String>) {
    let (mut pairs, mut unpaired) = (Vec::new(), Vec::new());
    for one in first {
        match second.iter().position(|other| other.case == one.case) {
            Some(at) => pairs.push((one, second.remove(at))),
            None => unpaired.push(one.case),
        }
    }
    unpaired.extend(second.into_iter().map(|other| other.case));
    (pairs, unpaired)
}

fn difference(
    metric: Metric,
    pairs: &[Pair],
    figures: impl Fn(&[&Pair]) -> Option<(f64, f64)>,
) -> Option<Difference> {
    let all: Vec<&Pair> = pairs.iter().collect();
    let (first, second) = figures(&all)?;
    let interval = bootstrap(pairs.len(), |drawn| {
        let chosen: Vec<&Pair> = drawn.iter().map(|at| &pairs[*at]).collect();
        figures(&chosen).map(|(one, other)| other - one)
    });
    Some(Difference {
        metric,
        first,
        second,
        interval,
    })
}

fn clean_rates(chosen: &[&Pair]) -> Option<(f64, f64)> {
    let rate = |of: fn(&Pair) -> &CaseCounts| {
        let clean = chosen.iter().map(|pair| of(pair)).filter(|one| one.clean);
        let (wrong, runs) = clean.fold((0, 0), |(wrong, runs), one| {
            (wrong + one.false_findings, runs + one.runs)
        });
        share(wrong, runs)
    };
    Some((rate(|pair| &pair.0)?, rate(|pair| &pair.1)?))
}

/// A case, if it came out differently.
fn paired_case((one, other): &Pair) -> Option<PairedCase> {
    let found_mostly = |counts: &CaseCounts, fault: &str| {
        let times = counts.found_by_fault.get(fault).copied().unwrap_or(0);
        times * 2 > counts.runs
    };
    let only = |a: &CaseCounts, b: &CaseCounts| -> Vec<String> {
        let faults = a.found_by_fault.keys();
        let mine = |fault: &&String| found_mostly(a, fault) && !found_mostly(b, fault);
        faults.filter(mine).cloned().collect()
    };
    let case = PairedCase {
        case: one.case.clone(),
        only_first: only(one, other),
        only_second: only(other, one),
        false_first: (one.false_findings, one.runs),
        false_second: (other.false_findings, other.runs),
    };
    let same_noise = one.false_findings * other.runs == other.false_findings * one.runs;
    let same = case.only_first.is_empty() && case.only_second.is_empty() && same_noise;
    (!same).then_some(case)
}

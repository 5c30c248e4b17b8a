//! The file of a run: one JSON object a line, first what ran, then what came of each case, then verdicts (docs/eval.md).

use crate::case::Fault;
use crate::verdict::{Judge, Verdict};
use collie_core::error_code::ErrorCode;
use collie_core::finding::{FindingKind, Priority};
use collie_core::user_error::UserError;
use serde::{Deserialize, Serialize};

/// The form of these files.
const FORMAT: u32 = 1;

/// What ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The form of the file.
    pub format: u32,
    /// The name of the set.
    pub set: String,
    /// What tells this state of the set from another.
    pub set_hash: String,
    /// Who was asked.
    pub persona: String,
    /// What tells the persona's words from others; none for the rules.
    pub persona_hash: Option<String>,
    /// What it ran on: `rules`, a provider and a model, an agent.
    pub runs_on: String,
    /// What tells the prompts from others; none for the rules.
    pub prompts: Option<String>,
    /// Collie's version.
    pub version: String,
    /// How often each case was run.
    pub repeats: u32,
    /// In thousandths; none for the provider's own.
    pub temperature: Option<u16>,
    /// The longest answer, in tokens; none for the rules and agents.
    pub max_tokens: Option<u32>,
}

impl RunHeader {
    /// The form that this version writes.
    pub const FORMAT: u32 = FORMAT;
}

/// What was spent, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTokens {
    /// Read.
    pub input: u64,
    /// Written.
    pub output: u64,
}

/// A finding of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanFinding {
    /// Its name in this result: `1`, `2`, …
    pub id: String,
    /// How much it weighs.
    pub priority: Priority,
    /// What sort of remark it is.
    pub kind: FindingKind,
    /// Its category, as the reviewer names it.
    pub category: String,
    /// The file; empty where it concerns none.
    pub file: String,
    /// The line at the head.
    pub line: Option<u32>,
    /// One line.
    pub title: String,
    /// The reasons.
    pub description: String,
    /// How sure its reviewer is, in thousandths.
    pub confidence: u16,
    /// Whether it would have been posted on its line.
    pub inline: bool,
}

impl RanFinding {
    /// Whether it claims that something is wrong. A question and praise do not, and are not counted.
    pub fn is_scored(&self) -> bool {
        match self.kind {
            FindingKind::Error | FindingKind::Suggestion | FindingKind::Nitpick => true,
            FindingKind::Question | FindingKind::Praise => false,
        }
    }
}

/// Why a case was not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseFailure {
    /// What programs branch on.
    pub code: String,
    /// In English.
    pub message: String,
}

/// What came of one run of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The case.
    pub case: String,
    /// The number of the run of this case, from 0.
    pub repeat: u32,
    /// What is known to be wrong; none for a clean case.
    pub faults: Vec<Fault>,
    /// What the reviewer found.
    pub findings: Vec<RanFinding>,
    /// What was spent.
    pub tokens: RunTokens,
    /// What it cost, in millionths of a dollar; none where the price is unknown.
    pub cost_micros: Option<u64>,
    /// How long it took, in milliseconds. Of recorded and replayed runs the time that the model took to answer.
    pub ms: u64,
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<CaseFailure>,
}

impl CaseResult {
    /// Findings that count.
    pub fn scored_findings(&self) -> impl Iterator<Item = &RanFinding> {
        self.findings.iter().filter(|finding| finding.is_scored())
    }

    /// Whether nothing was known to be wrong.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }
}

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResults {
    /// What ran.
    pub header: RunHeader,
    /// What came of it, by case and repeat.
    pub cases: Vec<CaseResult>,
    /// What was said of the findings, in the order in which it was said.
    pub verdicts: Vec<Verdict>,
}

impl RunResults {
    /// Puts cases and verdicts into an order that does not depend on when each came, the cases by their place in `order`.
    pub fn sort(&mut self, order: &[String]) {
        let place = |case: &str| order.iter().position(|id| id == case);
        self.cases
            .sort_by_key(|result| (place(&result.case), result.repeat));
        let judge = |judge: &Judge| match judge {
            Judge::Place { .. } => 0,
            Judge::Model { .. } => 1,
            Judge::Hand => 2,
        };
        self.verdicts
            .sort_by_key(|verdict| (place(&verdict.case), verdict.repeat, judge(&verdict.judge)));
    }

    /// Whether this run of this case is there, however it ended.
    pub fn is_over(&self, case: &str, repeat: u32) -> bool {
        let mut cases = self.cases.iter();
        cases.any(|result| result.case == case && result.repeat == repeat)
    }

    /// Whether this run of this case is there, and did not fail.
    pub fn has(&self, case: &str, repeat: u32) -> bool {
        self.cases.iter().any(|result| {
            result.case == case && result.repeat == repeat && result.failure.is_none()
        })
    }
}

/// One line of a file.
#[derive(Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Run(RunHeader),
    Case(CaseResult),
    Verdict(Verdict),
}

/// A file of a run that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ResultsError {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub message: String,
}

impl From<ResultsError> for UserError {
    fn from(error: ResultsError) -> Self {
        UserError::new(ErrorCode::EvalResultsInvalid)
            .with("file", error.file)
            .with("line", error.line)
            .with("message", error.message)
    }
}

/// Reads the file of a run. A last line without its end was being written when something ended the run: it is left out.
pub fn parse_results(file: &str, text: &str) -> Result<RunResults, ResultsError> {
    let wrong = |at: usize, message: String| ResultsError {
        file: file.to_owned(),
        line: at as u64 + 1,
        message,
    };
    let (mut header, mut cases, mut verdicts) = (None, Vec::<CaseResult>::new(), Vec::new());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let read = match serde_json::from_str(line) {
            Ok(read) => read,
            Err(_) if !line.ends_with('\n') && at > 0 => break,
            Err(error) => return Err(wrong(at, error.to_string())),
        };
        match read {
            Line::Run(run) if run.format > FORMAT => {
                let message = format!(
                    "a later version of Collie wrote this (format {})",
                    run.format
                );
                return Err(wrong(at, message));
            }
            Line::Run(run) => header = Some(run),
            Line::Case(result) => {
                // Run once more after it failed.
                cases.retain(|other| (&other.case, other.repeat) != (&result.case, result.repeat));
                cases.push(result);
            }
            Line::Verdict(verdict) => verdicts.push(verdict),
        }
    }
    Ok(RunResults {
        header: header.ok_or_else(|| wrong(0, "there is no line of type `run`".to_owned()))?,
        cases,
        verdicts,
    })
}

/// Writes the file of a run.
pub fn write_results(results: &RunResults) -> String {
    let header = [Line::Run(results.header.clone())].into_iter();
    let cases = results.cases.iter().cloned().map(Line::Case);
    let verdicts = results.verdicts.iter().cloned().map(Line::Verdict);
    header
        .chain(cases)
        .chain(verdicts)
        .map(|line| serde_json::to_string(&line).expect("lines are plain data") + "\n")
        .collect()
}

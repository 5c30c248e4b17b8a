//! Verdicts by hand: a file of lines that a person fills in, one a finding.

use crate::case::{Fault, LineRange};
use crate::judging::{candidate_faults, strongest_verdicts};
use crate::results::{ResultsError, RunResults};
use crate::verdict::{Judge, Judgement, Verdict};
use serde::{Deserialize, Serialize};

/// One finding, with what a person needs to judge it. They write `is`, and `fault` where it is one.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HandLine {
    case: String,
    repeat: u32,
    finding: String,
    /// `fault`, `valid` or `false`; null where nobody has said.
    is: Option<HandWord>,
    /// Which fault.
    fault: Option<String>,
    #[serde(default)]
    reason: String,
    /// What is said of it so far.
    #[serde(default)]
    now: String,
    #[serde(default)]
    place: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    known: Vec<KnownFault>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HandWord {
    Fault,
    Valid,
    False,
}

#[derive(Serialize, Deserialize)]
struct KnownFault {
    fault: String,
    file: Option<String>,
    lines: Option<LineRange>,
    what: String,
}

/// The file to be filled in: every scored finding, with the faults that it may name by its place.
pub fn write_hand_lines(results: &RunResults) -> String {
    let said = strongest_verdicts(&results.verdicts);
    let mut text = String::new();
    for result in results.cases.iter().filter(|one| one.failure.is_none()) {
        for finding in result.scored_findings() {
            let key = (result.case.as_str(), result.repeat, finding.id.as_str());
            let now = match said.get(&key).map(|verdict| &verdict.judgement) {
                Some(Judgement::Fault { fault }) => format!("fault {fault}"),
                Some(Judgement::Valid) => "valid".to_owned(),
                Some(Judgement::False) => "false".to_owned(),
                None => String::new(),
            };
            let known = |fault: &Fault| KnownFault {
                fault: fault.id.clone(),
                file: fault.file.clone(),
                lines: fault.lines,
                what: fault.what.clone(),
            };
            let line = HandLine {
                case: result.case.clone(),
                repeat: result.repeat,
                finding: finding.id.clone(),
                is: None,
                fault: None,
                reason: String::new(),
                now,
                place: match finding.line {
                    Some(line) => format!("{}:{line}", finding.file),
                    None => finding.file.clone(),
                },
                title: finding.title.clone(),
                description: finding.description.clone(),
                known: candidate_faults(&result.faults, finding)
                    .into_iter()
                    .map(known)
                    .collect(),
            };
            text.push_str(&serde_json::to_string(&line).expect("lines are plain data"));
            text.push('\n');
        }
    }
    text
}

/// The verdicts of a file that was filled in. Lines that nobody filled in say nothing.
pub fn read_hand_lines(
    file: &str,
    text: &str,
    results: &RunResults,
) -> Result<Vec<Verdict>, ResultsError> {
    let mut verdicts = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let wrong = |message: String| ResultsError {
            file: file.to_owned(),
            line: at as u64 + 1,
            message,
        };
        if line.trim().is_empty() {
            continue;
        }
        let read: HandLine =
            serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let Some(word) = read.is else { continue };
        let mut runs = results.cases.iter();
        let run = runs.find(|one| one.case == read.case && one.repeat == read.repeat);
        let run = run.ok_or_else(|| {
            wrong(format!(
                "the results have no run {} of `{}`",
                read.repeat, read.case
            ))
        })?;
        if !run.findings.iter().any(|one| one.id == read.finding) {
            return Err(wrong(format!("there is no finding `{}`", read.finding)));
        }
        let judgement = match word {
            HandWord::Valid => Judgement::Valid,
            HandWord::False => Judgement::False,
            HandWord::Fault => {
                let named = read.fault.unwrap_or_default();
                if !run.faults.iter().any(|fault| fault.id == named) {
                    return Err(wrong(format!("there is no fault `{named}`")));
                }
                Judgement::Fault { fault: named }
            }
        };
        verdicts.push(Verdict {
            case: read.case,
            repeat: read.repeat,
            finding: read.finding,
            judge: Judge::Hand,
            judgement,
            reason: read.reason,
        });
    }
    Ok(verdicts)
}

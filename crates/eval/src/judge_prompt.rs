//! Asks a language model which finding names which fault.

use crate::case::Fault;
use crate::judging::candidate_faults;
use crate::results::{CaseResult, RanFinding};
use crate::verdict::{Judge, Judgement, Verdict};
use collie_core::text::fence_as_text;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

const INSTRUCTIONS: &str = include_str!("../prompts/judge.md");

/// What a judge is asked about one run of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgePrompt {
    /// What the judge is to be and do.
    pub system: String,
    /// Findings and faults.
    pub user: String,
}

/// What tells the judge's prompt from another.
pub fn judge_prompt_hash() -> String {
    hex::encode(Sha256::digest(INSTRUCTIONS.as_bytes()))[..16].to_owned()
}

/// The scored findings that may name a fault by their place, each with its label.
fn doubted(result: &CaseResult) -> Vec<(String, &RanFinding)> {
    let open = |finding: &&RanFinding| !candidate_faults(&result.faults, finding).is_empty();
    let open = result.scored_findings().filter(open);
    open.enumerate()
        .map(|(at, finding)| (format!("F{}", at + 1), finding))
        .collect()
}

fn labelled_faults(result: &CaseResult) -> impl Iterator<Item = (String, &Fault)> {
    let faults = result.faults.iter().enumerate();
    faults.map(|(at, fault)| (format!("K{}", at + 1), fault))
}

/// What to ask; none where every finding is in another file than every fault, or there are none.
pub fn judge_prompt(result: &CaseResult) -> Option<JudgePrompt> {
    let findings = doubted(result);
    if findings.is_empty() {
        return None;
    }
    let mut user = "## Known faults\n".to_owned();
    for (label, fault) in labelled_faults(result) {
        let place = match (&fault.file, fault.lines) {
            (Some(file), Some(lines)) => format!("{file}:{lines}"),
            (Some(file), None) => file.clone(),
            (None, _) => "place unknown".to_owned(),
        };
        let text = format!("{place} ({})\n{}", fault.kind, fault.what);
        user.push_str(&format!("\n{label}\n{}\n", fence_as_text(&text)));
    }
    user.push_str("\n## Findings\n");
    for (label, finding) in findings {
        let line = finding
            .line
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        let text = format!(
            "{}{line}\n{}\n{}",
            finding.file, finding.title, finding.description
        );
        user.push_str(&format!("\n{label}\n{}\n", fence_as_text(&text)));
    }
    Some(JudgePrompt {
        system: INSTRUCTIONS.to_owned(),
        user,
    })
}

/// The shape of the answer.
pub fn judge_schema() -> Value {
    let entry = json!({
        "type": "object",
        "properties": {
            "finding": {"type": "string"},
            "reason": {"type": "string"},
            "fault": {"type": ["string", "null"]},
        },
        "required": ["finding", "reason", "fault"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {"findings": {"type": "array", "items": entry}},
        "required": ["findings"],
        "additionalProperties": false,
    })
}

#[derive(Deserialize)]
struct Answer {
    findings: Vec<AnsweredFinding>,
}

#[derive(Deserialize)]
struct AnsweredFinding {
    finding: String,
    reason: String,
    fault: Option<String>,
}

/// Verdicts on all scored findings of a run, from the judge's answer; what was in another file than every fault needs no asking, so that
/// without an answer all are false. The error says to the model what is wrong.
pub fn parse_judgements(
    result: &CaseResult,
    judge: &Judge,
    answer: Option<&Value>,
) -> Result<Vec<Verdict>, String> {
    let asked = doubted(result);
    let mut said: BTreeMap<String, AnsweredFinding> = BTreeMap::new();
    if let Some(answer) = answer {
        let answer: Answer =
            serde_json::from_value(answer.clone()).map_err(|error| error.to_string())?;
        said.extend(
            answer
                .findings
                .into_iter()
                .map(|one| (one.finding.clone(), one)),
        );
    }
    let faults: BTreeMap<String, &Fault> = labelled_faults(result).collect();
    let mut verdicts = Vec::new();
    for finding in result.scored_findings() {
        let label = asked.iter().find(|(_, one)| one.id == finding.id);
        let (judgement, reason) = match label {
            None => (Judgement::False, String::new()),
            Some((label, _)) => {
                let one = said
                    .get(label)
                    .ok_or_else(|| format!("there is no entry for `{label}`"))?;
                let judgement = match one.fault.as_deref().map(str::trim) {
                    None | Some("" | "null" | "none") => Judgement::False,
                    Some(name) => {
                        let fault = faults.get(name);
                        let unknown =
                            || format!("`{label}` names `{name}`, which is no known fault");
                        Judgement::Fault {
                            fault: fault.ok_or_else(unknown)?.id.clone(),
                        }
                    }
                };
                (judgement, one.reason.clone())
            }
        };
        verdicts.push(Verdict {
            case: result.case.clone(),
            repeat: result.repeat,
            finding: finding.id.clone(),
            judge: judge.clone(),
            judgement,
            reason,
        });
    }
    Ok(verdicts)
}

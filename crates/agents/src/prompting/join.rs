//! What comes of a change that was read in parts, put together: one answer, without what two parts both say (§4.4).

use super::json_members::{MemberReader, object_schema};
use super::material::Material;
use super::prompt_parts::{
    reviewer_finding_text, sanitized_excerpt, sanitized_line, sanitized_path,
};
use super::prompts::JOIN;
use super::review_answer::ReviewerAnswer;
use super::review_prompt::{PromptTarget, answer_instruction, language_line};
use super::token_budget::{
    BudgetTooSmall, OmittedPart, PartRank, Prompt, PromptItem, PromptPart, PromptTexts,
    fit_to_budget,
};
use collie_core::finding::{Finding, Priority};
use collie_core::review::{IssueCounts, conclusion_from_counts};
use collie_core::text::fence_as_text;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Paths of one part that are named; the others are counted.
const MAX_PATHS: usize = 30;

/// What one reading came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartReading {
    /// Its files.
    pub paths: Vec<String>,
    /// Its report; none where the reading failed.
    pub report: Option<String>,
}

/// What joins the readings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinedReadings {
    /// Ids of findings that another one says already, each with the one that stays.
    pub duplicates: BTreeMap<String, String>,
    /// The report on the whole change.
    pub report: String,
}

/// Answers of several readings as one. What two of them take for the same finding by its place and text is there once.
pub fn merge_answers(answers: Vec<ReviewerAnswer>, material: &Material) -> Option<ReviewerAnswer> {
    let mut all = answers.into_iter();
    let mut merged = all.next()?;
    for answer in all {
        let known: BTreeSet<String> = merged
            .result
            .findings
            .iter()
            .map(|f| f.id.clone())
            .collect();
        let more = answer.result.findings.into_iter();
        merged
            .result
            .findings
            .extend(more.filter(|finding| !known.contains(&finding.id)));
        merged.settled.extend(answer.settled);
        merged.upheld.extend(answer.upheld);
        merged.replacements.extend(answer.replacements);
        for name in answer.result.escalations {
            if !merged.result.escalations.contains(&name) {
                merged.result.escalations.push(name);
            }
        }
        let reports = [merged.result.full_report, answer.result.full_report];
        let said: Vec<String> = reports
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        merged.result.full_report = said.join("\n\n");
    }
    merged.result.agent.clone_from(&material.persona.name);
    merged.result.issues = IssueCounts::of(&merged.result.findings);
    merged.result.conclusion = conclusion_from_counts(merged.result.issues);
    Some(merged)
}

fn finding_label(at: usize) -> String {
    format!("F{}", at + 1)
}

/// The JSON schema of what joins.
pub fn join_schema() -> Value {
    let text = json!({"type": "string"});
    let duplicate = object_schema(&[
        ("finding", text.clone()),
        ("reason", text.clone()),
        ("of", text.clone()),
    ]);
    object_schema(&[
        ("duplicates", json!({"type": "array", "items": duplicate})),
        ("fullReport", text),
    ])
}

/// Puts the prompt together that joins: what came of each reading, and all findings; not the code.
pub fn join_prompt(
    material: &Material,
    readings: &[PartReading],
    findings: &[Finding],
    budget: u32,
    count_tokens: &dyn Fn(&str) -> u32,
    target: PromptTarget,
) -> Result<Prompt, BudgetTooSmall> {
    let items: Vec<PromptItem> = findings
        .iter()
        .enumerate()
        .map(|(at, finding)| {
            let text = reviewer_finding_text(&finding_label(at), finding);
            PromptItem {
                part: PromptPart::Finding {
                    title: finding.title.clone(),
                },
                rank: PartRank::Finding,
                tokens: count_tokens(&text),
                text,
                index: at,
                addresses_model: false,
            }
        })
        .collect();
    let parts = readings_section(readings);
    let task = format!(
        "{}\n{}",
        language_line(material),
        answer_instruction(target)
    );
    let title = format!(
        "{}#{}\n{}",
        material.repo,
        material.number,
        sanitized_line(&material.title)
    );
    let assemble = |kept: &[&PromptItem], _: &[OmittedPart]| {
        let mut user = vec![
            format!("## The pull request\n\n{}", fence_as_text(&title)),
            parts.clone(),
        ];
        let texts: Vec<&str> = kept.iter().map(|item| item.text.as_str()).collect();
        if !texts.is_empty() {
            user.push(format!("## Findings\n\n{}", texts.join("\n\n")));
        }
        user.push(task.clone());
        let system = vec![JOIN.fill(&[])];
        PromptTexts { system, user }
    };
    fit_to_budget(&items, Vec::new(), budget, count_tokens, &assemble)
}

fn readings_section(readings: &[PartReading]) -> String {
    let part = |(at, reading): (usize, &PartReading)| {
        let mut paths: Vec<String> = reading
            .paths
            .iter()
            .take(MAX_PATHS)
            .map(|path| sanitized_path(path))
            .collect();
        if reading.paths.len() > MAX_PATHS {
            paths.push(format!("and {} more", reading.paths.len() - MAX_PATHS));
        }
        let report = match &reading.report {
            Some(report) => sanitized_excerpt(report),
            None => "It was not read: the reading failed.".to_owned(),
        };
        let text = format!("{}\n\n{report}", paths.join("\n"));
        format!("Part {}:\n{}", at + 1, fence_as_text(&text))
    };
    let parts: Vec<String> = readings.iter().enumerate().map(part).collect();
    format!("## The parts\n\n{}", parts.join("\n\n"))
}

/// Reads what joins. The error lists what contradicts the shape. Findings count from `comment_threshold` on.
pub fn parse_join(
    value: &Value,
    findings: &[Finding],
    comment_threshold: u16,
) -> Result<JoinedReadings, Vec<String>> {
    let Some(object) = value.as_object() else {
        return Err(vec!["the answer is no JSON object".into()]);
    };
    let mut violations = Vec::new();
    let mut reader = MemberReader {
        path: String::new(),
        object,
        violations: &mut violations,
    };
    let listed = reader.object_list("duplicates", true);
    let report = reader.required_text("fullReport");
    let mut duplicates: BTreeMap<String, String> = BTreeMap::new();
    let rank = |finding: &Finding| rank_among_duplicates(finding, comment_threshold);
    for (at, entry) in listed.iter().enumerate() {
        let mut reader = MemberReader {
            path: format!("duplicates[{at}]"),
            object: entry,
            violations: &mut violations,
        };
        let names = [reader.required_text("finding"), reader.required_text("of")];
        let found = names.each_ref().map(|name| {
            let label = |at: &usize| finding_label(*at).eq_ignore_ascii_case(name.trim());
            (0..findings.len()).find(label).map(|at| &findings[at])
        });
        match found {
            [Some(one), Some(other)] if one.id != other.id => {
                let [one, other] = [(rank(one), one), (rank(other), other)];
                add_duplicate(&mut duplicates, one, other);
            }
            [Some(_), Some(_)] => {}
            _ => violations.push(format!(
                "`duplicates[{at}]` names `{}` and `{}`: the findings are F1 to F{}",
                sanitized_line(&names[0]),
                sanitized_line(&names[1]),
                findings.len()
            )),
        }
    }
    if !violations.is_empty() {
        return Err(violations);
    }
    let report = super::prompt_parts::sanitized_text(&report);
    Ok(JoinedReadings { duplicates, report })
}

/// Which of two that say the same stays, the least first: one that counts, then the graver one.
pub(super) fn rank_among_duplicates(finding: &Finding, comment_threshold: u16) -> (bool, Priority) {
    let counts = finding.confidence.permille() >= comment_threshold;
    (!counts, finding.priority)
}

/// Of two the one of the lower rank stays, whatever the answer says, and none that stays is taken out.
fn add_duplicate(
    duplicates: &mut BTreeMap<String, String>,
    one: ((bool, Priority), &Finding),
    other: ((bool, Priority), &Finding),
) {
    let (gone, stays) = match one.0 < other.0 {
        true => (other.1, one.1),
        false => (one.1, other.1),
    };
    let is_kept_for = duplicates.values().any(|kept| *kept == gone.id);
    if !is_kept_for && !duplicates.contains_key(&stays.id) && !duplicates.contains_key(&gone.id) {
        duplicates.insert(gone.id.clone(), stays.id.clone());
    }
}

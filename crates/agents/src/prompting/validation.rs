//! The second look: a finding of one reviewer alone is validated before the fixer sees it; what two agree on needs none.

use super::hunks::render_lines;
use super::json_members::{MemberReader, object_schema};
use super::material::Material;
use super::prompt_parts::{PartCollector, reviewer_finding_text, sanitized_line};
use super::prompts::{AGENT, VALIDATE};
use super::review_prompt::{
    PromptTarget, answer_instruction, closing_section, files_section, guidelines_section,
};
use super::similarity::{overlap, word_stems};
use super::token_budget::{
    BudgetTooSmall, OmittedPart, PartRank, Prompt, PromptItem, PromptPart, PromptTexts,
    fit_to_budget,
};
use collie_core::finding::{Finding, FindingKind, SourceType};
use collie_core::review::ReviewerResult;
use collie_core::text::fence_as_text;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Lines between two reports of one fault.
const MAX_LINE_DISTANCE: u32 = 6;
/// How much two titles share when they name one fault.
const MIN_TITLE_OVERLAP: f64 = 0.5;
/// Lines of the file that are shown on each side of a finding.
const CONTEXT_LINES: u32 = 40;
const MAX_GUIDELINE_TOKENS: u32 = 1_500;

/// What became of a finding at the second look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// [`Finding::id`].
    pub finding_id: String,
    /// Whether it stands.
    pub verdict: ValidationVerdict,
    /// Why, in a sentence or two.
    pub reason: String,
}

/// Whether a finding stands at the second look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationVerdict {
    /// It was tried and stands.
    Upheld,
    /// The code says otherwise.
    Refuted,
}

/// Findings of a stage that one reviewer alone has reported and that would be handed to the fixer. The rules and checks need no second look,
/// nor do questions and what blocks nothing.
pub fn needs_validation(results: &[ReviewerResult]) -> Vec<&Finding> {
    let all = || results.iter().flat_map(|result| &result.findings);
    let agreed = |finding: &Finding| all().any(|other| is_same_fault(finding, other));
    all()
        .filter(|finding| needs_fix(finding) && !agreed(finding))
        .collect()
}

fn needs_fix(finding: &Finding) -> bool {
    let fault = match finding.kind {
        FindingKind::Error | FindingKind::Suggestion => true,
        FindingKind::Question | FindingKind::Nitpick | FindingKind::Praise => false,
    };
    fault && finding.priority.blocks() && finding.source.kind == SourceType::Agent
}

/// Whether another reviewer says the same: same file, near lines, and the same sort of fault or like words.
fn is_same_fault(a: &Finding, b: &Finding) -> bool {
    let praise = b.kind == FindingKind::Praise;
    if a.source.name == b.source.name || a.file != b.file || praise {
        return false;
    }
    let likeness = overlap(&word_stems(&a.title), &word_stems(&b.title));
    match (a.line, b.line) {
        (Some(x), Some(y)) if x.abs_diff(y) <= MAX_LINE_DISTANCE => {
            a.category == b.category && likeness > 0.0 || likeness >= MIN_TITLE_OVERLAP
        }
        (Some(_), Some(_)) => false,
        (None, _) | (_, None) => likeness >= MIN_TITLE_OVERLAP && a.category == b.category,
    }
}

fn finding_label(at: usize) -> String {
    format!("F{}", at + 1)
}

/// Puts the prompt for a second look together: each finding, the code around it, what the change did to its file.
pub fn validation_prompt(
    material: &Material,
    findings: &[&Finding],
    budget: u32,
    count_tokens: &dyn Fn(&str) -> u32,
    target: PromptTarget,
) -> Result<Prompt, BudgetTooSmall> {
    let mut collector = PartCollector::default();
    collector.guidelines(
        &material.guidelines,
        ((budget / 10).min(MAX_GUIDELINE_TOKENS), 0),
        count_tokens,
    );
    let named: BTreeSet<&str> = findings.iter().map(|f| f.file.as_str()).collect();
    let files: Vec<_> = material
        .files
        .iter()
        .filter(|file| named.contains(file.path.as_str()))
        .collect();
    collector.changes(&files, &named, false, count_tokens);
    for (at, finding) in findings.iter().enumerate() {
        collector
            .items
            .extend(finding_context(material, at, finding, count_tokens));
    }
    let claims: Vec<String> = findings
        .iter()
        .enumerate()
        .map(|(at, finding)| reviewer_finding_text(&finding_label(at), finding))
        .collect();
    let task = task_section(claims.len(), target);
    let assemble = |kept: &[&PromptItem], left_out: &[OmittedPart]| {
        let mut user = vec![pull_request_section(material)];
        let changed = files_section(&files, kept);
        if !changed.is_empty() {
            user.push(format!(
                "## What the change did\n\n{}",
                changed.join("\n\n")
            ));
        }
        user.push(findings_section(&claims, kept));
        user.push(closing_section(left_out, &task, target));
        let mut system = vec![VALIDATE.fill(&[])];
        system.extend(guidelines_section(kept));
        PromptTexts { system, user }
    };
    fit_to_budget(
        &collector.items,
        collector.omitted,
        budget,
        count_tokens,
        &assemble,
    )
}

/// Which pull request it is: its name and its title.
fn pull_request_section(material: &Material) -> String {
    let title = sanitized_line(&material.title);
    let head = format!("{}#{}\n{title}", material.repo, material.number);
    format!("## The pull request\n\n{}", fence_as_text(&head))
}

fn task_section(findings: usize, target: PromptTarget) -> String {
    let checkout = match target {
        PromptTarget::Model => String::new(),
        PromptTarget::Agent => format!("{}\n\n", AGENT.fill(&[])),
    };
    let answer = answer_instruction(target);
    format!(
        "## Your task\n\nGive a verdict on each of the {findings} findings above.\n\n{checkout}{answer}"
    )
}

/// Each finding, with the file around it where that is in.
fn findings_section(claims: &[String], kept: &[&PromptItem]) -> String {
    let mut out = vec!["## The findings".to_string()];
    for (at, claim) in claims.iter().enumerate() {
        out.push(claim.clone());
        let around = kept.iter().filter(|item| {
            item.index == at && matches!(item.part, PromptPart::FindingContext { .. })
        });
        out.extend(around.map(|item| {
            format!(
                "The file around it, at the head:\n{}",
                fence_as_text(&item.text)
            )
        }));
    }
    out.join("\n\n")
}

/// The file around a finding's line; none where there is no such line.
fn finding_context(
    material: &Material,
    at: usize,
    finding: &Finding,
    count_tokens: &dyn Fn(&str) -> u32,
) -> Option<PromptItem> {
    let line = finding.line?;
    let content = material.file(&finding.file)?.content_at_head.as_deref()?;
    let range = (
        line.saturating_sub(CONTEXT_LINES).max(1),
        line.saturating_add(CONTEXT_LINES),
    );
    let text = render_lines(content, range);
    (!text.is_empty()).then(|| PromptItem {
        part: PromptPart::FindingContext {
            path: finding.file.clone(),
            line,
        },
        rank: PartRank::NamedHunk,
        tokens: count_tokens(&text),
        text,
        index: at,
        addresses_model: false,
    })
}

/// The JSON schema of the second look; OpenAI's strict mode takes it.
pub fn validation_schema() -> Value {
    let verdict = object_schema(&[
        ("finding", json!({"type": "string"})),
        ("reason", json!({"type": "string"})),
        (
            "verdict",
            json!({"type": "string", "enum": ["upheld", "refuted"]}),
        ),
    ]);
    object_schema(&[("verdicts", json!({"type": "array", "items": verdict}))])
}

/// Reads a second look at these findings, in the order in which they were shown. The error lists what contradicts the shape.
pub fn parse_validations(
    value: &Value,
    findings: &[&Finding],
) -> Result<Vec<Validation>, Vec<String>> {
    let Some(object) = value.as_object() else {
        return Err(vec!["the answer is no JSON object".into()]);
    };
    let mut violations = Vec::new();
    let verdicts = MemberReader {
        path: String::new(),
        object,
        violations: &mut violations,
    }
    .object_list("verdicts", true);
    let mut found: Vec<Option<Validation>> = vec![None; findings.len()];
    for (at, object) in verdicts.iter().enumerate() {
        let mut reader = MemberReader {
            path: format!("verdicts[{at}]"),
            object,
            violations: &mut violations,
        };
        let name = reader.required_text("finding");
        let verdict: Option<ValidationVerdict> =
            reader.enum_value("verdict", "`upheld`, `refuted`");
        let reason = sanitized_line(&reader.required_text("reason"));
        let asked = (0..findings.len())
            .find(|index| finding_label(*index).eq_ignore_ascii_case(name.trim()));
        match (asked, verdict) {
            (Some(index), Some(verdict)) if found[index].is_none() => {
                found[index] = Some(Validation {
                    finding_id: findings[index].id.clone(),
                    verdict,
                    reason,
                });
            }
            (Some(index), Some(_)) => {
                violations.push(format!("`verdicts` answers {} twice", finding_label(index)))
            }
            (None, _) => {
                let name: String = name.chars().take(40).collect();
                let all = findings.len();
                violations.push(format!(
                    "`verdicts[{at}].finding` is `{name}`: you were asked about F1 to F{all}"
                ));
            }
            (Some(_), None) => {}
        }
    }
    for (index, validation) in found.iter().enumerate() {
        if validation.is_none() {
            violations.push(format!("`verdicts` has none on {}", finding_label(index)));
        }
    }
    if violations.is_empty() {
        Ok(found.into_iter().flatten().collect())
    } else {
        Err(violations)
    }
}

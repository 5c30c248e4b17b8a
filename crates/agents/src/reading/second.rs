//! The second look: a finding of one reviewer alone is validated before the fixer sees it; what two agree on needs none.

use super::compose::{ReaderKind, files_section, guidelines_section, last_section};
use super::fit::{BudgetTooSmall, Item, LeftOut, Part, Parts, Prompt, Rank, fit};
use super::hunks::write_lines;
use super::material::Material;
use super::members::{Reader, object};
use super::pieces::{Pieces, finding_text, said_line};
use super::prompts::{AGENT, VALIDATE};
use super::words::{overlap, words};
use collie_core::shapes::{Finding, FindingKind, ReviewerResult, SourceType};
use collie_core::text::fence;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Lines between two reports of one fault.
const NEAR: u32 = 6;
/// How much two titles share when they name one fault.
const ALIKE: f64 = 0.5;
/// Lines of the file that are shown on each side of a finding.
const AROUND: u32 = 40;
const GUIDELINE_TOKENS: u32 = 1_500;

/// What became of a finding at the second look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// [`Finding::id`].
    pub finding: String,
    /// Whether it stands.
    pub verdict: SecondVerdict,
    /// Why, in a sentence or two.
    pub reason: String,
}

/// Whether a finding stands at the second look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondVerdict {
    /// It was tried and stands.
    Upheld,
    /// The code says otherwise.
    Refuted,
}

/// Findings of a stage that one reviewer alone has reported and that would be handed to the fixer. The rules and checks need no second look,
/// nor do questions and what blocks nothing.
pub fn needs_validation(results: &[ReviewerResult]) -> Vec<&Finding> {
    let all = || results.iter().flat_map(|result| &result.findings);
    let agreed = |finding: &Finding| all().any(|other| agree(finding, other));
    all()
        .filter(|finding| asks_for_a_fix(finding) && !agreed(finding))
        .collect()
}

fn asks_for_a_fix(finding: &Finding) -> bool {
    let fault = match finding.kind {
        FindingKind::Error | FindingKind::Suggestion => true,
        FindingKind::Question | FindingKind::Nitpick | FindingKind::Praise => false,
    };
    fault && finding.priority.blocks() && finding.source.kind == SourceType::Agent
}

/// Whether another reviewer says the same: same file, near lines, and the same sort of fault or like words.
fn agree(a: &Finding, b: &Finding) -> bool {
    let praise = b.kind == FindingKind::Praise;
    if a.source.name == b.source.name || a.file != b.file || praise {
        return false;
    }
    let likeness = overlap(&words(&a.title), &words(&b.title));
    match (a.line, b.line) {
        (Some(x), Some(y)) if x.abs_diff(y) <= NEAR => {
            a.category == b.category && likeness > 0.0 || likeness >= ALIKE
        }
        (Some(_), Some(_)) => false,
        (None, _) | (_, None) => likeness >= ALIKE && a.category == b.category,
    }
}

fn label(at: usize) -> String {
    format!("F{}", at + 1)
}

/// Puts the prompt for a second look together: each finding, the code around it, what the change did to its file.
pub fn validation_prompt(
    material: &Material,
    findings: &[&Finding],
    budget: u32,
    count: &dyn Fn(&str) -> u32,
    how: ReaderKind,
) -> Result<Prompt, BudgetTooSmall> {
    let mut pieces = Pieces::default();
    pieces.guidelines(
        &material.guidelines,
        ((budget / 10).min(GUIDELINE_TOKENS), 0),
        count,
    );
    let named: BTreeSet<&str> = findings.iter().map(|f| f.file.as_str()).collect();
    let files: Vec<_> = material
        .files
        .iter()
        .filter(|file| named.contains(file.path.as_str()))
        .collect();
    pieces.changes(&files, &named, false, count);
    for (at, finding) in findings.iter().enumerate() {
        pieces.items.extend(around(material, at, finding, count));
    }
    let claims: Vec<String> = findings
        .iter()
        .enumerate()
        .map(|(at, finding)| finding_text(&label(at), finding))
        .collect();
    let how_to_answer = match how {
        ReaderKind::Model => "Answer with the JSON object alone.".to_string(),
        ReaderKind::Agent => AGENT.fill(&[]),
    };
    let task = format!(
        "## Your task\n\nGive a verdict on each of the {} findings above.\n\n{how_to_answer}",
        claims.len()
    );
    let put = |kept: &[&Item], left_out: &[LeftOut]| {
        let mut user = vec![format!(
            "## The pull request\n\n{}",
            fence(&format!(
                "{}#{}\n{}",
                material.repo,
                material.number,
                said_line(&material.title)
            ))
        )];
        let changed = files_section(&files, kept);
        if !changed.is_empty() {
            user.push(format!(
                "## What the change did\n\n{}",
                changed.join("\n\n")
            ));
        }
        user.push(findings_section(&claims, kept));
        user.push(last_section(left_out, &task, how));
        let mut system = vec![VALIDATE.fill(&[])];
        system.extend(guidelines_section(kept));
        Parts { system, user }
    };
    fit(&pieces.items, pieces.left_out, budget, count, &put)
}

/// Each finding, with the file around it where that is in.
fn findings_section(claims: &[String], kept: &[&Item]) -> String {
    let mut out = vec!["## The findings".to_string()];
    for (at, claim) in claims.iter().enumerate() {
        out.push(claim.clone());
        let around = kept
            .iter()
            .filter(|item| item.place == at && matches!(item.part, Part::Around { .. }));
        out.extend(
            around.map(|item| format!("The file around it, at the head:\n{}", fence(&item.text))),
        );
    }
    out.join("\n\n")
}

/// The file around a finding's line; none where there is no such line.
fn around(
    material: &Material,
    at: usize,
    finding: &Finding,
    count: &dyn Fn(&str) -> u32,
) -> Option<Item> {
    let line = finding.line?;
    let content = material.file(&finding.file)?.content_at_head.as_deref()?;
    let range = (
        line.saturating_sub(AROUND).max(1),
        line.saturating_add(AROUND),
    );
    let text = write_lines(content, range);
    (!text.is_empty()).then(|| Item {
        part: Part::Around {
            path: finding.file.clone(),
            line,
        },
        rank: Rank::NamedHunk,
        tokens: count(&text),
        text,
        place: at,
        speaks: false,
    })
}

/// The JSON schema of the second look; OpenAI's strict mode takes it.
pub fn validation_schema() -> Value {
    let verdict = object(&[
        ("finding", json!({"type": "string"})),
        (
            "verdict",
            json!({"type": "string", "enum": ["upheld", "refuted"]}),
        ),
        ("reason", json!({"type": "string"})),
    ]);
    object(&[("verdicts", json!({"type": "array", "items": verdict}))])
}

/// Reads a second look at these findings, in the order in which they were shown. The error lists what contradicts the shape.
pub fn validated(value: &Value, findings: &[&Finding]) -> Result<Vec<Validation>, Vec<String>> {
    let Some(object) = value.as_object() else {
        return Err(vec!["the answer is no JSON object".into()]);
    };
    let mut wrong = Vec::new();
    let verdicts = Reader {
        at: String::new(),
        object,
        wrong: &mut wrong,
    }
    .list("verdicts", true);
    let mut found: Vec<Option<Validation>> = vec![None; findings.len()];
    for (at, object) in verdicts.iter().enumerate() {
        let mut read = Reader {
            at: format!("verdicts[{at}]"),
            object,
            wrong: &mut wrong,
        };
        let name = read.text("finding");
        let verdict: Option<SecondVerdict> = read.word("verdict", "`upheld`, `refuted`");
        let reason = said_line(&read.text("reason"));
        let asked = (0..findings.len()).find(|i| label(*i).eq_ignore_ascii_case(name.trim()));
        match (asked, verdict) {
            (Some(i), Some(verdict)) if found[i].is_none() => {
                found[i] = Some(Validation {
                    finding: findings[i].id.clone(),
                    verdict,
                    reason,
                });
            }
            (Some(i), Some(_)) => wrong.push(format!("`verdicts` answers {} twice", label(i))),
            (None, _) => {
                let name: String = name.chars().take(40).collect();
                let all = findings.len();
                wrong.push(format!(
                    "`verdicts[{at}].finding` is `{name}`: you were asked about F1 to F{all}"
                ));
            }
            (Some(_), None) => {}
        }
    }
    for (i, validation) in found.iter().enumerate() {
        if validation.is_none() {
            wrong.push(format!("`verdicts` has none on {}", label(i)));
        }
    }
    if wrong.is_empty() {
        Ok(found.into_iter().flatten().collect())
    } else {
        Err(wrong)
    }
}

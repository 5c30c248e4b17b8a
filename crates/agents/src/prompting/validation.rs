//! The second look: a finding of one reviewer alone is validated before the fixer sees it; what two agree on needs none.

use super::finding_context::{context_texts, finding_context};
use super::guideline_parts::{GuidelineRoom, guidelines_section};
use super::json_members::{MemberReader, object_schema};
use super::judgements::judgements_on;
use super::material::{ChangedFile, Material};
use super::prompt_parts::{
    PartCollector, earlier_finding_text, reviewer_finding_text, sanitized_line,
};
use super::prompts::{AGENT, RELATED_TO_FINDING, VALIDATE};
use super::related::related_section;
use super::review_prompt::{
    PromptTarget, answer_instruction, closing_section, files_section, purpose_texts,
};
use super::token_budget::{
    BudgetTooSmall, OmittedPart, Prompt, PromptItem, PromptTexts, TokenCounter, fit_to_budget,
};
use super::token_shares::{FEWER_RELATED, RELATED, TIED_CHANGES};
use collie_core::finding::{Confidence, Finding, FindingKind, SourceType};
use collie_core::review::ReviewerResult;
use collie_core::text::{fence_as_text, overlap_permille, word_stems};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeSet;

/// Lines between two reports of one fault.
const MAX_LINE_DISTANCE: u32 = 6;
/// How much two titles share when they name one fault, in thousandths.
const MIN_TITLE_OVERLAP: u32 = 500;
const MAX_GUIDELINE_TOKENS: u32 = 1_500;
const MAX_DESCRIPTION_TOKENS: u32 = 1_000;

/// The scores of the rubric, in percent; each has a sentence in the prompt that says when it is given.
const SCORES: [&str; 5] = ["0", "25", "50", "75", "100"];

/// What became of a finding at the second look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// [`Finding::id`].
    pub finding_id: String,
    /// How far it stands: from now on this is how sure its reviewer is.
    pub confidence: Confidence,
    /// Why, in a sentence or two.
    pub reason: String,
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
    let likeness = overlap_permille(&word_stems(&a.title), &word_stems(&b.title));
    match (a.line, b.line) {
        (Some(x), Some(y)) if x.abs_diff(y) <= MAX_LINE_DISTANCE => {
            a.category == b.category && likeness > 0 || likeness >= MIN_TITLE_OVERLAP
        }
        (Some(_), Some(_)) => false,
        (None, _) | (_, None) => likeness >= MIN_TITLE_OVERLAP && a.category == b.category,
    }
}

/// A finding, with the fixer's reason where it was declined.
fn claim_text(material: &Material, label: &str, finding: &Finding) -> String {
    let mut known = material.tracked_findings.iter();
    match known.find(|known| known.fingerprint.as_str() == finding.id) {
        Some(declined) => earlier_finding_text(label, declined),
        None => reviewer_finding_text(label, finding),
    }
}

fn finding_label(at: usize) -> String {
    format!("F{}", at + 1)
}

/// Puts the prompt for a second look together: each finding, the code around it, and what it may rest on: what the change did to its file and
/// to those that this one uses or is used by, and the code beside the change that its file touches. A finding on no file, or on one that the
/// change leaves alone, rests on all of it.
///
/// Looks at findings of the same files begin alike, up to [`Prompt::shared_user_parts`], as far as the budget holds all of it.
pub fn validation_prompt(
    material: &Material,
    findings: &[&Finding],
    budget: u32,
    count_tokens: &dyn Fn(&str) -> u32,
    target: PromptTarget,
) -> Result<Prompt, BudgetTooSmall> {
    let mut collector = PartCollector::default();
    collect_purpose(&mut collector, material, budget, count_tokens);
    let named: BTreeSet<&str> = findings.iter().map(|f| f.file.as_str()).collect();
    let files = files_to_judge(material, &named);
    collector.changes(&files, &named, false, count_tokens);
    let touching = if rests_on_all(material, &named) {
        let all = files.iter().map(|file| file.path.as_str());
        all.chain(named).collect()
    } else {
        collector.limit_tied_changes(TIED_CHANGES.tokens_of(budget));
        named
    };
    let share = match target {
        PromptTarget::Model => RELATED,
        PromptTarget::Agent => FEWER_RELATED,
    }
    .tokens_of(budget);
    collector.related(material, &touching, share, count_tokens);
    for (at, finding) in findings.iter().enumerate() {
        let context = finding_context(material, at, finding, count_tokens);
        collector.items.extend(context);
    }
    let claims: Vec<String> = findings
        .iter()
        .enumerate()
        .map(|(at, finding)| claim_text(material, &finding_label(at), finding))
        .collect();
    let judgements = judgements_on(material, findings);
    let task = task_section(claims.len(), target);
    let shared_user_parts = Cell::new(0);
    let assemble = |kept: &[&PromptItem], left_out: &[OmittedPart]| {
        let mut user = vec![pull_request_section(material, kept)];
        let changed = files_section(&files, kept).join("\n\n");
        if !changed.is_empty() {
            user.push(format!("## What the change did\n\n{changed}"));
        }
        user.extend(related_section(&RELATED_TO_FINDING, material, kept));
        shared_user_parts.set(user.len());
        user.extend(judgements.clone());
        user.push(findings_section(&claims, kept));
        user.push(closing_section(left_out, &task, target));
        let mut system = vec![VALIDATE.fill(&[])];
        system.extend(guidelines_section(kept));
        PromptTexts { system, user }
    };
    let PartCollector { items, omitted, .. } = collector;
    let prompt = fit_to_budget(&items, omitted, budget, count_tokens, &assemble)?;
    Ok(Prompt {
        shared_user_parts: shared_user_parts.get(),
        ..prompt
    })
}

/// What the change is for, and what this repository asks of it.
fn collect_purpose(
    collector: &mut PartCollector,
    material: &Material,
    budget: u32,
    count_tokens: TokenCounter<'_>,
) {
    let share = (budget / 10).min(MAX_DESCRIPTION_TOKENS);
    collector.description(&material.description, share, count_tokens);
    let guidelines = GuidelineRoom {
        first: (budget / 10).min(MAX_GUIDELINE_TOKENS),
        more: 0,
        rest: false,
    };
    collector.guidelines(&material.guidelines, guidelines, count_tokens);
}

/// Whether findings of these files may rest on anything that the change did: one of them is no file, or none of the change's.
fn rests_on_all(material: &Material, named: &BTreeSet<&str>) -> bool {
    let is_changed = |path: &&str| {
        material.file(path).is_some() || material.file_since_last_look(path).is_some()
    };
    !named.iter().all(is_changed)
}

/// Files whose change may decide on findings of these: they themselves, and those with lines to show that use them or that they use. Of one
/// that a push took out of the pull request, what that push did.
fn files_to_judge<'m>(material: &'m Material, named: &BTreeSet<&str>) -> Vec<&'m ChangedFile> {
    let links = material.context.links.iter();
    let tied: BTreeSet<&str> = links
        .flat_map(|(user, used)| [(user, used), (used, user)])
        .filter(|(one, _)| named.contains(one.as_str()))
        .map(|(_, other)| other.as_str())
        .collect();
    let rests_on_all = rests_on_all(material, named);
    let is_shown = |file: &&ChangedFile| {
        let path = file.path.as_str();
        let may_decide = rests_on_all || tied.contains(path);
        named.contains(path) || may_decide && !file.hunks.is_empty()
    };
    let taken_out = named.iter().filter(|path| material.file(path).is_none());
    let taken_out = taken_out.filter_map(|path| material.file_since_last_look(path));
    let files = material.files.iter().filter(is_shown);
    files.chain(taken_out).collect()
}

/// Which pull request it is, and what it sets out to do.
fn pull_request_section(material: &Material, kept: &[&PromptItem]) -> String {
    let title = sanitized_line(&material.title);
    let head = format!("{}#{}\n{title}", material.repo, material.number);
    let head = format!("## The pull request\n\n{}", fence_as_text(&head));
    let all: Vec<String> = [head].into_iter().chain(purpose_texts(kept)).collect();
    all.join("\n\n")
}

fn task_section(findings: usize, target: PromptTarget) -> String {
    let checkout = match target {
        PromptTarget::Model => String::new(),
        PromptTarget::Agent => format!("{}\n\n", AGENT.fill(&[])),
    };
    let answer = answer_instruction(target);
    let which = match findings {
        1 => "the finding above".to_string(),
        many => format!("each of the {many} findings above"),
    };
    format!("## Your task\n\nScore {which}.\n\n{checkout}{answer}")
}

/// Each finding, with the file around it where that is in.
fn findings_section(claims: &[String], kept: &[&PromptItem]) -> String {
    let mut out = vec!["## The findings".to_string()];
    for (at, claim) in claims.iter().enumerate() {
        out.push(claim.clone());
        out.extend(context_texts(kept, at));
    }
    out.join("\n\n")
}

/// The JSON schema of the second look; OpenAI's strict mode takes it.
pub fn validation_schema() -> Value {
    let verdict = object_schema(&[
        ("finding", json!({"type": "string"})),
        ("reason", json!({"type": "string"})),
        // As text: not every provider takes a choice of numbers.
        ("score", json!({"type": "string", "enum": SCORES})),
    ]);
    object_schema(&[("verdicts", json!({"type": "array", "items": verdict}))])
}

/// How far a finding stands, as a number or as its digits.
fn parse_score(reader: &mut MemberReader<'_>) -> Option<Confidence> {
    let value = reader.object.get("score");
    let digits = value.map(|value| match value.as_str() {
        Some(text) => text.trim().to_string(),
        None => value.to_string(),
    });
    let score = SCORES.iter().find(|score| digits.as_deref() == Some(score));
    let percent: Option<u16> = score.and_then(|score| score.parse().ok());
    if percent.is_none() {
        reader.add_violation("score", "one of `0`, `25`, `50`, `75`, `100`");
    }
    percent.map(|percent| Confidence::from_permille(percent * 10))
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
        let score = parse_score(&mut reader);
        let reason = sanitized_line(&reader.required_text("reason"));
        let asked = (0..findings.len())
            .find(|index| finding_label(*index).eq_ignore_ascii_case(name.trim()));
        match (asked, score) {
            (Some(index), Some(confidence)) if found[index].is_none() => {
                found[index] = Some(Validation {
                    finding_id: findings[index].id.clone(),
                    confidence,
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

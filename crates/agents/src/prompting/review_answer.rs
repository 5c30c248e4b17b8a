//! From a reader's JSON to a result (A2): the schema, what contradicts it in words, and what Collie fills in itself (§4.3).

use super::code_sanitizer::{escaped_code_text, sanitized_code_text};
use super::json_members::{MemberReader, object_schema};
use super::material::Material;
use super::persona::is_persona_name;
use super::prompt_parts::{sanitized_line, sanitized_text};
use super::review_prompt::earlier_label;
use collie_core::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use collie_core::identity::fingerprints;
use collie_core::ids::{Fingerprint, Time};
use collie_core::review::{Conclusion, IssueCounts, ReviewerResult, conclusion_from_counts};
use collie_core::text::safe_path;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// More findings than that are no review.
const MOST_FINDINGS: usize = 100;
/// More lines than that are no quote.
const MOST_EVIDENCE: usize = 60;
const TITLE_CHARS: usize = 160;
/// Of an input that fails, and of a wrong result.
const CLAIM_CHARS: usize = 300;

/// A reader's answer that fits its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewerAnswer {
    /// The result, with earlier findings that still stand among the new ones.
    pub result: ReviewerResult,
    /// Earlier findings that do not stand any more.
    pub settled: Vec<SettledFinding>,
    /// Findings that stand from earlier rounds, by id, each with why.
    pub upheld: BTreeMap<String, String>,
    /// Lines to put in place of the evidence, by finding id; not yet held against the code.
    pub replacements: BTreeMap<String, String>,
    /// What grave errors lack that a reader has to be asked for once, in words for it: an input that fails, or a wrong result.
    pub lacking: Vec<String>,
}

/// An earlier finding that does not stand any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledFinding {
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// What became of it.
    pub settlement: Settlement,
    /// Why, in a sentence.
    pub reason: String,
}

/// What became of an earlier finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The change settles it.
    Fixed,
    /// Its reviewer takes it back (§6.1).
    Withdrawn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EarlierVerdict {
    Fixed,
    Withdrawn,
    Open,
}

/// The JSON schema of an answer. OpenAI's strict mode takes it: each object lists all its members as required and allows no others; what may
/// be absent is null. Models write members in this order: what is seen and reasoned stands before what follows from it.
pub fn review_schema() -> Value {
    let text = json!({"type": "string"});
    let or_null = json!({"type": ["string", "null"]});
    let one_of = |words: &[&str]| json!({"type": "string", "enum": words});
    let finding = object_schema(&[
        ("file", or_null.clone()),
        ("line", json!({"type": ["integer", "null"]})),
        ("evidence", or_null.clone()),
        ("trigger", or_null.clone()),
        ("consequence", or_null.clone()),
        ("description", text.clone()),
        ("title", text.clone()),
        (
            "kind",
            one_of(&["error", "suggestion", "question", "nitpick", "praise"]),
        ),
        ("category", text.clone()),
        ("suggestion", or_null.clone()),
        ("replacement", or_null),
        ("priority", one_of(&["P0", "P1", "P2", "P3"])),
        ("confidence", json!({"type": "number"})),
    ]);
    let earlier = object_schema(&[
        ("finding", text.clone()),
        ("reason", text.clone()),
        ("verdict", one_of(&["fixed", "withdrawn", "open"])),
    ]);
    let escalation = object_schema(&[("reason", text.clone()), ("reviewer", text.clone())]);
    object_schema(&[
        ("earlier", json!({"type": "array", "items": earlier})),
        ("findings", json!({"type": "array", "items": finding})),
        ("fullReport", text.clone()),
        ("escalations", json!({"type": "array", "items": escalation})),
        (
            "conclusion",
            one_of(&["approve", "request_changes", "needs_major_work"]),
        ),
    ])
}

/// A finding as it was given, with its replacement.
type ParsedFinding = (Finding, Option<String>);

/// Reads an answer. The error lists what contradicts the shape, in words for the reader to repair it by.
///
/// Counts and conclusion are recomputed from the findings, ids and source filled in; all texts are sanitized (§9.2).
pub fn parse_review(
    value: &Value,
    material: &Material,
    now: Time,
) -> Result<ReviewerAnswer, Vec<String>> {
    let Some(object) = value.as_object() else {
        return Err(vec!["the answer is no JSON object".into()]);
    };
    let mut violations = Vec::new();
    let mut reader = MemberReader {
        path: String::new(),
        object,
        violations: &mut violations,
    };
    let stated_conclusion: Option<Conclusion> = reader.enum_value(
        "conclusion",
        "`approve`, `request_changes`, `needs_major_work`",
    );
    let findings = reader.object_list("findings", true);
    let verdicts = reader.object_list("earlier", false);
    let report = reader.optional_text("fullReport").unwrap_or_default();
    violations.extend(wrong_pull_number(object, material));
    if findings.len() > MOST_FINDINGS {
        violations.push(format!(
            "`findings` has {} entries: report at most {}, those that matter most",
            findings.len(),
            material.max_findings
        ));
    }
    let mut parsed: Vec<ParsedFinding> = Vec::new();
    let mut lacking = Vec::new();
    for (at, object) in findings.iter().enumerate().take(MOST_FINDINGS) {
        let found = parse_finding(&mut violations, at, object, material, now);
        lacking.extend(
            found
                .iter()
                .filter_map(|(finding, _)| lacking_claim(at, object, finding)),
        );
        parsed.extend(found);
    }
    let earlier = parse_earlier_verdicts(&mut violations, &verdicts, material);
    let any_open = earlier
        .iter()
        .any(|(_, verdict, _)| *verdict == EarlierVerdict::Open);
    let nothing = violations.is_empty() && findings.is_empty() && !any_open;
    if nothing && stated_conclusion.is_some_and(|conclusion| conclusion != Conclusion::Approve) {
        violations.push(
            "`conclusion` is not `approve`, and nothing says why: name at least one finding, or approve".into(),
        );
    }
    if !violations.is_empty() {
        violations.extend(lacking);
        return Err(violations);
    }
    let escalations = escalations(object, &report, material);
    let answer = build_answer(parsed, &earlier, &report, escalations, material);
    Ok(ReviewerAnswer { lacking, ..answer })
}

/// The input that fails and the wrong result, where a finding names them.
fn claim_of(object: &Map<String, Value>) -> (Option<String>, Option<String>) {
    let text = |member: &str| {
        let text = object.get(member).and_then(Value::as_str)?;
        let line: String = sanitized_line(text).chars().take(CLAIM_CHARS).collect();
        let line = line.trim_end_matches(['.', ' ']).to_string();
        (!line.is_empty()).then_some(line)
    };
    (text("trigger"), text("consequence"))
}

/// What a grave error does not say, in words for its reader: without an input that fails and a wrong result nobody can check it.
fn lacking_claim(at: usize, object: &Map<String, Value>, finding: &Finding) -> Option<String> {
    let grave = matches!(finding.priority, Priority::P0 | Priority::P1);
    let member = match claim_of(object) {
        (Some(_), Some(_)) => return None,
        (None, _) => "trigger",
        (Some(_), None) => "consequence",
    };
    (grave && finding.kind == FindingKind::Error).then(|| {
        format!(
            "`findings[{at}].{member}` is missing: an error of {:?} names the input or state that fails (`trigger`) and the wrong result (`consequence`); where it has none, it is another kind or priority",
            finding.priority
        )
    })
}

/// The reasons, with what fails and what comes of it before them: `an empty list → division by zero`.
fn described(object: &Map<String, Value>, description: &str) -> String {
    match claim_of(object) {
        (Some(trigger), Some(consequence)) => {
            format!("{trigger} → {consequence}\n\n{description}")
        }
        (Some(only), None) | (None, Some(only)) => format!("{only}\n\n{description}"),
        (None, None) => description.to_string(),
    }
}

fn wrong_pull_number(object: &Map<String, Value>, material: &Material) -> Option<String> {
    let number = object.get("prNumber")?.as_u64()?;
    (number != material.number).then(|| {
        format!(
            "`prNumber` is {number}: this is pull request {}",
            material.number
        )
    })
}

fn parse_finding(
    violations: &mut Vec<String>,
    at: usize,
    object: &Map<String, Value>,
    material: &Material,
    now: Time,
) -> Option<ParsedFinding> {
    let before = violations.len();
    let mut reader = MemberReader {
        path: format!("findings[{at}]"),
        object,
        violations,
    };
    let kind: Option<FindingKind> = reader.enum_value(
        "kind",
        "`error`, `suggestion`, `question`, `nitpick`, `praise`",
    );
    let priority: Option<Priority> = reader.enum_value("priority", "`P0`, `P1`, `P2`, `P3`");
    let category = normalize_category(&reader.required_text("category"));
    let title = sanitized_line(&reader.required_text("title"));
    let description = sanitized_text(&reader.required_text("description"));
    let description = described(object, &description);
    let confidence: Option<Confidence> = reader.enum_value("confidence", "the numbers from 0 to 1");
    let file = parse_file(&mut reader, material);
    let line = parse_line(&mut reader);
    let evidence = reader.optional_text("evidence");
    let suggestion = reader.optional_text("suggestion");
    let replacement = reader.optional_text("replacement");
    if violations.len() > before {
        return None;
    }
    let (kind, priority) = (kind?, priority?);
    let finding = Finding {
        id: String::new(),
        // Taste and praise stand in nobody's way.
        priority: match kind {
            FindingKind::Nitpick | FindingKind::Praise => Priority::P3,
            FindingKind::Question | FindingKind::Suggestion | FindingKind::Error => priority,
        },
        category,
        line: line.filter(|_| !file.is_empty()),
        evidence: evidence
            .filter(|_| !file.is_empty())
            .map(|quote| first_lines(&escaped_code_text(&quote), MOST_EVIDENCE)),
        file,
        title: title.chars().take(TITLE_CHARS).collect(),
        description,
        suggestion: suggestion.map(|text| sanitized_text(&text)),
        source: FindingSource {
            kind: SourceType::Agent,
            name: material.persona.name.clone(),
            review_id: None,
            timestamp: now.rfc3339(),
        },
        kind,
        confidence: confidence?,
    };
    Some((finding, replacement.map(|text| sanitized_code_text(&text))))
}

/// The file that a finding is about; empty for none.
fn parse_file(reader: &mut MemberReader<'_>, material: &Material) -> String {
    let Some(path) = reader.optional_text("file") else {
        return String::new();
    };
    match safe_path(&repository_path(&path, material)) {
        Ok(path) => path,
        Err(refusal) => {
            let name = reader.member_path("file");
            reader.violations.push(format!("`{name}`: {refusal}"));
            String::new()
        }
    }
}

fn parse_line(reader: &mut MemberReader<'_>) -> Option<u32> {
    let value = reader.object.get("line").filter(|value| !value.is_null())?;
    let line = value.as_u64().and_then(|line| u32::try_from(line).ok());
    let line = line.filter(|line| *line > 0);
    if line.is_none() {
        reader.add_violation("line", "a line number from 1, or null");
    }
    line
}

fn first_lines(text: &str, most: usize) -> String {
    text.lines().take(most).collect::<Vec<_>>().join("\n")
}

/// One lower-case word of letters, digits, `-` and `_`.
fn normalize_category(text: &str) -> String {
    let plain: String = sanitized_line(text)
        .to_lowercase()
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '_' {
                c
            } else {
                '-'
            }
        })
        .take(40)
        .collect();
    let plain = plain.trim_matches('-').to_string();
    if plain.is_empty() {
        "general".into()
    } else {
        plain
    }
}

/// A path as the repository knows it: without the `a/` or `b/` that diffs put before.
fn repository_path(path: &str, material: &Material) -> String {
    let path = path.trim();
    let there = |path: &str| material.file(path).is_some();
    let bare = path
        .strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .filter(|bare| !there(path) && there(bare));
    bare.unwrap_or(path).to_string()
}

/// A verdict on each of this reviewer's earlier findings: which, what, why.
fn parse_earlier_verdicts(
    violations: &mut Vec<String>,
    verdicts: &[Map<String, Value>],
    material: &Material,
) -> Vec<(usize, EarlierVerdict, String)> {
    let asked = material.earlier_findings().count();
    let mut out: Vec<(usize, EarlierVerdict, String)> = Vec::new();
    for (at, object) in verdicts.iter().enumerate() {
        let mut reader = MemberReader {
            path: format!("earlier[{at}]"),
            object,
            violations,
        };
        let name = reader.required_text("finding");
        let verdict = reader.enum_value("verdict", "`fixed`, `withdrawn`, `open`");
        let reason = sanitized_line(&reader.required_text("reason"));
        let Some(verdict) = verdict else { continue };
        match (0..asked).find(|index| earlier_label(*index).eq_ignore_ascii_case(name.trim())) {
            Some(index) if out.iter().any(|(known, _, _)| *known == index) => {
                violations.push(format!("`earlier` answers {} twice", earlier_label(index)));
            }
            Some(index) => out.push((index, verdict, reason)),
            // Nobody asked: what it says of findings that are not its own does not count.
            None if asked == 0 => {}
            None => {
                let name: String = name.chars().take(40).collect();
                violations.push(format!(
                    "`earlier[{at}].finding` is `{name}`: you were asked about K1 to K{asked}"
                ));
            }
        }
    }
    for index in 0..asked {
        if !out.iter().any(|(known, _, _)| *known == index) {
            violations.push(format!(
                "`earlier` has no verdict on {}",
                earlier_label(index)
            ));
        }
    }
    out
}

fn build_answer(
    parsed: Vec<ParsedFinding>,
    earlier: &[(usize, EarlierVerdict, String)],
    report: &str,
    escalations: Vec<String>,
    material: &Material,
) -> ReviewerAnswer {
    let mut settled = Vec::new();
    let mut findings: Vec<Finding> = Vec::new();
    let mut reasons = Vec::new();
    for (index, verdict, reason) in earlier {
        let Some(known) = material.earlier_findings().nth(*index) else {
            continue;
        };
        let mut settle = |how| {
            settled.push(SettledFinding {
                fingerprint: known.fingerprint.clone(),
                settlement: how,
                reason: reason.clone(),
            });
        };
        match verdict {
            EarlierVerdict::Fixed => settle(Settlement::Fixed),
            EarlierVerdict::Withdrawn => settle(Settlement::Withdrawn),
            EarlierVerdict::Open => {
                findings.push(known.finding.clone());
                reasons.push(reason.clone());
            }
        }
    }
    let upheld = findings.len();
    findings.extend(parsed.iter().map(|(finding, _)| finding.clone()));
    let finding_fingerprints = fingerprints(&findings);
    for (finding, print) in findings.iter_mut().zip(finding_fingerprints) {
        finding.id = format!("{}-{}", material.persona.name, &print.as_str()[..12]);
    }
    let ids =
        |findings: &[Finding]| -> Vec<String> { findings.iter().map(|f| f.id.clone()).collect() };
    let replacements = ids(&findings[upheld..])
        .into_iter()
        .zip(parsed)
        .filter_map(|(id, (_, replacement))| Some((id, replacement?)))
        .collect();
    let issues = IssueCounts::of(&findings);
    ReviewerAnswer {
        settled,
        lacking: Vec::new(),
        upheld: ids(&findings[..upheld]).into_iter().zip(reasons).collect(),
        replacements,
        result: ReviewerResult {
            agent: material.persona.name.clone(),
            pr_number: material.number,
            conclusion: conclusion_from_counts(issues),
            issues,
            findings,
            full_report: sanitized_text(report),
            escalations,
        },
    }
}

/// Reviewers that are asked in, in the list or by `<!-- escalate: NAME -->` in the report (§4.2); only those that may be.
fn escalations(object: &Map<String, Value>, report: &str, material: &Material) -> Vec<String> {
    let listed = object.get("escalations").and_then(Value::as_array);
    // As it is asked for, or the bare name.
    let name = |entry: &'_ Value| {
        entry
            .get("reviewer")
            .unwrap_or(entry)
            .as_str()
            .map(str::to_string)
    };
    let listed = listed.into_iter().flatten().filter_map(name);
    let mut out: Vec<String> = Vec::new();
    for name in listed.chain(escalation_marks(report)) {
        let name = name.trim().trim_start_matches('@').to_lowercase();
        if material.persona.may_escalate_to.contains(&name) && !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// Names in `<!-- escalate: sam, priya -->`.
pub(super) fn escalation_marks(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (_, inside) in text
        .match_indices("<!--")
        .map(|(at, mark)| text.split_at(at + mark.len()))
    {
        let Some((inside, _)) = inside.split_once("-->") else {
            break;
        };
        if let Some(names) = inside.trim().strip_prefix("escalate:") {
            let names = names.split(',').map(|name| name.trim().to_lowercase());
            out.extend(names.filter(|name| is_persona_name(name)));
        }
    }
    out
}

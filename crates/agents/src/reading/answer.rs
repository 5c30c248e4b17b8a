//! From a reader's JSON to a result (A2): the schema, what contradicts it in words, and what Collie fills in itself (§4.3).

use super::compose::label;
use super::hunks::clean_code;
use super::material::Material;
use super::members::{Reader, object};
use super::persona::is_name;
use super::pieces::{said, said_line};
use collie_core::identity::fingerprints;
use collie_core::ids::{Fingerprint, Time};
use collie_core::shapes::{
    Conclusion, Confidence, Finding, FindingKind, FindingSource, IssueCounts, Priority,
    ReviewerResult, SourceType, conclude,
};
use collie_core::text::safe_path;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// More findings than that are no review.
const MOST_FINDINGS: usize = 100;
/// More lines than that are no quote.
const MOST_EVIDENCE: usize = 60;
const TITLE_CHARS: usize = 160;

/// A reader's answer that fits its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The result, with earlier findings that still stand among the new ones.
    pub result: ReviewerResult,
    /// Earlier findings that do not stand any more.
    pub settled: Vec<Settled>,
    /// Findings that stand from earlier rounds, by id.
    pub upheld: BTreeSet<String>,
    /// Lines to put in place of the evidence, by finding id; not yet held against the code.
    pub replacements: BTreeMap<String, String>,
}

/// An earlier finding that does not stand any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// What became of it.
    pub how: Settlement,
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
enum Verdict {
    Fixed,
    Withdrawn,
    Open,
}

/// The JSON schema of an answer. OpenAI's strict mode takes it: each object lists all its members as required and allows no others; what may
/// be absent is null.
pub fn schema() -> Value {
    let text = json!({"type": "string"});
    let or_null = json!({"type": ["string", "null"]});
    let one_of = |words: &[&str]| json!({"type": "string", "enum": words});
    let finding = object(&[
        (
            "kind",
            one_of(&["error", "suggestion", "question", "nitpick", "praise"]),
        ),
        ("priority", one_of(&["P0", "P1", "P2", "P3"])),
        ("category", text.clone()),
        ("file", or_null.clone()),
        ("line", json!({"type": ["integer", "null"]})),
        ("evidence", or_null.clone()),
        ("title", text.clone()),
        ("description", text.clone()),
        ("suggestion", or_null.clone()),
        ("replacement", or_null),
        ("confidence", json!({"type": "number"})),
    ]);
    let earlier = object(&[
        ("finding", text.clone()),
        ("verdict", one_of(&["fixed", "withdrawn", "open"])),
        ("reason", text.clone()),
    ]);
    object(&[
        (
            "conclusion",
            one_of(&["approve", "request_changes", "needs_major_work"]),
        ),
        ("findings", json!({"type": "array", "items": finding})),
        ("earlier", json!({"type": "array", "items": earlier})),
        (
            "escalations",
            json!({"type": "array", "items": text.clone()}),
        ),
        ("fullReport", text),
    ])
}

/// A finding as it was given, with its replacement.
type Given = (Finding, Option<String>);

/// Reads an answer. The error lists what contradicts the shape, in words for the reader to repair it by.
///
/// Counts and conclusion are recomputed from the findings, ids and source filled in; all texts are sanitized (§9.2).
pub fn result(value: &Value, material: &Material, now: Time) -> Result<Answer, Vec<String>> {
    let Some(object) = value.as_object() else {
        return Err(vec!["the answer is no JSON object".into()]);
    };
    let mut wrong = Vec::new();
    let mut top = Reader {
        at: String::new(),
        object,
        wrong: &mut wrong,
    };
    let said_conclusion: Option<Conclusion> = top.word(
        "conclusion",
        "`approve`, `request_changes`, `needs_major_work`",
    );
    let findings = top.list("findings", true);
    let verdicts = top.list("earlier", false);
    let report = top.optional("fullReport").unwrap_or_default();
    if let Some(number) = object.get("prNumber").and_then(Value::as_u64)
        && number != material.number
    {
        wrong.push(format!(
            "`prNumber` is {number}: this is pull request {}",
            material.number
        ));
    }
    if findings.len() > MOST_FINDINGS {
        wrong.push(format!(
            "`findings` has {} entries: report at most {}, those that matter most",
            findings.len(),
            material.max_findings
        ));
    }
    let mut given: Vec<Given> = Vec::new();
    for (at, object) in findings.iter().enumerate().take(MOST_FINDINGS) {
        given.extend(finding(&mut wrong, at, object, material, now));
    }
    let earlier = earlier(&mut wrong, &verdicts, material);
    let stands = earlier
        .iter()
        .any(|(_, verdict, _)| *verdict == Verdict::Open);
    let nothing = wrong.is_empty() && findings.is_empty() && !stands;
    if nothing && said_conclusion.is_some_and(|said| said != Conclusion::Approve) {
        wrong.push(
            "`conclusion` is not `approve`, and nothing says why: name at least one finding, or approve".into(),
        );
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let escalations = escalations(object, &report, material);
    Ok(put_together(
        given,
        &earlier,
        &report,
        escalations,
        material,
    ))
}

fn finding(
    wrong: &mut Vec<String>,
    at: usize,
    object: &Map<String, Value>,
    material: &Material,
    now: Time,
) -> Option<Given> {
    let before = wrong.len();
    let mut read = Reader {
        at: format!("findings[{at}]"),
        object,
        wrong,
    };
    let kind: Option<FindingKind> = read.word(
        "kind",
        "`error`, `suggestion`, `question`, `nitpick`, `praise`",
    );
    let priority: Option<Priority> = read.word("priority", "`P0`, `P1`, `P2`, `P3`");
    let category = category(&read.text("category"));
    let title = said_line(&read.text("title"));
    let description = said(&read.text("description"));
    let confidence: Option<Confidence> = read.word("confidence", "the numbers from 0 to 1");
    let file = file(&mut read, material);
    let line = line(&mut read);
    let evidence = read.optional("evidence");
    let suggestion = read.optional("suggestion");
    let replacement = read.optional("replacement");
    if wrong.len() > before {
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
            .map(|quote| first_lines(&clean_code(&quote), MOST_EVIDENCE)),
        file,
        title: title.chars().take(TITLE_CHARS).collect(),
        description,
        suggestion: suggestion.map(|text| said(&text)),
        source: FindingSource {
            kind: SourceType::Agent,
            name: material.persona.name.clone(),
            review_id: None,
            timestamp: now.rfc3339(),
        },
        kind,
        confidence: confidence?,
    };
    Some((finding, replacement.map(|text| clean_code(&text))))
}

/// The file that a finding is about; empty for none.
fn file(read: &mut Reader<'_>, material: &Material) -> String {
    let Some(path) = read.optional("file") else {
        return String::new();
    };
    match safe_path(&known_path(&path, material)) {
        Ok(path) => path,
        Err(refusal) => {
            let name = read.name("file");
            read.wrong.push(format!("`{name}`: {refusal}"));
            String::new()
        }
    }
}

fn line(read: &mut Reader<'_>) -> Option<u32> {
    let value = read.object.get("line").filter(|value| !value.is_null())?;
    let line = value.as_u64().and_then(|line| u32::try_from(line).ok());
    let line = line.filter(|line| *line > 0);
    if line.is_none() {
        read.say("line", "a line number from 1, or null");
    }
    line
}

fn first_lines(text: &str, most: usize) -> String {
    text.lines().take(most).collect::<Vec<_>>().join("\n")
}

/// One lower-case word of letters, digits, `-` and `_`.
fn category(text: &str) -> String {
    let plain: String = said_line(text)
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
fn known_path(path: &str, material: &Material) -> String {
    let path = path.trim();
    let there = |path: &str| material.file(path).is_some();
    let bare = path
        .strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .filter(|bare| !there(path) && there(bare));
    bare.unwrap_or(path).to_string()
}

/// A verdict on each of this reviewer's earlier findings: which, what, why.
fn earlier(
    wrong: &mut Vec<String>,
    verdicts: &[Map<String, Value>],
    material: &Material,
) -> Vec<(usize, Verdict, String)> {
    let asked = material.own_findings().count();
    let mut out: Vec<(usize, Verdict, String)> = Vec::new();
    for (at, object) in verdicts.iter().enumerate() {
        let mut read = Reader {
            at: format!("earlier[{at}]"),
            object,
            wrong,
        };
        let name = read.text("finding");
        let verdict = read.word("verdict", "`fixed`, `withdrawn`, `open`");
        let reason = said_line(&read.text("reason"));
        let Some(verdict) = verdict else { continue };
        match (0..asked).find(|i| label(*i).eq_ignore_ascii_case(name.trim())) {
            Some(i) if out.iter().any(|(known, _, _)| *known == i) => {
                wrong.push(format!("`earlier` answers {} twice", label(i)));
            }
            Some(i) => out.push((i, verdict, reason)),
            // Nobody asked: what it says of findings that are not its own does not count.
            None if asked == 0 => {}
            None => {
                let name: String = name.chars().take(40).collect();
                wrong.push(format!(
                    "`earlier[{at}].finding` is `{name}`: you were asked about K1 to K{asked}"
                ));
            }
        }
    }
    for i in 0..asked {
        if !out.iter().any(|(known, _, _)| *known == i) {
            wrong.push(format!("`earlier` has no verdict on {}", label(i)));
        }
    }
    out
}

fn put_together(
    given: Vec<Given>,
    earlier: &[(usize, Verdict, String)],
    report: &str,
    escalations: Vec<String>,
    material: &Material,
) -> Answer {
    let mut settled = Vec::new();
    let mut findings: Vec<Finding> = Vec::new();
    for (i, verdict, reason) in earlier {
        let Some(known) = material.own_findings().nth(*i) else {
            continue;
        };
        let mut settle = |how| {
            settled.push(Settled {
                fingerprint: known.fingerprint.clone(),
                how,
                reason: reason.clone(),
            });
        };
        match verdict {
            Verdict::Fixed => settle(Settlement::Fixed),
            Verdict::Withdrawn => settle(Settlement::Withdrawn),
            Verdict::Open => findings.push(known.finding.clone()),
        }
    }
    let upheld = findings.len();
    findings.extend(given.iter().map(|(finding, _)| finding.clone()));
    let prints = fingerprints(&findings);
    for (finding, print) in findings.iter_mut().zip(prints) {
        finding.id = format!("{}-{}", material.persona.name, &print.as_str()[..12]);
    }
    let ids =
        |findings: &[Finding]| -> Vec<String> { findings.iter().map(|f| f.id.clone()).collect() };
    let replacements = ids(&findings[upheld..])
        .into_iter()
        .zip(given)
        .filter_map(|(id, (_, replacement))| Some((id, replacement?)))
        .collect();
    let issues = IssueCounts::of(&findings);
    Answer {
        settled,
        upheld: ids(&findings[..upheld]).into_iter().collect(),
        replacements,
        result: ReviewerResult {
            agent: material.persona.name.clone(),
            pr_number: material.number,
            conclusion: conclude(issues),
            issues,
            findings,
            full_report: said(report),
            escalations,
        },
    }
}

/// Reviewers that are asked in, in the list or by `<!-- escalate: NAME -->` in the report (§4.2); only those that may be.
fn escalations(object: &Map<String, Value>, report: &str, material: &Material) -> Vec<String> {
    let listed = object.get("escalations").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_str);
    let mut out: Vec<String> = Vec::new();
    for name in listed.map(str::to_string).chain(escalation_marks(report)) {
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
            out.extend(names.filter(|name| is_name(name)));
        }
    }
    out
}

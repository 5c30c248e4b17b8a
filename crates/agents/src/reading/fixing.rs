//! What a fixer is asked, and its account of what it did (A4, A5; §6.1).

use super::compose::{ReaderKind, guidelines_section, last_section};
use super::extract::extract_from_text;
use super::fit::{BudgetTooSmall, Item, LeftOut, Parts, Prompt, fit};
use super::hunks::clean_code;
use super::material::TextFile;
use super::members::{Reader, object};
use super::pieces::{Pieces, place, said, said_line};
use super::prompts::{FIX, FIX_AGAIN};
use collie_core::ids::RepoName;
use collie_core::shapes::{
    Finding, FixPayload, FixResult, FixSummary, FixedIssue, RejectedIssue, ShapeError, SourceType,
};
use collie_core::text::fence;
use serde_json::{Value, json};

/// The most files that are listed as allowed.
const MOST_FILES: usize = 300;
/// How many last lines of evidence (of a failed check's log, its end says most) are shown of each finding: the most that fit the budget.
const EVIDENCE_LINES: [usize; 4] = [200, 60, 20, 5];
const GUIDELINE_TOKENS: u32 = 3_000;

/// What a fixer's prompt is made of.
#[derive(Clone, Copy, Debug)]
pub struct FixMaterial<'a> {
    /// The repository.
    pub repo: &'a RepoName,
    /// Title of the pull request.
    pub title: &'a str,
    /// What is to be fixed (A4).
    pub payload: &'a FixPayload,
    /// Why the last attempt was refused, in words with its output; none at the first.
    pub refusal: Option<&'a str>,
    /// The repository's guidelines, from the base branch.
    pub guidelines: &'a [TextFile],
    /// Files that may be changed: those of the pull request's diff (§6.3).
    pub allowed: &'a [String],
    /// Commands that the result must pass (§6.3).
    pub verify: &'a [String],
}

/// Puts the prompt for a fix together; after a refusal the whole of it again, with the refusal last.
pub fn fix_prompt(
    fix: &FixMaterial<'_>,
    budget: u32,
    count: &dyn Fn(&str) -> u32,
) -> Result<Prompt, BudgetTooSmall> {
    let mut pieces = Pieces::default();
    let share = ((budget / 10).min(GUIDELINE_TOKENS), 0);
    pieces.guidelines(fix.guidelines, share, count);
    let with = |most: usize| {
        let put = |kept: &[&Item], left_out: &[LeftOut]| {
            let mut system = vec![FIX.fill(&[])];
            system.extend(guidelines_section(kept));
            let task = match fix.refusal {
                None => "Fix the findings now.".to_string(),
                Some(refusal) => {
                    let refusal = clean_code(&last_lines(refusal, most));
                    FIX_AGAIN.fill(&[("refusal", &fence(&refusal))])
                }
            };
            let user = vec![
                pull(fix),
                findings(fix.payload, most),
                last_section(left_out, &task, ReaderKind::Agent),
            ];
            Parts { system, user }
        };
        fit(&pieces.items, pieces.left_out.clone(), budget, count, &put)
    };
    let [longest, shorter @ ..] = EVIDENCE_LINES;
    shorter.iter().fold(with(longest), |prompt, most| {
        prompt.or_else(|_| with(*most))
    })
}

/// The end of a text: whole lines, after a mark where some were left out.
fn last_lines(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let left_out = lines.len().saturating_sub(most);
    let last = lines[left_out..].join("\n");
    if left_out == 0 {
        last
    } else {
        format!("[{left_out} lines before these are left out]\n{last}")
    }
}

fn pull(fix: &FixMaterial<'_>) -> String {
    let head = format!(
        "{}#{}\n{}",
        fix.repo,
        fix.payload.pr_number,
        said_line(fix.title)
    );
    let mut files: Vec<String> = fix
        .allowed
        .iter()
        .take(MOST_FILES)
        .map(|path| said_line(path))
        .collect();
    if fix.allowed.len() > MOST_FILES {
        files.push(format!(
            "and {} more that it changes",
            fix.allowed.len() - MOST_FILES
        ));
    }
    let mut out = vec![
        format!("## The pull request\n\n{}", fence(&head)),
        format!(
            "Files that you may change, and no others:\n{}",
            fence(&files.join("\n"))
        ),
    ];
    if !fix.verify.is_empty() {
        let commands = clean_code(&fix.verify.join("\n"));
        out.push(format!(
            "Your change is accepted only if these commands pass:\n{}",
            fence(&commands)
        ));
    }
    out.join("\n\n")
}

fn label(at: usize) -> String {
    format!("F{}", at + 1)
}

fn findings(payload: &FixPayload, most: usize) -> String {
    let mut out = vec!["## The findings".to_string()];
    for (at, finding) in all(payload).enumerate() {
        let optional = at >= payload.issues_to_fix.len();
        out.push(finding_text(&label(at), finding, optional, most));
    }
    out.join("\n\n")
}

fn all(payload: &FixPayload) -> impl Iterator<Item = &Finding> {
    payload.issues_to_fix.iter().chain(&payload.optional_issues)
}

fn finding_text(label: &str, finding: &Finding, optional: bool, most: usize) -> String {
    let from = match finding.source.kind {
        SourceType::Agent => "a reviewer",
        SourceType::Rules => "a rule",
        SourceType::Ci => "a failed check",
        SourceType::Bot => "a review bot",
        SourceType::Human => "a person",
    };
    let mut rows = vec![
        format!("{:?} {}", finding.priority, place(finding)),
        said_line(&finding.title),
        said(&finding.description),
    ];
    rows.extend(suggestion(finding));
    if let Some(evidence) = &finding.evidence {
        rows.push("Evidence:".into());
        rows.push(
            clean_code(&last_lines(evidence, most))
                .trim_end()
                .to_string(),
        );
    }
    let optional = if optional { ", optional" } else { "" };
    rows.retain(|row| !row.is_empty());
    format!(
        "**{label}** (from {from}{optional})\n{}",
        fence(&rows.join("\n"))
    )
}

fn suggestion(finding: &Finding) -> Option<String> {
    let text = said(finding.suggestion.as_deref()?);
    (!text.is_empty()).then(|| format!("Suggested: {text}"))
}

/// The JSON schema of a fixer's account, for those that take one.
pub fn fix_schema() -> Value {
    let text = || json!({"type": "string"});
    let fixed = object(&[("findingId", text()), ("description", text())]);
    let rejected = object(&[("findingId", text()), ("reason", text())]);
    object(&[
        ("fixedIssues", json!({"type": "array", "items": fixed})),
        (
            "rejectedIssues",
            json!({"type": "array", "items": rejected}),
        ),
    ])
}

/// Reads a fixer's account out of what it said: each issue fixed or rejected, once (A5). The error lists what is wrong with it, in words for
/// the fixer. That an issue is fixed is its claim; the worktree decides.
pub fn fix_result(text: &str, asked: &FixPayload, agent: &str) -> Result<FixResult, Vec<String>> {
    let value = extract_from_text(text, "fixedIssues").map_err(|error| vec![error])?;
    let Some(object) = value.as_object() else {
        return Err(vec!["the account is no JSON object".into()]);
    };
    let mut wrong = Vec::new();
    let mut top = Reader {
        at: String::new(),
        object,
        wrong: &mut wrong,
    };
    let fixed = top.list("fixedIssues", true);
    let rejected = top.list("rejectedIssues", false);
    let mut fixed_issues = Vec::new();
    for (at, object) in fixed.iter().enumerate() {
        let mut read = Reader {
            at: format!("fixedIssues[{at}]"),
            object,
            wrong: &mut wrong,
        };
        fixed_issues.push(FixedIssue {
            finding_id: identify(&read.text("findingId"), asked),
            commit_sha: String::new(),
            description: said_line(&read.text("description")),
        });
    }
    let mut rejected_issues = Vec::new();
    for (at, object) in rejected.iter().enumerate() {
        let mut read = Reader {
            at: format!("rejectedIssues[{at}]"),
            object,
            wrong: &mut wrong,
        };
        rejected_issues.push(RejectedIssue {
            finding_id: identify(&read.text("findingId"), asked),
            reason: said_line(&read.text("reason")),
        });
    }
    // Whoever lists an optional one as rejected has left it, which needs no words.
    rejected_issues.retain(|r| !asked.optional_issues.iter().any(|f| f.id == r.finding_id));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let result = FixResult {
        agent: agent.to_string(),
        pr_number: asked.pr_number,
        summary: FixSummary::default(),
        fixed_issues,
        rejected_issues,
        commits: Vec::new(),
    };
    result
        .validated(asked)
        .map_err(|error| vec![in_labels(&error, asked)])
}

/// The finding that a label, or an id, names; a text that names none stays as it is, to be told.
fn identify(name: &str, asked: &FixPayload) -> String {
    let name = name.trim();
    let found = all(asked)
        .enumerate()
        .find(|(at, finding)| label(*at).eq_ignore_ascii_case(name) || finding.id == name);
    found.map_or_else(|| name.chars().take(80).collect(), |(_, f)| f.id.clone())
}

/// The same in the labels that the fixer knows.
fn in_labels(error: &ShapeError, asked: &FixPayload) -> String {
    let ShapeError::Unbalanced { what, id, .. } = error else {
        return error.to_string();
    };
    let found = all(asked).position(|finding| &finding.id == id);
    let name = found.map_or_else(|| id.clone(), label);
    match *what {
        "missing" => format!(
            "{name} is in neither list: each finding that is not optional is fixed or rejected"
        ),
        "twice" => format!("{name} is listed twice: each finding is fixed or rejected, once"),
        _ => format!(
            "`{name}` is none of the findings: use their labels, F1 to F{}",
            all(asked).count()
        ),
    }
}

//! What a fixer is asked, and its account of what it did (A4, A5; §6.1).

use super::code_sanitizer::{escaped_code_text, sanitized_code_text};
use super::extract::extract_json;
use super::finding_context::patch_text;
use super::guideline_parts::{GuidelineRoom, guidelines_section};
use super::json_members::{MemberReader, object_schema};
use super::material::{LinkedIssue, Remark, TextFile};
use super::prompt_parts::{
    PartCollector, finding_location, remark_text, sanitized_line, sanitized_text,
};
use super::prompts::{FIX, FIX_AGAIN};
use super::review_prompt::{PromptTarget, closing_section, purpose_texts};
use super::token_budget::{
    BudgetTooSmall, OmittedPart, Prompt, PromptItem, PromptTexts, fit_to_budget,
};
use collie_core::finding::{Finding, SourceType};
use collie_core::fix::{FixPayload, FixResult, FixSummary, FixedIssue, RejectedIssue};
use collie_core::ids::{Fingerprint, RepoName};
use collie_core::review::InvalidResult;
use collie_core::text::{fence_as_text, without_invisible};
use serde_json::{Value, json};

/// Fewer remarks are no history: the finding itself is the newest of them.
const MIN_HISTORY: usize = 2;
/// The most files that are listed as allowed.
const MOST_FILES: usize = 300;
/// How many last lines of evidence (of a failed check's log, its end says most) are shown of each finding: the most that fit the budget.
const EVIDENCE_LINES: [usize; 4] = [200, 60, 20, 5];
const MAX_GUIDELINE_TOKENS: u32 = 3_000;
/// What the description, and the issues together, may take.
const MAX_PURPOSE_TOKENS: u32 = 3_000;

/// What a fixer's prompt is made of.
#[derive(Clone, Copy, Debug)]
pub struct FixMaterial<'a> {
    /// The repository.
    pub repo: &'a RepoName,
    /// Title of the pull request.
    pub title: &'a str,
    /// Its description.
    pub description: &'a str,
    /// Issues that it names.
    pub issues: &'a [LinkedIssue],
    /// What was said in the threads that findings come from: a finding's id, and the remarks from the first on.
    pub threads: &'a [(&'a str, Vec<Remark>)],
    /// What is to be fixed (A4).
    pub payload: &'a FixPayload,
    /// What was tried before on findings that stand after all, the oldest first.
    pub attempts: &'a [TriedFix<'a>],
    /// Why the last attempt was refused, in words with its output; none at the first.
    pub refusal: Option<&'a str>,
    /// The repository's guidelines, from the base branch.
    pub guidelines: &'a [TextFile],
    /// Files that may be changed: those of the pull request's diff (§6.3).
    pub allowed_paths: &'a [String],
    /// Commands that the result must pass (§6.3).
    pub verify_commands: &'a [String],
}

/// What was said to fix a finding and did not.
#[derive(Clone, Copy, Debug)]
pub struct TriedFix<'a> {
    /// The finding's id.
    pub finding_id: &'a str,
    /// What the commit changed, as a patch.
    pub patch: &'a str,
    /// Why the finding stands all the same, in its reviewer's words.
    pub standing_reason: Option<&'a str>,
}

/// Puts the prompt for a fix together; after a refusal the whole of it again, with the refusal last.
pub fn fix_prompt(
    fix: &FixMaterial<'_>,
    budget: u32,
    count_tokens: &dyn Fn(&str) -> u32,
) -> Result<Prompt, BudgetTooSmall> {
    let mut collector = PartCollector::default();
    let guidelines = GuidelineRoom {
        first: (budget / 10).min(MAX_GUIDELINE_TOKENS),
        more: 0,
        rest: false,
    };
    collector.guidelines(fix.guidelines, guidelines, count_tokens);
    let share = (budget / 10).min(MAX_PURPOSE_TOKENS);
    collector.description(fix.description, share, count_tokens);
    collector.issues(fix.issues, share, count_tokens);
    let with_evidence_lines = |most: usize| {
        let assemble = |kept: &[&PromptItem], left_out: &[OmittedPart]| {
            let mut system = vec![FIX.fill(&[])];
            system.extend(guidelines_section(kept));
            let task = match fix.refusal {
                None => "Fix the findings now.".to_string(),
                Some(refusal) => {
                    let refusal = sanitized_code_text(&last_lines(refusal, most));
                    FIX_AGAIN.fill(&[("refusal", &fence_as_text(&refusal))])
                }
            };
            let mut user = vec![pull_section(fix, kept), findings_section(fix, most)];
            user.extend(notes_section(fix.payload));
            user.push(closing_section(left_out, &task, PromptTarget::Agent));
            PromptTexts { system, user }
        };
        fit_to_budget(
            &collector.items,
            collector.omitted.clone(),
            budget,
            count_tokens,
            &assemble,
        )
    };
    let [longest, shorter @ ..] = EVIDENCE_LINES;
    shorter
        .iter()
        .fold(with_evidence_lines(longest), |prompt, most| {
            prompt.or_else(|_| with_evidence_lines(*most))
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

fn pull_section(fix: &FixMaterial<'_>, kept: &[&PromptItem]) -> String {
    let head = format!(
        "{}#{}\n{}",
        fix.repo,
        fix.payload.pr_number,
        sanitized_line(fix.title)
    );
    let mut files: Vec<String> = fix
        .allowed_paths
        .iter()
        .take(MOST_FILES)
        .map(|path| sanitized_line(path))
        .collect();
    if fix.allowed_paths.len() > MOST_FILES {
        files.push(format!(
            "and {} more that it changes",
            fix.allowed_paths.len() - MOST_FILES
        ));
    }
    let mut out = vec![format!("## The pull request\n\n{}", fence_as_text(&head))];
    out.extend(purpose_texts(kept));
    out.push(format!(
        "Files that you may change, and no others:\n{}",
        fence_as_text(&files.join("\n"))
    ));
    if !fix.verify_commands.is_empty() {
        let commands = sanitized_code_text(&fix.verify_commands.join("\n"));
        out.push(format!(
            "Your change is accepted only if these commands pass:\n{}",
            fence_as_text(&commands)
        ));
    }
    out.join("\n\n")
}

fn finding_label(at: usize) -> String {
    format!("F{}", at + 1)
}

/// What the user has to say: their words, and so no material in a fence. None where they said nothing.
fn notes_section(payload: &FixPayload) -> Option<String> {
    if payload.notes.is_empty() {
        return None;
    }
    let label = |print: &Fingerprint| {
        let at = all_findings(payload).position(|finding| finding.id == print.as_str());
        at.map(finding_label)
    };
    let mut out = vec!["## What the user says".to_string()];
    for note in &payload.notes {
        let about = match note.finding_id.as_ref().and_then(label) {
            Some(label) => format!("On {label}:"),
            None => "On the change:".to_string(),
        };
        let text = without_invisible(&note.text);
        let words: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
        out.push(format!("{about}\n{}", words.join("\n")));
    }
    Some(out.join("\n\n"))
}

fn findings_section(fix: &FixMaterial<'_>, most: usize) -> String {
    let payload = fix.payload;
    let mut out = vec!["## The findings".to_string()];
    // Only so that a session can be told apart in an agent's own log.
    out.extend((payload.turn.as_ref()).map(|turn| format!("Turn {}.", turn.key)));
    for (at, finding) in all_findings(payload).enumerate() {
        let optional = at >= payload.issues_to_fix.len();
        out.push(fixer_finding_text(
            &finding_label(at),
            finding,
            optional,
            most,
        ));
        let joined = payload.joined.get(&finding.id).into_iter().flatten();
        out.extend(joined.map(joined_text));
        let said = fix.threads.iter().filter(|(id, _)| *id == finding.id);
        out.extend(said.filter_map(|(_, remarks)| thread_history(remarks, most)));
        let tried = fix.attempts.iter().filter(|t| t.finding_id == finding.id);
        out.extend(tried.map(|tried| tried_fix_text(tried, most)));
    }
    out.join("\n\n")
}

/// What another tool says of the same fault: it may know more of it.
fn joined_text(other: &Finding) -> String {
    let rows = [finding_location(other), sanitized_text(&other.description)];
    format!(
        "Found by {} too, in these words:\n{}",
        finder(other.source.kind),
        fence_as_text(&rows.join("\n"))
    )
}

/// What was said in the thread that a finding comes from; the finding itself is the newest word that asks for an answer.
fn thread_history(remarks: &[Remark], most: usize) -> Option<String> {
    if remarks.len() < MIN_HISTORY {
        return None;
    }
    let newest = &remarks[remarks.len().saturating_sub(most)..];
    let said: Vec<String> = newest.iter().map(remark_text).collect();
    Some(format!(
        "The thread that it comes from:\n{}",
        fence_as_text(&said.join("\n\n"))
    ))
}

/// What an earlier commit changed for a finding that stands all the same, and why it stands.
fn tried_fix_text(tried: &TriedFix<'_>, most: usize) -> String {
    let mut out = format!(
        "This was said to fix it and did not; do something else:\n{}",
        fence_as_text(&patch_text(tried.patch, most))
    );
    if let Some(reason) = tried.standing_reason.map(sanitized_text) {
        out.push_str("\nWhy it stands after that, says its reviewer:\n");
        out.push_str(&fence_as_text(&reason));
    }
    out
}

fn all_findings(payload: &FixPayload) -> impl Iterator<Item = &Finding> {
    payload.issues_to_fix.iter().chain(&payload.optional_issues)
}

fn finder(kind: SourceType) -> &'static str {
    match kind {
        SourceType::Agent => "a reviewer",
        SourceType::Rules => "a rule",
        SourceType::Linter => "a linter",
        SourceType::Ci => "a failed check",
        SourceType::Bot => "a review bot",
        SourceType::Human => "a person",
    }
}

fn fixer_finding_text(label: &str, finding: &Finding, optional: bool, most: usize) -> String {
    let from = finder(finding.source.kind);
    let mut rows = vec![
        format!("{:?} {}", finding.priority, finding_location(finding)),
        sanitized_line(&finding.title),
        sanitized_text(&finding.description),
    ];
    rows.extend(suggestion_text(finding));
    if let Some(evidence) = &finding.evidence {
        rows.push("Evidence:".into());
        rows.push(
            escaped_code_text(&last_lines(evidence, most))
                .trim_end()
                .to_string(),
        );
    }
    let optional = if optional { ", optional" } else { "" };
    rows.retain(|row| !row.is_empty());
    format!(
        "**{label}** (from {from}{optional})\n{}",
        fence_as_text(&rows.join("\n"))
    )
}

fn suggestion_text(finding: &Finding) -> Option<String> {
    let text = sanitized_text(finding.suggestion.as_deref()?);
    (!text.is_empty()).then(|| format!("Suggested: {text}"))
}

/// The JSON schema of a fixer's account, for those that take one.
pub fn fix_schema() -> Value {
    let text = || json!({"type": "string"});
    let fixed = object_schema(&[("findingId", text()), ("description", text())]);
    let rejected = object_schema(&[("findingId", text()), ("reason", text())]);
    object_schema(&[
        ("fixedIssues", json!({"type": "array", "items": fixed})),
        (
            "rejectedIssues",
            json!({"type": "array", "items": rejected}),
        ),
    ])
}

/// Reads a fixer's account out of what it said: each issue fixed or rejected, once (A5). The error lists what is wrong with it, in words for
/// the fixer. That an issue is fixed is its claim; the worktree decides.
pub fn parse_fix(text: &str, payload: &FixPayload, agent: &str) -> Result<FixResult, Vec<String>> {
    let value = extract_json(text, "fixedIssues").map_err(|error| vec![error])?;
    let Some(object) = value.as_object() else {
        return Err(vec!["the account is no JSON object".into()]);
    };
    let mut violations = Vec::new();
    let mut reader = MemberReader {
        path: String::new(),
        object,
        violations: &mut violations,
    };
    let fixed = reader.object_list("fixedIssues", true);
    let rejected = reader.object_list("rejectedIssues", false);
    let mut fixed_issues = Vec::new();
    for (at, object) in fixed.iter().enumerate() {
        let mut fixed_reader = MemberReader {
            path: format!("fixedIssues[{at}]"),
            object,
            violations: &mut violations,
        };
        fixed_issues.push(FixedIssue {
            finding_id: finding_id(&fixed_reader.required_text("findingId"), payload),
            commit_sha: String::new(),
            description: sanitized_line(&fixed_reader.required_text("description")),
        });
    }
    let mut rejected_issues = Vec::new();
    for (at, object) in rejected.iter().enumerate() {
        let mut rejected_reader = MemberReader {
            path: format!("rejectedIssues[{at}]"),
            object,
            violations: &mut violations,
        };
        rejected_issues.push(RejectedIssue {
            finding_id: finding_id(&rejected_reader.required_text("findingId"), payload),
            reason: sanitized_line(&rejected_reader.required_text("reason")),
        });
    }
    // Whoever lists an optional one as rejected has left it, which needs no words.
    rejected_issues.retain(|rejected| {
        !payload
            .optional_issues
            .iter()
            .any(|f| f.id == rejected.finding_id)
    });
    if !violations.is_empty() {
        return Err(violations);
    }
    let result = FixResult {
        agent: agent.to_string(),
        pr_number: payload.pr_number,
        summary: FixSummary::default(),
        fixed_issues,
        rejected_issues,
        commits: Vec::new(),
    };
    result
        .validated(payload)
        .map_err(|error| vec![describe_error(&error, payload)])
}

/// The finding that a label, or an id, names; a text that names none stays as it is, to be told.
fn finding_id(name: &str, payload: &FixPayload) -> String {
    let name = name.trim();
    let found = all_findings(payload)
        .enumerate()
        .find(|(at, finding)| finding_label(*at).eq_ignore_ascii_case(name) || finding.id == name);
    found.map_or_else(|| name.chars().take(80).collect(), |(_, f)| f.id.clone())
}

/// The same in the labels that the fixer knows.
fn describe_error(error: &InvalidResult, payload: &FixPayload) -> String {
    let InvalidResult::UnmatchedIssue { what, id, .. } = error else {
        return error.to_string();
    };
    let found = all_findings(payload).position(|finding| &finding.id == id);
    let name = found.map_or_else(|| id.clone(), finding_label);
    match *what {
        "missing" => format!(
            "{name} is in neither list: each finding that is not optional is fixed or rejected"
        ),
        "twice" => format!("{name} is listed twice: each finding is fixed or rejected, once"),
        _ => format!(
            "`{name}` is none of the findings: use their labels, F1 to F{}",
            all_findings(payload).count()
        ),
    }
}

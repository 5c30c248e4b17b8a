//! Which fixes answer the issues of a payload, and what became of each (§6.1).

use crate::linter_fixes::{LinterFixes, apply_linter_fixes};
use crate::{
    LineSet, RuleMatch, RuleSet, ScanInput, SelectedMatch, UnappliedReason, apply_fixes, scan,
};
use collie_core::finding::{Finding, SourceType};
use collie_core::fix::{FixPayload, FixResult, FixSummary, FixedIssue, RejectedIssue, note_codes};
use collie_core::step::RULES_FIXER;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What is to be tried for the findings: per file the selected matches, and which findings each one answers.
#[derive(Default)]
struct FixPlan {
    selected: BTreeMap<String, BTreeSet<SelectedMatch>>,
    matches_by_finding: BTreeMap<String, Vec<(String, SelectedMatch)>>,
    rejected: BTreeMap<String, &'static str>,
}

/// Files that may be fixed, by path: their bytes and changed lines.
pub(crate) type FileContents = BTreeMap<String, (Vec<u8>, LineSet)>;

/// Applies the fixes that answer the issues: what became of each, and the files that changed.
pub(crate) fn apply_plan(
    rules: &RuleSet,
    contents: &FileContents,
    payload: &FixPayload,
) -> (FixResult, Vec<(String, Vec<u8>)>) {
    let mut plan = FixPlan::default();
    for finding in payload.issues_to_fix.iter().chain(&payload.optional_issues) {
        plan_finding(rules, contents, finding, &mut plan);
    }
    let mut applied: BTreeSet<(String, SelectedMatch)> = BTreeSet::new();
    let mut failed: BTreeMap<(String, SelectedMatch), UnappliedReason> = BTreeMap::new();
    let mut changed = Vec::new();
    for (path, selected) in &plan.selected {
        let Some((content, _)) = contents.get(path) else {
            continue;
        };
        let wanted: Vec<SelectedMatch> = selected.iter().cloned().collect();
        let outcome = apply_fixes(rules, path, content, &wanted);
        applied.extend(
            outcome
                .applied
                .into_iter()
                .map(|fix| (path.clone(), fix.selected)),
        );
        failed.extend(
            outcome
                .not_applied
                .into_iter()
                .map(|fix| ((path.clone(), fix.selected), fix.reason)),
        );
        if outcome.content != *content {
            changed.push((path.clone(), outcome.content));
        }
    }
    let linter_fixes = fix_by_linters(contents, payload, &mut changed);
    let outcome = PlanOutcome {
        applied,
        failed,
        linter_fixes,
    };
    (fix_result(payload, &plan, &outcome), changed)
}

/// Applies linters' fixes over what the rules changed.
fn fix_by_linters(
    contents: &FileContents,
    payload: &FixPayload,
    changed: &mut Vec<(String, Vec<u8>)>,
) -> LinterFixes {
    let by_rules: BTreeMap<String, Vec<u8>> = changed.drain(..).collect();
    let original = |path: &str| contents.get(path).map(|(content, _)| content.clone());
    let now = |path: &str| by_rules.get(path).cloned().or_else(|| original(path));
    let mut all = by_rules.clone();
    let fixes = apply_linter_fixes(payload, now, |path, content| {
        all.insert(path.to_owned(), content);
    });
    let differs = |path: &str, content: &Vec<u8>| original(path).as_ref() != Some(content);
    changed.extend(
        all.into_iter()
            .filter(|(path, content)| differs(path, content)),
    );
    fixes
}

/// What became of a plan.
struct PlanOutcome {
    applied: BTreeSet<(String, SelectedMatch)>,
    failed: BTreeMap<(String, SelectedMatch), UnappliedReason>,
    linter_fixes: LinterFixes,
}

impl PlanOutcome {
    /// The rules or the linter whose fix of a finding was applied.
    fn applied_to<'a>(
        &self,
        finding: &'a Finding,
        answers: &'a [(String, SelectedMatch)],
    ) -> BTreeSet<&'a str> {
        let by_rules = answers
            .iter()
            .filter(|answer| self.applied.contains(answer));
        let by_linter = self.linter_fixes.applied.contains(&finding.id);
        by_rules
            .map(|(_, selected)| selected.rule_id.as_str())
            .chain(by_linter.then_some(finding.source.name.as_str()))
            .collect()
    }

    /// Why a finding was not fixed: what was tried failed, or nothing was to be tried.
    fn reason(
        &self,
        finding: &Finding,
        answers: &[(String, SelectedMatch)],
        planned_code: Option<&'static str>,
    ) -> &'static str {
        let failure = answers.iter().find_map(|answer| self.failed.get(answer));
        let by_linter = || self.linter_fixes.failed.get(&finding.id).copied();
        failure
            .map(|reason| reason_code(*reason))
            .or(planned_code)
            .or_else(by_linter)
            .unwrap_or(note_codes::NOT_COVERED)
    }
}

/// Chooses the matches that answer a finding.
fn plan_finding(rules: &RuleSet, contents: &FileContents, finding: &Finding, plan: &mut FixPlan) {
    let matches: Vec<RuleMatch> = match finding.source.kind {
        SourceType::Rules => {
            let rule = finding.category.strip_prefix("rule:").unwrap_or_default();
            let line = finding.line.unwrap_or_default() as usize;
            let selected = SelectedMatch {
                rule_id: rule.into(),
                line,
            };
            return plan.add(finding, &finding.file, selected);
        }
        // What people, bots and models point at may be what a rule knows: on that very line.
        SourceType::Human | SourceType::Bot | SourceType::Agent => {
            let line = finding.line.unwrap_or_default() as usize;
            matches_of(rules, contents, &finding.file)
                .into_iter()
                .filter(|candidate| {
                    line > 0 && (candidate.line..=candidate.end_line).contains(&line)
                })
                .collect()
        }
        SourceType::Ci => matches_named_by(rules, contents, finding),
        // Its fix is the linter's own.
        SourceType::Linter => return,
    };
    let mut has_fix = false;
    for found in matches
        .into_iter()
        .filter(|candidate| candidate.fix.is_some())
    {
        has_fix = true;
        let selected = SelectedMatch {
            rule_id: found.rule_id,
            line: found.line,
        };
        plan.add(finding, &found.path, selected);
    }
    if !has_fix {
        plan.rejected
            .insert(finding.id.clone(), note_codes::NOT_COVERED);
    }
}

/// A place in a file, as tools write it: `a.py:3`, `a.ts(3,5)`, `File "a.py", line 3`.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"([\w./@+-]+\.\w+)(?::|\(|", line )(\d{1,7})"#)
        .expect("the pattern is a literal that the tests compile")
});

/// The changed lines that a failed check names, by itself or in its log.
fn lines_named_by(finding: &Finding, contents: &FileContents) -> BTreeSet<(String, usize)> {
    let own = finding
        .line
        .map(|line| (finding.file.as_str(), line as usize));
    let log = finding.evidence.as_deref().unwrap_or_default();
    let in_log = PLACE.captures_iter(log).filter_map(|place| {
        let (_, [path, line]) = place.extract();
        Some((path, line.parse().ok()?))
    });
    let resolve = |(named, line): (&str, usize)| {
        // Tools name files from where they run, or from the root of the machine.
        let is_file = |path: &&String| {
            let is_tail =
                named.ends_with(&format!("/{path}")) || path.ends_with(&format!("/{named}"));
            is_tail || named.trim_start_matches("./") == path.as_str()
        };
        contents
            .keys()
            .find(is_file)
            .map(|path| (path.clone(), line))
    };
    own.into_iter().chain(in_log).filter_map(resolve).collect()
}

/// What a rule knows on a line that a failed check names, and where the same rule matches elsewhere in that file: a tool may stop at the
/// first. A rule's fix of anything else says nothing about the check (§5.2).
fn matches_named_by(rules: &RuleSet, contents: &FileContents, failed: &Finding) -> Vec<RuleMatch> {
    let named = lines_named_by(failed, contents);
    let paths: BTreeSet<&String> = named.iter().map(|(path, _)| path).collect();
    let of_path = |path: &String| {
        let matches = matches_of(rules, contents, path);
        let is_named = |found: &&RuleMatch| {
            let mut named = named.iter();
            named.any(|(at, line)| at == path && (found.line..=found.end_line).contains(line))
        };
        let known: BTreeSet<String> = matches
            .iter()
            .filter(is_named)
            .map(|found| found.rule_id.clone())
            .collect();
        let mut matches = matches;
        matches.retain(|found| known.contains(&found.rule_id));
        matches
    };
    paths.into_iter().flat_map(of_path).collect()
}

impl FixPlan {
    /// The matches that answer a finding.
    fn answers(&self, finding: &Finding) -> &[(String, SelectedMatch)] {
        let answers = self.matches_by_finding.get(&finding.id);
        answers.map(Vec::as_slice).unwrap_or_default()
    }

    fn add(&mut self, finding: &Finding, path: &str, selected: SelectedMatch) {
        self.selected
            .entry(path.to_string())
            .or_default()
            .insert(selected.clone());
        let answers = self
            .matches_by_finding
            .entry(finding.id.clone())
            .or_default();
        answers.push((path.to_string(), selected));
    }
}

fn matches_of(rules: &RuleSet, contents: &FileContents, path: &str) -> Vec<RuleMatch> {
    let Some((content, changed_lines)) = contents.get(path) else {
        return Vec::new();
    };
    scan(
        rules,
        &ScanInput {
            path,
            content,
            changed_lines,
            generated: false,
        },
    )
}

/// Tells for every issue what became of it. Optional ones that were not fixed are left unsaid.
fn fix_result(payload: &FixPayload, plan: &FixPlan, outcome: &PlanOutcome) -> FixResult {
    let mut fixed_issues = Vec::new();
    let mut rejected_issues = Vec::new();
    let optional = payload.optional_issues.iter().map(|issue| (issue, false));
    for (finding, required) in payload
        .issues_to_fix
        .iter()
        .map(|issue| (issue, true))
        .chain(optional)
    {
        let answers = plan.answers(finding);
        let applied = outcome.applied_to(finding, answers);
        if !applied.is_empty() {
            fixed_issues.push(fixed_issue(finding, &applied));
        } else if required {
            let planned_code = plan.rejected.get(&finding.id).copied();
            rejected_issues.push(RejectedIssue {
                finding_id: finding.id.clone(),
                reason: outcome.reason(finding, answers, planned_code).to_owned(),
            });
        }
    }
    FixResult {
        agent: RULES_FIXER.into(),
        pr_number: payload.pr_number,
        summary: FixSummary::default(),
        fixed_issues,
        rejected_issues,
        commits: Vec::new(),
    }
}

fn fixed_issue(finding: &Finding, applied: &BTreeSet<&str>) -> FixedIssue {
    let code = match finding.source.kind {
        SourceType::Ci => note_codes::APPLIED_WHERE_NAMED,
        SourceType::Rules
        | SourceType::Linter
        | SourceType::Human
        | SourceType::Bot
        | SourceType::Agent => note_codes::APPLIED,
    };
    let names: Vec<&str> = applied.iter().copied().collect();
    FixedIssue {
        finding_id: finding.id.clone(),
        commit_sha: String::new(),
        description: format!("{code}:{}", names.join(", ")),
    }
}

fn reason_code(reason: UnappliedReason) -> &'static str {
    match reason {
        UnappliedReason::NoMatch => note_codes::NO_MATCH,
        UnappliedReason::NoFix => note_codes::NO_FIX,
        UnappliedReason::Overlaps
        | UnappliedReason::BreaksSyntax
        | UnappliedReason::StillMatches => note_codes::TAKEN_BACK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding_of_match;
    use collie_core::finding::Replacement;

    /// Which lines of a Python file with two faults the rules' fixer takes a failed check to be about.
    fn planned_lines(log: &str) -> Vec<usize> {
        let code = "def kind(k):\n    return k is \"csv\"\n\n\ndef mode(x):\n    os.chmod(x, 644)\n\n\ndef other(k):\n    return k is \"tsv\"\n";
        let contents = FileContents::from([(
            "src/a.py".to_owned(),
            (code.as_bytes().to_vec(), LineSet::All),
        )]);
        let mut failed = finding_of_match(
            &matches_of(RuleSet::shipped(), &contents, "src/a.py")[0],
            0,
            "",
        );
        failed.source.kind = SourceType::Ci;
        (failed.file, failed.line, failed.evidence) = (String::new(), None, Some(log.to_owned()));
        let mut plan = FixPlan::default();
        plan_finding(RuleSet::shipped(), &contents, &failed, &mut plan);
        let planned = plan.selected.into_values().flatten();
        planned.map(|selected| selected.line).collect()
    }

    #[test]
    fn a_rule_s_fix_answers_a_red_check_only_where_the_check_names_that_line() {
        assert_eq!(
            planned_lines("FAILED tests/test_a.py::test_x"),
            [0_usize; 0]
        );
        assert_eq!(
            planned_lines("src/a.py:2: SyntaxWarning: \"is\" with a literal"),
            [2, 10]
        );
        assert_eq!(
            planned_lines("  File \"/home/runner/work/x/src/a.py\", line 6, in mode"),
            [6]
        );
        assert_eq!(planned_lines("./src/a.py:6:17: PLW1"), [6]);
        assert_eq!(planned_lines("other/src/b.py:2: error"), [0_usize; 0]);
    }

    #[test]
    fn of_a_red_check_it_is_said_that_a_line_it_names_was_changed() {
        let code = "def kind(k):\n    return k is \"csv\"\n";
        let path = "src/a.py".to_owned();
        let contents = FileContents::from([(path, (code.as_bytes().to_vec(), LineSet::All))]);
        let matches = matches_of(RuleSet::shipped(), &contents, "src/a.py");
        let own = finding_of_match(&matches[0], 0, "");
        let mut failed = own.clone();
        failed.id = "CI-1".into();
        failed.source.kind = SourceType::Ci;
        failed.evidence = Some("src/a.py:2: SyntaxWarning".into());
        let payload = FixPayload {
            pr_number: 1,
            round: 1,
            issues_to_fix: vec![own, failed],
            optional_issues: Vec::new(),
            attempts: Vec::new(),
            replacements: Default::default(),
            joined: Default::default(),
            notes: Vec::new(),
            turn: None,
        };
        let (result, _) = apply_plan(RuleSet::shipped(), &contents, &payload);
        let said: Vec<&str> = (result.fixed_issues.iter())
            .map(|fixed| fixed.description.as_str())
            .collect();
        assert_eq!(
            said,
            [
                "rule_applied:python-is-literal",
                "rule_applied_where_named:python-is-literal"
            ]
        );
    }

    #[test]
    fn a_linter_s_fix_goes_along_with_those_of_rules() {
        let code = "x = y\ndef kind(k):\n    return k is \"csv\"\nz = w\n";
        let path = "src/a.py".to_owned();
        let contents = FileContents::from([(path, (code.as_bytes().to_vec(), LineSet::All))]);
        let matches = matches_of(RuleSet::shipped(), &contents, "src/a.py");
        let by_rule = finding_of_match(&matches[0], 0, "");
        let linted = |id: &str, evidence: &str| {
            let mut linted = by_rule.clone();
            (linted.source.kind, linted.source.name) = (SourceType::Linter, "ruff".into());
            (linted.id, linted.evidence) = (id.into(), Some(evidence.into()));
            linted
        };
        let replacement = |line: u32, text: &str| Replacement {
            first: line,
            last: line,
            text: text.into(),
        };
        let payload = FixPayload {
            pr_number: 1,
            round: 1,
            issues_to_fix: vec![
                linted("L-1", "x = y"),
                by_rule.clone(),
                linted("L-2", "z = v"),
            ],
            optional_issues: vec![linted("L-3", "z = w")],
            attempts: Vec::new(),
            joined: BTreeMap::new(),
            notes: Vec::new(),
            turn: None,
            replacements: BTreeMap::from([
                ("L-1".to_owned(), replacement(1, "x = 1")),
                ("L-2".to_owned(), replacement(4, "z = 2")),
            ]),
        };
        let (result, changed) = apply_plan(RuleSet::shipped(), &contents, &payload);
        let fixed = "x = 1\ndef kind(k):\n    return k == \"csv\"\nz = w\n";
        assert_eq!(
            changed,
            [("src/a.py".to_owned(), fixed.as_bytes().to_vec())]
        );
        let said: Vec<&str> = (result.fixed_issues.iter())
            .map(|fixed| fixed.description.as_str())
            .collect();
        assert_eq!(
            said,
            ["rule_applied:ruff", "rule_applied:python-is-literal"]
        );
        let refused: Vec<_> = (result.rejected_issues.iter())
            .map(|refused| (refused.finding_id.as_str(), refused.reason.as_str()))
            .collect();
        assert_eq!(refused, [("L-2", note_codes::NO_MATCH)]);
    }
}

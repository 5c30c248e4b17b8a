//! Cases of a rule: code that it must find, code that it must not, and what its fix makes of it. Written as ast-grep writes its rule tests
//! (`id`, `valid`, `invalid`: <https://ast-grep.github.io/guide/test-rule.html>), with more to say where it is needed.

use serde::Deserialize;

use crate::fix::{SelectedMatch, UnappliedReason, apply_fixes};
use crate::language::extension_of;
use crate::lines::LineSet;
use crate::rule_error::RuleError;
use crate::rule_file::{RuleProblem, read_yaml, split_documents};
use crate::rule_match::ScanInput;
use crate::ruleset::{RuleSet, RuleSummary};
use crate::scan::{scan, scan_syntax};
use crate::syntax::parses;

/// The cases of one rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleCases {
    /// The rule's id. May be left out where the file's name says it.
    #[serde(default)]
    pub id: Option<String>,
    /// Code that it must find something in.
    #[serde(default)]
    pub invalid: Vec<RuleCase>,
    /// Code that it must find nothing in.
    #[serde(default)]
    pub valid: Vec<RuleCase>,
}

/// One case: code alone, or code with what is to come of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "CaseYaml")]
pub struct RuleCase {
    /// The file's content.
    pub code: String,
    /// The first line of each match, from 1; none: that there is one is enough.
    pub lines: Option<Vec<usize>>,
    /// The content with every fix applied.
    pub fixed: Option<String>,
    /// The file's path; else one of the rule's language, outside tests.
    pub path: Option<String>,
    /// The version in the base, for broken syntax.
    pub before: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CaseYaml {
    Code(String),
    Full(FullCase),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullCase {
    code: String,
    lines: Option<Vec<usize>>,
    fixed: Option<String>,
    path: Option<String>,
    before: Option<String>,
}

impl From<CaseYaml> for RuleCase {
    fn from(yaml: CaseYaml) -> Self {
        let full = match yaml {
            CaseYaml::Full(full) => full,
            CaseYaml::Code(code) => FullCase {
                code,
                lines: None,
                fixed: None,
                path: None,
                before: None,
            },
        };
        Self {
            code: full.code,
            lines: full.lines,
            fixed: full.fixed,
            path: full.path,
            before: full.before,
        }
    }
}

/// What a case came to that it should not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFailure {
    /// The case's code.
    pub code: String,
    /// What is wrong.
    pub problem: CaseProblem,
}

/// What is wrong with a case, or with its rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseProblem {
    /// The code does not parse, so that rules see nothing in it.
    BrokenCode,
    /// The rule finds nothing in code that is not valid.
    NoMatch,
    /// The rule finds something on these lines of code that is valid.
    UnexpectedMatch(Vec<usize>),
    /// The rule finds something on other lines than it should.
    OtherLines {
        /// Where it should.
        expected: Vec<usize>,
        /// Where it does.
        found: Vec<usize>,
    },
    /// The fix makes something else of it.
    OtherFix(String),
    /// The fix is not applied.
    Unapplied(UnappliedReason),
    /// Applied a second time the fix changes something again.
    FixRepeats(String),
}

/// Reads a file of cases. `rule_id` is whose they are where a document does not say.
///
/// # Errors
/// The first document that cannot be read, and why.
pub fn read_cases(
    path: &str,
    yaml: &str,
    rule_id: Option<&str>,
) -> Result<Vec<RuleCases>, RuleError> {
    let read = |(lines_before, document): (usize, String)| {
        let mut cases: RuleCases = read_yaml(&document).map_err(|problem| {
            problem
                .within(&document)
                .in_file(path, lines_before, rule_id)
        })?;
        cases.id = cases.id.or_else(|| rule_id.map(str::to_owned));
        if cases.id.is_none() {
            let problem = RuleProblem::new("cases need the id of their rule");
            return Err(problem.in_file(path, lines_before, None));
        }
        Ok(cases)
    };
    split_documents(yaml).into_iter().map(read).collect()
}

/// Runs the cases of a rule.
#[must_use]
pub fn run_cases(rules: &RuleSet, rule: &RuleSummary, cases: &RuleCases) -> Vec<CaseFailure> {
    let invalid = (cases.invalid.iter()).filter_map(|case| check_invalid(rules, rule, case));
    let valid = (cases.valid.iter()).filter_map(|case| check_valid(rules, rule, case));
    invalid
        .chain(valid)
        .map(|(case, problem)| CaseFailure {
            code: case.code.clone(),
            problem,
        })
        .collect()
}

fn check_invalid<'a>(
    rules: &RuleSet,
    rule: &RuleSummary,
    case: &'a RuleCase,
) -> Option<(&'a RuleCase, CaseProblem)> {
    let problem = match found_lines(rules, rule, case) {
        Err(problem) => Some(problem),
        Ok(found) if found.is_empty() => Some(CaseProblem::NoMatch),
        Ok(found) => match &case.lines {
            Some(expected) if *expected != found => Some(CaseProblem::OtherLines {
                expected: expected.clone(),
                found,
            }),
            _ => check_fix(rules, rule, case, &found),
        },
    };
    problem.map(|problem| (case, problem))
}

fn check_valid<'a>(
    rules: &RuleSet,
    rule: &RuleSummary,
    case: &'a RuleCase,
) -> Option<(&'a RuleCase, CaseProblem)> {
    match found_lines(rules, rule, case) {
        Err(problem) => Some((case, problem)),
        Ok(found) if found.is_empty() => None,
        Ok(found) => Some((case, CaseProblem::UnexpectedMatch(found))),
    }
}

fn path_of<'a>(rule: &RuleSummary, case: &'a RuleCase) -> std::borrow::Cow<'a, str> {
    match &case.path {
        Some(path) => path.into(),
        None => format!("src/app.{}", extension_of(&rule.group)).into(),
    }
}

fn found_lines(
    rules: &RuleSet,
    rule: &RuleSummary,
    case: &RuleCase,
) -> Result<Vec<usize>, CaseProblem> {
    let path = path_of(rule, case);
    let content = case.code.as_bytes();
    if rule.is_structural && parses(&path, content) == Some(false) {
        return Err(CaseProblem::BrokenCode);
    }
    let file = ScanInput {
        path: &path,
        content,
        changed_lines: &LineSet::All,
        generated: false,
    };
    let before = case.before.as_deref().map(str::as_bytes);
    let mut found = scan(rules, &file);
    found.extend(scan_syntax(rules, &file, before));
    found.retain(|found| found.rule_id == rule.id);
    Ok(found.into_iter().map(|found| found.line).collect())
}

fn check_fix(
    rules: &RuleSet,
    rule: &RuleSummary,
    case: &RuleCase,
    lines: &[usize],
) -> Option<CaseProblem> {
    let fixed = case.fixed.as_deref()?;
    let path = path_of(rule, case);
    let selected: Vec<SelectedMatch> = lines
        .iter()
        .map(|line| SelectedMatch {
            rule_id: rule.id.clone(),
            line: *line,
        })
        .collect();
    let outcome = apply_fixes(rules, &path, case.code.as_bytes(), &selected);
    if let Some(unapplied) = outcome.not_applied.first() {
        return Some(CaseProblem::Unapplied(unapplied.reason));
    }
    let text = String::from_utf8_lossy(&outcome.content);
    if text != fixed {
        return Some(CaseProblem::OtherFix(text.into_owned()));
    }
    let again = apply_fixes(rules, &path, &outcome.content, &selected).content;
    (again != outcome.content)
        .then(|| CaseProblem::FixRepeats(String::from_utf8_lossy(&again).into_owned()))
}

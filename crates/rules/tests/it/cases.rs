//! Every shipped rule against its cases: what it must match, must not match, and the fixed text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use collie_rules::{
    LineSet, RuleSet, RuleSummary, ScanInput, SelectedMatch, apply_fixes, parses, scan, scan_syntax,
};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleCases {
    matches: Vec<MatchCase>,
    passes: Vec<PassCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchCase {
    code: String,
    /// The first line of each match.
    lines: Vec<usize>,
    /// The text with every fix applied.
    fixed: Option<String>,
    path: Option<String>,
    /// The version in the base, for broken syntax.
    before: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PassCase {
    code: String,
    path: Option<String>,
    before: Option<String>,
}

/// Cases break tokens with this sign, so that no scanner takes the cases themselves for secrets.
const SPLICE: &str = "~~";

fn crate_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a folder's folders, as `group/name`.
fn rule_files(name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for group in std::fs::read_dir(crate_folder(name)).expect("the folder is there") {
        let group = group.expect("a readable entry");
        for file in std::fs::read_dir(group.path()).expect("a folder of rules") {
            let file = file.expect("a readable entry").file_name();
            let group = group.file_name().to_string_lossy().into_owned();
            found.insert(format!("{group}/{}", file.to_string_lossy()));
        }
    }
    found
}

fn default_path(group: &str) -> &'static str {
    match group {
        "python" => "src/app.py",
        "javascript" => "src/app.js",
        "rust" => "src/app.rs",
        "go" => "pkg/app.go",
        _ => "config/settings.cfg",
    }
}

fn rule_id(group: &str, name: &str) -> String {
    let name = name.trim_end_matches(".yml");
    if group == "any" {
        name.to_owned()
    } else {
        format!("{group}-{name}")
    }
}

fn found_lines(id: &str, path: &str, code: &str, before: Option<&str>) -> Vec<usize> {
    let rules = RuleSet::shipped();
    let file = ScanInput {
        path,
        content: code.as_bytes(),
        changed_lines: &LineSet::All,
        generated: false,
    };
    let mut found = scan(rules, &file);
    found.extend(scan_syntax(rules, &file, before.map(str::as_bytes)));
    found
        .into_iter()
        .filter(|hit| hit.rule_id == id)
        .map(|hit| hit.line)
        .collect()
}

fn check_match_case(id: &str, usual: &str, hit: &MatchCase, summary: &RuleSummary) {
    let path = hit.path.as_deref().unwrap_or(usual);
    let code = hit.code.replace(SPLICE, "");
    if summary.group != "any" {
        assert_eq!(
            parses(path, code.as_bytes()),
            Some(true),
            "{id}: does not parse:\n{code}"
        );
    }
    let lines = found_lines(id, path, &code, hit.before.as_deref());
    assert_eq!(
        lines, hit.lines,
        "{id} matches these lines of {path}:\n{code}"
    );
    assert_eq!(
        hit.fixed.is_some(),
        summary.has_fix,
        "{id}: cases and fix must go together"
    );
    let Some(fixed) = &hit.fixed else { return };
    let selected: Vec<_> = lines
        .iter()
        .map(|line| SelectedMatch {
            rule_id: id.to_owned(),
            line: *line,
        })
        .collect();
    let outcome = apply_fixes(RuleSet::shipped(), path, code.as_bytes(), &selected);
    assert_eq!(
        String::from_utf8_lossy(&outcome.content),
        *fixed,
        "{id} fixes:\n{code}"
    );
    assert_eq!(
        outcome.not_applied,
        [],
        "{id}: all fixes must be applied:\n{code}"
    );
    let again = apply_fixes(RuleSet::shipped(), path, &outcome.content, &selected);
    assert_eq!(
        again.content, outcome.content,
        "{id}: a second fix must change nothing"
    );
}

fn check_case_file(file: &str, summaries: &BTreeMap<String, RuleSummary>) {
    let (group, name) = file.split_once('/').expect("group/name");
    let id = rule_id(group, name);
    let summary = summaries
        .get(&id)
        .unwrap_or_else(|| panic!("{file} must have the id {id}"));
    let yaml = std::fs::read_to_string(crate_folder("tests/cases").join(file)).expect("readable");
    let cases: RuleCases =
        ast_grep_config::from_str(&yaml).unwrap_or_else(|error| panic!("cases of {file}: {error}"));
    assert!(
        !cases.matches.is_empty() && !cases.passes.is_empty(),
        "{file} lacks cases"
    );
    for hit in &cases.matches {
        check_match_case(&id, default_path(group), hit, summary);
    }
    for miss in &cases.passes {
        let path = miss.path.as_deref().unwrap_or(default_path(group));
        let code = miss.code.replace(SPLICE, "");
        if summary.group != "any" {
            assert_eq!(
                parses(path, code.as_bytes()),
                Some(true),
                "{id}: does not parse:\n{code}"
            );
        }
        let lines = found_lines(&id, path, &code, miss.before.as_deref());
        assert!(
            lines.is_empty(),
            "{id} must not match {path}, matches {lines:?}:\n{code}"
        );
    }
}

#[test]
fn every_rule_does_what_its_cases_say() {
    let summaries: BTreeMap<String, RuleSummary> = RuleSet::shipped()
        .summaries()
        .into_iter()
        .map(|rule| (rule.id.clone(), rule))
        .collect();
    let rules = rule_files("rules");
    assert_eq!(
        rules,
        rule_files("tests/cases"),
        "each rule has its cases, each cases file its rule"
    );
    assert_eq!(rules.len(), summaries.len(), "each file is one rule");
    let failed: Vec<&String> = rules
        .iter()
        .filter(|file| std::panic::catch_unwind(|| check_case_file(file, &summaries)).is_err())
        .collect();
    assert_eq!(failed, Vec::<&String>::new());
}

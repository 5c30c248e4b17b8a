//! Every shipped rule against its cases: what it must match, must not match, and the fixed text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use collie_rules::{RuleCases, RuleSet, RuleSummary, read_cases, run_cases};

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

fn rule_id(file: &str) -> String {
    let file = file.trim_end_matches(".yml");
    match file.strip_prefix("any/") {
        Some(name) => name.to_owned(),
        None => file.replace('/', "-"),
    }
}

fn cases_of(file: &str, id: &str) -> RuleCases {
    let yaml = std::fs::read_to_string(crate_folder("tests/cases").join(file)).expect("readable");
    let mut all = read_cases(file, &yaml.replace(SPLICE, ""), Some(id)).expect("valid cases");
    let cases = all.pop().expect("one document");
    assert!(all.is_empty(), "{file} has one document");
    assert!(
        !cases.invalid.is_empty() && !cases.valid.is_empty(),
        "{file} lacks cases"
    );
    cases
}

/// The shipped rules, those that are shipped off switched on.
fn all_on() -> RuleSet {
    let shipped = RuleSet::shipped().summaries().into_iter();
    let on: Vec<(String, String)> = shipped
        .filter(|rule| rule.is_off)
        .map(|rule| {
            (
                rule.id.clone(),
                format!("id: {}\nseverity: hint\n", rule.id),
            )
        })
        .collect();
    let (rules, errors) = RuleSet::with_repository(&on);
    assert_eq!(errors, []);
    rules
}

fn check_case_file(file: &str, summaries: &BTreeMap<String, RuleSummary>) {
    let id = rule_id(file);
    let rule = summaries
        .get(&id)
        .unwrap_or_else(|| panic!("{file} must have the id {id}"));
    let cases = cases_of(file, &id);
    for case in &cases.invalid {
        assert!(case.lines.is_some(), "{id}: a case names its lines");
        assert_eq!(
            case.fixed.is_some(),
            rule.has_fix,
            "{id}: cases and fix must go together"
        );
    }
    assert_eq!(run_cases(&all_on(), rule, &cases), [], "{id}");
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

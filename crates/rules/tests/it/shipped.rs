//! The shipped rules as a whole: how many there are, and the table in the documentation.

use std::collections::BTreeMap;
use std::fmt::Write;

use collie_rules::{LineSet, RuleSet, ScanInput, scan_syntax};

#[test]
fn there_are_at_least_eight_rules_a_language_and_forty_in_all() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for rule in RuleSet::shipped().summaries() {
        *counts.entry(rule.group).or_default() += 1;
    }
    for language in ["Python", "JavaScript", "Rust", "Go"] {
        assert!(counts[language] >= 8, "{language}: {counts:?}");
    }
    let structural: usize = counts
        .iter()
        .filter(|(group, _)| *group != "any")
        .map(|(_, n)| n)
        .sum();
    assert!(structural >= 40, "{counts:?}");
}

#[test]
fn the_table_of_rules_is_fresh() {
    let mut table = String::from(
        "| Rule | Language | Priority | Category | Fix | What it says |\n|---|---|---|---|---|---|\n",
    );
    for rule in RuleSet::shipped().summaries() {
        let fix = if rule.has_fix { "yes" } else { "" };
        writeln!(
            table,
            "| `{}` | {} | {}{} | {} | {fix} | {} |",
            rule.id,
            rule.group,
            rule.priority,
            if rule.is_off { ", off" } else { "" },
            rule.category,
            rule.message
        )
        .expect("a string takes all");
    }
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let text = std::fs::read_to_string(readme).expect("the README is there");
    let (head, _) = text
        .split_once("| Rule |")
        .expect("the README has the table");
    let fresh = format!("{head}{table}");
    if std::env::var_os("COLLIE_WRITE_RULES_TABLE").is_some() {
        return std::fs::write(readme, &fresh).expect("the README can be written");
    }
    assert_eq!(
        text, fresh,
        "run this test with COLLIE_WRITE_RULES_TABLE=1 to write the table"
    );
}

#[test]
fn broken_syntax_is_reported_in_the_words_of_the_parser() {
    let (before, after) = ("[a]\nx = 1\n", "[a]\nx = 1\nx = 2\n");
    let file = ScanInput {
        path: "a.toml",
        content: after.as_bytes(),
        changed_lines: &LineSet::All,
        generated: false,
    };
    let found = scan_syntax(RuleSet::shipped(), &file, Some(before.as_bytes()));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].line, 3);
    assert!(
        found[0].description.ends_with("\n\n> duplicate key"),
        "{}",
        found[0].description
    );
}

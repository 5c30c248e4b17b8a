//! A fault that a rule and a linter both find is one finding (§4.7).

use collie_core::finding::{Finding, FindingKind, Replacement};
use collie_rules::RuleAliases;
use std::collections::BTreeMap;

/// Joins what linters found to what rules say of the same line under another name. The rule's words stay, unless only the linter has a fix;
/// it weighs what the heavier of both does, and is told under both names. Gives what is left of the linters' findings.
pub(super) fn join_to_rules(
    of_rules: &mut [Finding],
    of_linters: Vec<Finding>,
    replacements: &BTreeMap<String, Replacement>,
    aliases: &RuleAliases,
) -> Vec<Finding> {
    let names_of = |finding: &Finding| {
        let rule = finding.category.strip_prefix("rule:")?;
        aliases.get(rule).map(Vec::as_slice)
    };
    let names: Vec<&[String]> = (of_rules.iter())
        .map(|finding| names_of(finding).unwrap_or_default())
        .collect();
    let mut left = Vec::new();
    for found in of_linters {
        let is_same = |known: &Finding, names: &[String]| {
            known.file == found.file && known.line == found.line && is_called(&found, names)
        };
        let mut known = of_rules.iter_mut().zip(&names);
        match known.find(|(known, names)| is_same(known, names)) {
            Some((known, _)) => {
                let has_fix = replacements.contains_key(&found.id);
                join(known, found, has_fix);
            }
            None => left.push(found),
        }
    }
    left
}

/// Whether a linter's name for what it found is one of these.
fn is_called(found: &Finding, names: &[String]) -> bool {
    let Some(code) = found.category.strip_prefix("lint:") else {
        return false;
    };
    let is_one = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    // A linter that runs others, as golangci-lint does, names itself there and the rule in the message.
    match code_of_message(&found.title) {
        Some(code) => is_one(code),
        None => is_one(code) || code.rsplit('/').next().is_some_and(is_one),
    }
}

/// The code that a message begins with: letters, digits and a colon, as `SA5001:`.
fn code_of_message(message: &str) -> Option<&str> {
    let (code, _) = message.split_once(':')?;
    let digits = code.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let has_letters = digits.len() < code.len();
    let is_code = has_letters && !digits.is_empty();
    (is_code && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(code)
}

/// Puts a linter's report of the same fault into a known one.
fn join(known: &mut Finding, mut found: Finding, has_fix: bool) {
    if has_fix && known.suggestion.is_none() {
        std::mem::swap(known, &mut found);
    }
    known.priority = known.priority.min(found.priority);
    if known.priority.blocks() {
        known.kind = FindingKind::Error;
    }
    for name in found.source.name.split(", ") {
        if !known.source.name.split(", ").any(|known| known == name) {
            known.source.name = format!("{}, {name}", known.source.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::finding::{Confidence, FindingSource, Priority, SourceType};

    fn finding(kind: SourceType, name: &str, category: &str, priority: Priority) -> Finding {
        Finding {
            id: format!("{name}-1"),
            priority,
            category: category.into(),
            file: "a.py".into(),
            line: Some(3),
            title: format!("what {name} says"),
            description: String::new(),
            suggestion: None,
            source: FindingSource {
                kind,
                name: name.into(),
                review_id: None,
                timestamp: String::new(),
            },
            kind: match priority {
                Priority::P3 => FindingKind::Suggestion,
                Priority::P0 | Priority::P1 | Priority::P2 => FindingKind::Error,
            },
            confidence: Confidence::SURE,
            evidence: None,
        }
    }

    fn of_rule(priority: Priority) -> Finding {
        finding(SourceType::Rules, "rules", "rule:python-x", priority)
    }

    fn of_linter(code: &str) -> Finding {
        let category = format!("lint:{code}");
        finding(SourceType::Linter, "ruff", &category, Priority::P2)
    }

    fn aliases() -> RuleAliases {
        let names = ["F632", "no-x", "noX", "clippy::x", "SA5001", "staticcheck"];
        let names = names.map(str::to_owned).into();
        RuleAliases::from([("python-x".to_owned(), names)])
    }

    fn with_fix(id: &str) -> BTreeMap<String, Replacement> {
        let (first, last, text) = (3, 3, "x".to_owned());
        BTreeMap::from([(id.to_owned(), Replacement { first, last, text })])
    }

    /// What a rule and a linter come to: names, priorities and titles.
    fn joined(
        rule: Finding,
        linter: Finding,
        fixes: &BTreeMap<String, Replacement>,
    ) -> Vec<(String, Priority, String)> {
        let mut all = vec![rule];
        let left = join_to_rules(&mut all, vec![linter], fixes, &aliases());
        all.extend(left);
        let told = all.into_iter();
        told.map(|one| (one.source.name, one.priority, one.title))
            .collect()
    }

    #[test]
    fn a_fault_that_both_find_is_one_finding_under_both_names() {
        let none = BTreeMap::new();
        for code in ["F632", "f632", "plugin/no-x", "lint/style/noX", "clippy::x"] {
            let told = joined(of_rule(Priority::P1), of_linter(code), &none);
            let expected = ("rules, ruff".into(), Priority::P1, "what rules says".into());
            assert_eq!(told, [expected], "{code}");
        }
    }

    #[test]
    fn the_heavier_of_both_counts() {
        let mut all = vec![of_rule(Priority::P3)];
        let none = BTreeMap::new();
        let left = join_to_rules(&mut all, vec![of_linter("F632")], &none, &aliases());
        assert_eq!(left, []);
        assert_eq!(
            (all[0].priority, all[0].kind),
            (Priority::P2, FindingKind::Error)
        );
    }

    #[test]
    fn the_one_with_a_fix_stays() {
        let told = joined(
            of_rule(Priority::P1),
            of_linter("F632"),
            &with_fix("ruff-1"),
        );
        let expected = ("ruff, rules".into(), Priority::P1, "what ruff says".into());
        assert_eq!(told, [expected]);
        let mut fixed = of_rule(Priority::P1);
        fixed.suggestion = Some("x".into());
        let told = joined(fixed, of_linter("F632"), &with_fix("ruff-1"));
        assert_eq!(told[0].0, "rules, ruff");
    }

    #[test]
    fn what_is_not_the_same_stays_apart() {
        let none = BTreeMap::new();
        let apart = |change: fn(&mut Finding)| {
            let mut linter = of_linter("F632");
            change(&mut linter);
            joined(of_rule(Priority::P1), linter, &none).len()
        };
        assert_eq!(apart(|linter| linter.line = Some(4)), 2);
        assert_eq!(apart(|linter| linter.file = "b.py".into()), 2);
        assert_eq!(apart(|linter| linter.category = "lint:F63".into()), 2);
        assert_eq!(apart(|linter| linter.category = "lint".into()), 2);
        // Where the message names its own rule, that counts, not the linter within the linter.
        assert_eq!(
            apart(|linter| linter.category = "lint:staticcheck".into()),
            1
        );
        let says = |title: &str| {
            let mut linter = of_linter("staticcheck");
            linter.title = title.into();
            joined(of_rule(Priority::P1), linter, &none).len()
        };
        assert_eq!(says("SA5001: should check the error first"), 1);
        assert_eq!(says("SA4006: this value is never used"), 2);
    }

    #[test]
    fn what_two_linters_find_is_told_with_both() {
        let mut other = of_linter("no-x");
        other.source.name = "eslint".into();
        let mut all = vec![of_rule(Priority::P1)];
        let found = vec![of_linter("F632"), other, of_linter("F632")];
        let left = join_to_rules(&mut all, found, &BTreeMap::new(), &aliases());
        assert_eq!(left, []);
        assert_eq!(all[0].source.name, "rules, ruff, eslint");
    }
}

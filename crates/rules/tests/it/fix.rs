//! What a fix leaves as it was, and what it refuses.

use collie_rules::{RuleSet, SelectedMatch, UnappliedReason, apply_fixes};

fn selected_match(rule_id: &str, line: usize) -> SelectedMatch {
    SelectedMatch {
        rule_id: rule_id.to_owned(),
        line,
    }
}

fn check(
    path: &str,
    before: &str,
    selected: &[SelectedMatch],
    after: &str,
) -> Vec<UnappliedReason> {
    let outcome = apply_fixes(RuleSet::shipped(), path, before.as_bytes(), selected);
    assert_eq!(String::from_utf8_lossy(&outcome.content), after);
    outcome
        .not_applied
        .into_iter()
        .map(|left| left.reason)
        .collect()
}

#[test]
fn line_ends_and_the_end_of_the_file_stay() {
    let none = selected_match("python-is-literal", 2);
    check("a.py", "a\r\nx is 'a'\r\nb", &[none], "a\r\nx == 'a'\r\nb");
    let debugger = selected_match("javascript-debugger-left", 1);
    check(
        "a.js",
        "debugger;\r\nrun();\r\n",
        std::slice::from_ref(&debugger),
        "run();\r\n",
    );
    check("a.js", "debugger;", &[debugger], "");
}

#[test]
fn only_the_selected_line_is_fixed() {
    let before = "x is 'a'\ny is 'a'\nz is 'a'\n";
    let reasons = check(
        "a.py",
        before,
        &[
            selected_match("python-is-literal", 2),
            selected_match("python-is-literal", 2),
        ],
        "x is 'a'\ny == 'a'\nz is 'a'\n",
    );
    assert_eq!(reasons, []);
}

#[test]
fn what_cannot_be_fixed_is_said() {
    let before = "x is 'a'\nassert (a, \"b\")\n";
    let selected = [
        selected_match("python-is-literal", 2),
        selected_match("python-assert-tuple", 2),
        selected_match("no-such-rule", 1),
    ];
    let reasons = check("a.py", before, &selected, before);
    assert_eq!(
        reasons,
        [
            UnappliedReason::NoMatch,
            UnappliedReason::NoFix,
            UnappliedReason::NoMatch
        ]
    );
    // Broken syntax has no fix, whether the parser finds it again or not.
    let broken = "var a-b = 1;\n";
    let reasons = check(
        "a.js",
        broken,
        &[selected_match("broken-syntax", 1)],
        broken,
    );
    assert_eq!(reasons, [UnappliedReason::NoFix]);
}

#[test]
fn a_fix_that_breaks_the_file_or_changes_nothing_is_refused() {
    let rule = |id: &str, fix: &str| {
        let path = format!(".collie/rules/{id}.yml");
        let yaml = format!(
            "id: {id}\nlanguage: Python\nmessage: m\nrule: {{ pattern: bad($X) }}\nfix: {fix}\n"
        );
        (path, yaml)
    };
    let (rules, errors) = RuleSet::with_repository(&[
        rule("breaks", "good($X"),
        rule("again", "bad($X, $X) + bad($X)"),
        rule("works", "good($X)"),
    ]);
    assert_eq!(errors, []);
    let reason = |id: &str| {
        let outcome = apply_fixes(&rules, "a.py", b"bad(1)\n", &[selected_match(id, 1)]);
        (
            String::from_utf8_lossy(&outcome.content).into_owned(),
            outcome.not_applied.first().map(|left| left.reason),
        )
    };
    assert_eq!(
        reason("breaks"),
        ("bad(1)\n".to_owned(), Some(UnappliedReason::BreaksSyntax))
    );
    assert_eq!(
        reason("again"),
        ("bad(1)\n".to_owned(), Some(UnappliedReason::StillMatches))
    );
    assert_eq!(reason("works"), ("good(1)\n".to_owned(), None));
    let outcome = apply_fixes(
        &rules,
        "a.py",
        b"bad(1)\nbad(2)\n",
        &[selected_match("works", 1), selected_match("breaks", 2)],
    );
    assert_eq!(
        outcome.content, b"good(1)\nbad(2)\n",
        "a good fix stays beside a bad one"
    );
    let both = [selected_match("works", 1), selected_match("breaks", 1)];
    let outcome = apply_fixes(&rules, "a.py", b"bad(1)\n", &both);
    assert_eq!(
        outcome.content, b"good(1)\n",
        "a bad fix does not take a good one's place"
    );
    let (rules, _) = RuleSet::with_repository(&[rule("one", "good($X)"), rule("two", "fine($X)")]);
    let outcome = apply_fixes(
        &rules,
        "a.py",
        b"bad(1)\n",
        &[selected_match("one", 1), selected_match("two", 1)],
    );
    let reasons: Vec<_> = outcome.not_applied.iter().map(|left| left.reason).collect();
    assert_eq!(
        reasons,
        [UnappliedReason::Overlaps],
        "one place is changed once"
    );
}

//! `rules`: listing them, testing one's own, seeing where they would fire.

use crate::support::*;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

const RULE: &str = "id: no-print\nlanguage: Python\nmessage: no printing\nrule: { pattern: print($X) }\nfix: log($X)\nmetadata: { aliases: [T201] }\n";

/// A repository with these files.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn run_in(folder: &Path, args: &[&str]) -> CommandResult {
    run_to_end(collie_command().args(args).current_dir(folder))
}

fn of_type(result: &CommandResult, kind: &str) -> Vec<Value> {
    let lines = result.json().into_iter();
    lines.filter(|line| line["type"] == kind).collect()
}

#[test]
fn a_rule_that_does_what_its_cases_say_passes() {
    let cases = "valid:\n  - log(x)\n  - \"print(x)  # noqa: T201\"\ninvalid:\n  - print(x)\n  - code: |\n      a\n      print(x)\n    lines: [2]\n    fixed: |\n      a\n      log(x)\n";
    let repo = repository(&[
        (".collie/rules/no-print.yml", RULE),
        (".collie/rule-tests/no-print.yml", cases),
    ]);
    let tested = run_in(repo.path(), &["rules", "test", "--lang", "en"]);
    assert_eq!(tested.status, 0, "{tested:?}");
    assert_eq!(tested.stdout, "✓ no-print 4 cases\n");
}

#[test]
fn each_case_that_fails_is_told_with_its_code() {
    let cases = "valid:\n  - print(x)\ninvalid:\n  - log(x)\n  - \"def f(:\"\n  - { code: print(x), lines: [2] }\n  - { code: print(x), fixed: x }\n";
    let repo = repository(&[
        (".collie/rules/no-print.yml", RULE),
        (".collie/rule-tests/no-print.yml", cases),
    ]);
    let tested = run_in(repo.path(), &["rules", "test", "--json", "--lang", "en"]);
    assert_eq!(tested.status, 1, "{tested:?}");
    let failures = of_type(&tested, "rule_test")[0]["failures"].clone();
    let problems: Vec<(&str, &str)> = (failures.as_array().unwrap().iter())
        .map(|failure| {
            (
                failure["code"].as_str().unwrap(),
                failure["problem"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        problems,
        [
            ("log(x)", "The rule finds nothing in this invalid code:"),
            (
                "def f(:",
                "The code does not parse, so the rule sees nothing in it:"
            ),
            (
                "print(x)",
                "The rule finds something on line 1, expected on line 2:"
            ),
            ("print(x)", "The fix makes something else of it: log(x)"),
            (
                "print(x)",
                "The rule finds something in this valid code, on line 1:"
            ),
        ]
    );
}

#[test]
fn what_cannot_be_tested_is_said() {
    let nothing = repository(&[("a.py", "")]);
    let none = run_in(nothing.path(), &["rules", "test", "--json"]);
    assert_eq!(
        (none.status, &none.json()[0]["code"]),
        (1, &"rules_unreadable".into())
    );
    let empty = run_in(nothing.path(), &["rules", "test", ".", "--json"]);
    assert_eq!(
        (empty.status, &empty.json()[0]["code"]),
        (1, &"no_rules".into())
    );

    let without_cases = repository(&[(".collie/rules/no-print.yml", RULE)]);
    let tested = run_in(without_cases.path(), &["rules", "test", "--lang", "en"]);
    assert_eq!(tested.status, 0);
    assert!(
        tested.stdout.starts_with("- no-print has no cases"),
        "{tested:?}"
    );

    let wrong = repository(&[
        (
            ".collie/rules/a.yml",
            "id: a\nlanguage: Python\nmessage: m\nrule: { patern: x }\n",
        ),
        (".collie/rules/no-print.yml", RULE),
        (
            ".collie/rule-tests/no-print.yml",
            "valid: [x]\ninvald: [y]\n",
        ),
    ]);
    let tested = run_in(wrong.path(), &["rules", "test", "--json"]);
    assert_eq!(tested.status, 1);
    let errors = of_type(&tested, "rule_error");
    let message = |nth: usize| errors[nth]["message"].as_str().unwrap();
    assert!(
        message(0).contains("a.yml:4: rule `a`") && message(0).ends_with("did you mean `pattern`?"),
        "{errors:?}"
    );
    assert!(
        message(1).contains("no-print.yml:2") && message(1).ends_with("did you mean `invalid`?"),
        "{errors:?}"
    );
}

#[test]
fn rules_are_tried_on_all_that_git_does_not_ignore() {
    let repo = repository(&[
        (".collie/rules/no-print.yml", RULE),
        ("src/a.py", "print(x)\nif x is 'a':\n    pass\n"),
        ("build/b.py", "print(x)\n"),
        (".gitignore", "build/\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("vendor/c.py", "print(x)\n"),
    ]);
    let tried = run_in(repo.path(), &["rules", "try", ".", "--json"]);
    assert_eq!(tried.status, 0, "{tried:?}");
    let found: Vec<Value> = (of_type(&tried, "rule_match").iter())
        .map(|found| json!([found["path"], found["line"], found["rule"]]))
        .collect();
    assert_eq!(
        found,
        [
            json!(["src/a.py", 1, "no-print"]),
            json!(["src/a.py", 2, "python-is-literal"])
        ]
    );
    let one = run_in(
        repo.path(),
        &["rules", "try", "src", "--rule", "no-print", "--lang", "en"],
    );
    assert_eq!(
        one.stdout,
        "src/a.py:1:1 P3 no-print: no printing\n    print(x)\n1 file read, 1 finding\n      1  no-print\n"
    );
    let unknown = run_in(
        repo.path(),
        &["rules", "try", "src", "--rule", "no-prnt", "--lang", "en"],
    );
    assert_eq!(unknown.status, 1);
    assert!(
        unknown.stderr.contains("did you mean `no-print`?"),
        "{unknown:?}"
    );
    let missing = run_in(repo.path(), &["rules", "try", "nowhere", "--json"]);
    assert_eq!(
        (missing.status, &missing.json()[0]["code"]),
        (1, &"rules_unreadable".into())
    );
}

#[test]
fn the_list_has_the_shipped_rules_and_those_of_the_repository() {
    let repo = repository(&[(".collie/rules/no-print.yml", RULE), ("src/a.py", "")]);
    let listed = run_in(&repo.path().join("src"), &["rules", "list", "--json"]);
    assert_eq!(listed.status, 0);
    let ids: Vec<String> = (of_type(&listed, "rule").iter())
        .map(|rule| rule["id"].as_str().unwrap().to_owned())
        .collect();
    for id in ["no-print", "python-is-literal", "broken-syntax"] {
        assert!(ids.iter().any(|known| known == id), "{id}: {ids:?}");
    }
}

#[test]
fn a_secret_is_found_and_not_printed() {
    let token = ["glpat-", "q7RkT2mWx9LbV4nZc8Yh"].concat();
    let repo = repository(&[("a.cfg", &format!("key = {token}\n"))]);
    for args in [&["rules", "try", "."][..], &["rules", "try", ".", "--json"]] {
        let tried = run_in(repo.path(), args);
        assert!(tried.stdout.contains("secret-gitlab-token"), "{tried:?}");
        assert!(!tried.stdout.contains(&token), "{tried:?}");
    }
}

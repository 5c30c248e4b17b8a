//! A repository's own rules: they add, replace, switch off; an error in one is reported.

use collie_rules::{LineSet, Priority, RuleSet, ScanInput, scan};

fn with_repository_rules(yamls: &[&str]) -> (RuleSet, Vec<String>) {
    let files: Vec<_> = yamls
        .iter()
        .enumerate()
        .map(|(at, yaml)| (format!(".collie/rules/{at}.yml"), (*yaml).to_owned()))
        .collect();
    let (rules, errors) = RuleSet::with_repository(&files);
    (rules, errors.iter().map(ToString::to_string).collect())
}

fn matched_rules(rules: &RuleSet, path: &str, content: &str) -> Vec<(String, Priority)> {
    let file = ScanInput {
        path,
        content: content.as_bytes(),
        changed_lines: &LineSet::All,
        generated: false,
    };
    scan(rules, &file)
        .into_iter()
        .map(|hit| (hit.rule_id, hit.priority))
        .collect()
}

const OWN: &str = "
id: no-print
language: Python
message: Use the log
severity: warning
files: ['src/**']
ignores: ['src/cli/**']
rule: { pattern: print($$$A) }
";

#[test]
fn own_rules_are_added_and_obey_their_globs() {
    let (rules, errors) = with_repository_rules(&[OWN]);
    assert_eq!(errors, Vec::<String>::new());
    let expect = [("no-print".to_owned(), Priority::P2)];
    assert_eq!(matched_rules(&rules, "src/a.py", "print(1)\n"), expect);
    assert_eq!(matched_rules(&rules, "src/cli/a.py", "print(1)\n"), []);
    assert_eq!(matched_rules(&rules, "tools/a.py", "print(1)\n"), []);
    assert_eq!(
        matched_rules(&rules, "src/a.py", "x is 'a'\n")[0].0,
        "python-is-literal",
        "the shipped stay"
    );
}

#[test]
fn shipped_rules_are_replaced_or_switched_off_by_id() {
    let content = "x is 'a'\n";
    let replaced = "
id: python-is-literal
language: Python
message: never
rule: { pattern: $A is 'a' }
metadata: { priority: P0 }
";
    let (rules, errors) = with_repository_rules(&[replaced]);
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(
        matched_rules(&rules, "a.py", content),
        [("python-is-literal".to_owned(), Priority::P0)]
    );
    let (rules, errors) = with_repository_rules(&[
        "id: python-is-literal\nseverity: off\n---\nid: conflict-marker\nseverity: off\n",
    ]);
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(matched_rules(&rules, "a.py", content), []);
    assert_eq!(
        matched_rules(&rules, "a.txt", "<<<<<<< a\n=======\n>>>>>>> b\n"),
        []
    );
}

#[test]
fn a_severity_alone_weighs_a_shipped_rule_and_switches_on_one_that_is_off() {
    let index = "package p\n\nfunc f(s string) string {\n\treturn s[:strings.Index(s, x)]\n}\n";
    let literal = "x is 'a'\n";
    let (rules, _) = with_repository_rules(&[]);
    assert_eq!(matched_rules(&rules, "a.go", index), [], "shipped off");
    let (rules, errors) = with_repository_rules(&[
        "id: go-index-unchecked\nseverity: warning\n",
        "id: python-is-literal\nseverity: error\n",
        "id: conflict-marker\nmetadata: { priority: P2 }\n",
        "id: secret-github-token\nseverity: hint\n",
    ]);
    assert_eq!(errors, Vec::<String>::new());
    let weight = |path, content: &str| matched_rules(&rules, path, content);
    assert_eq!(
        weight("a.go", index),
        [("go-index-unchecked".to_owned(), Priority::P2)]
    );
    assert_eq!(
        weight("a.py", literal),
        [("python-is-literal".to_owned(), Priority::P1)]
    );
    let conflict = "<<<<<<< a\n=======\n>>>>>>> b\n";
    assert_eq!(
        weight("a.txt", conflict),
        [("conflict-marker".to_owned(), Priority::P2)]
    );
    let token = format!("t = 'ghp_{}'\n", "J4kQ9zLm2Xw8Rb7Tn5Vc3Yd6Hf1Gp0Sa2uKe");
    assert_eq!(
        weight("src/a.yml", &token),
        [("secret-github-token".to_owned(), Priority::P3)]
    );
}

#[test]
fn a_form_of_a_secret_whose_rule_is_off_is_told_by_no_other() {
    let header = "Authorization: Bearer kX9vQ2mZ7pL4wR8tB3nY6cD1fG5hJ0sA\n";
    let (rules, _) = with_repository_rules(&[]);
    assert_eq!(matched_rules(&rules, "src/a.http", header), []);
    let (rules, _) = with_repository_rules(&["id: secret-credential\nseverity: hint\n"]);
    let expect = [("secret-credential".to_owned(), Priority::P3)];
    assert_eq!(matched_rules(&rules, "src/a.http", header), expect);
}

#[test]
fn errors_are_reported_with_place_and_remedy_and_leave_the_other_rules_alone() {
    let broken_replacement = "
id: python-is-literal
language: Python
message: never
rule: { kind: no_such_kind }
";
    let (rules, errors) = with_repository_rules(&[
        "id: a\nlanguage: Python\nmessage: m\nrule: { patern: x }\n",
        "id: b\nlanguage: Pyhton\nmessage: m\nrule: { pattern: x }\n",
        "id: c\nlanguage: Python\nmessage: m\nseverty: error\nrule: { pattern: x }\n",
        "id: d\nlanguage: Python\nrule: { pattern: x }\n",
        "id: python-isliteral\nseverity: off\n",
        "id: python-isliteral\nseverity: hint\n",
        "id: python-is-literal\nseverity: hnit\n",
        "id: python-is-literal\nseverity: error\nignores: ['tests/**']\n",
        "# only a comment\n---\nid: [\n",
        "id: e\nlanguage: Python\nmessage: m\nmetadata: { priority: P9 }\nrule: { pattern: x }\n",
        "id: f\nlanguage: Python\nmessage: m\nfiles: ['a[']\nrule: { pattern: x }\n",
        "message: no id\n",
        "\u{0}",
        broken_replacement,
        OWN,
        OWN,
    ]);
    insta::assert_snapshot!(errors.join("\n"));
    assert_eq!(matched_rules(&rules, "src/a.py", "print(1)\n").len(), 1);
    assert_eq!(
        matched_rules(&rules, "a.py", "x is 'a'\n").len(),
        1,
        "the shipped rule stays"
    );
}

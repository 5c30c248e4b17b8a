//! Rule files of repositories, and files of any kind under the rules, tried with inputs that nobody would write.

use crate::{
    LineSet, RuleSet, ScanInput, SelectedMatch, apply_fixes, parses, scan, scan_syntax,
    syntax_errors,
};
use collie_fuzz::{Target, parts};

const YAML_WORDS: &[&str] = &[
    "id: a\n",
    "language: Python\n",
    "language: Rust\n",
    "message: m\n",
    "rule:\n",
    "  pattern: print($A)\n",
    "  kind: call\n",
    "  regex: '(a+)+$'\n",
    "  any:\n",
    "    - ",
    "  all:\n",
    "  not:\n",
    "  has:\n",
    "  inside:\n",
    "  stopBy: end\n",
    "  nthChild: 1\n",
    "  matches: a\n",
    "utils:\n",
    "constraints:\n",
    "fix: ''\n",
    "fix: f($A)\n",
    "severity: off\n",
    "severity: error\n",
    "metadata: { priority: P1, category: tests }\n",
    "---\n",
    "%%%%\n",
    "\n",
    "  ",
    "- ",
    ": ",
    "&a ",
    "*a",
    "<<: *a\n",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "|\n",
    ">\n",
    "!!binary ",
    "$$$A",
    "$A",
    "é",
    "\t",
    "#",
    "0x7fffffffffffffff",
];

/// An error stands on a line of its file, and what is left of the rules works.
#[test]
fn rule_files() {
    let target = Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name: "rule_files",
        words: YAML_WORDS,
        iterations: 250,
    };
    target.run(|bytes| {
        let [yaml, code] = parts::<2>(bytes);
        let files = [(".collie/rules/a.yml".to_owned(), yaml.clone())];
        let (rules, errors) = RuleSet::with_repository(&files);
        let lines = yaml.matches('\n').count() + 1;
        for error in &errors {
            assert!(!error.problem.is_empty());
            assert!(
                error.line.is_none_or(|line| (1..=lines).contains(&line)),
                "{error:?}"
            );
        }
        let again = RuleSet::with_repository(&files);
        assert_eq!(
            (rules.summaries(), &errors),
            (again.0.summaries(), &again.1)
        );
        for path in ["a.py", "a.rs"] {
            check_scan(&rules, path, code.as_bytes());
        }
    });
}

fn check_scan(rules: &RuleSet, path: &str, content: &[u8]) {
    let changed_lines = &LineSet::All;
    let file = ScanInput {
        path,
        content,
        changed_lines,
        generated: false,
    };
    let found = scan(rules, &file);
    let lines = content.split(|byte| *byte == b'\n').count();
    for hit in &found {
        assert!(
            1 <= hit.line && hit.line <= hit.end_line && hit.end_line <= lines,
            "{hit:?}"
        );
        assert!(hit.column >= 1 && hit.path == path, "{hit:?}");
    }
    let selected: Vec<_> = found
        .iter()
        .map(|hit| SelectedMatch {
            rule_id: hit.rule_id.clone(),
            line: hit.line,
        })
        .collect();
    let outcome = apply_fixes(rules, path, content, &selected);
    assert_eq!(outcome.content == content, outcome.applied.is_empty());
    // A fix that breaks what parsed would be refused by the gate after it.
    if parses(path, content) == Some(true) {
        assert_ne!(parses(path, &outcome.content), Some(false), "{outcome:?}");
    }
    for error in syntax_errors(path, Some(b""), content) {
        assert!(
            (1..=lines).contains(&error.line) && error.column >= 1,
            "{error:?}"
        );
    }
    assert!(scan_syntax(rules, &file, None).len() <= 1);
    assert_eq!(syntax_errors(path, Some(content), content), []);
}

const FILES_WORDS: &[&str] = &[
    "x is \"a\"",
    "x is 'a'",
    "def f(",
    "debugger;",
    "dbg!(",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "${",
    "\n",
    "\r\n",
    "\t",
    "    ",
    "<<<<<<< a\n",
    "=======\n",
    ">>>>>>> b\n",
    "/*",
    "*/",
    "//",
    "#",
    "é",
    "\u{feff}",
    "\u{202e}",
    "\0",
    "fn f() {",
    "func f() {",
    "it.only(",
    "=>",
    "async ",
    "await ",
    "if ",
    "else ",
    ": ",
    "- ",
    "<a>",
    "=",
    "==",
    ";",
    ",",
    "0755",
    "except:\n",
    "%%%%\n",
    "unwrap()",
    "eval(",
    "innerHTML = ",
    "password = \"",
    "assert (a, b)",
];

/// Places are in the file, a fix keeps what parses, and what did not change breaks nothing.
#[test]
fn files() {
    let target = Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name: "files",
        words: FILES_WORDS,
        iterations: 500,
    };
    target.run(|bytes| {
        let [path, _] = parts::<2>(bytes);
        let path = path.trim();
        let end = bytes.windows(6).position(|part| part == b"\n%%%%\n");
        let content = end.map_or(bytes, |end| &bytes[end + 6..]);
        check_scan(RuleSet::shipped(), path, content);
    });
}

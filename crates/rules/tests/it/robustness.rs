//! Bad input: arbitrary bytes, huge files, deep nesting. Nothing panics, and time is bounded.

use std::time::{Duration, Instant};

use collie_core::coverage::UnseenReason;
use collie_rules::{
    LineSet, RuleSet, ScanInput, SelectedMatch, apply_fixes, parses, scan, scan_file, scan_syntax,
    syntax_errors,
};
use proptest::prelude::*;

/// One path for each language that a grammar, a parser or a rule knows.
const PATHS: &[&str] = &[
    "a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.java", "a.json", "a.toml", "a.yml", "a.sh",
    "a.cs", "a.css", "a.dart", "a.ex", "a.hs", "a.tf", "a.kt", "a.lua", "a.nix", "a.php", "a.rb",
    "a.scala", "a.sol", "a.swift", "a.zig", "a.c", "a.cpp", "a.html", "a.md", "a.txt", "a", "",
];

/// Pieces that rules and grammars care about.
const PIECES: &[&str] = &[
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
    "//",
    "#",
    "é",
    "\u{feff}",
    "\u{202e}",
    "😀",
    "\0",
    "fn f() {",
    "package p\n",
    "func f() {",
    "it.only(",
    "=>",
    "async ",
    "await ",
    "if ",
    "else ",
    "for ",
    ": ",
    "- ",
    "<a>",
    "=",
    "==",
    ";",
    ",",
    "0755",
];

fn check_every_function(path: &str, content: &[u8]) {
    let rules = RuleSet::shipped();
    let file = ScanInput {
        path,
        content,
        changed_lines: &LineSet::All,
        generated: false,
    };
    let found = scan(rules, &file);
    let _ = parses(path, content);
    let _ = syntax_errors(path, Some(b""), content);
    let _ = scan_syntax(rules, &file, None);
    let selected: Vec<_> = found
        .iter()
        .map(|hit| SelectedMatch {
            rule_id: hit.rule_id.clone(),
            line: hit.line,
        })
        .collect();
    let outcome = apply_fixes(rules, path, content, &selected);
    assert_eq!(
        found,
        scan(rules, &file),
        "the same input gives the same matches"
    );
    if outcome.applied.is_empty() {
        assert_eq!(outcome.content, content);
    } else {
        assert_ne!(outcome.content, content);
    }
    assert_eq!(
        ends_with_newline(&outcome.content),
        ends_with_newline(content),
        "the end of the file stays"
    );
}

fn ends_with_newline(content: &[u8]) -> bool {
    content.last() == Some(&b'\n')
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..60)
        .prop_map(|pieces| pieces.concat().into_bytes());
    prop_oneof![prop::collection::vec(any::<u8>(), 0..300), pieces]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_do_no_harm(path in prop::sample::select(PATHS), content in content()) {
        check_every_function(path, &content);
    }

    #[test]
    fn only_changed_lines_are_reported(line in 1..8_usize) {
        let content = "x is 'a'\n".repeat(7);
        let changed: LineSet = [line].into_iter().collect();
        let file = ScanInput { path: "a.py", content: content.as_bytes(), changed_lines: &changed, generated: false };
        let lines: Vec<_> = scan(RuleSet::shipped(), &file).iter().map(|hit| hit.line).collect();
        prop_assert_eq!(lines, if line < 8 { vec![line] } else { vec![] });
    }
}

#[test]
fn every_language_takes_every_piece() {
    for path in PATHS {
        for piece in PIECES {
            check_every_function(path, piece.repeat(50).as_bytes());
        }
    }
}

/// Far more than any of these takes on a slow machine, far less than a hang.
const LONG: Duration = Duration::from_secs(60);

fn check_quick(name: &str, path: &str, content: &[u8]) {
    let start = Instant::now();
    let file = ScanInput {
        path,
        content,
        changed_lines: &LineSet::All,
        generated: false,
    };
    let _ = scan(RuleSet::shipped(), &file);
    let _ = parses(path, content);
    let took = start.elapsed();
    assert!(took < LONG, "{name} in {path} took {took:?}");
}

#[test]
fn large_and_strange_files_take_bounded_time() {
    check_quick("5 MB of lines", "a.py", &b"x is 'a'\n".repeat(500_000));
    check_quick("5 MB binary", "a.py", &vec![0; 5_000_000]);
    check_quick("a line of 1 MB", "a.js", &b"x;".repeat(499_000));
    check_quick("5 MB of markers", "a.txt", &b"<<<<<<< a\n".repeat(500_000));
    check_quick("invalid UTF-8", "a.rs", &[0xff; 100_000]);
    let isolates = "\u{2066}".repeat(300_000);
    check_quick(
        "directions in a literal",
        "a.js",
        format!("a = `{isolates}`").as_bytes(),
    );
    check_quick("directions on a line", "a.js", isolates.as_bytes());
    let literals = "a='\u{2066}\u{2069}'\n".repeat(60_000);
    check_quick("directions in many literals", "a.py", literals.as_bytes());
    for path in ["a.py", "a.js", "a.ts", "a.go", "a.rs", "a.json", "a.yml"] {
        let deep = [b"[\n".repeat(20_000), b"]\n".repeat(20_000)].concat();
        check_quick("deep nesting", path, &deep);
        check_quick("open brackets", path, &b"((((\n".repeat(20_000));
        check_quick("open strings", path, &b"\"'`\n".repeat(20_000));
    }
}

/// A P1 that a structural rule finds, on a line of its own.
const FAULT: &str = "if x is 'a':\n    pass\n";

fn scan_all(path: &str, content: &[u8], generated: bool) -> collie_rules::FileScan {
    let file = ScanInput {
        path,
        content,
        changed_lines: &LineSet::All,
        generated,
    };
    scan_file(RuleSet::shipped(), &file)
}

#[test]
fn a_file_that_is_no_utf8_is_scanned_and_never_rewritten() {
    let content = [b"# caf\xe9\n", FAULT.as_bytes()].concat();
    let plain = scan_all("a.py", FAULT.as_bytes(), false);
    assert!(plain.matches[0].fix.is_some(), "the control has a fix");
    let scanned = scan_all("a.py", &content, false);
    let found: Vec<_> = scanned
        .matches
        .iter()
        .map(|hit| (&hit.rule_id, hit.line))
        .collect();
    assert_eq!(found, [(&plain.matches[0].rule_id, 2)]);
    assert!(scanned.matches[0].fix.is_none() && scanned.matches[0].suggestion.is_none());
    assert_eq!(scanned.unread, None);
    let selected = SelectedMatch {
        rule_id: plain.matches[0].rule_id.clone(),
        line: 2,
    };
    let outcome = apply_fixes(RuleSet::shipped(), "a.py", &content, &[selected]);
    assert_eq!(outcome.content, content);
}

#[test]
fn deep_nesting_hides_nothing_beside_it_and_is_said() {
    for depth in [2_000, 100_000] {
        let nested = format!("a = {}1{}\n{FAULT}", "[".repeat(depth), "]".repeat(depth));
        let scanned = scan_all("a.py", nested.as_bytes(), false);
        assert_eq!(scanned.unread, Some(UnseenReason::Nesting), "{depth}");
        let lines: Vec<_> = scanned.matches.iter().map(|hit| hit.line).collect();
        assert_eq!(lines, [2], "{depth}");
        assert!(scanned.matches[0].fix.is_none());
    }
}

#[test]
fn what_a_file_says_of_itself_exempts_it_from_nothing() {
    let long_line = format!("# {}\n{FAULT}", "x".repeat(30_000));
    let marked = format!("# @{}\n{FAULT}", "generated");
    for (path, content) in [
        ("a.py", marked.as_str()),
        ("vendor/a.py", FAULT),
        ("dist/a.py", FAULT),
        ("a_pb2.py", FAULT),
        ("a.py", long_line.as_str()),
    ] {
        let scanned = scan_all(path, content.as_bytes(), false);
        assert_eq!(scanned.matches.len(), 1, "{path}");
        let generated = scan_all(path, content.as_bytes(), true);
        assert_eq!(generated.matches.len(), 0, "the base says so: {path}");
    }
}

#[test]
fn what_is_too_large_for_structure_is_said_where_there_are_rules_for_it() {
    let large = "x = 1\n".repeat(200_000);
    let unread = |path| scan_all(path, large.as_bytes(), false).unread;
    assert_eq!(unread("a.py"), Some(UnseenReason::TooLarge));
    assert_eq!(unread("a.txt"), None);
}

//! What a failed check failed with: the failing tests and errors that its log and annotations name (§3.3).
//!
//! They tell one failure of a check from another over its runs, so that what changes by itself (times, line numbers, addresses) is left out.

use crate::snapshot::{Annotation, Check};
use crate::text::log_tail;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// More are not told apart.
const MAX_FAILURES: usize = 200;
/// Of one failure, in characters.
const MAX_FAILURE_CHARS: usize = 200;

/// One form in which tools report a failure, and which of its parts tell it from others.
struct Form {
    pattern: Regex,
    /// Group 1, then 2 where it matched, are words of a tool: numbers in them are no identity. Names of tests keep theirs.
    is_message: bool,
}

fn form(pattern: &str, is_message: bool) -> Form {
    Form {
        pattern: compile(pattern),
        is_message,
    }
}

#[expect(clippy::expect_used, reason = "a test compiles every pattern")]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is one of those below")
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let names = [
        // pytest, unittest
        r"^(?:FAILED|ERROR) ([\w./-]+\.py(?:::\S+)?)",
        r"^(?:FAIL|ERROR): (\w+ \([\w.<>]+\))",
        // cargo test, nextest
        r"^test (\S+(?: - .+)?) \.\.\. FAILED$",
        r"^\s*(?:FAIL|TIMEOUT|SIGABRT|SIGSEGV) \[[^\]]*\] (?:\(\s*\d+/\d+\) )?(\S+ \S+)$",
        // go test
        r"^\s*--- FAIL: (\S+)",
        // Jest, Vitest, node:test, Mocha, TAP
        r"^\s*● (.+ › .+)$",
        r"^\s*(?:FAIL|❯) +(\S+\.\w+ > .+)$",
        r"^\s*[✕✗✖×] (.+?)(?: \(?[\d.]+ ?m?s\)?)?$",
        r"^\s*not ok \d+ (?:- )?([^#]+?)(?: # time=.*)?$",
        // RSpec, Minitest, PHPUnit, ExUnit
        r"^rspec (\S+?)(?::\d+|\[[\d:]+\])? # (.+)$",
        r"^(\w[\w:]*#test_\S+) \[",
        r"^\d+\) ([\w\\]+::\w+)",
        r"^\s+\d+\) (test .+ \(\S+\))$",
        // Maven, Gradle, .NET, XCTest
        r"^\[ERROR\] +(\w[\w.$]*[.#]\w+):\d+",
        r"^(\w[\w.$]*) > (.+) FAILED$",
        r"^\s*Failed (\S+) \[",
        r"error: -\[(\S+ \S+)\] :",
    ];
    let messages = [
        // Compilers, type checkers and linters: FILE:LINE:COLUMN: what
        r"^(\S+?)[(:]\d+[,:]\d+\)?(?::| -) ((?:fatal )?error:? .+)$",
        r"^(\S+?):\d+(?::\d+)?: ((?:fatal )?error: .+|[A-Z]{1,4}\d{2,4} .+)$",
        r"^(\S+\.go):\d+:\d+: (.+)$",
        // rustc, clippy
        r"^(error(?:\[E\d+\])?: .+)$",
    ];
    let names = names.map(|pattern| form(pattern, false));
    let messages = messages.map(|pattern| form(pattern, true));
    names.into_iter().chain(messages).collect()
});

/// A problem in the table that ESLint prints below the name of a file: the words, then the rule.
static ESLINT_ROW: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^\s+\d+:\d+\s+error\s+(.+?)\s{2,}(\S+)$"));
static FILE_LINE: LazyLock<Regex> = LazyLock::new(|| compile(r"^(?:/|\.?\w)\S*\.\w+$"));
/// What GitHub puts before each line of a log.
static TIMESTAMP: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z "));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)*)\b"));
/// What a tool says at its end, whatever failed; of node:test, the heading above what failed.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^error: (?:could not compile |aborting due to|test failed, to rerun|process didn't exit successfully|command .* exited with)|^\s*✖ failing tests:$",
    )
});
/// A line that says that something went wrong.
static SIGN: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"(?i)error|failed|failure|panicked|exception|not ok|fatal|assert|denied|cannot|unable")
});

/// What the runner says of itself: neither a failure nor its title.
/// <https://github.com/actions/runner/blob/main/src/Runner.Worker/Handlers/ProcessInvoker.cs>, and the words that GitHub shows of lost runners.
static RUNNER: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:##\[error\]|Error: )?(?:Process completed with exit code -?\d+|The process '.*' failed with exit code -?\d+|The operation was cancell?ed|The job was cancell?ed|Canceling since a higher priority)",
    )
});

/// What GitHub says where the runner was lost or the job never ran.
static RUNNER_LOST: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)lost communication with the server|runner has received a shutdown signal|exceeded the maximum execution time|not acquired by runner|no enabled runners|actions has encountered an internal error|runner has been stopped|No space left on device",
    )
});

/// Whether GitHub itself says that the machine failed, not the change.
pub fn says_runner_lost(annotation: &Annotation) -> bool {
    RUNNER_LOST.is_match(&annotation.message)
}

/// Whether the words are the runner's, which says them of any failure.
pub fn is_runner_line(line: &str) -> bool {
    RUNNER.is_match(line.trim())
}

/// What a check complains about in a file: GitHub's own remarks on a job bear the path `.github`, which is no file.
pub fn located_annotations(check: &Check) -> impl Iterator<Item = &Annotation> {
    let annotations = check.annotations.iter();
    annotations.filter(|annotation| {
        let in_file = !annotation.path.is_empty() && annotation.path != ".github";
        in_file && !is_runner_line(&annotation.message)
    })
}

/// What failed, as far as it can be told; in no case empty, so that two runs that say nothing failed alike.
pub fn failures(check: &Check) -> BTreeSet<String> {
    let log = check.log_tail.as_deref().unwrap_or_default();
    let mut found = of_log(log);
    if found.is_empty() {
        let annotations = check.annotations.iter();
        found = annotations
            .filter(|annotation| !is_runner_line(&annotation.message))
            .map(|annotation| {
                let words = blank_numbers(first_line(&annotation.message));
                cut(&format!("{}: {words}", annotation.path))
            })
            .take(MAX_FAILURES)
            .collect();
    }
    if found.is_empty() {
        found.extend(first_error(log).map(|line| cut(&blank_numbers(&line))));
    }
    if found.is_empty() {
        let summary = check.summary.as_deref().map(first_line).map(blank_numbers);
        found.insert(cut(&summary.unwrap_or_default()));
    }
    found
}

/// The failing tests and errors that a log names.
fn of_log(log: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut file = String::new();
    let plain = log_tail(log, usize::MAX);
    for line in plain.lines() {
        let line = TIMESTAMP.replace(line, "");
        let line = line.trim_end();
        if FILE_LINE.is_match(line) {
            file = line.to_owned();
        } else if let Some(row) = ESLINT_ROW.captures(line) {
            found.insert(cut(&format!(
                "{file}: {} {}",
                &row[2],
                blank_numbers(&row[1])
            )));
        } else if !SUMMARY.is_match(line) && !is_runner_line(line) {
            let matched = FORMS.iter().find_map(|form| failure_of(form, line));
            found.extend(matched);
        }
        if found.len() >= MAX_FAILURES {
            break;
        }
    }
    found
}

fn failure_of(form: &Form, line: &str) -> Option<String> {
    let parts = form.pattern.captures(line)?;
    let first = parts.get(1)?.as_str().trim();
    let Some(second) = parts.get(2) else {
        return Some(cut(&match form.is_message {
            true => blank_numbers(first),
            false => first.to_owned(),
        }));
    };
    let second = match form.is_message {
        true => blank_numbers(second.as_str()),
        false => second.as_str().to_owned(),
    };
    Some(cut(&format!("{first}: {second}")))
}

/// The first line of a log that names a failure.
pub fn first_error(log: &str) -> Option<String> {
    let plain = log_tail(log, usize::MAX);
    let mut lines = plain.lines().map(|line| TIMESTAMP.replace(line, ""));
    let line = lines.find(|line| SIGN.is_match(line) && !is_runner_line(line))?;
    let line = line.trim();
    Some(line.strip_prefix("##[error]").unwrap_or(line).to_owned())
}

fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

fn blank_numbers(text: &str) -> String {
    NUMBER.replace_all(text, "0").into_owned()
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_FAILURE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::CheckConclusion;
    use crate::test_support;

    fn failed(log: &str) -> Check {
        Check {
            log_tail: (!log.is_empty()).then(|| log.to_owned()),
            ..test_support::check("test", Some(CheckConclusion::Failure))
        }
    }

    fn names(log: &str) -> Vec<String> {
        failures(&failed(log)).into_iter().collect()
    }

    #[test]
    fn each_tool_s_failing_tests_are_told_apart() {
        let check = |log: &str, expect: &[&str]| assert_eq!(names(log), expect, "{log}");
        check(
            "2026-01-24T10:00:00.1234567Z FAILED tests/test_a.py::test_x[1] - assert 1 == 2\nFAILED tests/test_a.py::test_x[2] - E",
            &["tests/test_a.py::test_x[1]", "tests/test_a.py::test_x[2]"],
        );
        check("FAIL: test_sum (tests.Sum)\n", &["test_sum (tests.Sum)"]);
        check(
            "test a::b ... ok\ntest a::c ... FAILED\nerror: test failed, to rerun pass `--lib`",
            &["a::c"],
        );
        check("        FAIL [   0.012s] ( 3/10) core a::b", &["core a::b"]);
        check(
            "--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/sub (0.00s)\nFAIL",
            &["TestX", "TestX/sub"],
        );
        check("  ● sum › adds 2 and 3\n", &["sum › adds 2 and 3"]);
        check(
            " FAIL  src/a.test.ts > sum > adds\n",
            &["src/a.test.ts > sum > adds"],
        );
        check("✖ adds (1.25ms)\n", &["adds"]);
        check(
            "✖ the median (1.05ms)\n\n✖ failing tests:\n\ntest at stats.test.js:14:1\n✖ the median (1.05ms)\n",
            &["the median"],
        );
        check("ok 1 - a\nnot ok 2 - b # time=3ms\n", &["b"]);
        check(
            "rspec ./spec/a_spec.rb:12 # Sum adds\n",
            &["./spec/a_spec.rb: Sum adds"],
        );
        check(
            "[ERROR]   SumTest.adds:15 expected: <3>\n",
            &["SumTest.adds"],
        );
        check("SumTest > adds() FAILED\n", &["SumTest: adds()"]);
        check("1) App\\SumTest::testAdds\n", &["App\\SumTest::testAdds"]);
    }

    #[test]
    fn an_error_stays_itself_when_its_line_moves() {
        let check = |one: &str, other: &str| {
            assert_eq!(names(one), names(other));
            assert_eq!(names(one).len(), 1, "{one}");
        };
        check(
            "src/a.ts(12,5): error TS2304: Cannot find name 'x'.",
            "src/a.ts(99,1): error TS2304: Cannot find name 'x'.",
        );
        check(
            "a.py:3:1: F401 `os` imported but unused",
            "a.py:30:1: F401 `os` imported but unused",
        );
        check(
            "main.c:3:1: error: 4 too many",
            "main.c:9:1: error: 5 too many",
        );
        check(
            "/w/src/a.js\n  1:5  error  'x' is not defined  no-undef",
            "/w/src/a.js\n  8:5  error  'x' is not defined  no-undef",
        );
        check(
            "error[E0308]: mismatched types\n  --> src/a.rs:3:4",
            "error[E0308]: mismatched types\n  --> src/a.rs:9:4",
        );
        check("\u{1b}[31mfatal: took 12 s\u{1b}[0m", "fatal: took 13 s");
    }

    #[test]
    fn two_errors_of_one_tool_are_two() {
        assert_ne!(
            names("src/a.ts(1,5): error TS2304: Cannot find name 'x'."),
            names("src/a.ts(1,5): error TS2345: Cannot find name 'x'.")
        );
        let rows = "/w/a.js\n  1:5  error  'x' is not defined  no-undef\n\n/w/b.js\n  1:5  error  'x' is not defined  no-undef";
        assert_eq!(names(rows).len(), 2);
    }

    #[test]
    fn the_runner_s_own_words_are_no_failure() {
        let mut check = failed("##[error]Process completed with exit code 1.");
        check.annotations = vec![Annotation {
            path: ".github".into(),
            line: 12,
            message: "Process completed with exit code 1.".into(),
        }];
        assert_eq!(failures(&check), BTreeSet::from([String::new()]));
        assert_eq!(located_annotations(&check).count(), 0);
        // The control: what a tool says there counts.
        check.annotations[0].message = "Line too long".into();
        assert_eq!(
            failures(&check),
            BTreeSet::from([".github: Line too long".into()])
        );
        // But it stands in no file: that is no place in the change.
        assert_eq!(located_annotations(&check).count(), 0);
        check.annotations[0].path = "a.py".into();
        assert_eq!(located_annotations(&check).count(), 1, "control");
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(FORMS.len() > 10 && !is_runner_line("x") && !SIGN.is_match("x"));
        assert!(!ESLINT_ROW.is_match("x") && !SUMMARY.is_match("x") && !FILE_LINE.is_match("x y"));
        assert!(!RUNNER_LOST.is_match("x") && !TIMESTAMP.is_match("x") && NUMBER.is_match("1"));
    }
}

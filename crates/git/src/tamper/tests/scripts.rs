//! Test files whose assertions stand in no test.

use super::check;
use collie_engine::ports::Tamper::{DeletedTest, LoosenedAssertion, SkippedTest};

const SCRIPT: &str = "\
import assert from \"node:assert/strict\";
import { overlaps } from \"./slots.mjs\";

assert.equal(overlaps({ from: 0, to: 30 }, { from: 30, to: 60 }), false, \"neighbours\");
assert.equal(overlaps({ from: 0, to: 31 }, { from: 30, to: 60 }), true, \"a minute\");
";

#[test]
fn a_script_that_is_weakened_is_found() {
    let second = SCRIPT.lines().last().unwrap_or_default();
    let swap = |to: &str| SCRIPT.replace(second, to);
    for (after, expect) in [
        ("// nothing to test\n".to_owned(), (0, DeletedTest)),
        (String::new(), (0, DeletedTest)),
        (swap(""), (4, LoosenedAssertion)),
        (swap(&format!("// {second}")), (4, LoosenedAssertion)),
        (swap("assert.ok(true);"), (4, LoosenedAssertion)),
        (
            swap("assert.notEqual(overlaps(a, b), 3);"),
            (4, LoosenedAssertion),
        ),
        (
            SCRIPT.replacen("\n\n", "\nprocess.exit(0);\n", 1),
            (4, SkippedTest),
        ),
    ] {
        check("test.mjs", SCRIPT, &after, &[expect]);
    }
}

#[test]
fn honest_changes_of_a_script_pass() {
    let second = SCRIPT.lines().last().unwrap_or_default();
    let more = format!("{SCRIPT}assert.equal(overlaps(a, a), true);\n");
    let wrapped = SCRIPT.replace(
        second,
        &format!("test(\"a minute\", () => {{\n  {second}\n}});"),
    );
    let other = SCRIPT.replace("to: 31", "to: 32");
    for after in [more, wrapped, other] {
        check("test.mjs", SCRIPT, &after, &[]);
    }
}

/// A table of a script is as good as its rows.
#[test]
fn rows_that_a_script_goes_through_are_its_assertions() {
    let before = "for (const [a, b] of [[1, 2], [3, 6], [4, 8]]) assert.equal(double(a), b);\n";
    let after = "for (const [a, b] of [[1, 2]]) assert.equal(double(a), b);\n";
    check("test.mjs", before, after, &[(1, LoosenedAssertion)]);
    check("test.mjs", after, before, &[]);
}

#[test]
fn scripts_in_other_languages_are_read_too() {
    let python =
        "from slots import overlaps\n\nassert overlaps(1, 2) == 3\nassert overlaps(2, 3) == 4\n";
    let one = "from slots import overlaps\n\nassert overlaps(1, 2) == 3\n";
    check("test_slots.py", python, one, &[(3, LoosenedAssertion)]);
    let left = python.replacen("\n\n", "\nimport sys\nsys.exit(0)\n", 1);
    check("test_slots.py", python, &left, &[(4, SkippedTest)]);
    // Of a language that is not read, what is empty tests nothing.
    check(
        "tests/run.sh",
        "./slots 1 2 | grep 3\n",
        "\n",
        &[(0, DeletedTest)],
    );
}

/// Values beside tests are no assertions: they may come and go.
#[test]
fn what_a_file_of_tests_holds_beside_them_may_change() {
    let before = "const rows = [1, 2, 3];\nit('a', () => {\n  expect(f(rows)).toBe(2);\n});\n";
    let after = "const rows = [1, 2];\nit('a', () => {\n  expect(f(rows)).toBe(2);\n});\n";
    check("a.test.ts", before, after, &[]);
}

//! Fixes of both sorts: suppressions, settings, files that come and go.

mod languages;
mod scripts;

use super::*;
use Tamper::{CoverageSetting, DeletedTest, LinterSetting, Suppressed, Workflow};
use proptest::prelude::*;

/// What is found, with lines; 0 stands for none.
fn check(path: &str, before: &str, after: &str, expect: &[(u32, Tamper)]) {
    let found: Vec<(u32, Tamper)> = tampering(path, Some(before), Some(after))
        .into_iter()
        .map(|place| (place.line.unwrap_or(0), place.kind))
        .collect();
    assert_eq!(
        found, expect,
        "{path}\n--- before\n{before}\n--- after\n{after}"
    );
}

const RUST: &str = "\
fn add(a: u8, b: u8) -> u8 { a + b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_one() {
        assert_eq!(add(1, 1), 2);
        assert_eq!(add(2, 1), 3);
    }

    #[tokio::test]
    async fn none() {
        assert_eq!(add(0, 0), 0);
    }
}
";

#[test]
fn new_suppressions_are_found_and_moved_or_narrowed_ones_are_not() {
    for (path, line) in [
        ("a.rs", "#[allow(dead_code)]"),
        ("a.rs", "#![allow(clippy::all)]"),
        ("a.rs", "#[cfg_attr(test, allow(unused))]"),
        ("a.rs", "#[expect(unused, reason = \"x\")]"),
        ("a.rs", "#[coverage(off)]"),
        ("a.py", "x = 1  # noqa"),
        ("a.py", "x = 1  # noqa: E501"),
        ("a.py", "x = f()  # type: ignore[attr-defined]"),
        ("a.py", "if x:  # pragma: no cover"),
        ("a.py", "# pylint: disable=invalid-name"),
        ("a.ts", "// eslint-disable-next-line no-console -- why"),
        ("a.ts", "/* eslint-disable */"),
        ("a.tsx", "{/* @ts-ignore */}"),
        ("a.ts", "// @ts-expect-error: why"),
        ("a.ts", "// @ts-nocheck"),
        ("a.js", "/* istanbul ignore next */"),
        ("a.ts", "// biome-ignore lint/suspicious/noExplicitAny: why"),
        ("a.go", "x := f() //nolint"),
        ("a.go", "x := f() //nolint:errcheck // why"),
        ("A.java", "@SuppressWarnings(\"unchecked\")"),
        ("A.kt", "@file:Suppress(\"UNUSED\")"),
        ("A.java", "x(); // NOSONAR"),
        ("a.rb", "x # rubocop:disable Style/Foo"),
        ("a.rb", "# :nocov:"),
        ("a.sh", "# shellcheck disable=SC2086"),
        ("a.cc", "int x; // NOLINT(foo)"),
    ] {
        let after = format!("{line}\nlast\n");
        check(path, "last\n", &after, &[(1, Suppressed)]);
        check(path, &after, &format!("last\n{line}\n"), &[]);
        check(path, &after, "last\n", &[]);
    }
    for (path, before, after) in [
        ("a.py", "x  # noqa\n", "x  # noqa: E501, F401\n"),
        (
            "a.rs",
            "#[allow(a, b)]\nfn f() {}\n",
            "#[allow(b)]\nfn f() {}\n",
        ),
        ("a.ts", "f();\n", "f(\"// @ts-ignore\");\n"),
        ("a.ts", "f();\n", "f(); // no eslint-disable here\n"),
        ("a.md", "x\n", "Write `# noqa` or NOLINT.\n"),
        ("a.rs", "f();\n", "f(\"#[allow(x)]\");\n"),
        (
            "a.ts",
            "// @ts-expect-error: why\n",
            "// @ts-expect-error: other words\n",
        ),
    ] {
        check(path, before, after, &[]);
    }
    check(
        "a.py",
        "x  # noqa: E501\n",
        "x  # noqa\n",
        &[(1, Suppressed)],
    );
    check(
        "a.rs",
        "#[allow(a)]\nfn f() {}\n",
        "#[allow(a, b)]\nfn f() {}\n",
        &[(1, Suppressed)],
    );
}

#[test]
fn settings_and_workflows_are_guarded() {
    let project = "[project]\nname = \"a\"\n[tool.ruff]\nline-length = 88\n[tool.coverage.report]\nfail_under = 90\n";
    let package = "{\"name\": \"a\", \"scripts\": {\"test\": \"vitest\", \"start\": \"x\"}, \"jest\": {\"coverageThreshold\": {\"global\": 90}}}";
    let config = "{\n  // why\n  \"compilerOptions\": {\"strict\": true, \"target\": \"es2020\"},\n  \"include\": [\"src\"]\n}";
    let vitest =
        "export default { test: { coverage: { thresholds: { lines: 90 } }, globals: true } };\n";
    let ini = "[metadata]\nname = a\n[flake8]\nmax = 80\n[coverage:run]\nbranch = true\n";
    let crates = "[package]\nname = \"a\"\n[lints.clippy]\nall = \"deny\"\n";
    let pom = "<a>\n<skipTests>false</skipTests>\n<version>1</version>\n</a>\n";
    for (path, before, from, to, expect) in [
        (
            ".github/workflows/ci.yml",
            "on: push\n",
            "push",
            "push # x",
            &[Workflow][..],
        ),
        (
            ".github/actions/a/action.yml",
            "a: 1\n",
            "1",
            "2",
            &[Workflow],
        ),
        (".forge.toml", "a = 1\n", "1", "2", &[Workflow]),
        (
            ".eslintrc.json",
            "{\"rules\": {\"a\": 2}}",
            "2",
            "0",
            &[LinterSetting],
        ),
        (
            "eslint.config.js",
            "export default [a];\n",
            "[a]",
            "[]",
            &[LinterSetting],
        ),
        ("ruff.toml", "line-length = 88 # x\n", "# x", "# y", &[]),
        (
            "ruff.toml",
            "line-length = 88\n",
            "88",
            "99",
            &[LinterSetting],
        ),
        (".flake8", "# a\n[flake8]\n", "# a", "\n# b", &[]),
        (
            ".flake8",
            "[flake8]\n",
            "\n",
            "\nignore = E1\n",
            &[LinterSetting],
        ),
        (
            ".coveragerc",
            "[run]\n",
            "[run]",
            "[run]\nomit = a",
            &[CoverageSetting],
        ),
        ("codecov.yml", "coverage: 1\n", "1", "0", &[CoverageSetting]),
        ("pyproject.toml", project, "88", "120", &[LinterSetting]),
        ("pyproject.toml", project, "90", "10", &[CoverageSetting]),
        ("pyproject.toml", project, "\"a\"", "\"b\"", &[]),
        (
            "pyproject.toml",
            project,
            "[tool.ruff]",
            "# x\n[tool.ruff]",
            &[],
        ),
        (
            "pyproject.toml",
            project,
            "[project]",
            "[project",
            &[LinterSetting, CoverageSetting],
        ),
        ("package.json", package, "vitest", "true", &[LinterSetting]),
        ("package.json", package, "\"x\"", "\"y\"", &[]),
        (
            "package.json",
            package,
            "\"start\"",
            "\"lint\": \"eslint\", \"start\"",
            &[],
        ),
        (
            "package.json",
            package,
            "90",
            "1",
            &[LinterSetting, CoverageSetting],
        ),
        ("tsconfig.json", config, "true", "false", &[LinterSetting]),
        (
            "tsconfig.json",
            config,
            "\"strict\": true, ",
            "",
            &[LinterSetting],
        ),
        ("tsconfig.json", config, "[\"src\"]", "[]", &[LinterSetting]),
        ("tsconfig.json", config, "es2020", "es2022", &[]),
        (
            "tsconfig.json",
            config,
            "\"strict\": true",
            "\"strict\": true, \"noImplicitReturns\": true",
            &[],
        ),
        ("vitest.config.ts", vitest, "90", "9", &[CoverageSetting]),
        (
            "vitest.config.ts",
            vitest,
            "globals: true",
            "globals: false",
            &[],
        ),
        (
            "vitest.config.ts",
            vitest,
            "globals",
            "exclude: ['a'], globals",
            &[LinterSetting],
        ),
        ("setup.cfg", ini, "80", "200", &[LinterSetting]),
        (
            "setup.cfg",
            ini,
            "branch = true",
            "branch = false",
            &[CoverageSetting],
        ),
        ("setup.cfg", ini, "name = a", "name = b", &[]),
        ("Cargo.toml", crates, "deny", "allow", &[LinterSetting]),
        ("Cargo.toml", crates, "\"a\"", "\"b\"", &[]),
        (
            "Cargo.toml",
            crates,
            "[lints",
            "[[test]]\nname = \"it\"\n[lints",
            &[],
        ),
        ("pom.xml", pom, "false", "true", &[LinterSetting]),
        ("pom.xml", pom, "<version>1", "<version>2", &[]),
    ] {
        assert!(before.contains(from), "{path}: {from}");
        let expect: Vec<(u32, Tamper)> = expect.iter().map(|what| (0, *what)).collect();
        check(path, before, &before.replacen(from, to, 1), &expect);
    }
}

#[test]
fn files_that_come_go_or_move_are_judged_by_what_they_are() {
    let kinds = |places: Vec<TamperLocation>| -> Vec<(String, Tamper)> {
        places
            .into_iter()
            .map(|place| (place.path, place.kind))
            .collect()
    };
    for (path, expect) in [
        ("tests/a.rs", Some(DeletedTest)),
        ("src/lib.rs", Some(DeletedTest)),
        ("src/other.rs", None),
        (".github/workflows/ci.yml", Some(Workflow)),
        ("clippy.toml", Some(LinterSetting)),
        ("tests/notes.md", None),
        // Whose tests, if any, are not recognised.
        ("tests/helpers.rs", Some(DeletedTest)),
        ("ui/__tests__/a.tsx.snap", Some(DeletedTest)),
        ("spec/login.feature", Some(DeletedTest)),
    ] {
        let text = match path {
            "src/other.rs" | "tests/helpers.rs" => "fn a() {}\n",
            "ui/__tests__/a.tsx.snap" | "spec/login.feature" => "Any text.\n",
            _ => RUST,
        };
        let expect: Vec<_> = expect
            .iter()
            .map(|what| (path.to_string(), *what))
            .collect();
        assert_eq!(kinds(tampering(path, Some(text), None)), expect, "{path}");
    }
    assert_eq!(tampering("tests/a.rs", None, Some(RUST)), []);
    assert_eq!(
        kinds(tampering("biome.json", None, Some("{}"))),
        [("biome.json".into(), LinterSetting)]
    );

    let body = "def test_a():\n    assert f() == 1\n";
    assert_eq!(
        tampering_by_move("tests/test_a.py", "tests/test_b.py", body, body),
        []
    );
    let out = tampering_by_move("tests/test_a.py", "old/a.py", body, body);
    assert_eq!(kinds(out), [("tests/test_a.py".into(), DeletedTest)]);
    let off = tampering_by_move(
        ".github/workflows/a.yml",
        "a.yml",
        "on: push\n",
        "on: push\n",
    );
    assert_eq!(kinds(off), [(".github/workflows/a.yml".into(), Workflow)]);
    let on = tampering_by_move(
        "a.yml",
        ".github/workflows/a.yml",
        "on: push\n",
        "on: push\n",
    );
    assert_eq!(kinds(on), [(".github/workflows/a.yml".into(), Workflow)]);
}

/// Fragments of code in many languages, whole and broken.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("#[test]\nfn a() {\n    assert_eq!(f(1), 2);\n}\n".to_string()),
        Just("def test_a():\n    assert f(1) == 2\n".to_string()),
        Just("it('a', () => {\n  expect(f(1)).toBe(2);\n});\n".to_string()),
        Just("func TestA(t *testing.T) {\n\tt.Error(\"x\")\n}\n".to_string()),
        Just("    @Test\n    void a() {\n        assertEquals(1, f());\n    }\n".to_string()),
        Just("  it 'a' do\n    expect(f).to eq(1)\n  end\n".to_string()),
        "[\\[\\](){}'\"`#/*@é;:,.=!<> a-z\\n\\\\]{0,40}",
    ];
    prop::collection::vec(fragment, 0..6).prop_map(|parts| parts.join("\n"))
}

const ANY_PATH: &[&str] = &[
    "tests/a.rs",
    "src/a.rs",
    "test_a.py",
    "a.test.ts",
    "a_test.go",
    "src/test/ATest.java",
    "src/test/ATest.kt",
    "spec/a_spec.rb",
    "ruff.toml",
    "package.json",
    "tsconfig.json",
    "vitest.config.ts",
    "pom.xml",
    "a.txt",
];

proptest! {
    #[test]
    fn what_did_not_change_is_never_refused(text in fragments(), path in prop::sample::select(ANY_PATH)) {
        prop_assert_eq!(tampering(path, Some(&text), Some(&text)), []);
        // Nothing to compare with, and nothing that ends the run.
        tampering(path, None, Some(&text));
        tampering(path, Some(&text), None);
    }

    #[test]
    fn comments_and_blank_lines_are_never_refused(
        at in 0usize..40,
        blanks in 0usize..3,
        note in "[ a-zA-Z0-9]{0,30}",
        language in 0usize..6,
    ) {
        let (path, text, sign) = [
            ("tests/a.rs", RUST, "//"),
            ("test_a.py", "import a\n\nclass TestA:\n    def test_a(self):\n        assert a.f(1) == 2\n\n\ndef test_b():\n    assert a.g()\n", "#"),
            ("a.test.ts", "describe('a', () => {\n  it('b', () => {\n    expect(f(1)).toBe(2);\n  });\n});\n", "//"),
            ("a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Error(\"x\")\n\t}\n}\n", "//"),
            ("src/test/ATest.java", "class ATest {\n    @Test\n    void a() {\n        assertEquals(1, f());\n    }\n}\n", "//"),
            ("ruff.toml", "[lint]\nselect = [\"E\"]\n", "#"),
        ][language];
        prop_assume!(!tampering(path, Some(""), Some(&format!("{sign} {note}\n"))).iter().any(|place| place.kind == Suppressed));
        let lines: Vec<&str> = text.lines().collect();
        let at = at % (lines.len() + 1);
        let mut after: Vec<String> = lines[..at].iter().map(|line| (*line).to_string()).collect();
        after.push(format!("{sign} {note}"));
        after.extend(std::iter::repeat_n(String::new(), blanks));
        after.extend(lines[at..].iter().map(|line| format!("{line}  ")));
        prop_assert_eq!(tampering(path, Some(text), Some(&(after.join("\n") + "\n"))), []);
    }
}

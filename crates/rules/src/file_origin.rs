//! What a path tells of a file: a test, a fixture, prose.

/// Folders of tests, and of samples, which are held to no more than tests.
const TEST_FOLDERS: &[&str] = &[
    "examples",
    "example",
    "samples",
    "docs",
    "doc",
    "demo",
    "demos",
    "integration",
    "benches",
    "benchmarks",
    "test",
    "tests",
    "testing",
    "__tests__",
    "spec",
    "specs",
    "e2e",
    "testsuite",
    "test-suite",
    "testcases",
    "testutil",
    "testutils",
];

/// Words that end like the name of a test folder.
const NON_TEST_FOLDERS: &[&str] = &["latest", "greatest", "contest", "protest", "attest"];

/// Folders whose files are input for tests and may be broken on purpose.
const FIXTURE_FOLDERS: &[&str] = &[
    "fixtures",
    "fixture",
    "testdata",
    "test_data",
    "test-data",
    "__fixtures__",
    "snapshots",
    "__snapshots__",
    "cassettes",
    "recordings",
    "__recordings__",
    "recorded",
    "vcr",
    "mocks",
    "__mocks__",
    "stubs",
    "golden",
];

/// Ends of names of recorded exchanges.
const RECORDING_SUFFIXES: &[&str] = &[".har", ".cassette", ".snap", ".golden", ".vcr.json"];

/// Says whether the file is a test, by the customs of the four languages.
pub(crate) fn is_test_file(path: &str) -> bool {
    let name = file_name(path);
    let stem = name.split('.').next().unwrap_or_default();
    parent_folders(path).any(|folder| is_test_folder(&folder))
        || is_fixture_file(path)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || matches!(stem, "conftest" | "test" | "tests")
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains(".test-d.")
        || name == ".env.test"
}

fn is_test_folder(folder: &str) -> bool {
    // Go calls a package of test doubles `httptest`.
    TEST_FOLDERS.contains(&folder)
        || (folder.ends_with("test") && !NON_TEST_FOLDERS.contains(&folder))
}

/// Says whether the file is input for tests.
pub(crate) fn is_fixture_file(path: &str) -> bool {
    let name = file_name(path);
    let mut in_test = false;
    let is_fixture_folder = |folder: String| {
        // What tests keep in a folder of data is their input.
        let is_data = in_test && matches!(folder.as_str(), "data" | "cases");
        in_test |= is_test_folder(&folder);
        is_data || FIXTURE_FOLDERS.contains(&folder.as_str())
    };
    parent_folders(path).any(is_fixture_folder)
        || RECORDING_SUFFIXES.iter().any(|end| name.ends_with(end))
}

/// Says whether a text is for people to read.
pub(crate) fn is_prose(path: &str) -> bool {
    let name = file_name(path);
    [".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn parent_folders(path: &str) -> impl Iterator<Item = String> + '_ {
    let parts = path.split('/').collect::<Vec<_>>();
    let count = parts.len().saturating_sub(1);
    parts.into_iter().take(count).map(str::to_lowercase)
}

pub(crate) fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_tests_and_samples() {
        for (path, test) in [
            ("src/main.rs", false),
            ("pkg/a_test.go", true),
            ("tests/conftest.py", true),
            ("src/__tests__/a.ts", true),
            ("src/a.spec.tsx", true),
            ("examples/tls/main.rs", true),
            ("httptest/server.key", true),
            ("deploy/latest/server.key", false),
            ("src/contest.py", false),
            ("src/latest/attest.py", false),
            ("docs/conf.py", true),
            ("testutil/pki/server.key", true),
            ("plugins/testcases/a.json", true),
            ("packages/app/.env.test", true),
            ("packages/app/.env", false),
        ] {
            assert_eq!(is_test_file(path), test, "{path}");
        }
    }

    #[test]
    fn paths_tell_what_tests_read() {
        for (path, fixture) in [
            ("tests/data/cases/a.py", true),
            ("pkg/testdata/a.go", true),
            ("src/data/a.py", false),
            ("tests/test_data.py", false),
            ("api/recordings/login.json", true),
        ] {
            assert_eq!(is_fixture_file(path), fixture, "{path}");
        }
    }
}

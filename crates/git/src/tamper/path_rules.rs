//! What a file is for, by its path.

/// What guards a pull request besides its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GuardedConfig {
    /// CI: any change counts.
    Workflow,
    /// The settings of a linter, type checker or test runner: any change but of comments counts.
    Linter,
    /// The settings of coverage: any change but of comments counts.
    Coverage,
    /// It has such settings among others.
    Shared(MixedConfig),
}

/// Files that hold settings of many kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MixedConfig {
    /// `package.json`.
    Package,
    /// `tsconfig*.json`.
    TypeScript,
    /// `pyproject.toml`.
    Pyproject,
    /// `Cargo.toml`.
    Cargo,
    /// `setup.cfg`, `tox.ini`.
    Ini,
    /// `jest.config.js`, `vite.config.ts`, …
    Runner,
    /// `pom.xml`, `build.gradle`, …
    Build,
}

const LINTER_NAMES: &[&str] = &[
    ".clippy.toml",
    ".editorconfig",
    ".eslintignore",
    ".flake8",
    ".gitleaks.toml",
    ".hadolint.yaml",
    ".hadolint.yml",
    ".mypy.ini",
    ".oxlintrc.json",
    ".pre-commit-config.yaml",
    ".prettierignore",
    ".pylintrc",
    ".pytest.ini",
    ".rspec",
    ".rubocop.yml",
    ".rubocop_todo.yml",
    ".ruff.toml",
    ".rustfmt.toml",
    ".shellcheckrc",
    ".standard.yml",
    ".swiftlint.yml",
    "biome.json",
    "biome.jsonc",
    "checkstyle.xml",
    "clippy.toml",
    "deny.toml",
    "detekt.yml",
    "lefthook.yml",
    "mypy.ini",
    "nextest.toml",
    "phpcs.xml",
    "phpstan.neon",
    "phpstan.neon.dist",
    "phpunit.xml",
    "psalm.xml",
    "pylintrc",
    "pyrightconfig.json",
    "pytest.ini",
    "ruff.toml",
    "rustfmt.toml",
    "sonar-project.properties",
    "tslint.json",
];
const LINTER_BEGINNINGS: &[&str] = &[
    ".commitlintrc",
    ".eslintrc",
    ".golangci.",
    ".lintstagedrc",
    ".markdownlint",
    ".mocharc",
    ".prettierrc",
    ".semgrep",
    ".stylelintrc",
    ".yamllint",
    "commitlint.config.",
    "eslint.config.",
    "prettier.config.",
    "stylelint.config.",
];
const COVERAGE_BEGINNINGS: &[&str] = &[
    ".c8rc",
    ".codecov.y",
    ".coveragerc",
    ".coveralls.y",
    ".nycrc",
    ".octocov.y",
    ".simplecov",
    ".tarpaulin.toml",
    "codecov.y",
    "coveralls.y",
    "nyc.config.",
    "tarpaulin.toml",
];
const RUNNER_BEGINNINGS: &[&str] = &[
    "cypress.config.",
    "jest.config.",
    "karma.conf.",
    "playwright.config.",
    "vite.config.",
    "vitest.config.",
    "vitest.workspace.",
];
const WORKFLOW_NAMES: &[&str] = &[
    ".appveyor.yml",
    ".cirrus.yml",
    ".drone.yml",
    ".forge.toml",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".woodpecker.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
];
const WORKFLOW_FOLDERS: &[&str] = &[
    ".azure-pipelines/",
    ".azuredevops/",
    ".buildkite/",
    ".circleci/",
    ".forgejo/workflows/",
    ".gitea/workflows/",
    ".github/actions/",
    ".github/workflows/",
    ".gitlab/",
    ".woodpecker/",
    "_azure-pipelines/",
    "azure-pipelines/",
];
const TEST_FOLDERS: &[&str] = &[
    "__tests__",
    "androidtest",
    "cypress",
    "e2e",
    "integration_tests",
    "spec",
    "specs",
    "test",
    "tests",
];
/// Ends of names that make a file with tests.
const TEST_ENDINGS: &[&str] = &[
    "_test.go",
    "_test.py",
    "_test.rb",
    "_spec.rb",
    "_test.rs",
    "_tests.rs",
    "_test.ts",
    "_test.js",
    "-test.js",
    "-test.ts",
    "Test.java",
    "Tests.java",
    "IT.java",
    "Test.kt",
    "Tests.kt",
    "Spec.kt",
    "Test.cs",
    "Tests.cs",
    "_test.exs",
    "Tests.swift",
    "Test.php",
    "_test.dart",
];
const CODE_ENDINGS: &[&str] = &[
    "rs", "py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "java", "kt", "kts",
    "rb", "cs", "swift", "php", "ex", "exs", "scala", "groovy", "c", "cc", "cpp", "m", "mm", "sh",
    "bats", "dart", "clj", "hs", "ml", "lua", "pl", "t", "r", "jl", "vue", "svelte", "snap",
    "ambr", "feature",
];

/// What a path guards.
pub(super) fn guarded_config(path: &str) -> Option<GuardedConfig> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let begins = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    let inside = |folders: &[&str]| {
        let rooted = format!("/{path}");
        folders
            .iter()
            .any(|folder| rooted.contains(&format!("/{folder}")))
    };
    if inside(WORKFLOW_FOLDERS) || WORKFLOW_NAMES.contains(&name) || name.starts_with("Jenkinsfile")
    {
        Some(GuardedConfig::Workflow)
    } else if begins(COVERAGE_BEGINNINGS) {
        Some(GuardedConfig::Coverage)
    } else if LINTER_NAMES.contains(&name) || begins(LINTER_BEGINNINGS) || inside(&[".husky/"]) {
        Some(GuardedConfig::Linter)
    } else {
        mixed_config(name, begins(RUNNER_BEGINNINGS)).map(GuardedConfig::Shared)
    }
}

fn mixed_config(name: &str, runner: bool) -> Option<MixedConfig> {
    match name {
        "package.json" => Some(MixedConfig::Package),
        "pyproject.toml" => Some(MixedConfig::Pyproject),
        "Cargo.toml" => Some(MixedConfig::Cargo),
        "setup.cfg" | "tox.ini" => Some(MixedConfig::Ini),
        "pom.xml" | "build.gradle" | "build.gradle.kts" => Some(MixedConfig::Build),
        _ if name.starts_with("tsconfig") && name.ends_with(".json") => {
            Some(MixedConfig::TypeScript)
        }
        _ if runner => Some(MixedConfig::Runner),
        _ => None,
    }
}

/// Where a file that is called `test` or `tests` holds tests, whatever its folder.
const WHOLE_TEST_ENDINGS: &[&str] = &["rs", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];

/// The file is code of tests.
pub(super) fn is_test_file(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let known = CODE_ENDINGS.contains(&ending);
    let in_folder = folders
        .split('/')
        .any(|folder| TEST_FOLDERS.contains(&folder.to_ascii_lowercase().as_str()));
    let python = ending == "py"
        && (stem.starts_with("test_") || matches!(stem, "test" | "tests" | "conftest"));
    // A script that is all of a small project's tests.
    let whole = WHOLE_TEST_ENDINGS.contains(&ending) && matches!(stem, "test" | "tests");
    let dotted = [".spec", ".test", ".cy", ".e2e-spec"]
        .iter()
        .any(|end| stem.ends_with(end));
    known
        && (in_folder
            || python
            || whole
            || dotted
            || TEST_ENDINGS.iter().any(|end| name.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_path() {
        for path in [
            "tests/it/a.rs",
            "src/tests.rs",
            "a/b_test.go",
            "test_a.py",
            "conftest.py",
            "ui/a.spec.ts",
            "test.mjs",
            "scripts/tests.ts",
            "ui/__tests__/a.jsx",
            "src/test/java/ATest.java",
            "spec/a_spec.rb",
            "ui/__tests__/a.tsx.snap",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in [
            "src/a.rs",
            "testing/a.go",
            "src/attest.py",
            "tests/README.md",
            "latest.ts",
            "test.go",
            "test.json",
        ] {
            assert!(!is_test_file(path), "{path}");
        }
    }

    #[test]
    fn what_guards_is_known_by_its_path() {
        for (path, expect) in [
            (".github/workflows/ci.yml", Some(GuardedConfig::Workflow)),
            (".forge.toml", Some(GuardedConfig::Workflow)),
            ("ci/Jenkinsfile", Some(GuardedConfig::Workflow)),
            (".eslintrc.cjs", Some(GuardedConfig::Linter)),
            ("ui/biome.json", Some(GuardedConfig::Linter)),
            (".golangci.yaml", Some(GuardedConfig::Linter)),
            (".coveragerc", Some(GuardedConfig::Coverage)),
            ("codecov.yml", Some(GuardedConfig::Coverage)),
            (
                "tsconfig.base.json",
                Some(GuardedConfig::Shared(MixedConfig::TypeScript)),
            ),
            (
                "vitest.config.mts",
                Some(GuardedConfig::Shared(MixedConfig::Runner)),
            ),
            ("src/workflows/a.rs", None),
            (".github/CODEOWNERS", None),
        ] {
            assert_eq!(guarded_config(path), expect, "{path}");
        }
    }
}

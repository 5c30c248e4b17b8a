//! Compares the settings of linters, type checkers, test runners and coverage in files that hold others too.

use super::brackets::Brackets;
use super::census::patterns;
use super::paths::Shared;
use super::text::{Language, Text};
use collie_engine::ports::Tamper;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Settings by name: what kind each is, and what it says.
type Settings = BTreeMap<String, (Tamper, String)>;

/// Tables of `[tool]` in `pyproject.toml`.
const PYTHON_TOOLS: &[&str] = &[
    "bandit",
    "basedpyright",
    "black",
    "flake8",
    "isort",
    "mypy",
    "nox",
    "pycodestyle",
    "pydocstyle",
    "pylint",
    "pyright",
    "pytest",
    "ruff",
    "tox",
    "ty",
];
/// Sections of `setup.cfg` and `tox.ini`, by how they begin.
const INI_SECTIONS: &[&str] = &[
    "flake8",
    "isort",
    "mypy",
    "pycodestyle",
    "pydocstyle",
    "pylint",
    "pytest",
    "testenv",
    "tool:pytest",
    "tox",
];
/// Keys of `package.json`.
const PACKAGE_KEYS: &[&str] = &[
    "ava",
    "eslintConfig",
    "eslintIgnore",
    "jest",
    "lint-staged",
    "mocha",
    "prettier",
    "stylelint",
    "vitest",
    "xo",
];
/// Options of TypeScript that make it look closer when they are true.
const STRICT: &[&str] = &[
    "allowUnreachableCode=false",
    "allowUnusedLabels=false",
    "alwaysStrict",
    "checkJs",
    "exactOptionalPropertyTypes",
    "forceConsistentCasingInFileNames",
    "isolatedModules",
    "noFallthroughCasesInSwitch",
    "noImplicitAny",
    "noImplicitOverride",
    "noImplicitReturns",
    "noImplicitThis",
    "noPropertyAccessFromIndexSignature",
    "noUncheckedIndexedAccess",
    "noUnusedLocals",
    "noUnusedParameters",
    "skipLibCheck=false",
    "strict",
    "strictBindCallApply",
    "strictBuiltinIteratorReturn",
    "strictFunctionTypes",
    "strictNullChecks",
    "strictPropertyInitialization",
    "useUnknownInCatchVariables",
];

/// Settings that may come, and not go or change.
const ADDED: &[&str] = &["scripts.", "test."];

patterns! {
    SCRIPT_KEY = r#"(?m)["']?\b(coverageThreshold|thresholds|coverage|collectCoverageFrom|coveragePathIgnorePatterns|testPathIgnorePatterns|testMatch|testRegex|testIgnore|testPathIgnore|exclude|include|passWithNoTests|allowOnly|forbidOnly|retries|grep|grepInvert|specPattern|excludeSpecPattern)\b["']?\s*:"#;
    SCRIPT_NAME = r"(?i)test|lint|check|type|cover|ci|verify|format|fmt|spec|validate|prepare|husky";
    OPTION = r#""(\w+)"\s*:\s*(true|false)"#;
    FILES = r#""(include|exclude|files)"\s*:\s*"#;
    BUILD = r"(?i)jacoco|kover|checkstyle|spotbugs|findbugs|\bpmd\b|detekt|ktlint|spotless|skip_?tests|maven\.test\.skip|surefire|failsafe|ignoreFailures|failOnViolation|allWarningsAsErrors|-Werror|-Xlint|useJUnit|<exclude>|\bfilter\b|\benabled\b";
    BUILD_COVERAGE = r"(?i)jacoco|kover";
}

/// Kinds of settings that are not the same after.
pub(super) fn changed(kind: Shared, before: &str, after: &str) -> BTreeSet<Tamper> {
    if kind == Shared::TypeScript {
        return looser(before, after)
            .then_some(Tamper::LinterSetting)
            .into_iter()
            .collect();
    }
    let (before, after) = (read(kind, before), read(kind, after));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names
        .into_iter()
        .filter(|name| {
            before.get(*name).map(|(_, text)| text) != after.get(*name).map(|(_, text)| text)
        })
        .filter(|name| {
            before.contains_key(*name) || !ADDED.iter().any(|start| name.starts_with(start))
        })
        .filter_map(|name| before.get(name).or_else(|| after.get(name)))
        .map(|(kind, _)| *kind)
        .collect()
}

fn read(kind: Shared, text: &str) -> Settings {
    match kind {
        Shared::Package => package(text),
        Shared::Pyproject => pyproject(text),
        Shared::Cargo => cargo(text),
        Shared::Ini => ini(text),
        Shared::Runner => runner(text),
        Shared::Build => build(text),
        Shared::TypeScript => Settings::new(),
    }
}

/// Collects settings under names.
fn keep(settings: &mut Settings, kind: Tamper, name: impl Into<String>, text: impl Into<String>) {
    settings.insert(name.into(), (kind, text.into()));
}

fn package(text: &str) -> Settings {
    let mut settings = Settings::new();
    let Ok(whole) = serde_json::from_str::<serde_json::Value>(text) else {
        return settings;
    };
    for key in PACKAGE_KEYS {
        if let Some(value) = whole.get(key) {
            keep(
                &mut settings,
                Tamper::LinterSetting,
                *key,
                value.to_string(),
            );
        }
    }
    for (key, value) in [
        ("nyc", whole.get("nyc")),
        ("c8", whole.get("c8")),
        (
            "coverageThreshold",
            whole.pointer("/jest/coverageThreshold"),
        ),
    ] {
        if let Some(value) = value {
            keep(
                &mut settings,
                Tamper::CoverageSetting,
                key,
                value.to_string(),
            );
        }
    }
    let scripts = whole.get("scripts").and_then(serde_json::Value::as_object);
    for (name, script) in scripts.into_iter().flatten() {
        if SCRIPT_NAME.is_match(name) {
            keep(
                &mut settings,
                Tamper::LinterSetting,
                format!("scripts.{name}"),
                script.to_string(),
            );
        }
    }
    settings
}

fn pyproject(text: &str) -> Settings {
    let mut settings = Settings::new();
    let whole: toml::Table = text.parse().unwrap_or_default();
    let tools = whole.get("tool").and_then(toml::Value::as_table);
    for (name, tool) in tools.into_iter().flatten() {
        if name == "coverage" {
            keep(
                &mut settings,
                Tamper::CoverageSetting,
                name,
                tool.to_string(),
            );
        } else if PYTHON_TOOLS.contains(&name.as_str()) {
            keep(&mut settings, Tamper::LinterSetting, name, tool.to_string());
        }
    }
    settings
}

fn cargo(text: &str) -> Settings {
    let mut settings = Settings::new();
    let whole: toml::Table = text.parse().unwrap_or_default();
    let lints = whole
        .get("workspace")
        .and_then(|workspace| workspace.get("lints"));
    let package = whole.get("package");
    for (name, value) in [
        ("lints", whole.get("lints")),
        ("workspace.lints", lints),
        (
            "autotests",
            package.and_then(|package| package.get("autotests")),
        ),
        ("lib.test", whole.get("lib").and_then(|lib| lib.get("test"))),
        (
            "lib.doctest",
            whole.get("lib").and_then(|lib| lib.get("doctest")),
        ),
    ] {
        if let Some(value) = value {
            keep(
                &mut settings,
                Tamper::LinterSetting,
                name,
                value.to_string(),
            );
        }
    }
    let targets = whole.get("test").and_then(toml::Value::as_array);
    for target in targets.into_iter().flatten() {
        let name = target
            .get("name")
            .and_then(toml::Value::as_str)
            .unwrap_or_default();
        keep(
            &mut settings,
            Tamper::LinterSetting,
            format!("test.{name}"),
            target.to_string(),
        );
    }
    settings
}

fn ini(text: &str) -> Settings {
    let mut settings = Settings::new();
    let mut section: Option<(Tamper, String)> = None;
    let told = Text::new(Language::Hash, text).without_notes();
    for line in told
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
    {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = if name.starts_with("coverage") {
                Some((Tamper::CoverageSetting, name.to_string()))
            } else {
                let known = INI_SECTIONS.iter().any(|start| name.starts_with(start));
                known.then(|| (Tamper::LinterSetting, name.to_string()))
            };
        }
        if let Some((kind, name)) = &section {
            let entry = settings
                .entry(name.clone())
                .or_insert((*kind, String::new()));
            entry.1.push_str(line);
            entry.1.push('\n');
        }
    }
    settings
}

/// Settings of test runners that are written as code: what is behind the keys that matter.
fn runner(text: &str) -> Settings {
    let mut settings = Settings::new();
    let parts = Text::new(Language::Script, text);
    let (code, told) = (parts.code(), parts.without_notes());
    let brackets = Brackets::new(&code);
    for (count, found) in SCRIPT_KEY.captures_iter(&told).enumerate() {
        let Some(all) = found.get(0) else { continue };
        let end = brackets
            .next(all.end(), b",;\n")
            .unwrap_or_else(|| brackets.statement_end(all.end()));
        let value: String = told
            .get(all.end()..end)
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let key = &found[1];
        let kind = if key.to_lowercase().contains("coverage") || key == "thresholds" {
            Tamper::CoverageSetting
        } else {
            Tamper::LinterSetting
        };
        keep(&mut settings, kind, format!("{key} {count}"), value);
    }
    settings
}

/// Lines of a build file that speak of what checks it.
fn build(text: &str) -> Settings {
    let told = match text.trim_start().starts_with('<') {
        true => text.to_string(),
        false => Text::new(Language::Jvm, text).without_notes(),
    };
    let mut settings = Settings::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in told.lines().filter(|line| BUILD.is_match(line)) {
        let line: String = line.split_whitespace().collect();
        let count = seen.entry(line.clone()).or_default();
        *count += 1;
        let kind = if BUILD_COVERAGE.is_match(&line) {
            Tamper::CoverageSetting
        } else {
            Tamper::LinterSetting
        };
        keep(&mut settings, kind, format!("{line} {count}"), "");
    }
    settings
}

/// TypeScript looks less close, or at other files. Being stricter is no tampering.
fn looser(before: &str, after: &str) -> bool {
    let told = |text: &str| Text::new(Language::Script, text).without_notes();
    let (before, after) = (told(before), told(after));
    let options = |text: &str| -> BTreeMap<String, bool> {
        OPTION
            .captures_iter(text)
            .map(|found| (found[1].to_string(), &found[2] == "true"))
            .collect()
    };
    let (old, new) = (options(&before), options(&after));
    let loosened = STRICT.iter().any(|option| {
        let (name, strict) = match option.split_once('=') {
            Some((name, _)) => (name, false),
            None => (*option, true),
        };
        let (was, is) = (old.get(name), new.get(name));
        was != is && (was == Some(&strict) || is == Some(&!strict))
    });
    loosened || files(&before) != files(&after)
}

fn files(text: &str) -> Vec<String> {
    let brackets = Brackets::new(text);
    let mut found: Vec<String> = FILES
        .find_iter(text)
        .map(|key| {
            let end = brackets.statement_end(key.end());
            let value = text.get(key.start()..end).unwrap_or_default();
            value.trim_end_matches(',').split_whitespace().collect()
        })
        .collect();
    found.sort();
    found
}

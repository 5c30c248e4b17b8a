//! Compares the settings of linters, type checkers, test runners and coverage in files that hold others too.

use super::brackets::Brackets;
use super::path_rules::MixedConfig;
use super::patterns::patterns;
use super::source_text::{SourceLanguage, SourceText};
use collie_engine::ports::Tamper;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Settings by name: what kind each is, and what it says.
type SettingsByName = BTreeMap<String, (Tamper, String)>;

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
const STRICT_OPTIONS: &[&str] = &[
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
pub(super) fn changed_settings(kind: MixedConfig, before: &str, after: &str) -> BTreeSet<Tamper> {
    if kind == MixedConfig::TypeScript {
        return is_less_strict(before, after)
            .then_some(Tamper::LinterSetting)
            .into_iter()
            .collect();
    }
    let (before, after) = (read_settings(kind, before), read_settings(kind, after));
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

fn read_settings(kind: MixedConfig, text: &str) -> SettingsByName {
    match kind {
        MixedConfig::Package => package_json_settings(text),
        MixedConfig::Pyproject => pyproject_settings(text),
        MixedConfig::Cargo => cargo_settings(text),
        MixedConfig::Ini => ini_settings(text),
        MixedConfig::Runner => runner_settings(text),
        MixedConfig::Build => build_file_settings(text),
        MixedConfig::TypeScript => SettingsByName::new(),
    }
}

/// Collects settings under names.
fn insert_setting(
    settings: &mut SettingsByName,
    kind: Tamper,
    name: impl Into<String>,
    text: impl Into<String>,
) {
    settings.insert(name.into(), (kind, text.into()));
}

fn package_json_settings(text: &str) -> SettingsByName {
    let mut settings = SettingsByName::new();
    let Ok(whole) = serde_json::from_str::<serde_json::Value>(text) else {
        return settings;
    };
    for key in PACKAGE_KEYS {
        if let Some(value) = whole.get(key) {
            insert_setting(
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
            insert_setting(
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
            insert_setting(
                &mut settings,
                Tamper::LinterSetting,
                format!("scripts.{name}"),
                script.to_string(),
            );
        }
    }
    settings
}

fn pyproject_settings(text: &str) -> SettingsByName {
    let mut settings = SettingsByName::new();
    let document: toml::Table = text.parse().unwrap_or_default();
    let tools = document.get("tool").and_then(toml::Value::as_table);
    for (name, tool) in tools.into_iter().flatten() {
        if name == "coverage" {
            insert_setting(
                &mut settings,
                Tamper::CoverageSetting,
                name,
                tool.to_string(),
            );
        } else if PYTHON_TOOLS.contains(&name.as_str()) {
            insert_setting(&mut settings, Tamper::LinterSetting, name, tool.to_string());
        }
    }
    settings
}

fn cargo_settings(text: &str) -> SettingsByName {
    let mut settings = SettingsByName::new();
    let document: toml::Table = text.parse().unwrap_or_default();
    let lints = document
        .get("workspace")
        .and_then(|workspace| workspace.get("lints"));
    let package = document.get("package");
    for (name, value) in [
        ("lints", document.get("lints")),
        ("workspace.lints", lints),
        (
            "autotests",
            package.and_then(|package| package.get("autotests")),
        ),
        (
            "lib.test",
            document.get("lib").and_then(|lib| lib.get("test")),
        ),
        (
            "lib.doctest",
            document.get("lib").and_then(|lib| lib.get("doctest")),
        ),
    ] {
        if let Some(value) = value {
            insert_setting(
                &mut settings,
                Tamper::LinterSetting,
                name,
                value.to_string(),
            );
        }
    }
    let targets = document.get("test").and_then(toml::Value::as_array);
    for target in targets.into_iter().flatten() {
        let name = target
            .get("name")
            .and_then(toml::Value::as_str)
            .unwrap_or_default();
        insert_setting(
            &mut settings,
            Tamper::LinterSetting,
            format!("test.{name}"),
            target.to_string(),
        );
    }
    settings
}

fn ini_settings(text: &str) -> SettingsByName {
    let mut settings = SettingsByName::new();
    let mut section: Option<(Tamper, String)> = None;
    let without_comments = SourceText::new(SourceLanguage::HashComments, text).without_comments();
    for line in without_comments
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
fn runner_settings(text: &str) -> SettingsByName {
    let mut settings = SettingsByName::new();
    let source = SourceText::new(SourceLanguage::JavaScript, text);
    let (code, code_and_strings) = (source.code(), source.without_comments());
    let brackets = Brackets::new(&code);
    for (count, found) in SCRIPT_KEY.captures_iter(&code_and_strings).enumerate() {
        let Some(all) = found.get(0) else { continue };
        let end = brackets
            .next_of(all.end(), b",;\n")
            .unwrap_or_else(|| brackets.statement_end(all.end()));
        let value: String = code_and_strings
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
        insert_setting(&mut settings, kind, format!("{key} {count}"), value);
    }
    settings
}

/// Lines of a build file that speak of what checks it.
fn build_file_settings(text: &str) -> SettingsByName {
    let without_comments = match text.trim_start().starts_with('<') {
        true => text.to_string(),
        false => SourceText::new(SourceLanguage::Jvm, text).without_comments(),
    };
    let mut settings = SettingsByName::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in without_comments.lines().filter(|line| BUILD.is_match(line)) {
        let line: String = line.split_whitespace().collect();
        let count = seen.entry(line.clone()).or_default();
        *count += 1;
        let kind = if BUILD_COVERAGE.is_match(&line) {
            Tamper::CoverageSetting
        } else {
            Tamper::LinterSetting
        };
        insert_setting(&mut settings, kind, format!("{line} {count}"), "");
    }
    settings
}

/// TypeScript looks less close, or at other files. Being stricter is no tampering.
fn is_less_strict(before: &str, after: &str) -> bool {
    let without_comments =
        |text: &str| SourceText::new(SourceLanguage::JavaScript, text).without_comments();
    let (before, after) = (without_comments(before), without_comments(after));
    let options = |text: &str| -> BTreeMap<String, bool> {
        OPTION
            .captures_iter(text)
            .map(|found| (found[1].to_string(), &found[2] == "true"))
            .collect()
    };
    let (old, new) = (options(&before), options(&after));
    let loosened = STRICT_OPTIONS.iter().any(|option| {
        let (name, strict) = match option.split_once('=') {
            Some((name, _)) => (name, false),
            None => (*option, true),
        };
        let (was, is) = (old.get(name), new.get(name));
        was != is && (was == Some(&strict) || is == Some(&!strict))
    });
    loosened || file_lists(&before) != file_lists(&after)
}

fn file_lists(text: &str) -> Vec<String> {
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

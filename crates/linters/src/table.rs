//! The table of known linters.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Severity};

/// One linter that Collie knows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Linter {
    /// What people call it.
    pub name: String,
    /// The program to run.
    pub program: String,
    /// How its output is read.
    pub format: Format,
    /// What it is called with.
    pub scope: Scope,
    /// Whether a repository's own packages, of npm or PyPI, may bring it.
    #[serde(default)]
    pub in_packages: bool,
    /// The files that configure it.
    #[serde(default)]
    pub(crate) configs: Vec<String>,
    /// The files that configure it if they have a key.
    #[serde(default)]
    pub(crate) keys: Vec<ConfigKey>,
    /// Whether a configuration in a folder counts for the files below it.
    #[serde(default)]
    pub(crate) nested: bool,
    /// The files of which one must exist, if any are named.
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    /// The files that it looks at.
    pub(crate) files: Vec<String>,
    /// What it is called with before the files.
    pub(crate) args: Vec<String>,
    /// The argument that names a configuration, if it does not find them by itself.
    #[serde(default)]
    pub(crate) config_flag: Option<String>,
    /// A folder that is named instead of the configurations in it.
    #[serde(default)]
    pub(crate) config_folder: Option<String>,
    /// What a linter of a whole project is called with.
    #[serde(default)]
    pub(crate) targets: Targets,
    /// The variables of its environment.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// The exit codes with which it ran.
    pub(crate) exit_codes: Vec<i32>,
    /// Rules of which it calls everything an error though they are about style, each by its name, or by its name and the beginning of
    /// its messages: `staticcheck:ST`.
    #[serde(default)]
    pub(crate) style: Vec<String>,
}

impl Linter {
    /// How bad what it found is: what is about style is no error.
    #[must_use]
    pub fn severity_of(&self, found: &Diagnostic) -> Severity {
        let says = |start: &str| {
            let rest = found.message.strip_prefix(start).unwrap_or_default();
            rest.starts_with(|c: char| c.is_ascii_digit())
        };
        let is_style = |name: &String| match name.split_once(':') {
            Some((code, start)) => found.code.as_deref() == Some(code) && says(start),
            None => found.code.as_ref() == Some(name),
        };
        match found.severity {
            Severity::Error if self.style.iter().any(is_style) => Severity::Warning,
            severity => severity,
        }
    }
}

/// The form of a linter's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// SARIF 2.1.0.
    Sarif,
    /// The JSON of ruff.
    Ruff,
    /// The JSON of ESLint.
    Eslint,
    /// The JSON lines of cargo.
    Cargo,
    /// The JSON of ShellCheck, `json1`.
    Shellcheck,
    /// The JSON of actionlint.
    Actionlint,
    /// The workflow commands of GitHub Actions: `::error file=…,line=…::…`.
    Github,
}

/// What a linter is called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// With the changed files.
    Files,
    /// Once for the whole project, or for the folders of the changed files.
    Project,
}

/// A key of a file that configures a linter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfigKey {
    /// The file's name.
    pub(crate) file: String,
    /// The key, its parts separated by dots.
    pub(crate) key: String,
}

/// What a linter of a whole project is called with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Targets {
    /// With nothing.
    #[default]
    None,
    /// With the folders of the changed files.
    Folders,
}

/// The whole table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// Files that select no linter, but are part of what one is told.
    pub(crate) related: Vec<String>,
    /// The linters.
    pub(crate) linter: Vec<Linter>,
}

const TABLE: &str = include_str!("../table.toml");

/// The table that is part of the program. A test holds that it parses.
pub(crate) static KNOWN: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(TABLE).unwrap_or_default());

/// All known linters, in the order of the table.
#[must_use]
pub fn known_linters() -> &'static [Linter] {
    &KNOWN.linter
}

/// The patterns as a set. A pattern that is none matches nothing; a test holds that the table has
/// no such pattern.
pub(crate) fn glob_set<'a>(patterns: impl IntoIterator<Item = &'a str>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    let globs = patterns.into_iter().filter_map(|pattern| {
        GlobBuilder::new(pattern)
            .literal_separator(true)
            .case_insensitive(true)
            .build()
            .ok()
    });
    for glob in globs {
        set.add(glob);
    }
    set.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_parses() {
        let table: Table = toml::from_str(TABLE).unwrap();
        let names: Vec<&str> = table.linter.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "ruff",
                "eslint",
                "biome",
                "oxlint",
                "clippy",
                "golangci-lint",
                "semgrep",
                "shellcheck",
                "actionlint"
            ]
        );
        assert_eq!(known_linters(), table.linter);
    }

    fn severity(linter: &str, code: &str, message: &str, severity: Severity) -> Severity {
        let mut all = known_linters().iter();
        let linter = all.find(|one| one.name == linter).unwrap();
        linter.severity_of(&Diagnostic {
            path: "a.go".into(),
            line: 1,
            end_line: 1,
            code: Some(code.into()),
            message: message.into(),
            severity,
            url: None,
            fix: None,
        })
    }

    #[test]
    fn golangci_lints_linters_for_style_find_no_errors() {
        use Severity::{Error, Note, Warning};
        for (code, message, expected) in [
            ("gofmt", "File is not properly formatted", Warning),
            ("revive", "exported: comment on T", Warning),
            ("errcheck", "Error return value is not checked", Error),
            ("govet", "self-assignment of x to x", Error),
            ("unused", "func f is unused", Error),
            // Since its second version it says what gosimple and stylecheck said before.
            ("staticcheck", "ST1003: should not use underscores", Warning),
            (
                "staticcheck",
                "QF1001: could apply De Morgan's law",
                Warning,
            ),
            ("staticcheck", "S1021: should merge declaration", Warning),
            ("staticcheck", "SA5001: should check error first", Error),
            ("staticcheck", "SAFE", Error),
            ("gofmt2", "of somebody else", Error),
        ] {
            let given = severity("golangci-lint", code, message, Error);
            assert_eq!(given, expected, "{code} {message}");
        }
        assert_eq!(severity("golangci-lint", "gofmt", "", Note), Note);
        assert_eq!(severity("eslint", "gofmt", "", Error), Error);
    }

    #[test]
    fn every_pattern_of_the_table_is_one() {
        for linter in known_linters() {
            let patterns: Vec<&String> = linter.configs.iter().chain(&linter.files).collect();
            let set = glob_set(patterns.iter().map(|pattern| pattern.as_str()));
            assert_eq!(set.len(), patterns.len(), "{}", linter.name);
            assert!(!linter.exit_codes.is_empty() && !linter.files.is_empty());
            assert!(!linter.configs.is_empty(), "{}", linter.name);
        }
    }
}

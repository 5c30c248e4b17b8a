//! The parts of a rule's YAML that ast-grep does not know: priority, category, further languages.

use std::ops::RangeInclusive;

use ast_grep_language::SupportLang;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::rule_error::{RuleError, nearest_word};
use crate::rule_match::{Priority, RuleMatch};

/// The keys of a rule that say how its matches are reported.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RuleHeader {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) note: Option<String>,
    #[serde(default)]
    pub(crate) severity: Option<String>,
    #[serde(default)]
    pub(crate) metadata: RuleMetadata,
    #[serde(default)]
    pub(crate) rule: Option<IgnoredAny>,
    #[serde(default)]
    pub(crate) files: Vec<String>,
    #[serde(default)]
    pub(crate) ignores: Vec<String>,
}

/// What Collie reads from a rule's `metadata`.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct RuleMetadata {
    #[serde(default)]
    pub(crate) priority: Option<Priority>,
    #[serde(default)]
    pub(crate) category: Option<String>,
    /// Languages, besides the rule's own, that it holds for as well.
    #[serde(default)]
    pub(crate) languages: Vec<SupportLang>,
    #[serde(default)]
    pub(crate) tests: TestScope,
    /// What other linters call the same: who silences one of these in a comment or attribute silences the rule too.
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
}

/// All that a document may say that gives a rule of another file its weight.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeightDocument {
    #[serde(rename = "id")]
    _id: String,
    #[serde(rename = "severity", default)]
    _severity: Option<String>,
    #[serde(rename = "metadata", default)]
    _metadata: Option<WeightMetadata>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightMetadata {
    #[serde(rename = "priority")]
    _priority: Priority,
}

/// Whether a rule looks at test files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TestScope {
    /// At tests as at the rest.
    #[default]
    Include,
    /// Not at tests.
    Skip,
    /// Only at tests.
    Only,
}

impl TestScope {
    pub(crate) fn includes(self, is_test: bool) -> bool {
        match self {
            TestScope::Include => true,
            TestScope::Skip => !is_test,
            TestScope::Only => is_test,
        }
    }
}

impl RuleHeader {
    pub(crate) fn is_off(&self) -> bool {
        self.severity.as_deref() == Some("off")
    }

    /// Whether it says nothing but how much a rule of another file weighs.
    pub(crate) fn is_weight_alone(&self) -> bool {
        let weighs = self.severity.is_some() || self.metadata.priority.is_some();
        weighs && self.rule.is_none() && self.message.trim().is_empty()
    }

    /// An error where the severity is no word of ast-grep's.
    pub(crate) fn check_severity(&self) -> Result<(), RuleProblem> {
        const SEVERITIES: [&str; 5] = ["error", "warning", "info", "hint", "off"];
        match self.severity.as_deref() {
            Some(word) if !SEVERITIES.contains(&word) => Err(RuleProblem {
                nearest: nearest_word(word, SEVERITIES),
                ..RuleProblem::new(format!("unknown severity `{word}`"))
            }),
            _ => Ok(()),
        }
    }

    /// Takes the weight of another header.
    pub(crate) fn set_weight(&mut self, weight: &RuleHeader) {
        self.severity.clone_from(&weight.severity);
        self.metadata.priority = weight.metadata.priority;
    }

    /// The priority: the one named, else what ast-grep's severity stands for.
    pub(crate) fn priority(&self) -> Priority {
        self.metadata
            .priority
            .unwrap_or(match self.severity.as_deref() {
                Some("error") => Priority::P1,
                Some("warning") => Priority::P2,
                _ => Priority::P3,
            })
    }

    /// A match of this rule on these lines, with nothing quoted and nothing suggested.
    pub(crate) fn match_at(
        &self,
        path: &str,
        lines: RangeInclusive<usize>,
        column: usize,
    ) -> RuleMatch {
        RuleMatch {
            rule_id: self.id.clone(),
            priority: self.priority(),
            category: self.category(),
            path: path.to_owned(),
            line: *lines.start(),
            end_line: *lines.end(),
            column,
            title: self.message.clone(),
            description: self
                .note
                .as_deref()
                .unwrap_or_default()
                .trim_end()
                .to_owned(),
            suggestion: None,
            evidence: String::new(),
            fix: None,
        }
    }

    pub(crate) fn category(&self) -> String {
        self.metadata
            .category
            .clone()
            .unwrap_or_else(|| "maintainability".to_owned())
    }
}

/// Why a document of a rule file could not be read.
#[derive(Debug)]
pub(crate) struct RuleProblem {
    /// The line within the document, from 1.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) nearest: Option<String>,
}

impl RuleProblem {
    /// On a line of the text: what is missing at its end is told of its last line.
    pub(crate) fn within(mut self, yaml: &str) -> Self {
        let last = yaml.lines().count().max(1);
        self.line = self.line.map(|line| line.min(last));
        self
    }

    /// With the file that it is in; `lines_before` stand there before the document.
    pub(crate) fn in_file(self, path: &str, lines_before: usize, id: Option<&str>) -> RuleError {
        RuleError {
            path: path.to_owned(),
            line: self.line.map(|line| line + lines_before),
            rule_id: id.map(str::to_owned),
            problem: self.message,
            nearest: self.nearest,
        }
    }

    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            line: None,
            message: text.into(),
            nearest: None,
        }
    }
}

/// Reads a YAML document with ast-grep's own YAML dialect.
pub(crate) fn read_yaml<'de, T: Deserialize<'de>>(yaml: &'de str) -> Result<T, RuleProblem> {
    ast_grep_config::from_str(yaml).map_err(|error| {
        let line = error.location().map(|location| location.line() as usize);
        let text = error.without_snippet().to_string();
        let nearest = nearest_key(&text);
        RuleProblem {
            line,
            message: text,
            nearest,
        }
    })
}

/// The valid key nearest to an unknown one, read from serde's words for it:
/// "unknown field `a`, expected one of b, c".
fn nearest_key(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("unknown field `")?;
    let (unknown, expected) = rest.split_once('`')?;
    let known_keys = expected
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !matches!(*word, "" | "expected" | "one" | "of" | "or"));
    nearest_word(unknown, known_keys)
}

/// Splits a file into its YAML documents, each with the number of lines before it.
pub(crate) fn split_documents(yaml: &str) -> Vec<(usize, String)> {
    let mut found = vec![(0, String::new())];
    for (at, line) in yaml.lines().enumerate() {
        if line.trim_end() == "---" {
            found.push((at + 1, String::new()));
        } else if let Some((_, text)) = found.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    found.retain(|(_, text)| {
        text.lines()
            .any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    });
    found
}

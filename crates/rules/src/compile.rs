//! A structural rule made ready to match.

use std::error::Error;
use std::sync::Arc;

use ast_grep_config::{GlobalRules, RuleConfig, SerializableRuleConfig};
use ast_grep_language::SupportLang;
use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::rule_file::{RuleHeader, RuleProblem, read_yaml};

/// A rule for one language.
pub(crate) struct StructuralRule {
    pub(crate) header: Arc<RuleHeader>,
    pub(crate) language: SupportLang,
    pub(crate) config: RuleConfig<SupportLang>,
    files: Option<GlobSet>,
    ignores: GlobSet,
}

impl StructuralRule {
    /// Says whether the rule looks at this file.
    pub(crate) fn applies_to(&self, path: &str, is_test: bool) -> bool {
        // A rule for tests only may yet find one inside a Rust file.
        (is_test
            || self.language == SupportLang::Rust
            || self.header.metadata.tests.includes(false))
            && (!is_test || self.header.metadata.tests.includes(true))
            && !self.ignores.is_match(path)
            && self.files.as_ref().is_none_or(|files| files.is_match(path))
    }

    /// The same rule with another header.
    pub(crate) fn with_header(&self, header: &Arc<RuleHeader>) -> Result<Self, RuleProblem> {
        compile_source(header, SerializableRuleConfig::clone(&self.config))
    }
}

/// Compiles one YAML document for each language that it names.
pub(crate) fn compile_rule(
    header: &Arc<RuleHeader>,
    yaml: &str,
) -> Result<Vec<StructuralRule>, RuleProblem> {
    let source: SerializableRuleConfig<SupportLang> = read_yaml(yaml)?;
    let mut languages = vec![source.language];
    for language in &header.metadata.languages {
        if !languages.contains(language) {
            languages.push(*language);
        }
    }
    languages
        .into_iter()
        .map(|language| {
            let mut source = source.clone();
            source.language = language;
            compile_source(header, source)
        })
        .collect()
}

/// Compiles a rule for the language that its source names.
fn compile_source(
    header: &Arc<RuleHeader>,
    source: SerializableRuleConfig<SupportLang>,
) -> Result<StructuralRule, RuleProblem> {
    let language = source.language;
    let config = RuleConfig::try_from(source, &GlobalRules::default())
        .map_err(|error| RuleProblem::new(format!("in {language}: {}", error_chain(&error))))?;
    Ok(StructuralRule {
        header: Arc::clone(header),
        language,
        config,
        files: match header.files.as_slice() {
            [] => None,
            globs => Some(glob_set(globs)?),
        },
        ignores: glob_set(&header.ignores)?,
    })
}

/// A set of globs, as rules name files with them.
pub(crate) fn glob_set(globs: &[String]) -> Result<GlobSet, RuleProblem> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob).map_err(|error| RuleProblem::new(error.to_string()))?);
    }
    set.build()
        .map_err(|error| RuleProblem::new(error.to_string()))
}

/// An error with all its causes, each told once.
fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let cause_text = inner.to_string();
        if !text.contains(&cause_text) {
            text = format!(
                "{} {cause_text}",
                text.trim_end_matches('.').to_owned() + ":"
            );
        }
        cause = inner.source();
    }
    text
}

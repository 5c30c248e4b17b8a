//! A structural rule made ready to match.

use std::error::Error;
use std::sync::{Arc, OnceLock};

use ast_grep_config::{GlobalRules, RuleConfig, SerializableRuleConfig};
use ast_grep_core::matcher::MatcherExt;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{Node, NodeMatch};
use ast_grep_language::SupportLang;
use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::rule_file::{RuleHeader, RuleProblem, read_yaml};

/// A rule for one language. Its pattern is compiled when a file of that language first asks for it: the tables of a language are
/// megabytes, and a change has one or two.
pub(crate) struct StructuralRule {
    pub(crate) header: Arc<RuleHeader>,
    pub(crate) language: SupportLang,
    source: SerializableRuleConfig<SupportLang>,
    compiled: OnceLock<Option<RuleConfig<SupportLang>>>,
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

    /// What it matches by; none where it does not compile, of which [`StructuralRule::check`] says why.
    pub(crate) fn config(&self) -> Option<&RuleConfig<SupportLang>> {
        let compile = || {
            let compiled = self.compile();
            debug_assert!(compiled.is_ok(), "{} does not compile", self.header.id);
            compiled.ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// What of a node it matches, with what it matches by.
    pub(crate) fn match_node<'t>(
        &self,
        node: &Node<'t, StrDoc<SupportLang>>,
    ) -> Option<(&RuleConfig<SupportLang>, NodeMatch<'t, StrDoc<SupportLang>>)> {
        let config = self.config()?;
        Some((config, config.matcher.match_node(node.clone())?))
    }

    /// Whether it replaces what it matches.
    pub(crate) fn has_fix(&self) -> bool {
        self.source.fix.is_some()
    }

    /// Whether somebody has asked for it yet.
    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// Compiles it at once.
    pub(crate) fn check(&self) -> Result<(), RuleProblem> {
        let compiled = self.compile()?;
        // Somebody else may have been first, with the same.
        let _ = self.compiled.set(Some(compiled));
        Ok(())
    }

    fn compile(&self) -> Result<RuleConfig<SupportLang>, RuleProblem> {
        RuleConfig::try_from(self.source.clone(), &GlobalRules::default()).map_err(|error| {
            RuleProblem::new(format!("in {}: {}", self.language, error_chain(&error)))
        })
    }

    /// The same rule with another header.
    pub(crate) fn with_header(&self, header: &Arc<RuleHeader>) -> Result<Self, RuleProblem> {
        read_source(header, self.source.clone())
    }
}

/// Reads one YAML document, as a rule for each language that it names.
pub(crate) fn read_rule(
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
            read_source(header, source)
        })
        .collect()
}

/// A rule for the language that its source names, not compiled yet.
fn read_source(
    header: &Arc<RuleHeader>,
    source: SerializableRuleConfig<SupportLang>,
) -> Result<StructuralRule, RuleProblem> {
    Ok(StructuralRule {
        header: Arc::clone(header),
        language: source.language,
        source,
        compiled: OnceLock::new(),
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

//! A structural rule made ready to match.

use std::error::Error;
use std::sync::Arc;

use ast_grep_config::{GlobalRules, RuleConfig, SerializableRuleConfig};
use ast_grep_language::SupportLang;
use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::rule_file::{Head, Problem, read};

/// A rule for one language.
pub(crate) struct StructuralRule {
    pub(crate) head: Arc<Head>,
    pub(crate) language: SupportLang,
    pub(crate) config: RuleConfig<SupportLang>,
    files: Option<GlobSet>,
    ignores: GlobSet,
}

impl StructuralRule {
    /// Says whether the rule looks at this file.
    pub(crate) fn admits(&self, path: &str, is_test: bool) -> bool {
        // A rule for tests only may yet find one inside a Rust file.
        (is_test || self.language == SupportLang::Rust || self.head.metadata.tests.admits(false))
            && (!is_test || self.head.metadata.tests.admits(true))
            && !self.ignores.is_match(path)
            && self.files.as_ref().is_none_or(|files| files.is_match(path))
    }
}

/// Compiles one YAML document for each language that it names.
pub(crate) fn compile(head: &Arc<Head>, yaml: &str) -> Result<Vec<StructuralRule>, Problem> {
    let source: SerializableRuleConfig<SupportLang> = read(yaml)?;
    let mut languages = vec![source.language];
    for language in &head.metadata.languages {
        if !languages.contains(language) {
            languages.push(*language);
        }
    }
    languages
        .into_iter()
        .map(|language| {
            let mut source = source.clone();
            source.language = language;
            let config = RuleConfig::try_from(source, &GlobalRules::default())
                .map_err(|error| Problem::new(format!("in {language}: {}", chain(&error))))?;
            Ok(StructuralRule {
                head: Arc::clone(head),
                language,
                config,
                files: match head.files.as_slice() {
                    [] => None,
                    globs => Some(glob_set(globs)?),
                },
                ignores: glob_set(&head.ignores)?,
            })
        })
        .collect()
}

fn glob_set(globs: &[String]) -> Result<GlobSet, Problem> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob).map_err(|error| Problem::new(error.to_string()))?);
    }
    set.build().map_err(|error| Problem::new(error.to_string()))
}

/// An error with all its causes, each told once.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text = format!("{} {words}", text.trim_end_matches('.').to_owned() + ":");
        }
        cause = inner.source();
    }
    text
}

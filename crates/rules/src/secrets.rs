//! Secrets in plain text, by the one table of `core`: tokens that a provider's own form gives away, private keys, and values beside a name.

use collie_core::text::{FoundSecret, SecretForm, find_secrets, is_placeholder, secret_forms};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::file_origin;
use crate::lines::{LineIndex, quote_lines};
use crate::rule_error::nearest_word;
use crate::rule_file::{RuleHeader, RuleProblem, read_yaml};
use crate::rule_match::{RuleMatch, ScanInput};

/// What is said of some forms of secrets.
pub(crate) struct SecretRule {
    pub(crate) header: RuleHeader,
    /// The ids of the forms.
    forms: BTreeSet<&'static str>,
    /// The forms that no other rule names.
    rest: Option<RestOfForms>,
    /// What near the match says that it is no secret.
    unless: Option<Regex>,
}

/// How far around a match `unless` looks, in bytes.
const CONTEXT_BYTES: usize = 400;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SecretKeys {
    #[serde(default)]
    forms: Vec<String>,
    #[serde(default)]
    rest: Option<RestOfForms>,
    #[serde(default)]
    unless: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RestOfForms {
    /// Those whose value says by itself what it is.
    Tokens,
    /// Those whose value is a secret by the name beside it.
    Named,
}

impl RestOfForms {
    fn includes(self, form: &SecretForm) -> bool {
        form.tells_itself() == matches!(self, RestOfForms::Tokens)
    }
}

impl SecretRule {
    pub(crate) fn read(header: RuleHeader, yaml: &str) -> Result<Self, RuleProblem> {
        let keys: SecretKeys = read_yaml(yaml)?;
        let forms = keys.forms.iter().map(|id| form_id(id));
        Ok(Self {
            header,
            forms: forms.collect::<Result<_, _>>()?,
            rest: keys.rest,
            unless: keys.unless.as_deref().map(compile_regex).transpose()?,
        })
    }
}

fn form_id(id: &str) -> Result<&'static str, RuleProblem> {
    let mut known = secret_forms().map(|form| form.id);
    known.find(|known| *known == id).ok_or_else(|| {
        let mut problem = RuleProblem::new(format!("there is no form of secrets `{id}`"));
        problem.nearest = nearest_word(id, secret_forms().map(|form| form.id));
        problem
    })
}

/// Gives the rules for the rest what no other names.
pub(crate) fn assign_rest(rules: &mut [Arc<SecretRule>]) {
    let named: BTreeSet<&str> = rules
        .iter()
        .flat_map(|rule| rule.forms.iter().copied())
        .collect();
    for rule in rules.iter_mut().filter_map(Arc::get_mut) {
        if let Some(rest) = rule.rest {
            let others = secret_forms().filter(|form| rest.includes(form));
            let ids = others.map(|form| form.id);
            rule.forms.extend(ids.filter(|id| !named.contains(id)));
        }
    }
}

fn compile_regex(regex: &str) -> Result<Regex, RuleProblem> {
    RegexBuilder::new(regex)
        .unicode(false)
        .build()
        .map_err(|error| RuleProblem::new(error.to_string()))
}

/// Finds secrets on changed lines.
pub(crate) fn scan_secrets(
    rules: &[Arc<SecretRule>],
    file: &ScanInput<'_>,
    index: &LineIndex,
) -> Vec<RuleMatch> {
    let is_test = file_origin::is_test_file(file.path) || file.generated;
    let rule_of = |secret: &FoundSecret| {
        rules
            .iter()
            .filter(|rule| rule.header.metadata.tests.includes(is_test))
            .find(|rule| rule.forms.contains(secret.form.id))
    };
    find_secrets(file.content)
        .iter()
        .filter_map(|secret| match_of_secret(rule_of(secret)?, file, index, secret))
        .collect()
}

fn match_of_secret(
    rule: &SecretRule,
    file: &ScanInput<'_>,
    index: &LineIndex,
    secret: &FoundSecret,
) -> Option<RuleMatch> {
    let whole = secret.begin..secret.range.end;
    let line = index.line_of(whole.start);
    let end_line = index.last_line_of(&whole);
    if !file.changed_lines.overlaps(line, end_line) {
        return None;
    }
    if is_placeholder(&file.content[secret.range.clone()]) {
        return None;
    }
    let nearby = whole.start.saturating_sub(CONTEXT_BYTES)
        ..(whole.end + CONTEXT_BYTES).min(file.content.len());
    if rule
        .unless
        .as_ref()
        .is_some_and(|unless| unless.is_match(&file.content[nearby]))
    {
        return None;
    }
    Some(RuleMatch {
        rule_id: rule.header.id.clone(),
        priority: rule.header.priority(),
        category: rule.header.category(),
        path: file.path.to_owned(),
        line,
        end_line,
        column: index.column_of(whole.start),
        title: rule.header.message.clone(),
        description: rule
            .header
            .note
            .clone()
            .unwrap_or_default()
            .trim_end()
            .to_owned(),
        suggestion: None,
        evidence: quote_lines(file.content, index, line, end_line),
        fix: None,
    })
}

//! The shipped rules, and those of a repository on top.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use ast_grep_core::Matcher;
use ast_grep_language::SupportLang;
use rust_embed::RustEmbed;

use crate::aliases::RuleAliases;
use crate::compile::{StructuralRule, read_rule};
use crate::rule_error::{RuleError, nearest_word};
use crate::rule_file::{RuleHeader, RuleProblem, WeightDocument, read_yaml, split_documents};
use crate::rule_match::Priority;
use crate::secrets::{SecretRule, assign_rest};

/// The shipped rules: one YAML a rule, in a folder for each language and `any` for those that
/// read text.
#[derive(RustEmbed)]
#[folder = "rules/"]
struct ShippedRules;

/// Rules ready to scan with.
pub struct RuleSet {
    structural: Vec<Arc<StructuralRule>>,
    /// Of languages that have rules; made when a file of theirs is first scanned.
    by_language: HashMap<SupportLang, OnceLock<KindIndex>>,
    secrets: Vec<Arc<SecretRule>>,
    /// The checks that have no pattern, by id.
    checks: BTreeMap<String, Arc<RuleHeader>>,
}

/// For each kind of node, the structural rules that can match it, as indexes.
type KindIndex = Vec<Vec<usize>>;

/// One line of the list of rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleSummary {
    /// The folder of its language; `any` for rules that read text.
    pub group: String,
    /// Its id.
    pub id: String,
    /// How much a match weighs.
    pub priority: Priority,
    /// What it is about.
    pub category: String,
    /// What it says.
    pub message: String,
    /// Whether it has a fix.
    pub has_fix: bool,
    /// Whether it reads the structure of code, not its text.
    pub is_structural: bool,
    /// Whether it says something only where a repository gives it a severity.
    pub is_off: bool,
}

/// The group of rules that read text.
const TEXT_GROUP: &str = "any";

/// The ids of the checks that have no pattern.
const CONFLICT_ID: &str = "conflict-marker";
const SYNTAX_ID: &str = "broken-syntax";
const BIDI_ID: &str = "bidi-control";
const CHECK_IDS: [&str; 3] = [CONFLICT_ID, SYNTAX_ID, BIDI_ID];

impl RuleSet {
    /// The rules that ship with Collie, compiled once.
    #[must_use]
    pub fn shipped() -> &'static RuleSet {
        static SHIPPED: OnceLock<RuleSet> = OnceLock::new();
        SHIPPED.get_or_init(|| {
            let (rules, errors) = load_shipped();
            debug_assert!(errors.is_empty(), "shipped rules have errors: {errors:?}");
            rules
        })
    }

    /// The shipped rules with a repository's own on top, each given as its path and its YAML. A
    /// rule with the id of a shipped one replaces it. With the id and a `severity` alone it gives
    /// the shipped one that weight, and switches on one that is shipped off; `severity: off`
    /// switches one off. A rule with an error is left out and reported; a shipped rule that it
    /// would replace stays.
    #[must_use]
    pub fn with_repository(rules: &[(String, String)]) -> (RuleSet, Vec<RuleError>) {
        let shipped = Self::shipped();
        let mut builder = RuleSetBuilder {
            structural: shipped.structural.clone(),
            secrets: shipped.secrets.clone(),
            checks: shipped.checks.clone(),
            repository_ids: BTreeSet::new(),
            errors: Vec::new(),
        };
        for (path, yaml) in rules {
            for (lines_before, document) in split_documents(yaml) {
                builder.add_repository_rule(path, lines_before, &document);
            }
        }
        let errors = std::mem::take(&mut builder.errors);
        (builder.build(), errors)
    }

    /// All rules, by language and id.
    #[must_use]
    pub fn summaries(&self) -> Vec<RuleSummary> {
        let mut found = BTreeMap::new();
        for rule in &self.structural {
            let group = rule.language.to_string();
            found
                .entry(rule.header.id.clone())
                .or_insert_with(|| summary(&group, &rule.header, rule.has_fix()));
        }
        let secrets = self.secrets.iter().map(|rule| &rule.header);
        for header in secrets.chain(self.checks.values().map(Arc::as_ref)) {
            found.insert(header.id.clone(), summary(TEXT_GROUP, header, false));
        }
        let mut found: Vec<_> = found.into_values().collect();
        found.sort();
        found
    }

    /// What other linters call the rules that they know too.
    pub(crate) fn aliases(&self) -> RuleAliases {
        let structural = self.structural.iter().map(|rule| &*rule.header);
        let secrets = self.secrets.iter().map(|rule| &rule.header);
        structural
            .chain(secrets)
            .chain(self.checks.values().map(Arc::as_ref))
            .filter(|header| !header.metadata.aliases.is_empty())
            .map(|header| (header.id.clone(), header.metadata.aliases.clone()))
            .collect()
    }

    pub(crate) fn structural_for(
        &self,
        language: SupportLang,
    ) -> Option<(&KindIndex, &[Arc<StructuralRule>])> {
        let index = self.by_language.get(&language)?;
        let index = index.get_or_init(|| kind_index(&self.structural, language));
        Some((index, self.structural.as_slice()))
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        ids_of(&self.structural, &self.secrets)
    }

    /// The rules for secrets, those that are off among them: a form of theirs is no other rule's.
    pub(crate) fn secrets(&self) -> &[Arc<SecretRule>] {
        &self.secrets
    }

    pub(crate) fn conflict(&self) -> Option<&RuleHeader> {
        self.check(CONFLICT_ID)
    }

    pub(crate) fn syntax(&self) -> Option<&RuleHeader> {
        self.check(SYNTAX_ID)
    }

    pub(crate) fn bidi(&self) -> Option<&RuleHeader> {
        self.check(BIDI_ID)
    }

    fn check(&self, id: &str) -> Option<&RuleHeader> {
        let header = self.checks.get(id).map(Arc::as_ref);
        header.filter(|header| !header.is_off())
    }
}

/// The rule whose id is most like a name, if any is like enough.
#[must_use]
pub fn nearest_rule(rules: &RuleSet, name: &str) -> Option<String> {
    nearest_word(name, rules.ids())
}

fn summary(group: &str, header: &RuleHeader, has_fix: bool) -> RuleSummary {
    RuleSummary {
        group: group.to_owned(),
        id: header.id.clone(),
        priority: header.priority(),
        category: header.category(),
        message: header.message.clone(),
        has_fix,
        is_structural: group != TEXT_GROUP,
        is_off: header.is_off(),
    }
}

fn ids_of<'a>(
    structural: &'a [Arc<StructuralRule>],
    secrets: &'a [Arc<SecretRule>],
) -> impl Iterator<Item = &'a str> {
    let structural = structural.iter().map(|rule| rule.header.id.as_str());
    let secrets = secrets.iter().map(|rule| rule.header.id.as_str());
    structural.chain(secrets).chain(CHECK_IDS)
}

/// The rules of a language that are on, by the kinds of nodes that they can match.
fn kind_index(rules: &[Arc<StructuralRule>], language: SupportLang) -> KindIndex {
    let mut index = KindIndex::new();
    let of_language = (rules.iter().enumerate())
        .filter(|(_, rule)| rule.language == language && !rule.header.is_off());
    for (at, rule) in of_language {
        let kinds = rule
            .config()
            .and_then(|config| config.matcher.potential_kinds());
        for kind in &kinds.unwrap_or_default() {
            if index.len() <= kind {
                index.resize_with(kind + 1, Vec::new);
            }
            index[kind].push(at);
        }
    }
    index
}

/// A rule set while rules are added to it.
#[derive(Default)]
struct RuleSetBuilder {
    structural: Vec<Arc<StructuralRule>>,
    secrets: Vec<Arc<SecretRule>>,
    checks: BTreeMap<String, Arc<RuleHeader>>,
    /// Ids that the repository has defined, so that a second definition is noticed.
    repository_ids: BTreeSet<String>,
    errors: Vec<RuleError>,
}

fn load_shipped() -> (RuleSet, Vec<RuleError>) {
    let mut builder = RuleSetBuilder::default();
    for path in ShippedRules::iter() {
        let Some(file) = ShippedRules::get(&path) else {
            continue;
        };
        let yaml = String::from_utf8_lossy(&file.data);
        let added = if path.starts_with("any/") {
            builder.add_text_rule(&yaml)
        } else {
            builder.add_rule(&yaml)
        };
        if let Err(problem) = added {
            builder.push_error(&path, 0, None, problem);
        }
    }
    assign_rest(&mut builder.secrets);
    let errors = std::mem::take(&mut builder.errors);
    (builder.build(), errors)
}

impl RuleSetBuilder {
    fn add_rule(&mut self, yaml: &str) -> Result<(), RuleProblem> {
        let head: Arc<RuleHeader> = Arc::new(read_yaml(yaml)?);
        let rules = read_rule(&head, yaml)?;
        self.remove(&head.id);
        self.structural.extend(rules.into_iter().map(Arc::new));
        Ok(())
    }

    fn add_text_rule(&mut self, yaml: &str) -> Result<(), RuleProblem> {
        let header: RuleHeader = read_yaml(yaml)?;
        if CHECK_IDS.contains(&header.id.as_str()) {
            self.checks.insert(header.id.clone(), Arc::new(header));
        } else {
            let secret = SecretRule::read(header, yaml)?;
            self.secrets.push(Arc::new(secret));
        }
        Ok(())
    }

    /// Takes out every rule with this id; says whether there was one.
    fn remove(&mut self, id: &str) -> bool {
        let before = self.structural.len() + self.secrets.len();
        self.structural.retain(|rule| rule.header.id != id);
        self.secrets.retain(|rule| rule.header.id != id);
        let was_check = self.checks.remove(id).is_some();
        was_check || self.structural.len() + self.secrets.len() < before
    }

    fn add_repository_rule(&mut self, path: &str, lines_before: usize, yaml: &str) {
        let header: RuleHeader = match read_yaml(yaml) {
            Ok(header) => header,
            Err(problem) => {
                return self.push_error(path, lines_before, None, problem.within(yaml));
            }
        };
        let id = header.id.clone();
        if let Err(problem) = self.apply_repository_rule(header, yaml) {
            self.push_error(path, lines_before, Some(&id), problem.within(yaml));
        }
    }

    fn apply_repository_rule(&mut self, header: RuleHeader, yaml: &str) -> Result<(), RuleProblem> {
        if header.id.is_empty() {
            return Err(RuleProblem::new("a rule needs an id that is not empty"));
        }
        if header.is_off() {
            if !self.remove(&header.id) && header.rule.is_none() {
                let nearest = nearest_word(&header.id, self.ids());
                let text = "switches off a rule that does not exist".to_owned();
                return Err(RuleProblem {
                    line: None,
                    message: text,
                    nearest,
                });
            }
            return Ok(());
        }
        if self.repository_ids.contains(&header.id) {
            return Err(RuleProblem::new(
                "the repository has another rule with this id; it is kept",
            ));
        }
        if header.is_weight_alone() {
            // What else it says would be passed over in silence.
            read_yaml::<WeightDocument>(yaml)?;
            self.change_weight(&header)?;
            self.repository_ids.insert(header.id);
            return Ok(());
        }
        if header.message.trim().is_empty() {
            return Err(RuleProblem::new(
                "a rule needs a message: it becomes the finding's title",
            ));
        }
        // Before a shipped one makes way for it.
        let head = Arc::new(read_yaml(yaml)?);
        for rule in read_rule(&head, yaml)? {
            rule.check()?;
        }
        self.add_rule(yaml)?;
        self.repository_ids.insert(header.id);
        Ok(())
    }

    /// Gives the rule with this id another weight.
    fn change_weight(&mut self, weight: &RuleHeader) -> Result<(), RuleProblem> {
        weight.check_severity()?;
        let mut secrets = self.secrets.iter_mut();
        if let Some(secret) = secrets.find(|rule| rule.header.id == weight.id) {
            Arc::make_mut(secret).header.set_weight(weight);
            return Ok(());
        }
        if let Some(check) = self.checks.get_mut(&weight.id) {
            Arc::make_mut(check).set_weight(weight);
            return Ok(());
        }
        let of_id = |rule: &&Arc<StructuralRule>| rule.header.id == weight.id;
        let Some(rule) = self.structural.iter().find(of_id) else {
            let mut problem = RuleProblem::new("weighs a rule that does not exist");
            problem.nearest = nearest_word(&weight.id, self.ids());
            return Err(problem);
        };
        let mut header = RuleHeader::clone(&rule.header);
        header.set_weight(weight);
        let header = Arc::new(header);
        let reweighed = self.structural.iter().map(|rule| {
            if rule.header.id == weight.id {
                rule.with_header(&header).map(Arc::new)
            } else {
                Ok(Arc::clone(rule))
            }
        });
        self.structural = reweighed.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        ids_of(&self.structural, &self.secrets)
    }

    fn push_error(
        &mut self,
        path: &str,
        lines_before: usize,
        id: Option<&str>,
        problem: RuleProblem,
    ) {
        self.errors.push(problem.in_file(path, lines_before, id));
    }

    fn build(mut self) -> RuleSet {
        self.structural.sort_by(|a, b| {
            (&a.header.id, a.language.to_string()).cmp(&(&b.header.id, b.language.to_string()))
        });
        self.secrets.sort_by(|a, b| a.header.id.cmp(&b.header.id));
        let on = self.structural.iter().filter(|rule| !rule.header.is_off());
        let by_language = on.map(|rule| (rule.language, OnceLock::new())).collect();
        RuleSet {
            structural: self.structural,
            by_language,
            secrets: self.secrets,
            checks: self.checks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They are compiled one by one as they are asked for: here all are.
    #[test]
    fn every_shipped_rule_compiles_in_each_of_its_languages() {
        let (rules, errors) = load_shipped();
        assert!(errors.is_empty(), "{errors:?}");
        assert!(rules.structural.len() > 100);
        for rule in &rules.structural {
            assert!(
                rule.check().is_ok(),
                "{} in {}",
                rule.header.id,
                rule.language
            );
        }
    }

    #[test]
    fn a_scan_compiles_the_rules_of_its_own_language_alone() {
        let (rules, _) = load_shipped();
        rules.structural_for(SupportLang::Go);
        let compiled = rules.structural.iter().filter(|rule| rule.is_compiled());
        let languages: BTreeSet<String> = compiled.map(|rule| rule.language.to_string()).collect();
        assert_eq!(languages.into_iter().collect::<Vec<_>>(), ["Go"]);
    }
}

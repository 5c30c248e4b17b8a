//! Compares the tests of a file before and after a fix.

use super::assertions::AssertionStrength;
use super::source_text::{SourceLanguage, SourceText};
use super::test_inventory::{test_items, test_modules};
use super::test_item::TestItem;
use collie_engine::ports::Tamper;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Helpers that call helpers are looked through this far.
const MAX_HELPER_DEPTH: usize = 3;
/// Of the words of a test that went, this share in percent makes another one its new form.
const MIN_SIMILARITY_PERCENT: usize = 60;

/// How much a test checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct AssertionScore {
    /// All assertions.
    total: usize,
    /// Those that say what something is.
    strong: usize,
}

impl AssertionScore {
    fn add_times(self, other: Self, times: usize) -> Self {
        Self {
            total: self.total.saturating_add(other.total.saturating_mul(times)),
            strong: self
                .strong
                .saturating_add(other.strong.saturating_mul(times)),
        }
    }

    /// How much less it is than another.
    fn shortfall_from(self, other: Self) -> usize {
        let all = other.total.saturating_sub(self.total);
        all.max(other.strong.saturating_sub(self.strong))
    }
}

/// One side.
struct FileTests {
    items: Vec<TestItem>,
    modules: Vec<String>,
    /// How often each assertion is there.
    assertion_counts: BTreeMap<String, usize>,
}

impl FileTests {
    fn new(path: &str, language: SourceLanguage, text: &SourceText<'_>, code: &str) -> Self {
        let items = test_items(path, language, text, code);
        let mut assertion_counts = BTreeMap::new();
        for claim in items.iter().flat_map(|item| &item.assertions) {
            *assertion_counts
                .entry(claim.normalized.clone())
                .or_default() += 1;
        }
        Self {
            items,
            modules: test_modules(path, language, code),
            assertion_counts,
        }
    }

    /// Tests, counted with their cases, and modules of tests.
    fn test_count(&self) -> usize {
        let cases: usize = self.tests().map(|item| item.cases).sum();
        cases + self.modules.len()
    }

    fn tests(&self) -> impl Iterator<Item = &TestItem> {
        self.items.iter().filter(|item| item.is_test)
    }

    fn helpers(&self) -> impl Iterator<Item = &TestItem> {
        self.items.iter().filter(|item| !item.is_test)
    }

    /// What each helper checks. One that both sides have counts as it was: what became of it is told at itself.
    fn helper_scores(
        &self,
        known_scores: &BTreeMap<String, AssertionScore>,
    ) -> BTreeMap<String, AssertionScore> {
        let mut weights: BTreeMap<String, AssertionScore> = BTreeMap::new();
        for _ in 0..MAX_HELPER_DEPTH {
            let mut next = BTreeMap::new();
            for item in self.helpers() {
                let known = known_scores.get(&item.name).copied();
                next.insert(
                    item.name.clone(),
                    known.unwrap_or_else(|| assertion_score(item, &weights)),
                );
            }
            weights = next;
        }
        weights
    }
}

/// What an item checks itself and by the helpers that it calls.
fn assertion_score(item: &TestItem, helpers: &BTreeMap<String, AssertionScore>) -> AssertionScore {
    let mut total = AssertionScore {
        total: item.table_rows,
        strong: item.table_rows,
    };
    for claim in item
        .assertions
        .iter()
        .filter(|claim| !helpers.contains_key(&claim.name))
    {
        total.total += 1;
        total.strong += usize::from(claim.strength == AssertionStrength::Strong);
    }
    for (name, times) in &item.call_counts {
        if let Some(helper) = helpers.get(name).filter(|_| *name != item.name) {
            total = total.add_times(*helper, *times);
        }
    }
    total
}

/// What is wrong with the tests after, with the line where there is one.
pub(super) fn compare_tests(
    path: &str,
    language: SourceLanguage,
    (old, old_code): (&SourceText<'_>, &str),
    (new, new_code): (&SourceText<'_>, &str),
) -> BTreeSet<(Option<u32>, Tamper)> {
    let old = FileTests::new(path, language, old, old_code);
    let new = FileTests::new(path, language, new, new_code);
    let old_weights = old.helper_scores(&BTreeMap::new());
    let new_weights = new.helper_scores(&old_weights);
    let mut found = BTreeSet::new();
    let (kept, removed, added) = match_items(&old, &new);
    if new.test_count() < old.test_count() || !all_have_successors(&removed, &added) {
        found.insert((None, Tamper::DeletedTest));
    } else if !removed.is_empty() {
        let total = |items: &[&TestItem], weights: &BTreeMap<String, AssertionScore>| {
            items.iter().fold(AssertionScore::default(), |sum, item| {
                sum.add_times(assertion_score(item, weights), item.cases)
            })
        };
        let shortfall = total(&added, &new_weights).shortfall_from(total(&removed, &old_weights));
        if shortfall > moved_assertion_count(&removed, &added, &old, &new) {
            let line = added.first().map(|item| item.line);
            found.insert((line, Tamper::LoosenedAssertion));
        }
    }
    let asked: BTreeSet<&String> = removed.iter().flat_map(|item| &item.conditions).collect();
    for item in added.iter().filter(|_| !removed.is_empty()) {
        if item.conditions.iter().any(|asks| !asked.contains(asks)) {
            found.insert((Some(item.line), Tamper::SkippedTest));
        }
    }
    for (before, after) in kept {
        if after.is_test && !after.conditions.is_subset(&before.conditions) {
            found.insert((Some(after.line), Tamper::SkippedTest));
        }
        if after.returns_early && !before.returns_early && after.is_test {
            found.insert((Some(after.line), Tamper::SkippedTest));
        }
        if after.cases < before.cases {
            found.insert((Some(after.line), Tamper::DeletedTest));
            continue;
        }
        let old_score = AssertionScore::default()
            .add_times(assertion_score(before, &old_weights), before.cases);
        let is =
            AssertionScore::default().add_times(assertion_score(after, &new_weights), after.cases);
        if is.shortfall_from(old_score) > moved_assertion_count(&[before], &[after], &old, &new) {
            found.insert((Some(after.line), Tamper::LoosenedAssertion));
        }
    }
    found
}

/// The lines of tests that are new to the file, where none went for them.
pub(super) fn new_test_lines(
    path: &str,
    language: SourceLanguage,
    (old, old_code): (&SourceText<'_>, &str),
    (new, new_code): (&SourceText<'_>, &str),
) -> Vec<RangeInclusive<u32>> {
    let old = FileTests::new(path, language, old, old_code);
    let new = FileTests::new(path, language, new, new_code);
    let (_, removed, added) = match_items(&old, &new);
    let lines = added.iter().map(|item| item.line..=item.last_line);
    lines.filter(|_| removed.is_empty()).collect()
}

type MatchedItems<'a> = (
    Vec<(&'a TestItem, &'a TestItem)>,
    Vec<&'a TestItem>,
    Vec<&'a TestItem>,
);

/// Items of the same name, tests that went, and tests that came.
fn match_items<'a>(old: &'a FileTests, new: &'a FileTests) -> MatchedItems<'a> {
    let mut by_name: BTreeMap<(&str, bool), Vec<&TestItem>> = BTreeMap::new();
    for item in new.items.iter().rev() {
        by_name
            .entry((&item.name, item.is_test))
            .or_default()
            .push(item);
    }
    let mut kept = Vec::new();
    let mut removed = Vec::new();
    for item in &old.items {
        match by_name
            .get_mut(&(item.name.as_str(), item.is_test))
            .and_then(Vec::pop)
        {
            Some(same) => kept.push((item, same)),
            None if item.is_test => removed.push(item),
            None => {}
        }
    }
    let added = by_name
        .into_values()
        .flatten()
        .filter(|item| item.is_test)
        .collect();
    (kept, removed, added)
}

/// Each test that went lives on in one that came; one with many cases takes in as many.
fn all_have_successors(removed: &[&TestItem], added: &[&TestItem]) -> bool {
    let mut capacity: Vec<(usize, &TestItem)> =
        added.iter().map(|item| (item.cases, *item)).collect();
    removed.iter().all(|item| {
        let alike = |other: &TestItem| {
            let shared = item
                .identifiers
                .intersection(&other.all_identifiers)
                .count();
            shared * 100 >= item.identifiers.len() * MIN_SIMILARITY_PERCENT
        };
        let successor = capacity
            .iter_mut()
            .filter(|(left, _)| *left > 0)
            .find(|(_, other)| alike(other));
        match successor {
            Some((left, _)) => {
                *left = left.saturating_sub(item.cases);
                true
            }
            None => false,
        }
    })
}

/// How many of the assertions that items lost are still in the file.
fn moved_assertion_count(
    before: &[&TestItem],
    after: &[&TestItem],
    old: &FileTests,
    new: &FileTests,
) -> usize {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for claim in after.iter().flat_map(|item| &item.assertions) {
        *left.entry(&claim.normalized).or_default() += 1;
    }
    let mut count = 0;
    for claim in before.iter().flat_map(|item| &item.assertions) {
        match left.get_mut(claim.normalized.as_str()) {
            Some(here) if *here > 0 => *here -= 1,
            Some(_) | None => {
                let there = |side: &FileTests| {
                    side.assertion_counts
                        .get(&claim.normalized)
                        .copied()
                        .unwrap_or_default()
                };
                count += usize::from(there(new) >= there(old));
            }
        }
    }
    count
}

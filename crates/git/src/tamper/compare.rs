//! Compares the tests of a file before and after a fix.

use super::census::{Item, items, test_modules};
use super::claims::Weight;
use super::text::{Language, Text};
use collie_engine::ports::Tamper;
use std::collections::{BTreeMap, BTreeSet};

/// Helpers that call helpers are looked through this far.
const MOST_DEPTH: usize = 3;
/// Of the words of a test that went, this share in percent makes another one its new form.
const ALIKE: usize = 60;

/// How much a test checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Score {
    /// All assertions.
    all: usize,
    /// Those that say what something is.
    strong: usize,
}

impl Score {
    fn plus(self, other: Self, times: usize) -> Self {
        Self {
            all: self.all.saturating_add(other.all.saturating_mul(times)),
            strong: self
                .strong
                .saturating_add(other.strong.saturating_mul(times)),
        }
    }

    /// How much less it is than another.
    fn lacks(self, other: Self) -> usize {
        let all = other.all.saturating_sub(self.all);
        all.max(other.strong.saturating_sub(self.strong))
    }
}

/// One side.
struct Side {
    items: Vec<Item>,
    modules: Vec<String>,
    /// How often each assertion is there.
    words: BTreeMap<String, usize>,
}

impl Side {
    fn new(path: &str, language: Language, text: &Text<'_>, code: &str) -> Self {
        let items = items(path, language, text, code);
        let mut words = BTreeMap::new();
        for claim in items.iter().flat_map(|item| &item.claims) {
            *words.entry(claim.words.clone()).or_default() += 1;
        }
        Self {
            items,
            modules: test_modules(path, language, code),
            words,
        }
    }

    /// Tests, counted with their cases, and modules of tests.
    fn runs(&self) -> usize {
        let cases: usize = self.tests().map(|item| item.cases).sum();
        cases + self.modules.len()
    }

    fn tests(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.test)
    }

    fn helpers(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !item.test)
    }

    /// What each helper checks. One that both sides have counts as it was: what became of it is told at itself.
    fn weights(&self, fixed: &BTreeMap<String, Score>) -> BTreeMap<String, Score> {
        let mut weights: BTreeMap<String, Score> = BTreeMap::new();
        for _ in 0..MOST_DEPTH {
            let mut next = BTreeMap::new();
            for item in self.helpers() {
                let known = fixed.get(&item.name).copied();
                next.insert(
                    item.name.clone(),
                    known.unwrap_or_else(|| score(item, &weights)),
                );
            }
            weights = next;
        }
        weights
    }
}

/// What an item checks itself and by the helpers that it calls.
fn score(item: &Item, helpers: &BTreeMap<String, Score>) -> Score {
    let mut total = Score {
        all: item.rows,
        strong: item.rows,
    };
    for claim in item
        .claims
        .iter()
        .filter(|claim| !helpers.contains_key(&claim.name))
    {
        total.all += 1;
        total.strong += usize::from(claim.weight == Weight::Strong);
    }
    for (name, times) in &item.calls {
        if let Some(helper) = helpers.get(name).filter(|_| *name != item.name) {
            total = total.plus(*helper, *times);
        }
    }
    total
}

/// What is wrong with the tests after, with the line where there is one.
pub(super) fn tests(
    path: &str,
    language: Language,
    (old, old_code): (&Text<'_>, &str),
    (new, new_code): (&Text<'_>, &str),
) -> BTreeSet<(Option<u32>, Tamper)> {
    let old = Side::new(path, language, old, old_code);
    let new = Side::new(path, language, new, new_code);
    let old_weights = old.weights(&BTreeMap::new());
    let new_weights = new.weights(&old_weights);
    let mut found = BTreeSet::new();
    let (stayed, gone, come) = pair(&old, &new);
    if new.runs() < old.runs() || !all_alike(&gone, &come) {
        found.insert((None, Tamper::DeletedTest));
    } else if !gone.is_empty() {
        let total = |items: &[&Item], weights: &BTreeMap<String, Score>| {
            items.iter().fold(Score::default(), |sum, item| {
                sum.plus(score(item, weights), item.cases)
            })
        };
        let lacks = total(&come, &new_weights).lacks(total(&gone, &old_weights));
        if lacks > elsewhere(&gone, &come, &old, &new) {
            let line = come.first().map(|item| item.line);
            found.insert((line, Tamper::LoosenedAssertion));
        }
    }
    for (before, after) in stayed {
        if after.leaves && !before.leaves && after.test {
            found.insert((Some(after.line), Tamper::SkippedTest));
        }
        if after.cases < before.cases {
            found.insert((Some(after.line), Tamper::DeletedTest));
            continue;
        }
        let was = Score::default().plus(score(before, &old_weights), before.cases);
        let is = Score::default().plus(score(after, &new_weights), after.cases);
        if is.lacks(was) > elsewhere(&[before], &[after], &old, &new) {
            found.insert((Some(after.line), Tamper::LoosenedAssertion));
        }
    }
    found
}

type Pairs<'a> = (Vec<(&'a Item, &'a Item)>, Vec<&'a Item>, Vec<&'a Item>);

/// Items of the same name, tests that went, and tests that came.
fn pair<'a>(old: &'a Side, new: &'a Side) -> Pairs<'a> {
    let mut by_name: BTreeMap<(&str, bool), Vec<&Item>> = BTreeMap::new();
    for item in new.items.iter().rev() {
        by_name
            .entry((&item.name, item.test))
            .or_default()
            .push(item);
    }
    let mut stayed = Vec::new();
    let mut gone = Vec::new();
    for item in &old.items {
        match by_name
            .get_mut(&(item.name.as_str(), item.test))
            .and_then(Vec::pop)
        {
            Some(same) => stayed.push((item, same)),
            None if item.test => gone.push(item),
            None => {}
        }
    }
    let come = by_name
        .into_values()
        .flatten()
        .filter(|item| item.test)
        .collect();
    (stayed, gone, come)
}

/// Each test that went lives on in one that came; one with many cases takes in as many.
fn all_alike(gone: &[&Item], come: &[&Item]) -> bool {
    let mut room: Vec<(usize, &Item)> = come.iter().map(|item| (item.cases, *item)).collect();
    gone.iter().all(|item| {
        let alike = |other: &Item| {
            let shared = item.words.intersection(&other.all_words).count();
            shared * 100 >= item.words.len() * ALIKE
        };
        let taker = room
            .iter_mut()
            .filter(|(left, _)| *left > 0)
            .find(|(_, other)| alike(other));
        match taker {
            Some((left, _)) => {
                *left = left.saturating_sub(item.cases);
                true
            }
            None => false,
        }
    })
}

/// How many of the assertions that items lost are still in the file.
fn elsewhere(before: &[&Item], after: &[&Item], old: &Side, new: &Side) -> usize {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for claim in after.iter().flat_map(|item| &item.claims) {
        *left.entry(&claim.words).or_default() += 1;
    }
    let mut count = 0;
    for claim in before.iter().flat_map(|item| &item.claims) {
        match left.get_mut(claim.words.as_str()) {
            Some(here) if *here > 0 => *here -= 1,
            Some(_) | None => {
                let there = |side: &Side| side.words.get(&claim.words).copied().unwrap_or_default();
                count += usize::from(there(new) >= there(old));
            }
        }
    }
    count
}

//! What is known of a test, whatever its language.

use super::assertions::Assertion;
use super::patterns::patterns;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

patterns! {
    WORD = r"\b[^\W\d]\w*";
    CALL = r"\b(\w+)!?\s*\(";
}

/// A test or a helper of tests.
pub(super) struct TestItem {
    pub(super) name: String,
    /// 1-based.
    pub(super) line: u32,
    /// It is run as a test.
    pub(super) is_test: bool,
    /// How often it is run with other values, at least 1.
    pub(super) cases: usize,
    /// What it asserts by itself.
    pub(super) assertions: Vec<Assertion>,
    /// Rows of the tables that it goes through.
    pub(super) table_rows: usize,
    /// How often it calls each other item.
    pub(super) call_counts: BTreeMap<String, usize>,
    /// 1-based, included.
    pub(super) last_line: u32,
    /// It may leave before it has asserted anything.
    pub(super) returns_early: bool,
    /// When it is compiled at all (`#[cfg(…)]`), blanks left out.
    pub(super) conditions: BTreeSet<String>,
    /// The words of its body, each once.
    pub(super) identifiers: BTreeSet<String>,
    /// Those, and the words of what stands above it.
    pub(super) all_identifiers: BTreeSet<String>,
}

pub(super) fn identifiers(text: &str) -> BTreeSet<String> {
    WORD.find_iter(text)
        .map(|word| word.as_str().to_string())
        .collect()
}

pub(super) fn call_counts(body: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for found in CALL.captures_iter(body) {
        *counts.entry(found[1].to_string()).or_default() += 1;
    }
    counts
}

//! Holds `docs/security.md` to the tests that it names.

use crate::{files_below, workspace_root};
use std::collections::{BTreeMap, BTreeSet};

/// The tests that a text names as `crate::test`, within backticks.
fn named_tests(text: &str) -> BTreeSet<(&str, &str)> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    quoted
        .filter_map(|quoted| quoted.split_once("::"))
        .filter(|(home, test)| is_name(home) && is_name(test))
        .collect()
}

/// Every function of a crate, or of a folder of `tests`, that has `#[test]` or the like above it.
fn tests_of(home: &str) -> BTreeSet<String> {
    let root = workspace_root();
    let mut found = BTreeSet::new();
    let parts = [
        format!("crates/{home}/src"),
        format!("crates/{home}/tests"),
        format!("tests/{home}"),
    ];
    for part in parts.map(|part| root.join(part)) {
        let files = if part.is_dir() {
            files_below(&part)
        } else {
            Vec::new()
        };
        for file in files
            .iter()
            .filter(|file| file.extension().is_some_and(|end| end == "rs"))
        {
            let text = std::fs::read_to_string(file).expect("UTF-8");
            let mut is_test = false;
            for line in text.lines().map(str::trim) {
                is_test |= line.starts_with("#[test") || line.starts_with("#[tokio::test");
                // A property's attribute stands within `proptest!`, as any other.
                let name = line.trim_start_matches("async ").strip_prefix("fn ");
                let name = name.and_then(|rest| rest.split('(').next());
                // The first function after the attribute is the test.
                found.extend(
                    name.filter(|_| std::mem::take(&mut is_test))
                        .map(str::to_owned),
                );
            }
        }
    }
    found
}

#[test]
fn the_threat_model_names_tests_that_exist() {
    let text = std::fs::read_to_string(workspace_root().join("docs/security.md")).expect("UTF-8");
    let named = named_tests(&text);
    assert!(named.len() > 50, "only {} tests are named", named.len());
    let mut known: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let missing: Vec<_> = named
        .into_iter()
        .filter(|(home, test)| {
            !known
                .entry(home)
                .or_insert_with(|| tests_of(home))
                .contains(*test)
        })
        .filter(|name| *name != ("crate", "name"))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/security.md names tests that are not there: {missing:#?}"
    );
}

//! Proofs, not flags (invariant 5): what a dangerous thing takes is made in one place, which is where it was proven.
//!
//! Fields are private, so that only the constructor makes one. Crates cannot befriend each other, so the constructor is public, and
//! this test holds where it is named. It goes by the name alone: neither an alias nor `Self` hides a call.

use super::merge_calls::{identifiers_in_rust, is_shipped};
use super::{files_below, workspace_root};
use std::collections::BTreeMap;

/// A constructor, the file that defines it, and those that may call it.
const CONSTRUCTORS: [(&str, &str, &[&str]); 5] = [
    (
        "at_verified_head",
        "crates/engine/src/ports/git.rs",
        &["crates/git/src/prepare.rs"],
    ),
    (
        "raised_in",
        "crates/engine/src/ports/git.rs",
        &["crates/git/src/shield.rs"],
    ),
    (
        "passed_all_gates",
        "crates/engine/src/ports/git.rs",
        &["crates/git/src/gates.rs"],
    ),
    (
        "by_the_users_setting",
        "crates/sandbox/src/program.rs",
        &["crates/git/src/verify.rs", "crates/reviewers/src/lib.rs"],
    ),
    (
        "given_by_a_click_in_the_merge_dialog",
        "crates/merge/src/consent.rs",
        &["src-tauri/src/merge_command.rs"],
    ),
];

/// Every Rust source that ships, by its path in the workspace.
fn shipped_rust() -> BTreeMap<String, String> {
    let root = workspace_root();
    let folders = ["crates", "src-tauri"].map(|folder| files_below(&root.join(folder)));
    let mut sources = BTreeMap::new();
    for file in folders.into_iter().flatten() {
        let path = file.strip_prefix(&root).expect("below the root");
        // The simulator makes proofs of what it simulates; that it does not ship is held elsewhere.
        let simulates = path.starts_with("crates/sim");
        if is_shipped(path) && !simulates && path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&file).expect("UTF-8");
            sources.insert(path.to_str().expect("UTF-8").to_owned(), text);
        }
    }
    sources
}

/// Where a name stands in what ships, once for each time.
fn named_in<'a>(sources: &'a BTreeMap<String, String>, name: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (path, text) in sources.iter().filter(|(_, text)| text.contains(name)) {
        let names = identifiers_in_rust(text).into_iter();
        let times = names.filter(|other| other == name);
        found.extend(times.map(|_| path.as_str()));
    }
    found
}

#[test]
fn a_proof_is_made_in_one_place() {
    let sources = shipped_rust();
    assert!(sources.len() > 300, "only {} files", sources.len());
    for (constructor, defined, called) in CONSTRUCTORS {
        let mut expected = [called, &[defined]].concat();
        expected.sort_unstable();
        assert_eq!(named_in(&sources, constructor), expected, "{constructor}");
    }
}

#[test]
fn a_proof_that_is_made_elsewhere_would_be_seen() {
    let mut sources = shipped_rust();
    let forger = "use P as Q;\nfn f() { g(Q::raised_in) }\n#[cfg(test)] fn t() { Q::raised_in() }";
    sources.insert("crates/app/src/forger.rs".into(), forger.into());
    let found = named_in(&sources, "raised_in");
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0], "crates/app/src/forger.rs");
}

/// The one constructor is the only way: the types' own files hold one literal each, and derive nothing that makes one.
#[test]
fn a_proof_has_one_constructor() {
    let sources = shipped_rust();
    for (proof, constructor) in [
        ("CleanWorktree", "at_verified_head"),
        ("Shield", "raised_in"),
        ("VettedChange", "passed_all_gates"),
        ("HumanConsent", "given_by_a_click_in_the_merge_dialog"),
    ] {
        let (_, file, _) = CONSTRUCTORS
            .iter()
            .find(|(name, _, _)| *name == constructor)
            .expect("a constructor of the list");
        let text = &sources[*file];
        let (above, below) = text
            .split_once(&format!("pub struct {proof} {{"))
            .expect("the struct");
        let attributes = above.rsplit("\n\n").next().expect("its attributes");
        let derives = attributes.lines().find(|line| line.starts_with("#[derive"));
        for maker in ["Default", "Deserialize", "From"] {
            assert!(!derives.is_some_and(|d| d.contains(maker)), "{proof}");
        }
        let fields = below.split('}').next().expect("its fields");
        assert!(!fields.contains("pub"), "{proof} has a field that is open");
        let implementation = below
            .split_once(&format!("\nimpl {proof} {{"))
            .and_then(|(_, rest)| rest.split_once("\n}\n"))
            .expect("its methods")
            .0;
        let made: Vec<&str> = implementation
            .split("\n    pub fn ")
            .skip(1)
            .filter(|method| method.split('{').next().is_some_and(|s| s.contains("Self")))
            .map(|method| method.split(['(', '<']).next().unwrap_or_default())
            .collect();
        assert_eq!(made, [constructor], "{proof}");
        let makers = text.matches(&format!(" for {proof}")).count();
        assert_eq!(makers, 0, "{proof} is made or opened by a trait");
    }
}
